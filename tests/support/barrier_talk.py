"""The three barriers, and utterances for the laws: lines from the shipped scenarios, and text of any kind."""

from hypothesis import strategies as st

from adidem.plugins.barriers.emotional_interference import EmotionalInterference
from adidem.plugins.barriers.semantic_vagueness import SemanticVagueness
from adidem.plugins.barriers.sociocultural_mismatch import SocioculturalMismatch

BARRIERS = {b.name: b for b in (SemanticVagueness(), SocioculturalMismatch(), EmotionalInterference())}

PIECES = st.sampled_from(
    """I we you Tom Priyanka need can't have must at least most 12 $140 crates 3:30 to from until noon half past two an
    hour and a half the a my blue lantern cold room or not never no yes agreed please thanks sorry kind sort of maybe
    it that this then works for me is fine with me , . ! ? ; : - — … " ( ) \n p.m. 40kg one other thing say so think I'm
    isn't on Tuesday between forty-five hundred dozen you know what mean let's leave call off""".split()
)
"""Words and marks that the barriers look for, to be strung together in every order."""

SENTENCES = st.sampled_from(
    [
        "Hi Priyanka, let's sort this out together.",
        "I need at least 40 minutes to be fair to both, but my voice never lasts more than 65.",
        "The harbour rota leaves me 10:30 to 2:00 and 3:00 to 6:30.",
        "How about $300 from Halina and $540 from Gareth?",
        "Yes, coral, turquoise and lime green works for me.",
        "I'm afraid that doesn't work for me.",
        "Then I'm afraid we can't find anything that works for both of us, so let's leave it.",
        "What do you need from your side, and what is out of the question for you?",
        "We can't settle that between us, so Maelle has to decide.",
        "Maybe an hour and a half, or so, at 2 p.m. on Friday.",
        "THE VAN IS MINE!",
        "Thank you. Talk soon.",
    ]
)

UTTERANCES = st.one_of(
    st.lists(SENTENCES, min_size=1, max_size=5).map(" ".join),
    st.lists(PIECES, max_size=30).map(" ".join),
    st.text(max_size=120),
)
SEVERITIES = st.floats(0, 1)
SEEDS = st.integers(0, 2**32)
