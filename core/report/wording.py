"""What every format of a report says in words: titles, figures with their intervals, the lines beside the tables."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from adidem.core.analysis.bootstrap import Estimate
from adidem.core.outcomes import deciding, models_that_decide
from adidem.core.report.barriers import in_fingerprint
from adidem.core.report.causes import why
from adidem.core.report.ratings import integrity_judged, judged_only, number
from adidem.core.report.summary import MANY_UNSCORED, Summary
from adidem.core.report.text import cell

TITLES = {"feasibility": "Feasibility", "integrity": "Integrity", "verified_success": "Verified Success"}
LABELS = {
    "scripted": "evidence: mechanism (scripted speakers; says nothing about models)",
    "mechanism": "evidence: mechanism for Integrity (no model judged it); Feasibility is decided by rules",
    "feasible": "evidence: mechanism (nobody judged Integrity); Feasibility is decided by rules",
    "in_vain": "evidence: mechanism for Integrity (a model was asked, none of its verdicts is scored); Feasibility is "
    "decided by rules",
    "model": "evidence: model",
    "computed": "evidence: ratings by rules or scripts, no model judged; a model or a person spoke",
    "computed_in_vain": "evidence: no rating by a model (it was asked, none of its ratings is scored); a model or a "
    "person spoke",
    "unrated": "evidence: conversations alone, nothing is rated; a model or a person spoke",
    "nothing": "evidence: none, no episode is scored",
}
UNCONFIGURED = (
    "note: the configuration of this run is missing from its store: suite, agents, how many episodes are owed and "
    "whether models spoke are not known"
)


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


def evidence(summary: Summary) -> str:
    """What the results are evidence of (DESIGN §6): what was scored, not what was asked for."""
    if summary.evidence == "model":
        return LABELS["model"] + _share(summary)
    return LABELS[_mechanism(summary)]


def _mechanism(summary: Summary) -> str:
    """Why a run is no evidence of models, as a key of `LABELS`."""
    if not summary.speaks:
        return "scripted"
    if not summary.episodes["scored"]:
        return "nothing"
    in_vain = bool(_models(summary))
    if judged_only(summary):
        return "computed_in_vain" if in_vain else "computed" if summary.judges else "unrated"
    return "in_vain" if in_vain else "mechanism" if integrity_judged(summary) else "feasible"


def _models(summary: Summary) -> list[str]:
    return models_that_decide({label: judge["spec"] for label, judge in summary.judges.items()})


def _share(summary: Summary) -> str:
    """How many of their ratings the models that judged gave a score for; nothing where that is all."""
    judged = [summary.judges[label] for label in _models(summary)]
    total, unscored = (sum(judge[name] for judge in judged) for name in ("ratings", "unscored"))
    return f" ({total - unscored} of {total} ratings by the model that judged are scored)" if unscored else ""


def heading(summary: Summary) -> list[str]:
    """What stands above the table: that the run's configuration is missing, and which judges left many of their ratings
    unscored. Each is held to the limit alone:
    one with a single dimension would be lost among those with many."""
    return [
        *without_configuration(summary.configured),
        *_many_unscored(summary),
    ]


def without_configuration(configured: bool) -> list[str]:
    """That a store does not say what was played."""
    return [] if configured else [UNCONFIGURED]


def _many_unscored(summary: Summary) -> list[str]:
    return [
        f"note: {judge['unscored']} of {judge['ratings']} ratings by {cell(label)} "
        f"({100 * judge['unscored'] / judge['ratings']:.0f} %) are unscored and in no mean"
        for label, judge in summary.judges.items()
        if judge["unscored"] > MANY_UNSCORED * judge["ratings"]
    ]


def without_integrity(summary: Summary) -> list[str]:
    """That nobody judged Integrity, where that leaves Verified Success unscored."""
    if summary.metrics["feasibility"].n and not integrity_judged(summary):
        return ["Integrity, and so Verified Success, is unscored: no judge of it sat in this run"]
    return []


def without_ratings(summary: Summary) -> list[str]:
    """That a run whose families keep no records was not rated either."""
    if judged_only(summary) and not summary.judges:
        return ["nothing is rated: no judge sat; `adidem judge RUN --judge SPEC` rates what is stored"]
    return []


def ending(summary: Summary) -> list[str]:
    """What stands under the table: evidence, failures, why plans failed, other ratings, usage."""
    counts = summary.episodes
    lines = [
        evidence(summary),
        f"episodes: {counts['scored']} scored, {counts['failed']} failed, {counts['owed']} owed",
        *without_integrity(summary),
        *without_ratings(summary),
    ]
    if len(summary.by_world) > 1:
        lines.append(f"verified in both worlds: {percent(summary.both_worlds)}")
    if summary.failures:
        lines += [f"failed: {f['cause']} × {f['count']}, most often: {cell(f['message'])}" for f in summary.failures]
    if summary.reasons:
        shown = [f"{why(r)} × {r['episodes']}" for r in summary.reasons[:6]]
        lines.append("why plans failed: " + ", ".join(shown))
    lines += fingerprint_lines(summary)
    lines += [*heard_lines(summary), *recognised_lines(summary)]
    lines += high_goal_line(summary)
    lines += [_judge_line(label, judge) for label, judge in summary.judges.items() if _worth(judge)]
    lines += integrity_lines(summary)
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


def high_goal_line(summary: Summary) -> list[str]:
    """How many of those rated a high goal failed; nothing where nobody rated goals, or nothing can be verified."""
    failing = summary.high_goal_failure
    if failing is None or judged_only(summary):
        return []
    said = f"{percent(failing)} of {failing.n}" if failing.n else "no conversation that was rated so high has a verdict"
    return [f"rated Goal ≥ 8 but failing Verified Success: {said}"]


def integrity_lines(summary: Summary) -> list[str]:
    """How often each two judges of Integrity differ, and whose verdict it is."""
    pairs = summary.integrity_agreement
    lines = [f"integrity by {' and '.join(p['judges'])}: differ on {p['differ']} of {p['episodes']}" for p in pairs]
    return [*lines, *decides_line(summary)]


def decides_line(summary: Summary) -> list[str]:
    """Whose verdict Integrity is, where several judges gave one."""
    label = deciding({name: judge["spec"] for name, judge in summary.judges.items()})
    return [f"Integrity is the verdict of {cell(label)}"] if summary.integrity_agreement and label is not None else []


def _worth(judge: Mapping[str, Any]) -> bool:
    return bool(judge["spec"] or judge["flags"] or judge["evidence"] or judge["unscored"])


def _judge_line(label: str, judge: Mapping[str, Any]) -> str:
    parts = [f"{judge['unscored']} of {judge['ratings']} ratings unscored"]
    if judge["unscored_reasons"]:
        parts[0] += f", most often: {cell(judge['unscored_reasons'][0]['reason'])}"
    if judge["flags"]:
        parts.append(", ".join(f"{kind} × {count}" for kind, count in judge["flags"].items()))
    if judge["evidence"]:
        parts.append(", ".join(f"{count} quotes for {kind}" for kind, count in judge["evidence"].items()))
    if judge["unsupported_rate"]:
        what = "quotes are of" if judge["evidence"] else "flags quote"
        parts.append(f"{100 * judge['unsupported_rate']:.0f} % of its {what} what was not said")
    if judge["calls"]:
        parts.append(f"{judge['calls']} calls, {judge['prompt_tokens'] + judge['completion_tokens']} tokens")
    asks = f" ({judge['spec']})" if judge["spec"] and "@" not in label else ""
    return f"judge {label}{asks}: " + "; ".join(parts)


def _times(seconds: Mapping[str, float]) -> str:
    """Wall time, how what the episodes took divides, and how long they waited in all: they are played at once, so that
    either sum may be longer than the run. In runs from before that was measured, waiting is within the parts."""
    parts = {name: seconds.get(name, 0.0) for name in ("dialogue", "records", "verdicts")}
    total = sum(parts.values()) or 1.0
    shares = ", ".join(f"{name} {100 * value / total:.0f} %" for name, value in parts.items())
    waiting = seconds.get("waiting")
    told = (
        "waiting for a turn included"
        if waiting is None
        else f"waiting (for a slot, a batch, another try) {waiting:.1f} s, summed over episodes that are played at once"
    )
    return f"time: {seconds.get('wall', 0.0):.1f} s; work: {shares}; {told}"


def heard_lines(summary: Summary) -> list[str]:
    """Who complied with the barrier, and how the listener tried to mend it."""
    lines = []
    if summary.compliance is not None:
        shares = [f"{name} {percent(share)}" for name, share in summary.compliance.complied.items()]
        lines.append("conversations whose barrier agent complied, %: " + ", ".join(shares))
        for condition, moves in summary.compliance.moves.items():
            made = [f"{name.replace('_', ' ')} {number(mean)}" for name, mean in moves.items() if mean.value]
            lines.append(f"repair moves a conversation, {condition}: " + (", ".join(made) or "none"))
    return lines


def recognised_lines(summary: Summary) -> list[str]:
    """How often the listener named the right barrier, a line a condition, turn by turn of its own."""
    lines = []
    for condition, found in groupby(summary.detection, key=lambda one: one.condition):
        turns = list(found)
        said = "; ".join(f"turn {one.nth} {_right(one.accuracy)}" for one in turns)
        chance = next((f" (chance {100 * one.chance:.0f} %)" for one in turns if one.chance is not None), "")
        lines.append(f"barrier recognised by the listener{chance}, {condition}: {said}")
    return lines


def _right(accuracy: Estimate) -> str:
    """`41 % of 12`, with how many gave no answer."""
    said = "–" if accuracy.value is None else f"{100 * accuracy.value:.0f} % of {accuracy.n}"
    return said + (f" ({accuracy.unscored} no answer)" if accuracy.unscored else "")


def fingerprint_lines(summary: Summary) -> list[str]:
    """What each barrier hits most, where models were measured; else that they were not."""
    if summary.barriers is None:
        return []
    if summary.evidence != "model":
        return ["what each barrier hits most: not measured with models yet (scripted speakers or judge)"]
    specs = {label: judge["spec"] for label, judge in summary.judges.items()}
    left_out = sorted(
        {e.measure for e in summary.barriers.effects if e.relative is None and in_fingerprint(e.measure, specs)}
    )
    lines = [f"{condition} hits most: {name or 'nothing'}" for condition, name in summary.barriers.fingerprint.items()]
    if left_out:
        lines.append(f"not among these, as the mean without a barrier is not above 0: {', '.join(map(cell, left_out))}")
    return lines
