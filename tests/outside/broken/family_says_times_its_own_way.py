"""A family that says times as bells, which its own ears know and nobody else's."""

import re
from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.the_talk_bears_it_out"
good = import_file(Path(__file__).parents[1] / "moving_day.py")
BELLS = dict(zip(good.TIMES, ("the dog's bell", "the cook's bell", "the mate's bell", "the night bell"), strict=True))


class Broken(good.MovingDay):
    def clock(self, time):
        return BELLS[time]

    def tell(self, condition, public):
        return re.sub(r"\d\d:\d\d", lambda found: BELLS[found[0]], condition.text)

    def hear(self, text, public, speaker):
        spelled = text
        for time, bell in BELLS.items():
            spelled = spelled.replace(bell, time)
        heard = super().hear(spelled, public, speaker)
        if spelled == text:
            return heard
        facts, plans = (tuple(evolve(part, start=0, end=0) for part in parts) for parts in (heard.facts, heard.plans))
        return evolve(heard, facts=facts, plans=plans, deferrals=())


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.MovingRules)
