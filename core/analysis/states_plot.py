"""Draws hidden states in a plane: one panel a layer, one colour and marker a barrier condition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adidem.core.analysis.extra import library
from adidem.core.analysis.states import States
from adidem.core.analysis.states_probe import Probe, flat

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Told apart with any colour vision (Okabe and Ito); the markers do without colours."""

MARKERS = "os^DvPX"
TITLES = {"pca": "PCA", "tsne": "t-SNE"}
PLACES = {
    "prompt": "the end of the barrier agent's prompt",
    "partner": "the partner's turns, who knows only what was said",
}
PANEL = 2.9
"""Inches of a panel across."""


def draw(states: States, site: str, method: str, found: list[Probe], path: Path, seed: int = 0) -> None:
    """Write the plot of a site by `pca` or `tsne` as a PNG; each panel's title holds what the probe found there.

    Raises:
        ConfigError: matplotlib or scikit-learn, of the extra `analysis`, is not installed.
    """
    library("matplotlib")
    from matplotlib.figure import Figure

    shown = states.at(site)
    figure = Figure(figsize=(PANEL * len(states.layers), PANEL + 0.9), layout="constrained", dpi=130)
    panels = figure.subplots(1, len(states.layers), squeeze=False)[0]
    for place, (axes, probe) in enumerate(zip(panels, found, strict=True)):
        _panel(axes, shown, flat(shown.values[:, place], method, seed))
        axes.set_title(_title(probe), fontsize=8.5)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=min(4, len(names)), frameon=False, fontsize=8.5)
    figure.suptitle(f"{TITLES[method]} of hidden states at {PLACES[site]}", fontsize=10)
    figure.savefig(path)


def _panel(axes: Any, states: States, places: Any) -> None:
    labels = sorted({point.barrier for point in states.points}, key=lambda name: (name != "none", name))
    for number, label in enumerate(labels):
        mine = [at for at, point in enumerate(states.points) if point.barrier == label]
        look = {"marker": MARKERS[number % len(MARKERS)], "color": COLOURS[number % len(COLOURS)]}
        axes.scatter(*places[mine].T, s=16, alpha=0.7, linewidths=0, label=label, **look)
    axes.set_xticks([])
    axes.set_yticks([])


def _title(probe: Probe) -> str:
    if probe.accuracy is None or probe.silhouette is None:
        return f"layer {probe.layer}"
    chance = "" if probe.shuffled is None else f" (shuffled {probe.shuffled:.2f})"
    return f"layer {probe.layer}: accuracy {probe.accuracy:.2f}{chance}\nsilhouette {probe.silhouette:.2f}"
