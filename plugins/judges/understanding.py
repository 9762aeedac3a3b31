"""Whether the two came to understand each other: SocialVeil's two scores, and questions on goals and reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, evolve, field

from adidem.core.contracts import Ask, Case, Judge
from adidem.core.domain import Dimension, Flag, Judgement, Rating
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule

if TYPE_CHECKING:
    from adidem.core import judging
    from adidem.core.judging import Question
else:
    judging = LazyModule("adidem.core.judging")

SCALES = (
    Dimension("unresolved_confusion", 1, 5, about="5: no confusion is left"),
    Dimension("mutual_understanding", 1, 5, about="5: the same picture on both sides"),
)
"""Both higher is better (arXiv 2602.05115): 5 is no confusion left, 5 is the same picture on both sides."""

MCQ = Dimension("mcq", 0, 1, about="share of questions on goals and reasons that the conversation answers rightly")

_RUBRIC = Path(__file__).with_name("understanding.j2")


@define
class Understanding:
    """`unresolved_confusion` and `mutual_understanding`, 1 to 5 for the episode, higher is better; and `mcq`, the share
    of the scenario's multiple-choice questions that the conversation answers rightly.

    An answer to such a question counts as right where it names the right option and quotes words that were said; it
    counts as not right where the quote is not there (then it is kept as an unsupported flag). `mcq` is unscored where
    the scenario has no questions, or an answer is missing. `model` is the judge's model.
    """

    model: str | None = field(default=None)

    name: ClassVar[str] = "understanding"
    dimensions: ClassVar[Sequence[Dimension]] = (*SCALES, MCQ)

    async def judge(self, case: Case, ask: Ask) -> Judgement:
        """Every dimension. Does not raise."""
        silent = judging.nothing_said(case)
        if silent:
            return Judgement(self.name, tuple(judging.unscored(self.dimensions, silent)))
        found = judging.questions(case.world.public)
        asked = () if isinstance(found, str) else found
        messages = judging.messages_for(case, _RUBRIC, dimensions=SCALES, texts=_texts(), questions=asked)
        said = await judging.asked(ask, messages, _schema(case.world.public.names, asked))
        if said.failed is not None:
            return Judgement(self.name, tuple(judging.unscored(self.dimensions, said.failed)))
        scores = judging.ratings(SCALES, case.world.public.names, said.data, said.problem)
        if not asked:
            reason = found if isinstance(found, str) else f"{judging.NOT_ASKED}the scenario has no questions"
            return Judgement(self.name, (*scores, Rating(MCQ.name, None, None, unscored=reason)))
        rating, flags, notes = _share(asked, said.data, case)
        return Judgement(self.name, (*scores, rating), flags, notes)


def _share(asked: Sequence[Question], data: Any, case: Case) -> tuple[Rating, tuple[Flag, ...], dict[str, Any]]:
    """The share of questions answered rightly with words that were said, the evidence, and the counts."""
    answers = data.get("answers") if isinstance(data, Mapping) else None
    right, flags = 0, []
    for key, question in _keyed(asked).items():
        entry = answers.get(key) if isinstance(answers, Mapping) else None
        letter = entry.get("answer") if isinstance(entry, Mapping) else None
        if letter not in _letters(question):
            return Rating(MCQ.name, None, None, unscored=f"{key} has no answer that is one of its options"), (), {}
        if letter == judging.UNKNOWN:
            continue
        flag = _evidence(key, question, entry, case)
        flags.append(flag)
        right += flag.supported and letter == question.answer
    unsupported = sum(not flag.supported for flag in flags)
    notes = {"flags_total": len(flags), "flags_unsupported": unsupported, "mcq_asked": len(asked), "mcq_right": right}
    return Rating(MCQ.name, None, right / len(asked), f"{right} of {len(asked)} right"), tuple(flags), notes


def _evidence(key: str, question: Question, entry: Any, case: Case) -> Flag:
    quote = entry.get("quote")
    flag = Flag("mcq", question.about, None, judging.clean(quote), f"{key}: {entry['answer']}", supported=False)
    found = judging.find_quote(quote, case.conversation, seat=question.about) if isinstance(quote, str) else None
    if found is None:
        return flag
    return evolve(flag, turn=found.turn.index, quote=found.words, supported=True)


@lru_cache(maxsize=512)
def _schema(names: tuple[str, str], asked: tuple[Question, ...]) -> Mapping[str, Any]:
    schema = judging.schema_of(SCALES, names)
    if not asked:
        return schema
    answers = {
        key: judging.closed(
            {
                "quote": {"type": "string", "maxLength": 400},
                "answer": {"type": "string", "enum": list(_letters(question))},
            }
        )
        for key, question in _keyed(asked).items()
    }
    return judging.closed({**schema["properties"], "answers": judging.closed(answers)})


def _keyed(asked: Sequence[Question]) -> dict[str, Question]:
    return {f"q{place}": question for place, question in enumerate(asked, 1)}


def _letters(question: Question) -> tuple[str, ...]:
    return (*question.letters, judging.UNKNOWN)


def _texts() -> Any:
    return judging.read_yaml(Path(__file__).with_name("understanding.yaml"))


@hookimpl
def adidem_register_judges(register: Register[Judge]) -> None:
    """Unresolved confusion, mutual understanding, questions."""
    register(Understanding)
