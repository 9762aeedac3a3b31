"""Hears how many of one thing people speak of: bounds, bare quantities, refusals, and slips that they correct.

It knows nothing of who speaks but their name; `counted` gives marks in the order of the text, and a family makes its
facts and plans of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from attrs import evolve, frozen

from adidem.core.language import NumberMention, RangeMention, find_numbers, find_ranges
from adidem.core.language.clauses import cached_sentences, clauses, level

Kind = Literal["bound", "plan", "need", "rejected"]
Party = Literal["speaker", "listener"]

LONGEST = 4000


@frozen
class Nouns:
    """The words for the thing counted and for a pack of it, the size of a pack, and how many there are."""

    things: tuple[str, ...]
    packs: tuple[str, ...]
    pack: int
    on_offer: int

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Nouns:
        """From a family's public facts: `unit`, `item`, `also`, `pack`, `pack_words`, `on_offer`."""
        things = (facts["unit"], facts["item"], *facts.get("also", ()))
        packs = tuple(facts.get("pack_words", ())) if facts["pack"] > 1 else ()
        return cls(tuple(map(level, things)), tuple(map(level, packs)), facts["pack"], facts["on_offer"])


@frozen(slots=True)
class Mark:
    """One thing said of a quantity. A bound has `least` and `most` (None: open); the other kinds have `amount`: put
    forward, needed (a plan only where nothing firmer is said), or turned down. `party` is whose bound it is."""

    kind: Kind
    start: int
    end: int
    amount: int | float = 0
    least: int | None = None
    most: int | None = None
    party: Party = "speaker"


def counted(text: str, nouns: Nouns, names: tuple[str, str]) -> tuple[Mark, ...]:
    """Every mark in a text, in its order; `names` are the speaker's and the listener's. Never raises."""
    text = text[:LONGEST]
    numbers = find_numbers(text)
    if not numbers:
        return ()
    scene = _Scene.of(text, nouns, names)
    factors = {number.start: scene.factor(number) for number in numbers}
    found, taken = [], []
    for said in find_ranges(text):
        inside = [number for number in numbers if said.start <= number.start < said.end]
        taken += inside
        found.append(_bound(scene, said, inside, [factors[number.start] for number in inside]))
    for index, number in enumerate(numbers):
        factor = factors[number.start]
        if factor and number not in taken:
            until = numbers[index + 1].start if index + 1 < len(numbers) else len(text)
            found.append(_bare(scene, number, factor, until))
    marks = sorted((mark for mark in found if mark is not None), key=lambda mark: mark.start)
    return tuple(_firm(_corrected(scene.low, marks)))


# ---------------------------------------------------------------------------------------------------------- the scene


@lru_cache(maxsize=512)
def _nouns_ahead(nouns: Nouns) -> re.Pattern[str]:
    """The noun right after a number, or after one adjective: "12 crates", "12 of the wooden crates"."""
    things, packs = ("|".join(map(re.escape, words)) or r"(?!)" for words in (nouns.things, nouns.packs))
    of = r"(?:of\s+(?:the|those|these|your|my|our|them)\b\s*)?"
    return re.compile(
        rf"[\s-]+{of}(?:(?!{_FOREIGN})[a-z'-]+\s+)?(?:(?P<packs>(?:{packs}|packs?)\b)|(?:{things})\b)"
        rf"|\s+of\s+(?:them|those|these|it)\b"
    )


_FOREIGN = (
    r"(?:people|persons?|guests?|families|minutes?|mins?|hours?|days?|weeks?|months?|years?|kids|children|pounds?"
    r"|dollars?|euros?|and|or|to|of|for|in|on|at|with|per|is|are|than|from|extra|more|less|fewer|other|different)\b"
)


@frozen
class _Scene:
    text: str
    low: str
    nouns: Nouns
    ahead: re.Pattern[str]
    names: tuple[str, str]

    @classmethod
    def of(cls, text: str, nouns: Nouns, names: tuple[str, str]) -> _Scene:
        return cls(text, level(text), nouns, _nouns_ahead(nouns), (level(names[0]), level(names[1])))

    def noun_end(self, number: NumberMention) -> int:
        """Where the number's noun ends; the number's own end where no noun follows."""
        match = self.ahead.match(self.low, number.end)
        return match.end() if match else number.end

    def factor(self, number: NumberMention) -> int:
        """What the number is to be multiplied by; 0 where it counts something else."""
        if number.money:
            return 0
        match = self.ahead.match(self.low, number.end)
        if match is not None:
            return self.nouns.pack if match["packs"] else 1
        return 0 if number.unit is not None or _COUNTS_PEOPLE.match(self.low, number.end) else 1

    def clause(self, position: int) -> tuple[int, int]:
        """Start and end of the clause that holds a position."""
        for clause in _clauses(self.text):
            if clause.start <= position < clause.end:
                return clause.start, clause.end
        return 0, len(self.text)

    def sentence(self, position: int) -> tuple[int, int]:
        """Start and end of the sentence that holds a position."""
        for sentence in cached_sentences(self.text):
            if sentence.start <= position < sentence.end:
                return sentence.start, sentence.end
        return 0, len(self.text)

    def asked(self, position: int) -> bool:
        """Whether the sentence there is a question."""
        return self.low[: self.sentence(position)[1]].rstrip("\"') ").endswith("?")

    def party(self, position: int) -> Party:
        """Whose bound is told there: the first person named in the clause, else in an earlier clause of the sentence,
        else the speaker."""
        begin, _ = self.sentence(position)
        start, _ = self.clause(position)
        while True:
            found = self._subject(start, position)
            if found is not None or start <= begin:
                return found or "speaker"
            start, position = self.clause(max(begin, start - 2))[0], start
            if start >= position:
                return "speaker"

    def _subject(self, start: int, end: int) -> Party | None:
        piece = self.low[start:end]
        belief = _BELIEF.match(piece)
        if belief:
            piece = piece[belief.end() :]
        for match in _PERSON.finditer(piece):
            word = match.group()
            if word in self.names:
                if piece[match.end() :].lstrip().startswith(",") or not piece[match.end() :].strip():
                    continue
                return "speaker" if word == self.names[0] else "listener"
            if word.startswith("you"):
                return "listener"
            if word.partition("'")[0] in _FIRST:
                return "speaker"
        return None


@lru_cache(maxsize=512)
def _clauses(text: str) -> tuple[Any, ...]:
    return clauses(text)


_COUNTS_PEOPLE = re.compile(r"\s+of\s+(?!them\b|those\b|these\b|it\b)")
_PERSON = re.compile(r"[a-z][a-z'-]*")
_FIRST = frozenset("i we my our me us mine ours".split())
_BELIEF = re.compile(
    r"\W*(?:(?:but|and|so|well|then|because|since|ok|okay)\b[,\s]*)?(?:i|we)\s+(?:think|thought|know|knew|hear|heard|see"
    r"|understand|understood|gather|guess|believe|assume|suppose|remember|take\s+it)\s+(?:that\s+)?"
)

# --------------------------------------------------------------------------------------------------------- the bounds

_SUGGESTED = re.compile(
    r"\b(?:how\s+about|what\s+about|let's|let\s+us|shall\s+we|what\s+if|why\s+not|why\s+don't\s+we|(?:could|can)\s+we|suggest"
    r"|propose|ideally|prefer|hop(?:e|ing)|thinking|(?:i|we)(?:'d|\s+would)\s+(?:like|love)|aim(?:ing)?|suppose\s+we)\b"
)
_QUESTION = re.compile(
    r"\W*(?:(?:and|but|so|or|then)\s+)?(?:can|could|would|will|do|does|did|is|are|may|might|should|have|what|how|which)\b"
)
_ROUGH = re.compile(r"\b(?:about|around|roughly|approximately|circa|nearly|almost|something\s+like)\s*$")
_ROUGH_END = re.compile(r"-?\s?ish\b|\s+or\s+so\b|\s*-?\s*give\s+or\s+take\b")
_PERMITTED = re.compile(r"\byou\s+(?:can|could|may|might)\s+have\b")
_MAY_TAKE = re.compile(r"\byou\s+(?:can|could|may|might)\s+(?:take|get)\b")
_REMINDS = re.compile(r"\b(?:said|told|mentioned|right|as\s+you\s+say)\b")
_MUST = re.compile(r"\b(?:need|needs|must|has\s+to|have\s+to|only)\b")


def _bound(scene: _Scene, said: RangeMention, numbers: Sequence[NumberMention], factors: Sequence[int]) -> Mark | None:
    """The mark of a range that is told as somebody's limit; an exact number is a plan unless it is a must."""
    values = {number.value for number in numbers}
    low, high = said.low, said.high
    if not numbers or not all(factors) or not _whole(low, high) or not {low, high} <= {*values, None}:
        return None
    factor = max(factors)
    before = scene.low[scene.clause(said.start)[0] : said.start]
    if any(_is_rough(scene.low, number) for number in numbers):
        return None
    if len(numbers) == 1 and low is not None and low == high and not _MUST.search(before + said.text):
        return Mark("plan", said.start, said.end, low * factor)
    party = _whose(scene, said, before)
    if party is None or _SUGGESTED.search(before):
        return None
    if scene.asked(said.start) and (party == "listener" or _QUESTION.match(before)) and not _REMINDS.search(before):
        return None
    least, most = (None if end is None else int(end) * factor for end in (low, high))
    return Mark("bound", said.start, said.end, least=least, most=most, party=party)


def _whole(*ends: int | float | None) -> bool:
    return all(end is None or (isinstance(end, int) and end > 0) for end in ends)


def _is_rough(low: str, number: NumberMention) -> bool:
    lead = low[max(0, number.start - 24) : number.start]
    return bool(_ROUGH.search(lead) or _ROUGH_END.match(low, number.end) or number.text.lower().endswith("ish"))


def _whose(scene: _Scene, said: RangeMention, before: str) -> Party | None:
    """ "You can have up to 14" tells the speaker's limit; "you can take up to 14" may tell either's."""
    if _PERMITTED.search(before) and not _REMINDS.search(before):
        return "speaker"
    start, end = scene.sentence(said.start)
    if _MAY_TAKE.search(before) and not _REMINDS.search(scene.low, start, end):
        return None
    return scene.party(said.start)


# ------------------------------------------------------------------------------------------------- the bare quantities

_NOT_PLAN_BEFORE = re.compile(
    r"\b(?:out\s+of|of\s+(?:the|those|these|all|my|your|our)|(?:in|by|of)\s+(?:\w+\s+)?(?:packs|lots|groups|batches|multiples|sets)\s+of"
    r"|packs?\s+of|multiples?\s+of|per|every|each|another|extra|additional|further|(?:the|that)\s+(?:first|last|other|next)|from"
    r"|minus|plus|times|half\s+of|by\s+(?:about\s+)?|until|till|before|after|since|past|than|the)\s*$"
)
_POSSESSED = re.compile(
    r"\b(?:i|we|you|they|he|she|who|which|there)(?:'ve|\s+have|\s+has|\s+had|'s|'re|\s+is|\s+are|\s+was|\s+were|\s+still\s+have)"
    r"(?:\s+got|\s+still|\s+already)?(?:\s+(?:about|only|just|exactly|around|all))?\s*$"
)
_OTHERS_WORDS = re.compile(
    r"\byou(?:'d|'ve|\s+had|\s+have)?\s+(?:need|needed|said|mentioned|asked\s+for|asked|wanted|want|were\s+after|told\s+me)\b[^,;]*$"
)
_ELSEWHERE = re.compile(
    r"\b(?:last\s+(?:time|week|month|year|season|summer|winter|autumn|fall|spring|night)|yesterday|used\s+to|usually|normally"
    r"|previously|originally|there(?:'s|\s+is|\s+are|\s+was|\s+were)|came\s+in|in\s+stock|on\s+the\s+shelf|if\s+i\s+only)\b"
)
_AT = re.compile(r"\bat\s*$")
_SETTLED_AT = re.compile(
    r"\b(?:settle|settled|land|stop|cap|capped|stay|meet|leave|put|keep|set|end\s+up|agree|fine|ok|okay|good|stand|it|us|that|things"
    r"|stick|hold)\s+at\s*$"
)
_RELATIVE = re.compile(
    r"\s+(?:more|extra|additional|fewer|less|other|further|short|spare|left|over|above|below|under|each|apiece|per|every|ahead"
    r"|a\s+(?:head|day|week|month|time|person|piece)|times|plus|minus)\b|\s*[+*x×=/]\s*[0-9]"
)
_NEEDED = re.compile(
    r"\b(?:need|needs|require|requires|could\s+use|counting\s+on)\s+(?:about\s+|around\s+|only\s+|just\s+)?$"
)
_ROOM = re.compile(
    r"\b(?:room|space|capacity|storage|budget)\s+for\s+(?:only\s+|just\s+)?$|\bcan\s+only\s+(?:[a-z]+\s+)?$"
)
_AMPLE = re.compile(r"\b(?:enough|plenty|lots)\b")
_REFUSED = re.compile(
    r"\b(?:can't|cannot|can\s+not|couldn't|could\s+not|won't|will\s+not|wouldn't|would\s+not|unable\s+to|don't|do\s+not|doesn't"
    r"|isn't|not|never|no\s+to|no\s+way|instead\s+of|rather\s+than|refuse)\b[^.;!?]*$"
)
_NOT_REFUSED = re.compile(
    r"\b(?:why\s+(?:not|don't)|(?:can't|couldn't|won't|wouldn't|don't|isn't)\s+(?:we|you|it|that)\b|not\s+sure|(?:don't|wouldn't)\s+mind"
    r"|if\s+not|not\s+(?:a\s+problem|bad|just|only)|no\s+problem|can't\s+complain|don't\s+worry)"
)
_UNFIT = re.compile(
    r"\W{0,3}\s*(?:for\s+(?:me|us)\s+)?(?:(?:which|that|it|this)\b)?\s*(?:'s|is|are|was|would\s+be|'d\s+be|will\s+be|sounds?|seems?|feels?"
    r"|looks?|might\s+be|may\s+be)?\s*(?:(?:just|way|far|still|simply|really|a\s+bit|a\s+little|much|probably|unfortunately|honestly"
    r"|rather|quite|really|definitely|i'm\s+afraid)[\s,]+)*"
    r"(?:too\s+(?:much|many|few|little|low|high|big|small|large)|(?:more|less|fewer)\s+than\s+(?:i|we|my|our)"
    r"|not\s+(?:enough|possible|workable|doable|feasible|something|going|an\s+option|realistic)"
    r"|(?:won't|wouldn't|doesn't|don't|can't|isn't|aren't|cannot|will\s+not|would\s+not|does\s+not|do\s+not)(?!\s+(?:be\s+)?(?:an?\s+|any\s+)?"
    r"(?:problem|issue|bother|hurt|matter|worry|we\b|you\b))"
    r"|out\s+of\s+the\s+question|out\s+of\s+reach|impossible|(?:beyond|above|over|below|under)\s+(?:me|my|our|what|anything)|no\s+good|no\s+use"
    r"|hard\s+for\s+(?:me|us)|(?:leaves?|would\s+leave)\s+(?:me|us)\s+(?:short|with\s+too))\b"
)


def _bare(scene: _Scene, number: NumberMention, factor: int, until: int) -> Mark | None:
    """The mark of a number that stands in no range: a plan, a need, a refusal, a limit, or (None) something else."""
    start, end = scene.clause(number.start)
    before = scene.low[start : number.start]
    after = scene.noun_end(number)
    if _is_aside(scene, number, before, scene.low[start:end], has_noun=after > number.end):
        return None
    amount = number.value * factor
    asked = scene.asked(number.start)
    if _ROOM.search(before) and not _AMPLE.search(before) and not asked and isinstance(amount, int):
        return Mark("bound", number.start, after, most=amount, party=scene.party(number.start))
    mark = Mark("plan", number.start, after, amount)
    refused = _REFUSED.search(before) is not None and not _NOT_REFUSED.search(before)
    if refused or (not asked and _UNFIT.match(scene.low[after:until])):
        return evolve(mark, kind="rejected")
    return evolve(mark, kind="need") if _NEEDED.search(before) else mark


def _is_aside(scene: _Scene, number: NumberMention, before: str, clause: str, *, has_noun: bool) -> bool:
    """The number is not one that could be agreed on: a part, a stock, a memory, an hour, the other's words."""
    if number.value < 1 or "couple" in number.text.lower():
        return True
    if _NOT_PLAN_BEFORE.search(before) or _packs_of(scene.nouns, before) or _RELATIVE.match(scene.low, number.end):
        return True
    if _POSSESSED.search(before) or _ELSEWHERE.search(clause):
        return True
    if _OTHERS_WORDS.search(before) and not scene.asked(number.start):
        return True
    if not has_noun:
        hour = _AT.search(before) and not _SETTLED_AT.search(before)
        return bool(hour) or number.value > scene.nouns.on_offer
    return bool(_RELATIVE.match(scene.low, scene.noun_end(number)))


def _packs_of(nouns: Nouns, before: str) -> bool:
    words = before.split()
    return len(words) >= 2 and words[-1] == "of" and words[-2] in nouns.packs


# --------------------------------------------------------------------------------------------------- slips and firmness

_CUE = (
    r"(?:sorry|i\s+meant(?:\s+to\s+say)?|i\s+mean|i\s+should\s+(?:say|have\s+said)|scratch\s+that|strike\s+that|correction|or\s+rather"
    r"|rather|make\s+that|actually|my\s+mistake|my\s+bad|oops|apologies|excuse\s+me|i\s+misspoke|wait|let\s+me\s+correct\s+(?:that|myself))"
)
_FILL = (
    r"(?:no|oh|um|uh|er|ah|hang\s+on|hold\s+on|it's|it\s+is|that's|should\s+be|let's|let\s+us|say|make\s+it|go\s+with|of\s+course|but|and"
    r"|how\s+about|what\s+about|is|i|for|that|meant|was)"
)
_GAP = r"[\s,.;:!?…()—-]*"
_SLIP = re.compile(rf"{_GAP}(?:{_FILL}\b{_GAP})*{_CUE}\b{_GAP}(?:(?:{_CUE}|{_FILL})\b{_GAP})*")
_FIRM_SLIP = re.compile(r"\b(?:meant?|rather|correction|misspoke)\b")


def _corrected(low: str, marks: Iterable[Mark]) -> list[Mark]:
    """The marks without those that the speaker takes back: "12, sorry, I meant 14"."""
    kept: list[Mark] = []
    for mark in marks:
        gap = low[kept[-1].end : mark.start] if kept and mark.start >= kept[-1].end else ""
        if gap and mark.kind != "rejected" and _SLIP.fullmatch(gap):
            said = kept.pop()
            inherits = mark.kind == "plan" and (bool(_FIRM_SLIP.search(gap)) or not re.search(r"[.!?]", gap))
            if said.kind == "rejected" and not inherits:
                kept.append(said)
            mark = _in_place_of(said, mark) if inherits else mark
        kept.append(mark)
    return kept


def _in_place_of(said: Mark, mark: Mark) -> Mark:
    """The bare number that corrects a bound, a need or a refusal is one too."""
    if said.kind != "bound":
        return evolve(mark, kind=said.kind)
    one_sided = (said.least is None) != (said.most is None)
    if not one_sided or not isinstance(mark.amount, int):
        return mark
    ends = {"least": mark.amount} if said.most is None else {"most": mark.amount}
    return Mark("bound", mark.start, mark.end, party=said.party, **ends)


def _firm(marks: Sequence[Mark]) -> Iterable[Mark]:
    """A need is a plan only where nothing firmer is said."""
    firm = any(mark.kind in ("plan", "bound") for mark in marks)
    for mark in marks:
        if mark.kind == "need":
            if not firm:
                yield evolve(mark, kind="plan")
        else:
            yield mark
