"""Authorization: what to do about a request, for how much, on whose approval, or whom else to ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define

from adidem.core.contracts import Checker, Family
from adidem.core.domain import Amount, Fact, Heard, Public, RoleCard, Seat, Text, Violation, World, other
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule
from adidem.core.scenarios import PairedFamily, Setting, Sketch
from adidem.plugins.families._requests import Approval, Referral, holder_of, holder_of_facts
from adidem.plugins.families._unsaid import unguessed

if TYPE_CHECKING:
    from random import Random

    from adidem.plugins.families.hearing import approvals
else:
    approvals = LazyModule("adidem.plugins.families.hearing.approvals")

ROOM = 2
"""How many steps at most the one's bound lies from the other's, on the side where a plan fits or where none does."""


@define
class Authorization(PairedFamily):
    """Public: a request, a list of actions, a step and a largest amount in one unit, who asks, and in most settings
    an outside approver. Private: `authority`, of the one who is asked: the most that may be approved of each action,
    `{action: limit}`; `need`, of the one who asks: the least of each action that helps, `{action: least}`. In both, 0
    rules the action out and None is not known."""

    name: ClassVar[str] = "authorization"
    terms: ClassVar[type] = Approval
    defer_terms: ClassVar[type | None] = Referral
    settings_file: ClassVar[Path] = Path(__file__).with_suffix(".yaml")
    kinds: ClassVar[Sequence[str]] = ("agree/agree", "agree/defer", "agree/decline")

    def own_checkers(self) -> tuple[Checker, ...]:
        """The rules of this family."""
        return (ApprovalRules(),)

    def plans(self, world: World) -> Iterable[Approval]:
        """Every action, amount on the grid from one step to the largest, and approver of the two."""
        facts = world.public.facts
        for action in facts["actions"]:
            for amount in range(facts["step"], facts["largest"] + 1, facts["step"]):
                for name in world.public.names:
                    yield Approval(Text(action), amount, Text(name))

    def passing(self, world: World) -> Iterable[Approval]:
        """From the least that helps to the most that may be approved, action by action."""
        facts, public = world.public.facts, world.public
        step, holder = facts["step"], holder_of(public)
        limits = world.of(holder, "authority") or {}
        needs = world.of(other(holder), "need") or {}
        for action in facts["actions"]:
            limit, least = limits.get(action), needs.get(action)
            if least == 0:
                continue
            low = -(-max(step, least or step) // step) * step
            high = facts["largest"] if limit is None else min(limit, facts["largest"])
            for amount in range(low, int(high) + 1, step):
                yield Approval(Text(action), amount, Text(public.name(holder)))

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """The actions, the two names, and the outside approver where there is one."""
        outside = () if public.approver is None else (public.approver,)
        return {"action": tuple(public.facts["actions"]), "approved_by": public.names, "approver": outside}

    # ------------------------------------------------------------------------------------------------ scenarios

    def pair_kind(self, setting: Setting, number: int) -> str:
        """Turn about agree/agree and what the setting allows beyond the authority; the other way in the next round."""
        turn = number + number // len(self.settings(setting.split))
        if turn % 2 == 0:
            return "agree/agree"
        return "agree/decline" if setting.approver is None else "agree/defer"

    def owner(self, number: int) -> Seat:
        """Both owners for every pair kind, and in later rounds for every setting."""
        return "first" if (number // 2 + number // 32) % 2 == 0 else "second"

    def sketch(self, setting: Setting, rng: Random, kind: str, owner: Seat) -> Sketch | None:
        """The partner's amounts are drawn first; the owner's lie on the fitting side of them for the action that shall
        pass in a world and on the other side for the rest. Two agreements rest on different actions.

        One of the two actions lies low and one high in both worlds, so that the greater of the own bounds is no hint.
        """
        facts = _public_facts(setting)
        holder = holder_of_facts(facts)
        kinds: dict[Seat, str] = {holder: "authority", other(holder): "need"}
        grids = _grids(setting)
        ruled_out = {"authority": _ruled_out(setting, "never"), "need": _ruled_out(setting, "useless")}
        theirs, ours = ruled_out[kinds[other(owner)]], ruled_out[kinds[owner]]
        live = [action for action in grids if action not in theirs | ours]
        sign = 1 if owner == holder else -1
        apart = {a: 0 if a in ours else rng.choice(grids[a]) for a in grids if a not in live}
        one, two = rng.sample(live, 2)
        thirds = dict(zip((one, two), rng.choice(((0, 2), (2, 0))), strict=True))
        fixed = {a: _inside(rng, grid, thirds.get(a, 1)) for a, grid in grids.items()}
        fitting = ({one}, {two} if kind == "agree/agree" else set[str]())
        worlds = [
            {a: apart[a] if a in apart else _beside(rng, grids[a], fixed[a], sign, near=a in fits) for a in grids}
            for fits in fitting
        ]
        values = {owner: worlds[0], other(owner): {a: 0 if a in theirs else fixed[a] for a in grids}}
        return Sketch(
            facts,
            _shown(setting, facts),
            {("first", kinds["first"]): values["first"], ("second", kinds["second"]): values["second"]},
            (owner, kinds[owner]),
            worlds[1],
        )

    def words(self, kind: str, value: Any, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """For each action's key the amount as spoken (`{overtime}`: "8 hours"), and `{overtime_n}` the bare number."""
        keys = facts["speech"]
        spoken = {keys[a]["key"]: spoken_amount(n, facts) for a, n in value.items()}
        return {**spoken, **{f"{keys[a]['key']}_n": n for a, n in value.items()}}

    # --------------------------------------------------------------------------------------------------- speech

    def say(self, terms: Approval | Referral, public: Public) -> str:
        """`6 hours of overtime, approved by Gudrun`; of a deferral `Beatrix has to decide this`."""
        if isinstance(terms, Referral):
            return f"{terms.approver} has to decide this"
        amount = spoken_amount(terms.amount, public.facts)
        said = public.facts["speech"].get(terms.action, {}).get("say", "{amount} of " + terms.action)
        return f"{said.format(amount=amount)}, approved by {terms.approved_by}"

    @unguessed("approves")
    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """Bounds with "up to", "at most", "anything over" are the authority of who may approve, bounds with "need" or
        "at least" the need of who asks; an amount of an action is a plan; a matter taken to the outside approver a
        deferral. "I can sign off 6 hours" is a plan and a claim (kind `approves`) to have that much authority."""
        return approvals.Listener(text, public, speaker).heard()

    def contradicts(self, fact: Fact, card: RoleCard) -> str | None:
        """A stated bound that is not the card's; authority or an approval beyond the card's is invented. An amount that
        the card gives for another action is taken as misheard, not as untrue."""
        if not isinstance(fact.value, Mapping):
            return None
        kind = "need" if fact.kind == "need" else "authority"
        held = next((c.value for c in card.conditions if c.kind == kind), None)
        if held is None and (kind == "need" or card.seat == holder_of(card.public)):
            return None
        for action, said in fact.value.items():
            misheard = said and held is not None and said in held.values()
            why = None if said is None or misheard else _untrue(fact.kind, action, said, held, card)
            if why is not None:
                return why
        return None


def spoken_amount(amount: Amount, facts: Mapping[str, Any]) -> str:
    """`8 hours`, `1 hour`, `£120`."""
    if facts.get("sign"):
        return f"{facts['sign']}{amount:,}"
    return f"{amount:,} {facts['unit'] if amount == 1 else facts['units']}"


def _untrue(kind: str, action: str, said: Amount, held: Mapping[str, Any] | None, card: RoleCard) -> str | None:
    facts = card.public.facts
    if held is None:
        return f"claims to approve {action}, but holds no authority" if said else None
    true = held.get(action, 0)
    if true is None or said == true or (kind == "approves" and said <= true):
        return None
    what = spoken_amount(said, facts)
    if kind == "need":
        due = f"{spoken_amount(true, facts)} is the least that helps" if true else f"{action} does not help at all"
        return f"said {what} of {action} is the least that helps, but by the card {due}"
    if not true:
        return f"claims authority for {what} of {action}, but the card gives none"
    return f"claims authority for {what} of {action}, but the card says {spoken_amount(true, facts)} at most"


# ---------------------------------------------------------------------------------------------------- drawing


def _public_facts(setting: Setting) -> dict[str, Any]:
    params = setting.params
    shared = {key: params[key] for key in ("request", "requester", "step", "largest")}
    units = {key: params[key] for key in ("unit", "units", "sign", "called") if key in params}
    actions = params["actions"]
    speech = {a["name"]: {"key": a["key"], "say": a["say"], "words": list(a["words"])} for a in actions}
    return {**shared, **units, "actions": [a["name"] for a in actions], "speech": speech}


def _shown(setting: Setting, facts: Mapping[str, Any]) -> dict[str, Any]:
    listed = [a.get("listed", a["name"]) for a in setting.params["actions"]]
    return {
        **facts,
        "step": spoken_amount(facts["step"], facts),
        "largest": spoken_amount(facts["largest"], facts),
        "options": " or ".join([", ".join(listed[:-1]), listed[-1]]),
    }


def _grids(setting: Setting) -> dict[str, Sequence[int]]:
    step = setting.params["step"]
    return {a["name"]: range(a["range"][0], a["range"][1] + 1, step) for a in setting.params["actions"]}


def _ruled_out(setting: Setting, param: str) -> frozenset[str]:
    keys = setting.params.get(param, ())
    return frozenset(a["name"] for a in setting.params["actions"] if a["key"] in keys)


def _inside(rng: Random, grid: Sequence[int], third: int) -> int:
    """An amount in that third (0, 1 or 2) of the grid, with ROOM on both sides."""
    places = grid[ROOM : len(grid) - ROOM]
    return places[rng.randint(third * len(places) // 3, (third + 1) * len(places) // 3 - 1)]


def _beside(rng: Random, grid: Sequence[int], fixed: int, sign: int, *, near: bool) -> int:
    """An amount that fits beside a fixed one (`sign` 1: a limit over a need), or just does not."""
    at = grid.index(fixed)
    return grid[at + sign * rng.randint(0, ROOM)] if near else grid[at - sign * rng.randint(1, ROOM)]


# ------------------------------------------------------------------------------------------------------ rules


@define
class ApprovalRules:
    """An agreement names an action of the list, a whole amount on the grid, who holds the authority, no more than
    they may approve and no less than helps; a deferral names the outside approver."""

    name: ClassVar[str] = "authorization"
    families: ClassVar[tuple[str, ...]] = ("authorization",)

    def check(self, world: World, terms: Any) -> Iterable[Violation]:
        """Every violation of an agreement's or a deferral's terms."""
        if isinstance(terms, Referral):
            return _check_referral(world, terms)
        return _check_approval(world, terms)


def _check_referral(world: World, terms: Referral) -> Iterator[Violation]:
    named = world.public.approver
    if named is None:
        yield Violation("approver", "there is nobody outside to decide", None, terms.approver, None)
    elif terms.approver != named:
        yield Violation("approver", f"{terms.approver} does not decide this; {named} does", None, terms.approver, named)


def _check_approval(world: World, terms: Approval) -> Iterator[Violation]:
    facts, public = world.public.facts, world.public
    holder = holder_of(public)
    if terms.action not in facts["actions"]:
        yield Violation("action", f"{terms.action} is not on the list", None, terms.action, list(facts["actions"]))
    yield from _check_amount(terms.amount, facts)
    if terms.approved_by != public.name(holder):
        message = f"{terms.approved_by} cannot approve this; {public.name(holder)} can"
        yield Violation("approved_by", message, holder, terms.approved_by, public.name(holder))
    limit = (world.of(holder, "authority") or {}).get(terms.action)
    if limit is not None and terms.amount > limit:
        message = f"{terms.amount} of {terms.action} is more than {public.name(holder)} may approve, {limit}"
        yield Violation("authority", message, holder, terms.amount, limit)
    least = (world.of(other(holder), "need") or {}).get(terms.action)
    asker = public.name(other(holder))
    if least == 0:
        yield Violation("need", f"{terms.action} is of no help to {asker}", other(holder), terms.action, None)
    elif least is not None and terms.amount < least:
        message = f"{terms.amount} of {terms.action} is less than helps {asker}, {least}"
        yield Violation("need", message, other(holder), terms.amount, least)


def _check_amount(amount: Amount, facts: Mapping[str, Any]) -> Iterator[Violation]:
    step, largest = facts["step"], facts["largest"]
    if not isinstance(amount, int):
        yield Violation("whole", f"{amount} is not a whole number", None, amount, "a whole number")
    elif amount % step:
        yield Violation("step", f"{amount} is not in steps of {step}", None, amount, step)
    if not step <= amount <= largest:
        yield Violation("amount", f"{amount} is outside {step} to {largest}", None, amount, [step, largest])


@hookimpl
def adidem_register_families(register: Register[Family]) -> None:
    """Authorization."""
    register(Authorization)


@hookimpl
def adidem_register_checkers(register: Register[Checker]) -> None:
    """Its rules."""
    register(ApprovalRules)
