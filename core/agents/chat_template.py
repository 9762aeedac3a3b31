"""A chat template in pieces, so that a conversation as tokens only ever grows at its end.

The pieces are found by rendering a made-up conversation and looking at what stands between its messages. A template
that cannot be put together from such pieces is refused.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from adidem.core.errors import ConfigError

_SYSTEM, _FIRST, _SAID, _SECOND = "Ssystemtext", "Ufirsttext", "Asaidtext", "Usecondtext"
_THOUGHT = "Tthoughttext"


@frozen
class Pieces:
    """What stands around what the system says, around what a user says, before and after what the assistant says.

    `strips`: the template takes reasoning out of what the assistant said earlier, so that a conversation with reasoning
    in it does not only grow.
    """

    system: tuple[str, str]
    user: tuple[str, str]
    prompt: str
    after: str
    strips: bool


def pieces_of(tokenizer: Any) -> Pieces:
    """The pieces of a tokenizer's chat template. Where it knows no system, what the system says is a user's first
    message.

    Raises:
        ConfigError: there is no template, or what it makes of a message depends on the others.
    """
    if not getattr(tokenizer, "chat_template", None):
        raise ConfigError("the model's tokenizer has no chat template: a base model cannot be talked with")
    system = [_message("system", _SYSTEM)]
    try:
        opened = _between(_rendered(tokenizer, [*system, _message("user", _FIRST)]), _SYSTEM, _FIRST)
    except Exception:  # noqa: BLE001  a template raises whatever it likes to say that it knows no such role
        system, opened = [], ()
    asked = [*system, _message("user", _FIRST)]
    said = [*asked, _message("assistant", _SAID)]
    after_user = _between(_rendered(tokenizer, asked), _FIRST)[-1]
    after_said = _between(_rendered(tokenizer, said), _FIRST, _SAID)[-1]
    whole = _rendered(tokenizer, [*said, _message("user", _SECOND)], prompt=True)
    head, _, between, end = _between(whole, _FIRST, _SAID, _SECOND)
    before_user, prompt = _less(between, after_said), _less(end, after_user)
    if system:
        if not opened[1].endswith(before_user):
            raise ConfigError(_DEPENDS)
        system_piece = opened[0], opened[1][: len(opened[1]) - len(before_user)]
    else:
        system_piece = head, after_user
    return Pieces(system_piece, (before_user, after_user), prompt, after_said, _strips(tokenizer, asked))


_DEPENDS = "what the model's chat template makes of a message depends on the others: it cannot be trained on"


def _between(text: str, *marks: str) -> tuple[str, ...]:
    """What stands before, between and after the marks, which are all there in this order."""
    found = []
    for mark in marks:
        before, there, text = text.partition(mark)
        if not there:
            raise ConfigError(_DEPENDS)
        found.append(before)
    return (*found, text)


def _less(text: str, start: str) -> str:
    if not text.startswith(start):
        raise ConfigError(_DEPENDS)
    return text[len(start) :]


def _strips(tokenizer: Any, asked: list[dict[str, str]]) -> bool:
    thought = f"<think>\n{_THOUGHT}\n</think>\n\n{_SAID}"
    later = [*asked, _message("assistant", thought), _message("user", _SECOND)]
    return _THOUGHT not in _rendered(tokenizer, later)


def _rendered(tokenizer: Any, messages: list[dict[str, str]], *, prompt: bool = False) -> str:
    """Without reasoning, where the template can be told so."""
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=prompt, enable_thinking=False)
    return str(text)


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}
