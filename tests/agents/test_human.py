"""A person at the terminal, typed by a script."""

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from adidem.core.agents.human import HumanAgent
from adidem.core.domain import Turn
from adidem.core.errors import ModelFailure
from small_world import SCHEMA, seat


def typed(*lines: str) -> tuple[HumanAgent, io.StringIO]:
    out, left = io.StringIO(), list(lines)

    def read(_prompt: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    return HumanAgent(Console(file=out, width=100), read), out


async def test_the_card_is_shown_once_and_model_text_cannot_reach_the_terminal() -> None:
    agent, out = typed("Thirty?", "Thirty-one then /end")
    person = seat(agent)
    first = await person.speak((), 12)
    assert (first.text, first.action) == ("Thirty?", "speak")
    heard = (first, Turn(1, "second", "No.\x1b[2J\x1b]0;x\x07 [bold]31[/bold]"))
    second = await person.speak(heard, 10)
    assert (second.index, second.text, second.action) == (2, "Thirty-one then", "leave")
    shown = out.getvalue()
    assert shown.count("My beds need 20 to 44 bags.") == 1
    assert "My van" not in shown
    assert "Ben Carter: No. [bold]31[/bold]" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("line", ["", "/end", "  "])
async def test_an_empty_line_or_end_leaves(line: str) -> None:
    agent, _ = typed(line)
    turn = await seat(agent).speak((), 12)
    assert (turn.text, turn.action) == ("", "leave")


@pytest.mark.parametrize(
    ("lines", "record"),
    [
        (("1", "30"), {"outcome": "agree", "terms": {"quantity": "30"}}),
        (("7", "x", "2"), {"outcome": "decline", "terms": None}),
        (("We agreed on a plan", "30 bags"), {"outcome": "agree", "terms": {"quantity": "30 bags"}}),
    ],
)
async def test_a_record_is_asked_field_by_field(lines: tuple[str, ...], record: object) -> None:
    agent, out = typed(*lines)
    assert await seat(agent).record((), SCHEMA, "terms.quantity is missing") == record
    assert "terms.quantity is missing" in out.getvalue()


async def test_the_end_of_input_is_a_failure_and_no_answer() -> None:
    for asked in (seat(typed()[0]).speak((), 12), seat(typed()[0]).record((), SCHEMA)):
        with pytest.raises(ModelFailure) as caught:
            await asked
        assert caught.value.kind == "input_ended"


async def test_lists_and_choices_are_typed_in_words() -> None:
    choices = {"type": "string", "enum": ["tea", "milk"]}
    schema = {"type": "object", "properties": {"items": {"type": "array", "items": choices}, "who": choices}}
    agent, _ = typed("tea, milk", "Milk")
    assert await seat(agent).record((), schema) == {"items": ["tea", "milk"], "who": "milk"}


def test_input_is_the_terminals() -> None:
    read: Callable[[str], str] = HumanAgent().read
    assert read is input
