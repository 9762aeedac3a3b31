"""The scripted caller and desk: they understand one another's phrases, and little else. A mechanism check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from attrs import define, field

from adidem.core.contracts import Tool
from adidem.core.domain import Conversation, RoleCard, ToolCall, Turn, Usage
from adidem.core.language.patterns import Pattern
from adidem.plugins.families.woz import ears, words
from adidem.plugins.families.woz.database import Databases
from adidem.plugins.families.woz.dialogues import Need
from adidem.plugins.families.woz.tools import BOOK, FIND

PATIENCE = 2
"""So often a caller says the same again to a desk that asks back."""

_OFFERS = Pattern(r"\b(?:book|reserv|anything else|something else|help|assist)", 2)
FILE = Path(__file__).parent.parent / "multiwoz.yaml"


@cache
def texts() -> Mapping[str, Any]:
    """What the family and its scripted speakers say."""
    import yaml

    return cast("Mapping[str, Any]", yaml.safe_load(FILE.read_text(encoding="utf-8")))


@define
class _Speaker:
    """What both have in common: no model, no record, and only what was said to go by."""

    card: RoleCard
    manner: str

    def usage(self) -> Usage:
        """No model is behind it."""
        return Usage()

    async def record(self, history: Conversation, schema: Mapping[str, Any], problem: str | None = None) -> Any:
        """Nothing is written down in this family."""
        return {"outcome": "decline"}

    def _turn(self, history: Conversation, text: str, calls: Sequence[ToolCall] = (), *, leaves: bool = False) -> Turn:
        return Turn(len(history), self.card.seat, text, "leave" if leaves else "speak", calls=tuple(calls))


@define
class Caller(_Speaker):
    """Goes through a goal domain by domain: what is to be tried first, what is wanted, the booking with the questions.
    A `candid` caller tells all of a domain at once; any other one thing at a time. A desk that asks back is told that
    anything will do, and the same again, `PATIENCE` times at most."""

    goal: Mapping[str, Need] = field(factory=dict)

    async def speak(self, history: Conversation, left: int) -> Turn:
        """Say the next thing."""
        lines, (said, again) = list(self._lines()), self._progress(history)
        if left <= 2 or (said >= len(lines) and not again):
            return self._turn(history, texts()["user"]["end"], leaves=True)
        if again:
            return self._turn(history, f"{texts()['user']['any']} {lines[said - 1]}")
        greeting = texts()["user"]["greet"].format(partner=self.card.partner) + " " if said == 0 else ""
        return self._turn(history, greeting + lines[said])

    def _progress(self, history: Conversation) -> tuple[int, bool]:
        """How many lines were said, and whether the last one has to be said again."""
        said, repeats, answer = 0, 0, ""
        for turn in history:
            if turn.seat != self.card.seat:
                answer = turn.text
            elif said and repeats < PATIENCE and _asks_back(answer):
                repeats += 1
            else:
                said, repeats = said + 1, 0
        return said, bool(said) and repeats < PATIENCE and _asks_back(answer)

    def _lines(self) -> Iterator[str]:
        user = texts()["user"]
        for domain, need in self.goal.items():
            ordering = domain == "taxi"
            for wanted in (need.fail_info, need.info):
                if wanted or wanted is need.info:
                    yield from self._told(user["want"].format(domain=domain), self._whole(domain, wanted))
            questions = [slot for slot in need.reqt if not (ordering and slot in ("car type", "phone"))]
            booking = ", ".join([user["book"], *phrases(need.book)]) + "." if need.book and not ordering else ""
            asking = user["ask"].format(slots=" and the ".join(questions)) if questions else ""
            if booking or asking:
                yield " ".join(filter(None, (booking, asking)))

    def _told(self, head: str, wanted: Mapping[str, str]) -> Iterator[str]:
        said = list(phrases(wanted))
        if self.manner == "candid" or len(said) < 2:
            yield ", ".join([head, *said]) + "."
            return
        for place in range(1, len(said) + 1):
            yield ", ".join([head, *said[:place]]) + "."

    def _whole(self, domain: str, wanted: Mapping[str, str]) -> Mapping[str, str]:
        """A taxi has to go from somewhere to somewhere: where the goal leaves it open, between the goal's places."""
        if domain != "taxi":
            return wanted
        places = [need.info.get("name", kind) for kind, need in self.goal.items() if kind != "taxi"] + ["the station"]
        ends = {"departure": places[-1], "destination": places[0]}
        return {**ends, **wanted}


def _asks_back(answer: str) -> bool:
    """Whether a desk wants to know more, and is not merely offering to book or to go on helping."""
    return "?" in answer and _OFFERS.search(answer) is None


@define
class Desk(_Speaker):
    """Looks up what it understands, recommends the first venue, answers and books. `candid` and `guarded` do so;
    `agreeable` is pleasant and looks nothing up."""

    databases: Databases
    tools: Sequence[Tool] = ()

    async def speak(self, history: Conversation, left: int) -> Turn:
        """Say the next thing."""
        theirs = [turn for turn in history if turn.seat != self.card.seat]
        if not theirs:
            return self._turn(history, texts()["desk_says"]["greet"])
        if self.manner == "agreeable":
            return self._turn(history, texts()["desk_says"]["vague"])
        made: list[ToolCall] = []
        before = [call for turn in history if turn.seat == self.card.seat for call in turn.calls]
        said = " ".join(self._answers(theirs[-1].text, before, made)) or self._loosely(theirs[-1].text, before, made)
        return self._turn(history, said or texts()["desk_says"]["more"], made)

    def _loosely(self, text: str, before: Sequence[ToolCall], made: list[ToolCall]) -> str:
        """An answer to a caller who does not speak in our phrases: what is wanted, of the last domain spoken of, is
        added to what was looked up there before."""
        last = next((call for call in reversed(before) if call.name.startswith(FIND)), None)
        wish = ears.heard(text, self.databases, last.name.removeprefix(FIND) if last is not None else "")
        if wish.domain == "taxi":
            return self._ordered(wish.slots, made)
        looked = [c for c in before if c.name == FIND + wish.domain]
        known: Mapping[str, Any] = looked[-1].arguments if looked else {}
        wanted = {slot: said for slot, said in wish.slots.items() if slot in words.texts()["find"].get(wish.domain, ())}
        parts = []
        if wish.domain and not wish.books and (wanted or not looked):
            parts.append(self._offered(wish.domain, {**known, **wanted}, made))
        if wish.books:
            booking = {s: said for s, said in wish.slots.items() if s in words.texts()["book"].get(wish.domain, ())}
            parts.append(self._booked(booking, (*before, *made), made))
        parts += self._given(wish.asks, (*before, *made))
        return " ".join(parts)

    def _answers(self, text: str, before: Sequence[ToolCall], made: list[ToolCall]) -> Iterator[str]:
        for sentence in re.split(r"(?<=[.?])\s+", text):
            heard = slots(sentence)
            wanted = re.search(r"\bneed an? (\w+)", sentence)
            if wanted is not None and wanted[1] == "taxi":
                yield self._ordered(heard, made)
            elif wanted is not None:
                yield self._offered(wanted[1], heard, made)
            elif texts()["user"]["book"] in sentence:
                yield self._booked(heard, (*before, *made), made)
            elif "tell me the " in sentence:
                yield from self._told(sentence, (*before, *made))

    def _call(self, name: str, arguments: Mapping[str, Any], made: list[ToolCall]) -> Any:
        tool = next((tool for tool in self.tools if tool.name == name), None)
        if tool is None:
            return {"error": f"no {name}"}
        known = {slot: said for slot, said in arguments.items() if slot in tool.parameters["properties"]}
        whole = tool.parameters["properties"]
        number = {slot for slot in known if whole[slot]["type"] == "integer" and known[slot].isdecimal()}
        asked = {slot: int(said) if slot in number else said for slot, said in known.items()}
        made.append(ToolCall(name, asked, tool.call(asked)))
        return made[-1].result

    def _offered(self, domain: str, heard: Mapping[str, str], made: list[ToolCall]) -> str:
        says = texts()["desk_says"]
        result = self._call(FIND + domain, heard, made)
        if not result.get("venues"):
            return str(says["none"].format(domain=domain))
        venue = result["venues"][0]
        key = "train" if "trainID" in venue else "offer" if "name" in venue else "found"
        return str(says[key].format(**venue))

    def _booked(self, heard: Mapping[str, str], before: Sequence[ToolCall], made: list[ToolCall]) -> str:
        says, last = texts()["desk_says"], _last(before)
        if last is None:
            return str(says["failed"])
        domain, venue = last
        key = "trainID" if domain == "train" else "name"
        result = self._call(BOOK + domain, {key: venue.get(key, ""), **heard}, made)
        return str(says["booked" if "reference" in result else "failed"].format(**result))

    def _ordered(self, heard: Mapping[str, str], made: list[ToolCall]) -> str:
        says, result = texts()["desk_says"], self._call(BOOK + "taxi", heard, made)
        if "phone" not in result:
            return str(says["failed"])
        return str(says["taxi"].format(car=result["car type"], phone=result["phone"]))

    def _told(self, sentence: str, before: Sequence[ToolCall]) -> Iterator[str]:
        yield from self._given(sentence.partition("tell me the ")[2].rstrip("?.").split(" and the "), before)

    def _given(self, asked: Iterable[str], before: Sequence[ToolCall]) -> Iterator[str]:
        says, last = texts()["desk_says"], _last(before)
        for slot in asked:
            value = last[1].get(slot) if last is not None else None
            yield says["tell"].format(slot=slot, value=value) if value else says["unknown"].format(slot=slot)


def _last(calls: Sequence[ToolCall]) -> tuple[str, Mapping[str, str]] | None:
    """The venue that was recommended last, with its domain."""
    for call in reversed(calls):
        if call.name.startswith(FIND) and isinstance(call.result, Mapping) and call.result.get("venues"):
            return call.name.removeprefix(FIND), call.result["venues"][0]
    return None


def phrases(wanted: Mapping[str, str]) -> Iterator[str]:
    """Each slot as the caller says it."""
    for slot, said in wanted.items():
        yield texts()["phrases"][slot].format(value=said) if slot in texts()["phrases"] else f"{slot} {said}"


def slots(sentence: str) -> dict[str, str]:
    """The slots that a sentence in the caller's phrases holds, each between commas."""
    found: dict[str, str] = {}
    for part in sentence.rstrip(".?!").split(", ")[1:]:
        for slot, pattern in _patterns().items():
            match = pattern.fullmatch(part.strip())
            if match is not None:
                found[slot] = words.value(slot, match[1]) or match[1]
                break
    return found


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    made = {}
    for slot, phrase in texts()["phrases"].items():
        before, after = (re.escape(part) for part in phrase.split("{value}"))
        made[slot] = re.compile(f"{before}(.+){after}", re.IGNORECASE)
    return made
