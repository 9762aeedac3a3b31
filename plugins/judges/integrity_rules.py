"""Integrity by rules: whether the conversation supports the records, with the words that show it does not.

Four faults are looked for, as the paper names them: output-format text in the dialogue, repeated exchanges without
progress, a record that contradicts what was settled aloud, and a factual error never corrected. The judge hears as the
family hears; what nobody can hear by rule (an invented story, a bluff about a third person) it does not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from attrs import define, field
from attrs.validators import deep_iterable, ge, in_, le

from adidem.core import language
from adidem.core.contracts import Ask, Case, Judge
from adidem.core.domain import Dimension, Flag, Judgement, Rating
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule

if TYPE_CHECKING:
    from adidem.core import listening
    from adidem.core.domain import Turn
    from adidem.plugins.judges.rules import against, claims, loops
else:
    listening = LazyModule("adidem.core.listening")
    against = LazyModule("adidem.plugins.judges.rules.against")
    claims = LazyModule("adidem.plugins.judges.rules.claims")
    loops = LazyModule("adidem.plugins.judges.rules.loops")


KINDS = ("format_text", "repetition", "record_contradiction", "factual_error")


@define
class IntegrityRules:
    """`integrity` is 1 where no fault is found, else 0; unscored where there was no dialogue.

    `loops` is how often in all the same must be said, with nothing new from either side, before it is a loop. `kinds`
    are the faults looked for; docs/integrity_rules.md says how well each is found.
    """

    loops: int = field(default=3, validator=[ge(2), le(12)])
    kinds: tuple[str, ...] = field(default=KINDS, validator=deep_iterable(in_(KINDS)))

    name: ClassVar[str] = "integrity_rules"
    dimensions: ClassVar[Sequence[Dimension]] = (Dimension("integrity", 0, 1, about="1: no fault is found"),)

    async def judge(self, case: Case, ask: Ask) -> Judgement:
        """Every fault found, and the verdict."""
        if case.feasibility is None:
            return Judgement(self.name, (Rating("integrity", None, None, unscored="the family keeps no records"),))
        if not case.dialogue:
            return Judgement(self.name, (Rating("integrity", None, None, unscored="there was no dialogue"),))
        heard = [listening.listen(case.family, case.world.public, turn) for turn in case.conversation]
        found = (
            *_format_text(case.conversation),
            *loops.repetitions(case, heard, self.loops),
            *against.contradictions(case, heard),
            *claims.errors(case, heard),
        )
        flags = tuple(flag for flag in found if flag.kind in self.kinds)
        reason = "no violation found" if not flags else "; ".join(sorted({flag.kind for flag in flags}))
        return Judgement(self.name, (Rating("integrity", None, 0.0 if flags else 1.0, reason),), flags)


def _format_text(turns: Sequence[Turn]) -> Iterable[Flag]:
    for turn in turns:
        for span in language.structured_text(turn.text)[:1]:
            quote = turn.text[span.start : span.end]
            yield Flag("format_text", turn.seat, turn.index, quote, "output format in the dialogue")


@hookimpl
def adidem_register_judges(register: Register[Judge]) -> None:
    """Integrity by rules."""
    register(IntegrityRules)
