"""A recipe: everything a training run is made of, in one YAML file that is read as strictly as registry.yaml.

`base: other.yaml` lays a recipe over another one (mappings merge, the rest replaces), `--set a.b=v` over both. A
relative path starts from the file that holds it. Nothing here imports torch: a schema and a dry run need none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from attrs import Attribute, field, frozen
from attrs.validators import deep_iterable, ge, gt, le, matches_re, min_len, optional

from adidem.core.domain import Split
from adidem.core.errors import ConfigError
from adidem.core.policy.server import Server
from adidem.core.registry.config import NAME, between, doc, parse_condition
from adidem.core.registry.json_schema import DIALECT, class_schema
from adidem.core.registry.merge import merge
from adidem.core.registry.reader import read_file, read_text
from adidem.core.registry.structure import build
from adidem.core.registry.tree import Node, Place, mistake, plain, shown

SOURCE = "--set"
DEEPEST = 8
"""Recipes laid over one another, at most."""


def _shares_the_width(tiny: Tiny, _attribute: Attribute[int], heads: int) -> None:
    """Positions turn pairs of numbers, so a head's width is even."""
    if tiny.width % (2 * heads):
        raise ValueError(f"{heads} heads cannot share the width {tiny.width} in even parts")


def _shares_the_heads(tiny: Tiny, _attribute: Attribute[int], kept: int) -> None:
    if tiny.heads % kept:
        raise ValueError(f"{kept} kept heads cannot be shared evenly by {tiny.heads} heads")


@frozen(kw_only=True)
class Tiny:
    """The size of a model from scratch. Each of its heads has the same even share of the width, and each head of keys
    and values the same share of the heads."""

    width: int = field(default=128, validator=between(8, 4096))
    layers: int = field(default=3, validator=between(1, 64))
    heads: int = field(default=4, validator=[*between(1, 64), _shares_the_width])
    kept: int = field(
        default=1,
        validator=[*between(1, 64), _shares_the_heads],
        metadata=doc("heads of keys and values; heads share them"),
    )
    inner: int = field(default=352, validator=between(8, 16384), metadata=doc("width of the feed-forward layers"))
    positions: int = field(default=512, validator=between(32, 65536), metadata=doc("most tokens of a conversation"))


@frozen(kw_only=True)
class Adapter:
    """A LoRA adapter, which is then all that is trained of the model."""

    rank: int = field(default=16, validator=between(1, 1024))
    alpha: int = field(default=32, validator=between(1, 4096))
    targets: tuple[str, ...] = field(default=(), metadata=doc("modules that get it; none: all linear layers"))


@frozen
class Size:
    """The shape of a model that is not here, for `--dry-run`; `kept` are its heads of keys and values."""

    layers: int = field(validator=ge(1))
    width: int = field(validator=ge(1))
    inner: int = field(validator=ge(1))
    heads: int = field(validator=ge(1))
    kept: int = field(validator=ge(1))
    head: int = field(validator=ge(1), metadata=doc("width of a head"))
    vocabulary: int = field(validator=ge(1))
    tied: bool = False


@frozen(kw_only=True)
class PolicySettings:
    """Which model learns. `model` is `tiny`, one from scratch that speaks the lab's tongue, or `hf:PATH`: a folder of
    weights, an adapter or a saved policy; `hf:smollm2` is the shipped small model."""

    model: str = field(default="tiny", validator=matches_re(r"tiny|hf:.+"))
    start: Path | None = field(default=None, metadata=doc("a saved policy that training starts from"))
    tiny: Tiny = field(factory=Tiny, metadata=doc("the size, where the model is tiny"))
    size: Size | None = field(default=None, metadata=doc("of a model that is not here yet, for --dry-run"))
    adapter: Adapter | None = field(default=None, metadata=doc("none: all weights are trained"))
    server: Server | None = field(default=None, metadata=doc("samples from the adapter; none: this process does"))
    dtype: Literal["float32", "bfloat16"] = "float32"
    checkpointing: bool = field(default=False, metadata=doc("recompute activations to save memory"))
    detach: bool = field(default=False, metadata=doc("keep the critic's gradient out of the model"))
    device: str = field(default="auto", validator=matches_re(r"auto|cpu|mps|cuda(:\d+)?"))
    threads: int = field(default=1, validator=between(1, 1024), metadata=doc("processor threads of torch"))


@frozen(kw_only=True)
class Scenarios:
    """What is played: the training scenarios of a bank, the same every epoch, or (`fresh`) newly generated ones in
    every update."""

    families: tuple[str, ...] = field(
        default=(
            "resource_allocation",
            "authorization",
            "bounded_quantities",
            "joint_scheduling",
            "shared_resource_scheduling",
            "set_consent",
        ),
        validator=[min_len(1), deep_iterable(matches_re(NAME))],
    )
    source: Literal["bank", "fresh"] = "bank"
    bank: str = field(default="hico", validator=min_len(1), metadata=doc("a shipped bank or a JSONL file"))
    split: Split = "train"


def _condition(_settings: Any, _attribute: Attribute[Any], value: str) -> None:
    parse_condition(value)


@frozen(kw_only=True)
class Play:
    """How conversations are played. `partner` is any agent, or `base`: the model without the adapter that is trained,
    or, where all weights are, the policy that the run started from. It stays the same through all stages."""

    partner: str = field(default="scripted:candid", validator=min_len(1))
    demonstrator: str | None = field(default=None, metadata=doc("who shows how it is done, for `bc`: any agent"))
    barrier: str | None = field(
        default=None, validator=optional(_condition), metadata=doc("put into the partner: NAME or NAME:SEVERITY")
    )
    turns: int = field(default=12, validator=between(2, 200), metadata=doc("most turns of a conversation, both's"))
    temperature: float = field(default=1.0, validator=[gt(0), le(2)], metadata=doc("the policy's, in training"))
    at_once: int = field(default=384, validator=between(1, 65536), metadata=doc("conversations played in lockstep"))
    turn_tokens: int = field(default=96, validator=between(1, 4096), metadata=doc("most of an utterance, chat models"))
    record_tokens: int = field(default=96, validator=between(1, 4096), metadata=doc("most of a record, chat models"))


@frozen(kw_only=True)
class Reward:
    """R = feasibility · Feasibility + integrity · Integrity (+ conduct · conduct), each 0 or 1."""

    feasibility: float = field(default=0.8, validator=between(0, 100))
    integrity: float = field(default=0.2, validator=between(0, 100))
    judge: str = field(default="integrity_rules", validator=matches_re(NAME), metadata=doc("who judges Integrity"))
    judge_model: str | None = field(default=None, metadata=doc("the model that the judge asks, as --judge takes it"))
    conduct: Literal["off", "gate", "term"] = field(
        default="off",
        metadata=doc(
            "gate: Integrity counts only with good conduct, so that an instant decline earns nothing by it; "
            "term: conduct is added with its own weight"
        ),
    )
    conduct_weight: float = field(default=0.1, validator=between(0, 100), metadata=doc("where conduct is a term"))
    annotator: str | None = field(default=None, metadata=doc("the model that marks disclosures; none: exact, by rules"))
    raters: tuple[str, ...] = field(
        default=(), validator=deep_iterable(matches_re(NAME)), metadata=doc("judges whose ratings imitation filters by")
    )


@frozen(kw_only=True)
class Update:
    """One update of the policy."""

    lr: float = field(default=4e-4, validator=[gt(0), le(1)], metadata=doc("of the model or its adapter"))
    value_lr: float = field(default=3e-3, validator=[gt(0), le(1)], metadata=doc("of the value head"))
    epochs: int = field(default=2, validator=between(1, 100), metadata=doc("times every conversation is used"))
    minibatches: int = field(default=2, validator=between(1, 4096), metadata=doc("optimizer steps in an epoch"))
    micro: int = field(default=48, validator=between(1, 4096), metadata=doc("conversations in memory at once"))
    clip: float = field(default=0.2, validator=[gt(0), le(10)], metadata=doc("of the ratio"))
    value_clip: float = field(default=0.2, validator=between(0, 1000), metadata=doc("of the values; 0: none"))
    value_weight: float = field(default=0.5, validator=between(0, 100), metadata=doc("of the critic's loss"))
    kl: float = field(default=0.0, validator=between(0, 100), metadata=doc("weight of KL to the start policy"))
    grad_clip: float = field(default=1.0, validator=[gt(0)], metadata=doc("most norm of the gradient"))
    max_kl: float = field(default=5.0, validator=[gt(0)], metadata=doc("nats a token; moving farther stops training"))
    betas: tuple[float, float] = field(default=(0.9, 0.95), validator=deep_iterable(between(0, 0.99999)))
    weight_decay: float = field(default=0.0, validator=between(0, 1))


@frozen(kw_only=True)
class Stage:
    """One stage of several: its trainer and what differs from the recipe; `play` and `update` are laid over the
    recipe's own. The policy as it stands at a stage's start is the reference of that stage."""

    trainer: str = field(validator=matches_re(NAME))
    options: Mapping[str, Any] = field(factory=dict, metadata=doc("of the trainer, over `trainers`"))
    updates: int | None = field(default=None, validator=optional(between(0, 1_000_000)))
    conversations: int | None = field(default=None, validator=optional(between(2, 1_000_000)))
    update: Update | None = None
    play: Play | None = None


@frozen(kw_only=True)
class Imitation:
    """How the lab's starting policy is made, where `policy.start` names none: by imitation of mixed demonstrators."""

    scenarios: int = field(default=3000, validator=between(1, 1_000_000), metadata=doc("freshly drawn ones"))
    each: int = field(default=4, validator=between(1, 1000), metadata=doc("demonstrations of each"))
    seconds: float | None = field(default=None, validator=optional(gt(0)), metadata=doc("stop after; none: `steps`"))
    steps: int = field(default=1500, validator=between(1, 1_000_000))
    batch: int = field(default=64, validator=between(1, 4096))
    lr: float = field(default=1.2e-3, validator=[gt(0), le(1)])
    seed: int = field(default=1, validator=between(0, 2**63 - 1))


@frozen(kw_only=True)
class Evaluation:
    """When and how the policy is tried on tasks that it was not trained on."""

    split: Split = "test"
    every: int = field(default=0, validator=between(0, 1_000_000), metadata=doc("updates; 0: before and after alone"))
    temperatures: tuple[float, ...] = field(default=(1.0,), validator=[min_len(1), deep_iterable(between(0, 2))])
    repeats: int = field(default=1, validator=between(1, 1000))
    limit: int | None = field(default=None, validator=optional(ge(1)), metadata=doc("tasks; none: all"))
    partner: str | None = field(default=None, metadata=doc("none: that of `play`, not of a stage"))
    held_out: str | None = field(default=None, metadata=doc("another partner, tried besides"))
    shuffled: bool = field(default=False, metadata=doc("try besides with the partner's words out of order"))


@frozen(kw_only=True)
class Configuration:
    """One row of a study."""

    label: str = field(validator=matches_re(r"[\w.+-]+"))
    trainer: str | None = field(
        default=None, validator=optional(matches_re(NAME)), metadata=doc("none, and no stages: the start as it is")
    )
    options: Mapping[str, Any] = field(factory=dict, metadata=doc("of the trainer"))
    stages: tuple[Stage, ...] = field(default=(), metadata=doc("instead of one trainer"))
    instructed: bool = field(
        default=False, metadata=doc("tried with the repair instruction in a tiny policy's context")
    )


@frozen(kw_only=True)
class Study:
    """Configurations × seeds, all from one starting policy."""

    configurations: tuple[Configuration, ...] = field(validator=min_len(1))
    seeds: tuple[int, ...] = field(default=(0, 1, 2, 3, 4), validator=[min_len(1), deep_iterable(ge(0))])
    processes: int = field(default=2, validator=between(1, 256), metadata=doc("single-thread ones at a time"))


@frozen(kw_only=True)
class Recipe:
    """A training run. `trainers` are options of trainers, laid over registry.yaml's."""

    description: str = ""
    policy: PolicySettings = field(factory=PolicySettings)
    scenarios: Scenarios = field(factory=Scenarios)
    play: Play = field(factory=Play)
    reward: Reward = field(factory=Reward)
    trainer: str | None = field(default=None, validator=optional(matches_re(NAME)))
    trainers: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    stages: tuple[Stage, ...] = ()
    updates: int = field(default=12, validator=between(0, 1_000_000))
    conversations: int = field(default=384, validator=between(2, 1_000_000), metadata=doc("in one update"))
    update: Update = field(factory=Update)
    imitation: Imitation | None = None
    evaluation: Evaluation | None = None
    study: Study | None = None
    save_every: int = field(default=1, validator=between(1, 1_000_000), metadata=doc("updates between checkpoints"))
    keep: int = field(default=2, validator=between(1, 10_000), metadata=doc("checkpoints"))
    tensorboard: bool = field(default=True, metadata=doc("write the figures for TensorBoard too"))
    seed: int = field(default=0, validator=between(0, 2**63 - 1))


@frozen(eq=False)
class Read:
    """A recipe with the document that it was read from, for the places of things in errors."""

    recipe: Recipe
    tree: Node


def read_recipe(path: Path, sets: Iterable[str] = ()) -> Read:
    """The recipe of a file, with what it is laid over and `a.b=v` texts laid over it.

    Raises:
        ConfigError: with file, line, column, path and cause.
    """
    return laid_over(_laid(path, 0), sets_of(sets))


def sets_of(sets: Iterable[str]) -> Node:
    """`a.b=v` texts as one document, later ones over earlier ones. Raises ConfigError."""
    tree = Node({}, Place(SOURCE, folder=Path.cwd()))
    for text in sets:
        tree = merge(tree, _set(text))
    return tree


def laid_over(tree: Node, over: Node) -> Read:
    """A document as a recipe, with another one laid over it. Raises ConfigError."""
    return _read(merge(tree, over))


def recipe_of(document: Mapping[str, Any]) -> Read:
    """The recipe of a document of plain values, as it stands in a run's folder. Raises ConfigError."""
    return _read(node_of(document, Place("recipe")))


def _read(tree: Node) -> Read:
    return Read(build(_staged(tree), Recipe, ""), tree)


def _staged(tree: Node) -> Node:
    """The document with what each stage says of `play` and `update` laid over what the recipe says of them."""
    stages = tree.members.get("stages")
    if stages is None or not isinstance(stages.value, tuple):
        return tree
    whole = tuple(_over_the_recipe(stage, tree) for stage in stages.value)
    return Node({**tree.members, "stages": Node(whole, stages.place)}, tree.place)


def _over_the_recipe(stage: Node, recipe: Node) -> Node:
    both = [name for name in ("play", "update") if stage.section(name) and recipe.section(name)]
    merged = {name: merge(recipe.members[name], stage.members[name]) for name in both}
    return Node({**stage.members, **merged}, stage.place) if merged else stage


def recipe_schema() -> dict[str, Any]:
    """The JSON Schema of a recipe, for editors."""
    schema = class_schema(Recipe)
    base = {"type": "string", "description": "a recipe that this one is laid over"}
    return {
        "$schema": DIALECT,
        "title": "adidem recipe",
        **schema,
        "properties": {"base": base, **schema["properties"]},
    }


def _laid(path: Path, depth: int) -> Node:
    if not path.is_file():
        raise ConfigError(f"--recipe {path}: there is no such file")
    root = read_file(path)
    if root.value is None:
        root = Node({}, root.place)
    if not isinstance(root.value, dict):
        raise mistake(root, "", f"must be a mapping, not {shown(plain(root))}")
    base = root.members.get("base")
    if base is None:
        return root
    if not isinstance(base.value, str):
        raise mistake(base, "base", f"must be the path of a recipe, not {shown(plain(base))}")
    under = base.place.folder / base.value
    if depth >= DEEPEST:
        raise mistake(base, "base", f"more than {DEEPEST} recipes are laid over one another")
    if not under.is_file():
        raise mistake(base, "base", f"there is no file {under}")
    own = {name: node for name, node in root.members.items() if name != "base"}
    return merge(_laid(under, depth + 1), Node(own, root.place))


def _set(text: str) -> Node:
    steps, equals, value = text.partition("=")
    names = steps.split(".")
    if not equals or not all(name.strip() for name in names):
        raise ConfigError(f"{SOURCE} {text!r}: write it as name.name=value")
    try:
        node = read_text(value, SOURCE, Path.cwd(), positions=False)
    except ConfigError as error:
        raise ConfigError(f"{SOURCE} {steps}: {str(error).removeprefix(f'{SOURCE}: ')}") from error
    for name in reversed(names):
        node = Node({name.strip(): node}, node.place)
    return node


def node_of(value: Any, place: Place) -> Node:
    """Plain values as a document whose every part stands at one place."""
    if isinstance(value, Mapping):
        return Node({str(name): node_of(member, place) for name, member in value.items()}, place)
    if isinstance(value, list | tuple):
        return Node(tuple(node_of(item, place) for item in value), place)
    return Node(value, place)
