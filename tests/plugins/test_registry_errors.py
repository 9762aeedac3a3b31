"""Every mistake in a registry is one line with its file, line, column, path in the document and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from adidem.core.errors import ConfigError
from adidem.core.registry import parse_overrides, read_registry

Write = Callable[[str, str], Path]

SUITE = "suites:\n  mine:\n    families: [set_consent]\n"

MISTAKES = {
    "a misspelt section": ("suits: {}\n", "r.yaml:1:1: unknown section 'suits': did you mean 'suites'"),
    "a misspelt field": (SUITE + "    turn: 3\n", "r.yaml:4:5: suites.mine: unknown key 'turn': did you mean 'turns'"),
    "too small": (SUITE + "    turns: 0\n", "r.yaml:4:5: suites.mine.turns: must be >= 1: 0"),
    "too large": (SUITE + "    turns: 201\n", "r.yaml:4:5: suites.mine.turns: must be <= 200: 201"),
    "text for a number": (
        SUITE + "    turns: many\n",
        "r.yaml:4:5: suites.mine.turns: must be a whole number, not 'many'",
    ),
    "a truth for a number": (
        SUITE + "    turns: true\n",
        "r.yaml:4:5: suites.mine.turns: must be a whole number, not True",
    ),
    "nothing for a number": (SUITE + "    turns:\n", "r.yaml:4:5: suites.mine.turns: must be a whole number, not None"),
    "a number for a truth": (
        SUITE + "    dialogue: 1\n",
        "r.yaml:4:5: suites.mine.dialogue: must be true or false, not 1",
    ),
    "yes is text": (
        SUITE + "    dialogue: yes\n",
        "r.yaml:4:5: suites.mine.dialogue: must be true or false, not 'yes'",
    ),
    "a split": (
        SUITE + "    split: tests\n",
        "suites.mine.split: must be one of train, dev, test: unknown value 'tests': did you mean 'test'",
    ),
    "text for a list": (
        SUITE + "    judges: integrity_rules\n",
        "r.yaml:4:5: suites.mine.judges: must be a list, not 'integrity_rules'",
    ),
    "an item of a list": (
        SUITE + "    judges: [a,\n      3]\n",
        "r.yaml:5:7: suites.mine.judges[1]: must be text, not 3",
    ),
    "a name twice": (SUITE + "    judges: [a, a]\n", "r.yaml:4:5: suites.mine.judges: names 'a' twice"),
    "a severity": (
        SUITE + "    barriers: ['a:1.5']\n",
        "suites.mine.barriers: severity '1.5' of 'a' is not a number from 0 to 1",
    ),
    "a condition": (SUITE + "    barriers: ['a + ']\n", "suites.mine.barriers: '' is not a barrier"),
    "no families": ("suites:\n  mine: {turns: 3}\n", "r.yaml:2:3: suites.mine: needs 'families'"),
    "empty families": ("suites:\n  mine: {families: []}\n", "r.yaml:2:10: suites.mine.families: "),
    "a suite that is a list": ("suites:\n  mine: [a]\n", "r.yaml:2:3: suites.mine: must be a mapping, not ['a']"),
    "a section that is a list": ("families:\n- a\n", "r.yaml:1:1: families: must be a mapping, not ['a']"),
    "a document that is a list": ("- a\n", "r.yaml:1:1: must be a mapping of families,"),
    "a document that is text": ("hico", "r.yaml:1:1: must be a mapping of families,"),
    "a transport": ("llm: {transport: http}\n", "r.yaml:1:7: llm.transport: must be one of auto, litellm"),
    "a timeout": ("llm: {timeout: 0}\n", "r.yaml:1:7: llm.timeout: must be > 0: 0.0"),
    "an agent without spec": ("agents:\n  me: {temperature: 1}\n", "r.yaml:2:3: agents.me: needs 'spec'"),
    "a temperature": ("models:\n  a/b: {temperature: -1}\n", "r.yaml:2:9: models.a/b.temperature: must be >= 0: -1.0"),
    "an infinite price": (
        "models:\n  a/b: {price_in: .inf}\n",
        "models.a/b.price_in: must be a finite number, not inf",
    ),
    "a key in a model": ("models:\n  a/b: {api_key: x}\n", "unknown key 'api_key': did you mean 'api_key_env'"),
    "no module": ("plugins: [my-lab.plugin]\n", "r.yaml:1:11: plugins[0]: 'my-lab.plugin' is no module's dotted name"),
    "a name with a capital": ("judges: {Nod: {}}\n", "r.yaml:1:10: judges.Nod: 'Nod' is no component's name"),
    "a duplicate key": ("llm: {}\nmodels: {}\nllm: {}\n", "r.yaml:3:1: duplicate key 'llm', first at "),
    "a duplicate far down": (SUITE + "    turns: 3\n    turns: 4\n", "r.yaml:5:5: duplicate key 'turns'"),
    "a key that is a number": ("suites: {7: {}}\n", "r.yaml:1:10: a key must be text, not '7'; put it in quotes"),
    "a key that is a list": ("? [a]\n: 1\n", "r.yaml:1:3: a key must be text"),
    "a merge key": ("a: &a {}\nllm:\n  <<: *a\n", "r.yaml:1:1: unknown section 'a'"),
    "an open bracket": ("suites: {hico: [\n", "r.yaml:2:1: is not YAML: "),
    "a tab": ("llm:\n\ttimeout: 3\n", "r.yaml:2:1: is not YAML: "),
    "two documents": ("llm: {}\n---\nllm: {}\n", "r.yaml:2:1: is not YAML: "),
    "an unknown alias": ("llm: *there\n", "r.yaml:1:6: is not YAML: found undefined alias"),
    "a Python object": ("llm: !!python/object/apply:os.system [ls]\n", "r.yaml:1:1: the tag "),
    "a Python name": ("plugins: !!python/name:os.system x\n", "r.yaml:1:1: the tag "),
    "a binary": ("plugins: [!!binary aGk=]\n", "r.yaml:1:11: the tag '!!binary' is not allowed here"),
    "a wrong tag": ("llm: {timeout: !!int x}\n", "r.yaml:1:7: 'x' is not a usable int"),
    "a huge number": ("llm: {timeout: " + "9" * 5000 + "}\n", "r.yaml:1:7: "),
    "a control character": ("llm: \x07\n", "is not YAML: the character U+0007 is not allowed"),
    "deep nesting": ("llm: " + "[" * 5000, "r.yaml: is nested too deeply"),
    "nobody's home": (
        "suites: {own: {families: [a], bank: ~nobody_at_all/b.jsonl}}\n",
        "r.yaml:1:31: suites.own.bank: '~nobody_at_all/b.jsonl': there is no home of that name",
    ),
    "a cycle": ("models: &m\n  a: *m\n", "or an alias holds itself"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_that_says_where(case: str, write: Write) -> None:
    """The message starts with the file's name, its line and column."""
    text, wanted = MISTAKES[case]
    path = write("r.yaml", text)
    with pytest.raises(ConfigError) as caught:
        read_registry(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert wanted in message
    assert "\n" not in message


def test_a_bomb_of_aliases_is_refused_before_it_goes_off(write: Write) -> None:
    """Nine lists of nine aliases each would be 387 million values."""
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{b}: &{b} [{', '.join(['*' + a] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    with pytest.raises(ConfigError, match="holds more than 50000 values once its aliases are written out"):
        read_registry(write("bomb.yaml", "\n".join(lines)))


@pytest.mark.parametrize(
    ("data", "wanted"),
    [(b"llm: {}\n# caf\xe9\n", "r.yaml:2:6: is not UTF-8 text"), (b"\xff\xfe", "r.yaml:1:1: is not UTF-8 text")],
)
def test_bytes_that_are_no_text_are_named(data: bytes, wanted: str, tmp_path: Path) -> None:
    """A file in another encoding is refused at the byte that shows it."""
    (tmp_path / "r.yaml").write_bytes(data)
    with pytest.raises(ConfigError, match=wanted):
        read_registry(tmp_path / "r.yaml")


@pytest.mark.parametrize("name", ["absent.yaml", "."])
def test_a_registry_that_is_no_file(name: str, tmp_path: Path) -> None:
    """The option and the path are named."""
    with pytest.raises(ConfigError, match=r"^--registry .*: there is no such file$"):
        read_registry(tmp_path / name)


OVERRIDES = {
    "no value": ("suites.hico.turns", "--set 'suites.hico.turns': write it as name.name=value"),
    "no name": ("=3", "--set '=3': write it as name.name=value"),
    "a gap": ("suites..turns=3", "--set 'suites..turns=3': write it as name.name=value"),
    "a section": ("suits.hico.turns=3", "--set suits.hico.turns=3: unknown section 'suits': did you mean 'suites'"),
    "run level": ("agnet.api_base=x", "unknown section 'agnet': did you mean 'agent'"),
    "a suite": ("suites.hicco.turns=3", "--set: suites: unknown suite 'hicco': did you mean 'hico'"),
    "a field": ("suites.hico.turn=3", "--set: suites.hico: unknown key 'turn': did you mean 'turns'"),
    "a range": ("suites.hico.turns=0", "--set: suites.hico.turns: must be >= 1: 0"),
    "a type": ("suites.hico.turns=few", "--set: suites.hico.turns: must be a whole number, not 'few'"),
    "bad YAML": ("suites.hico.turns=[", "--set suites.hico.turns: is not YAML: "),
    "agent's field": ("agent.api_bas=x", "--set: agent: unknown key 'api_bas': did you mean 'api_base'"),
    "agent's range": ("agent.temperature=3", "--set: agent.temperature: must be <= 2: 3.0"),
    "agent alone": ("agent=x", "--set: agent: must be a mapping, not 'x'"),
    "a section alone": ("suites=3", "--set: suites: must be a mapping, not 3"),
}


@pytest.mark.parametrize("case", OVERRIDES)
def test_a_mistake_of_set_is_named(case: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`--set` stands where a file's name would."""
    monkeypatch.chdir(tmp_path)
    text, wanted = OVERRIDES[case]
    with pytest.raises(ConfigError) as caught:
        read_registry(None, parse_overrides([text]))
    assert str(caught.value).startswith(wanted) or wanted in str(caught.value)
    assert "--set" in str(caught.value)
