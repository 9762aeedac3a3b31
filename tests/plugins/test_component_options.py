"""Options of components, switching them off, and what a suite needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from adidem.core.errors import ConfigError, UnknownName
from adidem.core.setup import Setup

Load = Callable[..., Setup]

SUITE = """
suites:
  small: {families: [toy], judges: [nod], barriers: ["mumble:0.5"]}
"""


@pytest.mark.parametrize("entry", ["{}", "", "true", "{enabled: true}"])
def test_the_ways_to_say_that_a_component_is_on(entry: str, toy: Path, load_only: Load) -> None:
    """An empty entry, `true` and `enabled: true` all mean on, with defaults."""
    assert load_only(toy, registry=f"families:\n  toy: {entry}\n").components.families["toy"].most == 9  # type: ignore[attr-defined]


@pytest.mark.parametrize("entry", ["false", "{enabled: false}", "{enabled: false, most: 3}"])
def test_the_ways_to_switch_a_component_off(entry: str, toy: Path, load_only: Load) -> None:
    """It is listed as not enabled, and asking for it tells where it is switched off."""
    setup = load_only(toy, registry=f"families:\n  toy: {entry}\n")
    assert "toy" not in setup.components.families
    assert [r["enabled"] for r in setup.components.describe() if r["kind"] == "family"] == [False]
    with pytest.raises(ConfigError, match=r"family 'toy' is switched off in .*my\.yaml:3:3$"):
        setup.components.get("family", "toy")


@pytest.mark.parametrize(
    ("registry", "message"),
    [
        ("families:\n  toy:\n    mots: 3\n", "my.yaml:4:5: families.toy: unknown key 'mots': did you mean 'most'?"),
        ("families:\n  toy: {most: 0}\n", "my.yaml:3:9: families.toy.most: must be >= 1: 0"),
        ("families:\n  toy: {most: 100}\n", "my.yaml:3:9: families.toy.most: must be <= 99: 100"),
        ("families:\n  toy: {most: '3'}\n", "my.yaml:3:9: families.toy.most: must be a whole number, not '3'"),
        ("families:\n  toy: {most: true}\n", "my.yaml:3:9: families.toy.most: must be a whole number, not True"),
        ("families:\n  toy: {most: 3.0}\n", "my.yaml:3:9: families.toy.most: must be a whole number, not 3.0"),
        ("families:\n  toy: {enabled: 1}\n", "my.yaml:3:9: families.toy.enabled: must be true or false, not 1"),
        ("families:\n  toy: {name: x}\n", "my.yaml:3:9: families.toy: unknown key 'name'"),
        ("families:\n  toy: 3\n", "my.yaml:3:3: families.toy: must be true, false or a mapping of options, not 3"),
        ("families:\n  tyo: {}\n", "my.yaml:3:3: families: unknown family 'tyo': did you mean 'toy'?"),
        ("families:\n  toy: {enabled: false, most: x}\n", "my.yaml:3:25: families.toy.most: must be a whole number"),
        ("barriers:\n  mumble: {words: [hm, 3]}\n", "my.yaml:3:24: barriers.mumble.words[1]: must be text, not 3"),
        ("barriers:\n  mumble: {words: hm}\n", "my.yaml:3:12: barriers.mumble.words: must be a list, not 'hm'"),
        ("trainers:\n  flat: {within: .nan}\n", "my.yaml:3:10: trainers.flat.within: must be a finite number, not nan"),
        (
            "checkers:\n  toy: {x: 1}\n",
            "my.yaml:3:9: checkers.toy: unknown key 'x': checker 'toy' is a finished object",
        ),
    ],
)
def test_a_wrong_option_says_where_and_what(registry: str, message: str, toy: Path, load_only: Load) -> None:
    """File, line, column, the path in the document, and the value or the nearest name."""
    with pytest.raises(ConfigError) as caught:
        load_only(toy, registry=registry)
    assert message in str(caught.value)


def test_set_reaches_a_component_and_is_named_when_it_is_wrong(toy: Path, load_only: Load) -> None:
    """`--set` lies over the file; its mistakes carry its name instead of a position."""
    setup = load_only(toy, registry="families: {toy: {most: 5, unit: bags}}", sets=("families.toy.most=7",))
    assert (setup.components.families["toy"].most, setup.components.families["toy"].unit) == (7, "bags")  # type: ignore[attr-defined]
    with pytest.raises(ConfigError, match=r"^--set: families\.toy\.most: must be <= 99: 700$"):
        load_only(toy, sets=("families.toy.most=700",))
    assert not load_only(toy, sets=("families.toy=false",)).components.families


def test_a_suite_is_ready_with_all_that_it_needs(toy: Path, load_only: Load) -> None:
    """The suite comes with the changes of the command line."""
    suite = load_only(toy, registry=SUITE).suite("small", turns=4)
    assert (suite.families, suite.turns, suite.partner) == (("toy",), 4, "scripted:candid")


@pytest.mark.parametrize("section", ["families: {toy", "judges: {nod", "barriers: {mumble", "checkers: {toy"])
def test_switching_off_what_a_suite_needs_is_refused_when_it_is_asked_for(
    section: str, toy: Path, load_only: Load
) -> None:
    """Loading goes on, since another suite may be wanted; asking for this one names it and where it is off. A
    family's own rules are needed as much as the family."""
    setup = load_only(toy, registry=f"{section}: false}}{SUITE}")
    with pytest.raises(ConfigError, match=r"suites?\W.*small.* switched off in .*my\.yaml:2:\d+"):
        setup.suite("small")


def test_unknown_names_around_suites_get_the_nearest(toy: Path, load_only: Load) -> None:
    """The suite itself, and families, judges and barriers that the command line changes."""
    setup = load_only(toy, registry=SUITE)
    asked: list[tuple[Callable[[], object], str]] = [
        (lambda: setup.suite("smal"), "unknown suite 'smal': did you mean 'small'?"),
        (lambda: setup.suite("small", families=("tou",)), "suite 'small': unknown family 'tou': did you mean 'toy'?"),
        (lambda: setup.suite("small", judges=("nob",)), "suite 'small': unknown judge 'nob': did you mean 'nod'?"),
        (lambda: setup.suite("small", barriers=("mumbel",)), "unknown barrier 'mumbel': did you mean 'mumble'?"),
    ]
    for ask, wanted in asked:
        with pytest.raises(UnknownName) as caught:
            ask()
        assert wanted in str(caught.value)


def test_a_change_out_of_range_names_the_suite(toy: Path, load_only: Load) -> None:
    """The command line's values pass the same validators as the file's."""
    with pytest.raises(ConfigError, match=r"suite 'small': .*turns.* must be <= 200: 500"):
        load_only(toy, registry=SUITE).suite("small", turns=500)


def test_a_suite_that_names_what_is_not_there_is_a_mistake_of_the_file(toy: Path, load_only: Load) -> None:
    """The name is shown at its own position, asked for or not."""
    with pytest.raises(ConfigError, match=r"my\.yaml:3:27: suites\.small: unknown family 'tyo': did you mean 'toy'"):
        load_only(toy, registry="suites:\n  small: {families: [toy, tyo]}\n")


def test_an_unknown_kind_gets_the_nearest_names(toy: Path, load_only: Load) -> None:
    """Kinds may be asked for in singular or plural, and nothing else."""
    components = load_only(toy).components
    assert components.of("judge") is components.of("judges")
    with pytest.raises(UnknownName, match="did you mean 'judge'"):
        components.of("jugde")


def test_own_rules_come_first_among_a_familys_checkers(
    parts: dict[str, str], header: str, tmp_path: Path, load_only: Load
) -> None:
    """The family's own, then those for every family and those that name it, by name."""
    text = header + parts["checker"]
    for name, families in (("zeal", "None"), ("also", '["toy", "x"]'), ("not_mine", '{"x"}')):
        text += (
            parts["checker"]
            .replace('"toy"', f'"{name}"', 1)
            .replace('("toy",)', families)
            .replace("ToyRules", name.title())
            .replace("adidem_register_checkers(", f"adidem_register_checkers_{name}(")
            .replace("@adidem.hookimpl", '@adidem.hookimpl(specname="adidem_register_checkers")')
        )
    (tmp_path / "many.py").write_text(text)
    components = load_only(tmp_path / "many.py", strict=True).components
    assert [checker.name for checker in components.checkers_for("toy")] == ["toy", "also", "zeal"]
