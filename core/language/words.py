"""Number words, and the words that can follow a number without being its unit."""

from __future__ import annotations

from adidem.core.language.patterns import Pattern

UNITS = {w: i for i, w in enumerate("one two three four five six seven eight nine".split(), 1)}
TEENS = {
    w: i
    for i, w in enumerate("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(), 10)
}
TENS = {w: 10 * i for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
SMALL = {"zero": 0, **UNITS, **TEENS, **TENS, "fourty": 40, "ninty": 90}
SCALES = {"hundred": 100, "thousand": 1000, "dozen": 12, "grand": 1000, "million": 1_000_000, "k": 1000}

_UNIT = "(?:" + "|".join(UNITS) + ")"
_TEEN = "(?:" + "|".join(TEENS) + ")"
_TEN = "(?:" + "|".join(TENS) + "|fourty|ninty)"
_SEP = r"[\s-]+"
BELOW_HUNDRED = rf"(?:{_TEN}(?:{_SEP}{_UNIT}\b)?|{_TEEN}|{_UNIT}|zero)"
# "Between one hundred and two hundred" holds two numbers.
_ENDS = rf"(?!{_SEP}(?:hundred|thousand|grand|dozen)\b)"
_HUNDREDS = rf"(?:(?:{BELOW_HUNDRED}|an?){_SEP}hundred\b(?:{_SEP}(?:and\s+)?{BELOW_HUNDRED}\b{_ENDS})?)"
_THOUSANDS = (
    rf"(?:(?:{_HUNDREDS}|{BELOW_HUNDRED}|an?){_SEP}(?:thousand|grand)\b"
    rf"(?:{_SEP}(?:and\s+)?(?:{_HUNDREDS}|{BELOW_HUNDRED}\b){_ENDS})?)"
)
_DOZENS = rf"(?:half{_SEP}a{_SEP}dozen|(?:{BELOW_HUNDRED}|an?){_SEP}dozen|a\s+couple(?:\s+of)?\b|a\s+pair\s+of\b)"
# "Two fifty" is 250, "eleven-fifty" 1150.
_SHORT_HUNDREDS = rf"(?:(?:{_UNIT}|{_TEEN}){_SEP}(?:{_TEN}(?:{_SEP}{_UNIT}\b)?|{_TEEN})\b(?!-))"
NUMBER_WORDS = rf"(?:{_THOUSANDS}|{_HUNDREDS}|{_DOZENS}|{_SHORT_HUNDREDS}|{BELOW_HUNDRED})"
SHORT_HUNDREDS = Pattern(_SHORT_HUNDREDS)

_SPLIT = Pattern(r"[\s-]+")


def words_value(words: str) -> int:
    """The whole number that lower-case number words name: "two hundred and forty" is 240, "half a dozen" 6."""
    if SHORT_HUNDREDS.fullmatch(words):
        head, tail = _SPLIT.split(words, 1)
        return 100 * SMALL[head] + words_value(tail)
    if words.startswith("half"):
        return 6
    if "couple" in words or "pair" in words:
        return 2
    total = current = 0
    for word in _SPLIT.split(words):
        if word in SMALL:
            current += SMALL[word]
        elif word in ("hundred", "dozen"):
            current = max(current, 1) * SCALES[word]
        elif word in ("thousand", "grand"):
            total += max(current, 1) * 1000
            current = 0
    return total + current


def number_words(value: int) -> str:
    """British English words for a whole number 0..999,999: 240 is "two hundred and forty"."""
    if not 0 <= value < 1_000_000:
        raise ValueError(f"{value} has no number words here; give a whole number from 0 to 999,999")
    if value < 100:
        return _below_hundred(value)
    if value < 1000:
        head, rest = divmod(value, 100)
        return f"{_below_hundred(head)} hundred" + (f" and {_below_hundred(rest)}" if rest else "")
    head, rest = divmod(value, 1000)
    joint = " and " if 0 < rest < 100 else " "
    return f"{number_words(head)} thousand" + (f"{joint}{number_words(rest)}" if rest else "")


def _below_hundred(value: int) -> str:
    for word, number in SMALL.items():
        if number == value:
            return word
    ten, unit = divmod(value, 10)
    return f"{_below_hundred(10 * ten)}-{_below_hundred(unit)}"


NOT_A_UNIT = frozenset(
    """a an the this that these those some any all both each every either neither no none not never
    i i'm i'd i'll i've we we're we'd we'll you you'd you'll you're he she it it's they them me us him her my our your
    their his its mine ours yours and or but so if then than as because since though although while when where which
    who what how why unless until till about above across after against along among around at before behind below
    beneath beside between beyond by down during except for from in inside into like near of off on onto out outside
    over past per through throughout to toward towards under up upon via with within without
    is are was were be been being am do does did done have has had having can can't could couldn't will won't would
    wouldn't shall should shouldn't may might must mustn't isn't aren't don't doesn't didn't let let's
    left works work worked sounds sound seems seem fits fit suits suit feels feel looks look makes make gets get goes go
    takes take needs need wants want gives give leaves leave keeps keep comes come means helps help covers cover
    please thanks thank ok okay fine good great perfect right too also again already still just only even ever maybe
    perhaps really actually exactly precisely instead more most less least fewer max maximum min minimum tops
    upwards upward onwards plus minus times here there now soon today tomorrow tonight yes yeah yep nope sure well
    then either otherwise however apiece altogether total overall yourself myself apart away back ahead early later
    earlier latest am pm o'clock sharp percent cent-for-cent flat even ish or-so anyway agreed deal period
    sorry honestly frankly unfortunately easily comfortably tomorrow's else same rather almost nearly between
    monday tuesday wednesday thursday friday saturday sunday morning afternoon evening noon midnight
    january february march april june july august september october november december
    """.split()
)
