"""What `--agent` may say, and what is said to a slip."""

import subprocess
import sys

import pytest

from adidem.core.agents import agent_from_spec
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.llm import Gateway
from adidem.core.registry.config import ModelSettings


@pytest.mark.parametrize(
    ("spec", "name", "scripted"),
    [
        ("scripted:candid", "scripted:candid", True),
        ("human", "human", False),
        ("local:smollm2", "local:smollm2", False),
        ("openai/mine", "openai/mine", False),
    ],
)
def test_a_spec_becomes_an_agent(spec: str, name: str, scripted: bool) -> None:
    agent = agent_from_spec(spec, Gateway(), ModelSettings(api_base="http://127.0.0.1:1/v1"))
    assert (agent.name, agent.scripted) == (name, scripted)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("scripted:cnadid", "scripted:candid"),
        ("scriptd:candid", "scripted:candid"),
        ("local:smolm2", "local:smollm2"),
        ("hmuan", "human"),
        ("", "known"),
    ],
)
def test_a_slip_gets_the_nearest_name(spec: str, said: str) -> None:
    with pytest.raises(UnknownName, match=said):
        agent_from_spec(spec, Gateway())


@pytest.mark.parametrize(
    ("spec", "said"),
    [("gpt", "provider/model"), ("candid", "scripted:candid"), ("smollm2", "local:smollm2"), ("hf:x", "train")],
)
def test_what_is_no_agent_says_what_to_write(spec: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        agent_from_spec(spec, Gateway())


def test_our_own_agents_are_made_without_litellm() -> None:
    code = (
        "import sys; from adidem.core.agents import agent_from_spec as a; from adidem.core.llm import Gateway as G\n"
        "g = G()\n"
        "for s in ('scripted:candid', 'local:smollm2', 'human'): a(s, g)\n"
        "assert not {'litellm', 'openai', 'jsonschema', 'aiohttp', 'xllamacpp'} & set(sys.modules), 'heavy'"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True, timeout=120)
