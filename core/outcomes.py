"""The headline outcomes of an episode: Feasibility, Integrity, Verified Success."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from attrs import frozen

from adidem.core.domain import Episode

DECIDES = ("integrity", "integrity_rules")
"""The judges that give Integrity; a model's verdict goes before that of rules, and rules before a scripted judge."""

SCRIPTED = "scripted:"


@frozen
class Outcomes:
    """True, False, or None where it is unscored (or the episode failed)."""

    feasibility: bool | None = None
    integrity: bool | None = None
    verified_success: bool | None = None


def judge_of(label: str) -> str:
    """The judge behind a label: `integrity` of `integrity@SPEC`."""
    return label.partition("@")[0]


def leading(specs: Mapping[str, str | None], names: Iterable[str]) -> str | None:
    """The label of those judges that goes before the others, None where none is there: one that asked a model before
    rules, rules before `scripted:judge`, then in the order of `names`, then the one with the judge's plain name,
    then the first in the alphabet: the same whatever the order in which they rated. `specs` maps labels to what each
    asked, None for nobody."""
    wanted = tuple(names)
    found = [label for label in specs if judge_of(label) in wanted]
    return min(found, key=lambda label: _place(label, specs[label], wanted), default=None)


def _place(label: str, spec: str | None, names: tuple[str, ...]) -> tuple[bool, int, bool, str]:
    return (spec or "").startswith(SCRIPTED), names.index(judge_of(label)), "@" in label, label


def deciding(specs: Mapping[str, str | None]) -> str | None:
    """The label of the judge whose verdict is Integrity: `integrity@SPEC` too, where that asked a model and the plain
    one did not."""
    return leading(specs, DECIDES)


def integrity_of(episode: Episode) -> bool | None:
    """Whether the conversation supports the records, by the judge that decides; None: unscored."""
    found = {judgement.judge: judgement for judgement in episode.judgements}
    label = deciding({name: judgement.spec for name, judgement in found.items()})
    score = None if label is None else found[label].score("integrity")
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


def evidence_of(speaks: bool, specs: Mapping[str, str | None], scored: Callable[[str], bool]) -> str:
    """What a run's results are evidence of: `model` where a model or a person spoke (`speaks`) and a model judged
    Integrity (of a run that asks for no Integrity: judged anything), else `mechanism`. `specs` maps each judge to the
    model that it asks, None for none; a judge whose label is not `scored` was asked, and gave no score at all."""
    return "model" if speaks and any(map(scored, models_that_decide(specs))) else "mechanism"


def models_that_decide(specs: Mapping[str, str | None]) -> list[str]:
    """The labels of the judges by which a run is evidence of models: the one that decides Integrity, else all, where
    it asks a model."""
    label = deciding(specs)
    decide = list(specs) if label is None else [label]
    return [each for each in decide if (spec := specs[each]) is not None and not spec.startswith(SCRIPTED)]
