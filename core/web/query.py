"""Which episodes a page shows: the filters of its address, and the rows of the index that fit, a page at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from attrs import asdict, define, field, fields, frozen

from adidem.core.judging.fence import shown
from adidem.core.web.facts import COLUMNS, FACETS

PAGE = 50
"""Episodes a page."""
LONGEST_SEARCH, MOST_TERMS = 200, 12
SHORTEST = 2
"""Letters that a word's beginning must have in a search; with fewer, it is the whole word."""

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


def _known(order: str) -> str:
    return order if order in ORDERS else "task"


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
    order: str = field(default="task", converter=_known)

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Filters:
        """The filters of an address; what is no filter is passed over."""
        given = {name: shown(query[name]) for name in (f.name for f in fields(cls)) if name in query}
        return cls(**{**given, "q": given.get("q", "")[:LONGEST_SEARCH].strip()})

    def query(self, **more: Any) -> dict[str, Any]:
        """The filters as they stand in an address, those that ask for nothing left out; `more` goes over them."""
        said = {**{name: value for name, value in asdict(self).items() if value}, **more}
        if said.get("order") == "task":
            del said["order"]
        return {name: value for name, value in said.items() if value not in (None, "")}

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


@define
class Asked:
    """An open index asked by one set of filters; its text is searched once, however much is asked then."""

    db: sqlite3.Connection
    filters: Filters

    def __attrs_post_init__(self) -> None:
        self.db.create_function("shown", 1, lambda value: shown(str(value)), deterministic=True)
        if self.filters.q:
            self.db.execute("PRAGMA temp_store=MEMORY")
            self.db.execute("CREATE TEMP TABLE found (number INTEGER PRIMARY KEY)")
            match = _match(self.filters.terms)
            self.db.execute("INSERT INTO found SELECT rowid FROM words WHERE words MATCH ?", (match,))

    def page(self, after: str | None = None, before: str | None = None) -> Page:
        """The page that follows a place, or the one in front of it; the first one without any."""
        place = _place(before or after, self.filters.order)
        back = bool(before) and place is not None
        rows = self._rows(place, backwards=back, most=PAGE + 1)
        more = len(rows) > PAGE
        rows = rows[:PAGE]
        if back:
            rows.reverse()
        further, earlier = (True, more) if back else (more, place is not None)
        order = self.filters.order
        return Page(
            rows,
            self.count(),
            place_of(rows[-1], order) if rows and further else None,
            place_of(rows[0], order) if rows and earlier else None,
        )

    def count(self) -> int:
        """How many episodes fit."""
        if self.filters.asked:
            where, given = _where(self.filters)
            (found,) = self.db.execute(f"SELECT count(*) FROM episodes{where}", given).fetchone()
            return int(found)
        row = self.db.execute("SELECT value FROM meta WHERE key = 'count'").fetchone()
        return 0 if row is None else int(row[0])

    def position(self, row: Row) -> tuple[int, int]:
        """The place of a row among those that fit, from 1, and how many fit. Where it does not fit itself, the place
        that it would have."""
        condition, values = _seek(self.filters.order, self._at(row), backwards=True)
        where, given = _where(self.filters)
        query = f"SELECT coalesce(sum({condition}), 0), count(*) FROM episodes{where}"
        before, count = self.db.execute(query, (*values, *given)).fetchone()
        return int(before) + 1, int(count)

    def beside(self, row: Row, *, backwards: bool = False) -> Row | None:
        """The next episode that fits, or the one before."""
        return next(iter(self._rows(self._at(row), backwards=backwards, most=1)), None)

    def next_failure(self, row: Row | None = None) -> Row | None:
        """The next one that fits and is no success, though it was scored or should have been; after the last one, the
        first."""
        found = self._rows(None if row is None else self._at(row), most=1, also=_FAILURE)
        if not found and row is not None:
            found = self._rows(None, most=1, also=_FAILURE)
        return found[0] if found else None

    def _at(self, row: Row) -> list[Any] | None:
        return _place(place_of(row, self.filters.order), self.filters.order)

    def _rows(self, place: list[Any] | None, *, backwards: bool = False, most: int, also: str = "") -> list[Row]:
        names, down = ORDERS[self.filters.order]
        seek, values = _seek(self.filters.order, place, backwards=backwards)
        where, given = _where(self.filters, " AND ".join(filter(None, (seek, also))), values)
        direction = "DESC" if down != backwards else "ASC"
        order = ", ".join(f"{name} {direction}" for name in names)
        query = f"SELECT {', '.join(COLUMNS)} FROM episodes{where} ORDER BY {order} LIMIT ?"
        return [dict(zip(COLUMNS, row, strict=True)) for row in self.db.execute(query, (*given, most))]


_FAILURE = "success IN ('no', 'failed')"


def find(db: sqlite3.Connection, task: str, barrier: str, repeat: int) -> Row | None:
    """The row of that key."""
    found = db.execute(
        f"SELECT {', '.join(COLUMNS)} FROM episodes WHERE (task, barrier, repeat) = (?, ?, ?)", (task, barrier, repeat)
    ).fetchone()
    return None if found is None else dict(zip(COLUMNS, found, strict=True))


def facets(db: sqlite3.Connection) -> dict[str, list[tuple[str, int]]]:
    """Every value that there is of each facet, its controls as pictures, with how many episodes have it."""
    found: dict[str, list[tuple[str, int]]] = {}
    for name, value, count in db.execute(
        "SELECT field, value, count FROM facets WHERE count > 0 ORDER BY field, value"
    ):
        found.setdefault(name, []).append((shown(value), count))
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
    if not isinstance(values, list) or len(values) != len(ORDERS[order][0]):
        return None
    return values if all(isinstance(value, str | float) or _whole(value) for value in values) else None


def _whole(value: Any) -> bool:
    return isinstance(value, int) and abs(value) < 2**63


def _seek(order: str, place: list[Any] | None, *, backwards: bool) -> tuple[str, list[Any]]:
    if place is None:
        return "", []
    names, down = ORDERS[order]
    return f"({', '.join(names)}) {'<' if down != backwards else '>'} ({', '.join('?' * len(names))})", place


def _where(filters: Filters, also: str = "", values: Sequence[Any] = ()) -> tuple[str, list[Any]]:
    conditions, given = [], []
    for name in EQUAL:
        if getattr(filters, name):
            conditions.append(f"{_held(name, getattr(filters, name))} = ?")
            given.append(getattr(filters, name))
    if filters.why:
        why = _held("why", filters.why)
        conditions.append(f"instr(char(10) || {why} || char(10), char(10) || ? || char(10))")
        given.append(filters.why)
    if filters.q:
        conditions.append("number IN found")
    if also:
        conditions.append(also)
        given.extend(values)
    return (" WHERE " + " AND ".join(conditions) if conditions else ""), given


def _held(name: str, value: str) -> str:
    """A column as it is compared to a value: where that has pictures of controls in it, as it is shown."""
    pictured = any("\u2400" <= letter <= "\u2421" or letter == "\ufffd" for letter in value)
    return f"shown({name})" if pictured else name


def _match(terms: Sequence[str]) -> str:
    """The search as FTS5 writes it: every term quoted, so that nothing in it is a command; all must be there."""
    quoted = [
        '"' + term.rstrip("*").replace('"', '""') + '"' + ("*" if term.endswith("*") and len(term) > SHORTEST else "")
        for term in terms
    ]
    return " AND ".join(quoted) or '"\ue000"'  # of nothing but marks: finds nothing
