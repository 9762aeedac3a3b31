"""Laws of reading and merging registries."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from adidem.core.errors import ConfigError
from adidem.core.registry import PACKAGED, parse_overrides
from adidem.core.registry.config import parse_condition
from adidem.core.registry.load import normal, typed
from adidem.core.registry.merge import merge
from adidem.core.registry.reader import read_text
from adidem.core.registry.tree import Node, Place, plain

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
words = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"], exclude_characters="\x7f"), max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
)
MAPS, LEAVES = ["m", "n", "o"], ["x", "y", "z"]
"""Names that always hold a mapping, and names that never do: documents of one schema."""
documents: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.dictionaries(st.sampled_from(LEAVES), scalars | st.lists(scalars, max_size=2), max_size=3),
    lambda inner: st.builds(
        lambda maps, leaves: {**maps, **leaves},
        st.dictionaries(st.sampled_from(MAPS), inner, max_size=3),
        st.dictionaries(st.sampled_from(LEAVES), scalars | st.lists(scalars, max_size=2), max_size=2),
    ),
    max_leaves=6,
)


def tree(value: Any) -> Node:
    if isinstance(value, dict):
        return Node({name: tree(member) for name, member in value.items()}, Place("t"))
    if isinstance(value, list):
        return Node(tuple(tree(item) for item in value), Place("t"))
    return Node(value, Place("t"))


@given(documents, documents, documents)
def test_merging_is_associative(a: dict[str, Any], b: dict[str, Any], c: dict[str, Any]) -> None:
    """It does not matter which two of three layers are laid first."""
    x, y, z = tree(a), tree(b), tree(c)
    assert merge(merge(x, y), z) == merge(x, merge(y, z))


@given(documents)
def test_an_empty_layer_changes_nothing_and_a_layer_twice_is_a_layer_once(a: dict[str, Any]) -> None:
    """Identity on both sides, and idempotence."""
    assert merge(tree(a), tree({})) == merge(tree({}), tree(a)) == merge(tree(a), tree(a)) == tree(a)


@given(documents, documents)
def test_the_upper_layer_wins_and_nothing_else_is_lost(a: dict[str, Any], b: dict[str, Any]) -> None:
    """Every leaf of the upper layer is in the result; names are those of both."""
    merged = plain(merge(tree(a), tree(b)))

    def holds(upper: Any, result: Any) -> bool:
        if isinstance(upper, dict):
            return all(holds(member, result[name]) for name, member in upper.items())
        return bool(upper == result)

    assert holds(b, merged)
    assert set(merged) == {*a, *b}


@given(json_values)
def test_reading_gives_back_what_was_written_as_json(value: Any) -> None:
    """JSON is YAML: a JSON value survives (characters beyond 16 bits are two escapes in JSON, which YAML lacks)."""
    assert plain(read_text(json.dumps(value), "t")) == value


@given(st.lists(st.sampled_from("[]{}:,-?&*!|>'\"%@`#~<=\n\t ab01.e+\x00\x85\u2028\ufeff"), max_size=40).map("".join))
@example("? ? ? a")
@example("!!python/object:os.system {}")
@example("a: !!float x")
@example("&a [*a]")
@example("- !!set {a}")
@example("!!omap [a: 1]")
@example("!!timestamp 2001-99-99")
@example("%YAML 9.9\n---\na")
@example("\ud800")
def test_hostile_text_raises_nothing_but_a_configuration_error(text: str) -> None:
    """Whatever YAML's own marks are put together to."""
    read(text)


@given(st.text(max_size=60) | values.map(yaml.safe_dump))
def test_arbitrary_text_raises_nothing_but_a_configuration_error(text: str) -> None:
    """Any text at all, and any YAML document of another shape."""
    read(text)


@example({"families": {"\n": None}})
@given(
    st.dictionaries(
        st.sampled_from(["families", "suites", "agents", "models", "llm", "plugins", "builtins", "judges"]),
        values | st.dictionaries(st.sampled_from(["hico", "a", "turns", "spec"]), values, max_size=3),
        max_size=4,
    )
)
def test_registries_of_arbitrary_content_raise_nothing_but_a_configuration_error(value: dict[str, Any]) -> None:
    """Sections that exist, holding anything."""
    read(yaml.safe_dump(value))


def read(text: str) -> None:
    message = refusal(lambda: typed(normal(read_text(text, "t.yaml"))))
    assert message is None or re.match(r"t\.yaml[^\n]*\Z", message)


def refusal(call: Callable[[], object]) -> str | None:
    """The configuration error's message, or None; any other exception goes on."""
    try:
        call()
    except ConfigError as error:
        return str(error)
    return None


@given(st.text(max_size=30))
def test_arbitrary_overrides_raise_nothing_but_a_configuration_error(text: str) -> None:
    """Any `--set`, after any name."""
    for said in (text, f"suites.hico.turns={text}", f"agent.{text}"):
        message = refusal(lambda said=said: parse_overrides([said]))  # type: ignore[misc]
        assert message is None or "--set" in message


@given(st.dictionaries(st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True), st.floats(0, 1), min_size=1, max_size=3))
def test_a_condition_says_its_barriers_and_severities(parts: dict[str, float]) -> None:
    """Writing and parsing a composite condition gives its parts back."""
    text = "+".join(f"{name}:{severity}" for name, severity in parts.items())
    assert parse_condition(text) == tuple(parts.items())


def test_a_barriers_default_severity() -> None:
    """A bare name is at 0.7."""
    assert parse_condition("vague") == (("vague", 0.7),)


@pytest.mark.parametrize("text", ["", "a:", "a:x", "a:-0.1", "a:nan", "a+a:0.5", "a:0.5:0.6", "A"])
def test_a_condition_that_is_none(text: str) -> None:
    """Each is refused with its part named."""
    with pytest.raises(ValueError, match=r"barrier|severity"):
        parse_condition(text)


def test_the_packaged_text_is_read_with_its_places() -> None:
    """Line and column lead an editor to the key."""
    lines = Path(PACKAGED).read_text().splitlines()
    place = read_text("\n".join(lines), "r").where("suites", "hico", "turns")
    assert lines[(place.line or 0) - 1][(place.column or 0) - 1 :].startswith("turns:")
