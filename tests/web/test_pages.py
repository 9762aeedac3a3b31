"""Every page as it is sent: hostile text is text, what is not there is said, links lead back."""

import html
import json
import os
import shutil
from html.parser import HTMLParser
from itertools import cycle

import pytest
from attrs import evolve

from adidem.core.domain import AgentNames, Turn
from adidem.core.errors import ConfigError
from adidem.core.judging.fence import shown
from adidem.core.runs.store import FILE, RunStore
from adidem.core.web.app import Viewer, build
from adidem.core.web.folders import Runs
from adidem.core.web.guard import Access
from command_line import called
from hostile_run import hostile, poisoned
from payloads import PAYLOADS
from viewing import asked, key_of

ALLOWED = frozenset(
    """html head meta title link script body a header nav button kbd main dialog h1 h2 h3 h4 dl dt dd p b small span bdi
    form label input select option div details summary table caption thead tbody tr th td time code section ul ol li
    mark article pre blockquote svg line text polyline circle rect br wbr""".split()
)


class Tags(HTMLParser):
    """The tags and attributes of a page, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.said = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_data(self, data):
        self.said.append(data)


@pytest.fixture
def texts():
    """The payloads, round and round; the one of a megabyte as forty thousand."""
    return cycle([*PAYLOADS[:-1], PAYLOADS[-1][:40_000]])


def checked(answer):
    """A page in which nothing but our own tags and attributes stands."""
    assert answer.status == 200
    page = Tags(answer.text)
    assert set(page.tags) <= ALLOWED
    assert page.tags.count("script") == 1
    assert page.tags.count("link") == 1
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name not in ("style", "srcdoc", "background", "action" if tag != "form" else ""), (tag, name)
        if name in ("href", "src", "action"):
            assert value.startswith(("/", "#")), (tag, name, value)
            assert not value.startswith("//")
    assert not set("\x1b\u202e\u2066") & set("".join(page.said)), "an address keeps them, what is read does not"
    return page


def test_no_hostile_text_is_more_than_text(copied, ask, texts, episodes):
    pair = [e for e in episodes if (e.scenario, e.seat) == (episodes[0].scenario, episodes[0].seat)]
    copied("p", lambda e: poisoned(e, texts) if e in pair else None, lambda s: hostile(s, texts))
    checked(ask("/"))
    checked(ask("/episodes", run="p"))
    seen = []
    for episode in pair:
        seen += checked(ask("/episode", run="p", **key_of(episode))).said
    text = "".join(seen)
    for payload in PAYLOADS[:-1]:
        assert shown(payload)[:60] in text, payload


def test_no_address_is_more_than_text(copied, ask, episodes):
    copied("p")
    for payload in PAYLOADS[:-1]:
        with_payload(ask, payload, episodes[0])


def with_payload(ask, payload, episode):
    """Every page with a hostile text in its address."""
    for query in ({"q": payload}, {"family": payload}, {"why": payload, "scenario": payload}, {"order": payload}):
        page = checked(ask("/episodes", run="p", **query))
        assert "episodes" in "".join(page.said)
    checked(ask("/episode", run="p", **key_of(episode), q=payload, barrier=payload))
    for path, query in (
        ("/episodes", {"run": payload}),
        ("/episode", {"run": "p", "task": payload}),
        (f"/{payload[:80]}", {}),
    ):
        answer = ask(path, **query)
        assert answer.status == 404
        assert set(Tags(answer.text).tags) <= ALLOWED


def test_a_page_is_small_however_long_a_text_is(copied, ask, episodes):
    long = "W" * 1_000_000
    wanted = episodes[0].key

    def lengthened(episode):
        turns = tuple(evolve(t, text=long, meant=long, reasoning=long) for t in episode.turns[:3])
        return evolve(episode, turns=turns) if episode.key == wanted else None

    copied("p", lengthened)
    answer = ask("/episode", run="p", **key_of(episodes[0]))
    assert len(answer.text) < 3_000_000
    assert "980,000 more characters" in answer.text
    whole = ask("/text", run="p", **key_of(episodes[0]), turn=0, part="reasoning")
    assert whole.text == long
    assert whole.headers["content-type"].startswith("text/plain")
    assert whole.headers["x-content-type-options"] == "nosniff"


def test_a_script_in_a_text_asked_for_whole_is_plain_text(copied, ask, episodes):
    copied("p", lambda e: evolve(e, turns=(evolve(e.turns[0], text=PAYLOADS[0]),)))
    answer = ask("/text", run="p", **key_of(episodes[0]), turn=0, part="text")
    assert answer.text == PAYLOADS[0]
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    raw = ask("/episode.json", run="p", **key_of(episodes[0]))
    assert raw.headers["content-type"] == "application/json"
    assert json.loads(raw.text)["turns"][0]["text"] == PAYLOADS[0]


def test_what_is_not_there_is_said(copied, ask, episodes):
    copied("p")
    key = key_of(episodes[0])
    for path, query, words in (
        ("/episodes", {"run": "q"}, "unknown run 'q': known: p"),
        ("/episodes", {}, "unknown run"),
        ("/episode", {"run": "p", **key, "repeat": 99}, "has no episode"),
        ("/episode", {"run": "p", **key, "repeat": "x"}, "has no episode"),
        ("/episode.json", {"run": "p"}, "has no episode"),
        ("/text", {"run": "p", **key, "turn": 999, "part": "text"}, "has no such text"),
        ("/static/app.py", {}, "unknown file"),
        ("/static/../app.py", {}, "unknown page"),
        ("/nowhere", {}, "unknown page"),
    ):
        answer = ask(path, **query)
        assert answer.status == 404, path
        assert words in html.unescape(answer.text), path


@pytest.mark.parametrize("name", ["../outside", "p/../../outside", "/etc", ".", "", "p/", "outside"])
def test_no_name_leads_out_of_the_folder(copied, ask, runs, name):
    folder = copied("p")
    outside = runs.parent / "outside"
    outside.mkdir()
    (outside / FILE).write_bytes((folder / FILE).read_bytes())
    (runs / "outside").symlink_to(outside)
    assert ask("/episodes", run="p").status == 200
    assert ask("/episodes", run=name).status == 404


def test_runs_are_found_below_other_folders_and_the_latest_is_first(copied, ask, runs):
    (runs / "main-1").mkdir()
    copied("main-1/deep")
    copied("top")
    (runs / ".hidden").mkdir()
    (runs / "empty").mkdir()
    text = ask("/").text
    assert text.index("top</bdi>") < text.index("main-1/deep</bdi>")
    assert ask("/episodes", run="main-1/deep").status == 200
    assert "empty" not in text


def test_a_damaged_run_is_named_and_the_others_are_shown(copied, ask, runs):
    copied("good")
    (runs / "bad").mkdir()
    (runs / "bad" / FILE).write_bytes(b"nothing of a database")
    answer = ask("/")
    assert answer.status == 200
    assert "good" in answer.text
    assert "damaged" in answer.text
    bad = ask("/episodes", run="bad")
    assert bad.status == 500
    assert "a store of another version, or damaged" in bad.text


def test_a_run_whose_name_is_no_utf8_takes_nothing_down(copied, ask, runs):
    """Neither in a list nor alone; of two that are spelled alike both are shown."""
    copied("good")
    shutil.copytree(os.fsencode(runs / "good"), os.fsencode(runs) + b"/caf\xe9")
    copied("caf\\xe9")
    text = ask("/").text
    assert "good</bdi>" in text
    assert "caf\\xe9</bdi>" in text
    assert "caf\\xe9'</bdi>" in html.unescape(text)
    for name in ("caf\\xe9", "caf\\xe9'"):
        assert ask("/episodes", run=name).status == 200
        assert json.loads(ask("/live", run=name).text)["version"]
    assert json.loads(ask("/live").text)["version"]
    viewer = build(Viewer(Runs(runs / os.fsdecode(b"caf\xe9"))), Access.to("127.0.0.1", 8610, None))
    assert asked(viewer, asked(viewer, "/").headers["location"].partition("?")[0], {"run": "caf\\xe9"}).status == 200


def test_a_list_makes_no_index_of_small_runs_and_sees_what_changes(copied, ask, episodes):
    folder = copied("p", lambda e: e if e.world == "a" else None)
    assert "24 of 48" in ask("/").text
    assert not (folder / "view.sqlite").exists()
    with RunStore(folder, write=True) as store:
        store.add(next(e for e in episodes if e.world == "b"))
    assert "25 of 48" in ask("/").text


def test_a_large_run_is_counted_by_its_index(copied, ask, monkeypatch):
    from adidem.core.web import heads

    copied("p")
    counted = ask("/").text
    monkeypatch.setattr(heads, "SMALL", 10)
    copied("q")
    shares = [cell for cell in Tags(ask("/").text).said if cell.endswith(" %")]
    assert len(shares) == 2
    assert len(set(shares)) == 1
    assert shares[0] in counted


def test_what_fails_though_it_should_not_is_a_page_too(copied, runs, rules, episodes):
    copied("p", lambda e: evolve(e, extra={"barrier": {"seat": "first", "quotas": {"x": 7}}}))
    app = build(Viewer(Runs(runs), rules), Access.to("127.0.0.1", 8610, None))
    sent = []
    with pytest.raises(TypeError):
        asked(app, "/episode", {"run": "p", **key_of(episodes[0])}, sent=sent)
    assert sent[0]["status"] == 500
    assert b"This cannot be shown" in sent[1]["body"]
    assert b"content-security-policy" in dict(sent[0]["headers"])


def test_an_empty_folder_says_what_to_do(ask):
    assert "adidem run hico" in ask("/").text


def test_a_run_that_has_just_begun_has_no_episode_and_a_page(copied, ask):
    copied("p", lambda _: None)
    assert "No episode is there yet" in ask("/episodes", run="p").text
    assert "0 of 48" in ask("/").text


def test_the_version_changes_when_an_episode_is_stored(copied, ask, episodes):
    folder = copied("p", lambda _: None)
    before = json.loads(ask("/live", run="p").text), json.loads(ask("/live").text)
    assert f'data-version="{before[0]["version"]}"' in ask("/episodes", run="p").text
    with RunStore(folder, write=True) as store:
        store.add(episodes[0])
    after = json.loads(ask("/live", run="p").text), json.loads(ask("/live").text)
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_filters_go_with_an_episode_and_back(copied, ask, episodes):
    copied("p")
    episode = next(e for e in episodes if e.barrier != "none")
    text = html.unescape(
        ask("/episode", run="p", **key_of(episode), family=episode.family, barrier="none", q="the").text
    )
    links = [value for _, name, value in Tags(text).attributes if name == "href" and value and "/episode" in value]
    table = next(link for link in links if link.startswith("/episodes"))
    assert f"family={episode.family}" in table
    assert "barrier=none" in table
    assert "q=the" in table
    assert "condition=" not in table


def test_what_is_not_known_of_disclosure_is_said(copied, ask, episodes):
    quiet = (Turn(0, "first", "Hello."), Turn(1, "second", "Hello."))
    copied("model", lambda e: evolve(e, turns=quiet, agents=AgentNames("openai/m", "openai/m")))
    copied("scripted", lambda e: evolve(e, turns=quiet))
    page = checked(ask("/episode", run="model", **key_of(episodes[0])))
    assert "Not known whether the differing condition was told: rules heard nothing of it in the words of openai/m" in (
        "".join(page.said)
    )
    page = checked(ask("/episode", run="scripted", **key_of(episodes[0])))
    assert "The differing condition was never heard." in "".join(page.said)


def test_one_world_alone_has_no_condition_that_differs(runs, ask):
    called("run", "casino", "--limit", 2, "--out", runs / "camp", "--json")
    with RunStore(runs / "camp") as store:
        episode = next(iter(store.episodes()))
    said = "".join(checked(ask("/episode", run="camp", **key_of(episode))).said)
    assert "This scenario has one world: no condition differs." in said
    assert "speaks of the differing condition" not in said


def test_a_sotopia_episode_without_records_is_shown(runs, ask):
    from typer.testing import CliRunner

    from adidem.core.cli.main import app

    words = ["run", "sotopia", "--agent", "scripted:candid", "--limit", "2", "--out", str(runs / "s"), "--json"]
    assert CliRunner().invoke(app, words).exit_code == 0
    with RunStore(runs / "s") as store:
        episode = next(iter(store.episodes()))
    said = "".join(checked(ask("/episode", run="s", **key_of(episode))).said)
    assert "Nothing was recorded: this family keeps no records." in said
    assert "Nothing is recorded here, and so nothing verified: what judges rated is below." in said
    assert "unscored" not in said.partition("Conversation")[0]
    assert "quoted by a judge" not in said, "no judge quoted anything"
    assert "Verified Success is decided in none." in "".join(checked(ask("/episodes", run="s")).said)


def test_what_is_unscored_has_its_name(copied, ask, episodes):
    copied("run", lambda e: evolve(e, judgements=()))
    right = next(e for e in episodes if e.feasibility is not None and e.feasibility.passed)
    said = "".join(checked(ask("/episode", run="run", **key_of(right))).said)
    assert "Verified Success unscored" in said
    assert "Integrity unscored" in said


def test_an_episode_of_a_family_that_is_not_loaded_is_shown(runs, ask, outside):
    from typer.testing import CliRunner

    from adidem.core.cli.main import app

    words = ["run", "hico", "--plugin", str(outside), "--family", "meeting_place", "--out", str(runs / "m"), "--json"]
    assert CliRunner().invoke(app, words).exit_code == 0
    with RunStore(runs / "m") as store:
        episode = next(iter(store.episodes()))
    said = "".join(checked(ask("/episode", run="m", **key_of(episode))).said)
    assert "the family meeting_place is not loaded (name its plugin: --plugin, or plugins in registry.yaml)" in said


# ------------------------------------------------------------------------------------------------------- training runs


def taught(runs, name, *updates, recipe='{"recipe": {"seed": 1}}'):
    """A folder as a training run leaves it."""
    (runs / name).mkdir(parents=True)
    (runs / name / "metrics.jsonl").write_text("".join(json.dumps(update) + "\n" for update in updates))
    (runs / name / "recipe.json").write_text(recipe)
    return runs / name


def drawn(answer):
    """The same for a page with a plot."""
    inside = answer.text.partition("<svg")[2].partition("</svg>")[0]
    assert not {value for tag, name, value in Tags(f"<svg{inside}").attributes if name in ("style", "src")}
    return answer.status, "".join(Tags(answer.text).said)


def test_training_runs_stand_below_the_runs_with_their_curves(copied, ask, runs):
    copied("played")
    first, last = (
        {"update": 0, "test/T=1/verified_success": 0.25},
        {"update": 1, "reward": 0.5, "verified_success": 0.4},
    )
    taught(runs, "lab/cell", first, last)
    page = checked(ask("/"))
    assert ("a", "href", "/training?run=lab%2Fcell") in page.attributes
    assert "reward 0.5, verified_success 0.4, test/T=1/verified_success 0.25" in "".join(page.said)
    status, said = drawn(ask("/training", run="lab/cell"))
    assert status == 200
    assert "updates: 1; 0 is before the first" in said
    assert "reward" in said
    assert '"seed": 1' in said


def test_a_training_run_is_followed_as_it_goes_on(copied, ask, runs):
    copied("played")
    folder = taught(runs, "going-on", {"update": 1, "reward": 0.5})
    before = [json.loads(ask("/live", **query).text) for query in ({}, {"training": "going-on"})]
    with (folder / "metrics.jsonl").open("a") as out:
        out.write('{"update": 2, "reward": 0.75}\n{"torn')
    os.utime(folder / "metrics.jsonl", (2e9, 2e9))
    after = [json.loads(ask("/live", **query).text) for query in ({}, {"training": "going-on"})]
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert "0.75" in drawn(ask("/training", run="going-on"))[1]
    assert "reward 0.75" in "".join(checked(ask("/")).said)


def test_a_training_run_without_an_update_is_listed_and_says_so(copied, ask, runs):
    copied("played")
    taught(runs, "begun")
    page = checked(ask("/"))
    assert "begun" in "".join(page.said)
    assert not [value for _, name, value in page.attributes if name == "href" and value.startswith("/training")]
    answer = ask("/training", run="begun")
    assert "no update is written yet" in "".join(Tags(answer.text).said)
    assert ask("/training", run="../begun").status == 404
    assert ask("/episodes", run="begun").status == 404


def test_no_name_of_a_figure_and_no_recipe_is_more_than_text(copied, ask, runs):
    copied("played")
    update = {"update": 1, **{text[:500]: 0.5 for text in PAYLOADS}}
    taught(runs, PAYLOADS[9].replace("/", "")[:60], update, recipe="".join(PAYLOADS[:-1]))
    (name,) = Runs(runs).trained()
    checked(ask("/"))
    answer = ask("/training", run=name)
    status, said = drawn(answer)
    page = Tags(answer.text)
    assert status == 200
    assert set(page.tags) <= ALLOWED | {"g", "path", "use", "defs", "clippath"}
    assert page.tags.count("script") == 1
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name == "style"]
    assert not set("\x1b\u202e\u2066") & set(said)


def test_without_matplotlib_the_numbers_are_there(copied, ask, runs, monkeypatch):
    def absent(*_):
        raise ConfigError("matplotlib is not installed")

    copied("played")
    taught(runs, "one", {"update": 1, "reward": 0.5})
    monkeypatch.setattr("adidem.core.web.training.draw", absent)
    said = "".join(checked(ask("/training", run="one")).said)
    assert "No plot: matplotlib is not installed" in said
    assert "0.5" in said
