"""The page in a real browser: reading, answering, saving, going on another day, and text that never runs."""

import time

import pytest
from attrs import evolve

from adidem.core.annotation.imports import read_annotations
from adidem.core.annotation.questions import chosen
from adidem.core.annotation.sheet import write_sheet
from adidem.core.annotation.study import draw
from adidem.core.runs.store import RunStore
from chromium import IN_BROWSER, chromium, complaints

pytestmark = IN_BROWSER

PAYLOADS = (
    "<script>window.ran = 1</script>",
    '"><img src=x onerror="window.ran = 1">',
    "<svg onload='window.ran = 1'><animate onbegin='window.ran = 1' attributeName=x dur=1s></svg>",
    "</p></li></ol></article></main></body><script>window.ran = 1</script>",
    "<iframe srcdoc='<script>parent.ran = 1</script>'></iframe>",
    "<style>* { display: none !important }</style><link rel=stylesheet href=http://127.0.0.1:9/x.css>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'><base href=http://127.0.0.1:9/>",
    "javascript:window.ran = 1",
    "\u202e<script>window.ran = 1</script>\u2066\u202d",
    "{{ 7 * 7 }} ${window.ran = 1} `${window.ran = 1}`",
    "<form action=http://127.0.0.1:9/><button autofocus onfocus='window.ran = 1'>go</button></form>",
    "<details open ontoggle='window.ran = 1'>&#60;script&#62;</details>",
)


@pytest.fixture
def browser(tmp_path):
    """A browser that saves files in `tmp_path/saved`."""
    saved = tmp_path / "saved"
    saved.mkdir()
    with chromium(tmp_path / "profile") as driver:
        driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(saved)})
        yield driver


def written(folder, tmp_path, other=None):
    """A study of the run in files: the key and the page."""
    with RunStore(folder) as run, RunStore(other or folder) as run_b:
        study = draw(run, run_b if other else None, chosen([]))
    write_sheet(study.sheets[0], tmp_path / "sheet")
    return study, tmp_path / "sheet" / "page.html"


def open_page(browser, page):
    browser.get(page.as_uri())
    return browser.find_elements("css selector", "article")


def choose(browser, item, question, answer):
    fields = browser.find_element("css selector", f'[data-item="{item}"] [data-question="{question}"]')
    fields.find_element("css selector", f'input[value="{answer}"]').click()
    return fields


def save(browser, tmp_path):
    """Press the button and wait for the file."""
    from selenium.webdriver.support.wait import WebDriverWait

    browser.find_element("id", "save").click()
    saved = tmp_path / "saved"
    WebDriverWait(browser, 20).until(lambda _: list(saved.glob("*.jsonl")))
    (path,) = saved.glob("*.jsonl")
    return path


def test_an_annotator_reads_answers_and_saves_a_sheet_that_comes_back(browser, played, tmp_path):
    study, page = written(played, tmp_path)
    articles = open_page(browser, page)
    assert [a.is_displayed() for a in articles] == [True, *[False] * (len(articles) - 1)]
    first, second = (item.id for item in study.sheets[0].items[:2])
    choose(browser, first, "integrity", "fail")
    fields = choose(browser, first, "repetition", "yes")
    fields.find_element("css selector", "[data-turn]").send_keys("2")
    choose(browser, first, "mutual_understanding", "3")
    browser.find_element("id", "next").click()
    assert [a.is_displayed() for a in articles[:2]] == [False, True]
    choose(browser, second, "barrier", "unsure")
    assert browser.find_element("id", "progress").text.startswith("4 of ")
    name = browser.find_element("id", "annotator")
    name.clear()
    name.send_keys("no spaces!")
    browser.find_element("id", "save").click()
    assert "letters, digits" in browser.find_element("id", "progress").text
    name.clear()
    name.send_keys("rater_7")
    found, left_open = read_annotations([save(browser, tmp_path)], study.key)
    assert {(a.item, a.question, a.answer, a.turn) for a in found} == {
        (first, "integrity", "fail", None),
        (first, "repetition", "yes", 1),
        (first, "mutual_understanding", "3", None),
        (second, "barrier", "unsure", None),
    }
    assert {a.annotator for a in found} == {"rater_7"}
    assert left_open == sum(len(item.questions) for item in study.sheets[0].items) - 4
    assert not complaints(browser)


def test_answers_are_still_there_another_day(browser, played, tmp_path):
    study, page = written(played, tmp_path)
    open_page(browser, page)
    first = study.sheets[0].items[0].id
    fields = choose(browser, first, "factual_error", "yes")
    fields.find_element("css selector", "[data-turn]").send_keys("1")
    save(browser, tmp_path)
    time.sleep(1)  # a browser keeps what was answered a moment after it was
    open_page(browser, page)
    again = browser.find_element("css selector", f'[data-item="{first}"] [data-question="factual_error"]')
    assert again.find_element("css selector", 'input[value="yes"]').is_selected()
    assert again.find_element("css selector", "[data-turn]").get_attribute("value") == "1"
    browser.find_element("id", "open").click()
    assert browser.find_element("id", "place").text.startswith("2 of ")


def test_two_conversations_stand_side_by_side(browser, played, copied, tmp_path):
    study, page = written(played, tmp_path, copied("other"))
    articles = open_page(browser, page)
    browser.execute_script("document.querySelectorAll('article').forEach((a) => { a.hidden = false; })")
    left, right = articles[-1].find_elements("css selector", ".talks > div")
    assert left.text.startswith("Left conversation")
    assert left.rect["y"] == right.rect["y"]
    assert left.rect["x"] < right.rect["x"]
    choose(browser, study.sheets[0].items[-1].id, "helped_more", "left")
    (found,), _ = read_annotations([save(browser, tmp_path)], study.key)
    assert found.answer == study.key.sheets[study.sheets[0].id].left[found.item]


def test_no_text_of_a_conversation_ever_runs_or_loads_anything(browser, copied, tmp_path):
    def poisoned(episode):
        turns = tuple(evolve(episode.turns[0], index=n, text=text) for n, text in enumerate(PAYLOADS))
        records = {s: evolve(w, raw=PAYLOADS[n], outcome=None) for n, (s, w) in enumerate(episode.records.items())}
        return evolve(episode, turns=turns, records=records)

    def scenario(scenario):
        public = evolve(scenario.public, story=PAYLOADS[2], brief=PAYLOADS[3])
        conditions = {side: tuple(evolve(c, text=PAYLOADS[1]) for c in getattr(scenario, side)) for side in "ab"}
        return evolve(scenario, public=public, **conditions)

    _, page = written(copied("poisoned", poisoned, scenario), tmp_path)
    articles = open_page(browser, page)
    browser.execute_script("document.querySelectorAll('article').forEach((a) => { a.hidden = false; })")
    assert browser.execute_script("return typeof window.ran") == "undefined"
    assert browser.current_url == page.as_uri()
    for tag in ("script", "style"):
        assert len(browser.find_elements("css selector", tag)) == 1
    assert not browser.find_elements("css selector", "img, svg, iframe, link, form, details, base")
    shown = [e.get_attribute("textContent") for e in articles[0].find_elements("css selector", ".talk li p")]
    assert shown == [text.translate({0x202E: 0xFFFD, 0x2066: 0xFFFD, 0x202D: 0xFFFD}) for text in PAYLOADS]
    assert not complaints(browser), "no refused load or script: nothing was even tried"


def test_the_policy_holds_even_where_something_gets_in(browser, played, tmp_path):
    """A script or handler that was put into the file itself does not run."""
    _, page = written(played, tmp_path)
    text = page.read_text(encoding="utf-8")
    added = "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"
    page.write_text(text.replace("<main>", f"<main>{added}"), encoding="utf-8")
    open_page(browser, page)
    assert browser.execute_script("return typeof window.ran") == "undefined"
    assert any("Content Security Policy" in message for message in complaints(browser))
    assert len(browser.find_elements("css selector", "article")) == 16
