"""Numbers, ranges, times, items and speech acts in the loose way that people and language models talk."""

from adidem.core.language.acts import Act, find_acts
from adidem.core.language.clauses import Span, clauses, fold, sentences
from adidem.core.language.items import ItemMention, Polarity, find_items, join_items
from adidem.core.language.numbers import NumberMention, find_numbers, parse_number
from adidem.core.language.ranges import RangeMention, find_ranges
from adidem.core.language.similarity import same_content, similarity, structured_text
from adidem.core.language.times import (
    DurationMention,
    TimeMention,
    WindowMention,
    find_durations,
    find_times,
    find_windows,
    parse_time,
    speak_duration,
    speak_time,
)
from adidem.core.language.words import number_words

__all__ = [
    "Act",
    "DurationMention",
    "ItemMention",
    "NumberMention",
    "Polarity",
    "RangeMention",
    "Span",
    "TimeMention",
    "WindowMention",
    "clauses",
    "find_acts",
    "find_durations",
    "find_items",
    "find_numbers",
    "find_ranges",
    "find_times",
    "find_windows",
    "fold",
    "join_items",
    "number_words",
    "parse_number",
    "parse_time",
    "same_content",
    "sentences",
    "similarity",
    "speak_duration",
    "speak_time",
    "structured_text",
]
