"""How much a run may use before it starts no more episodes: money, tokens, time. What is in flight is finished."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from attrs import frozen

from adidem.core.errors import ConfigError
from adidem.core.language.patterns import Pattern
from adidem.core.llm import Gateway
from adidem.core.runs.agents import AgentSource

_TIME = Pattern(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s?)?")


@frozen
class Limits:
    """US dollars, tokens of prompts and answers together, seconds; None is no limit. They hold for one call of `run`: a
    resumed run has them anew."""

    cost: float | None = None
    tokens: int | None = None
    seconds: float | None = None


NO_LIMITS = Limits()


def seconds_of(text: str) -> float:
    """A time as written, `90`, `90s`, `15m`, `1h30m`, in seconds.

    Raises:
        ConfigError: it is no such time.
    """
    found = _TIME.fullmatch(text.strip().lower())
    if found is None or not any(found.groups()):
        raise ConfigError(f"--time-limit {text!r}: write it as 90s, 15m, 2h or 1h30m")
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return 3600 * hours + 60 * minutes + seconds


def check_limits(limits: Limits, sources: AgentSource) -> None:
    """Raises ConfigError where a cost limit could not be kept, since a model's price is unknown."""
    if limits.cost is None:
        return
    for who, (model, settings) in sources.models.items():
        if sources.gateway.price(model, settings) is None:
            raise ConfigError(
                f"--max-cost cannot be kept: no price is known for {model} ({who}). Give price_in and price_out, in US "
                f"dollars per million tokens, under models: {{{model}: ...}} in registry.yaml or with --set"
            )


def stopper(limits: Limits, gateway: Gateway) -> Callable[[], str | None]:
    """What says, before each episode, why no more is started; None where there is no reason."""
    began = monotonic()

    def reason() -> str | None:
        if limits.cost is not None and gateway.spent.cost >= limits.cost:
            return f"the cost limit of ${limits.cost:g} is reached (${gateway.spent.cost:.4f} spent)"
        if limits.tokens is not None and gateway.spent.tokens >= limits.tokens:
            return f"the limit of {limits.tokens} tokens is reached ({gateway.spent.tokens} used)"
        if limits.seconds is not None and monotonic() - began >= limits.seconds:
            return f"the time limit of {limits.seconds:g} s is reached"
        return None

    return reason
