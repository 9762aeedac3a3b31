"""One conversation: turns, stop rules, records written alone, the rules' verdict, the judges' ratings."""

from adidem.core.play.converse import Ended, converse
from adidem.core.play.episode import Setup, play
from adidem.core.play.records import take_records

__all__ = ["Ended", "Setup", "converse", "play", "take_records"]
