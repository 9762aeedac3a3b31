"""The thin transport beside litellm: the same requests go out and the same results come back, field by field."""

import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from attrs import asdict, evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.llm import CallFailed
from adidem.core.llm import gateway as gateway_module
from adidem.core.llm import http_transport as thin
from adidem.core.llm.routes import Transports, direct
from adidem.core.llm.transport import Request
from stub_endpoint import Fault, StubEndpoint

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
MESSAGES = ({"role": "system", "content": "You are Ana. Über ☂"}, {"role": "user", "content": 'Say "hello"\n'})
PLAIN = Request("openai/stub", MESSAGES)
FULL = Request(
    "openai/org/stub",
    MESSAGES,
    schema=SCHEMA,
    temperature=0.5,
    top_p=0.9,
    max_tokens=5,
    seed=1,
    stop=("\nBen:",),
    reasoning_effort="low",
    extra={"top_k": 5, "extra_body": {"min_p": 0.1}, "extra_headers": {"x-lab": "ours"}},
)
FAULTS: list[Fault | None] = [
    None,
    *(Fault(kind) for kind in ("no_usage", "surrogate", "refusal", "length", "content_filter", "empty", "enormous")),
    *(Fault(kind) for kind in ("wrong_type", "unknown_fields", "truncated", "not_json", "bad_utf8", "error_in_200")),
    *(Fault(kind) for kind in ("400", "401", "403", "404", "422", "500", "502", "503", "529", "reset", "reset_body")),
    Fault("429", retry_after=2.5),
    Fault("429"),
    Fault("429", text="You exceeded your current quota", code="insufficient_quota"),
    Fault("402", text="Insufficient Balance"),
    Fault("429", text="Request too large for x: Limit 30000, Requested 40000."),
    Fault("content_filter", text="I would rather"),
    Fault("hang"),
    Fault("400", text="This model's maximum context length is 4096 tokens."),
    Fault("400", text="blocked by the content management policy"),
]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "HOSTED_VLLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def both() -> AsyncIterator[dict[str, Transports]]:
    made = {"thin": Transports(), "litellm": Transports(everything_by_litellm=True)}
    yield made
    for each in made.values():
        await each.close()


async def result(transport: Transports, request: Request) -> dict[str, Any]:
    """What came of it: every field of the reply, or the failure's kind and wait."""
    try:
        return asdict(await transport.send(request, 1.0))
    except CallFailed as failure:
        return {"kind": failure.kind, "retry_after": failure.retry_after}


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize("model", ["openai/stub", "hosted_vllm/stub"])
async def test_both_give_the_same_result(
    stub: StubEndpoint, both: dict[str, Transports], model: str, fault: Fault | None
) -> None:
    stub.faults = [fault, fault]
    asked = evolve(PLAIN, model=model, api_base=stub.url)
    found = {name: await result(transport, asked) for name, transport in both.items()}
    assert found["thin"] == found["litellm"]


@pytest.mark.parametrize(
    "request_", [PLAIN, FULL, evolve(FULL, model="hosted_vllm/org/stub")], ids=["plain", "full", "v"]
)
async def test_both_send_the_same_request(stub: StubEndpoint, both: dict[str, Transports], request_: Request) -> None:
    for transport in both.values():
        await transport.send(evolve(request_, api_base=stub.url + "/", api_key="sk-own-key"), 5)
    assert stub.bodies[0] == stub.bodies[1]
    for name in ("authorization", "content-type", "x-lab"):
        assert stub.headers[0].get(name) == stub.headers[1].get(name)


@pytest.mark.parametrize(("model", "variable"), [("openai", "OPENAI_API_KEY"), ("hosted_vllm", "HOSTED_VLLM_API_KEY")])
async def test_both_take_the_key_from_the_same_variable(
    stub: StubEndpoint, both: dict[str, Transports], monkeypatch: pytest.MonkeyPatch, model: str, variable: str
) -> None:
    monkeypatch.setenv(variable, "key-of-the-environment")
    for transport in both.values():
        await transport.send(evolve(PLAIN, model=f"{model}/stub", api_base=stub.url), 5)
    assert {each["authorization"] for each in stub.headers} == {"Bearer key-of-the-environment"}


async def test_one_connection_is_kept_for_call_after_call(stub: StubEndpoint, both: dict[str, Transports]) -> None:
    for _ in range(5):
        await both["thin"].send(evolve(PLAIN, api_base=stub.url), 5)
    assert stub.connections == 1


async def test_a_reply_without_end_is_not_read_to_its_end(
    stub: StubEndpoint, both: dict[str, Transports], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thin, "LARGEST", 100_000)
    stub.faults = [Fault("enormous")]
    with pytest.raises(CallFailed, match="larger than 100000 bytes") as raised:
        await both["thin"].send(evolve(PLAIN, api_base=stub.url), 5)
    assert raised.value.kind == "malformed"


async def test_a_reply_that_unpacks_into_more_than_is_read_is_not_unpacked_whole(
    stub: StubEndpoint, both: dict[str, Transports]
) -> None:
    stub.faults = [Fault("packed")]
    with pytest.raises(CallFailed, match="larger than") as raised:
        await both["thin"].send(evolve(PLAIN, api_base=stub.url), 20)
    assert raised.value.kind == "malformed"


async def test_an_endpoint_that_has_moved_says_where_to(stub: StubEndpoint, both: dict[str, Transports]) -> None:
    """A 301 makes a GET of what was posted, which is refused in words that say nothing of it."""
    stub.faults = [Fault("301", location=f"{stub.url}2/chat/completions?key=hunter2word")]
    with pytest.raises(CallFailed, match=f"sent on to {stub.url}2/chat/completions, so api_base") as raised:
        await both["thin"].send(evolve(PLAIN, api_base=stub.url), 5)
    assert "hunter2word" not in str(raised.value)


@given(st.lists(st.text(), min_size=1, max_size=6), st.integers(0, 5))
def test_the_body_is_the_json_of_the_request_whatever_the_texts(texts: list[str], cut: int) -> None:
    messages = tuple({"role": "user", "content": text} for text in texts)
    for part in (messages[:cut], messages):  # a prefix first, as a history grows
        body = orjson.loads(thin.body_of(evolve(FULL, messages=part)))
        assert body["messages"] == list(part)
        assert body["model"] == "org/stub"
        assert body["min_p"] == 0.1


def test_a_history_that_grows_is_serialised_once() -> None:
    before = thin._kept.cache_info().misses
    messages = tuple({"role": "user", "content": f"only here, {n}"} for n in range(20))
    for end in range(1, 21):
        thin.body_of(evolve(PLAIN, messages=messages[:end]))
    assert thin._kept.cache_info().misses - before == 20


def test_a_lone_surrogate_is_sent_as_a_question_mark() -> None:
    assert b"caf?" in thin.body_of(evolve(PLAIN, messages=({"role": "user", "content": "caf\ud800"},)))


@pytest.mark.parametrize(
    ("model", "api_base", "extra", "way"),
    [
        ("openai/mine", "http://h/v1", {}, True),
        ("hosted_vllm/mine", "http://h/v1", {"top_k": 3}, True),
        ("openai/openai/gpt-oss-20b", "http://h/v1", {}, True),
        ("openai/gpt-5-mini", "http://h/v1", {}, False),  # takes other parameters, which litellm knows
        ("openai/o3", "http://h/v1", {}, False),
        ("openai/mine", "http://h/v1", {"api_version": "2"}, False),
        ("openai/gpt-4.1", None, {}, False),
        ("anthropic/claude", "http://h/v1", {}, False),
    ],
)
def test_which_way_a_call_takes(model: str, api_base: str | None, extra: dict[str, Any], way: bool) -> None:
    assert direct(Request(model, MESSAGES, api_base=api_base, extra=extra)) is way


def test_litellm_is_never_imported_by_a_run_that_does_not_need_it(stub: StubEndpoint, tmp_path: Any) -> None:
    """A whole run against an own endpoint, in a process of its own."""
    words = f"run hico --agent openai/stub --api-base {stub.url} --limit 2 --turns 2 --out {tmp_path / 'run'} --json"
    code = (
        "import sys\nfrom adidem.core.cli.main import app\n"
        f"try: app({words.split()!r})\nexcept SystemExit as end: assert not end.code, end.code\n"
        "assert 'aiohttp' in sys.modules\n"
        "assert not {'litellm', 'openai', 'httpx', 'torch'} & set(sys.modules), sorted(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert stub.bodies


async def test_the_local_model_takes_the_thin_way(stub: StubEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its server is stood in for by the stub; the way is the real one."""

    class Server:
        name, slots = "smollm2", 4

        def __init__(self, _model: str) -> None: ...
        def start(self) -> str:
            return stub.url

        def close(self) -> None: ...

    monkeypatch.setattr(gateway_module, "LocalServer", Server)
    monkeypatch.setattr(gateway_module, "check_local", lambda _model: None)
    gateway = gateway_module.Gateway()
    answer = await gateway.ask("local:smollm2", MESSAGES, seed=3)
    await gateway.close()
    assert (answer.text, answer.usage.cost) == ("All right.", 0.0)
    assert stub.bodies[0]["model"] == "smollm2"
    assert stub.headers[0]["user-agent"].startswith("adidem/")
