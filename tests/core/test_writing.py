"""What is written is there whole or not at all, and a disk that is full is told as what it is."""

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adidem.core.writing import whole_folder, write_new, write_whole


@contextmanager
def full(size: int) -> Iterator[None]:
    """No file can grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_that_cannot_be_written_is_as_it_was_and_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    write_whole(file, "é")
    with full(8), pytest.raises(OSError, match=r"File too large: '.*a\.txt'"):
        write_whole(file, "longer than eight bytes")
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]
    assert file.read_bytes() == "é".encode()
    write_whole(file, b"bytes")
    assert file.read_bytes() == b"bytes"


def test_folders_that_were_made_for_what_cannot_be_written_are_gone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for _ in range(2):
        with full(0), pytest.raises(OSError, match="File too large"), whole_folder(tmp_path / "mine/a/b") as part:
            write_whole(part / "c", "text")
        with full(0), pytest.raises(OSError, match="File too large"):
            write_new(tmp_path / "mine" / "a" / "c", "text")
        assert [each.name for each in tmp_path.rglob("*")] == ["mine"]
    with whole_folder(tmp_path / "mine/a/b") as part:
        write_whole(part / "c", "text")
        assert not (tmp_path / "mine/a/b").exists()
    assert (tmp_path / "mine/a/b/c").read_text() == "text"


@pytest.mark.parametrize("more", [[], ["--package"]])
def test_a_plugin_is_written_whole_or_not_at_all(cli, tmp_path, more):
    with full(300):
        said = cli("new", "family", "foo", *more, "--out", "lab", code=2).stderr
    assert "cannot be written (File too large); nothing is left of it" in said
    assert "standard output" not in said
    assert list(tmp_path.iterdir()) == []
    cli("new", "family", "foo", *more, "--out", "lab")


def test_sheets_are_written_whole_or_not_at_all(cli, tmp_path):
    cli("run", "hico", "--limit", 2, "--out", "r", "--json")
    with full(0):
        assert "an: cannot write: File too large" in cli("annotate", "r", "--out", "an", code=2).stderr
    assert [each.name for each in tmp_path.iterdir()] == ["r"]
    cli("annotate", "r", "--out", "an")


@pytest.mark.parametrize("pages", [0, 1])
def test_what_cannot_be_rated_tells_of_judge_and_not_of_run(cli, tmp_path, monkeypatch, pages):
    """Neither where the store cannot be opened, nor where it is full later."""
    from adidem.core.runs import store

    cli("run", "hico", "--limit", 2, "--out", "r", "--json")
    with monkeypatch.context() as patched:
        more = "PRAGMA max_page_count=1; CREATE TABLE more AS SELECT zeroblob(9999);" if pages else ""
        patched.setattr(store, "SCHEMA", store.SCHEMA + (more or "PRAGMA query_only=ON;"))
        said = cli("judge", "r", "--judge", "scripted:judge", code=2).stderr
    assert "r/run.sqlite cannot be written: " in said
    assert "when it can be written again, the same command goes on" in said
    assert "--resume" not in said
    assert "damaged" not in said
    assert json.loads(cli("judge", "r", "--judge", "scripted:judge", "--json").stdout)


def test_a_file_that_is_full_is_not_taken_for_standard_output(cli, tmp_path, monkeypatch):
    from adidem.core.kit import scaffold

    def without_a_name(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scaffold, "scaffold", without_a_name)
    said = cli("new", "judge", "mine", code=1).stderr
    assert said == "adidem: something cannot be written: No space left on device\n"
