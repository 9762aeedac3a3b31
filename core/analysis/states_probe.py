"""What hidden states give away of a barrier: how far its conditions lie apart, and how well a linear probe tells them.

Accuracy is cross-validated with the scenarios as groups, so that no episode, and no scenario, is on both sides. Beside
it stands what the same probe reaches when the labels are shuffled among episodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen

from adidem.core.analysis.extra import library
from adidem.core.analysis.states import States

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDS = 5
PERPLEXITY = 30.0


@frozen
class Probe:
    """Of one site and layer: `silhouette` in [-1, 1] on standardised states; `accuracy` of the probe in [0, 1] and its
    mean over shuffled labels (`shuffled`), the share of shuffles that reach it (`p`, at least 1/(shuffles + 1)), and
    `majority`, what always saying the commonest label reaches. None where it cannot be computed; `why` says why."""

    site: str
    layer: int
    points: int
    episodes: int
    scenarios: int
    labels: int
    silhouette: float | None = None
    accuracy: float | None = None
    shuffled: float | None = None
    p: float | None = None
    majority: float | None = None
    why: str = ""


def probes(states: States, site: str, *, shuffles: int = 20, seed: int = 0) -> list[Probe]:
    """One probe for each layer of a site."""
    found = states.at(site)
    return [_probe(found, site, place, shuffles, seed) for place in range(len(states.layers))]


def _probe(states: States, site: str, place: int, shuffles: int, seed: int) -> Probe:
    labels = np.array([point.barrier for point in states.points])
    episodes = np.array([point.episode for point in states.points])
    groups = np.array([point.scenario for point in states.points])
    counts = (len(labels), len(set(episodes)), len(set(groups)), len(set(labels)))
    why = _impossible(counts)
    if why:
        return Probe(site, states.layers[place], *counts, why=why)
    values = states.values[:, place].astype(np.float64)
    generator = np.random.default_rng(seed)
    accuracy = _accuracy(values, labels, groups, seed)
    chance = [_accuracy(values, _shuffled(labels, episodes, generator), groups, seed) for _ in range(shuffles)]
    reached = sum(each >= accuracy for each in chance)
    return Probe(
        site,
        states.layers[place],
        *counts,
        silhouette=_silhouette(values, labels),
        accuracy=accuracy,
        shuffled=float(np.mean(chance)) if chance else None,
        p=(1 + reached) / (1 + shuffles) if chance else None,
        majority=float(np.unique(labels, return_counts=True)[1].max() / len(labels)),
    )


def _impossible(counts: tuple[int, int, int, int]) -> str:
    points, _, scenarios, labels = counts
    if labels < 2:
        return "one condition alone: play the run with --barrier"
    if scenarios < 2:
        return "one scenario alone: there is no other one to test on"
    return "" if points > labels else "no more states than conditions"


def _accuracy(values: NDArray[np.float64], labels: Any, groups: Any, seed: int) -> float:
    """The mean over all points of whether the probe, trained on other scenarios, names their condition."""
    model_selection = library("sklearn.model_selection")
    folds = model_selection.StratifiedGroupKFold(min(FOLDS, len(set(groups))), shuffle=True, random_state=seed)
    right = np.zeros(len(labels), dtype=bool)
    for train, test in folds.split(values, labels, groups):
        right[test] = _predicted(values[train], labels[train], values[test]) == labels[test]
    return float(right.mean())


def _predicted(values: NDArray[np.float64], labels: Any, asked: NDArray[np.float64]) -> Any:
    if len(set(labels)) < 2:  # such are the other scenarios: it can name that one alone
        return np.repeat(labels[:1], len(asked))
    pipeline, scaling = library("sklearn.pipeline"), library("sklearn.preprocessing")
    linear = library("sklearn.linear_model").LogisticRegression(max_iter=2000)
    return pipeline.make_pipeline(scaling.StandardScaler(), linear).fit(values, labels).predict(asked)


def _shuffled(labels: Any, episodes: Any, generator: np.random.Generator) -> Any:
    """The labels dealt out anew among episodes: the points of one episode still share theirs."""
    names, first, where = np.unique(episodes, return_index=True, return_inverse=True)
    return labels[first][generator.permutation(len(names))][where]


def _silhouette(values: NDArray[np.float64], labels: Any) -> float:
    scaled = library("sklearn.preprocessing").StandardScaler().fit_transform(values)
    return float(library("sklearn.metrics").silhouette_score(scaled, labels))


def flat(values: NDArray[np.float32], method: str, seed: int = 0) -> NDArray[np.float64]:
    """States [points, width] as places in a plane [points, 2], by `pca` or by `tsne` (which starts from PCA, with a
    fixed seed). Fewer than three points lie on a line."""
    scaled = library("sklearn.preprocessing").StandardScaler().fit_transform(values.astype(np.float64))
    if len(scaled) < 3:
        return np.stack([np.arange(len(scaled), dtype=np.float64), np.zeros(len(scaled))], axis=1)
    if method == "pca" or len(scaled) < 6:
        found = library("sklearn.decomposition").PCA(2, random_state=seed).fit_transform(scaled)
    else:
        perplexity = min(PERPLEXITY, (len(scaled) - 1) / 3)
        manifold = library("sklearn.manifold").TSNE(2, init="pca", perplexity=perplexity, random_state=seed)
        found = manifold.fit_transform(scaled)
    return np.asarray(found, dtype=np.float64)
