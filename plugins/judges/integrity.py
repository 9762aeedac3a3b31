"""Integrity by a model: whether the conversation supports the records, every charge with words that are checked.

The four violations are those of HICO-Bench (arXiv 2610.20195): a factual error never corrected, exchanges repeated
without progress, a record that contradicts what was settled aloud, output-format text in the dialogue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, evolve, field, frozen

from adidem.core.contracts import Ask, Case, Judge
from adidem.core.domain import Dimension, Flag, Judgement, Rating
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule

if TYPE_CHECKING:
    from adidem.core import judging
else:
    judging = LazyModule("adidem.core.judging")

KINDS = ("factual_error", "repetition", "record_contradiction", "format_text")
ASKS = 2
"""How often a verdict is asked for while all its flags are unsupported."""

MOST = 16
"""Most entries of a verdict that are read; further ones count as unreadable. The schema allows half of that."""

_RUBRIC, _AGAIN = Path(__file__).with_name("integrity.j2"), Path(__file__).with_name("integrity_again.j2")


@frozen(unsafe_hash=False)
class Verdict:
    """One answer of the model: its flags, each checked, and how many entries could not be read as a flag."""

    flags: tuple[Flag, ...] = ()
    unreadable: int = 0

    @property
    def violated(self) -> bool:
        """Whether at least one flag is supported."""
        return any(flag.supported for flag in self.flags)

    @property
    def unfounded(self) -> bool:
        """Whether something was charged and nothing of it is supported."""
        return not self.violated and bool(self.flags or self.unreadable)


@define
class Integrity:
    """`integrity` is 1 where the model finds no violation, 0 where it finds one and quotes words that were said.

    A flag whose quote is not in the conversation is kept as unsupported and does not count. An answer that misses the
    schema may convict, by words that were said, but acquits nobody. A verdict with only unsupported
    flags is asked for once more, with what is wrong; if that one is no better, Integrity is unscored. It is unscored
    also where there was no dialogue or no record, and where no usable answer came. `notes` holds `flags_total`,
    `flags_unsupported` and `flags_unreadable` (over all verdicts asked for) and `asked`. `model` is the judge's model.
    """

    model: str | None = field(default=None)

    name: ClassVar[str] = "integrity"
    dimensions: ClassVar[Sequence[Dimension]] = (Dimension("integrity", 0, 1, about="1: no fault is found"),)

    async def judge(self, case: Case, ask: Ask) -> Judgement:
        """The verdict and the flags behind it. Does not raise."""
        idle = judging.nothing_said(case) or (None if case.records else f"{judging.NOT_ASKED}nothing was recorded")
        if idle:
            return _judgement([], None, idle)
        messages = judging.messages_for(case, _RUBRIC, kinds=_kinds())
        verdicts: list[Verdict] = []
        for _ in range(ASKS):
            said = await judging.asked(ask, messages, _schema(case.world.public.names))
            if said.failed is not None:
                return _judgement(verdicts, None, said.failed)
            verdict = _read(said.data, case)
            if verdict is None:
                return _judgement(verdicts, None, said.problem or "malformed: the answer holds no list of violations")
            verdicts.append(verdict)
            if said.problem and not verdict.violated:  # it missed the schema: what it acquits of, it may have left out
                return _judgement(verdicts, None, said.problem)
            if not verdict.unfounded:
                return _judgement(verdicts, 0.0 if verdict.violated else 1.0)
            messages = [*messages, *_objections(verdict, said.text)]
        return _judgement(verdicts, None, "no violation is supported by words that were said")


def _judgement(verdicts: Sequence[Verdict], score: float | None, unscored: str | None = None) -> Judgement:
    flags = tuple(flag for verdict in verdicts for flag in verdict.flags)
    kinds = sorted({flag.kind for flag in flags if flag.supported})
    reason = "" if score is None else "; ".join(kinds) or "no violation found"
    notes = {
        "flags_total": len(flags),
        "flags_unsupported": sum(not flag.supported for flag in flags),
        "flags_unreadable": sum(verdict.unreadable for verdict in verdicts),
        "asked": len(verdicts),
    }
    kept = tuple(flag for place, flag in enumerate(flags) if flag not in flags[:place])
    return Judgement(Integrity.name, (Rating("integrity", None, score, reason, unscored),), kept, notes)


# ------------------------------------------------------------------------------------------------------------- reading


def _read(data: Any, case: Case) -> Verdict | None:
    """The verdict in an answer's JSON, or None where it holds none."""
    entries = data.get("violations") if isinstance(data, Mapping) else None
    if not isinstance(entries, list):
        return None
    flags = [_flag(entry, case) for entry in entries[:MOST]]
    kept = tuple(flag for flag in flags if flag is not None)
    return Verdict(kept, len(entries) - len(kept))


def _flag(entry: Any, case: Case) -> Flag | None:
    """A flag, laid where its words stand, or None for what is none. The seat of a contradiction is whose record it is;
    of any other violation, who said the words."""
    if not isinstance(entry, Mapping) or entry.get("kind") not in KINDS:
        return None
    role, turn, quote = entry.get("role"), entry.get("turn"), entry.get("quote")
    seat = case.world.public.seat(role) if isinstance(role, str) and role.strip() else None
    index = turn - 1 if isinstance(turn, int) and not isinstance(turn, bool) else None
    flag = Flag(entry["kind"], seat, None, judging.clean(quote), judging.clean(entry.get("reason")), supported=False)
    found = judging.find_quote(quote, case.conversation, index, seat) if isinstance(quote, str) else None
    within = index is not None and 0 <= index < len(case.conversation)
    if found is None:
        return evolve(flag, turn=index if within else None)
    whose = seat if flag.kind == "record_contradiction" and seat is not None else found.turn.seat
    return evolve(flag, seat=whose, turn=found.turn.index, quote=found.words, supported=True)


def _objections(verdict: Verdict, said: str) -> list[dict[str, str]]:
    """What was answered and what is wrong with it, as the next two messages."""
    words = judging.render(_AGAIN, quotes=[flag.quote for flag in verdict.flags], unreadable=verdict.unreadable)
    return [
        {"role": "assistant", "content": said or "(an answer that cannot be used)"},
        {"role": "user", "content": words},
    ]


@lru_cache(maxsize=512)
def _schema(names: tuple[str, str]) -> Mapping[str, Any]:
    flag = judging.closed(
        {
            "kind": {"type": "string", "enum": list(KINDS)},
            "role": {"type": "string", "enum": list(dict.fromkeys(names))},
            "turn": {"type": "integer", "minimum": 1},
            "quote": {"type": "string", "maxLength": 300},
            "reason": {"type": "string", "maxLength": 200},
        }
    )
    reasoning = {"type": "string", "maxLength": 600}
    return judging.closed(
        {"reasoning": reasoning, "violations": {"type": "array", "maxItems": MOST // 2, "items": flag}}
    )


def _kinds() -> Mapping[str, Any]:
    return judging.read_yaml(Path(__file__).with_name("integrity.yaml"))


@hookimpl
def adidem_register_judges(register: Register[Judge]) -> None:
    """Integrity by a model."""
    register(Integrity)
