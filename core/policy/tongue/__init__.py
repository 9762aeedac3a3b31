"""The lab's tongue: a small language between conversations and tokens in which a tiny model can learn any family.

Numbers and times are pairs of digits, what may be chosen and the two names are copied by their place, and only the
families' own kinds, keys and facts are words: no name and no item is ever part of the vocabulary.
"""

from adidem.core.policy.tongue.codec import Tongue, load
from adidem.core.policy.tongue.ears import surface_words
from adidem.core.policy.tongue.vocabulary import Vocabulary, vocabulary_of

__all__ = ["Tongue", "Vocabulary", "load", "surface_words", "vocabulary_of"]
