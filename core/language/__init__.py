"""Numbers, ranges, times, items and speech acts in the loose way that people and language models talk.

Each part is imported when something of it is first asked for: `from adidem.core import language` costs nothing, and
`language.find_numbers(text)` loads the ears it needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from adidem.core.language.clauses import Span, clauses, fold, sentences  # at once: `clauses` is its module's name too

if TYPE_CHECKING:
    from adidem.core.language.acts import Act, find_acts
    from adidem.core.language.gists import Gist, gist
    from adidem.core.language.items import item_spans, join_items
    from adidem.core.language.leaks import structured_text
    from adidem.core.language.numbers import NumberMention, find_numbers, parse_number
    from adidem.core.language.ranges import RangeMention, find_ranges
    from adidem.core.language.times import (
        DurationMention,
        TimeMention,
        find_durations,
        find_times,
        parse_time,
        speak_duration,
    )
    from adidem.core.language.words import number_words

__all__ = [
    "Act",
    "DurationMention",
    "Gist",
    "NumberMention",
    "RangeMention",
    "Span",
    "TimeMention",
    "clauses",
    "find_acts",
    "find_durations",
    "find_numbers",
    "find_ranges",
    "find_times",
    "fold",
    "gist",
    "item_spans",
    "join_items",
    "number_words",
    "parse_number",
    "parse_time",
    "sentences",
    "speak_duration",
    "structured_text",
]

_HOME = {
    "acts": "Act find_acts",
    "gists": "Gist gist",
    "items": "item_spans join_items",
    "numbers": "NumberMention find_numbers parse_number",
    "ranges": "RangeMention find_ranges",
    "leaks": "structured_text",
    "times": "DurationMention TimeMention find_durations find_times parse_time speak_duration",
    "words": "number_words",
}
_PART = {name: part for part, names in _HOME.items() for name in names.split()}


if not TYPE_CHECKING:  # a type checker knows every name there is

    def __getattr__(name: str) -> Any:
        if name not in _PART:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_PART[name]}"), name)
        globals()[name] = value
        return value
