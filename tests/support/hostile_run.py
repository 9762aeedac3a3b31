"""Episodes and scenarios with a hostile text wherever one can stand."""

from attrs import evolve

from adidem.core.domain import Cause, Condition, Flag, Judgement, Rating, Written


def poisoned(episode, texts):
    """The episode with a hostile text wherever one can stand."""

    def t():
        return next(texts)

    extra = {
        **episode.extra,
        "detection": [{"turn": 0, "said": t()}, {"turn": 1, "said": None}],
        "probes": [{"turn": 0, "within": t(), "elsewhere": False, "disclosed": True}],
        "barrier": {"seat": "first", "severity": 0.7, "parts": {}, "observed": {t(): 1.0}, "quotas": {t(): [0, 1]},
                    "missed": [], "complied": False, "moves": {t(): 1}},
    }  # fmt: skip
    turns = tuple(evolve(turn, text=t(), meant=t(), reasoning=t()) for turn in (episode.turns * 8)[:30])
    turns = tuple(evolve(turn, index=index) for index, turn in enumerate(turns))
    flags = tuple(Flag(t(), "first", 1, turns[1].text[:400], t()) for _ in range(3))
    flags += (Flag(t(), None, None, t(), t(), supported=False),)
    ratings = (Rating(t(), "first", 1.0, t()), Rating("integrity", None, None, t(), t()))
    return evolve(
        episode,
        turns=turns,
        records={"first": Written(t(), unreadable=t()), "second": Written({t(): [t()]}, "agree", {t(): t()})},
        judgements=(Judgement("integrity", ratings, flags, {t()[:50]: t()}, spec=t()),),
        agents=evolve(episode.agents, agent=t(), partner=t()),
        extra=extra,
        ended=t(),
        cause=Cause(t(), t(), 2, t()) if episode.world == "b" else None,
    )


def hostile(scenario, texts):
    """The scenario with a hostile text wherever one can stand."""
    roles = tuple(evolve(role, name=next(texts)[:300], about=next(texts)) for role in scenario.public.roles)
    public = evolve(scenario.public, story=next(texts), brief=next(texts), approver=next(texts), roles=roles)

    def sides(conditions):
        return tuple(Condition(c.owner, c.kind, c.value, next(texts)) for c in conditions)

    return evolve(scenario, public=public, a=sides(scenario.a), b=sides(scenario.b))
