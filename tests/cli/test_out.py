"""Every verb that writes sees before it computes anything whether it can write where it is told to."""

import pytest

from adidem.core.errors import ConfigError
from adidem.core.writing import must_be_new, must_be_writable

WRITING = [
    (["run", "hico", "--out"], "adidem.core.runs.suite.run_jobs", True),
    (["train", "ppo", "--recipe", "small.yaml", "--out"], "adidem.core.training.prepare.prepare", True),
    (["train", "--recipe", "study.yaml", "--out"], "adidem.core.training.study.run.cells_of", True),
    (["report", "played", "--format", "md", "--out"], "adidem.core.report.markdown.as_markdown", False),
    (["report", "played", "--format", "csv", "--out"], "adidem.core.report.exports.episodes_csv", False),
    (["report", "played", "--format", "html", "--out"], "adidem.core.report.html.single.single", False),
    (["report", "trained", "--format", "html", "--out"], "adidem.core.report.training.as_page", False),
    (["export", "played", "--format", "episodes", "--out"], "adidem.core.export.episodes.lines", True),
    (["export", "played", "--format", "chat", "--out"], "adidem.core.export.chat.sft", True),
    (["export", "played", "--format", "parquet", "--out"], "adidem.core.export.parquet.write_parquet", True),
    (["export", "played", "--format", "hf", "--out"], "adidem.core.export.hf.write_folder", True),
    (["states", "played", "--model", "hf:smollm2", "--out"], "adidem.core.analysis.states.collect", True),
    (["annotate", "played", "--out"], "adidem.core.annotation.study.draw", True),
    (["neutralize", "--out"], "adidem.core.neutral.by_rules", False),
    (["scenarios", "generate", "--count", "1", "--out"], "adidem.core.runs.scenarios.generated", False),
    (["scenarios", "export", "--out"], "adidem.core.scenarios.load_bank", False),
    (["new", "judge", "mine", "--out"], "adidem.core.kit.scaffold.scaffold", True),
]
"""Words of a verb up to the place, what must not have been called, and whether it makes the folders above."""


@pytest.fixture
def here(cli, tmp_path):
    """What the verbs read, and a file where a folder would be needed."""
    cli("run", "hico", "--limit", 1, "--out", "played", "--json")
    (tmp_path / "trained").mkdir()
    (tmp_path / "trained" / "metrics.jsonl").write_text('{"update": 1, "reward": 0.5}\n')
    (tmp_path / "small.yaml").write_text("conversations: 4\n")
    (tmp_path / "study.yaml").write_text("study: {configurations: [{label: ppo, trainer: ppo}]}\n")
    (tmp_path / "file").write_text("mine")
    return sorted(tmp_path.rglob("*"))


def test_what_cannot_be_written_is_refused_before_anything_is_computed(cli, here, tmp_path, monkeypatch):
    """By every verb that writes, for a place below a file, and for one below a folder that is not there where the verb
    makes none; nothing is left."""
    for words, computed, makes in WRITING:
        cli(*words, "file/inside", code=2)  # a module that is first imported below would keep what stands in for it
        with monkeypatch.context() as patched:
            patched.setattr(computed, lambda *_, **__: pytest.fail("it was computed first"))
            for place in ("file/inside", *(() if makes else ("nowhere/inside",))):
                said = cli(*words, place, code=2).stderr
                assert f"{place} cannot be written (" in said, words
                assert "with --out" in said
    assert sorted(tmp_path.rglob("*")) == here


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").touch()
    for path, folder in (
        (tmp_path / "file" / "inside", False),
        (tmp_path / "file" / "deep" / "inside", True),
        (tmp_path / ("long" * 100), False),
        (tmp_path / "file", True),
        (tmp_path, False),
    ):
        with pytest.raises(ConfigError, match="--elsewhere"):
            must_be_writable(path, "--elsewhere", folder=folder)
    with pytest.raises(ConfigError, match="no folder"):
        must_be_writable(tmp_path / "a" / "b", parents=False)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="exists; name a new one"):
        must_be_new(tmp_path / "link")
    for path in (tmp_path / "a" / "b", tmp_path / "c"):
        must_be_new(path)
        must_be_writable(path, folder=True)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "link"]


def test_a_folder_that_takes_no_files_is_told_whoever_asks(tmp_path, monkeypatch):
    """Permissions say nothing to root, so a file is tried."""

    def refused(**_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("adidem.core.writing.TemporaryFile", refused)
    with pytest.raises(ConfigError, match=r"cannot be written \(Read-only file system\)"):
        must_be_writable(tmp_path / "run", folder=True)


def test_a_library_that_a_page_needs_is_missed_before_its_runs_are_read(cli, here, monkeypatch):
    monkeypatch.setattr("adidem.core.analysis.extra.find_spec", lambda _: None)
    monkeypatch.setattr("adidem.core.report.html.single.single", lambda *_: pytest.fail("it was computed first"))
    for run in ("played", "trained"):
        said = cli("report", run, "--format", "html", code=2).stderr
        assert "this needs matplotlib: pip install -c constraints.txt -e '.[analysis]'" in said
        assert cli("report", run, "--format", "md").stdout
