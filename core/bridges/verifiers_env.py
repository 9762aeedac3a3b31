"""adidem's tasks as an environment of verifiers: `vf.load_environment("adidem", suite="hico")`."""

from __future__ import annotations

from typing import Any

import verifiers as vf
from datasets import Dataset

from adidem.core.bridges.game import REWARD, Game, game
from adidem.core.bridges.session import Session
from adidem.core.errors import AdidemError
from adidem.core.export.scores import scores_of

SESSION, SCORES = "adidem_session", "adidem_scores"


class AdidemEnv(vf.MultiTurnEnv):  # type: ignore[misc,unused-ignore]
    """A rollout is an episode with the policy in the tested seat; what the environment answers is the partner's turn,
    and at the end the request for the record. An episode that failed, or whose reward is unscored, ends with an error
    and is no zero."""

    def __init__(self, ready: Game, reward: str = REWARD, **options: Any) -> None:
        ready.must_score(reward)
        self.ready, self.reward = ready, reward
        rows = [
            {
                "prompt": [*ready.opening(name), {"role": "user", "content": name}],
                "answer": "",
                "info": _info(ready, name),
            }
            for name in ready.jobs
        ]
        super().__init__(dataset=Dataset.from_list(rows), rubric=vf.Rubric(funcs=[rewarded]), **options)
        for name in ("feasibility", "integrity"):
            self.add_rubric(_metric(name))

    async def setup_state(self, state: Any) -> Any:
        """Begin the episode; its first messages take the place of the row's prompt."""
        session = self.ready.session(state["info"]["job"])
        state[SESSION] = session
        state["prompt"] = await session.next()
        return state

    async def env_response(self, messages: Any, state: Any, **kwargs: Any) -> Any:
        """The partner's words and what is asked next; nothing once the episode is over."""
        session: Session = state[SESSION]
        if await session.next(_text(messages[-1])) is not None:
            return session.news
        try:
            scores = scores_of(session.episode)
        except AdidemError as error:
            raise vf.Error(str(error)) from error
        if scores.get(self.reward) is None:
            raise vf.Error(f"{self.reward} is unscored")
        state[SCORES] = {**scores, "reward": scores[self.reward]}
        state["final_env_response"] = []
        return []

    @vf.cleanup  # type: ignore[untyped-decorator,unused-ignore]
    async def end_session(self, state: Any) -> None:
        """Give an episode up that was cut short."""
        session = state.pop(SESSION, None)
        if session is not None:
            await session.close()


def _info(ready: Game, name: str) -> dict[str, Any]:
    """The facts of a job, but `task`, which is a word of verifiers' own; the job's name holds it."""
    return {key: value for key, value in ready.row(name).items() if key != "task"}


def rewarded(state: Any) -> float:
    """The reward of a rollout. One without scores ended with an error, as `state["error"]` says: verifiers itself puts
    0 beside it."""
    return float(state.get(SCORES, {}).get("reward", 0.0))


def _metric(name: str) -> Any:
    def measured(state: Any) -> float:
        value = state.get(SCORES, {}).get(name)
        return float("nan") if value is None else float(value)

    measured.__name__ = name
    rubric = vf.Rubric()
    rubric.add_metric(measured)
    return rubric


def _text(message: Any) -> str:
    content = message["content"] if isinstance(message, dict) else message.content
    return content if isinstance(content, str) else ""


def load_environment(suite: str = "hico", reward: str = REWARD, max_turns: int = -1, **options: Any) -> AdidemEnv:
    """A suite as an environment of verifiers, with what `adidem.core.bridges.game.game` takes; `reward` is the score
    that is trained on, `verified_success` or any other by its name."""
    return AdidemEnv(game(suite, **options), reward, max_turns=max_turns)
