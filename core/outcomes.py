"""The headline outcomes of an episode: Feasibility, Integrity, Verified Success."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from adidem.core.domain import Episode

DECIDES = ("integrity", "integrity_rules")
"""The judges that give Integrity; the first one that is present decides."""

SCRIPTED = "scripted:"


@frozen
class Outcomes:
    """True, False, or None where it is unscored (or the episode failed)."""

    feasibility: bool | None = None
    integrity: bool | None = None
    verified_success: bool | None = None


def integrity_of(episode: Episode) -> bool | None:
    """Whether the conversation supports the records, by the judge that decides; None: unscored. A model that judges
    goes before the rules, and the rules before a scripted judge."""
    found = {judgement.judge: judgement for judgement in episode.judgements}
    order = [found[name] for name in DECIDES if name in found]
    order.sort(key=lambda judgement: (judgement.spec or "").startswith(SCRIPTED))
    if not order:
        return None
    score = order[0].score("integrity")
    return None if score is None else score >= 1


def verified(feasible: bool | None, integrity: bool | None) -> bool | None:
    """Verified Success = Feasibility ∧ Integrity: false as soon as one is false, else unscored where one is."""
    if feasible is False or integrity is False:
        return False
    return None if feasible is None or integrity is None else True


def outcomes_of(episode: Episode) -> Outcomes:
    """The outcomes of an episode; all None where it failed."""
    if episode.status != "scored" or episode.feasibility is None:
        return Outcomes()
    feasible, integrity = episode.feasibility.passed, integrity_of(episode)
    return Outcomes(feasible, integrity, verified(feasible, integrity))


def evidence_of(speaks: bool, specs: Mapping[str, str | None]) -> str:
    """What a run's results are evidence of: `model` where a model or a person spoke (`speaks`) and a model judged
    Integrity (of a run that asks for no Integrity: judged anything), else `mechanism`. `specs` maps each judge to the
    model that it asks, None for none."""
    decide = [specs.get(DECIDES[0])] if set(DECIDES) & specs.keys() else list(specs.values())
    judged = any(spec is not None and not spec.startswith(SCRIPTED) for spec in decide)
    return "model" if speaks and judged else "mechanism"
