"""What was used of models: calls, tokens, money."""

from __future__ import annotations

from attrs import frozen


@frozen
class Usage:
    """What an episode used of models. `cost` is in US dollars; None is unknown, never 0."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, more: Usage) -> Usage:
        cost = None if self.cost is None or more.cost is None else self.cost + more.cost
        return Usage(
            self.calls + more.calls,
            self.prompt_tokens + more.prompt_tokens,
            self.completion_tokens + more.completion_tokens,
            cost,
        )
