"""The page as text: a strict policy, no request, no inline handler, and text of models only ever as text."""

import base64
import hashlib
import re
from html.parser import HTMLParser

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.annotation.questions import chosen
from adidem.core.annotation.sheet import page
from adidem.core.annotation.shown import Person, Said, Situation, Talk, Wrote
from adidem.core.annotation.study import Item, Sheet

ALL = tuple(q for q in chosen([]) if q.of == "conversation")


def sheet(text):
    """A sheet with one item in which everything that can be untrusted is this text."""
    person = Person(text, text, (text,))
    talk = Talk(
        (Said(1, text, text, ""),), (Wrote(text, "agree", ((text, text),), ""), Wrote(text, "", (), text or "?"))
    )
    item = Item("item-1", Situation(text, text, text, text, (person, person)), (talk,), ALL)
    return Sheet("sheet-1", "annotator-1", (item,))


class Reader(HTMLParser):
    """Collects elements, attributes and the text of scripts."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.inside, self.within = [], [], {}, None

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.within = tag

    def handle_endtag(self, tag):
        self.within = None

    def handle_data(self, data):
        if self.within in ("script", "style"):
            self.inside[self.within] = data


def read(text):
    reader = Reader()
    reader.feed(page(sheet(text)))
    return reader


PLAIN = read("plain")


def test_the_policy_lets_only_the_two_hashed_parts_run():
    policy = next(value for _, value in PLAIN.attributes if value and "default-src" in value)
    for name in ("script", "style"):
        wanted = base64.b64encode(hashlib.sha256(PLAIN.inside[name].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{wanted}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_nothing_is_loaded_and_no_handler_or_style_is_inline():
    assert not [name for name, _ in PLAIN.attributes if name.startswith("on") or name in ("src", "href", "style")]
    assert PLAIN.tags.count("script") == 1
    assert not re.search(r"https?://", page(sheet("plain")))
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", PLAIN.inside["script"])


@given(st.text() | st.sampled_from(["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</p></article>"]))
def test_no_text_adds_an_element_or_an_attribute(text):
    found = read(text or "?")
    assert found.tags == PLAIN.tags
    assert [name for name, _ in found.attributes] == [name for name, _ in PLAIN.attributes]


def test_no_text_is_a_template():
    assert "{{ 7 * 7 }}" in page(sheet("{{ 7 * 7 }}"))


def test_direction_marks_are_made_visible_where_an_episode_is_shown(copied):
    from adidem.core.annotation.study import draw
    from adidem.core.runs.store import RunStore

    turned = copied("turned", lambda e: evolve(e, turns=tuple(evolve(t, text="a\u202eb\u2066c") for t in e.turns)))
    with RunStore(turned) as run:
        text = page(draw(run, None, ALL).sheets[0])
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)
    assert "a\ufffdb\ufffdc" in text
