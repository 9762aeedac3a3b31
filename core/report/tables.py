"""A report as a table on the terminal, as Markdown, as CSV with one row an episode, and as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from adidem.core.analysis.bootstrap import Estimate
from adidem.core.report.ratings import judged_only, number, rating_rows
from adidem.core.report.summary import HEADLINES, MANY_UNSCORED, Summary

if TYPE_CHECKING:
    from rich.console import RenderableType

    from adidem.core.report.barriers import BarrierReport

TITLES = {"feasibility": "Feasibility", "integrity": "Integrity", "verified_success": "Verified Success"}
LABELS = {
    "scripted": "evidence: mechanism (scripted speakers; says nothing about models)",
    "mechanism": "evidence: mechanism for Integrity (no model judged it); Feasibility is decided by rules",
    "model": "evidence: model",
}


def percent(estimate: Estimate) -> str:
    """`52.9 [47.1, 58.8]` in per cent; `unscored` where nothing was scored."""
    if estimate.value is None:
        return "unscored"
    text = f"{100 * estimate.value:.1f}"
    if estimate.ci_low is not None and estimate.ci_high is not None:
        text += f" [{100 * estimate.ci_low:.1f}, {100 * estimate.ci_high:.1f}]"
    return text + (f" ({estimate.unscored} unscored)" if estimate.unscored else "")


def short(estimate: Estimate) -> str:
    """`52.9 [47, 59]` in per cent: what fits a terminal of 80 columns."""
    if estimate.value is None:
        return "unscored"
    text = "100" if estimate.value == 1 else f"{100 * estimate.value:.1f}"
    if estimate.ci_low is not None and estimate.ci_high is not None:
        text += f" [{100 * estimate.ci_low:.0f}, {100 * estimate.ci_high:.0f}]"
    return text + (f" ({estimate.unscored} unscored)" if estimate.unscored else "")


def _sections(summary: Summary) -> Iterable[tuple[str, Mapping[str, Mapping[str, Estimate]]]]:
    yield "family", summary.by_family
    yield "world", summary.by_world
    yield "due:", summary.by_due


def rows_of(summary: Summary, shown: Callable[[Estimate], str] = percent) -> list[list[str]]:
    """The table of one run as text: a group, its episodes, the three headlines."""
    found = [["all", "", *_cells(summary.metrics, shown)]]
    for title, groups in _sections(summary):
        found += [[title, name, *_cells(estimates, shown)] for name, estimates in groups.items()]
    return found


def _cells(estimates: Mapping[str, Estimate], shown: Callable[[Estimate], str]) -> list[str]:
    first = estimates["feasibility"]
    return [str(first.n + first.unscored), *(shown(estimates[name]) for name in HEADLINES)]


def heading(summary: Summary) -> list[str]:
    """What stands above the table: that many ratings are missing, where they are."""
    total = sum(judge["ratings"] for judge in summary.judges.values())
    missing = sum(judge["unscored"] for judge in summary.judges.values())
    if total and missing > MANY_UNSCORED * total:
        return [f"note: {missing} of {total} ratings ({100 * missing / total:.0f} %) are unscored and in no mean"]
    return []


def ending(summary: Summary) -> list[str]:
    """What stands under the table: evidence, failures, why plans failed, other ratings, usage."""
    counts = summary.episodes
    lines = [
        LABELS[summary.evidence if summary.speaks else "scripted"],
        f"episodes: {counts['scored']} scored, {counts['failed']} failed, {counts['owed']} owed",
        f"verified in both worlds: {percent(summary.both_worlds)}",
    ]
    if summary.failures:
        lines.append("failed: " + ", ".join(f"{f['cause']} × {f['count']}" for f in summary.failures))
    if summary.reasons:
        shown = [f"{r['kind']} {r['rule']} × {r['episodes']}" for r in summary.reasons[:6]]
        lines.append("why plans failed: " + ", ".join(shown))
    lines += _fingerprint_lines(summary)
    lines += _heard_lines(summary)
    if summary.high_goal_failure is not None:
        failing = summary.high_goal_failure
        lines.append(f"rated Goal ≥ 8 but failing Verified Success: {percent(failing)} of {failing.n}")
    lines += [_judge_line(label, judge) for label, judge in summary.judges.items() if judge["spec"] or judge["flags"]]
    lines += [
        f"integrity by {' and '.join(pair['judges'])}: differ on {pair['differ']} of {pair['episodes']}"
        for pair in summary.integrity_agreement
    ]
    usage = summary.usage
    if usage["calls"]:
        cost = "unknown" if usage["cost"] is None else f"${usage['cost']:.4f}"
        tokens = f"{usage['prompt_tokens']} prompt and {usage['completion_tokens']} completion tokens"
        lines.append(f"models: {usage['calls']} calls, {tokens}, cost {cost}")
    if usage["failed_attempts"]:
        causes = ", ".join(f"{count} {cause}" for cause, count in usage["failed_attempts"].items())
        lines.append(f"attempts that came to nothing: {causes}")
    if summary.seconds:
        lines.append(_times(summary.seconds))
    return lines


def _judge_line(label: str, judge: Mapping[str, Any]) -> str:
    parts = [f"{judge['unscored']} of {judge['ratings']} ratings unscored"]
    if judge["flags"]:
        parts.append(", ".join(f"{kind} × {count}" for kind, count in judge["flags"].items()))
    if judge["unsupported_rate"]:
        parts.append(f"{100 * judge['unsupported_rate']:.0f} % of its flags quote what was not said")
    if judge["calls"]:
        parts.append(f"{judge['calls']} calls, {judge['prompt_tokens'] + judge['completion_tokens']} tokens")
    asks = f" ({judge['spec']})" if judge["spec"] and "@" not in label else ""
    return f"judge {label}{asks}: " + "; ".join(parts)


def _times(seconds: Mapping[str, float]) -> str:
    """Wall time, and how the episodes' own time (they overlap) divides."""
    parts = {name: seconds.get(name, 0.0) for name in ("dialogue", "records", "verdicts")}
    total = sum(parts.values()) or 1.0
    shares = ", ".join(f"{name} {100 * value / total:.0f} %" for name, value in parts.items())
    return f"time: {seconds.get('wall', 0.0):.1f} s; of the episodes' own time {shares}"


def _barrier_table(report: BarrierReport) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, padding=(0, 1))
    table.add_column("against none, same tasks", overflow="fold")
    for title in ("none", "under", "relative change"):
        table.add_column(title, justify="right", no_wrap=True)
    before = ""
    for condition, *cells in barrier_rows(report):
        if condition != before:
            table.add_section()
            table.add_row(f"[bold]{escape(condition)}[/bold]", "", "", "")
        measure, without, under, _, relative = cells
        table.add_row(*(escape(cell) for cell in (measure, without, under, relative)))
        before = condition
    return table


def barrier_rows(report: BarrierReport) -> list[tuple[str, ...]]:
    """(condition, measure, mean without, mean under, paired difference, relative change) as text; Verified Success by
    family follows the measures of each condition."""
    rows: list[tuple[str, ...]] = []
    for condition in report.fingerprint:
        effects = [(e.measure, e) for e in report.effects if e.condition == condition]
        effects += [(f"verified, {family}", e) for family, e in report.by_family.get(condition, {}).items()]
        for name, effect in effects:
            relative = "" if effect.relative is None else f"{short(effect.relative)} %"
            means = f"{effect.without:.2f}", f"{effect.under:.2f}"
            rows.append((condition, name, *means, number(effect.difference), relative))
    return rows


def compliance_rows(summary: Summary) -> list[tuple[str, ...]]:
    """(condition, quota, bounds per turn, observed, share of episodes outside) as text."""
    if summary.compliance is None:
        return []
    return [
        (q.condition, q.quota, f"{q.low:g}–{q.high:g}", number(q.observed), f"{short(q.missed)} %")
        for q in summary.compliance.quotas
    ]


def _compliance_table(summary: Summary) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, padding=(0, 1))
    for title in ("quota per turn", "asked", "observed", "outside"):
        label = title.startswith("quota")
        table.add_column(title, justify="left" if label else "right", no_wrap=not label, overflow="fold")
    before = ""
    for condition, *cells in compliance_rows(summary):
        if condition != before:
            table.add_section()
            table.add_row(f"[bold]{escape(condition)}[/bold]", "", "", "")
        table.add_row(*(escape(cell) for cell in cells))
        before = condition
    return table


def _heard_lines(summary: Summary) -> list[str]:
    """Who complied with the barrier, and who recognised it."""
    lines = []
    if summary.compliance is not None:
        shares = [f"{name} {percent(share)}" for name, share in summary.compliance.complied.items()]
        lines.append("conversations whose barrier agent complied, %: " + ", ".join(shares))
        for condition, moves in summary.compliance.moves.items():
            made = [f"{name.replace('_', ' ')} {number(mean)}" for name, mean in moves.items() if mean.value]
            lines.append(f"repair moves a conversation, {condition}: " + (", ".join(made) or "none"))
    lines += [
        f"barrier recognised after turn {g.nth}, {g.condition}: {percent(g.accuracy)} of {g.accuracy.n} (chance 25)"
        for g in summary.detection
    ]
    return lines


def _fingerprint_lines(summary: Summary) -> list[str]:
    if summary.barriers is None:
        return []
    if summary.evidence != "model":
        return ["what each barrier hits most: not measured with models yet (scripted speakers or judge)"]
    return [f"{condition} hits most: {name or 'nothing'}" for condition, name in summary.barriers.fingerprint.items()]


def _ratings_table(summary: Summary) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, padding=(0, 1))
    table.add_column("rating", overflow="fold")
    table.add_column("agent or episode", justify="right", no_wrap=True)
    table.add_column("partner", justify="right", no_wrap=True)
    for row in rating_rows(summary.metrics):
        table.add_row(*(escape(cell) for cell in row))
    return table


def as_table(summary: Summary) -> list[RenderableType]:
    """The report for a terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, padding=(0, 1))
    table.add_column("per cent", overflow="fold")
    table.add_column("n", justify="right", no_wrap=True)
    for name in HEADLINES:
        table.add_column(TITLES[name].replace(" ", "\n"), justify="right", no_wrap=True)
    before = ""
    for title, name, *cells in rows_of(summary, short):
        if title != before and before:
            table.add_section()
        shown = name if title in ("", "family") else " ".join(part for part in (title, name) if part)
        table.add_row(*(escape(cell) for cell in (shown, *cells)))
        before = title
    head = Text(f"{summary.suite}: {summary.agent} with {summary.partner}", style="bold")
    note = "in brackets: 95 % intervals, bootstrap clustered by scenario"
    tables: list[RenderableType] = [] if judged_only(summary) else [table]
    tables += [_ratings_table(summary)] if rating_rows(summary.metrics) else []
    tables += [_barrier_table(summary.barriers)] if summary.barriers is not None else []
    tables += [_compliance_table(summary)] if summary.compliance is not None else []
    return [head, *heading(summary), *tables, note, *(escape(line) for line in ending(summary))]


def as_markdown(summaries: Sequence[Summary]) -> str:
    """The report in Markdown, ready for an appendix."""
    parts = []
    for summary in summaries:
        head = ["", "", "episodes", *(f"{TITLES[name]} %" for name in HEADLINES)]
        title = f"{summary.suite}: {summary.agent} with {summary.partner}"
        lines = [f"### {markdown_text(title)}", ""]
        lines += [f"**{markdown_text(line)}**" for line in heading(summary)]
        lines += ["", markdown_row(head), markdown_row(["---", "---", *["---:"] * 4])]
        lines += [markdown_row(row) for row in rows_of(summary)]
        if rating_rows(summary.metrics):
            lines += [
                "",
                markdown_row(["rating", "agent or episode", "partner"]),
                markdown_row(["---", "---:", "---:"]),
            ]
            lines += [markdown_row(row) for row in rating_rows(summary.metrics)]
        if summary.barriers is not None:
            titles = ["condition", "measure", "none", "under", "difference", "relative"]
            lines += ["", markdown_row(titles), markdown_row(["---", "---", *["---:"] * 4])]
            lines += [markdown_row(row) for row in barrier_rows(summary.barriers)]
        if summary.compliance is not None:
            titles = ["condition", "quota per turn", "asked", "observed", "episodes outside"]
            lines += ["", markdown_row(titles), markdown_row(["---", "---", *["---:"] * 3])]
            lines += [markdown_row(row) for row in compliance_rows(summary)]
        lines += ["", *(f"- {markdown_text(line)}" for line in ending(summary))]
        lines += ["- intervals: 95 %, percentile bootstrap clustered by scenario"]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def markdown_row(cells: Iterable[str]) -> str:
    """One row of a table, its cells made harmless."""
    return "| " + " | ".join(markdown_text(cell) for cell in cells) + " |"


def markdown_text(text: str) -> str:
    """Text that breaks out of no cell and holds no tag."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def as_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """One line an episode: the columns of the store. A cell that a spreadsheet would take for a formula is quoted."""
    out = io.StringIO()
    writer: Any = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(out, fieldnames=list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({key: _harmless(value) for key, value in row.items()})
    return out.getvalue()


def _harmless(value: Any) -> Any:
    return "'" + value if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def as_json(summaries: Sequence[Summary]) -> str:
    """One object for one run, a list for several."""
    data = [summary.to_json() for summary in summaries]
    return orjson.dumps(data[0] if len(data) == 1 else data, option=orjson.OPT_INDENT_2).decode()
