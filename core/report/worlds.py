"""A scenario's two worlds side by side, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adidem.core.containment import said
from adidem.core.contracts import is_paired
from adidem.core.domain import SEATS, Scenario, World
from adidem.core.llm.redact import plain
from adidem.core.rules import Rules

if TYPE_CHECKING:
    from rich.console import Group

SHOWN = 12


def side_by_side(scenario: Scenario, rules: Rules) -> Group:
    """The public context, then what each role knows in either world (the differing condition marked), then what is
    right, where the family keeps records."""
    from rich.console import Group
    from rich.table import Table

    public = scenario.public
    table = Table(show_lines=True)
    table.add_column("")
    for world in scenario.worlds:
        table.add_column(f"world {world.name}", ratio=1)
    differing = {(a.owner, a.kind) for a, _ in scenario.differing}
    for seat in SEATS:
        cells = []
        for world in scenario.worlds:
            lines = []
            for condition in world.conditions:
                if condition.owner == seat:
                    text = escape(condition.text or f"{condition.kind}: {condition.value}")
                    lines.append(f"[bold]» {text}[/bold]" if (seat, condition.kind) in differing else text)
            cells.append("\n".join(lines))
        table.add_row(f"{escape(public.name(seat))} ({seat})", *cells)
    judged = rules.family.terms is None
    if not judged:
        table.add_row("right", *(escape(_right(world, rules)) for world in scenario.worlds))
    head = f"[bold]{escape(scenario.id)}[/bold] (setting {escape(scenario.setting)})"
    people = ", ".join(f"{escape(role.name)} {escape(role.about)}" for role in public.roles)
    if judged:
        proof = "nothing is recorded; judges alone say how it went"
    else:
        proof = _proof(rules, scenario) if is_paired(rules.family) else "one world alone: there is no pair to certify"
    return Group(head, people, escape(public.story), escape(public.brief), table, escape(proof))


def _proof(rules: Rules, scenario: Scenario) -> str:
    certificate = rules.certificate(scenario)
    return f"certificate holds: {certificate.kind}" if certificate.holds else "; ".join(certificate.problems)


def escape(text: str) -> str:
    """Text of a bank, which anybody may have written: no markup and no control character of it reaches the terminal."""
    from rich.markup import escape as without_markup

    return without_markup(plain(text))


def _right(world: World, rules: Rules) -> str:
    right = rules.right(world)
    if right.outcome == "decline":
        return "decline"
    if right.outcome == "defer":
        return f"defer to {world.public.approver}"
    plans = [said(rules.family, plan, world.public) for plan in right.plans[:SHOWN]]
    more = f" and {len(right.plans) - SHOWN} more" if len(right.plans) > SHOWN else ""
    return f"agree ({len(right.plans)}): " + "; ".join(plans) + more
