"""Banks: scenarios kept as data, one JSON object a line. A bank is data only, whoever made it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adidem.core.domain import Scenario
from adidem.core.errors import BankError, UnknownName

if TYPE_CHECKING:
    import cattrs

SHIPPED = {"hico": ("adidem.plugins.families", "hico.jsonl")}
"""The banks that ship with the project: name → (package, file)."""


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


def load_bank(name_or_path: str) -> tuple[Scenario, ...]:
    """The scenarios of a shipped bank (`hico`) or of a JSONL file, in the file's order.

    Raises:
        BankError: the file cannot be read, or a line is not a scenario; the message names file and line.
        UnknownName: neither a shipped bank nor a file that exists.
    """
    if name_or_path in SHIPPED:
        from importlib import resources

        package, file = SHIPPED[name_or_path]
        return _parse(resources.files(package).joinpath(file).read_bytes(), file)
    path = Path(name_or_path)
    if not path.exists():
        raise UnknownName("bank", name_or_path, SHIPPED)
    try:
        return _parse(path.read_bytes(), str(path))
    except OSError as error:
        raise BankError(f"{path}: cannot read the bank: {error.strerror}") from error


def _parse(content: bytes, where: str) -> tuple[Scenario, ...]:
    import orjson

    scenarios: dict[str, Scenario] = {}
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            scenario = scenario_from_json(orjson.loads(line))
        except (orjson.JSONDecodeError, BankError) as error:
            raise BankError(f"{where}:{number}: {error}") from error
        if scenario.id in scenarios:
            raise BankError(f"{where}:{number}: a second scenario {scenario.id}")
        scenarios[scenario.id] = scenario
    return tuple(scenarios.values())
