"""The rules' verdict on both records, rule by rule: what counted when the episode was scored, and what passed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from attrs import frozen

from adidem.core.containment import called, contained
from adidem.core.contracts import Checker
from adidem.core.domain import SEATS, Episode, Failure, Scenario, Seat, Violation, World, Written
from adidem.core.errors import ConfigError
from adidem.core.records import UnreadableRecord, read_record
from adidem.core.rules import Rules
from adidem.core.web.marks import Told, told
from adidem.core.web.plain import plain
from adidem.core.web.words import words


@frozen(unsafe_hash=False)
class Check:
    """One rule on one record, or on both (`whose` ""): passed, broken, or (None) not asked, with what was found and
    what was due."""

    name: str
    whose: str
    passed: bool | None
    message: Told = told("")
    found: Told = told("")
    required: Told = told("")


@frozen(unsafe_hash=False)
class Verdict:
    """Every rule's word on an episode's records. `elsewhere` says of each record whether it would be right in the other
    world (None: it cannot be said); `problem` why rules that passed are not listed."""

    checks: tuple[Check, ...] = ()
    elsewhere: tuple[tuple[str, bool | None], ...] = ()
    problem: str = ""


def not_loaded(family: str) -> str:
    """Why nothing is known of a family, and what to do."""
    return f"the family {family} is not loaded (name its plugin: --plugin, or plugins in registry.yaml)"


def verdict(scenario: Scenario, episode: Episode, rules: Rules | None) -> Verdict:
    """The stored verdict, completed by the rules that passed where the family is loaded. Where the rules that are
    loaded now find other violations than the stored ones, the stored ones are shown and `problem` says so."""
    if episode.feasibility is None:
        return Verdict()
    stored = [f for f in episode.feasibility.failures if f.kind == "violation"]
    checks = [*_readable(scenario, episode), *_matching(episode), *_outcomes(scenario, episode)]
    if rules is None:
        problem = f"{not_loaded(scenario.family)}: rules that passed are not listed"
        return Verdict((*checks, *map(partial(_stored, scenario), stored)), (), problem)
    try:
        asked = contained(called("family", rules.family), lambda: list(_asked(scenario, episode, rules)))
        elsewhere = contained(called("family", rules.family), lambda: tuple(_elsewhere(scenario, episode, rules)))
    except ConfigError as error:
        return Verdict((*checks, *map(partial(_stored, scenario), stored)), (), str(error))
    now = {v.message for _, _, violations in asked for v in violations}
    if now != {failure.message for failure in stored}:
        problem = "the rules that are loaded now find something else; this is the verdict that counted"
        return Verdict((*checks, *map(partial(_stored, scenario), stored)), elsewhere, problem)
    for whose, checker, violations in asked:
        checks += [_broken(whose, v) for v in violations] or [
            Check(_title(checker), whose, True, told(_about(checker)))
        ]
    return Verdict(tuple(checks), elsewhere)


def _readable(scenario: Scenario, episode: Episode) -> Iterator[Check]:
    for seat in SEATS:
        if seat in episode.records:
            problem = episode.records[seat].unreadable
            name, fits = words()["checks"]["readable"], problem is None
            yield Check(name, scenario.public.name(seat), fits, told(problem or ""))


def _matching(episode: Episode) -> Iterator[Check]:
    if len(episode.records) < len(SEATS) or any(written.outcome is None for written in episode.records.values()):
        return
    differ = [f for f in _failures(episode) if f.kind == "mismatch"]
    for failure in differ:
        yield _failed(words()["checks"]["same"].replace("{name}", failure.rule), "", failure)
    if not differ:
        yield Check(words()["checks"]["match"], "", True)


def _outcomes(scenario: Scenario, episode: Episode) -> Iterator[Check]:
    wrong = {f.seat: f for f in _failures(episode) if f.kind == "outcome"}
    name = words()["checks"]["outcome"]
    for seat, whose, written in _distinct(scenario, episode):
        if seat in wrong:
            yield _failed(name, whose, wrong[seat])
        else:
            yield Check(name, whose, written.outcome == episode.due, told(f"{written.outcome} is right here"))


def _distinct(scenario: Scenario, episode: Episode) -> list[tuple[Seat | None, str, Written]]:
    """The records that can be read, two that match as one of nobody's alone."""
    found = [(seat, episode.records[seat]) for seat in SEATS if seat in episode.records]
    readable = [(seat, written) for seat, written in found if written.outcome is not None]
    alike = len(readable) == len(SEATS) and not any(f.kind == "mismatch" for f in _failures(episode))
    if alike:
        return [(None, "", readable[0][1])]
    return [(seat, scenario.public.name(seat), written) for seat, written in readable]


def _asked(scenario: Scenario, episode: Episode, rules: Rules) -> Iterator[tuple[str, Checker, Sequence[Violation]]]:
    """Every checker on every record that has the right outcome and terms."""
    world = scenario.world(episode.world)
    for _, whose, written in _distinct(scenario, episode):
        if written.outcome == episode.due and (terms := _terms(written, rules, world)) is not None:
            for checker in rules.checkers:
                yield whose, checker, tuple(checker.check(world, terms))


def _elsewhere(scenario: Scenario, episode: Episode, rules: Rules) -> Iterator[tuple[str, bool | None]]:
    for world in scenario.worlds:
        if world.name != episode.world:
            for _, whose, written in _distinct(scenario, episode):
                terms = _terms(written, rules, world)
                right = rules.right(world).outcome == written.outcome
                yield whose, right and (terms is None or not rules.violations(world, terms))


def _terms(written: Written, rules: Rules, world: World) -> Any | None:
    try:
        return read_record({"outcome": written.outcome, "terms": written.terms}, rules.family, world.public).terms
    except UnreadableRecord:
        return None


def _failures(episode: Episode) -> Sequence[Failure]:
    return () if episode.feasibility is None else episode.feasibility.failures


def _failed(name: str, whose: str, failure: Failure) -> Check:
    return Check(name, whose, False, told(failure.message), told(plain(failure.found)), told(plain(failure.required)))


def _stored(scenario: Scenario, failure: Failure) -> Check:
    return _failed(failure.rule, "" if failure.seat is None else scenario.public.name(failure.seat), failure)


def _broken(whose: str, violation: Violation) -> Check:
    found, required = told(plain(violation.found)), told(plain(violation.required))
    return Check(violation.rule, whose, False, told(violation.message), found, required)


def _title(checker: Checker) -> str:
    return f"rules of {checker.name}"


def _about(checker: Checker) -> str:
    """The first sentence of what a checker says of itself."""
    return " ".join((type(checker).__doc__ or "").partition("\n\n")[0].split())[:300]
