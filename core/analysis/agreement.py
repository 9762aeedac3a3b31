"""Agreement between raters, judges or people, on one dimension: who used what how often, and every coefficient."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import Any, TypeAlias

from attrs import field, frozen

from adidem.core.analysis.coefficients import (
    Figure,
    cohen_kappa,
    fleiss_kappa,
    icc,
    krippendorff_alpha,
    pearson,
    quiet,
    raw_agreement,
)
from adidem.core.analysis.extra import library

Key: TypeAlias = tuple[str, str, int]
"""What was rated: task, barrier condition, repeat."""
Value: TypeAlias = float | str
Answers: TypeAlias = Mapping[Key, Value]


@frozen(unsafe_hash=False)
class Confusion:
    """How often one rater's category (row) met another's (column)."""

    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]


@frozen(unsafe_hash=False)
class Rater:
    """What one rater gave on the `n` items that another rated too: the share of each category, or None where the scores
    are no categories; the mean where they are numbers."""

    n: int
    prevalence: Mapping[str, float] | None
    mean: float | None


@frozen(unsafe_hash=False)
class Pair:
    """Two raters over the items that both rated. `figures` holds only what fits the values: category figures for
    words and whole numbers, scale figures for numbers."""

    first: str
    second: str
    n: int
    figures: Mapping[str, Figure]
    confusion: Confusion | None = None


@frozen(unsafe_hash=False)
class Agreement:
    """All raters of one dimension. `n` items were rated by all of them; every overall figure but α is over these, α
    over all items with two ratings or more."""

    raters: Mapping[str, Rater]
    pairs: tuple[Pair, ...]
    n: int
    overall: Mapping[str, Figure]


@frozen(unsafe_hash=False)
class Identification:
    """Whether a rater found the barrier that was at work: the share of right answers, and answers (columns) by barrier
    (rows). Conditions of several barriers at once are `left_out`."""

    accuracy: Figure
    confusion: Confusion
    left_out: int = 0


def scenario_of(key: Key) -> str:
    """The cluster of an item: its scenario."""
    return key[0].rsplit("/", 2)[0]


def agreement(ratings: Mapping[str, Answers]) -> Agreement:
    """Every pairwise and overall figure of two raters or more, each under its name; items are matched by key."""
    whole = _Values(ratings)
    names = list(ratings)
    keys = [key for key in whole.keys if all(key in answers for answers in ratings.values())]
    return Agreement(
        raters={
            name: _rater([answers[key] for key in whole.shared if key in answers], whole)
            for name, answers in ratings.items()
        },
        pairs=tuple(_pair(one, other, whole) for one, other in combinations(names, 2)),
        n=len(keys),
        overall=_overall(keys, names, whole),
    )


@frozen(unsafe_hash=False)
class _Values:
    """All ratings of a dimension, with the order of its categories."""

    ratings: Mapping[str, Answers]
    keys: tuple[Key, ...] = field(init=False)
    numeric: bool = field(init=False)
    categories: tuple[Value, ...] | None = field(init=False)

    @keys.default
    def _keys(self) -> tuple[Key, ...]:
        return tuple(sorted({key for answers in self.ratings.values() for key in answers}))

    @property
    def shared(self) -> list[Key]:
        """The items that two or more rated."""
        counts = Counter(key for answers in self.ratings.values() for key in answers)
        return [key for key in self.keys if counts[key] > 1]

    @numeric.default
    def _numeric(self) -> bool:
        return not any(isinstance(v, str) for answers in self.ratings.values() for v in answers.values())

    @categories.default
    def _categories(self) -> tuple[Value, ...] | None:
        found = {v for answers in self.ratings.values() for v in answers.values()}
        if any(isinstance(v, float) and not v.is_integer() for v in found):
            return None
        return tuple(sorted(found, key=lambda v: (isinstance(v, str), v)))

    def codes(self, keys: Sequence[Key], names: Sequence[str]) -> list[list[int | None]]:
        """One row an item, one category number a rater; None where missing. Only where there are categories."""
        place = {value: index for index, value in enumerate(self.categories or ())}
        return [[place[a[key]] if key in (a := self.ratings[name]) else None for name in names] for key in keys]

    def scores(self, keys: Sequence[Key], names: Sequence[str]) -> list[list[float | None]]:
        """One row an item, one score a rater; None where missing. Only where all values are numbers."""
        return [[float(a[key]) if key in (a := self.ratings[name]) else None for name in names] for key in keys]


def _rater(values: Sequence[Value], whole: _Values) -> Rater:
    counts = Counter(values)
    shares = None
    if whole.categories is not None:
        shares = {label(c): counts[c] / len(values) if values else 0.0 for c in whole.categories}
    mean = fsum(float(v) for v in values) / len(values) if whole.numeric and values else None
    return Rater(len(values), shares, mean)


def _pair(first: str, second: str, whole: _Values) -> Pair:
    ours = [whole.ratings[first], whole.ratings[second]]
    keys = [key for key in whole.keys if all(key in answers for answers in ours)]
    clusters = [scenario_of(key) for key in keys]
    names = [first, second]
    figures: dict[str, Figure] = {}
    confusion = None
    if whole.categories is not None:
        codes = whole.codes(keys, names)
        figures["agreement"] = raw_agreement(codes, clusters)
        figures["cohen_kappa"] = cohen_kappa(codes, clusters)
        confusion = _confusion(codes, [label(c) for c in whole.categories])
    figures |= _alphas(keys, names, whole)
    if whole.numeric:
        scores = whole.scores(keys, names)
        figures["pearson"] = pearson(scores)
        figures["icc_2_1"], figures["icc_2_k"] = icc(scores)
    return Pair(first, second, len(keys), figures, confusion)


def _overall(keys: Sequence[Key], names: Sequence[str], whole: _Values) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    if whole.categories is not None:
        codes, clusters = whole.codes(keys, names), [scenario_of(key) for key in keys]
        figures["agreement"] = raw_agreement(codes, clusters)
        figures["fleiss_kappa"] = fleiss_kappa(codes, clusters)
    figures |= _alphas(whole.keys, names, whole)
    if whole.numeric:
        figures["icc_2_1"], figures["icc_2_k"] = icc(whole.scores(keys, names))
    return figures


def _alphas(keys: Sequence[Key], names: Sequence[str], whole: _Values) -> dict[str, Figure]:
    figures = {}
    if whole.categories is not None:
        figures["alpha_nominal"] = krippendorff_alpha(whole.codes(keys, names), "nominal")
    if whole.numeric:
        figures["alpha_interval"] = krippendorff_alpha(whole.scores(keys, names), "interval")
    return figures


def label(value: Value) -> str:
    """A category as text: `1`, not `1.0`."""
    return value if isinstance(value, str) else f"{value:g}"


def _confusion(rows: Sequence[Sequence[Any]], labels: Sequence[str]) -> Confusion:
    if not rows:
        return Confusion(tuple(labels), tuple((0,) * len(labels) for _ in labels))
    first, second = ([row[rater] for row in rows] for rater in (0, 1))
    with quiet():
        table = library("sklearn.metrics").confusion_matrix(first, second, labels=range(len(labels)))
    return Confusion(tuple(labels), tuple(tuple(int(count) for count in row) for row in table))


# ------------------------------------------------------------------------------------------------ which barrier it was


def barrier_named(condition: str) -> str | None:
    """The barrier of a condition (`semantic_vagueness:0.7`) without its severity, or None of several at once."""
    return None if "+" in condition else condition.partition(":")[0]


def identification(answers: Answers) -> Identification:
    """How well a rater's answers to `which barrier was at work?` name the barrier that was. `unsure` is never right."""
    known = {key: barrier for key in sorted(answers) if (barrier := barrier_named(key[1])) is not None}
    labels = sorted({*known.values(), *(label(answers[key]) for key in known)})
    codes = [[labels.index(barrier), labels.index(label(answers[key]))] for key, barrier in known.items()]
    return Identification(
        accuracy=raw_agreement(codes, [scenario_of(key) for key in known]),
        confusion=_confusion(codes, labels),
        left_out=len(answers) - len(known),
    )
