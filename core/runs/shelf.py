"""Scenarios of a data set of any size, held small: compressed, and opened one by one as they are asked for."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import overload

import orjson
from attrs import frozen

from adidem.core.domain import Scenario
from adidem.core.errors import BankError
from adidem.core.scenarios import dump_bank, scenario_from_json


@frozen(eq=False)
class Shelf(Sequence[Scenario]):
    """`packed` holds each scenario as compressed JSON, or as it is where JSON would not give the same back; `kinds` the
    family of each and how many worlds it has, so that none is opened for that."""

    packed: Sequence[bytes | Scenario]
    kinds: Sequence[tuple[str, int]]

    @classmethod
    def of(cls, scenarios: Iterable[Scenario]) -> Shelf:
        """Put scenarios away as they come."""
        put = [(_packed(scenario), (scenario.family, len(scenario.worlds))) for scenario in scenarios]
        return cls([packed for packed, _ in put], [kind for _, kind in put])

    def lines(self) -> Iterator[bytes]:
        """The line of each in a bank file."""
        for each in self.packed:
            yield zlib.decompress(each) + b"\n" if isinstance(each, bytes) else dump_bank([each])

    def __len__(self) -> int:
        return len(self.packed)

    def __iter__(self) -> Iterator[Scenario]:
        return (_scenario(each) for each in self.packed)

    @overload
    def __getitem__(self, place: int) -> Scenario: ...
    @overload
    def __getitem__(self, place: slice) -> Shelf: ...
    def __getitem__(self, place: int | slice) -> Scenario | Shelf:
        if isinstance(place, slice):
            return Shelf(self.packed[place], self.kinds[place])
        found = self.packed[place]
        return _opened(found) if isinstance(found, bytes) else found


def _packed(scenario: Scenario) -> bytes | Scenario:
    try:
        packed = zlib.compress(dump_bank([scenario])[:-1], 3)
        return packed if _scenario(packed) == scenario else scenario
    except (TypeError, ValueError, BankError):
        return scenario


def _scenario(packed: bytes | Scenario) -> Scenario:
    return packed if isinstance(packed, Scenario) else scenario_from_json(orjson.loads(zlib.decompress(packed)))


_opened = lru_cache(maxsize=256)(_scenario)  # the tasks of a scenario follow one another
