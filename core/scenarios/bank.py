"""Banks: scenarios kept as data, one JSON object a line. A bank is data only, whoever made it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adidem.core.domain import SEATS, Scenario
from adidem.core.errors import BankError, UnknownName
from adidem.core.language.patterns import Pattern

if TYPE_CHECKING:
    import cattrs

SHIPPED = {"hico": ("adidem.plugins.families", "hico.jsonl")}
"""The banks that ship with the project: name → (package, file)."""

BOM = b"\xef\xbb\xbf"
ID = Pattern(r"[a-z0-9_]+/(?:train|dev|test)/[0-9]+")


@lru_cache(maxsize=1)
def _converter() -> cattrs.Converter:
    from cattrs.preconf.orjson import make_converter  # slow to import

    return make_converter(forbid_extra_keys=True)


def scenario_to_json(scenario: Scenario) -> dict[str, Any]:
    """A scenario as JSON values; `scenario_from_json` gives it back."""
    data: dict[str, Any] = _converter().unstructure(scenario, Scenario)
    return data


def scenario_from_json(data: Any) -> Scenario:
    """The scenario of a JSON object.

    Raises:
        BankError: it is not one; the message says what is wrong.
    """
    try:
        return _converter().structure(data, Scenario)
    except Exception as error:
        import cattrs

        raise BankError("; ".join(cattrs.transform_error(error))) from error


def dump_bank(scenarios: Iterable[Scenario]) -> bytes:
    """The bank file of these scenarios: one JSON object a line, keys in the order of the class."""
    import orjson

    return b"".join(orjson.dumps(scenario_to_json(s)) + b"\n" for s in scenarios)


class Bank(tuple[Scenario, ...]):  # noqa: SLOT001  a tuple's subclass has no room for slots of its own
    """The scenarios of a bank in its order; `places` says in which file and line each stands."""

    places: Mapping[str, str]

    def __new__(cls, scenarios: Iterable[Scenario], places: Mapping[str, str]) -> Bank:
        """A bank of these scenarios."""
        bank = super().__new__(cls, scenarios)
        bank.places = places
        return bank


def load_bank(name_or_path: str) -> Bank:
    """The scenarios of a shipped bank (`hico`) or of a JSONL file, in the file's order.

    Raises:
        BankError: the file is not there, cannot be read, or has a line that is no scenario; file and line are named.
        UnknownName: a name that is no shipped bank's.
    """
    if name_or_path in SHIPPED:
        from importlib import resources

        package, file = SHIPPED[name_or_path]
        return _parse(resources.files(package).joinpath(file).read_bytes(), file)
    path = Path(name_or_path)
    if not path.exists():
        if path.suffix or len(path.parts) > 1:
            raise BankError(
                f"{path}: there is no such file; give a JSONL file, or a shipped bank: {', '.join(SHIPPED)}"
            )
        raise UnknownName("bank", name_or_path, SHIPPED)
    try:
        return _parse(path.read_bytes(), str(path))
    except OSError as error:
        raise BankError(f"{path}: cannot read the bank: {error.strerror}") from error


def _parse(content: bytes, where: str) -> Bank:
    import orjson

    scenarios: dict[str, Scenario] = {}
    places: dict[str, str] = {}
    for number, line in enumerate(content.removeprefix(BOM).splitlines(), 1):
        if not line.strip():
            continue
        place = f"{where}:{number}"
        try:
            data = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            cause = f"not JSON: {error.msg} (column {error.colno})"
            raise BankError(f"{place}: {cause}; mend or remove the line") from error
        if isinstance(data, dict):
            data.pop("right", None)  # what `scenarios export` adds; it is enumerated anew, never read
        try:
            scenario = scenario_from_json(data)
        except BankError as error:
            raise BankError(f"{place}: {error}") from error
        problem = malformed(scenario)
        if problem is not None:
            raise BankError(f"{place}: {problem}")
        if scenario.id in scenarios:
            raise BankError(f"{place}: a second scenario {scenario.id}")
        scenarios[scenario.id], places[scenario.id] = scenario, place
    return Bank(scenarios.values(), places)


def malformed(scenario: Scenario) -> str | None:
    """Why a scenario that has every field is none all the same."""
    if not ID.fullmatch(scenario.id):
        return f"id {scenario.id!r} is not family/split/NN"
    if not scenario.id.startswith(f"{scenario.family}/{scenario.split}/"):
        return f"id {scenario.id!r} is not of family {scenario.family!r} in split {scenario.split!r}"
    roles = scenario.public.roles
    if tuple(role.seat for role in roles) != SEATS:
        return "the two roles must sit first and second, in that order"
    names = [role.name.casefold().split() for role in roles]
    if not all(names):
        return "a role has no name"
    if names[0] == names[1] or [names[0][0]] == names[1] or names[0] == [names[1][0]]:
        return f"the roles' names {roles[0].name!r} and {roles[1].name!r} cannot be told apart"
    for condition in (*scenario.a, *(scenario.b or ())):
        if not condition.text.strip():
            return f"condition {condition.kind!r} of {condition.owner} has no text for its owner's card"
    return None
