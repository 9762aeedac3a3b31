"""Writes the reference pages of the documentation from the program itself: hooks, components, command line.

`python docs/generate.py` writes `docs/reference/`; `tests/docs/test_reference.py` fails where a page is not what this
would write.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import attrs
import typer

from adidem.core import hookspecs
from adidem.core.cli.main import app
from adidem.core.kinds import KINDS
from adidem.core.setup import load

FOLDER = Path(__file__).parent / "reference"
WIDTH = 78
"""Columns of `--help`, those of a terminal of 80."""

NOTE = "<!-- Written by docs/generate.py; edit what it is made from, then run it again. -->"


def pages() -> dict[str, str]:
    """Every generated page, by its file's name."""
    return {"hooks.md": hooks(), "components.md": components(), "cli.md": command_line()}


# -------------------------------------------------------------------------------------------------------------- hooks


def hooks() -> str:
    """Each hook with its signature and what it says of itself, and the contract that its components fulfil."""
    parts = [
        "# Hooks and contracts",
        NOTE,
        inspect.getdoc(hookspecs) or "",
        "How a plugin is written, found and contained: [hooks](../hooks.md). What is tried on it: [the kit]"
        "(../kit.md).",
    ]
    for name, hook in sorted(vars(hookspecs).items(), key=lambda each: _line(each[1])):
        if name.startswith("adidem_register_"):
            parts += [f"## {name}", _code(_signature(name, hook)), prose(hook), *_contract(_contract_of(hook))]
    return _page(parts)


def _line(thing: Any) -> int:
    return thing.__code__.co_firstlineno if inspect.isfunction(thing) else 0


def _contract_of(hook: Any) -> type:
    """The contract in `register: Register[Contract]`."""
    found = re.search(r"Register\[(\w+)\]", str(inspect.get_annotations(hook)["register"]))
    if found is None:
        raise TypeError(f"{hook.__name__} does not say what it registers")
    return getattr(hookspecs, found[1])


def _contract(contract: type) -> Iterator[str]:
    yield f"### {contract.__name__}"
    yield f"`adidem.{contract.__name__}`. {prose(contract)}"
    for name, member in vars(contract).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"**`{name}: {inspect.get_annotations(member.fget)['return']}`**  \n{prose(member)}"
        elif inspect.isfunction(member):
            yield f"{_code(_signature(name, member))}\n\n{prose(member)}"


def _signature(name: str, function: Any) -> str:
    word = "async def" if inspect.iscoroutinefunction(function) else "def"
    return f"{word} {name}{inspect.signature(function)}".replace("'", "")


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


# --------------------------------------------------------------------------------------------------------- components


def components() -> str:
    """Every built-in component: what its file says of it, and its options."""
    parts = [
        "# Families, barriers, judges and trainers",
        NOTE,
        "Every component that ships with adidem, in the words of its own file, with the options that `registry.yaml` "
        "may give it. `adidem plugins` lists what is loaded on your machine, yours among it.",
    ]
    setup = load(Path(__file__).parents[1] / "registry.yaml")
    for kind in KINDS:
        if kind.name not in SECTIONS:  # a family's checker has the family's name, and its page
            continue
        title, more = SECTIONS[kind.name]
        parts.append(f"## {title}\n\n{more}")
        for item in setup.components.registered:
            home = _home(item.thing)
            if item.kind is kind and home.__name__.startswith("adidem."):
                made = setup.components.of(kind.name)[item.name]
                parts += [f"### {item.name}", prose(home), *MORE[kind.name](made), *_options(item.options)]
    return _page(parts)


def _family(family: Any) -> Iterator[str]:
    """What an agreement records."""
    if family.terms is None:
        yield "Keeps no records: its conversations are judged only."
    else:
        fields = ", ".join(f"`{each.name}`" for each in attrs.fields(family.terms))
        yield f"An agreement records {fields}."


def _barrier(barrier: Any) -> Iterator[str]:
    """What a model speaker is told: the style, then each band's stance and quotas."""
    extreme = barrier.directive(BANDS["extreme"])
    yield f"> {' '.join(extreme.style.split())}"
    yield "Literature:\n\n" + "\n".join(f"- {source}" for source in extreme.sources)
    rows = ["| band | stance | quotas a turn |", "|---|---|---|"]
    for band, severity in BANDS.items():
        said = barrier.directive(severity)
        quotas = ", ".join(f"{name} {low:g} to {high:g}" for name, (low, high) in said.quotas.items())
        rows.append(f"| {band} | {' '.join(said.stance.split())} | {quotas} |")
    yield "\n".join(rows)


def _judge(judge: Any) -> Iterator[str]:
    """The dimensions with their ranges and what they mean."""
    of = {"seat": "each person", "episode": "the episode"}
    rows = [f"| `{d.name}` | {d.low:.3g} to {d.high:.3g} | {of[d.scope]} | {d.about} |" for d in judge.dimensions]
    yield "\n".join(["| dimension | range | of | what a score means |", "|---|---|---|---|", *rows])


def _trainer(trainer: Any) -> Iterator[str]:
    """How its conversations are sampled."""
    probes = ", with a tentative record after each turn" if trainer.sampling.probes else ""
    yield f"Samples `{trainer.sampling.plan}`, {trainer.sampling.samples} conversations each{probes}."


BANDS: Mapping[str, float] = {"light": 0.2, "moderate": 0.42, "strong": 0.67, "extreme": 0.9}
"""A severity in the middle of each band that says anything."""

MORE: Mapping[str, Callable[[Any], Iterator[str]]] = {
    "family": _family,
    "barrier": _barrier,
    "judge": _judge,
    "trainer": _trainer,
}


def _home(component: Any) -> Any:
    return import_module(component.__module__ if isinstance(component, type) else type(component).__module__)


def _options(options: Mapping[str, attrs.Attribute[Any]]) -> Iterator[str]:
    if options:
        rows = [
            f"| `{name}` | {_default(option)} | {option.metadata.get('doc', '')} |" for name, option in options.items()
        ]
        yield "\n".join(["| option | default | |", "|---|---|---|", *rows])


def _default(option: attrs.Attribute[Any]) -> str:
    if option.default is attrs.NOTHING:
        return "must be given"
    made = option.default.factory() if isinstance(option.default, attrs.Factory) else option.default
    return "" if made is None or made in ((), "") else f"`{list(made) if isinstance(made, tuple) else made}`"


SECTIONS: Mapping[str, tuple[str, str]] = {
    "family": ("Families", "A page for each of the six of HICO-Bench and for sotopia: see *Families* in the menu."),
    "barrier": ("Barriers", "What they do, band by band: [barriers](../barriers.md)."),
    "judge": ("Judges", "What they are shown, and when a rating is unscored: [judges](../judges.md)."),
    "trainer": ("Trainers", "What is shared by all of them: [training](../training.md)."),
}


# ------------------------------------------------------------------------------------------------------- command line


def command_line() -> str:
    """What `--help` says, of every verb and of what is below it."""
    parts = [
        "# Command line",
        NOTE,
        "What `--help` prints, verb by verb. How a run works: [running](../running.md).",
        *_helps(typer.main.get_command(app), ("adidem",)),
    ]
    return _page(parts)


def _helps(command: Any, path: tuple[str, ...]) -> Iterator[str]:
    """The help of a command and of those below it, in their order."""
    name = " ".join(path)
    context = command.context_class(command, info_name=name, terminal_width=WIDTH)
    yield f"## {name}"
    yield f"```text\n{command.get_help(context).strip()}\n```"
    below = command.list_commands(context) if hasattr(command, "list_commands") else []
    for each in below:
        yield from _helps(command.get_command(context, each), (*path, each))


# --------------------------------------------------------------------------------------------------------------- text


def prose(thing: Any) -> str:
    """The docstring of something."""
    said = inspect.getdoc(thing)
    if not said:
        raise ValueError(f"{thing} says nothing of itself")
    return said


def _page(parts: list[str]) -> str:
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Writes the pages."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
