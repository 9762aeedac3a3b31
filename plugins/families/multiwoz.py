"""MultiWOZ: a caller with a goal, a tourist information desk with databases; no record, the talk itself is measured.

Sources: Budzianowski et al. (2018) and Eric et al. (2020, 2.1) for goals, dialogues and databases; Zang et al. (2020)
for the schema layout (2.2). The data are never shipped here; seven goals and a small town of our own are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
from attrs import define, field

from adidem.core.contracts import Ask, Case, Family, Judge, Participant, Tool
from adidem.core.domain import (
    Condition,
    Dimension,
    Heard,
    Judgement,
    Public,
    Rating,
    Role,
    RoleCard,
    Scenario,
    Seat,
    Split,
    World,
    other,
)
from adidem.core.errors import BankError
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule

if TYPE_CHECKING:
    from random import Random

    from adidem.plugins.families.corpora import stream
    from adidem.plugins.families.woz import database, dialogues, measures, scripts
    from adidem.plugins.families.woz import tools as desk
    from adidem.plugins.families.woz.database import Databases
    from adidem.plugins.families.woz.dialogues import Dialogue, Need
else:
    stream = LazyModule("adidem.plugins.families.corpora.stream")
    database = LazyModule("adidem.plugins.families.woz.database")
    dialogues = LazyModule("adidem.plugins.families.woz.dialogues")
    measures = LazyModule("adidem.plugins.families.woz.measures")
    scripts = LazyModule("adidem.plugins.families.woz.scripts")
    desk = LazyModule("adidem.plugins.families.woz.tools")

OWN = Path(__file__).with_suffix(".jsonl")
GOAL = "goal"
"""The kind of the caller's one condition: by domain `info`, `book`, `reqt`, `fail_info`, `fail_book`."""

SPLITS: Mapping[str, Split] = {"train": "train", "dev": "dev", "val": "dev", "test": "test"}
"""The split of what lies in a folder of that name within the data (2.2); where no folder has one, all is `test`."""

NOT_DIALOGUES = ("_db", "schema", "ontology", "dialog_acts", "slot_descriptions", "booked_domains")
"""Files of the published folders that hold no dialogues."""


@define
class MultiWOZ:
    """Goals in MultiWOZ's layouts: the seven that ship with the project, or a file or folder of the data set (`data`).

    The first person is the caller, who knows the goal and speaks first; the second is at the desk and may look venues
    up and book (tools over the databases). A booking always succeeds where the venue exists. `db` is the folder of the
    databases (default: `db` beside the data, then the own ones); `ids` a file with the ids of the dialogues to play,
    one a line or a JSON list.
    """

    db: str | None = field(default=None, metadata={"doc": "folder of the venue databases"})
    ids: str | None = field(default=None, metadata={"doc": "file with the ids of the dialogues to play"})

    name: ClassVar[str] = "multiwoz"
    terms: ClassVar[None] = None
    defer_terms: ClassVar[None] = None
    opener: ClassVar[Seat] = "first"

    @property
    def about(self) -> str:
        """What the ratings are of, for reports."""
        return str(scripts.texts()["note"])

    # ------------------------------------------------------------------------------------------------- scenarios

    def scenarios(self, split: Split, seed: int, count: int | None) -> Sequence[Scenario]:
        """The shipped goals, all in `test`; there is nothing to draw."""
        return list(self.read(OWN))[:count] if split == "test" else ()

    def read(self, path: Path) -> Iterator[Scenario]:
        """The goals of a file in either layout, or of a folder of them, as a stream; with `ids`, those. All are in
        `test`, but for a folder with folders of splits.

        Raises:
            BankError: something is no dialogue, or an id of the list is nowhere; file and line are named.
        """
        folder = self._databases_of(path)
        database.load(folder)
        wanted = self._wanted
        missing = dict.fromkeys(wanted or ())
        numbers = dict.fromkeys(SPLITS.values(), 0)
        for file, split in _splits(path):
            for entry in stream.entries(file):
                try:
                    dialogue = dialogues.dialogue_of(entry.key, entry.value)
                except ValueError as error:
                    raise BankError(f"{entry.where}: {error}") from error
                id_ = _id(dialogue.id)
                if wanted is None or id_ in wanted:
                    missing.pop(id_, None)
                    yield _scenario(dialogue, split, numbers[split], folder)
                    numbers[split] += 1
        if missing:
            raise BankError(f"{path} lacks {len(missing)} of the ids in {self.ids}: {', '.join(list(missing)[:5])}")

    @cached_property
    def _wanted(self) -> frozenset[str] | None:
        return None if self.ids is None else frozenset(_listed(Path(self.ids).expanduser()))

    def _databases_of(self, path: Path) -> Path:
        if self.db is not None:
            return Path(self.db).expanduser().resolve()
        folder = path if path.is_dir() else path.parent
        beside = (folder / "db").resolve()
        return beside if beside.is_dir() and path != OWN else database.OWN

    # --------------------------------------------------------------------------------------------- what is known

    def databases(self, public: Public) -> Databases:
        """The databases that the desk looks things up in.

        Raises:
            BankError: they are not where they were.
        """
        return database.load(Path(public.facts["databases"])) if "databases" in public.facts else _own()

    def tools(self, card: RoleCard) -> Sequence[Tool]:
        """Look-ups and bookings, for the person at the desk."""
        return desk.tools(self.databases(card.public)) if card.seat == "second" else ()

    def scripted(self, card: RoleCard, manner: str, rng: Random) -> Participant:
        """The scripted caller, or the scripted desk."""
        if card.seat == "first":
            return scripts.Caller(card, manner, goal_of(card.conditions))
        return scripts.Desk(card, manner, self.databases(card.public), self.tools(card))

    def prompt(self, card: RoleCard) -> str:
        """What a model speaker is told: its part, and, of the caller, the goal's message."""
        from adidem.core.llm.templates import render

        public = card.public
        abouts = {role.seat: role.about for role in public.roles}
        return render(
            Path(__file__).parent,
            "multiwoz.j2",
            name=card.name,
            partner=card.partner,
            about=abouts[card.seat],
            partner_about=abouts[other(card.seat)],
            goal=[line for condition in card.conditions for line in condition.text.split("\n")],
        )

    # ------------------------------------------------------------------------ no record, so no plans, and no ears

    def plans(self, world: World) -> Iterable[Any]:
        """None: nothing is written down."""
        return ()

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """None."""
        return {}

    def say(self, terms: Any, public: Public) -> str:
        """Nothing: there are no plans."""
        return ""

    def tell(self, condition: Condition, public: Public) -> str:
        """Nothing: a goal is told bit by bit."""
        return ""

    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """Nothing: the judge of this family reads slots, venues and references itself."""
        return Heard()


def goal_of(conditions: Iterable[Condition]) -> dict[str, Need]:
    """The goal among somebody's conditions, by domain."""
    found: Mapping[str, Any] = next((condition.value for condition in conditions if condition.kind == GOAL), {})
    return {domain: dialogues.Need(**{**need, "reqt": tuple(need["reqt"])}) for domain, need in found.items()}


def _own() -> Databases:
    return database.load(database.OWN)


def _id(said: str) -> str:
    return said.strip().removesuffix(".json").upper()


def _listed(file: Path) -> list[str]:
    """The ids of a list: a JSON list, or one a line."""
    import json

    try:
        text = file.read_text(encoding="utf-8")
        found = json.loads(text) if text.lstrip().startswith("[") else text.split()
    except (OSError, ValueError, RecursionError) as error:
        raise BankError(f"{file}: no list of ids: {error}") from error
    if not all(isinstance(each, str) for each in found):
        raise BankError(f"{file}: no list of ids: it holds something that is no text")
    return [_id(each) for each in found]


def _splits(path: Path) -> list[tuple[Path, Split]]:
    """The files of dialogues, each with its split; where folders have one, files outside of them are left out."""
    files = [file for file in stream.files(path) if not any(word in file.stem for word in NOT_DIALOGUES)]
    within = {file: SPLITS.get(file.relative_to(path).parts[0]) for file in files} if path.is_dir() else {}
    found = [(file, split) for file, split in within.items() if split is not None]
    return found or [(file, "test") for file in files]


def _scenario(dialogue: Dialogue, split: Split, number: int, folder: Path) -> Scenario:
    texts = scripts.texts()
    first, second = texts["callers"][number % len(texts["callers"])], texts["desk"]
    facts = {} if folder == database.OWN else {"databases": str(folder)}
    goal = {domain: attrs.asdict(need, value_serializer=_plain) for domain, need in dialogue.goal.items()}
    return Scenario(
        id=f"multiwoz/{split}/{number:02d}",
        family="multiwoz",
        split=split,
        setting=dialogue.id,
        public=Public(
            story=texts["story"].format(first=first, second=second),
            brief="",
            roles=(Role("first", first, texts["about"]["first"]), Role("second", second, texts["about"]["second"])),
            facts=facts,
        ),
        a=(Condition("first", GOAL, goal, "\n".join(dialogue.message or _message(dialogue))),),
    )


def _plain(_owner: Any, _field: Any, value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _message(dialogue: Dialogue) -> Iterator[str]:
    """A message for a goal that came without one."""
    message, nothing = scripts.texts()["message"], scripts.texts()["nothing"]
    for domain, need in dialogue.goal.items():
        yield message["wants"].format(domain=domain, slots=", ".join(scripts.phrases(need.info)) or nothing)
        if need.book:
            yield message["books"].format(slots=", ".join(scripts.phrases(need.book)))
        if need.reqt:
            yield message["asks"].format(slots=", ".join(need.reqt))


# ---------------------------------------------------------------------------------------------------------------- judge


@define
class MultiWOZJudge:
    """`inform` and `success` of the episode, 0 or 1, as the field computes them, and `communication`, the share of what
    the goal holds that was spoken of. Computed, without a model; unscored for any other family."""

    name: ClassVar[str] = "multiwoz"
    dimensions: ClassVar[Sequence[Dimension]] = (
        Dimension("inform", 0, 1, about="1: what the desk had on offer matches the goal in every domain"),
        Dimension("success", 0, 1, about="1: inform, and all that the goal asks for was told or booked"),
        Dimension("communication", 0, 1, about="share of what the goal holds that was spoken of (our own)"),
    )

    async def judge(self, case: Case, ask: Ask) -> Judgement:
        """All three."""
        if not isinstance(case.family, MultiWOZ) or not case.dialogue:
            why = "there was no dialogue" if not case.dialogue else f"family {case.family.name} has no such goals"
            return Judgement(self.name, tuple(Rating(d.name, None, None, unscored=why) for d in self.dimensions))
        goal, databases = goal_of(case.world.conditions), case.family.databases(case.world.public)
        turns = tuple(desk.turns_said(case.conversation))
        found = measures.verdict(goal, turns, databases)
        missed = ", ".join(domain for domain, fits in found.inform.items() if not fits)
        lacking = ", ".join(domain for domain, given in found.success.items() if not given)
        ratings = (
            Rating("inform", None, float(found.informed), missed and f"nothing fitting was offered: {missed}"),
            Rating("success", None, float(found.succeeded), lacking and f"not everything asked for: {lacking}"),
            Rating("communication", None, measures.communication(goal, turns, databases)),
        )
        return Judgement(self.name, ratings)


@hookimpl
def adidem_register_families(register: Register[Family]) -> None:
    """MultiWOZ."""
    register(MultiWOZ)


@hookimpl
def adidem_register_judges(register: Register[Judge]) -> None:
    """Inform, Success and communication."""
    register(MultiWOZJudge)
