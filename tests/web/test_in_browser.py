"""The viewer in a real browser, as a person uses it: reading, filtering, keys, a run that is still being played."""

import importlib.util
import json
import subprocess
import sys
from itertools import cycle
from pathlib import Path
from urllib.parse import urlencode

import pytest
from attrs import evolve

from adidem.core.domain import Flag, Judgement, Rating
from adidem.core.runs.store import RunStore
from chromium import IN_BROWSER, chromium, complaints
from hostile_run import hostile, poisoned
from payloads import PAYLOADS
from stub_endpoint import StubEndpoint
from viewing import key_of

AXE = importlib.util.find_spec("axe_playwright_python")

pytestmark = IN_BROWSER

WAIT = 60


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """One browser for all of them."""
    with chromium(tmp_path_factory.mktemp("profile"), "--force-prefers-reduced-motion") as found:
        found.set_page_load_timeout(WAIT)
        yield found


@pytest.fixture
def browser(driver):
    """The browser, at the width of a desk, in light colours, with nothing kept."""
    sized(driver, 1280, 900)
    coloured(driver, "light")
    driver.get("about:blank")  # the page of the test before asks a viewer that has ended
    driver.get_log("browser")
    return driver


@pytest.fixture
def viewer(runs):
    """The address of a viewer of `runs`, in a process of its own."""
    command = [sys.executable, "-m", "adidem", "view", str(runs), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().split()[2].rstrip("/")
    process.terminate()
    process.communicate(timeout=WAIT)


def sized(browser, width, height, *, phone=False):
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def coloured(browser, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def until(browser, what, message=""):
    from selenium.webdriver.support.wait import WebDriverWait

    return WebDriverWait(browser, WAIT, poll_frequency=0.1).until(lambda _: what(), message)


def css(browser, selector):
    return browser.find_elements("css selector", selector)


def press(browser, key):
    """A key pressed on the page; waits for the page that it leads to, where it leads to one."""
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(key).perform()


def pressed(browser, key):
    before = browser.current_url
    press(browser, key)
    until(browser, lambda: browser.current_url != before and ready(browser), f"{key} leads nowhere")


def ready(browser):
    return browser.execute_script("return document.readyState") == "complete"


def choose(browser, name, value):
    from selenium.webdriver.support.select import Select

    before = browser.current_url
    Select(browser.find_element("name", name)).select_by_value(value)
    until(browser, lambda: browser.current_url != before and ready(browser))


def tasks(browser):
    return [row.text for row in css(browser, "tbody th a")]


def wide(browser):
    """Whether anything is wider than the window; a phone zooms out where it is, and `innerWidth` grows with it."""
    return browser.execute_script(
        "const page = document.documentElement; return page.scrollWidth > Math.min(innerWidth, page.clientWidth)"
    )


OUTSIDE = """return [...document.querySelectorAll("main *")].filter((part) => {
    const at = part.getBoundingClientRect();
    const left = at.width && !part.closest(".unseen, caption, thead, .skip, svg");
    return left && (at.left < -1 || at.right > arguments[0] + 1);
}).map((part) => part.outerHTML.slice(0, 200)).slice(0, 3)"""
"""What stands outside a window of that width."""


def with_evidence(episode):
    """The episode with a fault flagged over the words of its second turn, so that Integrity fails."""
    turn = episode.turns[1]
    flag = Flag("factual_error", turn.seat, turn.index, turn.text[: max(8, len(turn.text) // 2)], "it is not so")
    judged = Judgement("integrity", (Rating("integrity", None, 0.0, "factual_error"),), (flag,))
    return evolve(episode, judgements=(judged, *episode.judgements))


def test_a_person_opens_a_run_filters_reads_and_steps_to_the_next_failure(browser, viewer, copied, episodes):
    copied("one")
    copied("main/two", with_evidence)
    browser.get(viewer)
    assert [row.text for row in css(browser, "tbody th a")] == ["main/two", "one"]
    browser.find_element("link text", "main/two").click()
    assert "48 episodes" in browser.find_element("css selector", ".place").text

    choose(browser, "family", "set_consent")
    choose(browser, "world", "b")
    choose(browser, "barrier", "none")
    expected = [e for e in episodes if (e.family, e.world, e.barrier) == ("set_consent", "b", "none")]
    assert tasks(browser) == sorted(e.task for e in expected)
    shared = browser.current_url
    for part in ("family=set_consent", "world=b", "barrier=none"):
        assert part in shared
    assert "success=" not in shared, "an address holds what is asked for and nothing else"

    css(browser, "tbody th a")[0].click()
    assert "Episode 1 of " in browser.find_element("css selector", ".place").text
    worlds = css(browser, ".pair.summary .side")
    assert [side.rect["y"] for side in worlds] == [worlds[0].rect["y"]] * 2, "side by side"
    assert worlds[0].rect["x"] < worlds[1].rect["x"]
    assert len(css(browser, ".condition mark.differs")) >= 2
    for row in css(browser, ".pair.turn"):
        assert len({side.rect["y"] for side in row.find_elements("css selector", ".side")}) == 1, "turns are aligned"

    marked = css(browser, ".said mark.evidence")
    assert marked, "the evidence is marked in the text that it quotes"
    turn = marked[0].find_element("xpath", "ancestor::article")
    note = turn.find_element("css selector", "a.ref")
    browser.execute_script("arguments[0].click()", note)
    target = browser.find_element("css selector", ".notes li:target")
    assert "factual error" in target.text
    assert marked[0].text in target.text

    before = browser.current_url.partition("#")[0]
    pressed(browser, "f")
    assert browser.current_url != before
    assert "family=set_consent" in browser.current_url
    assert css(browser, ".pair.summary .side.here .verdict.no")
    pressed(browser, "p")
    pressed(browser, "n")
    pressed(browser, "u")
    assert browser.current_url == shared
    assert not complaints(browser)


def test_keys_rest_while_one_writes_and_can_be_switched_off(browser, viewer, copied, episodes):
    from selenium.webdriver.common.keys import Keys

    copied("one")
    browser.get(f"{viewer}/episodes?run=one")
    press(browser, "/")
    search = browser.find_element("id", "search")
    assert browser.switch_to.active_element == search
    word = max(episodes[0].turns[0].text.split(), key=len).strip(".,?!")
    search.send_keys(word)
    search.send_keys(Keys.ENTER)
    until(browser, lambda: "q=" in browser.current_url and ready(browser))
    assert css(browser, "tbody tr")
    css(browser, "tbody th a")[0].click()
    assert word.lower() in [mark.text.lower() for mark in css(browser, "mark.hit")]

    press(browser, "?")
    keys = browser.find_element("id", "help")
    assert keys.is_displayed()
    browser.find_element("id", "keys-on").click()
    press(browser, Keys.ESCAPE)
    until(browser, lambda: not keys.is_displayed())
    before = browser.current_url
    for key in "npfu":
        press(browser, key)
    assert browser.current_url == before
    browser.execute_script("localStorage.clear()")
    assert not complaints(browser)


def test_one_world_alone_can_be_shown(browser, viewer, copied, episodes):
    copied("one")
    browser.get(f"{viewer}/episode?{urlencode({'run': 'one', **key_of(episodes[0])})}")
    for key, shown in (("1", [True, False]), ("2", [False, True]), ("0", [True, True])):
        press(browser, key)
        assert [side.is_displayed() for side in css(browser, ".pair.summary .side")] == shown
        (button,) = css(browser, f"[data-key='{key}']")
        assert button.get_attribute("aria-pressed") == "true"


def test_a_run_is_shown_while_it_is_being_played(browser, viewer, runs):
    """A model that takes its time, played by a real `adidem run`; rows come in without a reload, and the reader's place
    is kept."""

    def answer(body):
        return {"outcome": "decline", "terms": None} if "response_format" in body else "Let us see, shall we?"

    stub = StubEndpoint(answer=answer, latency=0.25).start()
    browser.get(viewer)
    assert "No run is here yet" in browser.find_element("id", "content").text
    words = ["run", "hico", "--agent", "openai/slow", "--api-base", stub.url, "--limit", "8", "--concurrency", "1"]
    words += ["--out", str(runs / "live"), "--json"]
    command = [sys.executable, "-m", "adidem", *words]
    playing = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until(browser, lambda: css(browser, "tbody th a"), "the run does not appear by itself")
        browser.find_element("link text", "live").click()
        browser.execute_script("window.here = 'not reloaded'")
        until(browser, lambda: tasks(browser), "no episode appears by itself")
        assert playing.poll() is None, "it is still being played"
        first, count = tasks(browser), len(tasks(browser))
        kept = browser.execute_script("window.kept = document.querySelector('tbody tr'); return window.kept.id")
        until(browser, lambda: len(tasks(browser)) > count, "no further episode appears")
        assert set(first) < set(tasks(browser))
        assert browser.execute_script("return window.here") == "not reloaded"
        assert browser.execute_script("return window.kept.isConnected && window.kept.id") == kept
        out, err = playing.communicate(timeout=WAIT)
        assert playing.returncode == 0, out + err
    finally:
        playing.kill()
        stub.stop()
    with RunStore(runs / "live") as store:
        total = store.extent()[0]
        spoken = [turn for episode in store.episodes() for turn in episode.turns if turn.seat == episode.seat]
    assert all(turn.completion_tokens > 0 for turn in spoken), "tokens are kept by turn"
    until(browser, lambda: len(tasks(browser)) == total)
    browser.execute_script("document.querySelector('tbody th a').click()")
    until(browser, lambda: css(browser, ".said"))
    assert "tokens, " in css(browser, ".said.tested .cost")[0].text
    browser.back()
    until(browser, lambda: f"{total} episodes" in browser.find_element("css selector", ".facts").text)
    assert not complaints(browser)


def test_no_hostile_text_runs_loads_or_lays_out_a_page(browser, viewer, copied, episodes):
    pair = [e for e in episodes if (e.scenario, e.seat) == (episodes[0].scenario, episodes[0].seat)]
    texts = cycle(PAYLOADS)
    copied("p", lambda e: poisoned(e, texts) if e in pair else None, lambda s: hostile(s, texts))
    pages = ["/", "/episodes?run=p", *(f"/episode?{urlencode({'run': 'p', **key_of(e)})}" for e in pair)]
    for width, phone in ((1280, False), (360, True)):
        sized(browser, width, 900, phone=phone)
        for page in pages:
            browser.get(viewer + page)
            assert browser.execute_script("return typeof window.ran") == "undefined", page
            assert browser.current_url == viewer + page
            assert not wide(browser), (page, width)
            assert not css(
                browser, "main script, main style, iframe, img, main form:not(.filters), base, object, video"
            )
            assert browser.find_element("css selector", ".top").is_displayed()
            assert not browser.execute_script(OUTSIDE, width), (page, width)
    assert not complaints(browser), "no refused load or script: nothing was even tried"


def test_the_policy_holds_even_where_something_gets_in(browser, viewer, copied):
    copied("one")
    browser.get(f"{viewer}/episodes?run=one")
    script = """const p = document.createElement('p'); document.body.append(p);
        try { p.innerHTML = "<img src=x onerror='window.ran = 1'>"; } catch (error) { return error.name; }"""
    assert browser.execute_script(script) == "TypeError", "trusted types: no text becomes HTML by the way"
    link = "const a = document.createElement('a'); a.href = 'javascript:window.ran = 1'; document.body.append(a);"
    browser.execute_script(f"{link} a.click()")
    until(browser, lambda: any("Content Security Policy" in said for said in complaints(browser)))
    assert browser.execute_script("return typeof window.ran") == "undefined"


@pytest.mark.parametrize("width", [320, 375, 600, 800, 1008, 1024, 1264, 1280, 1600])
def test_at_no_width_a_page_is_wider_than_the_window(browser, viewer, copied, episodes, width):
    """Every result, barrier and cause is in the table: the words that make its columns wide."""

    def changed(episode):
        return with_evidence(episode) if episode.seat == "first" else episode

    copied("one", changed)
    sized(browser, width, 900, phone=width < 500)
    for page in ("/", "/episodes?run=one", f"/episode?{urlencode({'run': 'one', **key_of(episodes[0])})}"):
        browser.get(viewer + page)
        assert not wide(browser), page
        assert not browser.execute_script(OUTSIDE, width), page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper_a_page_is_light_both_worlds_beside_each_other(browser, viewer, copied, episodes, scheme):
    copied("run")
    sized(browser, 718, 1050)  # A4 within its margins
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": features})
    try:
        browser.get(f"{viewer}/episode?{urlencode({'run': 'run', **key_of(episodes[0])})}")
        colours = "const style = getComputedStyle(document.body); return [style.color, style.backgroundColor]"
        assert browser.execute_script(colours) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
        a, b = css(browser, ".summary .side")
        assert a.rect["x"] + a.rect["width"] <= b.rect["x"] + 1
        assert a.rect["y"] == b.rect["y"]
        assert not css(browser, ".switch")[0].is_displayed()
        assert not browser.execute_script(OUTSIDE, 718)
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def test_a_cause_of_failure_is_read_in_few_lines(browser, viewer, copied):
    copied("run")
    browser.get(f"{viewer}/episodes?run=run")
    assert min(cell.rect["width"] for cell in css(browser, "td.causes")) > 190
    assert max(row.rect["height"] for row in css(browser, "tbody tr")) < 150


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
@pytest.mark.skipif(AXE is None, reason="axe-playwright-python, which ships axe-core, is not installed")
def test_every_page_passes_axe(browser, viewer, copied, episodes, scheme, width):
    one = copied("one", with_evidence)
    probed = episodes[0].key
    said = [{"turn": t.index, "within": t.index > 1, "elsewhere": False, "disclosed": True} for t in episodes[0].turns]
    copied("two", lambda e: evolve(e, extra={**e.extra, "probes": said}) if e.key == probed else e)
    (place,) = AXE.submodule_search_locations
    axe = (Path(place) / "axe.min.js").read_text(encoding="utf-8")
    under = next(e for e in episodes if e.barrier != "none")
    pages = ["/", "/episodes?run=one", "/episodes?run=one&q=nothing+like+it", "/nowhere", "/training?run=taught"]
    (one.parent / "taught").mkdir()
    updates = [json.dumps({"update": n, **{f"quantity/{k}": n / 7 for k in range(30)}}) for n in range(3)]
    (one.parent / "taught" / "metrics.jsonl").write_text("\n".join(updates))
    pages += [
        f"/episode?{urlencode({'run': run, **key_of(e), 'q': 'what'})}"
        for run, e in (("one", under), ("two", episodes[0]))
    ]
    sized(browser, width, 900, phone=width < 400)
    coloured(browser, scheme)
    for page in pages:
        browser.get(viewer + page)
        browser.execute_script("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        if page == "/":
            press(browser, "?")
        browser.execute_script(axe)
        found = browser.execute_async_script("const done = arguments[0]; axe.run().then(done)")
        told = [(v["id"], [n["html"][:200] for n in v["nodes"]][:3]) for v in found["violations"]]
        assert not told, page
        assert found["passes"], page
        assert not wide(browser), page
