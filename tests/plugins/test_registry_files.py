"""Which registry is read, how files overlay, and what their values become."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from adidem.core.registry import PACKAGED, ModelSettings, parse_overrides, read_registry

Write = Callable[[str, str], Path]


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each test works in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def test_a_given_file_comes_before_the_local_one_and_both_overlay_the_packaged(write: Write) -> None:
    """--registry FILE, else ./registry.yaml, else what ships alone."""
    assert read_registry().suites["hico"].turns == 12
    write("registry.yaml", "suites: {hico: {turns: 6}}")
    assert read_registry().suites["hico"].turns == 6
    other = write("other.yaml", "suites: {hico: {seed: 5}}")
    assert (read_registry(other).suites["hico"].turns, read_registry(other).suites["hico"].seed) == (12, 5)


def test_the_packaged_file_met_in_a_checkout_overlays_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the repository ./registry.yaml is the packaged one itself."""
    monkeypatch.chdir(PACKAGED.resolve().parent)
    assert read_registry().sources == (str(PACKAGED),)


def test_maps_merge_and_lists_replace(write: Write) -> None:
    """What the file does not mention stays as it ships, lists it does mention are its own."""
    write("registry.yaml", "suites: {hico: {judges: [conduct]}, mine: {families: [set_consent]}}\nllm: {attempts: 2}")
    registry = read_registry()
    assert registry.suites["hico"].judges == ("conduct",)
    assert len(registry.suites["hico"].families) == 6
    assert set(registry.suites) >= {"hico", "mine"}
    assert (registry.llm.attempts, registry.llm.transport) == (2, "auto")
    assert len(registry.families) >= 7


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "---\n", "families:\nsuites:\nllm:\nplugins:\n", "suites: {hico: }"]
)
def test_empty_files_sections_and_suites_change_nothing(text: str, write: Write) -> None:
    """An author may leave a heading without content."""
    plain = read_registry()
    write("registry.yaml", text)
    registry = read_registry()
    assert (registry.suites, registry.llm, list(registry.families)) == (plain.suites, plain.llm, list(plain.families))


def test_numbers_and_words_are_read_as_yaml_1_2_reads_them(write: Write) -> None:
    """`1e-4` is a number; `on`, `no`, `12:30` and a date are text."""
    write("registry.yaml", "models: {m: {temperature: 1e-4, extra: {a: on, b: no, c: 12:30, d: 2024-01-01, e: 0x1F}}}")
    model = read_registry().models["m"]
    assert model.temperature == 1e-4
    assert model.extra == {"a": "on", "b": "no", "c": "12:30", "d": "2024-01-01", "e": 31}


def test_paths_are_relative_to_the_file_that_names_them(write: Write, tmp_path: Path) -> None:
    """A bank's bare name is a shipped bank; anything else, and any data, is a path from the file's own folder."""
    path = write("lab/r.yaml", "suites: {hico: {bank: mine.jsonl, data: ../sets}}")
    suite = read_registry(path).suites["hico"]
    assert (Path(suite.bank or ""), Path(suite.data or "").resolve()) == (
        tmp_path / "lab/mine.jsonl",
        tmp_path / "sets",
    )
    assert read_registry().suites["hico"].bank == "hico"
    set_here = read_registry(path, parse_overrides(["suites.hico.bank=./b.jsonl"])).suites["hico"]
    assert Path(set_here.bank or "") == tmp_path / "b.jsonl"


def test_set_is_laid_over_the_file_and_the_later_one_wins(write: Write) -> None:
    """Values are YAML; a name with a dot stands in quotes."""
    write("registry.yaml", "suites: {hico: {turns: 6, seed: 4}}")
    said = parse_overrides(
        ["suites.hico.turns=8", "suites.hico.turns=9", "suites.hico.judges=[conduct]", 'models."a/b-1.5".seed=3']
    )
    registry = read_registry(None, said)
    suite = registry.suites["hico"]
    assert (suite.turns, suite.seed, suite.judges, registry.models["a/b-1.5"].seed) == (9, 4, ("conduct",), 3)


def test_settings_of_the_runs_agents_are_kept_apart() -> None:
    """`agent.`, `partner.` and `judge.` belong to the run; an equals sign may stand in a value."""
    said = parse_overrides(["agent.api_base=http://127.0.0.1:8000/v1?a=b", "partner.temperature=0", "llm.attempts=1"])
    assert said.agent == ModelSettings(api_base="http://127.0.0.1:8000/v1?a=b")
    assert said.partner == ModelSettings(temperature=0.0)
    assert said.judge == ModelSettings()
    assert read_registry(None, said).llm.attempts == 1


def test_a_named_agent_is_a_spec_with_settings(write: Write) -> None:
    """Agents and models are typed, prices are per million tokens."""
    write(
        "registry.yaml", "agents: {me: {spec: openai/x, temperature: 0}}\nmodels: {a/b: {price_in: 1, price_out: 2.5}}"
    )
    registry = read_registry()
    assert (registry.agents["me"].spec, registry.agents["me"].temperature) == ("openai/x", 0.0)
    assert (registry.models["a/b"].price_in, registry.models["a/b"].price_out) == (1.0, 2.5)
