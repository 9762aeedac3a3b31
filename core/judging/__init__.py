"""What judges share: an episode as a prompt with quoted data, scales, quotes that are checked, an offline judge.

Text of the people rated is material and never an instruction: it stands between fences that it cannot contain.
"""

from adidem.core.judging.asking import NO_ANSWER, Said, asked, nothing_said, unanswered
from adidem.core.judging.fence import Fence, clean, fence_for, quoted, shown
from adidem.core.judging.prompt import Message, messages_for, render
from adidem.core.judging.questions import UNKNOWN, Question, questions
from adidem.core.judging.quotes import Found, find_quote, folded, span_of
from adidem.core.judging.rubric import read_yaml
from adidem.core.judging.scale import NOT_ASKED, closed, number, ratings, schema_of, score_schema, unscored

__all__ = [
    "NOT_ASKED",
    "NO_ANSWER",
    "UNKNOWN",
    "Fence",
    "Found",
    "Message",
    "Question",
    "Said",
    "asked",
    "clean",
    "closed",
    "fence_for",
    "find_quote",
    "folded",
    "messages_for",
    "nothing_said",
    "number",
    "questions",
    "quoted",
    "ratings",
    "read_yaml",
    "render",
    "schema_of",
    "score_schema",
    "shown",
    "span_of",
    "unanswered",
    "unscored",
]
