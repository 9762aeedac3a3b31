"""The documentation builds without a warning, holds every page, and asks no other machine for anything."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from doc_commands import ROOT

pytestmark = pytest.mark.slow

FETCHED = re.compile(r'<(?:script|img|link|iframe|source)\b[^>]*\b(?:src|href)="((?:https?:)?//[^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("material")
    place = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(place)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr
    return place


def test_every_page_is_in_it(site):
    written = {page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")}
    assert written <= {page.relative_to(site) for page in site.rglob("*.html")}


def test_no_page_fetches_anything(site):
    for page in site.rglob("*.html"):
        assert FETCHED.findall(page.read_text(encoding="utf-8")) == [], page.name


def test_no_style_sheet_fetches_anything(site):
    for sheet in Path(site).rglob("*.css"):
        assert re.findall(r"url\(\s*[\"']?(https?:[^)]+)", sheet.read_text(encoding="utf-8")) == []
