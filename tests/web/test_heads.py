"""What the viewer's list says of how far a run has got: the same as its report."""

import pytest
from attrs import evolve

from adidem.core.domain import Cause
from adidem.core.report.summary import summarize
from adidem.core.runs.store import RunStore
from adidem.core.web import heads
from adidem.core.web.index import Index


def failed(episode):
    return evolve(episode, status="failed", cause=Cause("server_error", "500"))


def in_one(change):
    """Change the first episode that comes, and no other."""
    first = []

    def changed(episode):
        first.append(episode)
        return change(episode) if len(first) == 1 else episode

    return changed


@pytest.mark.parametrize(
    ("change", "state", "owed"),
    [
        (lambda episode: episode, "done", 0),
        (failed, "unfinished", 48),
        (in_one(failed), "unfinished", 1),
        (in_one(lambda _: None), "playing", 1),
    ],
)
def test_a_failed_episode_is_owed_as_the_report_says(copied, change, state, owed, monkeypatch) -> None:
    """Against a server of 500s all episodes fail: the report says that they are owed, and the viewer said `done`."""
    folder = copied("run", change)
    with RunStore(folder) as store:
        assert summarize(store).episodes["owed"] == owed
    index = Index(folder)
    assert heads.glance("run", index, 1.0).state == state
    monkeypatch.setattr(heads, "SMALL", 10)
    assert heads.glance("run", index, 9.0).state == state
    monkeypatch.setattr(heads, "LATELY", -1.0)
    assert heads.glance("run", index, 9.0).state == ("done" if state == "done" else "unfinished")


def test_the_pages_say_so(copied, ask) -> None:
    copied("run", failed)
    assert ">unfinished<" in ask("/").text
    page = " ".join(ask("/episodes", run="run").text.split())
    assert "48 failed</span>, and so owed" in page
