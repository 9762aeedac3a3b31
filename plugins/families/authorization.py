"""Authorization: what to do about a request, for how much, on whose approval, or whom else to ask."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal

from attrs import define, evolve, frozen

from adidem.core.contracts import Checker, Family
from adidem.core.domain import (
    Amount,
    Deferral,
    Fact,
    Heard,
    Plan,
    Public,
    RoleCard,
    Seat,
    Text,
    Violation,
    World,
    other,
)
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.language.clauses import level, sentences
from adidem.core.language.numbers import find_numbers
from adidem.core.scenarios import PairedFamily, Setting, Sketch

NEAR, FAR = 3, 4
"""How many steps a bound may lie inside the other's (a plan fits) and outside it (none does)."""


@frozen
class Approval:
    """An agreement: which action, how much of it in the setting's unit, and which of the two approves it."""

    action: Text
    amount: Amount
    approved_by: Text


@frozen
class Referral:
    """A deferral: the person outside the conversation who is to decide."""

    approver: Text


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
        pass in a world and on the other side for the rest. Two agreements rest on different actions."""
        facts = _public_facts(setting)
        holder = holder_of_facts(facts)
        kinds: dict[Seat, str] = {holder: "authority", other(holder): "need"}
        grids = _grids(setting)
        ruled_out = {"authority": _ruled_out(setting, "never"), "need": _ruled_out(setting, "useless")}
        theirs, ours = ruled_out[kinds[other(owner)]], ruled_out[kinds[owner]]
        live = [action for action in grids if action not in theirs | ours]
        sign = 1 if owner == holder else -1
        fixed = {a: _middle(rng, grid, sign) for a, grid in grids.items()}
        apart = {a: 0 if a in ours else rng.choice(grids[a]) for a in grids if a not in live}
        one, two = rng.sample(live, 2)
        fitting = ({one}, {two} if kind == "agree/agree" else set[str]())
        worlds = [
            {a: apart[a] if a in apart else _beside(rng, grids[a], fixed[a], sign, near=a in fits) for a in grids}
            for fits in fitting
        ]
        values = {owner: worlds[0], other(owner): {a: 0 if a in theirs else fixed[a] for a in grids}}
        return Sketch(
            facts,
            _shown(facts),
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

    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """Bounds with "up to", "at most", "anything over" are the authority of who may approve, bounds with "need" or
        "at least" the need of who asks; an amount of an action is a plan; a matter taken to the outside approver a
        deferral. "I can sign off 6 hours" is a plan and a claim (kind `approves`) to have that much authority."""
        return _Listener(text, public, speaker).heard()

    def contradicts(self, fact: Fact, card: RoleCard) -> str | None:
        """A stated bound that is not the card's; authority or an approval beyond the card's is invented."""
        if not isinstance(fact.value, Mapping):
            return None
        kind = "need" if fact.kind == "need" else "authority"
        held = next((c.value for c in card.conditions if c.kind == kind), None)
        if held is None and (kind == "need" or card.seat == holder_of(card.public)):
            return None
        for action, said in fact.value.items():
            why = None if said is None else _untrue(fact.kind, action, said, held, card)
            if why is not None:
                return why
        return None


def holder_of(public: Public) -> Seat:
    """The seat of the one who is asked, and so may hold delegated authority."""
    return holder_of_facts(public.facts)


def holder_of_facts(facts: Mapping[str, Any]) -> Seat:
    """The same from the public facts alone."""
    return "second" if facts["requester"] == "first" else "first"


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


def _shown(facts: Mapping[str, Any]) -> dict[str, Any]:
    actions = facts["actions"]
    return {
        **facts,
        "step": spoken_amount(facts["step"], facts),
        "largest": spoken_amount(facts["largest"], facts),
        "options": " or ".join([", ".join(actions[:-1]), actions[-1]]),
    }


def _grids(setting: Setting) -> dict[str, Sequence[int]]:
    step = setting.params["step"]
    return {a["name"]: range(a["range"][0], a["range"][1] + 1, step) for a in setting.params["actions"]}


def _ruled_out(setting: Setting, param: str) -> frozenset[str]:
    keys = setting.params.get(param, ())
    return frozenset(a["name"] for a in setting.params["actions"] if a["key"] in keys)


def _middle(rng: Random, grid: Sequence[int], sign: int) -> int:
    """An amount with room on both sides: NEAR steps where the owner's fits (above for a limit), FAR where it fails."""
    below, above = (FAR, NEAR) if sign > 0 else (NEAR, FAR)
    return grid[rng.randint(below, len(grid) - 1 - above)]


def _beside(rng: Random, grid: Sequence[int], fixed: int, sign: int, *, near: bool) -> int:
    at = grid.index(fixed)
    return grid[at + sign * rng.randint(0, NEAR)] if near else grid[at - sign * rng.randint(1, FAR)]


# ---------------------------------------------------------------------------------------------------- hearing

Kind = Literal["authority", "need", "plan"]
Party = Literal["speaker", "listener", "outside", "nobody"]
_PARTIES: Mapping[str, Party] = {"i": "speaker", "you": "listener", "third": "outside"}

_LIMIT_NOUN = r"(?:limit|ceiling|cap|allowance|authority|discretion|remit|budget|signature|sign-off|say-so|mandate|leash|purse|kitty)"
_NOT = r"(?:can't|cannot|can\s+not|couldn't|won't|wouldn't|may\s+not|mustn't|must\s+not|don't|doesn't|didn't|do\s+not|not|never|isn't|aren't|unable\s+to)"
_HIGH = (
    r"\bup\s+to|\bat\s+(?:the\s+)?(?:very\s+)?(?:most|outside)|\b(?:no|not|nothing)\s+(?:more|further|longer|higher|bigger|larger)\s+than"
    r"|\bmax(?:imum)?\b|\bas\s+(?:far|high|much|many|long)\s+as|\bto\s+a\s+(?:limit|ceiling|maximum|total)\s+of"
    rf"|\b(?:my|our|your)\s+(?:[a-z'-]+\s+){{0,2}}{_LIMIT_NOUN}(?:\s+[a-z-]+){{0,6}}?\s+(?:is|are|stops|ends|runs|goes|reaches|covers|extends|stretches|sits|stands|finishes|at|of)"
    r"|\b(?:stops?|ends?|caps?|capped|tops?\s+out|max(?:es)?\s+out|runs?\s+out|limited|limits?\s+me|draws?\s+the\s+line)\s+(?:me\s+)?(?:at|to|after)"
    rf"|\b{_NOT}\s+(?:[a-z'-]+\s+){{0,6}}?(?:more\s+than|past|beyond|above|over|exceed)"
    r"|\b(?:anything|everything|whatever|nothing)(?:'s|\s+is|\s+that\s+is)?\s+(?:over|above|beyond|past|more\s+than|longer\s+than|bigger\s+than|higher\s+than)"
)
_NEEDS = (
    r"(?<!n't )(?<!not )(?<!never )\b(?:need|needs|require|requires|must\s+have)\b"
    r"(?!\s+(?:you|someone|somebody|your|approval|permission|a\s+yes|an?\s+(?:ok|answer|approval|signature)"
    r"|(?:more|fewer|less)\s+than|to\s+(?:ask|check|know|hear|have\s+you|go|take|talk|be\s+(?:signed|approved)|run|refer|escalate))\b)"
)
_LOW = (
    r"\bat\s+(?:the\s+)?(?:very\s+)?least|\bno\s+(?:less|fewer|shorter)\s+than|\b(?:bare\s+|absolute\s+)?minimum\b|\bmin\b"
    r"|\b(?:the\s+|my\s+|our\s+)?(?:least|smallest|lowest|fewest|shortest)\b(?:\s+[a-z'-]+){1,8}?\s+(?:is|are|would\s+be)"
    r"|\b(?:anything|nothing|everything)\s+(?:under|below|less\s+than|short(?:er)?\s+(?:of|than)|smaller\s+than|fewer\s+than)"
    rf"|\b{_NOT}\s+(?:[a-z'-]+\s+){{0,7}}?(?:less\s+than|fewer\s+than|under|below|short\s+of|until|till|before)"
    r"|\b(?:less|fewer|shorter|smaller)\s+than|\bshort\s+of|\b(?:under|below)(?=\s)"
    r"|\b(?:starts?|begins?)\s+(?:(?:to\s+)?[a-z]+(?:\s+[a-z]+){0,2}?\s+)?(?:at|from|with)\b"
    r"|\bit(?:'d|'ll|\s+would|\s+will)?\s+(?:only\s+|really\s+)?takes?\b"
    rf"|{_NEEDS}"
)
_PROPOSE = (
    r"\b(?:how|what)\s+about|\blet's|\blet\s+us|\bshall\s+we|\bwhy\s+(?:don't\s+we|not)|\bthen\s+it's|\bit's\s+settled|\bsettle\s+(?:on|for)"
    r"|\bi(?:'d|\s+would)?\s+(?:propose|suggest)|\bmake\s+(?:it|that)|\bgo(?:ing)?\s+(?:with|for)\b|\bi'll\s+(?:take|accept|go)|\b(?:agreed|deal)\b"
)
_REFUSE = (
    r"\b(?:can't|cannot|can\s+not|couldn't|won't|not\s+able\s+to|unable\s+to|(?:not|n't)\s+(?:allowed|authori[sz]ed|permitted|entitled)\s+to"
    r"|may\s+not|mustn't|no\s+authority\s+(?:to|for|over)|refuse\s+to|don't\s+have\s+the\s+authority)\b"
)
_SLIP = r"\b(?:sorry|i\s+mean(?:t)?|scratch\s+that|correction|make\s+that|or\s+rather|my\s+mistake|wait,?\s+no|no,?\s+wait|i\s+misspoke)\b"
_STEER = re.compile(rf"(?P<high>{_HIGH})|(?P<low>{_LOW})|(?P<propose>{_PROPOSE})|(?P<refuse>{_REFUSE})|(?P<slip>{_SLIP})")
_TURN = re.compile(r"\b(?:so|then|therefore|which\s+means|that\s+means|would\s+(?:that|you)|could\s+you|can\s+you|would)\b|[;—]")
_HIGH_TAIL = re.compile(
    r"[\s,]*(?:(?:at\s+(?:the\s+)?(?:very\s+)?(?:most|outside)|tops|max(?:imum)?|or\s+(?:less|under|fewer|below)"
    r"|and\s+(?:not?|never)\s+(?:a\s+[a-z]+\s+)?(?:more|further|longer|higher)|but\s+no\s+(?:more|further|longer|higher)|and\s+that's\s+(?:it|all|my\s+[a-z]+))\b"
    r"|(?:(?:is|are|'s|would\s+be)\s+)(?:(?:about\s+)?as\s+(?:far|high|much|many|long)\s+as|(?:all|everything|the\s+most)\s+(?:that\s+)?(?:i|my)\b"
    rf"|(?:my|the|our)\s+(?:[a-z-]+\s+)?(?:{_LIMIT_NOUN}|most|max(?:imum)?|top)|where\s+(?:my|i)\b))"
)
_LOW_TAIL = re.compile(
    r"[\s,]*(?:(?:at\s+(?:the\s+)?(?:very\s+)?least|minimum|or\s+(?:more|longer|better|above|over|nothing)|and\s+(?:up|above|upwards)|upwards)\b"
    r"|(?:is|are|'s|would\s+be)\s+(?:the|my|our)\s+(?:[a-z-]+\s+)?(?:least|smallest|lowest|minimum|fewest|shortest|floor)\b)"
)
_OVER_TAIL = re.compile(
    r"[\s,]*(?:is|are|'s|would\s+be|was)?\s*(?:too\s+(?:much|many|long|high)|more\s+than\s+(?:i|we)|beyond|over\s+my|above\s+my"
    r"|out\s+of\s+(?:reach|the\s+question|my)|not\s+(?:mine|something\s+i)|n't\s+(?:mine|something\s+i))\b"
)
_UNFIT_TAIL = re.compile(
    r"[\s,]*(?:is|are|'s|would\s+be|was)?\s*(?:(?:just|really|simply|far|way|still)\s+)?(?:too\s+(?:much|many|little|few|long|short|low|high)"
    r"|(?:not|n't)\s+(?:really\s+)?(?:be\s+)?(?:enough|work|do|help|possible|mine|something\s+i|any\s+use|worth)"
    r"|(?:won't|wouldn't|doesn't|don't|isn't|aren't|can't)\s+(?:really\s+)?(?:be\s+)?(?:enough|work|do|help|possible|mine|something\s+i|any\s+(?:use|good)|fit|cut\s+it|happen|worth)"
    r"|no\s+(?:use|good|help)|useless|pointless|more\s+than\s+(?:i|we)|beyond|over\s+my|above\s+my|out\s+of\s+(?:reach|the\s+question|my))\b"
)
_WANTED_TAIL = re.compile(r"[\s,]*(?:approved|signed\s+off|authori[sz]ed|okayed)(?!\s+by)\b")
_PAST = re.compile(
    r"\b(?:already|last\s+(?:week|month|year|time|season|spring|summer|autumn|winter|term)|yesterday|so\s+far|ago|used\s+up|previously|back\s+in|once\s+had|originally)\b"
)
_NOT_THIS = re.compile(r"(?:\bnot|\binstead\s+of|\brather\s+than|\bin\s+place\s+of|\bdown\s+from|\bup\s+from|\bin|\bwithin|\bevery|\bnext|\bpast)\s+(?:the\s+|those\s+|just\s+)?$")
_DENIED_NEED = re.compile(r"(?:n't|\bnot|\bnever)\s+(?:really\s+|even\s+)?(?:need|require)\b[^,.;]*$")
_CLOCK_LEAD = re.compile(r"\b(?:at|by|until|till|before|after|since|around)\s+$")
_ASKS = re.compile(
    r"(?:(?:so|and|but|ok|okay|well|right|then|sorry|or)[\s,]+)*(?:can|could|would|will|do|does|did|is|are|may|might|have|has|what|which|how|why|who|when|where|any)\b"
)
_SUPPOSE = re.compile(r"\b(?:if|unless|suppose|supposing|imagine|assuming|whether|in\s+case)\b")
_APPROVE = r"(?:approv(?:e|es|ed|ing|al)|sign(?:s|ed|ing)?(?:\s+(?:it|this|that|them))?(?:\s+(?:off|for))?|authori[sz](?:e|es|ed|ing)|okay|grant|green-?light|clear)"
_CLAIM = re.compile(
    rf"\b(?:i|we)(?:'ll|'m|'ve|'d)?\s+(?:(?:am|can|may|could|will|would|happily|gladly|hereby|already|have|been|be|just|also|able\s+to|allowed\s+to|free\s+to"
    rf"|entitled\s+to|authori[sz]ed\s+to|cleared\s+to|permitted\s+to|happy\s+to|the\s+authority\s+to|authority\s+to|authority\s+for)\s+){{0,4}}"
    rf"(?:{_APPROVE}(?:\s+off)?(?:\s+on)?|(?<=authority\sfor))\b"
)
_ALLOWED = re.compile(r"\b(?:allowed|authori[sz]ed|permitted|entitled|cleared|have\s+(?:the\s+)?authority|free)\s+(?:to|for)\b")
_AUTHORITY_WORD = re.compile(
    rf"\b(?:{_APPROVE}|authority|my\s+(?:[a-z-]+\s+)?{_LIMIT_NOUN}|on\s+my\s+own|without\s+(?:asking|anyone|checking))\b"
)
_ANY_AMOUNT = re.compile(
    r"\b(?:any\s+(?:amount|number)|as\s+(?:much|many|long)\s+as\s+(?:you|it\s+takes|needed|necessary)|whatever\s+(?:amount\s+)?you|no\s+limit|unlimited|without\s+(?:a\s+)?limit)\b"
)
_NONE_BEFORE = re.compile(
    rf"(?:\bno|\bnever\s+any|\bno\s+(?:say|authority|power|discretion)\s+(?:at\s+all\s+)?(?:over|on|for|about|to\s+{_APPROVE})(?:\s+any)?"
    rf"|\b(?:can't|cannot|couldn't|may\s+not|not\s+allowed\s+to|mustn't)\s+(?:[a-z]+\s+)?(?:{_APPROVE}|touch|offer|give\s+you|agree\s+to|lend|promise|say\s+yes\s+to|decide\s+on|decide)(?:\s+(?:you|off|on))?(?:\s+(?:any|an?|the))?"
    r"|\bnothing\s+(?:at\s+all\s+)?(?:for|on|towards|over))\s+(?:kind\s+of\s+|sort\s+of\s+)?$"
)
_NONE_AFTER = re.compile(
    r"[\s,]*(?:(?:is|are)(?:n't|\s+not)|'s\s+not|was\s+never|is\s+never|are\s+never|(?:is|are)\s+nothing)\s+(?:mine|in\s+my\s+(?:gift|power|hands)|something\s+i|anything\s+i|up\s+to\s+me|my\s+(?:call|decision)|for\s+me\s+to|i\s+(?:can|may))\b"
    r"|[\s,]*(?:is|are|'s|stays?|lies?)\s+(?:[a-z]+\s+)?(?:out\s+of\s+my\s+(?:hands|reach|power)|above\s+my|beyond\s+(?:me|my)|outside\s+my|closed\s+to\s+me|off\s+limits)\b"
    r"|[\s,]*i\s+(?:can't|cannot|may\s+not|have\s+no|am\s+not\s+allowed\s+to)\s+(?:[a-z]+\s+)?(?:approve|sign|authori[sz]e|grant|touch|offer|decide|agree|say|power|authority|promise|lend|give)\b"
)
_USELESS_AFTER = re.compile(
    r"[\s,]*(?:(?:would|will|is|are|'s|does|do|can|could)\s+(?:(?:simply|just|really|honestly|frankly|be|of|at|all)\s+){0,3})?"
    r"(?:(?:(?:n't|not|wouldn't|won't|doesn't|don't|isn't|aren't|can't)\s+(?:(?:really|actually|at\s+all|be|of)\s+){0,2}(?:help|any\s+(?:use|good|help)|fix|solve|worth|useful))"
    r"|(?:(?:be|of)\s+)*(?:no\s+(?:use|help|good)|useless|pointless|wasted|no\s+earthly\s+use))\b"
)
_PARTY_VERB = r"(?:'d|'ll|'re|'ve)?\s+(?:can|could|may|need|needs|said|say|have|has|are|is|only|must|want|told|mentioned|would|will|won't|can't|cannot|couldn't|approve|approves|sign|signs|get|also|just|take|require)\b"
_BY_NAME = rf"(?:{_APPROVE}|okay'?d|cleared|agreed)\s+by\s+"


@frozen(slots=True)
class _Lexicon:
    """The patterns that depend on a scenario's public words alone."""

    action: re.Pattern[str]
    actions: Mapping[str, str]
    unit: re.Pattern[str]
    link: re.Pattern[str]
    party: re.Pattern[str]
    approver: re.Pattern[str]
    outside: re.Pattern[str] | None
    over: re.Pattern[str] | None


@lru_cache(maxsize=512)
def _lexicon(
    actions: tuple[tuple[str, tuple[str, ...]], ...],
    units: tuple[str, ...],
    names: tuple[str, str],
    outside: tuple[str, ...],
) -> _Lexicon:
    words = {_plain(word): action for action, spoken in actions for word in (action, *spoken)}
    spoken = "|".join(re.escape(w).replace(r"\ ", r"[\s-]+") for w in sorted(words, key=len, reverse=True))
    unit = "|".join(re.escape(level(u)) for u in units)
    one, two = (re.escape(level(name)) for name in names)
    third = "|".join(re.escape(level(name)) for name in outside)
    who = rf"(?P<{{}}>{one}|{two}|i|we|me|you{'|' + third if third else ''})"
    return _Lexicon(
        re.compile(rf"\b(?P<word>{spoken})(?:s|es)?\b"),
        words,
        re.compile(rf"(?:[\s-]+[a-z'-]+){{0,2}}?[\s-]*(?:{unit})\b"),
        re.compile(
            rf"(?:[\s-]*(?:{unit})\b)?(?:\s+|-)(?:(?:of|for|worth|towards?|on|with|from|as|in|to|the|a|an|extra|more"
            r"|additional|your|my|our|that|this|some|using|under|spent|out|each)\s+){0,4}$"
        ),
        re.compile(
            rf"(?P<i>\b(?:i|we)(?:'[a-z]+)?\b|\b(?:my|our)\b|\b(?:lets|allows|permits|trusts|gives|leaves|hands|limits|stops|caps)\s+me\b)"
            rf"|(?P<you>(?<!what )(?<!all )\b(?:you{_PARTY_VERB}|your\b))"
            rf"|(?P<name>\b(?:{one}|{two})(?:'s\b|{_PARTY_VERB}))"
            + (rf"|(?P<third>\b(?:{third})(?:'s\b|{_PARTY_VERB}))" if third else "")
        ),
        re.compile(
            rf"{_BY_NAME}{who.format('by')}\b"
            rf"|\b{who.format('does')}(?:'ll|'d|'s)?\s+(?:(?:can|may|could|will|would|to|happily|just|also|then|be)\s+){{0,2}}{_APPROVE}\b"
            rf"|\b(?:on|with|under|given)\s+(?:(?P<mine>my|your|{one}'s|{two}'s))\s+(?:approval|sign-?off|say-so|ok|okay|signature|authority)\b"
        ),
        _outside_pattern(third) if third else None,
        re.compile(rf"\b(?:over|above|beyond|past|more\s+than)\s+$|(?P<to>[^.;!?0-9]{{0,40}}?\b(?:{third})\b)") if third else None,
    )


def _plain(word: str) -> str:
    return re.sub(r"[\s-]+", " ", level(word))


def _outside_pattern(third: str) -> re.Pattern[str]:
    it = r"(?:it|this|that|the\s+(?:matter|request|question|decision|rest|whole\s+thing))"
    return re.compile(
        r"\b(?:ask(?:ing)?|check(?:ing)?(?:\s+" + it + r")?\s+with|(?:goes|going|go|gone)\s+(?:up\s+)?to|tak(?:e|ing)\s+" + it + r"\s+(?:up\s+)?(?:to|with)"
        r"|refer(?:ring)?(?:\s+" + it + r")?\s+to|defer(?:ring)?(?:\s+" + it + r")?\s+to|leav(?:e|ing)\s+" + it + r"(?:\s+up)?\s+(?:to|with|for)|\bup\s+to"
        r"|run(?:ning)?\s+" + it + r"\s+(?:by|past)|escalat(?:e|ing)(?:\s+" + it + r")?\s+to|(?:bring|bringing|send|sending|pass|passing|put|putting|hand|handing)\s+" + it
        + r"\s+(?:on\s+|up\s+|over\s+)?to|(?:talk|talking|speak|speaking)\s+(?:to|with)|wait(?:ing)?\s+for|(?:question|decision|matter|one|call|job)\s+for"
        rf"|consult(?:ing)?|need(?:s)?|involve|get(?:ting)?|let(?:ting)?)\s+(?P<a>{third})\b(?!'s\s+(?!(?:approval|sign-?off|say-so|ok|okay|decision|call|blessing|signature|permission)\b))"
        rf"|\b(?:need|needs|get|it's|is|wait\s+for|be|require|requires|take|takes|want|wants)\s+(?P<b>{third})'s\s+(?:approval|sign-?off|say-so|ok|okay|decision|call|blessing|signature|permission)\b"
        rf"|\b(?P<c>{third})(?:'ll|\s+will|\s+would|\s+has\s+to|\s+have\s+to|\s+needs\s+to|\s+must|\s+should|\s+can|\s+could|\s+is\s+the\s+one\s+to|\s+will\s+have\s+to|\s+ought\s+to)?\s+"
        r"(?:decides?|approves?|signs?|authori[sz]es?|makes?\s+(?:the|that)\s+(?:call|decision)|says?\s+yes|weighs?\s+in|rules?\s+on|settles?)\b"
    )


_IF_ONLY = re.compile(
    r"\b(?:if|unless|when|whenever|once|until|anything|everything|whatever|nothing|should\s+(?:it|you)|whether|more\s+than\s+(?:that|this|those|it|which)"
    r"|(?:beyond|past|above|over)\s+(?:that|this|those|it|which)|the\s+rest|otherwise|ordinarily|usually|normally|always)\b"
)
_RATHER_NOT = re.compile(
    r"(?:\bwithout|\bbefore|\bno\s+need|\bneedn't|\binstead\s+of|\brather\s+than|\bsave\s+us|n't\b|\bnot\b|\bnever\b|\bno\s+point|\bavoid|\balready|\byesterday|\blast\s+(?:week|time)"
    r"|\bdo\s+(?:we|you|i)\s+(?:need|have)\s+to)(?:\s+[a-z']+){0,4}?\s*$"
)
_AFRESH = re.compile(r"[,;:—]|\b(?:so|then|and|but|which\s+means|that\s+means|therefore)\b")


@define(slots=True)
class _Said:
    """An amount said in the text, with the action it is of, once that is found."""

    value: Amount
    start: int
    end: int
    sentence: tuple[int, int]
    unit_end: int
    upto: int
    action: str | None = None
    lent: bool = False


class _Listener:
    """One utterance being understood; offsets are those of the text."""

    def __init__(self, text: str, public: Public, speaker: Seat) -> None:
        facts = public.facts
        outside = () if public.approver is None else (public.approver, *facts.get("called", ()))
        self.public, self.speaker, self.low = public, speaker, level(text)
        self.text = text
        self.asked = speaker == holder_of(public)
        self.units = _units(facts)
        self.lexicon = _lexicon(
            tuple((a, tuple(s["words"])) for a, s in facts["speech"].items()), self.units, public.names, outside
        )
        self.facts: list[Fact] = []
        self.plans: list[Plan] = []

    def heard(self) -> Heard:
        """Everything the utterance says."""
        spans = tuple((s.start, s.end) for s in sentences(self.text))
        words = [(m.start(), m.end(), self._action(m)) for m in self.lexicon.action.finditer(self.low)]
        if not words:
            return Heard(deferrals=tuple(self._deferrals(spans)))
        said = self._amounts(spans)
        ruled_out = self._rule_out([w for w in words if not self._is_counted(w, said)], spans)
        self._link(said, [w for w in words if w[0] not in ruled_out])
        groups = _groups(self.low, said)
        deferrals = list(self._deferrals(spans))
        referred = {span for span in spans for d in deferrals if span[0] <= d.start < span[1]}
        for group in groups:
            self._understand(group, referred)
        self._boast(words, spans)
        return Heard(tuple(self.facts), tuple(_kept(self.plans)), tuple(deferrals))

    def _action(self, match: re.Match[str]) -> str:
        return self.lexicon.actions[_plain(match["word"])]

    # --------------------------------------------------------------------------------------------- amounts

    def _amounts(self, spans: Sequence[tuple[int, int]]) -> list[_Said]:
        found = []
        money = bool(self.public.facts.get("sign"))
        for mention in find_numbers(self.text):
            span = next((s for s in spans if s[0] <= mention.start < s[1]), (0, len(self.low)))
            unit = self.lexicon.unit.match(self.low, mention.end, span[1])
            of_unit = mention.money if money else unit is not None
            if not of_unit and (mention.money or not self._may_count(mention.unit, mention.end)):
                continue
            if not of_unit and _CLOCK_LEAD.search(self.low, span[0], mention.start):
                continue
            upto = unit.end() if unit is not None else mention.end
            found.append(_Said(mention.value, mention.start, mention.end, span, upto, upto))
        return found

    def _may_count(self, unit: str | None, end: int) -> bool:
        if unit is None:
            return True
        return any(m.start() - end <= len(unit) + 12 for m in self.lexicon.action.finditer(self.low, end, end + 40))

    def _is_counted(self, word: tuple[int, int, str], said: Sequence[_Said]) -> bool:
        return any(a.end <= word[0] and self.lexicon.link.fullmatch(self.low[a.end : word[0]]) for a in said)

    def _link(self, said: list[_Said], words: Sequence[tuple[int, int, str]]) -> None:
        """Give every amount its action: the nearest that is not another's, or the only one there is."""
        free = list(words)
        for index, amount in enumerate(said):
            begin, end = _reach(said, index)
            for word in free:
                if amount.end <= word[0] < end and self.lexicon.link.fullmatch(self.low[amount.end : word[0]]):
                    self._take(amount, word, free)
                    break
        for index, amount in enumerate(said):
            begin, end = _reach(said, index)
            if amount.action is None:
                before = [w for w in free if begin <= w[0] and w[1] <= amount.start]
                after = [w for w in free if amount.end <= w[0] < end]
                if before or after:
                    self._take(amount, before[-1] if before else after[0], free)
        known = {action for _, _, action in words}
        for amount in said:
            if amount.action is None and len(known) == 1:
                amount.action, amount.lent = next(iter(known)), True

    @staticmethod
    def _take(amount: _Said, word: tuple[int, int, str], free: list[tuple[int, int, str]]) -> None:
        amount.action = word[2]
        amount.upto = max(amount.upto, word[1])
        free.remove(word)

    # ---------------------------------------------------------------------------------------------- meaning

    def _understand(self, group: _Group, referred: set[tuple[int, int]]) -> None:
        """Turn one group of amounts into parts of a fact, or into plans."""
        if _DENIED_NEED.search(self.low, group.begin, group.start):
            return
        kind, at = self._kind(group)
        if kind != "plan":
            if self._is_stated(kind, at, group):
                self._state(kind, at, group)
            return
        rejected = group.cue == "refuse" or bool(_UNFIT_TAIL.match(self.low, group.upto))
        if rejected or not self._is_idle(group, referred):
            self._propose(group, rejected)

    def _kind(self, group: _Group) -> tuple[Kind, int]:
        """What the group's cue, or what follows its last amount, makes of it, and where that stands."""
        low, last = self.low, group.amounts[-1]
        end = last.sentence[1]
        compared = re.search(r"\b(?:over|above|beyond|past|more\s+than)\s+$", low[group.begin : group.start])
        if group.cue in ("propose", "refuse"):
            return "plan", group.start
        if compared is not None and group.cue != "high":
            outside = self.lexicon.over is not None and self.lexicon.over.match(low, group.upto, end)
            over = outside or _OVER_TAIL.match(low, group.upto, end)
            return ("authority" if over else "plan"), group.begin + compared.start()
        if group.cue == "low" and not _WANTED_TAIL.match(low, group.upto, end):
            return "need", group.cue_at
        if group.cue == "high":
            return "authority", group.cue_at
        for amount in group.amounts:
            for position in {amount.end, amount.unit_end, amount.upto}:
                if _HIGH_TAIL.match(low, position, end):
                    return "authority", group.start
                if _LOW_TAIL.match(low, position, end):
                    return "need", group.start
        return "plan", group.start

    def _is_stated(self, kind: Kind, at: int, group: _Group) -> bool:
        """False for what is asked ("can you go up to 8?"), supposed or put forward rather than stated."""
        sentence = group.amounts[0].sentence
        begin = max(sentence[0], *(self.low.rfind(mark, sentence[0], at) + 1 for mark in ",;:—"))
        clause = self.low[begin:at].lstrip()
        if self._is_question(sentence) and _ASKS.match(self.low[begin : group.start].lstrip()):
            return False
        if _SUPPOSE.search(clause):
            missed = clause.startswith("unless") or re.match(r"(?:less|fewer|under|below|short)", self.low[at : at + 8])
            return kind == "need" and bool(missed)
        return not group.put_forward

    def _state(self, kind: Kind, at: int, group: _Group) -> None:
        begin = group.amounts[0].sentence[0]
        about = self._party(begin, group.start)
        owner = "speaker" if (kind == "authority") == self.asked else "listener"
        if about == "nobody":
            about = "speaker" if owner == "speaker" else "outside"
        claimed = kind == "authority" and about == "speaker" and self._claims_authority(group)
        if about != owner and not claimed:
            return
        for amount in group.amounts:
            if amount.action is not None:
                self._add(kind, about, amount.action, amount.value, min(at, amount.start), amount.end)

    def _claims_authority(self, group: _Group) -> bool:
        begin, end = group.amounts[0].sentence
        return bool(_AUTHORITY_WORD.search(self.low, begin, end))

    def _party(self, begin: int, end: int) -> Party:
        """Whose bound it is: the last person named as a subject before it."""
        party: Party = "nobody"
        for match in self.lexicon.party.finditer(self.low, begin, end):
            if match.lastgroup == "name":
                party = "speaker" if self._seat(re.split(r"['\s]", match.group())[0]) == self.speaker else "listener"
            else:
                party = _PARTIES[match.lastgroup or "third"]
        return party

    def _seat(self, word: str) -> Seat | None:
        if word in ("i", "we", "me", "my"):
            return self.speaker
        if word in ("you", "your"):
            return other(self.speaker)
        return self.public.seat(word)

    def _is_question(self, sentence: tuple[int, int]) -> bool:
        return self.low[sentence[0] : sentence[1]].rstrip("\"') ").endswith("?")

    def _is_idle(self, group: _Group, referred: set[tuple[int, int]]) -> bool:
        """The amounts are of the past, supposed, or what the outside approver is to be asked for."""
        sentence = group.amounts[0].sentence
        if sentence in referred or _PAST.search(self.low, group.begin, min(sentence[1], group.upto + 40)):
            return True
        begin = max(sentence[0], *(self.low.rfind(mark, sentence[0], group.start) + 1 for mark in ",;:—"))
        supposed = _SUPPOSE.search(self.low, begin, group.start)
        if supposed is None:
            return False
        return not (self._is_question(sentence) and re.search(_APPROVE, self.low[supposed.end() : group.start]))

    def _propose(self, group: _Group, rejected: bool) -> None:
        approver = self._approver(group)
        if approver is None:
            return
        begin, end = group.amounts[0].sentence
        claim = _CLAIM.search(self.low, group.begin, group.start)
        asked = self._is_question((begin, end))
        allowed = claim is not None and bool(_ALLOWED.search(claim.group()))
        steered = group.cue is not None or claim is not None or asked or end - begin < 40
        for amount in group.amounts:
            if amount.action is None or (amount.lent and not steered) or self._is_aside(amount):
                continue
            if claim is not None and not rejected and not asked:
                self._add("approves", "speaker", amount.action, amount.value, claim.start(), amount.end)
            if rejected or not allowed:
                terms = Approval(Text(amount.action), amount.value, Text(approver))
                self.plans.append(Plan(terms, amount.start, max(amount.end, amount.upto), rejected))

    def _is_aside(self, amount: _Said) -> bool:
        """ "Not 6", "instead of 6", "in 3 days"."""
        return bool(_NOT_THIS.search(self.low, amount.sentence[0], amount.start))

    def _approver(self, group: _Group) -> str | None:
        """Who approves it as said, before or after the amount; unsaid, who was asked. None: somebody outside."""
        found = None
        for match in self.lexicon.approver.finditer(self.low, group.begin, group.reach):
            if found is None or found.start() < group.start:
                found = match
        if found is None:
            return self.public.name(holder_of(self.public))
        word = found["by"] or found["does"] or found["mine"]
        seat = self._seat(word.removesuffix("'s"))
        return None if seat is None else self.public.name(seat)

    def _rule_out(self, words: Sequence[tuple[int, int, str]], spans: Sequence[tuple[int, int]]) -> set[int]:
        """State a 0 for each action said to be out of the speaker's hands or of no help; gives where they stand."""
        done = set()
        for start, end, action in words:
            begin, stop = next((s for s in spans if s[0] <= start < s[1]), (0, len(self.low)))
            if self._is_question((begin, stop)):
                continue
            about = self._party(begin, start)
            useless = _USELESS_AFTER.match(self.low, end, stop)
            none = _NONE_AFTER.match(self.low, end, stop) or _NONE_BEFORE.search(self.low, begin, start)
            if useless is not None and about == ("listener" if self.asked else "speaker" if about != "nobody" else about):
                self._add("need", "listener" if self.asked else "speaker", action, 0, start, useless.end())
                done.add(start)
            elif useless is None and none is not None and self.asked and about in ("speaker", "nobody"):
                if about == "speaker" or self._party(begin, stop) == "speaker":
                    self._add("authority", "speaker", action, 0, min(start, none.start()), max(end, none.end()))
                    done.add(start)
        return done

    def _boast(self, words: Sequence[tuple[int, int, str]], spans: Sequence[tuple[int, int]]) -> None:
        """ "I can approve as much as you like": a claim to the largest amount there is."""
        for begin, end in spans:
            claim = _CLAIM.search(self.low, begin, end)
            much = claim and _ANY_AMOUNT.search(self.low, begin, end)
            if claim is None or much is None or self._is_question((begin, end)):
                continue
            if _SUPPOSE.search(self.low, begin, claim.start()):
                continue
            named = {action for start, _, action in words if begin <= start < end}
            for action in named or self.public.facts["actions"]:
                self._add("approves", "speaker", action, self.public.facts["largest"], claim.start(), claim.end())

    def _add(self, kind: str, about: Party, action: str, value: Amount, start: int, end: int) -> None:
        """Add one part to the fact of that kind about that party, or begin another where it contradicts."""
        assert about in ("speaker", "listener")
        for index, fact in enumerate(self.facts):
            if fact.kind == kind and fact.about == about and fact.value[action] in (None, value):
                both = {**fact.value, action: value}
                self.facts[index] = evolve(fact, value=both, start=min(fact.start, start), end=max(fact.end, end))
                return
        parts = {name: value if name == action else None for name in self.public.facts["actions"]}
        self.facts.append(Fact(kind, parts, about, start, end))

    def _deferrals(self, spans: Sequence[tuple[int, int]]) -> Iterator[Deferral]:
        if self.lexicon.outside is None or self.public.approver is None:
            return
        for match in self.lexicon.outside.finditer(self.low):
            begin = next((s[0] for s in spans if s[0] <= match.start() < s[1]), 0)
            held = [m.end() for m in _IF_ONLY.finditer(self.low, begin, match.start())]
            if held and not re.search(r"\b(?:so|therefore)\b", self.low[held[-1] : match.start()]):
                continue
            afresh = max((m.end() for m in _AFRESH.finditer(self.low, begin, match.start())), default=begin)
            if not _RATHER_NOT.search(self.low, afresh, match.start()):
                yield Deferral(self.public.approver, match.start(), match.end())
                return


@define(slots=True)
class _Group:
    """Amounts listed together under one cue: where the search for cues began, the cue and where it stands, and how
    far the words that belong to the group reach."""

    amounts: list[_Said]
    begin: int
    cue: str | None
    cue_at: int
    put_forward: bool
    reach: int = 0

    @property
    def start(self) -> int:
        """Where the first amount begins."""
        return self.amounts[0].start

    @property
    def upto(self) -> int:
        """Where the last amount with its unit and action ends."""
        return self.amounts[-1].upto


def _reach(said: Sequence[_Said], index: int) -> tuple[int, int]:
    """How far to either side an amount may look for its action: to the neighbours or the sentence's ends."""
    amount = said[index]
    begin, end = amount.sentence
    if index and said[index - 1].sentence == amount.sentence:
        begin = said[index - 1].end
    if index + 1 < len(said) and said[index + 1].sentence == amount.sentence:
        end = said[index + 1].start
    return begin, end


def _groups(low: str, said: Sequence[_Said]) -> list[_Group]:
    """The amounts in order, those listed without a new cue between them together; a slip takes its first word back."""
    groups: list[_Group] = []
    for index, amount in enumerate(said):
        before = said[index - 1] if index else None
        begin = before.end if before is not None and before.sentence == amount.sentence else amount.sentence[0]
        steers = list(_STEER.finditer(low, begin, amount.start))
        turn = any(True for _ in _TURN.finditer(low, begin, amount.start))
        corrects = before is not None and any(s.lastgroup == "slip" for s in steers)
        if corrects and groups:
            _take_back(groups, amount, low, begin, steers)
            continue
        joined = before is not None and before.sentence == amount.sentence and not steers and not turn
        if joined and groups and amount.action not in {a.action for a in groups[-1].amounts}:
            groups[-1].amounts.append(amount)
        else:
            groups.append(_opened(low, amount, begin, steers))
    for group, after in zip(groups, [*groups[1:], None], strict=True):
        group.reach = len(low) if after is None else after.start
    return groups


def _opened(low: str, amount: _Said, begin: int, steers: Sequence[re.Match[str]]) -> _Group:
    cue, at = None, amount.start
    if steers:
        last = steers[-1]
        gap = low[last.end() : amount.start]
        ends = _TURN.search(gap) or (last.lastgroup == "refuse" and re.search(r"[,;:]|\b(?:but|and)\b", gap))
        if not ends and last.lastgroup != "slip":
            cue, at = last.lastgroup, last.start()
    ahead = [s for s in steers if s.lastgroup == "propose" and s.start() < at]
    forward = bool(ahead) and cue in ("high", "low") and not re.search(r"[,;:]", low[ahead[-1].end() : at])
    return _Group([amount], begin, cue, at, forward)


def _take_back(
    groups: list[_Group], amount: _Said, low: str, begin: int, steers: Sequence[re.Match[str]]
) -> None:
    """Put an amount in the place of the one just said, under the same cue and of the same action unless it has its
    own."""
    group = groups[-1]
    wrong = group.amounts.pop()
    if amount.action is None or amount.lent:
        amount.action = wrong.action or amount.action
    own = _opened(low, amount, begin, steers)
    if own.cue is None or own.cue == "propose":
        own = evolve(own, cue=group.cue or own.cue, cue_at=group.cue_at, begin=group.begin, put_forward=group.put_forward)
    if not group.amounts:
        groups.pop()
    groups.append(own)


def _units(facts: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple({facts["unit"], facts["units"]})


def _kept(plans: Sequence[Plan]) -> Iterator[Plan]:
    """Each plan once, where it was last said."""
    for index, plan in enumerate(plans):
        if not any(p.terms == plan.terms and p.rejected == plan.rejected for p in plans[index + 1 :]):
            yield plan


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
