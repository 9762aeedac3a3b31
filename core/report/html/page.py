"""Puts the parts of a report together as one page that needs nothing beside it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from attrs import frozen

from adidem.core.llm.templates import render
from adidem.core.report.html.episodes import Told
from adidem.core.report.plots.draw import draw
from adidem.core.report.section import Section, blocks
from adidem.core.report.sections.all import words

FOLDER = Path(__file__).parent


@frozen(unsafe_hash=False)
class Group:
    """The parts of one run, or of several together; `name` begins its anchors. A group that is not `open` is folded.
    `told` holds its episodes, where they are embedded, and `untold` says why others are not. Every plot carries the
    `note`."""

    name: str
    title: str
    sections: Sequence[Section]
    open: bool = True
    told: Sequence[Told] = ()
    untold: str = ""
    note: str = ""


def page(title: str, lines: Sequence[str], groups: Sequence[Group]) -> str:
    """The whole page. Its policy lets nothing run and nothing load; its own style sheet is let in by its hash.

    Raises:
        ConfigError: matplotlib, of the extra `analysis`, is not installed.
    """
    from markupsafe import Markup  # for our own style sheet and plots, and nothing else

    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    plots: Mapping[str, Markup] = {
        f"{group.name}-{section.name}": Markup(
            draw(section.chart, f"{group.name}-{section.name}", f"Plot: {words()[section.name]['title']}", group.note)
        )
        for group in groups
        for section in group.sections
        if section.chart is not None
    }
    return render(
        FOLDER,
        "page.html.j2",
        title=title,
        lines=lines,
        groups=groups,
        plots=plots,
        words=words(),
        blocks=blocks,
        style=Markup(style),
        style_hash="sha256-" + b64encode(sha256(style.encode()).digest()).decode(),
    )
