"""adidem's tasks in TRL: rows for its trainers, a `rollout_func`, and an `environment_factory`.

`rollout_func` is for every model with a chat template: the conversation is the policy's own chat, and only what it
sampled is trained on. `environment_factory` is for models that call tools.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from adidem.core.agents.chat_template import Pieces, pieces_of
from adidem.core.bridges.game import REWARD, Game, reward_of
from adidem.core.bridges.session import Session
from adidem.core.errors import ModelFailure
from adidem.core.llm.templates import render

if TYPE_CHECKING:
    from datasets import Dataset

Sample = Callable[[list[int]], tuple[list[int], list[float]]]
"""Draws a completion after these ids: its ids, the end among them, and the log-prob of each."""

REWARDS = "adidem_reward"


def dataset(ready: Game) -> Dataset:
    """One row a job, its name as the only message: the rollout puts the conversation in its place."""
    from datasets import Dataset

    return Dataset.from_list(
        [{"prompt": [{"role": "user", "content": name}], **ready.row(name)} for name in ready.jobs]
    )


def rewards(**fields: Any) -> list[float | None]:
    """A reward function for a trainer that has `rollout_func`: what the rollouts scored, None where unscored."""
    return list(fields[REWARDS])


# -------------------------------------------------------------------------------------------------------- rollout_func


@frozen(eq=False)
class RolloutFunc:
    """`GRPOTrainer(rollout_func=RolloutFunc(ready), reward_funcs=[rewards], train_dataset=dataset(ready))`.

    One conversation for each prompt it is given. `reward` is the score that is trained on; `sampler` makes of the
    trainer what draws completions: transformers' own `generate` where nothing else is given.
    """

    ready: Game
    reward: str = REWARD
    sampler: Callable[[Any], Sample] | None = None

    def __attrs_post_init__(self) -> None:
        self.ready.must_score(self.reward)

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, list[Any]]:
        """The tokens of each conversation, which of them were sampled (`env_mask`), and what it scored."""
        tokenizer = getattr(trainer.processing_class, "tokenizer", trainer.processing_class)
        tongue = _Tongue(tokenizer, pieces_of(tokenizer))
        sample = (self.sampler or with_transformers)(trainer)
        done: dict[str, int] = {}
        found = []
        for prompt in prompts:
            name = prompt if isinstance(prompt, str) else prompt[-1]["content"]
            more = done.setdefault(name, 0)
            done[name] += 1
            found.append(asyncio.run(self._rollout(name, more, tongue, sample)))
        return {key: [each[key] for each in found] for key in found[0]} if found else {}

    async def _rollout(self, name: str, more: int, tongue: _Tongue, sample: Sample) -> dict[str, Any]:
        ids: list[int] = []
        logps: list[float] = []
        mask: list[int] = []
        async with self.ready.session(name, more) as session:
            messages = await session.next() or []
            prompt = tongue.prompt(messages)
            while True:
                drawn, drawn_logps = sample([*prompt, *ids])
                ids, logps, mask = [*ids, *drawn], [*logps, *drawn_logps], [*mask, *[1] * len(drawn)]
                if await session.next(tongue.text(drawn)) is None:
                    break
                between = tongue.between(drawn, session.news)
                ids, logps, mask = [*ids, *between], [*logps, *[0.0] * len(between)], [*mask, *[0] * len(between)]
            scored = _reward(session, self.reward)
        return {"prompt_ids": prompt, "completion_ids": ids, "logprobs": logps, "env_mask": mask, REWARDS: scored}


def _reward(session: Session, name: str) -> float | None:
    """The reward, None where the episode failed or it is unscored: TRL leaves such out."""
    try:
        return reward_of(session.episode, name)
    except ModelFailure:
        return None


@frozen(eq=False)
class _Tongue:
    """Messages as tokens that only grow at their end: what was sampled is never encoded again."""

    tokenizer: Any
    pieces: Pieces

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        found = [i for m in messages for i in self._message(m)]
        return [*found, *self._ids(self.pieces.prompt)]

    def between(self, drawn: Sequence[int], news: Sequence[Mapping[str, str]]) -> list[int]:
        after = self._ids(self.pieces.after)
        ended = after[1:] if after and drawn and drawn[-1] == after[0] else after
        return [*ended, *(i for m in news for i in self._message(m)), *self._ids(self.pieces.prompt)]

    def text(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

    def _message(self, message: Mapping[str, str]) -> list[int]:
        before, after = self.pieces.system if message["role"] == "system" else self.pieces.user
        return [*self._ids(before), *self._ids(message["content"], data=True), *self._ids(after)]

    def _ids(self, text: str, *, data: bool = False) -> list[int]:
        """Tokens; what somebody said is never read as a template's own."""
        found: list[int] = self.tokenizer.encode(text, add_special_tokens=False, split_special_tokens=data)
        return found


def with_transformers(trainer: Any) -> Sample:
    """Draws with the trainer's own model, at its temperature, at most `max_completion_length` tokens a turn."""
    import torch

    model = trainer.accelerator.unwrap_model(trainer.model)
    most, heat = trainer.max_completion_length, trainer.temperature
    end = trainer.processing_class.eos_token_id

    def sample(ids: list[int]) -> tuple[list[int], list[float]]:
        given = torch.tensor([ids], device=model.device)
        with torch.no_grad():
            out = model.generate(
                given,
                attention_mask=torch.ones_like(given),
                do_sample=True,
                temperature=heat,
                top_k=0,
                top_p=1.0,
                max_new_tokens=most,
                eos_token_id=end,
                pad_token_id=end,
                return_dict_in_generate=True,
                output_scores=True,
            )
        drawn = out.sequences[0, len(ids) :]
        logps = torch.stack(out.scores)[:, 0].float().log_softmax(-1).gather(-1, drawn[:, None])[:, 0]
        return drawn.tolist(), logps.tolist()

    return sample


# ------------------------------------------------------------------------------------------------- environment_factory


def environment_factory(ready: Game, reward: str = REWARD) -> Callable[[], Environment]:
    """`GRPOTrainer(environment_factory=environment_factory(ready), train_dataset=dataset(ready))`."""
    ready.must_score(reward)
    return lambda: Environment(ready, reward)


@define(eq=False)
class Environment:
    """An episode behind one tool. TRL resets it for each rollout and asks it for the reward."""

    _ready: Game
    _reward: str = REWARD
    _loop: asyncio.AbstractEventLoop = field(factory=asyncio.new_event_loop)
    _session: Session | None = None

    def reset(self, job: str, **row: Any) -> str:
        """Begin the episode of a row: what the tested seat is told first."""
        self._end()
        self._session = self._run(self._begun(job))
        told = [message["content"] for message in self._run(self._session.next())]
        return "\n\n".join([*told, render(Path(__file__).parent, "tool_told.j2")])

    def reply(self, text: str) -> str:
        """Say something to the other person, or, when you are asked for it, write down what is settled.

        Args:
            text: Your words, or the JSON object that you write down.

        Returns:
            What the other person answers, or what you are asked next.
        """
        assert self._session is not None, "it is reset first"
        if self._run(self._session.next(text)) is None:
            return "It is over."
        return "\n\n".join(message["content"] for message in self._session.news)

    def get_reward(self) -> float | None:
        """What the episode scored; None where it is not over, failed, or is unscored."""
        return None if self._session is None else _reward(self._session, self._reward)

    async def _begun(self, job: str) -> Session:
        return self._ready.session(job)

    def _run(self, what: Any) -> Any:
        return self._loop.run_until_complete(what)

    def _end(self) -> None:
        if self._session is not None:
            self._run(self._session.close())
