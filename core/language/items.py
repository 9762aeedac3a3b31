"""Which of a list's items a text names, and whether it asks for them, rules them out or merely mentions them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from attrs import frozen
from rapidfuzz.distance import OSA

from adidem.core.language.clauses import Party, Span, level, sentence_at, spoken_by

Polarity = Literal["require", "refuse", "mention"]


@frozen(slots=True)
class ItemMention:
    """An item named in a text, as the list spells it, with what the sentence does to it.

    `by` is "partner" where the sentence tells the other's need ("so you can't have nuts").
    """

    item: str
    start: int
    end: int
    text: str
    polarity: Polarity
    by: Party = "speaker"


@frozen(slots=True)
class _Index:
    """An item list made ready: a pattern of all spellings, whom each belongs to, and words to compare misspellings with."""

    pattern: re.Pattern[str]
    owners: Mapping[str, str]
    words: Mapping[str, tuple[tuple[str, str], ...]]


_CUES = re.compile(
    r"(?P<mention>\b(?:(?:don't|do\s+not|doesn't|didn't|needn't|no)\s+(?:really\s+|strictly\s+|even\s+)?(?:need|have\s+to\s+have|require|insist\s+on|care|mind)(?:\s+for)?"
    r"|no\s+(?:problem|issue|issues|objection|objections|trouble|worries|question)\b|nothing\s+against|not\s+(?:only|just|sure|that|against|fussy|bothered|opposed)|not\s+a\s+problem"
    r"|(?:fine|ok|okay|happy|good|all\s+right|alright|comfortable|relaxed)\s+with|can\s+(?:have|do|live\s+with|take|accept|eat|include)|could\s+(?:have|do|live\s+with|take)|how\s+about|what\s+about|would\s+(?:like|love)|'d\s+(?:like|love))\b)"
    r"|(?P<require>\b(?:(?:can't|cannot|couldn't|wouldn't|won't|could\s+not|can\s+not|don't\s+want\s+to|not)\s+(?:\w+\s+){0,2}?(?:do|go|be|live|manage|happy|come|agree|have\s+\w+)?\s*without"
    r"|(?:can't|cannot|don't|do\s+not|won't|wouldn't|mustn't|please\s+don't|never|not)\s+(?:\w+\s+){0,2}?(?:skip|drop|leave\s+out|leave\s+off|cut|lose|omit|exclude|forget|miss|give\s+up|compromise\s+on|do\s+away\s+with)"
    r"|must(?!n't)\s+(?:\w+\s+){0,1}?(?:have|be|include|get|keep|see)|must|needs?|require[sd]?|insist(?:s|ing)?\s+on|ha(?:s|ve)\s+to\s+(?:have|be|include|get|see|keep)|ha(?:s|ve)\s+got\s+to\s+(?:have|be)"
    r"|as\s+long\s+as|so\s+long\s+as|provided(?:\s+that)?|only\s+if\s+there(?:'s|\s+is|\s+are)|on\s+condition|make\s+sure|makes?\s+sure|be\s+sure\s+to|essential|crucial|vital|non-negotiable|set\s+on|want(?:s)?|counting\s+on|at\s+least)\b)"
    r"|(?P<refuse>\b(?:can't|cannot|can\s+not|couldn't|won't|will\s+not|wouldn't|don't|do\s+not|doesn't|mustn't|must\s+not|shouldn't|isn't|aren't|never|without|allergic(?:\s+to)?|allergy\s+to|intolerant(?:\s+to|\s+of)?"
    r"|leave\s+out|leave\s+off|leaving\s+out|left\s+out|skip|skipping|drop|dropping|avoid|avoiding|avoids|hates?|exclude|excluding|refuse|rule\s+out|ruling\s+out|object\s+to|veto|against|opposed\s+to|steer\s+clear|stay\s+away"
    r"|(?:anything|everything|all|nothing)\s+(?:but|except|besides)(?!\s+not)|except(?:\s+for)?|apart\s+from|other\s+than|free\s+of|rid\s+of|keep\s+out|keep|instead\s+of|rather\s+than|can't\s+stand|no|nor|not|neither|none\s+of|not\s+any|do\s+without|go\s+without|cut\s+out|take\s+out|takes?\s+off|off)\b)"
    r"|(?P<reset>[.;!?—]|(?<!anything )(?<!everything )(?<!nothing )(?<!all )\bbut\b(?!\s+not\b)|\bhowever\b|\bthough\b|\balthough\b|\bwhile\b|\bwhereas\b|\bwhich\b"
    r"|(?:,|\band\b|\bso\b)\s+(?=(?:i|we|you|they|he|she|it|there|let's)\b|(?:i'm|i'd|i'll|we'd|we'll|we're|you're|that's|there's)(?=\s)))"
)
_TAILS = re.compile(
    r"(?P<gap>(?:\s*(?:,|\band\b|\bor\b|\bas\s+well\s+as\b)\s*(?:the\s+|some\s+|a\s+|any\s+)?[a-z' -]{1,30}?)*?)\s*(?:"
    r"(?P<require>(?:has|have|has\s+got|have\s+got)\s+to\s+(?:be|stay|go\s+in|come)|(?:must|need(?:s)?\s+to)\s+(?:be|stay|go\s+in)|(?:is|are|'s)\s+(?:a\s+must|essential|non-negotiable|a\s+must-have|vital|crucial|important|necessary|required|needed|indispensable|what\s+(?:i|we)\s+need)"
    r"|(?:is|are)\s+not\s+(?:negotiable|optional)|(?:can't|cannot|mustn't)\s+be\s+(?:left\s+out|missing|dropped|skipped)|(?:stays|stay)\b|or\s+(?:i'm|we're)\s+out)"
    r"|(?P<refuse>(?:is|are|'s|would\s+be|will\s+be)\s+(?:just\s+|simply\s+|completely\s+|a\s+)?(?:out\b(?!\s+of\s+the\s+way)|off\s+the\s+table|impossible|not\s+(?:possible|an\s+option|ok|okay|allowed|on|acceptable|for\s+(?:me|us))|no-?\s?go|a\s+no\b|no\s+good|a\s+deal-?\s?breaker|a\s+problem|too\s+much|ruled\s+out|forbidden|banned)"
    r"|(?:isn't|aren't|is\s+not|are\s+not)\s+(?:\w+\s+)?(?:possible|an\s+option|ok|okay|allowed|on|acceptable|for\s+(?:me|us)|going\s+to\s+work|something|fine)|(?:won't|doesn't|don't|can't|cannot|mustn't|must\s+not|wouldn't|shouldn't)\s+(?:be\b|work|do\b|go\b|happen|come)|(?:has|have)\s+to\s+(?:go|come\s+off|be\s+left\s+out)|needs?\s+to\s+go|(?:makes?|make)\s+(?:me|us)\s+(?:ill|sick)|out\b(?!\s+of)"
    r"|(?:allergy|allergies)\b)"
    r"|(?P<mention>(?:is|are|would\s+be|'s)\s+(?:\w+\s+)?(?:fine|ok|okay|good|great|lovely|nice|optional|welcome|no\s+problem|not\s+(?:necessary|needed|essential|a\s+problem|required))|works?|(?:isn't|aren't)\s+(?:necessary|needed|essential|required|a\s+problem)|can\s+(?:stay|go|come)))"
)
_DETERMINER = r"(?:the|a|an|some|any|no|your|my|our|that|this|those|these|without|and|or)"
_WORD = re.compile(r"[a-z][a-z'-]{4,}")
_QUESTION_OWN = re.compile(
    r"\b(?:i|we)\s+(?:\w+\s+)?(?:can't|cannot|need|must|have|don't|won't|insist|require|want)\b|\bi'm\s+allergic|\ballergic\b"
)
_KEEP_OUT = re.compile(r"\bkeep\b")
_OUT = re.compile(r"[^.;!?]{0,20}?\b(?:out|off|away)\b")


def find_items(text: str, items: Sequence[str]) -> tuple[ItemMention, ...]:
    """Every one of `items` named in `text`, by position, the longest name first, however cased or slightly misspelt."""
    return _find(text, tuple(items))


def join_items(items: Iterable[str]) -> str:
    """A list as a person says it: "a, b and c"; the empty string for none."""
    names = list(items)
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


@lru_cache(maxsize=4096)
def _find(text: str, items: tuple[str, ...]) -> tuple[ItemMention, ...]:
    low = level(text)
    spans = _spans(low, items)
    return tuple(
        ItemMention(
            item,
            start,
            end,
            text[start:end],
            _polarity(text, low, (start, end)),
            spoken_by(low, _begin(text, start), start),
        )
        for item, start, end in spans
    )


def _begin(text: str, position: int) -> int:
    return sentence_at(text, position).start


def _spans(low: str, items: tuple[str, ...]) -> list[tuple[str, int, int]]:
    if not items:
        return []
    index = _index(items)
    found = []
    for match in index.pattern.finditer(low):
        name = match["name"] or match["alias"]
        start = match.start("name") if match["name"] else match.start("alias")
        found.append((index.owners[_squeeze(name)], start, start + len(name)))
    found.extend(_misspelt(low, index, found))
    return sorted(found, key=lambda f: f[1])


def _misspelt(low: str, index: _Index, found: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    extra = []
    for match in _WORD.finditer(low):
        candidates = index.words.get(match.group()[0])
        if not candidates or any(s < match.end() and match.start() < e for _, s, e in found):
            continue
        for word, item in candidates:
            if _is_slip(match.group(), word):
                extra.append((item, match.start(), match.end()))
                break
    return extra


def _is_slip(said: str, word: str) -> bool:
    """One letter dropped, doubled or swapped with its neighbour, or one mistyped in a long word."""
    if abs(len(said) - len(word)) > 1 or said == word or said.rstrip("s") == word.rstrip("s"):
        return False
    if len(said) == len(word) and len(word) < 8 and sorted(said) != sorted(word):
        return False
    return OSA.distance(said, word, score_cutoff=1) == 1


@lru_cache(maxsize=512)
def _index(items: tuple[str, ...]) -> _Index:
    owners: dict[str, str] = {}
    for item in items:
        for form in _forms(level(item).strip()):
            owners.setdefault(_squeeze(form), item)
    aliases = _aliases(items, owners)
    names = "|".join(_pattern(form) for form in sorted(owners, key=len, reverse=True))
    short = "|".join(_pattern(form) for form in sorted(aliases, key=len, reverse=True)) or "(?!)"
    pattern = re.compile(rf"(?<![\w-])(?:(?P<name>{names or '(?!)'})|{_DETERMINER}\s+(?P<alias>{short}))(?![\w])")
    words: dict[str, tuple[tuple[str, str], ...]] = {}
    for form, item in owners.items():
        if len(form) >= 6 and form.isalpha():
            words[form[0]] = (*words.get(form[0], ()), (form, item))
    return _Index(pattern, owners | aliases, words)


def _aliases(items: tuple[str, ...], owners: Mapping[str, str]) -> dict[str, str]:
    """The last word of a longer name, where it can only mean that item: "the salad" for "green salad"."""
    counts: dict[str, int] = {}
    for item in items:
        for word in set(re.findall(r"[a-z]+", level(item))):
            counts[_singular(word)] = counts.get(_singular(word), 0) + 1
    aliases = {}
    for item in items:
        parts = level(item).split()
        last = parts[-1] if parts else ""
        if len(parts) > 1 and len(last) > 3 and counts.get(_singular(last)) == 1:
            aliases |= {_squeeze(f): item for f in _forms(last) if _squeeze(f) not in owners}
    return aliases


def _forms(name: str) -> tuple[str, ...]:
    """A name, its singular and its plural."""
    bare = re.sub(r"^(?:an?|the|some)\s+", "", name)
    head, last = bare.rpartition(" ")[::2]
    stem = _singular(last)
    lead = f"{head} " if head else ""
    return tuple(dict.fromkeys(f"{lead}{form}" for form in (last, stem, _plural(stem)) if form))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "toes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("ch", "sh", "x", "ss", "to")) else "s")


def _squeeze(name: str) -> str:
    return re.sub(r"[\s-]+", " ", name)


def _pattern(form: str) -> str:
    return r"[\s-]+".join(re.escape(part) for part in form.split())


def _polarity(text: str, low: str, span: tuple[int, int]) -> Polarity:
    sentence = sentence_at(text, span[0])
    after = _after(low, span[1], sentence.end)
    asked = sentence.text.endswith("?") and not _QUESTION_OWN.search(low, sentence.start, span[0])
    if asked:
        return "mention"
    return after or _before(low, sentence, span)


def _after(low: str, end: int, limit: int) -> Polarity | None:
    match = _TAILS.match(low, end, limit)
    if match is None:
        return None
    for kind in ("require", "refuse", "mention"):
        if match[kind]:
            return kind
    return None


def _before(low: str, sentence: Span, span: tuple[int, int]) -> Polarity:
    kind: Polarity = "mention"
    for match in _CUES.finditer(low, sentence.start, span[0]):
        group = match.lastgroup
        if group == "reset":
            kind = "mention"
        elif group == "refuse" and _KEEP_OUT.fullmatch(match.group()):
            kind = "refuse" if _OUT.match(low, span[1], sentence.end) else kind
        elif group == "require" and kind == "refuse" and match.group().startswith(("need", "at least", "want", "must")):
            continue
        else:
            kind = "require" if group == "require" else "refuse" if group == "refuse" else "mention"
    return kind
