"""The small language in which cues of loose speech are written down, one a line, in the YAML files beside this one.

A line is a regular expression on levelled text in which a blank stands for one or more blanks, a blank and `?` for any,
a group captures nothing, and `<name>` stands for the cues listed under that name in the file's `where`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import yaml

_NAME = re.compile(r"<([a-z_]+)>(?![=!])")
_GROUP = re.compile(r"(?<!\\)\((?!\?)")
_HERE = Path(__file__).parent


def load_cues(stem: str, folder: Path = _HERE) -> Mapping[str, str]:
    """The cues of `stem`.yaml by their names, each one regular expression; ValueError where a `<name>` is unknown."""
    document = yaml.safe_load((folder / f"{stem}.yaml").read_text(encoding="utf-8"))
    where: dict[str, str] = {}
    for name, lines in document.pop("where", {}).items():
        where[name] = _alternatives(lines, where)
    return {name: _alternatives(lines, where) for name, lines in document.items()}


def whole_words(cue: str) -> str:
    """A cue that starts and ends where words do."""
    return rf"(?<![\w'-]){cue}(?![\w'])"


def _alternatives(lines: str, where: Mapping[str, str]) -> str:
    return "(?:" + "|".join(_cue(line.strip(), where) for line in lines.splitlines() if line.strip()) + ")"


def _cue(line: str, where: Mapping[str, str]) -> str:
    grouped = _GROUP.sub("(?:", line).replace(" ?", r"\s*").replace(" ", r"\s+")
    return _NAME.sub(lambda match: _named(match.group(1), where), grouped)


def _named(name: str, where: Mapping[str, str]) -> str:
    if name not in where:
        raise ValueError(f"cues name <{name}>, which `where` does not list; it lists {', '.join(where) or 'nothing'}")
    return where[name]
