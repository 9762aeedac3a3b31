"""What was used of models: calls, tokens, money."""

from __future__ import annotations

from attrs import frozen


@frozen
class Usage:
    """What an episode used of models. `cost` is in US dollars; None is unknown, never 0. `failed` counts the attempts
    that came to nothing, those included that a later one cured, as (cause, count) in the order of causes."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    failed: tuple[tuple[str, int], ...] = ()

    def __add__(self, more: Usage) -> Usage:
        cost = None if self.cost is None or more.cost is None else self.cost + more.cost
        return Usage(
            self.calls + more.calls,
            self.prompt_tokens + more.prompt_tokens,
            self.completion_tokens + more.completion_tokens,
            cost,
            _both(self.failed, more.failed),
        )


def _both(one: tuple[tuple[str, int], ...], two: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    if not one or not two:
        return one or two
    counts = dict(one)
    for cause, count in two:
        counts[cause] = counts.get(cause, 0) + count
    return tuple(sorted(counts.items()))
