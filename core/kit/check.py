"""Tries every law of its kind on a component."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve

from adidem.core.errors import UnknownName
from adidem.core.kit import checker, judge, trainer
from adidem.core.kit.barrier import directive, severity, words
from adidem.core.kit.family import besides, elsewhere, pairs, play, privacy, records, rules, scenarios, speech
from adidem.core.kit.law import Broken, Idle, Law, Verdict
from adidem.core.kit.patience import BOUND, ENDLESS, TooLong, patience
from adidem.core.kit.search import Raised
from adidem.core.kit.subject import Subject
from adidem.core.sources import cause

MEND = "Mend the line that is named, and look again."
NO_LINE = "What raised it was called from your file, with what your file gave it: mend that, and look again."
PLAIN = (
    "Mend the line that is named. Of the types of terms only Text and Time are called; an Amount is a plain number, "
    "Items are a tuple of Text, and ByRole is a dict with one value for each person's name."
)
CALLED = ("'types.UnionType' object is not callable", "Mapping() takes no arguments")
"""What Python says where Amount or ByRole is called."""

CHECKS: Mapping[str, tuple[Callable[[Any], Broken | None], ...]] = {
    "family": (
        scenarios.scenarios_made,
        scenarios.scenarios_repeat,
        elsewhere.scenarios_repeat_elsewhere,
        scenarios.splits_are_apart,
        scenarios.scenarios_are_data,
        privacy.cards_are_private,
        records.plans_are_a_space,
        pairs.pairs_hold,
        pairs.outcomes_vary,
        pairs.no_constant_record_wins,
        records.records_round_trip,
        records.one_canonical_form,
        records.schema_accepts_plans,
        rules.passing_is_the_enumeration,
        rules.feasibility_is_the_enumeration,
        rules.only_plans_pass,
        speech.conditions_are_heard,
        speech.plans_are_heard,
        speech.deferrals_are_heard,
        speech.hearing_never_raises,
        speech.small_talk_is_no_plan,
        speech.truth_is_no_contradiction,
        besides.what_it_has_besides_serves,
        play.scripted_agents_can_play,
        play.the_talk_bears_it_out,
    ),
    "checker": (
        checker.families_are_known,
        checker.check_never_raises,
        checker.check_repeats,
        checker.the_unknown_is_no_constraint,
        checker.a_seat_is_whose_it_is,
        checker.it_refuses_something,
        checker.pairs_survive,
    ),
    "barrier": (
        directive.directive_is_complete,
        directive.measures_are_numbers,
        directive.quotas_are_measured,
        severity.quotas_follow_severity,
        words.distort_never_raises,
        words.silent_at_zero,
        words.same_words_again,
        severity.it_does_something,
        severity.severity_is_monotone,
        severity.measures_move_one_way,
        words.nothing_is_invented,
        words.nothing_is_decided,
        words.nothing_is_turned_round,
    ),
    "judge": (
        judge.it_never_raises,
        judge.scores_stay_in_range,
        judge.everything_declared_is_rated,
        judge.rubbish_is_unscored,
        judge.same_judgement_again,
        judge.asks_in_messages,
    ),
    "trainer": (
        trainer.one_number_a_turn,
        trainer.credit_is_finite,
        trainer.the_return_is_kept,
        trainer.order_is_no_matter,
        trainer.same_credit_again,
        trainer.the_unscored_stay_out,
        trainer.the_kind_fits_the_objective,
    ),
}

LAWS: Mapping[str, tuple[Law, ...]] = {
    kind: tuple(Law(kind, function) for function in functions) for kind, functions in CHECKS.items()
}
"""The laws of each kind of component, in the order in which they are tried: what others build on first."""


def laws_named(kind: str, names: Iterable[str]) -> tuple[Law, ...]:
    """The laws of a kind that have these names; all of them where no name is given. A name of another kind's law is
    passed over. Raises UnknownName for a name that no law has."""
    wanted = tuple(names)
    every = {law.name for laws in LAWS.values() for law in laws}
    for name in wanted:
        if name not in every:
            raise UnknownName("law", name, every)
    return tuple(law for law in LAWS[kind] if not wanted or law.name in wanted)


def tried(law: Law, subject: Subject) -> Verdict:
    """How a component fares under a law. What the component's own code raises breaks the law, as does what never
    comes to an end."""
    try:
        with patience(subject.file):
            broken = law.check(subject)
    except TooLong as error:
        broken = Broken(str(error))
    except Idle as idle:
        return Verdict(subject.kind, subject.name, law, "idle", why=str(idle))
    except (Exception, SystemExit) as error:  # noqa: BLE001  the component is on trial, whatever it raises
        broken = Broken(Raised(f"it raised {cause(error, subject.file)}"), change=MEND)
    if broken is not None and broken.what.startswith(ENDLESS):
        broken = evolve(broken, change=BOUND)
    elif broken is not None and isinstance(broken.what, Raised):
        broken = evolve(broken, change=_mend(law, broken, subject.file))
    return Verdict(subject.kind, subject.name, law, "ok" if broken is None else "broken", broken)


def _mend(law: Law, broken: Broken, file: str | None) -> str | None:
    """What to do about code that raises; where the law has advice of its own for that, and this says no more, that."""
    if any(said in broken.what for said in CALLED):
        return PLAIN
    if law.name.endswith("_never_raises"):
        return broken.change
    return MEND if file and f"({file}:" in broken.what else NO_LINE


def check(subjects: Iterable[Subject], laws: Iterable[str] = ()) -> Iterator[Verdict]:
    """The verdict of every law (or of those named) on every component, as they are reached."""
    names = tuple(laws)
    for subject in subjects:
        for law in laws_named(subject.kind, names):
            yield tried(law, subject)
