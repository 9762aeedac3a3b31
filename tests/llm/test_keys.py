"""A key that is missing is said before litellm is imported, and only where litellm would say it too."""

import os
from typing import Any

import pytest

from adidem.core.errors import ConfigError
from adidem.core.llm import Gateway, keys, litellm_transport
from adidem.core.registry.config import ModelSettings

KNOWN = keys._known()


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    prefixes = tuple(f"{name.partition('_')[0]}_" for names in KNOWN.values() for name in names)
    for name in [each for each in os.environ if each.startswith(prefixes)]:
        monkeypatch.delenv(name)


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Says whether litellm was asked for; it then accepts every model."""
    asked: list[str] = []

    class Accepting:
        exceptions = type("exceptions", (), {"BadRequestError": RuntimeError})

        def get_llm_provider(self, model: str) -> None:
            asked.append(model)

        def validate_environment(self, _model: str) -> dict[str, Any]:
            return {"missing_keys": [], "keys_in_environment": True}

    monkeypatch.setattr(litellm_transport, "load", Accepting)
    return asked


@pytest.mark.parametrize("provider", sorted(KNOWN))
def test_without_a_key_it_is_refused_at_once(provider: str, imported: list[str]) -> None:
    with pytest.raises(ConfigError, match=f"needs a key: set {KNOWN[provider][0]} in the environment"):
        Gateway().check(f"{provider}/some-model")
    assert not imported


@pytest.mark.parametrize(("provider", "name"), [(p, name) for p, names in sorted(KNOWN.items()) for name in names])
def test_with_any_of_its_variables_litellm_is_asked(
    provider: str, name: str, imported: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "set")
    Gateway().check(f"{provider}/some-model")
    assert imported == [f"{provider}/some-model"]


@pytest.mark.parametrize(
    ("model", "settings", "variable"),
    [
        ("gpt-4o-mini", ModelSettings(), None),  # no provider before it
        ("bedrock/some-model", ModelSettings(), None),  # a profile, a role: many ways
        ("vertex_ai/some-model", ModelSettings(), None),
        ("azure/some-model", ModelSettings(), None),
        ("ollama/some-model", ModelSettings(), None),
        ("anthropic/some-model", ModelSettings(api_base="http://127.0.0.1:1"), None),
        ("openai/some-model", ModelSettings(), "OPENAI_SOMETHING_NEW"),  # what we have never heard of may do
    ],
)
def test_what_might_work_is_left_to_litellm(
    model: str,
    settings: ModelSettings,
    variable: str | None,
    imported: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if variable is not None:
        monkeypatch.setenv(variable, "set")
    Gateway().check(model, settings)
    assert imported == [model]


def test_a_key_under_another_name_is_enough(imported: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "set")
    Gateway().check("openai/some-model", ModelSettings(api_key_env="MY_KEY"))
    assert not imported


@pytest.mark.parametrize("provider", sorted(KNOWN))
def test_litellm_says_the_same(provider: str) -> None:
    """It knows the provider under that name, and without these variables it misses a key."""
    litellm = litellm_transport.load()
    assert litellm.get_llm_provider(f"{provider}/some-model")[1] == provider
    found = litellm.validate_environment(f"{provider}/some-model")
    assert not found["keys_in_environment"]
    assert KNOWN[provider][0] in found["missing_keys"]


def test_what_litellm_calls_with_but_does_not_look_for_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads OR_API_KEY and a federated identity when it calls, and calls both missing when it is asked."""
    for model, name in (("openrouter/x", "OR_API_KEY"), ("openai/gpt-4o-mini", "OPENAI_IDENTITY_PROVIDER_ID")):
        monkeypatch.setenv(name, "set")
        Gateway().check(model)


def test_the_command_line_says_it_without_litellm(cli: Any, imported: list[str]) -> None:
    said = cli("run", "hico", "--agent", "openai/gpt-4o-mini", code=2).stderr
    assert "model 'openai/gpt-4o-mini' needs a key: set OPENAI_API_KEY in the environment" in said
    said = cli("run", "hico", "--judge", "anthropic/claude-sonnet-4-5", code=2).stderr
    assert "set ANTHROPIC_API_KEY" in said
    assert not imported
