"""The page as text: what it holds, that it needs nothing beside it, and that nothing in it can run."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.analysis.ranks import Orders, Ranked
from adidem.core.report.charts import Bars, Histograms, Intervals, Lines, Mark, Slopes, Stacked
from adidem.core.report.plots.draw import draw
from adidem.core.report.section import Table, blocks
from adidem.core.report.sections.all import words
from adidem.core.report.sections.goals import order_line, rank_limits
from adidem.core.runs.store import RunStore

ALLOWED = set(
    """html head meta title style body header h1 h2 h3 p nav ul ol li a main details summary section figure div table
    caption thead tbody tr th td bdi pre b i span svg g path use defs clippath rect text pattern b""".split()
)


class Reader(HTMLParser):
    """Collects elements and attributes, and the text inside elements by tag."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.open = [], [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *attr) for attr in attrs]
        if tag not in ("meta", "path", "use", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


def written(cli, *runs, more=()):
    path = cli("report", *runs, "--format", "html", *more).stdout.strip()
    return Path(path).read_text(encoding="utf-8")


def test_a_page_is_written_into_the_run_and_named(cli, played, copied):
    folder = copied("run")
    assert cli("report", folder, "--format", "html").stdout == f"{folder}/report.html\n"
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_every_part_is_there_with_its_plot_and_its_numbers(cli, copied, tmp_path):
    folder = copied("run")
    (folder / "metrics.jsonl").write_text(
        "".join(json.dumps({"update": n, "reward": n / 10, "kl": 0.01 * n}) + "\n" for n in range(12)) + '{"torn'
    )
    text = written(cli, folder)
    parts = ("headline", "quadrants", "groups", "barriers", "failures", "goals", "ratings", "spread", "curves", "cost")
    for name in (*parts, "repeat", "episodes"):
        assert f'id="run-{name}"' in text, name
    found = Reader(text)
    for name in ("headline", "quadrants", "groups", "barriers", "ratings", "spread", "curves"):
        assert ("svg", "aria-label", f"Plot: {words()[name]['title']}") in found.attributes
    assert "evidence: mechanism" in text
    assert "not measured with models yet" in text
    assert "Verified Success %, by barrier and family" in text
    assert "Verified Success %, by barrier and severity" in text
    assert "adidem run hico --agent scripted:guarded" in text
    assert "--judge scripted:judge" in text
    assert text.count('<details class="episode') == 64
    assert len(text.encode()) < 3_000_000


def test_a_conversation_whose_barrier_agent_did_not_comply_is_marked(cli, copied):
    quotas, observed = {"hedges": [2.0, 4.0]}, {"hedges": 0.5}

    def strays(number, episode):
        if episode.barrier == "none":
            return episode
        kept = {
            "severity": 0.7,
            "parts": {},
            "seat": "first",
            "observed": observed,
            "quotas": quotas,
            "missed": ["hedges"],
        }
        return evolve(episode, extra={"barrier": {**kept, "complied": number % 2 == 0}})

    run = copied("strays", strays)
    with RunStore(run) as store:
        wanted = [e.extra["barrier"]["complied"] for e in store.episodes() if e.barrier != "none"]
    text = written(cli, run)
    assert text.count('<span class="chip no">did not comply</span>') == wanted.count(False) > 0
    assert text.count("did not comply; outside the quotas: hedges 0.50 of 2 to 4") == wanted.count(False)
    assert len(re.findall(r">barrier: [^<]* complied; outside", text)) == wanted.count(True) > 0


def test_what_barriers_do_is_a_headline_only_where_models_were_measured(cli, copied):
    scripted = written(cli, copied("scripted"))
    assert "Verified Success under barriers: not measured with models yet" in scripted
    assert "hits most: sotopia" not in scripted
    text = written(cli, copied("models", speaks=True, judges={"integrity": "openai/some-model"}))
    assert "not measured with models yet" not in text
    assert "Verified Success under semantic_vagueness:0.7 against none" in text
    assert "semantic_vagueness:0.7 hits most:" in text


def test_a_run_without_records_shows_what_was_rated_and_no_empty_headlines(cli, tmp_path):
    words = ["--agent", "scripted:candid", "--judge", "scripted:judge", "--limit", "3", "--quiet"]
    cli("run", "sotopia", *words, "--out", tmp_path / "judged")
    text = written(cli, tmp_path / "judged")
    assert "these families keep no records" in text
    assert 'id="run-quadrants"' not in text
    assert "sotopia.goal" in text


def test_severities_stand_beside_each_other_whether_they_were_written_or_not(cli, copied):
    def bare(_, episode):
        if episode.barrier == "none" or episode.repeat:
            return episode
        return evolve(episode, barrier="semantic_vagueness", repeat=1 - episode.repeat)

    text = written(cli, copied("bare", bare))
    head = text[text.index("by barrier and severity</caption>") :]
    assert re.findall(r'<th scope="col"[^>]*>(.*?)</th>', head[: head.index("</thead>")]) == [
        "barrier",
        "no barrier",
        "severity 0.7",
    ]
    rows = dict(re.findall(r"<tr><th[^>]*><bdi>(.*?)</bdi></th>(.*?)</tr>", head[: head.index("</table>")]))
    empty = {name: [not cell for cell in re.findall(r"<bdi>(.*?)</bdi>", row)] for name, row in rows.items()}
    assert empty == {"none": [False, True], "semantic_vagueness": [True, False]}


def test_every_plot_says_what_it_is_evidence_of(cli, copied, silent):
    for folder, word in (
        (copied("scripted"), "mechanism"),
        (copied("models", speaks=True, judges={"integrity": "openai/some-model"}), "model"),
    ):
        plots = re.findall(r"<svg.*?</svg>", written(cli, folder), re.S)
        assert len(plots) >= 6
        assert all(f">evidence: {word}</text>" in plot for plot in plots)
    mixed = written(cli, folder, *silent, more=["--compare"])
    assert ">evidence: mechanism, model</text>" in mixed, "the plots of all runs together"


def test_under_barriers_what_keeps_no_records_has_no_tables_of_nothing(cli, tmp_path):
    words = ["--judge", "scripted:judge", "--limit", "2", "--quiet", "--out", tmp_path / "veil"]
    cli("run", "socialveil", *words)
    text = written(cli, tmp_path / "veil")
    assert "every measure under each condition against none" in text
    assert "by barrier and family" not in text
    assert "Verified Success under barriers" not in text
    assert "<bdi>unscored</bdi>" not in text


def test_ranks_without_an_interval_say_why(cli, copied):
    text = order_line("families", "sotopia.goal", Orders({"a": Ranked(1, 1), "b": Ranked(1, 2)}, {}, 0.5))
    assert text.endswith("0.50 (no interval: too few scenarios, so that most draws leave one out)")
    assert rank_limits(Ranked(1, 2, 1.4875, 6)) == "1.5 to 6"
    assert rank_limits(Ranked(1, 2)) == ""


@given(st.integers(1, 4), st.integers(0, 60), st.integers(4, 16))
def test_a_broad_table_is_laid_out_in_blocks_that_lose_nothing(labels, figures, most):
    head = [f"c{n}" for n in range(labels + figures)]
    rows = [[f"{row}.{n}" for n in range(labels + figures)] for row in range(3)]
    found = blocks(Table(head, rows, labels, "what"), max(most, labels + 1))
    assert all(len(one.head) <= max(most, labels + 1) for one in found)
    assert all(one.head[:labels] == head[:labels] for one in found)
    assert [name for one in found for name in one.head[labels:]] == head[labels:]
    for number, row in enumerate(rows):
        assert [text for one in found for text in one.rows[number][labels:]] == row[labels:]
    assert len({one.caption for one in found}) == len(found)


def test_the_policy_lets_the_own_style_sheet_in_and_nothing_else(cli, copied):
    found = Reader(written(cli, copied("run")))
    (policy,) = (
        value for tag, name, value in found.attributes if tag == "meta" and name == "content" and "src" in value
    )
    (style,) = found.texts["style"]
    hashed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{hashed}'; base-uri 'none'; form-action 'none'"
    assert "script" not in found.tags
    assert not [a for a in found.attributes if a[1] == "style"], "an inline style would be refused by the policy"


def test_whatever_is_stored_is_only_ever_text(cli, poisoned):
    text = written(cli, poisoned)
    found = Reader(text)
    assert set(found.tags) <= ALLOWED
    handlers = [a for a in found.attributes if a[1].startswith("on") or a[1] in ("src", "srcdoc", "action", "style")]
    assert not handlers
    links = [a[2] for a in found.attributes if a[1] in ("href", "xlink:href")]
    assert all(link.startswith("#") for link in links)
    assert not set(text) & set(map(chr, [*range(9), 11, 12, *range(14, 32), 0x7F, 0x9B, 0x202E, 0x2066, 0x2028]))
    assert len(text.encode()) < 3_000_000, "a line of a megabyte is cut"
    assert "&lt;script&gt;window.ran = 1&lt;/script&gt;" in text


def test_ids_are_unique_and_anchors_lead_somewhere(cli, copied, silent):
    for text in (written(cli, copied("run")), written(cli, *silent, more=["--compare"])):
        found = Reader(text)
        ids = [value for _, name, value in found.attributes if name == "id"]
        assert len(ids) == len(set(ids))
        wanted = {value.removeprefix("#") for _, name, value in found.attributes if name == "href"}
        assert wanted <= set(ids)


def test_a_large_run_is_summarised(cli, copied, monkeypatch):
    monkeypatch.setattr("adidem.core.report.html.episodes.MOST", 20)
    text = written(cli, copied("run"))
    assert "64 episodes are too many to embed" in text
    assert '<details class="episode' not in text


def test_conversations_that_do_not_fit_are_left_out_and_counted(cli, copied, monkeypatch):
    monkeypatch.setattr("adidem.core.report.html.episodes.BUDGET", 20_000)
    text = written(cli, copied("run"))
    left_out = text.count("Its conversation is left out")
    assert 0 < left_out < 64
    assert f"{left_out} conversations are left out" in text


def test_a_page_keeps_its_bound_in_every_script(cli, copied):
    """Characters of three bytes, and such as are escaped, count as what they take."""

    def long(number, episode):
        text = ("協議" if number % 2 else "<&>") * 1000
        return evolve(episode, turns=tuple(evolve(turn, text=text) for turn in episode.turns * 5))

    text = written(cli, copied("long", long))
    assert 1_500_000 < len(text.encode()) < 3_000_000
    assert "conversations are left out" in text


def test_a_folder_that_cannot_be_written_says_what_to_do(cli, copied, tmp_path):
    said = cli("report", copied("run"), "--format", "html", "--out", tmp_path / "no" / "x.html", code=2).stderr
    assert "give another file with --out" in said
    assert not list(tmp_path.glob(".x.html*"))


# ----------------------------------------------------------------------------------------------------------- plots

CHARTS = {
    "intervals": Intervals([("a & <b>", [Mark("x", 40, 30, 50), Mark("y", 10)]), ("$x_1$", [])], "%", (0, 100)),
    "differences": Intervals([("a", [Mark("x", -4, -6, 1)])], "points", zero=True),
    "bars": Bars([("one", 3), ("two", 0)], "episodes"),
    "stacked": Stacked([("one", {"p": 3, "q": 1}), ("none", {})], "%"),
    "histograms": Histograms(
        [("whole", [(1, 3), (2, 4)]), ("parts", [(0.1, 3), (0.7, 4)]), ("one", [(5.5, 2)])], "score"
    ),
    "lines": Lines([("reward", [(n, n / 3) for n in range(40)]), ("one", [(0, 1)])], "update"),
    "slopes": Slopes([("a", 1, 2.5), ("b", 2, 2.5), ("c", 3, 1)], ("goal", "success")),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_plot_fits_a_strict_page(name):
    text = draw(CHARTS[name], name, "what it shows")
    root = ElementTree.fromstring(text)
    assert root.attrib["aria-label"] == "what it shows"
    for element in root.iter():
        assert "style" not in element.attrib
        assert element.tag.rpartition("}")[2] in {
            "svg",
            "g",
            "path",
            "use",
            "defs",
            "clipPath",
            "rect",
            "text",
            "pattern",
        }
        assert element.attrib.get("id", name).startswith(name)
        for place in ("fill", "stroke"):
            colour = element.attrib.get(place, "none")
            assert colour == "none" or colour.startswith("url(#"), f"{colour} is no colour of the style sheet"
    assert text == draw(CHARTS[name], name, "what it shows"), "the same plot is the same file"
    assert len(text) < 60_000


def test_between_two_updates_there_is_none():
    text = draw(Lines([("reward", [(1, 0.3), (2, 0.4)])], "update"), "p", "")
    assert {t.text for t in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}text")} >= {"1", "2"}
    assert ">1.5<" not in text


def test_labels_stand_in_a_plot_as_they_are():
    text = draw(CHARTS["intervals"], "p", "")
    assert "a &amp; &lt;b&gt;" in text
    assert "$x_1$" in text
