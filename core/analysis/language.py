"""How the two of a stored conversation talked: sentiment, pointing words, hedges, self-focus, questions, by turn, per
100 words, and beside every score. Nothing is played again.

The table of correlations needs scipy, from the extra `analysis`; all else needs none of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from attrs import asdict, frozen

from adidem.core.analysis.correlation import Related, related
from adidem.core.analysis.extra import library
from adidem.core.domain import Episode, Turn, other
from adidem.core.language.measures import measures
from adidem.core.language.scan import scan
from adidem.core.outcomes import outcomes_of

if TYPE_CHECKING:
    from adidem.core.runs.store import RunStore

Who: TypeAlias = Literal["agent", "partner"]

RATES = ("reference_pronouns", "hedges", "first_person", "questions")
"""Features that are counts in an utterance and rates per 100 words over several."""

FEATURES = ("compound", *RATES)


@frozen
class Spoken:
    """The features of one utterance: VADER's compound in [-1, 1], and counts."""

    index: int
    who: Who
    words: int
    compound: float
    reference_pronouns: int
    hedges: int
    first_person: int
    questions: int


@frozen(unsafe_hash=False)
class Talk:
    """One speaker in one conversation: `features` holds the mean compound over utterances and the rates per 100
    words."""

    task: str
    barrier: str
    repeat: int
    scenario: str
    who: Who
    turns: int
    words: int
    features: Mapping[str, float]


@frozen
class Correlation:
    """A feature of one speaker beside one score, and how the two go together over conversations."""

    who: Who
    feature: str
    score: str
    found: Related

    def to_json(self) -> dict[str, Any]:
        """On one level."""
        return {"who": self.who, "feature": self.feature, "score": self.score, **asdict(self.found)}


def spoken(turn: Turn, who: Who) -> Spoken:
    """The features of one turn's words."""
    found = measures(turn.text)
    return Spoken(
        index=turn.index,
        who=who,
        words=sum(token[0].isalnum() or token[0] in "$€£" for token in scan(turn.text).tokens),
        compound=found["sentiment"],
        reference_pronouns=int(found["reference_pronouns"]),
        hedges=int(found["hedges"]),
        first_person=int(found["first_person"]),
        questions=int(found["questions_asked"]),
    )


def spoken_in(episode: Episode) -> tuple[Spoken, ...]:
    """The features of every turn with words in it, in order."""
    return tuple(
        spoken(turn, "agent" if turn.seat == episode.seat else "partner") for turn in episode.turns if turn.text.strip()
    )


def pooled(said: Sequence[Spoken]) -> dict[str, float]:
    """The features of several utterances: the mean compound, and rates per 100 words over all of them together. Empty
    where no word was said."""
    words = sum(s.words for s in said)
    if not words:
        return {}
    rates = {name: 100 * sum(getattr(s, name) for s in said) / words for name in RATES}
    return {"compound": fmean(s.compound for s in said), **rates}


def talks(episodes: Iterable[Episode]) -> Iterator[Talk]:
    """Both speakers of every episode in which they said something, a failed one's words included."""
    for episode in episodes:
        said = spoken_in(episode)
        for who in ("agent", "partner"):
            own = [s for s in said if s.who == who]
            features = pooled(own)
            if features:
                words = sum(s.words for s in own)
                yield Talk(*episode.key, episode.scenario, who, len(own), words, features)


def by_turn(episodes: Iterable[Episode]) -> list[dict[str, Any]]:
    """The course of a conversation: for each barrier, speaker and place (the speaker's 1st turn, 2nd, …) how many turns
    stand there and their pooled features."""
    places: dict[tuple[str, Who, int], list[Spoken]] = {}
    for episode in episodes:
        count = {"agent": 0, "partner": 0}
        for said in spoken_in(episode):
            count[said.who] += 1
            places.setdefault((episode.barrier, said.who, count[said.who]), []).append(said)
    return [
        {"barrier": barrier, "who": who, "turn": turn, "n": len(said), **pooled(said)}
        for (barrier, who, turn), said in sorted(places.items())
    ]


def by_barrier(found: Iterable[Talk]) -> list[dict[str, Any]]:
    """For each barrier and speaker the number of conversations and the mean of each feature over them."""
    groups: dict[tuple[str, Who], list[Talk]] = {}
    for talk in found:
        groups.setdefault((talk.barrier, talk.who), []).append(talk)
    return [
        {"barrier": barrier, "who": who, "n": len(group)}
        | {name: fmean(talk.features[name] for talk in group) for name in FEATURES}
        for (barrier, who), group in sorted(groups.items())
    ]


Key: TypeAlias = tuple[str, str, int]
Scores: TypeAlias = Mapping[str, Mapping[Key, float]]


def scores_of(episodes: Iterable[Episode]) -> dict[str, dict[Key, float]]:
    """Every score of every scored episode, by metric and episode: the headlines as 0 or 1, and the judges' ratings
    under the names of the report (`judge.dimension`, `.partner` behind it for the other seat). What is unscored is
    left out."""
    found: dict[str, dict[Key, float]] = {}
    for episode in episodes:
        outcomes = outcomes_of(episode)
        for name in ("feasibility", "integrity", "verified_success"):
            value = getattr(outcomes, name)
            if value is not None:
                found.setdefault(name, {})[episode.key] = float(value)
        for judgement in episode.judgements if episode.status == "scored" else ():
            for rating in judgement.ratings:
                if rating.score is not None:
                    theirs = ".partner" if rating.seat == other(episode.seat) else ""
                    name = f"{judgement.judge}.{rating.dimension}{theirs}"
                    found.setdefault(name, {})[episode.key] = rating.score
    return found


def correlations(found: Sequence[Talk], scores: Scores) -> list[Correlation]:
    """Each feature of each speaker beside each score, over the conversations that have both.

    Raises:
        ConfigError: the extra `analysis` is not installed.
    """
    library("scipy.stats")
    return [
        correlation(who, feature, name, [t for t in found if t.who == who], scores[name])
        for who in ("agent", "partner")
        for feature in FEATURES
        for name in sorted(scores)
    ]


def correlation(who: Who, feature: str, score: str, found: Sequence[Talk], values: Mapping[Key, float]) -> Correlation:
    """One feature beside one score, over the conversations that have both."""
    rows = [
        (t.features[feature], values[k], t.scenario) for t in found if (k := (t.task, t.barrier, t.repeat)) in values
    ]
    xs, ys, clusters = zip(*rows, strict=True) if rows else ((), (), ())
    return Correlation(who, feature, score, related(xs, ys, clusters))


def language_table(store: RunStore) -> dict[str, Any]:
    """All of it for one stored run, as JSON: what it is `evidence` of (DESIGN §6), `by_barrier`, `by_turn`, and
    `correlations` with every score, over the conversations of all conditions together.

    Raises:
        ConfigError: the extra `analysis` is not installed.
    """
    episodes = list(store.episodes())
    found = list(talks(episodes))
    return {
        "evidence": store.evidence(),
        "by_barrier": by_barrier(found),
        "by_turn": by_turn(episodes),
        "correlations": [c.to_json() for c in correlations(found, scores_of(episodes))],
    }
