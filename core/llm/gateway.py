"""One gateway to models for every agent and judge: retries, bounded concurrency, structured answers, usage."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from attrs import define, evolve, field, frozen

from adidem.core.contracts import Answer
from adidem.core.domain import Usage
from adidem.core.errors import ConfigError, MissingKey
from adidem.core.llm.cache import AnswerCache, key_of
from adidem.core.llm.failures import RETRIED, CallFailed
from adidem.core.llm.keys import unusable_key
from adidem.core.llm.limits import Call, Slots
from adidem.core.llm.local import LOCAL, LocalServer, check_local
from adidem.core.llm.parse import split_reasoning
from adidem.core.llm.redact import bare_url, keep_secret, unencrypted
from adidem.core.llm.routes import Transports
from adidem.core.llm.structured import instructed, read, repaired
from adidem.core.llm.transport import Called, Message, Reply, Request, Transport, compatible
from adidem.core.llm.waiting import waited, waiting
from adidem.core.registry.config import ModelSettings, is_endpoint

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds of back-off before the second attempt (doubled for each further one), and at most."""

WORTH_TELLING = 5.0
"""Seconds without calls, asked for by the endpoint, from which on it is said that and why nothing happens."""

LONGEST_TEXT = 1_000_000
"""Characters of an answer; what is longer is nothing that was asked for."""

PLAIN = ModelSettings()
_log = logging.getLogger(__name__)
_KEY_NAMES = frozenset({"api_key", "authorization", "x_api_key", "proxy_authorization"})


@frozen(unsafe_hash=False)
class ModelAnswer(Answer):
    """An answer with the reason why the model stopped (`stop`, `length`, …), and the tools that it calls."""

    finish: str = "stop"
    calls: tuple[Called, ...] = ()


@define
class _Tally:
    """What one `ask` has used so far."""

    attempts: int = 0
    usage: Usage = Usage()


@define(eq=False)
class Spent:
    """What a gateway has used so far, for limits: tokens, and US dollars. Tokens that an endpoint did not count are
    estimated at four characters each, so that a limit holds all the same."""

    tokens: int = 0
    cost: float = 0.0

    def add(self, request: Request, reply: Reply, settings: ModelSettings | None) -> None:
        """Count a reply in; `settings` is None where it was free."""
        asked = reply.prompt_tokens or sum(len(message["content"]) for message in request.messages) // 4
        said = reply.completion_tokens or len(reply.text) // 4
        self.tokens += asked + said
        if settings is None:
            return
        if settings.price_in is None or settings.price_out is None:
            self.cost += reply.cost or 0.0
        else:
            self.cost += (asked * settings.price_in + said * settings.price_out) / 1e6


@define(eq=False)
class _Route:
    """How one model at one endpoint is reached. `refuses` remembers that it does not enforce a schema."""

    model: str
    api_base: str | None
    api_key: str | None = field(repr=False)
    slots: Slots
    free: bool = False
    refuses: bool = False
    _told: bool = False

    def tell(self) -> None:
        """Say once that nothing is sent for a while, and why."""
        held = self.slots.held
        if held < WORTH_TELLING or self._told:
            return
        self._told = True
        where = f" at {bare_url(self.api_base)}" if self.api_base else ""
        _log.warning(
            "adidem: warning: %s%s is asked too often (429) and is let alone for %.0f s; calls wait, none is lost. "
            "Where its limits are known, the model's settings requests_per_minute and tokens_per_minute keep to them",
            self.model,
            where,
            held,
        )


class Gateway:
    """Asks models. Make one a run, inside its event loop, and close it at the end.

    `attempts` tries of one call, the first included, but for those that the endpoint refused as too many in its time
    (429): of these there may be more, unless `attempts` is 1, until it has refused all calls for `seconds`. `timeout`
    seconds for one attempt; `seconds` for a call's attempts and back-off together (waiting for a free slot is not
    counted); `concurrency` calls in flight at one endpoint at most, fewer while it says that this is too much. A
    model's own settings go before these. Where `share` gateways, each in a process, call the same endpoints, each has
    that part of the limits of a model's settings. Where it is not `called`, but only asked what models cost, a key that
    is missing is no error.
    """

    def __init__(
        self,
        *,
        attempts: int = 5,
        timeout: float = 120.0,
        seconds: float = 600.0,
        concurrency: int = 64,
        transport: Transport | None = None,
        first_wait: float = FIRST_WAIT,
        cache: AnswerCache | None = None,
        share: int = 1,
        called: bool = True,
    ) -> None:
        self._share = share
        self.attempts, self.timeout, self.seconds, self.concurrency = attempts, timeout, seconds, concurrency
        self.first_wait = first_wait
        self.failures: Counter[str] = Counter()
        """How often an attempt failed, by kind, those included that a later attempt cured."""
        self.called = called
        self.missing_keys: set[str] = set()
        """What was said of keys that are missing, where that is no error, since no model is called."""
        self.unencrypted: set[str] = set()
        """Endpoints of models that were checked whose traffic can be read on the way, without credentials."""
        self._transport: Transport = transport or Transports()
        self.spent = Spent()
        self._cache = cache or AnswerCache()
        self._slots: dict[tuple[Any, ...], Slots] = {}
        self._routes: dict[tuple[Any, ...], _Route] = {}
        self._locals: dict[str, LocalServer] = {}
        self._jitter = Random()

    def check(self, model: str, settings: ModelSettings = PLAIN) -> None:
        """Raises ConfigError, before any call, where the model cannot be reached: no such provider or local model, a
        URL that is none, a package or a key that is missing or no key at all (the environment variable is named)."""
        if model.startswith(LOCAL):
            check_local(model)
            return
        try:
            self._check_reached(model, settings)
        except MissingKey as missing:
            if self.called:
                raise
            self.missing_keys.add(str(missing))

    def _check_reached(self, model: str, settings: ModelSettings) -> None:
        api_base, api_key = _api_base(model, settings), _api_key(model, settings)
        unusable = unusable_key(model, settings.api_key_env)
        if unusable is not None:
            raise ConfigError(
                f"model {model!r}: the key in {unusable} cannot be sent, since it holds a line break, a blank or "
                "another character that no key holds; set it again without"
            )
        self._transport.check(model, api_base=api_base, api_key=api_key)
        if api_base is not None and unencrypted(api_base):
            self.unencrypted.add(bare_url(api_base))

    def price(self, model: str, settings: ModelSettings = PLAIN) -> tuple[float, float] | None:
        """US dollars per million tokens of prompt and of answer; None where nobody knows."""
        if model.startswith(LOCAL):
            return 0.0, 0.0
        if settings.price_in is not None and settings.price_out is not None:
            return settings.price_in, settings.price_out
        return None if _api_base(model, settings) else self._transport.price(model)

    async def ask(
        self,
        model: str,
        messages: Sequence[Message],
        *,
        settings: ModelSettings = PLAIN,
        schema: Mapping[str, Any] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        stop: Sequence[str] = (),
        repairs: int = 1,
        cache: bool = False,
        repeat: int = 0,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> ModelAnswer:
        """Ask a model once. `model` is `local:NAME` or a litellm model string; arguments that are None come from
        `settings`, then from the provider. With a schema, `data` is JSON that meets it: the endpoint enforces it where
        it can, else it is told in words; it is validated here in any case, and asked for again `repairs` times.
        With `cache` (which `settings` may overrule) an answer to the same question in the same `repeat` that is on disk
        is taken from there, and costs nothing. `tools` are functions of OpenAI's protocol; an answer that calls some
        may hold no text, and is not kept on disk.

        Raises:
            CallFailed: no usable answer came (a `ModelFailure` with its kind, its attempts and what they cost).
        """
        route = await self._route(model, settings)
        request = Request(
            model=route.model,
            messages=tuple(messages),
            api_base=route.api_base,
            api_key=route.api_key,
            temperature=settings.temperature if temperature is None else temperature,
            top_p=settings.top_p,
            max_tokens=settings.max_tokens if max_tokens is None else max_tokens,
            seed=settings.seed if seed is None else seed,
            stop=tuple(stop),
            reasoning_effort=settings.reasoning_effort,
            extra=settings.extra,
            tools=tuple(tools),
        )
        if not (cache if settings.cache is None else settings.cache):
            return await self._asked(request, schema, route, settings, repairs)
        key = key_of(model, request, schema, repeat)
        kept = self._cache.get(key)
        if kept is not None:
            return ModelAnswer(usage=Usage(), **kept)
        answer = await self._asked(request, schema, route, settings, repairs)
        if answer.finish == "stop" and not answer.calls:
            said = {"text": answer.text, "data": answer.data, "reasoning": answer.reasoning, "finish": answer.finish}
            self._cache.put(key, model, said)
        return answer

    async def _asked(
        self,
        request: Request,
        schema: Mapping[str, Any] | None,
        route: _Route,
        settings: ModelSettings,
        repairs: int,
    ) -> ModelAnswer:
        tally = _Tally()
        try:
            if schema is None:
                return _answer(await self._call(request, route, settings, tally), tally)
            return await self._structured(request, schema, route, settings, tally, repairs)
        except CallFailed as failure:
            failure.attempts, failure.usage = tally.attempts, tally.usage
            raise

    async def close(self) -> None:
        """Let go of connections and stop local servers."""
        self._cache.close()
        servers, self._locals = list(self._locals.values()), {}
        self._routes.clear()
        for server in servers:
            await asyncio.to_thread(server.close)
        await self._transport.close()

    # -------------------------------------------------------------------------------------------------------- a schema

    async def _structured(
        self,
        request: Request,
        schema: Mapping[str, Any],
        route: _Route,
        settings: ModelSettings,
        tally: _Tally,
        repairs: int,
    ) -> ModelAnswer:
        sent, reply = await self._first(request, schema, route, settings, tally)
        while True:
            answer = _answer(reply, tally)
            data, problem = read(answer.text, schema)
            if problem is None:
                return evolve(answer, data=data)
            self._failed("malformed", tally)
            if sent.schema is not None and reply.finish == "stop":
                route.refuses = True  # it took the schema and did not keep to it
            if not repairs:
                message = f"{request.model}: the answer does not meet the schema: {problem}"
                raise CallFailed("malformed", message, answer=evolve(answer, data=data))
            repairs -= 1
            sent = repaired(sent, answer.text, problem, schema)
            reply = await self._call(sent, route, settings, tally)

    async def _first(
        self, request: Request, schema: Mapping[str, Any], route: _Route, settings: ModelSettings, tally: _Tally
    ) -> tuple[Request, Reply]:
        """Ask with the schema enforced, or in words where the endpoint refuses that; what was sent, and the reply."""
        if not route.refuses:
            sent = evolve(request, schema=schema)
            try:
                return sent, await self._call(sent, route, settings, tally)
            except CallFailed as failure:
                if failure.kind != "bad_request":
                    raise
        sent = instructed(request, schema)
        reply = await self._call(sent, route, settings, tally)
        route.refuses = True  # only now: a request that is bad for another reason fails here too
        return sent, reply

    # -------------------------------------------------------------------------------------------------------- attempts

    async def _call(self, request: Request, route: _Route, settings: ModelSettings, tally: _Tally) -> Reply:
        """One reply with text in it, in as many attempts as allowed."""
        attempts, timeout = settings.attempts or self.attempts, settings.timeout or self.timeout
        spent, attempt, counted = 0.0, 0, 0
        while True:
            attempt += 1
            began = monotonic()
            try:
                async with route.slots.slot(_tokens(request, route)) as call:
                    waited(monotonic() - began)
                    began = monotonic()
                    limit = min(timeout, self.seconds - spent)
                    return await self._attempt(request, route, settings, tally, call, limit)
            except CallFailed as error:
                failure = error
            wait = self._wait(attempt, failure)
            spent += monotonic() - began + wait
            counted += failure.kind != "rate_limit" or attempts == 1 or not route.slots.waited_for
            if failure.kind not in RETRIED or counted >= attempts or spent >= self.seconds:
                raise failure
            route.tell()
            with waiting():
                await asyncio.sleep(wait)

    async def _attempt(
        self, request: Request, route: _Route, settings: ModelSettings, tally: _Tally, call: Call, seconds: float
    ) -> Reply:
        tally.attempts += 1
        tally.usage += Usage(calls=1)
        try:
            reply = await self._transport.send(request, seconds)
            route.slots.used(call, reply.prompt_tokens + reply.completion_tokens)
            tally.usage += Usage(0, reply.prompt_tokens, reply.completion_tokens, _cost(reply, route, settings))
            self.spent.add(request, reply, None if route.free else settings)
            return _with_text(reply, request)
        except CallFailed as failure:
            self._failed(failure.kind, tally)
            raise

    def _failed(self, kind: str, tally: _Tally) -> None:
        self.failures[kind] += 1
        tally.usage += Usage(failed=((kind, 1),))

    def _wait(self, attempt: int, failure: CallFailed) -> float:
        """Seconds until the next attempt: doubled each time with full jitter, and never less than the endpoint asks."""
        most = min(LONGEST_WAIT, self.first_wait * 2.0 ** (attempt - 1))
        return max(failure.retry_after or 0.0, self._jitter.uniform(most / 2, most))

    # ---------------------------------------------------------------------------------------------------------- routes

    async def _route(self, model: str, settings: ModelSettings) -> _Route:
        if model.startswith(LOCAL):
            return await self._local(model)
        api_base = _api_base(model, settings)
        at_once, requests = self._part(settings.concurrency), self._part(settings.requests_per_minute)
        own = (at_once, requests, self._part(settings.tokens_per_minute))
        key = (model, api_base, settings.api_key_env, *own)
        if key not in self._routes:
            endpoint = (model.partition("/")[0], api_base and bare_url(api_base))
            limits = (*endpoint, model, *own) if any(own) else endpoint  # a model with limits of its own has its slots
            made = Slots(own[0] or self.concurrency, *own[1:], patience=self.seconds)
            slots = self._slots.setdefault(limits, made)
            self._routes[key] = _Route(model, api_base, _api_key(model, settings), slots)
        return self._routes[key]

    def _part(self, most: int | None) -> int | None:
        """This gateway's part of a limit."""
        return None if most is None else max(1, most // self._share)

    async def _local(self, model: str) -> _Route:
        server = self._locals.get(model)
        if server is None:
            check_local(model)
            server = self._locals[model] = LocalServer(model)
        with waiting():  # of all that ask it first: it is loaded once
            api_base = await asyncio.to_thread(server.start)
        key = (model, api_base)
        if key not in self._routes:
            slots = Slots(server.slots)
            self._routes[key] = _Route(f"openai/{server.name}", api_base, "local", slots, free=True)
        return self._routes[key]


def _api_base(model: str, settings: ModelSettings) -> str | None:
    """The endpoint of one's own, from the settings or, as OpenAI's client takes it, from the environment."""
    found = settings.api_base
    if not found and model.startswith("openai/"):
        found = os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
    if found and "@" in found.partition("://")[2].partition("/")[0]:
        raise ConfigError(
            f"api_base {bare_url(found)} of model {model!r} holds a user or password: take it out, and name the "
            "environment variable that holds the key with api_key_env"
        )
    if found and not is_endpoint(found):
        raise ConfigError(
            f"{bare_url(found)} of model {model!r} is no URL of an endpoint: write it as http://host:port/v1"
        )
    if found and compatible(model, found):
        path = found.rstrip("/")
        if path.endswith("/chat/completions"):
            shorter = bare_url(path).removesuffix("/chat/completions")
            raise ConfigError(f"api_base of model {model!r} is {shorter}: what is called there is added to it")
        if urlsplit(found).query or urlsplit(found).fragment:
            raise ConfigError(
                f"api_base {bare_url(found)} of model {model!r} goes on with ? or #: leave that out; a key belongs in "
                "the environment, in the variable that api_key_env names"
            )
    return found or None


def _api_key(model: str, settings: ModelSettings) -> str | None:
    """The key from the variable that the settings name; None leaves it to the provider's usual variable. Raises
    ConfigError where that is not set, and where a key stands among the settings, which are stored."""
    headers = settings.extra.get("extra_headers")
    for name in (*settings.extra, *(headers if isinstance(headers, Mapping) else ())):
        if name.casefold().replace("-", "_") in _KEY_NAMES:
            raise ConfigError(
                f"extra.{name} of model {model!r}: a key has no place in the settings; set it in the environment and "
                "name the variable with api_key_env"
            )
    if settings.api_key_env is None:
        return None
    keep_secret(settings.api_key_env)
    key = os.environ.get(settings.api_key_env)
    if not key:
        raise MissingKey(f"model {model!r} needs a key: set {settings.api_key_env} in the environment")
    return key


def _cost(reply: Reply, route: _Route, settings: ModelSettings) -> float | None:
    if route.free:
        return 0.0
    if settings.price_in is None or settings.price_out is None:
        return reply.cost
    if not reply.prompt_tokens + reply.completion_tokens:
        return None  # the endpoint did not say what it used
    return (reply.prompt_tokens * settings.price_in + reply.completion_tokens * settings.price_out) / 1e6


def _tokens(request: Request, route: _Route) -> int:
    """About how many tokens a call will count for, where the endpoint has a limit of them: four characters each."""
    if route.slots.tokens is None:
        return 0
    return sum(len(message["content"]) for message in request.messages) // 4 + min(request.max_tokens or 256, 256)


def _with_text(reply: Reply, request: Request) -> Reply:
    """The reply with its reasoning kept apart; a reply without text is a failure of its own kind."""
    if len(reply.text) > LONGEST_TEXT:
        raise CallFailed("malformed", f"{request.model}: the answer is longer than {LONGEST_TEXT} characters")
    text, thought = split_reasoning(reply.text)
    if reply.finish != "content_filter" and (text or reply.calls):  # what a filter has cut off was not said so
        reasoning = "\n".join(part for part in (reply.reasoning, thought) if part) or None
        return evolve(reply, text=text, reasoning=reasoning)
    if reply.finish == "content_filter" or reply.refusal:
        raise CallFailed("content_filter", f"{request.model}: the answer was withheld ({reply.refusal or 'filtered'})")
    if reply.finish == "length":
        raise CallFailed("empty", f"{request.model}: no answer within max_tokens={request.max_tokens}; allow more")
    raise CallFailed("empty", f"{request.model}: the answer is empty")


def _answer(reply: Reply, tally: _Tally) -> ModelAnswer:
    return ModelAnswer(
        text=reply.text,
        reasoning=reply.reasoning,
        usage=tally.usage,
        attempts=tally.attempts,
        finish=reply.finish,
        calls=reply.calls,
    )
