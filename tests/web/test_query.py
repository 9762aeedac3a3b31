"""Filters and paging: whatever is asked, every episode that fits is on exactly one page, in its order."""

import json
from itertools import pairwise

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.web.facts import outcome_of, text_of, why
from adidem.core.web.index import Index
from adidem.core.web.query import KEY, ORDERS, PAGE, Asked, Filters, find


@pytest.fixture(scope="module")
def index(played, tmp_path_factory):
    """The index of the run, beside a copy so that the run is left alone."""
    import shutil

    folder = tmp_path_factory.mktemp("indexed") / "run"
    shutil.copytree(played, folder)
    found = Index(folder)
    while not found.refresh(10).whole:
        pass
    return found


def key(row):
    return tuple(row[name] for name in KEY)


def pages(index, filters, size=PAGE):
    """Every page from the first on, and from the last one back."""
    with index.reading() as db:
        asked = Asked(db, filters)
        found, after = [], None
        while True:
            page = asked.page(after)
            found.append(page)
            after = page.after
            if after is None:
                return found


VALUES = {
    "family": ["set_consent", "bounded_quantities", "nothing"],
    "world": ["a", "b"],
    "success": ["yes", "no"],
    "outcome": ["agree", "decline", "differ"],
    "why": ["outcome:outcome", "violation:most"],
    "q": ["what about", '"what about"', "yo*", "hives", "???"],
}
FILTERS = st.fixed_dictionaries(
    {"order": st.sampled_from(list(ORDERS))}, optional={name: st.sampled_from(v) for name, v in VALUES.items()}
).map(lambda said: Filters(**said))


@given(FILTERS)
def test_every_episode_that_fits_is_on_one_page_in_the_order_asked_for(index, filters):
    found = pages(index, filters)
    rows = [row for page in found for row in page.rows]
    assert len({key(row) for row in rows}) == len(rows) == found[0].count
    names, down = ORDERS[filters.order]
    places = [tuple(row[name] for name in names) for row in rows]
    assert places == sorted(places, reverse=down)
    for row in rows:
        for name in ("family", "world", "success", "outcome"):
            assert getattr(filters, name) in ("", row[name])
        assert not filters.why or filters.why in row["why"].split("\n")


@given(FILTERS, st.integers(0, 47))
def test_next_and_previous_walk_the_same_order(index, filters, at):
    with index.reading() as db:
        asked = Asked(db, filters)
        rows = [row for page in pages(index, filters) for row in page.rows]
        if not rows:
            return
        at %= len(rows)
        row = rows[at]
        assert asked.position(row) == (at + 1, len(rows))
        following, before = asked.beside(row), asked.beside(row, backwards=True)
        assert following == (rows[at + 1] if at + 1 < len(rows) else None)
        assert before == (rows[at - 1] if at else None)
        failures = [r for r in (*rows[at + 1 :], *rows[: at + 1]) if r["success"] in ("no", "failed")]
        assert asked.next_failure(row) == (failures[0] if failures else None)


@given(st.sampled_from(list(ORDERS)), st.integers(1, 30))
def test_back_from_a_page_is_the_page_before(index, order, size):
    from adidem.core.web import query

    kept, query.PAGE = query.PAGE, size
    try:
        found = pages(index, Filters(order=order))
        with index.reading() as db:
            asked = Asked(db, Filters(order=order))
            assert found[0].before is None
            for earlier, later in pairwise(found):
                assert [key(r) for r in asked.page(before=later.before).rows] == [key(r) for r in earlier.rows]
    finally:
        query.PAGE = kept


@given(st.text(max_size=40))
def test_no_search_is_a_command(index, said):
    with index.reading() as db:
        asked = Asked(db, Filters.read({"q": said}))
        assert asked.count() >= 0
        assert (asked.count() == 48) == (not asked.filters.q) or asked.filters.terms


PLACES = st.text(max_size=60) | st.lists(st.integers() | st.text(max_size=5), max_size=3).map(json.dumps)


@given(PLACES)
def test_a_place_that_is_none_is_the_beginning(index, said):
    with index.reading() as db:
        asked = Asked(db, Filters())
        asked.page(f"[{2**64}]")
        assert len(asked.page(said).rows) in range(49)
        assert len(asked.page(None, said).rows) in range(49)


def test_what_is_said_is_found(index, episodes):
    spoken = episodes[0].turns[0].text
    phrase = " ".join(spoken.split()[:4]).rstrip(".,!?")
    with index.reading() as db:
        rows = Asked(db, Filters(q=f'"{phrase}"', scenario=episodes[0].scenario)).page().rows
    assert episodes[0].key in [key(row) for row in rows]


def test_an_address_holds_what_is_asked_and_nothing_else():
    filters = Filters.read(
        {"family": "x", "q": "  a\x1b ", "order": "sideways", "run": "r", "task": "t", "nonsense": "1"}
    )
    assert filters.query(after="[1]") == {"family": "x", "q": "a␛", "after": "[1]"}
    assert Filters.read(filters.query()) == filters


def test_an_episode_is_found_by_its_key(index, episodes):
    with index.reading() as db:
        assert key(find(db, *episodes[3].key)) == episodes[3].key
        assert find(db, "nothing", "none", 0) is None


@pytest.mark.parametrize(
    ("records", "outcome"),
    [
        ({}, "none"),
        ({"first": {"outcome": "agree"}, "second": {"outcome": "agree"}}, "agree"),
        ({"first": {"outcome": "agree"}, "second": {"outcome": "decline"}}, "differ"),
        ({"first": {"outcome": "agree"}, "second": {"unreadable": "no"}}, "unreadable"),
    ],
)
def test_what_two_records_come_to(records, outcome):
    assert outcome_of({"records": records}) == outcome


def test_why_an_episode_is_no_success():
    row = {"status": "scored", "cause": None, "integrity": 0}
    flag = {"kind": "repetition", "seat": None, "turn": 1, "quote": "x"}
    episode = {
        "feasibility": {
            "failures": [{"kind": "violation", "rule": "most\n1"}, {"kind": "violation", "rule": "most\n1"}]
        },
        "judgements": [
            {"judge": "integrity_rules", "flags": [flag, {**flag, "kind": "format_text", "supported": False}]},
            {"judge": "conduct", "flags": [{**flag, "kind": "premature_decline"}]},
        ],
    }
    assert why(row, episode) == ["violation:most 1", "integrity:repetition"]
    assert why({**row, "integrity": 1, "status": "failed", "cause": "timeout"}, {}) == ["failed:timeout"]


def test_all_that_was_written_can_be_searched(episodes):
    episode = evolve(
        episodes[0], turns=(evolve(episodes[0].turns[0], text="spoken", meant="meant", reasoning="thought"),)
    )
    from adidem.core.runs.store import packed
    from adidem.core.runs.store_packing import opened

    text = text_of(opened(packed(episode)))
    assert all(word in text for word in ("spoken", "meant", "thought", episode.task))
