"""What an utterance does: asks, proposes, accepts, rejects, declines, defers, corrects, tells, or nothing at all."""

from __future__ import annotations

from enum import StrEnum
from functools import cache, lru_cache

from adidem.core.language.clauses import cached_sentences, level
from adidem.core.language.cues import load_cues, whole_words
from adidem.core.language.patterns import Pattern, Patterns


class Act(StrEnum):
    """A speech act; one utterance may hold several."""

    ASK = "ask"
    PROPOSE = "propose"
    ACCEPT = "accept"
    REJECT = "reject"
    DECLINE = "decline"
    DEFER = "defer"
    CORRECT = "correct"
    TELL = "tell"
    THANK = "thank"
    GREET = "greet"
    CLOSE = "close"
    FILLER = "filler"


_CUES = load_cues("acts")
_IS = Patterns(lambda name: whole_words(_CUES[name]))
_AFTER = Patterns(lambda name: rf"\b{_CUES[name]}\s*$")
_NEGATED = Pattern(lambda: rf"\b{_CUES['negation']}\s*$")
_BEFORE = Pattern(lambda: _CUES["accept_not_before"])
_RULE = Pattern(lambda: whole_words(_CUES["rule_not_deferral"]))
_WORD = Pattern(r"[a-z']+")
_BUT = Pattern(r"[,;]?\s+(?:but|however)\b")
_TO_YOU = Pattern(r"\b(?:you|your|yours)\b[^?]*\?")
_OWN_NEED = Pattern(r"\b(?:i|we)\s+(?:need|can't|cannot|must|only)\b|\bi'm\s+(?:allergic|only|busy|free)\b")
_DENIAL = Pattern(r"\b(?:no|not|cannot|without|afraid|unfortunately)\b|n't\b")
_SIMPLE = (("thank", Act.THANK), ("greet", Act.GREET), ("close", Act.CLOSE), ("propose", Act.PROPOSE))
_EMPTY = frozenset({Act.THANK, Act.GREET, Act.CLOSE})
_FINAL = frozenset({Act.REJECT, Act.DECLINE, Act.DEFER})
_ASKS = ("tell", "know", "ask", "wonder", "curious", "hear")


@lru_cache(maxsize=8192)
def find_acts(text: str) -> frozenset[Act]:
    """The acts of an utterance, negation and conditions heeded; FILLER where it holds nothing but pleasantness."""
    acts: set[Act] = set()
    for sentence in cached_sentences(text):
        acts |= _sentence_acts(level(sentence.text))
    if acts & {Act.DECLINE, Act.DEFER}:
        acts.discard(Act.ACCEPT)
    if acts <= _EMPTY and _is_pleasant(level(text)):
        acts.add(Act.FILLER)
    return frozenset(acts)


@lru_cache(maxsize=8192)
def _sentence_acts(low: str) -> frozenset[Act]:
    asked = low.rstrip("\"') ").endswith("?")
    acts = {act for name, act in _SIMPLE if _IS[name].search(low)}
    acts |= _ending(low, asked)
    if asked or any(word in low for word in _ASKS):
        acts |= _asking(low)
    if _IS["correct"].search(low) and not asked:
        acts.add(Act.CORRECT)
    acts |= _answering(low, asked)
    if _tells(low, asked, bool(acts & _FINAL)):
        acts.add(Act.TELL)
    return frozenset(acts)


def _ending(low: str, asked: bool) -> set[Act]:
    """DECLINE and DEFER; asked they are proposals, under a condition they only tell a rule."""
    found: set[Act] = set()
    decline = _IS["decline"].search(low)
    if decline is not None and not _AFTER["decline_not_after"].search(low, 0, decline.start()):
        found.add(Act.DECLINE)
    if _IS["defer"].search(low):
        found.add(Act.TELL if _RULE.search(low) else Act.DEFER)
    return {Act.PROPOSE} if found and asked else found


def _asking(low: str) -> set[Act]:
    if _IS["small_talk"].search(low):
        return set()
    if _IS["open_question"].search(low) and not _IS["plan_in_question"].search(low):
        return {Act.ASK}
    if _IS["about_plan"].search(low) and "?" in low:
        return {Act.PROPOSE}
    return {Act.ASK} if _IS["ask"].search(low) or _TO_YOU.search(low) else set()


def _answering(low: str, asked: bool) -> set[Act]:
    rejected = _IS["reject"].search(low) if not asked else None
    if rejected is not None:
        rest = _BUT.search(low, rejected.end())
        offered = rest is not None and _acceptance(low, rest.end(), asked)
        return {Act.REJECT, Act.PROPOSE} if offered else {Act.REJECT}
    if _conditional(low):
        named = (m for m in _IS["accept"].finditer(low) if not _NEGATED.search(low, 0, m.start()))
        return {Act.PROPOSE} if next(named, None) else set()
    return {Act.ACCEPT} if _acceptance(low, 0, asked) else set()


def _conditional(low: str) -> bool:
    """Whether a condition is named besides those of courtesy: "if I may say so" excuses no "if you say yes"."""
    polite = {match.start() for match in _IS["polite_condition"].finditer(low)}
    return any(match.start() not in polite for match in _IS["condition"].finditer(low))


def _acceptance(low: str, begin: int, asked: bool) -> bool:
    for match in _IS["accept"].finditer(low, begin):
        if _NEGATED.search(low, begin, match.start()) or _AFTER["accept_not_after"].search(low, begin, match.start()):
            continue
        if _BEFORE.match(low, match.end()):
            continue
        if not asked or low[match.end() : match.end() + 1] in (",", ";", "-", "—", ".", "!"):
            return True
    return False


def _tells(low: str, asked: bool, final: bool) -> bool:
    match = _IS["tell"].search(low)
    if match is None or (asked and not _OWN_NEED.search(low)):
        return False
    return bool(_IS["content"].search(low)) or not (final or _IS["not_telling"].search(low))


def _is_pleasant(low: str) -> bool:
    """At most one word in eight, and never a number, is none of the words that pleasantries are made of."""
    words = _WORD.findall(low)
    if not words or _DENIAL.search(low) or any(c.isdigit() for c in low):
        return False
    pleasant = _pleasant()
    strange = sum(word not in pleasant for word in words)
    return 8 * strange <= len(words)


@cache
def _pleasant() -> frozenset[str]:
    return frozenset(_CUES["pleasant"][3:-1].split(r"\s+"))
