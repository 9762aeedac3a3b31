"""The small language in which cues of loose speech are written down, one a line, in YAML files beside the code.

A line is a regular expression on levelled text in which a blank stands for one or more blanks, a blank and `?` for any,
a group captures nothing, and `<name>` stands for the cues listed under that name in the file's `where`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from adidem.core.language.patterns import Pattern

_NAME = Pattern(r"<([a-z_]+)>(?![=!])")
_GROUP = Pattern(r"(?<!\\)\((?!\?)")
_HERE = Path(__file__).parent


def load_cues(stem: str, folder: Path = _HERE) -> Mapping[str, str]:
    """The cues of `stem`.yaml by their names, each one regular expression. The file is read at the first look-up, which
    raises ValueError where a `<name>` is unknown."""
    return _Cues(folder / f"{stem}.yaml")


def whole_words(cue: str) -> str:
    """A cue that starts and ends where words do."""
    return rf"(?<![\w'-]){cue}(?![\w'])"


class _Cues(Mapping[str, str]):
    def __init__(self, file: Path) -> None:
        self._file = file

    def __getitem__(self, name: str) -> str:
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)

    @cached_property
    def _read(self) -> Mapping[str, str]:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        document = yaml.load(self._file.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506  a safe loader
        where: dict[str, str] = {}
        for name, lines in document.pop("where", {}).items():
            where[name] = _alternatives(lines, where)
        return {name: _alternatives(lines, where) for name, lines in document.items()}


def _alternatives(lines: str, where: Mapping[str, str]) -> str:
    return "(?:" + "|".join(_cue(line.strip(), where) for line in lines.splitlines() if line.strip()) + ")"


def _cue(line: str, where: Mapping[str, str]) -> str:
    grouped = _GROUP.sub("(?:", line).replace(" ?", r"\s*").replace(" ", r"\s+")
    return _NAME.sub(lambda match: _named(match.group(1), where), grouped)


def _named(name: str, where: Mapping[str, str]) -> str:
    if name not in where:
        raise ValueError(f"cues name <{name}>, which `where` does not list; it lists {', '.join(where) or 'nothing'}")
    return where[name]
