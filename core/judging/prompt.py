"""An episode as a prompt. System and episode come first and are the same for every judge, so that providers' prefix
caches hit; the judge's own rubric follows. Nothing of how an agent was told to talk is in it, nor any verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import frozen

from adidem.core.containment import told
from adidem.core.contracts import Case
from adidem.core.domain import SEATS, Seat, Turn, Written
from adidem.core.judging.fence import Fence, fence_for, quoted, shown

if TYPE_CHECKING:
    import jinja2

Message: TypeAlias = dict[str, str]

GOAL = "goal"
"""A condition of this kind is what its owner wants to reach; any other is what its owner needs or knows."""

_PROMPTS = Path(__file__).parent / "prompts"


@frozen
class Person:
    """One of the two as the prompt tells of them."""

    name: str
    about: str
    goals: tuple[str, ...]
    card: tuple[str, ...]


def messages_for(case: Case, rubric: Path, **values: Any) -> list[Message]:
    """System, episode, and the judge's rubric: a Jinja file, given `names` (first seat first), `turns` (how many) and
    `values`; a value that it needs and is not given is an error."""
    names = case.world.public.names
    own = render(rubric, names=names, turns=len(case.conversation), **values)
    return [
        {"role": "system", "content": _system()},
        {"role": "user", "content": episode(case)},
        {"role": "user", "content": own},
    ]


def episode(case: Case) -> str:
    """All that is told of an episode: situation, people with their goals and cards, conversation, records."""
    public = case.world.public
    said = [line for turn in case.conversation for line in _said(turn, public.name(turn.seat))]
    wrote = [line for seat in SEATS if case.records for line in _wrote(case.records.get(seat), public.name(seat))]
    fence: Fence = fence_for("\n".join((*said, *wrote)), f"{case.scenario.id}/{case.world.name}")
    return render(
        _PROMPTS / "episode.j2",
        story=public.story.strip(),
        brief=public.brief.strip(),
        approver=public.approver,
        relation=public.facts.get("relationship"),
        environment=public.facts.get("environment"),
        people=[_person(case, seat) for seat in SEATS],
        code=fence.code,
        conversation=fence.block("conversation", said),
        records=fence.block("records", wrote) if wrote else None,
    )


def render(template: Path, **values: Any) -> str:
    """A Jinja file filled in and stripped. What is filled in is text and never a template."""
    return _template(template).render(**values).strip()


@cache
def _system() -> str:
    return render(_PROMPTS / "system.j2")


@cache
def _template(path: Path) -> jinja2.Template:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(path.parent),
        autoescape=jinja2.select_autoescape(("html",), default_for_string=False),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    return environment.get_template(path.name)


def _person(case: Case, seat: Seat) -> Person:
    public = case.world.public
    own = case.world.card(seat).conditions
    return Person(
        name=public.name(seat),
        about=public.roles[SEATS.index(seat)].about.strip().rstrip("."),
        goals=tuple(told(case.family, condition, public) for condition in own if condition.kind == GOAL),
        card=tuple(told(case.family, condition, public) for condition in own if condition.kind != GOAL),
    )


def _said(turn: Turn, name: str) -> Iterator[str]:
    """A turn: its number (from 1), its speaker and what it is where it is no speech, then its marked lines."""
    act = {"speak": "", "leave": ", who then leaves", "none": ", who does nothing"}.get(turn.action, f", {turn.action}")
    yield f"[turn {turn.index + 1}] {_one_line(name + act)}"
    yield from quoted(turn.text)


def _wrote(written: Written | None, name: str) -> Iterator[str]:
    yield f"[record] {_one_line(name)}"
    if written is None:
        yield from quoted("(nothing)")
        return
    if written.outcome is None:
        yield from quoted(f"(cannot be read: {written.unreadable})")
        yield from quoted(written.raw if isinstance(written.raw, str) else _json(written.raw))
        return
    yield from quoted(_json({"outcome": written.outcome, "terms": written.terms}))


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError, TypeError):
        return "(nested too deeply to be shown)"


def _one_line(text: str) -> str:
    return " ".join(shown(text).split())
