"""The real SmolLM2, served on loopback: it says something, its records keep to the schema, its server ends."""

import asyncio
import os
import signal
from pathlib import Path
from random import Random

import pytest

from adidem.core.agents import agent_from_spec
from adidem.core.llm import CallFailed, Gateway
from adidem.core.llm.local import LocalServer, check_local
from adidem.core.llm.structured import broken
from small_world import SCHEMA, WORLD

pytestmark = pytest.mark.slow


async def test_it_speaks_and_writes_a_record_that_keeps_to_the_schema() -> None:
    check_local("local:smollm2")
    gateway = Gateway()
    agent = agent_from_spec("local:smollm2", gateway)
    people = [agent.join(None, (), WORLD.card(seat), Random(2)) for seat in ("first", "second")]  # type: ignore[arg-type]
    opening = await people[0].speak((), 12)
    assert opening.text
    reply = await people[1].speak((opening,), 11)
    records = await asyncio.gather(*(person.record((opening, reply), SCHEMA) for person in people))
    assert [broken(record, SCHEMA) for record in records] == [None, None]
    usage = people[0].usage()
    assert usage.calls == 2
    assert usage.completion_tokens > 0
    assert usage.cost == 0.0
    await gateway.close()
    await gateway.close()


async def test_a_server_that_was_killed_is_started_again() -> None:
    server = LocalServer("local:smollm2", slots=1, context=512)
    first = await asyncio.to_thread(server.start)
    assert await asyncio.to_thread(server.start) == first
    process = server._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    second = await asyncio.to_thread(server.start)
    assert second.startswith("http://127.0.0.1:")
    process = server._process
    assert process is not None
    server.close()
    assert process.poll() is not None


def test_a_file_that_is_no_model_is_a_failure_with_the_servers_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"not a model")
    monkeypatch.setattr("adidem.core.llm.local.model_file", lambda _name: bad)
    with pytest.raises(CallFailed, match="did not start"):
        LocalServer("local:smollm2").start()
