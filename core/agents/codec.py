"""The codec of models that chat: a conversation as the tokens of their own chat template.

It stands with the agents because it says the same to a model as they do; policies find it by its name, `chat`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from attrs import evolve, field, frozen

from adidem.core.agents import tools
from adidem.core.agents.chat import ChatAgent
from adidem.core.agents.chat_template import Pieces, pieces_of
from adidem.core.agents.forms import forms
from adidem.core.agents.speech import acted, as_written, utterance
from adidem.core.domain import Directive, ToolCall, Turn
from adidem.core.errors import ConfigError
from adidem.core.llm.gateway import Gateway
from adidem.core.llm.parse import parse_json, split_reasoning
from adidem.core.llm.redact import plain
from adidem.core.llm.templates import render
from adidem.core.llm.transport import Called
from adidem.core.policy.contracts import Cue, View
from adidem.core.records import record_schema

_PROMPTS = Path(__file__).parent / "prompts"
_REQUESTS: dict[Cue, str] = {"record": "record_now.j2", "probe": "record_aside.j2"}
FILE = "chat.json"
TURN_TOKENS, RECORD_TOKENS = 64, 96


@frozen(eq=False, slots=False)
class ChatCodec:
    """A codec (`adidem.core.policy.contracts.Codec`) over a Hugging Face tokenizer with a chat template.

    The forms that a record may have stand in the opening, so that what asks for one is always the same. What a partner
    says is never read as a template's own tokens, whatever it looks like.
    """

    tokenizer: Any
    pieces: Pieces
    turn_tokens: int = TURN_TOKENS
    record_tokens: int = RECORD_TOKENS
    directive: Directive | None = None
    repair: str | None = None
    repair_level: str | None = None
    name: str = field(default="chat", init=False)

    @property
    def pad(self) -> int:
        """Any id will do: nothing is inferred from it."""
        found = self.tokenizer.pad_token_id
        return int(found if found is not None else min(self._ends))

    def limited(self, turn_tokens: int | None, record_tokens: int | None) -> ChatCodec:
        """The same with other limits; None leaves one as it is."""
        return evolve(
            self, turn_tokens=turn_tokens or self.turn_tokens, record_tokens=record_tokens or self.record_tokens
        )

    def opening(self, view: View) -> list[int]:
        """The system message: the common prompt of agents, and how a record is written."""
        return self._message(self.pieces.system, self._system(view))

    def heard(self, turn: Turn, view: View) -> list[int]:
        """The partner's turn as a user's message."""
        text = _worded(turn, view)
        if not turn.text:
            name = "silent.j2" if turn.action == "none" else "left.j2"
            text = render(_PROMPTS, name, partner=view.card.partner)
        return self._message(self.pieces.user, text)

    def cue(self, what: Cue) -> list[int]:
        """The generation prompt; before it, for a record, the request."""
        return list(self._cues[what])

    def ends(self, what: Cue) -> frozenset[int]:
        """The tokens that end what an assistant says."""
        return self._ends

    def most(self, what: Cue) -> int:
        """As it was told."""
        return self.turn_tokens if what == "turn" else self.record_tokens

    def after(self, what: Cue, ids: Sequence[int]) -> list[int]:
        """What the template puts after what was said: without the end token where it was sampled."""
        return list(self._after[1:] if ids and ids[-1] == self._after[0] else self._after)

    def said(self, ids: Sequence[int], view: View, index: int) -> Turn:
        """What the model said, cleaned as any model's words are; its reasoning is kept apart."""
        whole = self._text(ids)
        text, reasoning = split_reasoning(whole)
        cut = not ids or ids[-1] not in self._ends
        read = acted if hasattr(view.family, "actions") else utterance
        found = read(text, view.card.name, view.card.partner, cut_short=cut)
        return Turn(
            index,
            view.card.seat,
            found.text or ("" if found.leaves or found.action == "none" else plain(whole).strip()),
            "leave" if found.leaves else found.action,
            reasoning=plain(reasoning) if reasoning else None,
        )

    def called(self, ids: Sequence[int]) -> Called | None:
        """The call of a tool that was written; None where it is speech."""
        return tools.written(split_reasoning(self._text(ids))[0])

    def looked_up(self, calls: Sequence[ToolCall]) -> list[int]:
        """Calls as the model would have written them, each with its result as a user's message."""
        found: list[int] = []
        for message in tools.shown(calls, 0, words=True):
            if message["role"] == "user":
                found += self._message(self.pieces.user, message["content"])
            else:
                found += [*self.cue("turn"), *self._encoded(message["content"], data=True), *self._after]
        return found

    def broken(self, ids: Sequence[int]) -> str | None:
        """Why a conversation cannot simply go on after these ids; None where it can. A template that takes earlier
        reasoning out would show the model something else from here on than what was sampled."""
        if self.pieces.strips and split_reasoning(self._text(ids))[1]:
            return "the chat template takes out the reasoning that was sampled: from here on it is another sample"
        return None

    def record(self, ids: Sequence[int], view: View) -> Any:
        """The JSON in what was written, else its text."""
        text = split_reasoning(self._text(ids))[0]
        found = parse_json(text)
        return plain(text) if found.problem is not None else found.value

    def spoken(self, turn: Turn, view: View) -> list[int]:
        """Somebody else's turn as this model would have said it."""
        return [*self._encoded(_worded(turn, view), data=True), self._after[0]]

    def wrote(self, raw: Any, view: View) -> list[int]:
        """Somebody else's record as this model would have written it."""
        text = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
        return [*self._encoded(text, data=True), self._after[0]]

    def directed(self, directive: Directive | None, repair: str | None = None) -> ChatCodec:
        """The same with another way of talking in its opening."""
        return evolve(self, directive=directive, repair=repair)

    def repaired(self, level: str) -> ChatCodec:
        """The same with one of the two repair instructions in its opening."""
        return evolve(self, repair_level=level)

    def save(self, folder: Path) -> None:
        """Write the tokenizer and `chat.json`."""
        self.tokenizer.save_pretrained(folder)
        told = {"turn_tokens": self.turn_tokens, "record_tokens": self.record_tokens}
        (folder / FILE).write_text(json.dumps(told) + "\n", encoding="utf-8")

    # -------------------------------------------------------------------------------------------------------- pieces

    def _system(self, view: View) -> str:
        agent = ChatAgent("hf", _GATEWAY, directive=self.directive, repair=self.repair, repair_level=self.repair_level)
        told = agent.join(view.family, (), view.card, Random(0)).system
        if view.tools:
            told = f"{told}\n\n{tools.in_words(view.tools)}"
        if view.family.terms is None:
            return told
        found = forms(record_schema(view.family, view.card.public))
        ahead = render(_PROMPTS, "record_ahead.j2", forms=found, approver=view.card.public.approver)
        return f"{told}\n\n{ahead}"

    def _message(self, piece: tuple[str, str], text: str) -> list[int]:
        return [*self._encoded(piece[0]), *self._encoded(text, data=True), *self._encoded(piece[1])]

    def _encoded(self, text: str, *, data: bool = False) -> list[int]:
        found: list[int] = self.tokenizer.encode(text, add_special_tokens=False, split_special_tokens=data)
        return found

    def _text(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

    @cached_property
    def _after(self) -> list[int]:
        return self._encoded(self.pieces.after) or [int(self.tokenizer.eos_token_id)]

    @cached_property
    def _ends(self) -> frozenset[int]:
        return frozenset({self._after[0], int(self.tokenizer.eos_token_id)})

    @cached_property
    def _cues(self) -> dict[Cue, list[int]]:
        prompt = self._encoded(self.pieces.prompt)
        asked = {what: self._message(self.pieces.user, render(_PROMPTS, name)) for what, name in _REQUESTS.items()}
        return {"turn": prompt, **{what: [*ids, *prompt] for what, ids in asked.items()}}


def _worded(turn: Turn, view: View) -> str:
    return as_written(turn, acts=hasattr(view.family, "actions"))


_GATEWAY = Gateway()
"""Nothing is asked of it: an agent is made with one."""


def load(folder: Path) -> ChatCodec:
    """The codec of the tokenizer in a folder.

    Raises:
        ConfigError: it has no tokenizer, or one without a chat template that can be trained on.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"{folder}: no tokenizer: {' '.join(str(error).split())[:300]}") from error
    if tokenizer.eos_token_id is None:
        raise ConfigError(f"{folder}: the tokenizer has no end token")
    codec = ChatCodec(tokenizer, pieces_of(tokenizer))
    file = folder / FILE
    if not file.is_file():
        return codec
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        return codec.limited(int(told["turn_tokens"]), int(told["record_tokens"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{file}: not readable: {error}") from error
