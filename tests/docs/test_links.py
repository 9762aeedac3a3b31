"""What the documentation points to is there: pages, headings, images, files of the repository, extras."""

import re
import tomllib
from pathlib import Path

import pytest

from doc_commands import BLOCK, GENERATED, PAGES, ROOT, name_of

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FILE = re.compile(r"`((?:core|plugins|tests|benchmarks|recipes|examples|docs)/[\w./-]+)`")


def anchors(page: Path) -> set[str]:
    """The headings of a page as their links are spelled."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page):
    for link in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, heading = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)}: {link}"
        assert not heading or heading in anchors(target), f"{name_of(page)}: no heading for {link}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent != GENERATED], ids=name_of)
def test_every_file_that_is_named_is_there(page):
    for file in FILE.findall(page.read_text(encoding="utf-8")):
        assert (ROOT / file).exists(), f"{name_of(page)}: {file}"


def test_every_extra_that_is_named_exists():
    extras = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    named = {
        extra
        for page in PAGES
        for found in re.findall(
            r"pip install (?:-c constraints.txt )?(?:-e )?'(?:adidem|\.)\[([\w,]+)\]'", page.read_text(encoding="utf-8")
        )
        for extra in found.split(",")
    }
    assert named
    assert named <= extras


def test_every_picture_is_shown_somewhere():
    shown = {link for page in PAGES for link in LINK.findall(page.read_text(encoding="utf-8"))}
    pictures = {file.name for file in (ROOT / "docs" / "images").iterdir()}
    assert pictures == {Path(link).name for link in shown if "images/" in link}
