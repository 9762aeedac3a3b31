"""Sampling on an OpenAI-compatible server that returns token ids and log-probs, such as vLLM with runtime LoRA.

The learner's adapter is written to a folder that the server reads too, and loaded there under a name of its own for
each version: a name that was never used before cannot stand for stale weights or a stale prefix cache. A prompt is
token ids and grows at its end, and a fork is a prompt that is not kept, so the server's prefix cache does what the kept
cache does here.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from attrs import define, field, frozen
from attrs.validators import ge, gt, matches_re

from adidem.core.errors import ConfigError, ModelFailure
from adidem.core.policy.contracts import Ask, Sampled
from adidem.core.policy.draw import Draw

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_LARGEST = 64 * 1024 * 1024


@frozen(kw_only=True)
class Server:
    """Where the server is and what it has. A call that fails in a way that may pass is tried again."""

    url: str = field(
        validator=matches_re(r"https?://[^/]+(/.*)?"), metadata={"doc": "its api_base, http://host:port/v1"}
    )
    base: str = field(metadata={"doc": "the name of the model that it serves"})
    shared: Path = field(metadata={"doc": "a folder that it sees under the same path, for adapters"})
    at_once: int = field(default=256, validator=ge(1), metadata={"doc": "calls that are open at once, at most"})
    attempts: int = field(default=3, validator=ge(1))
    timeout: float = field(default=300.0, validator=gt(0), metadata={"doc": "seconds of one call"})


class Learner(Protocol):
    """What is served: a policy that trains an adapter."""

    version: int

    def save_adapter(self, folder: Path) -> None:
        """Write the adapter as it is now."""
        ...


class Serving:
    """A server with the versions of one policy's adapter. `run` sets its names apart from those of other runs."""

    def __init__(self, server: Server, run: str) -> None:
        self.server, self.run, self.url = server, run, server.url.rstrip("/")
        self._loaded: dict[str, Path] = {}

    def sampler(self, policy: Learner, openings: Sequence[Sequence[int]], *, base: bool) -> ServerSampler:
        """A sampler of the policy as it is now, or of the model that the server has without any adapter. An adapter is
        written now and loaded by the server at the first call."""
        if base:
            return ServerSampler(self, openings, self.server.base)
        name = f"{self.run}-v{policy.version}"
        if name in self._loaded:
            return ServerSampler(self, openings, name)
        folder = self.server.shared / name
        policy.save_adapter(folder)
        return ServerSampler(self, openings, name, folder)

    async def load(self, session: Any, name: str, folder: Path) -> None:
        """Have the server load an adapter, and let go of the versions before it.

        Raises:
            ConfigError: the server refuses; its own words are shown.
        """
        if name in self._loaded:
            return
        body = {"lora_name": name, "lora_path": str(folder)}
        status, said = await _posted(session, f"{self.url}/load_lora_adapter", body, self.server)
        if status != 200:
            raise ConfigError(
                f"{self.server.url}: the adapter was not loaded ({status}: {said}); vLLM needs --enable-lora and "
                "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True"
            )
        for old in list(self._loaded):
            await _posted(session, f"{self.url}/unload_lora_adapter", {"lora_name": old}, self.server)
            shutil.rmtree(self._loaded.pop(old), ignore_errors=True)
        self._loaded[name] = folder


@define(eq=False)
class _Row:
    ids: list[int]


class ServerSampler:
    """See `Sampler`. A row that the server gave nothing for has that as its `failure`; the others go on."""

    def __init__(
        self, serving: Serving, openings: Sequence[Sequence[int]], model: str, folder: Path | None = None
    ) -> None:
        self.serving, self.model, self.folder = serving, model, folder
        self._rows = {row: _Row(list(ids)) for row, ids in enumerate(openings)}

    async def sampled(self, asks: Mapping[int, Ask], draw: Draw, *, keep: bool = True) -> dict[int, Sampled]:
        """See `Sampler`."""
        import aiohttp

        server = self.serving.server
        gate = asyncio.Semaphore(server.at_once)
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=server.timeout)) as session:
            if self.folder is not None:
                await self.serving.load(session, self.model, self.folder)
                self.folder = None
            found = await asyncio.gather(*(self._one(session, gate, row, ask, draw) for row, ask in asks.items()))
        drawn = dict(zip(asks, found, strict=True))
        for row, ask in asks.items():
            kept = ask.tokens if keep else ask.tokens[: ask.stay]
            self._rows[row].ids += [*kept, *(drawn[row].ids if keep else ())]
        return drawn

    def drop(self, rows: Sequence[int]) -> None:
        """See `Sampler`."""
        for row in rows:
            self._rows.pop(row, None)

    async def _one(self, session: Any, gate: asyncio.Semaphore, row: int, ask: Ask, draw: Draw) -> Sampled:
        seed = ask.stream.getrandbits(31)
        body = {
            "model": self.model,
            "prompt": [*self._rows[row].ids, *ask.tokens],
            "max_tokens": ask.most,
            "temperature": draw.temperature,
            "top_p": draw.top_p,
            "top_k": -1,
            "seed": seed,
            "stop_token_ids": sorted(ask.ends),
            "logprobs": 0,
            "return_token_ids": True,
            "skip_special_tokens": False,
            "include_stop_str_in_output": True,
        }
        async with gate:
            try:
                status, said = await _posted(
                    session, f"{self.serving.server.url}/completions", body, self.serving.server
                )
                if status != 200:
                    return Sampled(failure=f"server_error: {self.serving.server.url} says {status}: {said}")
                return _read(said, ask)
            except ModelFailure as failure:
                return Sampled(failure=f"{failure.kind}: {failure}")


def _read(said: Any, ask: Ask) -> Sampled:
    """The ids and log-probs of an answer; nothing is made up where it lacks them.

    Raises:
        ModelFailure: it lacks them, or holds more than was asked for.
    """
    try:
        choice = said["choices"][0]
        ids, logps = choice["token_ids"], choice["logprobs"]["token_logprobs"]
        fits = 0 < len(ids) == len(logps) and len(ids) <= ask.most
        whole = all(type(each) is int and each >= 0 for each in ids) and all(float(each) <= 1e-4 for each in logps)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ModelFailure(
            "malformed", "the server returns no token ids with log-probs (vLLM does with return_token_ids)"
        ) from error
    if not (fits and whole) or any(each in ask.ends for each in ids[:-1]):
        raise ModelFailure("malformed", f"the server returned {len(ids)} token ids that are not what was asked for")
    return Sampled([int(each) for each in ids], [float(each) for each in logps])


async def _posted(session: Any, url: str, body: Mapping[str, Any], server: Server) -> tuple[int, Any]:
    """Status and answer (JSON, or the start of the text) of a POST, tried again where that may help.

    Raises:
        ModelFailure: nobody answers.
    """
    import aiohttp

    for attempt in range(server.attempts):
        last = attempt == server.attempts - 1
        try:
            async with session.post(url, json=body) as answer:
                text = await answer.content.read(_LARGEST)
                if answer.status not in _RETRIED or last:
                    return answer.status, _parsed(text, answer.status)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            if last:
                kind = "timeout" if isinstance(error, TimeoutError) else "connection"
                raise ModelFailure(kind, f"{url}: {type(error).__name__}: {error}", server.attempts) from error
        await asyncio.sleep(0.05 * 4**attempt)
    raise AssertionError("unreachable")


def _parsed(text: bytes, status: int) -> Any:
    import orjson

    if status != 200:
        return " ".join(text[:300].decode("utf-8", "replace").split())
    try:
        return orjson.loads(text)
    except ValueError:
        return text[:300].decode("utf-8", "replace")
