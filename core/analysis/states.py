"""Hidden states of a model that reads the conversations of a run: where in it a barrier can be told.

Two sites. `prompt`: the end of the barrier agent's prompt, as published (SocialVeil, arXiv 2602.05115); the barrier's
directive stands in that prompt, so the site measures the prompt. `partner`: just before each turn of the other one,
whose context holds its own card and what was said, and no word about a barrier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen

from adidem.core.agents.tools import tools_of
from adidem.core.contracts import Family
from adidem.core.domain import Directive, Episode, RoleCard, Scenario, Seat, other
from adidem.core.errors import ConfigError
from adidem.core.play.converse import seen_by
from adidem.core.policy.contracts import Codec, View

if TYPE_CHECKING:
    from numpy.typing import NDArray

SITES = ("prompt", "partner")
DEPTHS = (1 / 4, 1 / 2, 3 / 4, 1)

Reader = Callable[[Sequence[int], Sequence[int]], "NDArray[np.float32]"]
"""The states [layers, places, width] of some places of a sequence of tokens."""


@frozen(unsafe_hash=False)
class Point:
    """One state read: its site, scenario, episode and barrier condition, and the turn that it stands before."""

    site: str
    scenario: str
    episode: str
    barrier: str
    turn: int


@frozen(eq=False)
class States:
    """`values` [points, layers, width], `layers` counted from 1 to the depth of the model; `skipped` counts what was
    too long for it."""

    points: tuple[Point, ...]
    values: NDArray[np.float32]
    layers: tuple[int, ...]
    skipped: int = 0

    def at(self, site: str) -> States:
        """Those of one site."""
        kept = [place for place, point in enumerate(self.points) if point.site == site]
        return States(tuple(self.points[place] for place in kept), self.values[kept], self.layers, self.skipped)


@frozen(eq=False)
class Model:
    """A model that reads: its codec, what gives states, the layers that are read, and the most tokens it takes."""

    codec: Codec
    read: Reader
    layers: tuple[int, ...]
    most: int


@frozen(eq=False)
class Heard:
    """All that is needed besides the episodes: scenarios, families, what each barrier condition tells its speaker, and
    on whom it sits."""

    scenarios: Mapping[str, Scenario]
    families: Mapping[str, Family]
    directives: Mapping[str, Directive | None]
    barrier_on: str = "partner"


@frozen(eq=False)
class _Places:
    """Tokens, and the places in them that are points."""

    tokens: list[int] = field(factory=list)
    places: list[int] = field(factory=list)
    points: list[Point] = field(factory=list)

    def mark(self, point: Point) -> None:
        self.places.append(len(self.tokens) - 1)
        self.points.append(point)


def load_model(spec: str) -> Model:
    """The model of `hf:smollm2` or `hf:PATH`.

    Raises:
        ConfigError: there is none, or packages are missing.
    """
    from adidem.core.agents.hf import hf_agent
    from adidem.core.policy.loading import load_policy
    from adidem.core.registry.config import ModelSettings

    name = spec if spec.startswith("hf:") else f"hf:{spec}"
    hf_agent(name, ModelSettings())  # says what is missing
    policy = load_policy(name)
    policy.model.eval()
    layers = layers_of(int(policy.trunk.config.num_hidden_layers))
    most = int(getattr(policy.trunk.config, "max_position_embeddings", 0) or 2**31)
    return Model(policy.codec, _reader(policy.trunk, layers), layers, most)


def layers_of(depth: int) -> tuple[int, ...]:
    """L/4, L/2, 3L/4 and L of a model of that depth, each once."""
    return tuple(sorted({max(1, round(depth * part)) for part in DEPTHS}))


def _reader(trunk: Any, layers: Sequence[int]) -> Reader:
    def read(tokens: Sequence[int], places: Sequence[int]) -> NDArray[np.float32]:
        import torch

        with torch.no_grad():
            ids = torch.tensor([list(tokens)], device=trunk.device)
            states = trunk.decoder(input_ids=ids, use_cache=False, output_hidden_states=True).hidden_states
            found = torch.stack([states[layer][0, list(places)] for layer in layers])
        return np.asarray(found.float().cpu().numpy(), dtype=np.float32)

    return read


def collect(episodes: Iterator[Episode], heard: Heard, model: Model) -> States:
    """The states of both sites of every scored episode, in its order. The end of a prompt is read once for each task
    and condition, repeats being the same.

    Raises:
        ConfigError: the model reads no prompt in words, or no episode was scored.
    """
    if not hasattr(model.codec, "directed"):
        raise ConfigError("this model reads no prompt in words: give one that chats, such as hf:smollm2")
    points: list[Point] = []
    values: list[NDArray[np.float32]] = []
    seen: set[tuple[str, str]] = set()
    skipped = 0
    for episode in episodes:
        if episode.status != "scored" or not episode.turns:
            continue
        sites = [_partner(episode, heard, model.codec)]
        if (episode.task, episode.barrier) not in seen:
            seen.add((episode.task, episode.barrier))
            sites.insert(0, _prompt(episode, heard, model.codec))
        for site in sites:
            if len(site.tokens) > model.most:
                skipped += len(site.points)
            elif site.points:
                points += site.points
                values.append(model.read(site.tokens, site.places).swapaxes(0, 1))
    if not points:
        raise ConfigError("no state can be read: the run has no scored episode with a conversation that fits the model")
    return States(tuple(points), np.concatenate(values), model.layers, skipped)


def _prompt(episode: Episode, heard: Heard, codec: Any) -> _Places:
    """The prompt of the one on whom the barrier sits (of `none`: would sit), up to where it speaks."""
    seat = _barrier_seat(episode, heard)
    directive = heard.directives[episode.barrier]
    told = codec if directive is None else codec.directed(directive)
    view = _view(episode, heard, seat)
    found = _Places([*told.opening(view), *told.cue("turn")])
    found.mark(_point("prompt", episode, 0))
    return found


def _partner(episode: Episode, heard: Heard, codec: Any) -> _Places:
    """The conversation as the other one has it, with a place before each of its turns that follows one of the barrier
    agent's."""
    talker = _barrier_seat(episode, heard)
    seat = other(talker)
    view = _view(episode, heard, seat)
    found, told = _Places(codec.opening(view)), False
    for turn in seen_by(episode.turns, seat):
        if turn.seat == talker:
            found.tokens.extend(codec.heard(turn, view))
            told = True
            continue
        if turn.calls:
            found.tokens.extend(codec.looked_up(turn.calls))
        found.tokens.extend(codec.cue("turn"))
        if told:
            found.mark(_point("partner", episode, turn.index))
        said = codec.spoken(turn, view)
        found.tokens.extend([*said, *codec.after("turn", said)])
    return found


def _point(site: str, episode: Episode, turn: int) -> Point:
    key = "/".join(map(str, episode.key))
    return Point(site, episode.scenario, key, episode.barrier, turn)


def _view(episode: Episode, heard: Heard, seat: Seat) -> View:
    family, card = heard.families[episode.family], _card(episode, heard, seat)
    return View(family, card, len(episode.turns), tools_of(family, card))


def _card(episode: Episode, heard: Heard, seat: Seat) -> RoleCard:
    return heard.scenarios[episode.scenario].world(episode.world).card(seat)


def _barrier_seat(episode: Episode, heard: Heard) -> Seat:
    return episode.seat if heard.barrier_on == "agent" else other(episode.seat)
