"""What an utterance does: asks, proposes, accepts, rejects, declines, defers, corrects, tells, or nothing at all."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from adidem.core.language.clauses import cached_sentences, level


class Act(StrEnum):
    """A speech act; one utterance may hold several."""

    ASK = "ask"
    PROPOSE = "propose"
    ACCEPT = "accept"
    REJECT = "reject"
    DECLINE = "decline"
    DEFER = "defer"
    CORRECT = "correct"
    TELL = "tell"
    THANK = "thank"
    GREET = "greet"
    CLOSE = "close"
    FILLER = "filler"


_ASK = re.compile(
    r"\b(?:what|which|when|how\s+(?:much|many|long|late|early|low|high|far|soon|flexible)|who|where|is\s+there|are\s+there|do\s+you|did\s+you|are\s+you|have\s+you|can\s+you|could\s+you|would\s+you|will\s+you|does\s+your|is\s+your|what's|when's|any(?:thing)?|anything)\b[^?]*\?"
    r"|\b(?:tell|let)\s+me\s+(?:know\s+)?(?:what|which|when|how|who|where|your|if|whether|about)|\b(?:could|can|would)\s+you\s+(?:tell|share|say|let\s+me\s+know)|\bi(?:'d|\s+would)?\s+(?:need|like|want|have)\s+to\s+(?:know|hear)\s+(?:what|which|when|how|your|about)|\bmay\s+i\s+ask|\bi\s+wonder\s+(?:what|which|when|how|if|whether)|\bi'm\s+(?:curious|wondering)|\byour\s+(?:limits?|needs?|side|range|times?|availability|constraints?)\s*\?|\band\s+you(?:rs|r\s+side)?\s*\?"
)
_ABOUT_PLAN = re.compile(
    r"\b(?:how\s+about|what\s+about|what\s+if|how\s+would\s+it\s+be\s+if|(?:does|do|would|could|will|might|is|are)\s+(?:that|this|it|[^?]{1,40}?)\s+(?:work|suit|do|be\s+(?:ok|okay|fine|all\s+right|acceptable|enough|alright)|ok|okay|fine|sound)\b|sound(?:s)?\s+(?:good|ok|fair)|(?:could|can|shall|should|might)\s+we|why\s+don't\s+we|would\s+you\s+(?:take|accept|settle|agree|be\s+(?:ok|okay|happy|fine))|can\s+you\s+(?:do|live\s+with|accept|take)\s+(?:[0-9$€£]|that))"
)
_PROPOSE = re.compile(
    r"\b(?:how\s+about|what\s+if|what\s+about|let's\s+(?:say|do|go|make|take|meet|start|try|settle|put|have|split|agree|set|fix|book|use|keep)|i(?:'d|\s+would)?\s+(?:suggest|propose)|my\s+(?:suggestion|proposal|offer)\s+(?:is|would)|i(?:'ll|\s+can|\s+could)\s+offer|i\s+offer|we\s+could|we\s+can\s+(?:do|go|say|make|take|try|meet|start)|could\s+we|can\s+we|shall\s+we|should\s+we|why\s+don't\s+we|why\s+not\s+(?:make|do|say|go|take|try|meet)"
    r"|suppose\s+we|maybe\s+(?:we\s+)?(?:could|do|go|say)|perhaps\s+(?:we\s+)?(?:could|do|go|say)|would\s+[^?.]{1,50}\s+(?:work|do|suit|be\s+(?:ok|okay|fine|acceptable|alright|all\s+right))\b[^?.]*\?|(?:does|do|will|might|could)\s+[^?.]{1,50}\s+(?:work|suit)\b[^?.]*\?|is\s+[^?.]{1,50}\s+(?:ok|okay|fine|acceptable|alright|all\s+right|enough)\b[^?.]*\?|would\s+you\s+(?:take|accept|settle|agree|be\s+(?:ok|okay|happy|fine))|in\s+(?:that|which)\s+case\s+(?:i|we)\s+(?:could|can))\b"
)
_CONDITION = re.compile(
    r"\b(?:if|provided|as\s+long\s+as|so\s+long\s+as|on\s+condition|only\s+if|unless|once)\s+(?:that\s+)?(?:you|we|it|i|they|your|the|there|that)\b"
)
_SOFT_CONDITION = re.compile(
    r"\bif\s+(?:you\s+(?:ask\s+me|like|want|wish|agree|don't\s+mind|have\s+any|need\s+anything)|that's\s+(?:ok|okay|fine|all\s+right)|i\s+(?:understand|remember|recall|may)|it\s+helps|we're\s+(?:both|all))\b"
)
_ACCEPT = re.compile(
    r"\b(?:(?:that|this|it|which|[0-9:$€£.]+(?:\s?[ap]m)?|[a-z]+)\s+(?:all\s+|really\s+|totally\s+|absolutely\s+|perfectly\s+|also\s+|definitely\s+)?(?:works|suits|does\s+it)(?:\s+(?:well|fine|great|perfectly|out))*(?:\s+(?:for\s+(?:me|us|my\s+side)|on\s+my\s+(?:end|side)|too|as\s+well|then|nicely|perfectly)|(?=[.!,]|$))"
    r"|works\s+(?:\w+\s+)?for\s+(?:me|us)|works\s+on\s+my\s+(?:end|side)|that\s+(?:would|will|can|could|'ll|should)\s+(?:work|do|suit\s+(?:me|us)|be\s+(?:fine|great|perfect|ok|okay|good|lovely|ideal))|that'll\s+(?:work|do|be\s+(?:fine|great|perfect))"
    r"|(?:it's\s+a\s+|you(?:'ve|\s+have)\s+(?:got\s+(?:yourself\s+)?)?a\s+|we(?:'ve|\s+have)\s+(?:got\s+)?a\s+)?deal(?=[.!,;]|$|\s+then|\s+-)|agreed|(?:i|we)\s+(?:can\s+|fully\s+|happily\s+|both\s+)?agree(?=\s+to\b|\s+on\b|[.!,]|$|\s+with\s+(?:that|your|this|the))|i(?:'ll|\s+can|\s+will|'d)?\s+(?:gladly\s+|happily\s+)?(?:accept|take\s+(?:it|that|the\s+deal))|(?:count\s+me|i'm|we're)\s+in(?=[.!,]|$)|i'm\s+(?:fine|happy|good|ok|okay|on\s+board)\s+with\s+(?:that|this|it|the|your|[0-9$€£])|we(?:'re|\s+are)\s+(?:agreed|all\s+set|set|settled|on\s+the\s+same\s+page)"
    r"|(?:that's|that\s+is|this\s+is|it's|which\s+is|sounds|all)\s+(?:all\s+|absolutely\s+|totally\s+|perfectly\s+|just\s+|quite\s+|really\s+|very\s+)?(?:fine|good|great|perfect|ok|okay|fair|acceptable|settled|alright|all\s+right|lovely|ideal|wonderful|excellent)(?:\s+(?:for|with|by)\s+(?:me|us)|\s+to\s+me|\s+then|\s+enough)?(?=[.!,;]|$|\s+-|\s+and\b|\s+so\b|\s+let's|\s+i'll|\s+we'll|\s+—)"
    r"|let's\s+(?:do|go\s+(?:with|for|ahead\s+with)|settle\s+on|lock\s+in|take|book|call\s+it)\s+(?:that|it|this)|let's\s+(?:lock|shake)|it's\s+settled|consider\s+it\s+(?:done|settled)|(?:done|settled|perfect|yes|yep|okay|ok|great|right|fine|good|sure|excellent|wonderful|lovely|brilliant|alright)[,.!]*\s+(?:so\s+|then\s+)?(?:[a-z$€£]*[0-9][\w:.$€£]*|[a-z]+(?:\s+[a-z]+){0,4}|noon)\s+(?:[ap]\.?m\.?\s+)?(?:it\s+is|it\s+shall\s+be)|(?:it\s+is|it's\s+a\s+(?:deal|plan|date|yes))(?=[.!,]|$|\s+then|\s+from\s+me)|happy\s+with\s+that|i\s+can\s+(?:live\s+with|do|accept|work\s+with|manage)\s+(?:that|it|this)|we\s+can\s+(?:live\s+with|accept|do|manage|work\s+with)\s+(?:that|it|this)|you\s+have\s+my\s+(?:agreement|ok|yes)|confirmed|i\s+confirm|shake\s+on\s+(?:it|that)|suits\s+(?:me|us)|good\s+(?:by|with|for)\s+me|fine\s+(?:by|with|for)\s+(?:me|us)|perfect(?=[.!]))"
    r"|^\W*(?:yes|yep|yeah|deal|agreed|done|perfect|sure|ok|okay|fine|absolutely|certainly|of\s+course|works)(?:\s+(?:please|sure|then|that's\s+it))?\W*$"
)
_SHORT_YES = re.compile(
    r"^\W*(?:yes|yep|yeah|ok|okay|sure|fine|alright|all right|great|perfect|good)[,.! ]+(?:let's|that|deal|agreed|i'll|we'll|works)\b"
)
_NEGATED = re.compile(
    r"(?:\b(?:no|not|never|nor|hardly|neither|cannot|nothing|without)\b|n't\b)(?:\s+\w+){0,3}\s*$|\bwish\s+[^.]*$|\bbefore\s+(?:we|i)(?:'ve|'re)?\s*$|\b(?:whether|if)\b[^,.]*$|\b(?:to|could|can|once|until|unless|wouldn't|don't\s+think)\s+(?:we\s+|i\s+)?$"
)
_REJECT = re.compile(
    r"\b(?:(?:that|this|it|which|[0-9:$€£.]+(?:\s?[ap]m)?|[a-z]+)\s+(?:really\s+|just\s+|still\s+|simply\s+|unfortunately\s+)?(?:doesn't|does\s+not|won't|will\s+not|wouldn't|would\s+not|can't|cannot|isn't\s+going\s+to|don't)\s+(?:really\s+|quite\s+|be\s+able\s+to\s+)?(?:work|suit|do\b(?!\s+(?:more|less|any|with))|fit|be\s+(?:enough|possible|ok|okay|acceptable|fine)|happen|cover|help)"
    r"|(?:i|we)\s+(?:really\s+|just\s+|simply\s+)?(?:can't|cannot|couldn't|won't|can\s+not|could\s+not|am\s+unable\s+to|'m\s+not\s+able\s+to)\s+(?:really\s+|possibly\s+)?(?:do|accept|agree\s+to|agree|take|make|manage|go\s+(?:along\s+with|for|with)|sign\s+off\s+on|live\s+with)\s+(?:that|it|this|those|$|[.!,])|i'm\s+not\s+(?:ok|okay|happy|fine|comfortable)\s+with|(?:not|n't)\s+(?:good|great|fine|ok|okay|acceptable|enough|possible|workable|agreed|feasible)\b|(?:is|are|'s|be)\s+(?:still\s+|a\s+bit\s+|far\s+|way\s+|just\s+|simply\s+)?too\s+(?:much|many|little|few|low|high|late|early|short|long|steep|expensive|tight)|too\s+(?:much|many|little|few|low|high|late|early|short|long|steep|expensive|tight)\s+for\s+(?:me|us)|no\s+deal|not\s+agreed|(?:don't|do\s+not|can't|cannot)\s+agree|(?:i|we)(?:'ll|\s+must|\s+have\s+to|\s+will)?\s+(?:must\s+|have\s+to\s+)?(?:reject|refuse|turn\s+(?:that|it)\s+down|pass\s+on\s+(?:that|it))|i'm\s+afraid\s+not|out\s+of\s+the\s+question|no\s+good\s+for\s+(?:me|us)|not\s+for\s+(?:me|us))"
    r"|^\W*(?:no|nope|no\s+thanks?|no\s+thank\s+you|sorry,?\s+no)\s*(?:[,.!]|$|-)(?!\s*(?:problem|worries))"
)
_DECLINE = re.compile(
    r"\b(?:(?:we|i)\s+(?:just\s+|simply\s+|really\s+)?(?:can't|cannot|can\s+not|won't|don't\s+think\s+we\s+can|couldn't|will\s+not|aren't\s+going\s+to|are\s+not\s+going\s+to)\s+(?:seem\s+to\s+|be\s+able\s+to\s+)?(?:make\s+(?:this|it|that)\s+work|reach\s+(?:an?\s+)?(?:agreement|deal)|find\s+(?:a|any|an)\s+(?:\w+\s+)?(?:plan|time|slot|deal|agreement|number|solution|way|overlap|price|split|arrangement|common\s+ground)|come\s+to\s+(?:an\s+agreement|terms)|work\s+(?:this|it)\s+out|agree\s+(?:on\s+(?:this|anything|a\s+\w+)|here|today)|meet\s+in\s+the\s+middle|have\s+a\s+deal|do\s+this\s+together)"
    r"|let's\s+(?:just\s+)?(?:leave\s+it(?:\s+(?:there|be|at\s+that))?(?=[.!,;]|$|\s+(?:there|be|at|then|for))|call\s+it\s+off|drop\s+(?:it|this|the\s+(?:idea|plan))(?=[.!,;]|$)|forget\s+(?:it|about\s+it|the\s+whole)|part\s+ways|not\s+do\s+(?:this|it)|agree\s+to\s+disagree|walk\s+away)|no\s+(?:plan|time|slot|number|amount|split|price|deal|arrangement|selection|combination|option|set|solution|quantity|overlap|way|common\s+ground|agreement)\s+(?:\w+\s+){0,3}?(?:fits?|works?|suits?|possible|between\s+us|to\s+be\s+found|can\s+(?:work|fit|be\s+found)|for\s+(?:both|us)|left|that\s+(?:fits?|works?|suits?|would))|there(?:'s|\s+is|\s+are)\s+(?:simply\s+|just\s+|really\s+)?(?:no|nothing)\s+(?:\w+\s+){0,3}?(?:plan|time|slot|deal|overlap|way|agreement|number|solution|fit|fits|works|work|common\s+ground|arrangement|amount)|nothing\s+(?:that\s+)?(?:fits|works|suits|would\s+(?:fit|work|suit))\s+(?:for\s+)?(?:both|us\s+both|the\s+two|you\s+and)|(?:better|had\s+better|'d\s+better|have\s+to|must|should|want\s+to|will|'ll)\s+(?:just\s+)?(?:call\s+(?:it|this|the\s+\w+)\s+off|leave\s+it|drop\s+it|walk\s+away|bow\s+out|pull\s+out|part\s+ways|decline(?!\s+(?:that|your|this)\s+(?:offer|proposal|one))|step\s+back|withdraw|do\s+without\s+(?:an?\s+)?(?:agreement|deal)|go\s+our\s+separate\s+ways)|(?:we|i)(?:'ll|\s+will|\s+must|\s+have\s+to)?\s+decline(?=[.!,]|$)|not\s+going\s+to\s+(?:work|happen)\s+(?:out|between|for\s+(?:both|us|either)|this\s+time|at\s+all)|it's\s+(?:just\s+)?not\s+(?:possible|meant\s+to\s+be|going\s+to\s+work)(?=[.!,]|$)|no\s+agreement(?:\s+(?:is\s+)?(?:possible|then|today|here|from)|(?=[.!,]|$))|without\s+(?:an?\s+)?(?:agreement|deal)(?=[.!,]|$|\s+(?:then|today|this))|(?:we|our\s+\w+)\s+(?:\w+\s+)?(?:don't|do\s+not)\s+overlap|(?:(?:i|we)(?:'m|'re|\s+am|\s+are)\s+)(?:calling\s+it\s+off|walking\s+away|out(?=[.!]|$))|can't\s+both\s+be\s+(?:met|satisfied)|impossible\s+for\s+(?:both|us)|no\s+room\s+for\s+(?:an?\s+)?(?:agreement|deal|compromise))"
)
_DEFER = re.compile(
    r"\b(?:(?:we|i|you)(?:'ll|'d|\s+will|\s+would)?\s+(?:both\s+)?(?:need|have|ought|'ve\s+got|had\s+better|better|should|must|will|want)?\s*(?:to\s+)?(?:ask|check\s+with|consult|refer\s+(?:this|it|that)\s+to|take\s+(?:this|it|that)\s+to|pass\s+(?:this|it|that)\s+(?:on\s+|up\s+)?to|bring\s+(?:this|it|that)\s+to|put\s+(?:this|it|that)\s+to|run\s+(?:this|it|that)\s+by|hand\s+(?:this|it|that)\s+(?:over\s+|up\s+)?to|escalate|leave\s+(?:this|it|that)\s+(?:up\s+)?to|get\s+(?:approval|sign-?off|permission|the\s+ok)\s+from|go\s+to|wait\s+for|defer)(?!\s+(?:you|for|a|me|that|if|your|the\s+other\s+side|what|which|when|how|whether|why|who|about|one|where|anything|again|first)\b)(?=\s+(?!it\b|that\b|this\b)[a-z])(?:\s+to)?"
    r"|(?:this|that|it|the\s+request|the\s+decision|such\s+a\s+\w+|anything\s+(?:above|over|beyond|more)[^.]{0,30}?|[^.]{0,20})\s+(?:has|have|needs?|must|will\s+(?:have|need)|would\s+(?:have|need)|ought|should)\s*(?:to\s+)?(?:go|be\s+(?:decided|approved|signed\s+off|referred|escalated|cleared|passed|taken|put|handed))\s+(?:(?:on|up|over|off)\s+)?(?:to|by|with|before|through)\b|(?:is|are|'s|would\s+be|goes|lies)\s+(?:\w+\s+)?(?:beyond|outside|above|over)\s+(?:what\s+(?:we|i|either|you)|(?:my|our|your)\s+(?:authority|limit|remit|power|powers|pay\s+grade|mandate|delegat\w+))|beyond\s+(?:what\s+(?:we|i|either\s+of\s+us|you)\s+(?:may|can|are\s+allowed|am\s+allowed)\s+(?:to\s+)?(?:decide|approve|sign|settle|grant)|(?:my|our)\s+(?:authority|remit|powers?|mandate))|(?:not|n't)\s+(?:\w+\s+){0,2}?(?:mine|ours|my|our|up\s+to\s+(?:me|us))\s*(?:\w+\s+)?(?:to\s+(?:decide|approve)|decision|call)|(?:above|over)\s+my\s+pay\s+grade|(?:is|are|'s)\s+(?:\w+(?:\s+\w+)?)(?:'s)\s+(?:decision|call)\b|defer(?:red)?\s+(?:this|it|that|the\s+\w+)?\s*to|up\s+to\s+(?!you\b|me\b|us\b|the\s+(?:two|both)|now|date|this|that|a\b|an\b|then|around|about|half|noon)(?:[a-z]+\s+){1,3}(?:to\s+decide|now))\b"
)
_CORRECT = re.compile(
    r"\b(?:(?:sorry|oops|wait|apologies|pardon|no|whoops|hang\s+on|hold\s+on)[,.!\s-]+(?:\w+\s+){0,3}?(?:i\s+(?:meant|mean|should\s+have\s+said|got\s+that\s+wrong|misread|said\s+that\s+wrong)|make\s+that|that\s+should\s+(?:be|have\s+been)|it's\s+actually|that's\s+wrong)|i\s+meant(?:\s+to\s+say)?\s+(?!it\b|well\b|what\b|no\s+)|scratch\s+that|strike\s+that|make\s+that\s+(?:[0-9$€£a-z])|i\s+(?:misspoke|mis-spoke|misread|misspelled|got\s+(?:that|it|this|the\s+\w+)\s+wrong|made\s+a\s+(?:mistake|slip)|said\s+(?:that|it)\s+wrong|mixed\s+(?:that|it|the\s+\w+)\s+up|was\s+wrong|have\s+to\s+correct)|correction\b|let\s+me\s+correct|i\s+need\s+to\s+correct|i\s+should\s+have\s+said|my\s+mistake|my\s+bad|that\s+was\s+(?:a\s+(?:slip|mistake|typo)|wrong)|to\s+correct\s+(?:myself|what\s+i)|or\s+rather|i\s+take\s+that\s+back|forget\s+what\s+i\s+(?:just\s+)?said|let\s+me\s+(?:rephrase|restate)|earlier\s+i\s+said|actually,?\s+(?:it's|i\s+meant|make\s+(?:it|that)|no))"
)
_TELL = re.compile(
    r"\b(?:(?:i|we)(?:'ll|'d)?\s+(?:really\s+|only\s+|do\s+|also\s+|still\s+|just\s+|absolutely\s+|will\s+|would\s+|actually\s+)*(?:need|can't|cannot|can|could|must|have\s+to|mustn't|won't|require|want|am\s+(?:free|busy|available|allowed|allergic)|prefer|insist|may(?!\s+ask)|don't\s+(?:have|eat|want|like|need)|have|get|finish|start|teach|work|close|open)\b|(?:i'm|we're)\s+(?:\w+\s+)?(?:free|busy|available|allergic|tied\s+up|out|away|allowed|authori[sz]ed|limited|happy\s+with|looking\s+(?:for|at)|after|working\s+with|fine\s+with)|my\s+(?:\w+\s+){0,2}?(?:limit|minimum|maximum|max|min|budget|floor|ceiling|range|window|windows|share|need|constraint|authority|side|schedule|requirement)s?\s+(?:is|are|was|would|goes|runs|needs)|(?:the\s+)?(?:most|least|lowest|highest)\s+(?:i|we)\s+can|(?:i've|we've)\s+(?:only\s+)?got|for\s+me\s+it\s+(?:has|must|needs)|(?:has|have)\s+to\s+be\s+(?:there|in|at\s+least|at\s+most|before|after)|as\s+long\s+as\s+there|no\s+more\s+than|no\s+less\s+than|no\s+fewer\s+than|at\s+least|at\s+most|works?\s+best\s+for\s+(?:me|us)|suits\s+me\s+best|(?:me|us)[:,]\s)\b"
)
_CONTENT = re.compile(
    r"[0-9]|\b(?:limit|budget|minimum|maximum|least|most|need|must|free|busy|available|allerg\w+|approve\w*|authori\w+|noon|midday|dozen|hundred|half|quarter|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty)\b"
)
_BARE_CAN = re.compile(r"\b(?:i|we)\s+(?:can|could|want|have|get|must|may|prefer)\b")
_SEE = re.compile(
    r"\b(?:i|we)(?:'d|'ll)?\s+(?:can|could|have|want|need|may|really)?\s*(?:to\s+)?(?:see|hear|know|understand|imagine|tell|think|appreciate|work\s+(?:something|it)\s+out|find\s+(?:a|some)|figure|thank|say|ask|believe|hope)\b"
)
_THANK = re.compile(r"\b(?:thanks?|thank\s+you|cheers|much\s+appreciated|i\s+appreciate|grateful)\b(?!\s+to\b)")
_GREET = re.compile(
    r"^\W*(?:hi|hello|hey|good\s+(?:morning|afternoon|evening|day)|greetings|howdy|dear|nice\s+to\s+(?:meet|see|hear))\b"
)
_CLOSE = re.compile(
    r"\b(?:goodbye|bye|good\s*bye|see\s+you|talk\s+(?:to\s+you\s+)?(?:soon|later)|take\s+care|have\s+a\s+(?:\w+\s+)?(?:day|evening|weekend|one|afternoon|week)|until\s+(?:then|next\s+time)|speak\s+soon|all\s+the\s+best|best\s+wishes|that's\s+all\s+from\s+me|we're\s+done\s+here)\b"
)
_NO_ANSWER = frozenset({Act.THANK, Act.GREET, Act.CLOSE})


@lru_cache(maxsize=8192)
def find_acts(text: str) -> frozenset[Act]:
    """The acts of an utterance, negation and conditions heeded; FILLER where it holds nothing but pleasantness."""
    acts: set[Act] = set()
    for sentence in cached_sentences(text):
        acts |= _sentence_acts(level(sentence.text))
    if acts & {Act.DECLINE, Act.DEFER}:
        acts.discard(Act.ACCEPT)
    if text.strip() and acts <= _NO_ANSWER and not _CONTENT.search(level(text)):
        acts.add(Act.FILLER)
    return frozenset(acts)


@lru_cache(maxsize=8192)
def _sentence_acts(low: str) -> frozenset[Act]:
    acts: set[Act] = set()
    asked = low.rstrip("\"') ").endswith("?")
    for act, pattern in (
        (Act.DECLINE, _DECLINE),
        (Act.DEFER, _DEFER),
        (Act.CORRECT, _CORRECT),
        (Act.THANK, _THANK),
        (Act.GREET, _GREET),
        (Act.CLOSE, _CLOSE),
    ):
        if pattern.search(low):
            acts.add(act)
    acts |= _asking(low) if asked or "tell me" in low or "know" in low or "ask" in low or "wonder" in low else set()
    if _PROPOSE.search(low):
        acts.add(Act.PROPOSE)
    acts |= _answering(low, asked)
    if _TELL.search(low) and (_CONTENT.search(low) or not _SEE.search(low)) and _is_own(low, asked):
        acts.add(Act.TELL)
    if asked and acts & {Act.DECLINE, Act.DEFER}:
        acts -= {Act.DECLINE, Act.DEFER}
        acts.add(Act.PROPOSE)
    return frozenset(acts)


def _asking(low: str) -> set[Act]:
    if _ABOUT_PLAN.search(low):
        return {Act.PROPOSE} if _CONTENT.search(low) or not _ASK.match(low) else {Act.ASK}
    return {Act.ASK} if _ASK.search(low) else set()


def _answering(low: str, asked: bool) -> set[Act]:
    conditional = _CONDITION.search(low) is not None and not _SOFT_CONDITION.search(low)
    if _REJECT.search(low):
        return {Act.REJECT} if not asked else set()
    match = next((m for m in _ACCEPT.finditer(low) if not _NEGATED.search(low, 0, m.start())), None)
    if match is None or asked and low.find("?") >= match.end() and not _answers_first(low, match.end()):
        return set()
    return {Act.PROPOSE} if conditional else {Act.ACCEPT}


def _answers_first(low: str, end: int) -> bool:
    """An acceptance that stands before the question in the same sentence: "deal, shall I book it?"."""
    return low[end : end + 1] in (",", ";", "-", "—") and end < len(low) - 2


def _is_own(low: str, asked: bool) -> bool:
    return not asked or bool(re.search(r"\b(?:i|we)\s+(?:need|can't|cannot|must|only)\b", low))
