"""The page in a real browser: it shows, in light, dark and on a phone; nothing hostile runs, loads or lays it out."""

import importlib.util
import json
from pathlib import Path

import pytest

from chromium import IN_BROWSER, chromium, complaints
from payloads import PAYLOADS

AXE = importlib.util.find_spec("axe_playwright_python")

pytestmark = IN_BROWSER

CUT = """
const parts = [...document.querySelectorAll('.wide, pre, figure')].filter((part) => part.offsetParent !== null);
return parts.filter((part) => part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1)
  .map((part) => [part.tagName, part.className, part.scrollWidth, part.clientWidth, part.innerText.slice(0, 60)]);
"""
"""What is larger than its box."""


@pytest.fixture
def browser(tmp_path):
    """A browser with nothing kept."""
    with chromium(tmp_path / "profile") as driver:
        yield driver


def written(cli, *runs, more=()):
    return Path(cli("report", *runs, "--format", "html", *more).stdout.strip()).resolve()


def unfold(browser):
    browser.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")


def colour(browser, selector, style):
    return browser.execute_script(
        "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector, style
    )


def test_the_page_shows_its_plots_and_tables(browser, cli, copied):
    browser.get(written(cli, copied("run")).as_uri())
    plots = browser.find_elements("css selector", "figure svg")
    assert len(plots) >= 6
    assert all(plot.rect["width"] > 300 and plot.rect["height"] > 40 for plot in plots)
    assert "Verified Success" in browser.find_element("id", "run-headline").text
    unfold(browser)
    assert browser.find_element("css selector", ".episode .talk p").text.strip()
    assert not complaints(browser)


def test_the_colours_are_those_of_the_reader(browser, cli, copied):
    page = written(cli, copied("run")).as_uri()
    seen = {}
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        browser.get(page)
        seen[scheme] = (colour(browser, "body", "backgroundColor"), colour(browser, ".fill-s1", "fill"))
    assert seen["light"][0] == "rgb(255, 255, 255)"
    assert len({seen["light"], seen["dark"]}) == 2
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": features})
    assert colour(browser, "body", "backgroundColor") == "rgb(255, 255, 255)", "on paper the page is light"


def trained(copied):
    """A run with the updates of a training beside it: forty rows of more figures than a sheet of paper is wide."""
    folder, many = copied("run"), {f"quantity/{n}/with_a_long_name": n / 7 for n in range(40)}
    (folder / "metrics.jsonl").write_text("".join(json.dumps({"update": n, **many}) + "\n" for n in range(45)))
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper_nothing_is_cut(browser, cli, copied, silent, scheme):
    """At the width of a sheet of A4 with its margins no table, plot or configuration has anything to scroll to."""
    for page in (written(cli, trained(copied)), written(cli, *silent, more=["--compare"])):
        size = {"width": 718, "height": 1050, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": features})
        browser.get(page.as_uri())
        cut = browser.execute_script(CUT)
        assert not cut
        assert browser.find_elements("css selector", ".wide.broad"), "a broad table was there to be cut"
        assert not browser.find_element("css selector", "nav").is_displayed()


def test_folded_conversations_leave_no_empty_heading_on_paper(browser, cli, copied):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.get(written(cli, copied("run")).as_uri())
    heading = browser.find_element("css selector", "#run-episodes h3")
    assert not heading.is_displayed()
    browser.execute_script("document.querySelector('.episode').open = true")
    assert heading.is_displayed()


def test_long_tables_keep_the_page_short_and_their_heads_in_sight(browser, cli, copied):
    browser.get(written(cli, trained(copied)).as_uri())
    tall = browser.find_elements("css selector", ".wide.long")
    assert tall, "the updates of a training run"
    assert all(table.rect["height"] <= 700 for table in tall)
    head = browser.execute_script(
        "const t = arguments[0]; t.scrollTop = 400; return t.querySelector('th').getBoundingClientRect().top"
        " - t.getBoundingClientRect().top",
        tall[0],
    )
    assert 0 <= head < 5


def test_on_a_phone_the_words_of_a_plot_can_be_read(browser, cli, copied):
    size = {"width": 375, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(written(cli, copied("run")).as_uri())
    heights = browser.execute_script(
        "return [...document.querySelectorAll('.plot text')].map((t) => t.getBoundingClientRect().height)"
    )
    assert min(heights) > 8
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 375


@pytest.mark.parametrize("width", [390, 1200])
def test_hostile_text_neither_runs_nor_breaks_the_layout(browser, cli, poisoned, width):
    page = written(cli, poisoned)
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    browser.get(page.as_uri())
    unfold(browser)
    assert browser.execute_script("return typeof window.ran") == "undefined"
    assert browser.current_url == page.as_uri()
    assert not browser.find_elements("css selector", "script, img, iframe, link, form, base, object, embed, video")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width, (
        "the page itself never scrolls"
    )
    tall = browser.execute_script("return Math.max(...[...document.querySelectorAll('tr')].map((r) => r.offsetHeight))")
    assert tall < 900
    text = browser.find_element("css selector", "body").get_attribute("textContent")
    assert "<script>window.ran = 1</script>" in text
    assert not set(text) & {"\x1b", "\u202e", "\x9b"}
    assert not complaints(browser), "no refused load or script: nothing was even tried"


@pytest.mark.skipif(AXE is None, reason="axe-playwright-python, which ships axe-core, is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_passes_axe(browser, cli, copied, silent, scheme):
    axe = (Path(AXE.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.set_script_timeout(280)
    for page in (written(cli, copied("run")), written(cli, *silent, more=["--compare"])):
        browser.get(page.as_uri())
        unfold(browser)
        browser.execute_script(axe)
        found = browser.execute_async_script("const done = arguments[0]; axe.run().then(done)")
        assert not [(v["id"], v["nodes"][0]["html"][:200]) for v in found["violations"]]


def test_hostile_runs_side_by_side(browser, cli, poisoned, copied):
    page = written(cli, poisoned, copied("plain"), more=["--compare"])
    browser.get(page.as_uri())
    unfold(browser)
    assert browser.execute_script("return typeof window.ran") == "undefined"
    assert not complaints(browser)


def test_the_policy_holds_even_where_something_gets_in(browser, cli, copied):
    """A script, a handler or a picture that was put into the file itself does nothing."""
    page = written(cli, copied("run"))
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("<main>", f"<main>{''.join(PAYLOADS[:-1])}", 1), encoding="utf-8")
    browser.get(page.as_uri())
    assert browser.execute_script("return typeof window.ran") == "undefined"
    assert any("Content Security Policy" in message for message in complaints(browser))
