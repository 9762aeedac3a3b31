"""One conversation: turns, stop rules, records written alone, the rules' verdict, the judges' ratings."""

from adidem.core.play.converse import Ended, converse
from adidem.core.play.episode import Setup, case_of, play
from adidem.core.play.judge import JudgeSeat, judged, no_model
from adidem.core.play.records import take_records

__all__ = ["Ended", "JudgeSeat", "Setup", "case_of", "converse", "judged", "no_model", "play", "take_records"]
