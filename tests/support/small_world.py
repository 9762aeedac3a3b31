"""A small world for the tests of agents: two people, one quantity."""

from random import Random
from typing import Any

from adidem.core.domain import Condition, Public, Role, World

PUBLIC = Public(
    story="Maya and Ben share a garden.",
    brief="They are to settle how many bags of compost to order.",
    roles=(Role("first", "Maya Ortiz", "keeps the beds"), Role("second", "Ben Carter", "owns the van")),
)
WORLD = World(
    "a",
    PUBLIC,
    (
        Condition("first", "interval", {"least": 20, "most": 44}, "My beds need 20 to 44 bags."),
        Condition("second", "interval", {"least": 10, "most": 31}, "My van takes 31 bags at most."),
    ),
)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["outcome", "terms"],
    "properties": {
        "outcome": {"type": "string", "enum": ["agree", "decline"]},
        "terms": {
            "anyOf": [
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["quantity"],
                    "properties": {"quantity": {"type": "integer"}},
                },
                {"type": "null"},
            ]
        },
    },
}


def seat(agent: Any, where: str = "first", seed: int = 1) -> Any:
    """The agent's participant in that seat of the small world; the cards' texts are written, so no family is asked."""
    return agent.join(None, (), WORLD.card(where), Random(seed))  # type: ignore[arg-type]
