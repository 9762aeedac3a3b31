"""The typed shape of registry.yaml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from attrs import Attribute, field, frozen
from attrs.validators import deep_iterable, ge, gt, le, matches_re, min_len, optional

from adidem.core.domain import Split
from adidem.core.registry.tree import Node, Place

COMPONENTS = ("families", "checkers", "barriers", "judges", "trainers")
"""The sections that turn components on and off and set their options."""

NAME = r"[a-z][a-z0-9_]*"
"""What a component may be called: it stands in task ids, in `name:severity` and in `judge@spec`."""

DEFAULT_SEVERITY = 0.7


def doc(text: str) -> dict[str, str]:
    """Metadata of a field: the sentence that `adidem schema` shows for it."""
    return {"doc": text}


def between(low: float, high: float) -> list[Any]:
    """Validators of a number within [low, high]."""
    return [ge(low), le(high)]


@frozen
class Entry:
    """What a registry says about one component: whether it is on, and its options as written."""

    enabled: bool
    options: Node
    place: Place

    @property
    def mentioned(self) -> bool:
        """Whether any file or `--set` speaks of it at all."""
        return self.place.source != ""


@frozen
class Named:
    """A plugin that a registry names: the text as written, the file where that is a path (None: it is a module's dotted
    name), and where it stands."""

    name: str
    file: Path | None
    place: Place


UNMENTIONED = Entry(True, Node({}, Place("")), Place(""))
"""A component that no registry speaks of: on, with its defaults."""


def is_endpoint(url: str) -> bool:
    """Whether a URL can be one of an endpoint: http or https, a host, a port that there is."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _url(_settings: Any, _attribute: Attribute[Any], value: Any) -> None:
    if not isinstance(value, str) or not is_endpoint(value):
        raise ValueError("it is no URL of an endpoint: write it as http://host:port/v1")


@frozen(kw_only=True)
class ModelSettings:
    """How a model is called. None, everywhere, is 'not said': the provider's own default or the section `llm`'s.

    Prices are US dollars per million tokens; without both the cost of a call is what the gateway knows, or unknown.
    """

    api_base: str | None = field(
        default=None, validator=optional(_url), metadata=doc("URL of an OpenAI-compatible endpoint")
    )
    api_key_env: str | None = field(default=None, metadata=doc("environment variable that holds the key"))
    temperature: float | None = field(default=None, validator=optional(between(0, 2)))
    top_p: float | None = field(default=None, validator=optional(between(0, 1)))
    max_tokens: int | None = field(default=None, validator=optional(ge(1)), metadata=doc("most tokens of an answer"))
    context: int | None = field(default=None, validator=optional(ge(1)), metadata=doc("tokens that fit in the window"))
    seed: int | None = field(default=None, validator=optional(between(0, 2**63 - 1)))
    reasoning_effort: str | None = field(default=None, metadata=doc("passed to models that reason"))
    timeout: float | None = field(default=None, validator=optional(gt(0)), metadata=doc("seconds for one attempt"))
    attempts: int | None = field(default=None, validator=optional(between(1, 20)))
    concurrency: int | None = field(default=None, validator=optional(between(1, 4096)))
    requests_per_minute: int | None = field(default=None, validator=optional(ge(1)))
    tokens_per_minute: int | None = field(default=None, validator=optional(ge(1)))
    price_in: float | None = field(default=None, validator=optional(ge(0)), metadata=doc("USD per million, prompt"))
    price_out: float | None = field(default=None, validator=optional(ge(0)), metadata=doc("USD per million, answer"))
    cache: bool | None = field(default=None, metadata=doc("keep answers on disk; not said: judges' alone"))
    extra: Mapping[str, Any] = field(factory=dict, metadata=doc("further parameters, passed on as they are"))


@frozen(kw_only=True)
class NamedAgent(ModelSettings):
    """An agent under a name of one's own: `--agent NAME` is then `--agent SPEC` with these settings."""

    spec: str = field(validator=min_len(1), metadata=doc("an agent as --agent takes it, such as openai/gpt-5-mini"))


@frozen(kw_only=True)
class LLM:
    """The gateway's defaults. `auto` sends to an OpenAI-compatible `api_base` directly and to all others by litellm."""

    transport: Literal["auto", "litellm"] = "auto"
    timeout: float = field(default=120.0, validator=gt(0), metadata=doc("seconds for one attempt"))
    attempts: int = field(default=5, validator=between(1, 20), metadata=doc("tries of a call, but for those of a 429"))
    deadline: float = field(default=600.0, validator=gt(0), metadata=doc("seconds for all attempts of one call"))
    concurrency: int = field(default=64, validator=between(1, 4096), metadata=doc("calls in flight at once"))


def parse_condition(text: str) -> tuple[tuple[str, float], ...]:
    """A barrier condition as written, `a`, `a:0.5` or `a:0.5+b:0.7`, as (name, severity) pairs; severities are in
    [0, 1], 0.7 where none is said. Raises ValueError that names the part."""
    parts: list[tuple[str, float]] = []
    for part in text.split("+"):
        name, colon, severity = part.strip().partition(":")
        if not re.fullmatch(NAME, name):
            raise ValueError(f"{part.strip()!r} is not a barrier; write it as name or name:severity")
        try:
            value = float(severity) if colon else DEFAULT_SEVERITY
        except ValueError:
            value = -1.0
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"severity {severity!r} of {name!r} is not a number from 0 to 1")
        parts.append((name, value))
    if len({name for name, _ in parts}) < len(parts):
        raise ValueError(f"{text!r} names one barrier twice")
    return tuple(parts)


def _same_twice(value: tuple[str, ...]) -> None:
    seen: dict[tuple[tuple[str, float], ...], str] = {}
    for text in value:
        before = seen.setdefault(parse_condition(text), text)
        if before is not text:
            raise ValueError(f"{before!r} and {text!r} are one condition: give it once")


def _conditions(_suite: Any, _attribute: Attribute[tuple[str, ...]], value: tuple[str, ...]) -> None:
    for text in value:
        parse_condition(text)
    _same_twice(value)


def _no_doubles(_suite: Any, _attribute: Attribute[tuple[str, ...]], value: tuple[str, ...]) -> None:
    doubles = sorted({name for name in value if value.count(name) > 1})
    if doubles:
        raise ValueError(f"names {doubles[0]!r} twice")


_names: list[Any] = [deep_iterable(matches_re(NAME)), _no_doubles]


@frozen(kw_only=True)
class Suite:
    """A named selection of families, barriers, judges and protocol."""

    description: str = ""
    families: tuple[str, ...] = field(validator=[min_len(1), *_names])
    barriers: tuple[str, ...] = field(
        default=(), validator=[_conditions, _no_doubles], metadata=doc("conditions, played beside `none`: a:0.5+b:0.7")
    )
    judges: tuple[str, ...] = field(default=(), validator=_names)
    model_judges: tuple[str, ...] = field(
        default=(), validator=_names, metadata=doc("judges that need a model; they sit where --judge gives one")
    )
    split: Split = "test"
    turns: int = field(default=12, validator=between(1, 200), metadata=doc("most turns of a conversation, both's"))
    partner: str = field(default="scripted:candid", validator=min_len(1), metadata=doc("an agent, or self"))
    bank: str | None = field(default=None, metadata=doc("a shipped bank's name or a JSONL file; none: generate"))
    data: str | None = field(default=None, metadata=doc("folder or file of a data set that is not shipped"))
    seed: int = field(default=0, validator=between(0, 2**63 - 1))
    repeats: int = field(default=1, validator=between(1, 2**31 - 1), metadata=doc("times each task is played"))
    concurrency: int = field(default=16, validator=between(1, 4096), metadata=doc("calls at once to one endpoint"))
    tags: tuple[str, ...] = field(
        default=(), validator=_no_doubles, metadata=doc("only scenarios with one of these; none: all")
    )
    seats: Literal["both", "first", "second"] = field(default="both", metadata=doc("which seats are tested"))
    dialogue: bool = field(default=True, metadata=doc("false: records from the cards alone"))


@frozen
class Registry:
    """A whole registry: the packaged one with a file of one's own and `--set` laid over it.

    `tree` is the merged document, for the places of things in errors; `sources` the files it came from, lowest first.
    """

    families: Mapping[str, Entry]
    checkers: Mapping[str, Entry]
    barriers: Mapping[str, Entry]
    judges: Mapping[str, Entry]
    trainers: Mapping[str, Entry]
    agents: Mapping[str, NamedAgent]
    models: Mapping[str, ModelSettings]
    suites: Mapping[str, Suite]
    builtins: tuple[str, ...]
    plugins: tuple[Named, ...]
    llm: LLM
    tree: Node = field(repr=False)
    sources: tuple[str, ...] = ()

    def entries(self, section: str) -> Mapping[str, Entry]:
        """The entries of one of the component sections."""
        found: Mapping[str, Entry] = getattr(self, section)
        return found

    def entry(self, section: str, name: str) -> Entry:
        """What is said of a component; one that is not mentioned is on."""
        return self.entries(section).get(name, UNMENTIONED)

    def where(self, *path: str | int) -> Place:
        """Where the value at a path of the document stands."""
        return self.tree.where(*path)


SECTIONS = (*COMPONENTS, "agents", "models", "suites", "builtins", "plugins", "llm")
"""The sections of registry.yaml."""
