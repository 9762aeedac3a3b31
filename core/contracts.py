"""The contracts that components fulfil: families, checkers, barriers, judges, trainers, and the agents who speak.

A component is an attrs class (its init fields are its options in registry.yaml, validators and all) or any object
with the members below. Nothing here imports a heavy library.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from attrs import frozen

from adidem.core.domain import Usage

if TYPE_CHECKING:
    from random import Random

    from adidem.core.domain import (
        Condition,
        Conversation,
        Dimension,
        Directive,
        Fact,
        Feasibility,
        Heard,
        Judgement,
        Objective,
        Public,
        RoleCard,
        Rollouts,
        Sampling,
        Scenario,
        Seat,
        Split,
        Turn,
        TurnCredit,
        Violation,
        World,
        Written,
    )

# --------------------------------------------------------------------------------------------------- families, rules


@runtime_checkable
class Family(Protocol):
    """A kind of coordination problem. Deterministic: no member but `scenarios` draws anything, and it only from
    its seed.

    Optional members, looked for by name:

    - `passing(world) -> Iterable[Terms]`: the plans of `plans(world)` that the family's own checker (the one that
      has the family's name) passes, faster than checker by checker; must equal it plan for plan.
    - `contradicts(fact, card) -> str | None`: why a fact that the card's holder stated about themself is untrue, in a
      few words, or None where it agrees with the card. Without it the fact's known parts are compared for equality.
    - `read(path) -> Iterable[Scenario]`: the scenarios of a data set that is not shipped (a suite's `data`).
    - `actions: tuple[str, ...]`: what a turn may be, `speak` and `leave` where it does not say.
    - `prompt(card) -> str`: what a model speaker is told of its part, in place of the common text.
    - `ask(public, seat) -> str`: how a person in that seat asks for what the other privately needs.
    - `paired: bool`: False where the scenarios have one world alone although records are kept (a negotiation by
      points): they are played without a pair certificate.
    - `utility(terms, world, seat) -> float | None`: what a plan (None: no agreement) is worth to the person in that
      seat, in the family's points; None where the world does not hold what that depends on. Scripted agents then
      propose what is best for both as far as they know, and the judge `negotiation` measures deals by it.
    - `about: str`: what its tasks are, what is recorded and what makes that feasible, a few sentences for reports.
    - `opener: Seat`: who speaks first; drawn where it does not say.
    - `tools(card) -> Sequence[Tool]`: what the holder of the card may look up or do in the midst of a turn. Calls and
      results are kept in the turn, and the other agent never sees them.
    - `scripted(card, manner, rng) -> Participant`: who plays a scripted agent's part (`candid`, `guarded`, …), in place
      of the common one.
    """

    @property
    def name(self) -> str:
        """What registry, command line and task ids call it."""
        ...

    @property
    def terms(self) -> type | None:
        """attrs class of an agreement's terms, fields annotated with `adidem.core.domain.terms` types; None for a
        family without records, whose conversations are judged only."""
        ...

    @property
    def defer_terms(self) -> type | None:
        """What a deferral records (its first field is the approver), or None for a family that never defers."""
        ...

    def scenarios(self, split: Split, seed: int, count: int | None) -> Sequence[Scenario]:
        """`count` scenarios of a split, one a setting in order and then round again; None: one a setting."""
        ...

    def plans(self, world: World) -> Iterable[Any]:
        """The finite plan space: every agreement one could write down in this public context, feasible or not."""
        ...

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """For each `Text` or `Items` field of the terms (deferral's included), the texts that may stand there."""
        ...

    def say(self, terms: Any, public: Public) -> str:
        """A plan (or a deferral) as a person would say it inside a sentence; `hear` of it gives the plan back."""
        ...

    def tell(self, condition: Condition, public: Public) -> str:
        """A private condition as its owner would say it, one sentence; `hear` of it gives the condition back."""
        ...

    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """Facts, plans and deferrals in loose speech. Never raises; precision before recall."""
        ...


@frozen(eq=False)
class Tool:
    """Something a speaker may call in the midst of a turn: its name, what it does (a sentence for models), the JSON
    schema of its arguments, and the function. `call` is given JSON that meets the schema, gives JSON back, depends on
    nothing else and does not raise: what cannot be done is said in the result."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    call: Callable[[Mapping[str, Any]], Any]


@runtime_checkable
class Checker(Protocol):
    """A rule, or several that belong together, that finds violations in an agreement's or a deferral's terms.

    `families` names those it applies to, None for every family. A condition that the world lacks is no constraint.
    """

    @property
    def name(self) -> str:
        """The family's name for a family's own rules."""
        ...

    @property
    def families(self) -> Collection[str] | None:
        """The families it applies to; None: every family."""
        ...

    def check(self, world: World, terms: Any) -> Iterable[Violation]:
        """Every violation of these terms in this world. Never raises, whatever the terms hold."""
        ...


# ------------------------------------------------------------------------------------------------------------ barrier


@runtime_checkable
class Barrier(Protocol):
    """A patterned way of talking that breaks understanding, put into exactly one agent. Severities are in [0, 1]."""

    @property
    def name(self) -> str:
        """What `--barrier` calls it."""
        ...

    def directive(self, severity: float) -> Directive:
        """What a model speaker is told, at that severity."""
        ...

    def measure(self, utterance: str) -> Mapping[str, float]:
        """The observed value of each quota in one utterance."""
        ...

    def distort(self, utterance: str, severity: float, rng: Random) -> str:
        """What a scripted speaker says instead: a pure function; severity 0 changes nothing; no fact is invented."""
        ...


# -------------------------------------------------------------------------------------------------------------- judge


@frozen
class Answer:
    """One answer of a model: its text, the parsed JSON where a schema was asked for, and what it cost."""

    text: str
    data: Any | None = None
    reasoning: str | None = None
    usage: Usage = Usage()
    attempts: int = 1


class Ask(Protocol):
    """How a judge asks its model: messages in, an answer out; a JSON schema makes the answer structured.

    Raises `adidem.core.errors.ModelFailure` when no usable answer came.
    """

    async def __call__(
        self, messages: Sequence[Mapping[str, str]], *, schema: Mapping[str, Any] | None = None
    ) -> Answer:
        """Ask once (retries and repair are the gateway's)."""
        ...


@frozen(unsafe_hash=False)
class Case:
    """One finished episode as a judge sees it: the scenario and world it was played in, who was tested, what was
    said, what was recorded, and what the rules found; the family and its checkers serve judges that read plans in
    speech."""

    scenario: Scenario
    world: World
    seat: Seat
    family: Family
    checkers: tuple[Checker, ...]
    conversation: Conversation
    records: Mapping[Seat, Written]
    feasibility: Feasibility | None
    dialogue: bool = True
    repeat: int = 0


@runtime_checkable
class Judge(Protocol):
    """Rates a case on named dimensions. A rating that fails is `unscored` with a reason; `judge` does not raise."""

    @property
    def name(self) -> str:
        """What `--judge` and metrics call it."""
        ...

    @property
    def dimensions(self) -> Sequence[Dimension]:
        """The scales it rates on."""
        ...

    async def judge(self, case: Case, ask: Ask) -> Judgement:
        """Every dimension's rating, and the flags behind them."""
        ...


# ------------------------------------------------------------------------------------------------------------ trainer


@runtime_checkable
class Trainer(Protocol):
    """Assigns credit to the turns of conversations."""

    @property
    def name(self) -> str:
        """What `adidem train` calls it."""
        ...

    @property
    def sampling(self) -> Sampling:
        """The rollouts it wants."""
        ...

    @property
    def objective(self) -> Objective:
        """What the shared loop makes of its credit."""
        ...

    def credit(self, rollouts: Rollouts) -> TurnCredit:
        """One number per policy turn of each rollout, in their order."""
        ...


# ------------------------------------------------------------------------------------------------------------- agents


class Participant(Protocol):
    """An agent in one seat of one episode. It keeps no secrets from replay: the history is handed in each time, so a
    record or a probe is a fork that leaves nothing behind."""

    async def speak(self, history: Conversation, left: int) -> Turn:
        """The next turn. `left` counts the turns that may still be taken by both, this one included."""
        ...

    async def record(self, history: Conversation, schema: Mapping[str, Any], problem: str | None = None) -> Any:
        """What this role writes down, alone: JSON, or text that holds it. `problem` is given when a first answer
        could not be read: it says why."""
        ...

    def usage(self) -> Usage:
        """What this participant has used of models so far."""
        ...


class Agent(Protocol):
    """Who speaks. One agent serves every episode of a run; `join` seats it in one."""

    @property
    def name(self) -> str:
        """Its spec."""
        ...

    @property
    def scripted(self) -> bool:
        """True where no model and no person is behind it: results are then a mechanism check."""
        ...

    def join(self, family: Family, checkers: Sequence[Checker], card: RoleCard, rng: Random) -> Participant:
        """Take a seat. The card is all that the agent learns of the scenario; `family` and `checkers` are the public
        rules of the game, which hold no private condition."""
        ...

    async def close(self) -> None:
        """Let go of servers and connections."""
        ...


def is_paired(family: Family) -> bool:
    """Whether the family's scenarios are paired worlds with a certificate: it keeps records, and does not say no."""
    return family.terms is not None and bool(getattr(family, "paired", True))


def states(fact: Fact, card: RoleCard) -> bool:
    """Whether the known parts of a fact equal the card's condition of that kind (the default of `contradicts`)."""
    for condition in card.conditions:
        if condition.kind == fact.kind:
            if isinstance(fact.value, Mapping) and isinstance(condition.value, Mapping):
                return all(condition.value.get(k) == v for k, v in fact.value.items() if v is not None)
            return bool(condition.value == fact.value)
    return True


def denied(fact: Fact, card: RoleCard, family: Family) -> str | None:
    """Why a fact that the card's holder stated of themself is untrue, in a few words; None where it agrees with the
    card. The family's own `contradicts` decides, where it has one."""
    contradicts = getattr(family, "contradicts", None)
    if contradicts is not None:
        why: str | None = contradicts(fact, card)
        return why
    return None if states(fact, card) else f"the card says otherwise about {fact.kind}"
