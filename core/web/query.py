"""Which episodes a page shows: the filters of its address, and the rows of the index that fit, a page at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from attrs import asdict, evolve, field, fields, frozen

from adidem.core.judging.fence import shown
from adidem.core.web.facts import COLUMNS, FACETS

PAGE = 50
"""Episodes a page."""
LONGEST_SEARCH, MOST_TERMS = 200, 12

KEY = ("task", "barrier", "repeat")
ORDERS: Mapping[str, tuple[tuple[str, ...], bool]] = {
    "task": (KEY, False),
    "newest": (("number",), True),
    "slowest": (("seconds", "number"), True),
    "longest": (("turns", "number"), True),
    "tokens": (("tokens", "number"), True),
}
"""What a table may be ordered by: the columns, and whether downwards. The last ones make every place unique."""

EQUAL = (*FACETS, "scenario")
Row = dict[str, Any]


@frozen
class Filters:
    """What is asked for. "" asks for nothing; `why` is one part of an episode's causes, `q` words in its text."""

    family: str = ""
    barrier: str = ""
    world: str = ""
    seat: str = ""
    success: str = ""
    feasible: str = ""
    integrity: str = ""
    outcome: str = ""
    due: str = ""
    scenario: str = ""
    why: str = ""
    q: str = ""
    order: str = field(default="task", converter=lambda said: said if said in ORDERS else "task")

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Filters:
        """The filters of an address; what is no filter is passed over."""
        given = {name: query[name] for name in (f.name for f in fields(cls)) if name in query}
        return cls(**{**given, "q": shown(given.get("q", ""))[:LONGEST_SEARCH].strip()})

    def query(self, **more: Any) -> dict[str, Any]:
        """The filters as they stand in an address, those that ask for nothing left out; `more` goes over them."""
        said = {**{name: value for name, value in asdict(self).items() if value}, **more}
        if said.get("order") == "task":
            del said["order"]
        return {name: value for name, value in said.items() if value not in (None, "")}

    def without(self, name: str) -> Filters:
        """The filters but that one."""
        return evolve(self, **{name: ""})

    @property
    def asked(self) -> dict[str, str]:
        """Those that ask for something, by name."""
        return {name: value for name, value in asdict(self).items() if value and name != "order"}

    @property
    def terms(self) -> list[str]:
        """The words and phrases that are searched for; a trailing * is kept."""
        parts = self.q.split('"')
        found = [term for place, part in enumerate(parts) for term in ([part] if place % 2 else part.split())]
        return [term for term in found if any(letter.isalnum() for letter in term)][:MOST_TERMS]


@frozen(unsafe_hash=False)
class Page:
    """One page of a table: its rows, how many fit in all, and the places to go on from (None: nothing further)."""

    rows: Sequence[Row]
    count: int
    after: str | None
    before: str | None


def page(db: sqlite3.Connection, filters: Filters, after: str | None = None, before: str | None = None) -> Page:
    """The page that follows a place, or the one in front of it; the first one without any."""
    place = _place(before or after, filters.order)
    rows = _rows(db, filters, place, backwards=bool(before and place), most=PAGE + 1)
    more = len(rows) > PAGE
    rows = rows[:PAGE]
    if before and place:
        rows.reverse()
        further, earlier = True, more
    else:
        further, earlier = more, place is not None
    return Page(
        rows,
        count(db, filters),
        place_of(rows[-1], filters.order) if rows and further else None,
        place_of(rows[0], filters.order) if rows and earlier else None,
    )


def count(db: sqlite3.Connection, filters: Filters) -> int:
    """How many episodes fit."""
    return _one(db, "SELECT count(*) FROM episodes", filters)


def beside(db: sqlite3.Connection, filters: Filters, row: Row, *, backwards: bool = False) -> Row | None:
    """The next episode that fits, or the one before."""
    place = _place(place_of(row, filters.order), filters.order)
    return next(iter(_rows(db, filters, place, backwards=backwards, most=1)), None)


def next_failure(db: sqlite3.Connection, filters: Filters, row: Row | None) -> Row | None:
    """The next one that fits and is no success, though it was scored or should have been; the first one after the
    last."""
    place = None if row is None else _place(place_of(row, filters.order), filters.order)
    found = _rows(db, filters, place, backwards=False, most=1, also=_FAILURE)
    if not found and place is not None:
        found = _rows(db, filters, None, backwards=False, most=1, also=_FAILURE)
    return found[0] if found else None


_FAILURE = "success IN ('no', 'failed')"


def position(db: sqlite3.Connection, filters: Filters, row: Row) -> int:
    """How many that fit stand in front of it, and itself."""
    condition, values = _seek(filters.order, _place(place_of(row, filters.order), filters.order), backwards=True)
    return 1 + _one(db, "SELECT count(*) FROM episodes", filters, condition, values)


def find(db: sqlite3.Connection, task: str, barrier: str, repeat: int) -> Row | None:
    """The row of that key."""
    found = db.execute(
        f"SELECT {', '.join(COLUMNS)} FROM episodes WHERE (task, barrier, repeat) = (?, ?, ?)", (task, barrier, repeat)
    ).fetchone()
    return None if found is None else dict(zip(COLUMNS, found, strict=True))


def facets(db: sqlite3.Connection) -> dict[str, list[tuple[str, int]]]:
    """Every value that there is of each facet, with how many episodes have it."""
    found: dict[str, list[tuple[str, int]]] = {}
    for name, value, count in db.execute(
        "SELECT field, value, count FROM facets WHERE count > 0 ORDER BY field, value"
    ):
        found.setdefault(name, []).append((value, count))
    return found


def place_of(row: Row, order: str) -> str:
    """Where a row stands in that order, as an address holds it."""
    return orjson.dumps([row[name] for name in ORDERS[order][0]]).decode()


# -------------------------------------------------------------------------------------------------------------- SQL


def _place(said: str | None, order: str) -> list[Any] | None:
    """The values of a place; None for what is no place of that order."""
    try:
        values = orjson.loads(said) if said else None
    except orjson.JSONDecodeError:
        return None
    fits = isinstance(values, list) and len(values) == len(ORDERS[order][0])
    return values if fits and all(isinstance(value, str | int | float) for value in values) else None


def _seek(order: str, place: list[Any] | None, *, backwards: bool) -> tuple[str, list[Any]]:
    if place is None:
        return "", []
    names, down = ORDERS[order]
    return f"({', '.join(names)}) {'<' if down != backwards else '>'} ({', '.join('?' * len(names))})", place


def _rows(
    db: sqlite3.Connection, filters: Filters, place: list[Any] | None, *, backwards: bool, most: int, also: str = ""
) -> list[Row]:
    names, down = ORDERS[filters.order]
    seek, values = _seek(filters.order, place, backwards=backwards)
    where, given = _where(filters, " AND ".join(filter(None, (seek, also))), values)
    direction = "DESC" if down != backwards else "ASC"
    order = ", ".join(f"{name} {direction}" for name in names)
    query = f"SELECT {', '.join(COLUMNS)} FROM episodes{where} ORDER BY {order} LIMIT ?"
    return [dict(zip(COLUMNS, row, strict=True)) for row in db.execute(query, (*given, most))]


def _one(db: sqlite3.Connection, query: str, filters: Filters, also: str = "", values: Sequence[Any] = ()) -> int:
    where, given = _where(filters, also, values)
    (found,) = db.execute(query + where, given).fetchone()
    return int(found)


def _where(filters: Filters, also: str = "", values: Sequence[Any] = ()) -> tuple[str, list[Any]]:
    conditions, given = [], []
    for name in EQUAL:
        if getattr(filters, name):
            conditions.append(f"{name} = ?")
            given.append(getattr(filters, name))
    if filters.why:
        conditions.append("instr(char(10) || why || char(10), char(10) || ? || char(10))")
        given.append(filters.why)
    if filters.q:
        conditions.append("number IN (SELECT rowid FROM words WHERE words MATCH ?)")
        given.append(_match(filters.terms))
    if also:
        conditions.append(also)
        given.extend(values)
    return (" WHERE " + " AND ".join(conditions) if conditions else ""), given


def _match(terms: Sequence[str]) -> str:
    """The search as FTS5 writes it: every term quoted, so that nothing in it is a command; all must be there."""
    quoted = ['"' + term.rstrip("*").replace('"', '""') + '"' + ("*" if term.endswith("*") else "") for term in terms]
    return " AND ".join(quoted) or '"\ue000"'  # of nothing but marks: finds nothing
