"""Language features of stored runs: rates, the course by turn, and correlations against hand-made numbers."""

import asyncio
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adidem.core.agents.scripted import MANNERS, ScriptedAgent
from adidem.core.analysis.language import (
    FEATURES,
    Talk,
    by_barrier,
    by_turn,
    correlation,
    correlations,
    language_table,
    pooled,
    scores_of,
    spoken,
    spoken_in,
    talks,
)
from adidem.core.domain import SEATS, Task, Turn
from adidem.core.errors import ConfigError
from adidem.core.play import JudgeSeat, Setup, play
from adidem.core.runs.scenarios import select
from adidem.core.runs.store import RunStore
from adidem.core.setup import load


@pytest.fixture(scope="module")
def episodes():
    setup = load()
    suite = setup.suite("hico")
    selection = select(setup, suite)
    guarded, candid = (ScriptedAgent(MANNERS[name]) for name in ("guarded", "candid"))
    judges = tuple(JudgeSeat(name, setup.components.judges[name]) for name in suite.judges)
    plain = Setup(guarded, candid, selection.rules, judges=judges)
    vague = Setup(
        guarded,
        candid,
        selection.rules,
        judges=judges,
        barrier=((setup.components.barriers["semantic_vagueness"], 0.7),),
        barrier_name="semantic_vagueness:0.7",
    )
    tasks = [Task(s, "a", seat) for s in selection.scenarios[::4] for seat in SEATS]

    async def all_of_them():
        return [await play(task, setup) for setup in (plain, vague) for task in tasks]

    return asyncio.run(all_of_them())


def test_an_utterance_is_counted():
    found = spoken(Turn(3, "first", "I sort of need $40, I guess. Is that it?"), "agent")
    assert (found.index, found.who, found.words) == (3, "agent", 10)
    assert (found.hedges, found.first_person, found.reference_pronouns, found.questions) == (2, 2, 2, 1)


def test_rates_are_per_100_words_over_all_utterances_together():
    said = [
        spoken(Turn(i, "first", text), "agent") for i, text in enumerate(["I do.", "We go to them now and then maybe."])
    ]
    assert pooled(said)["first_person"] == pytest.approx(100 / 10)
    assert pooled(said)["hedges"] == pytest.approx(100 / 10)
    assert pooled([]) == {}


def test_both_speakers_of_every_episode_are_there(episodes):
    found = list(talks(episodes))
    assert {t.who for t in found} == {"agent", "partner"}
    assert all(set(t.features) == set(FEATURES) for t in found)
    by_key = {(t.task, t.barrier, t.who): t for t in found}
    for episode in episodes:
        for who in ("agent", "partner"):
            own = [s for s in spoken_in(episode) if s.who == who]
            if own:
                talk = by_key[episode.task, episode.barrier, who]
                assert (talk.turns, talk.words) == (len(own), sum(s.words for s in own))


def test_the_course_by_turn_adds_up_to_all_turns(episodes):
    rows = by_turn(episodes)
    assert sum(row["n"] for row in rows) == sum(bool(t.text.strip()) for e in episodes for t in e.turns)
    assert {row["barrier"] for row in rows} == {"none", "semantic_vagueness:0.7"}
    assert all(row["turn"] >= 1 for row in rows)


def test_a_barrier_shows_in_its_speakers_words(episodes):
    rows = {(row["barrier"], row["who"]): row for row in by_barrier(talks(episodes))}
    assert rows["semantic_vagueness:0.7", "partner"]["hedges"] > rows["none", "partner"]["hedges"] + 2


def talk(feature, index, who="agent"):
    return Talk(f"t{index}", "none", 0, f"s{index % 6}", who, 1, 10, dict.fromkeys(FEATURES, feature))


def score(values):
    return {(f"t{i}", "none", 0): float(v) for i, v in enumerate(values)}


def together(*given):
    """What one feature and one score have to do with each other."""
    return correlation(*given).found


def test_coefficients_against_numbers_worked_out_by_hand():
    """x = 1..5 against y = 2, 4, 5, 4, 5: r = 6 / sqrt(10 · 6); ranks of y are 1, 2.5, 4.5, 2.5, 4.5."""
    pytest.importorskip("scipy")
    found = together(
        "agent", "hedges", "x", [talk(x, i) for i, x in enumerate([1, 2, 3, 4, 5])], score([2, 4, 5, 4, 5])
    )
    assert found.pearson == pytest.approx(6 / 60**0.5)
    assert found.spearman == pytest.approx(7 / (10 * 9) ** 0.5)
    assert found.n == 5
    assert found.pearson_low <= found.pearson_high


@example([(0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (4, 15), (20, 0)])
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=4, max_size=30))
def test_coefficients_lie_in_their_range_and_turn_with_the_sign(pairs):
    pytest.importorskip("scipy")
    found = [talk(float(x), i) for i, (x, _) in enumerate(pairs)]
    up = together("agent", "hedges", "x", found, score(y for _, y in pairs))
    down = together("agent", "hedges", "x", found, score(-y for _, y in pairs))
    if up.undefined:
        assert len({x for x, _ in pairs}) == 1 or len({y for _, y in pairs}) == 1
        assert up.pearson is None
        return
    assert -1 - 1e-9 <= up.pearson <= 1 + 1e-9
    assert up.pearson == pytest.approx(-down.pearson)
    assert up.spearman == pytest.approx(-down.spearman)
    if up.pearson_low is not None:
        assert -1 - 1e-6 <= up.pearson_low <= up.pearson_high <= 1 + 1e-6


def test_what_has_no_coefficient_says_why():
    assert "fewer than" in together("agent", "hedges", "x", [talk(1, 0)], score([1])).undefined
    assert "never varies" in together("agent", "hedges", "x", [talk(1, i) for i in range(9)], score(range(9))).undefined


def test_every_feature_stands_beside_every_score(episodes, tmp_path):
    pytest.importorskip("scipy")
    scores = scores_of(episodes)
    assert {"feasibility", "integrity", "verified_success", "conduct.substance", "conduct.substance.partner"} <= set(
        scores
    )
    assert len(correlations(list(talks(episodes)), scores)) == 2 * len(FEATURES) * len(scores)
    with RunStore(tmp_path / "run", write=True) as store:
        for episode in episodes:
            store.add(episode)
        table = language_table(store)
    with RunStore(tmp_path / "run") as store:
        assert language_table(store) == table, "from the store alone, the same every time"
    row = next(
        r
        for r in table["correlations"]
        if (r["who"], r["feature"], r["score"]) == ("partner", "hedges", "verified_success")
    )
    assert row["n"] == len(episodes)
    assert row["pearson_low"] < row["pearson"] < row["pearson_high"] < 0


def test_without_scipy_the_extra_is_named(episodes, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ConfigError, match=r"\.\[analysis\]"):
        correlations(list(talks(episodes)), scores_of(episodes))
    assert by_barrier(talks(episodes)), "what needs no scipy still works"
