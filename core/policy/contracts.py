"""What a policy is: a causal language model that plays and learns, and the codec between text and its tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from attrs import define, field, frozen

from adidem.core.contracts import Family, Tool
from adidem.core.domain import RoleCard, Turn
from adidem.core.policy.draw import Draw

if TYPE_CHECKING:
    from torch import Tensor, nn

Cue: TypeAlias = Literal["turn", "probe", "record"]
"""What the policy is asked for: an utterance, a tentative record outside the conversation, the final record."""


@frozen(unsafe_hash=False)
class View:
    """What the policy is given of one conversation before it starts: the family, which is the public rules of the game,
    the own card, how many turns both may take, and the tools that it may call in the midst of a turn."""

    family: Family
    card: RoleCard
    turns: int
    tools: tuple[Tool, ...] = ()


class Codec(Protocol):
    """Between what is said and tokens, for one kind of policy: a chat template over a tokenizer, or the lab's tongue.

    A conversation as tokens is `opening(view)`, then for each turn `heard(turn, view)` where the partner spoke, or
    `cue("turn")` followed by the sampled ids (their end token included) where the policy did; at the end
    `cue("record")` and the record's ids. It only grows at the end: what was sampled is never encoded again.

    Optional members, looked for by name:

    - `broken(ids) -> str | None`: why a conversation cannot go on from these sampled ids as they are, None where it
      can: a template that takes out earlier reasoning would go on from something else. It is then dropped, counted.
    - `limited(turn_tokens, record_tokens) -> Codec`: the same with other limits, None leaves one as it is.
    - `directed(directive, repair) -> Codec`: the same with another way of talking told in its opening.
    - `instructed() -> Codec`, or `repaired(level) -> Codec`: the same with a repair instruction in its opening.
    - `called(ids) -> Called | None`: the call of a tool that sampled ids are, None where they are speech; and
      `looked_up(calls) -> list[int]`: calls with their results, as they stand before the words of a turn. Without the
      two a policy can be given no tools.
    - `foreign(view) -> str | None`: why it cannot play this at all, None where it can.
    """

    @property
    def name(self) -> str:
        """What a checkpoint calls it."""
        ...

    @property
    def pad(self) -> int:
        """The id that fills batches; it may be one that means something, nothing is inferred from it."""
        ...

    def opening(self, view: View) -> list[int]:
        """The context: the public part, the own card, and how many turns both may take."""
        ...

    def heard(self, turn: Turn, view: View) -> list[int]:
        """The partner's turn, with what delimits it."""
        ...

    def cue(self, what: Cue) -> list[int]:
        """The generation prompt of a turn, a probe or a record."""
        ...

    def ends(self, what: Cue) -> frozenset[int]:
        """The ids of which any ends what is sampled."""
        ...

    def most(self, what: Cue) -> int:
        """The most ids that may be sampled, the end included."""
        ...

    def after(self, what: Cue, ids: Sequence[int]) -> list[int]:
        """What the template puts after sampled ids that are not to be trained on: a missing end, a line break."""
        ...

    def said(self, ids: Sequence[int], view: View, index: int) -> Turn:
        """The sampled ids of an utterance as a turn of the card's holder. Never raises: what means nothing is kept as
        the text of the tokens."""
        ...

    def record(self, ids: Sequence[int], view: View) -> Any:
        """The sampled ids of a record or a probe as a raw record: JSON where they hold it, else their text."""
        ...

    def spoken(self, turn: Turn, view: View) -> list[int]:
        """The ids with which the policy would say a turn of the card's holder, end included, whoever said it: what
        imitation learns from."""
        ...

    def wrote(self, raw: Any, view: View) -> list[int]:
        """The ids with which the policy would write a raw record or probe, end included: what imitation learns from."""
        ...

    def save(self, folder: Path) -> None:
        """Write beside a policy's weights what `adidem.core.policy.codecs.load_codec(name, folder)` makes it from
        again (the vocabulary, the tokenizer)."""
        ...


@frozen(unsafe_hash=False)
class Scored:
    """Of a padded batch of B sequences of n tokens, for the tokens 1 … n-1 (what position t predicts of t+1):
    `logp` [B, n-1] under the sampling temperature, `entropy` [B, n-1] in nats and without gradient, `value` [B, n-1]
    (what the state before the token is worth) or None; all 0 where nothing was asked for."""

    logp: Tensor
    entropy: Tensor
    value: Tensor | None = None


@frozen(unsafe_hash=False)
class Ask:
    """What one row is fed and asked for: `tokens` go in, then ids are drawn until one of `ends` or until `most`, by the
    row's own random stream. Of a fork, the first `stay` tokens are in the row afterwards and all else is not."""

    tokens: Sequence[int]
    ends: frozenset[int]
    most: int
    stream: Random
    stay: int = 0


@define
class Sampled:
    """Ids that were drawn, with their log-probs under the temperature they were drawn at; or why there are none, which
    is the end of that conversation alone."""

    ids: list[int] = field(factory=list)
    logps: list[float] = field(factory=list)
    failure: str | None = None


class Sampler(Protocol):
    """Conversations that grow together: row k starts with the k-th opening."""

    async def sampled(self, asks: Mapping[int, Ask], draw: Draw, *, keep: bool = True) -> Mapping[int, Sampled]:
        """What each row that is asked draws. With `keep` false it is a fork: the row is afterwards as it was.

        Raises:
            ConfigError: a server cannot serve the policy at all.
        """
        ...

    def drop(self, rows: Sequence[int]) -> None:
        """Rows that are not asked again."""
        ...


class Policy(Protocol):
    """A causal language model that plays and learns: full weights or an adapter, a value head outside the adapter's
    reach, and the policy that training started from as reference."""

    codec: Codec
    model: nn.Module

    @property
    def device(self) -> Any:
        """Where the model is."""
        ...

    def score(
        self, ids: Tensor, lengths: Tensor, *, temperature: float, values: bool = False, where: Tensor | None = None
    ) -> Scored:
        """Log-probs of given tokens. `ids` [B, n] padded on the right, `lengths` [B]; positions are explicit, pads are
        not attended. `where` [B, n-1] (bool) says which tokens are asked for, all real ones where it is not given: with
        a large vocabulary the others' logits are most of the memory. With gradient where it is enabled."""
        ...

    def reference(self, ids: Tensor, lengths: Tensor, *, temperature: float, where: Tensor | None = None) -> Tensor:
        """Log-probs [B, n-1] under the policy that training started from, without gradient."""
        ...

    def anchor(self) -> None:
        """Make the policy as it is now the reference: a stage of training starts."""
        ...

    def sampler(self, openings: Sequence[Sequence[int]], *, base: bool = False) -> Sampler:
        """A sampler of the policy as it is now, which serves until the next update; or of its base, the partner that
        stays the same through all stages: the model without the adapter that is trained, or, where all weights are, the
        policy that the run started from."""
        ...

    def groups(self) -> list[dict[str, Any]]:
        """The optimizer's parameter groups, named `policy` and `value`."""
        ...

    def changed(self) -> None:
        """Called after each update: whatever was cached for sampling is dropped."""
        ...

    def state(self) -> dict[str, Any]:
        """What continues training: trainable weights, the value head's, the reference's where it is not the base."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """The other way."""
        ...

    def save(self, folder: Path) -> None:
        """Write it as `--agent hf:FOLDER` plays it: weights or adapter, and `adidem.json` (base and codec)."""
        ...
