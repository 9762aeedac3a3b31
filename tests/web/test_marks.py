"""Marks in a text: laid in without losing a character, cut where it is long."""

from hypothesis import given
from hypothesis import strategies as st

from adidem.core.judging.fence import shown
from adidem.core.web.differing import differing
from adidem.core.web.marks import KINDS, MOST, Mark, hits, told

TEXTS = st.text(max_size=60)
MARKS = st.lists(
    st.builds(Mark, st.integers(-3, 70), st.integers(-3, 70), st.sampled_from(KINDS), st.integers(0, 3)), max_size=6
)


@given(TEXTS, MARKS)
def test_the_pieces_are_the_text_and_every_mark_is_on_its_characters_alone(text, marks):
    found = told(text, marks)
    assert found.text == shown(text)
    place = 0
    for piece in found.pieces:
        for at in range(place, place + len(piece.text)):
            over = {m.kind for m in marks if m.start <= at < m.end}
            assert set(piece.kinds) == over
        place += len(piece.text)


@given(TEXTS, MARKS)
def test_every_note_whose_words_are_there_is_told_once_where_they_end(text, marks):
    notes = [note for piece in told(text, marks).pieces for note in piece.notes]
    there = {m.note for m in marks if m.note and max(0, m.start) < min(m.end, len(text))}
    assert there <= set(notes)


def test_a_long_text_is_cut_and_says_how_much_is_left_out():
    found = told("x" * (MOST + 7), [Mark(MOST - 1, MOST + 5, "evidence", 1)])
    assert len(found.text) == MOST
    assert found.left_out == 7
    assert found.pieces[-1].kinds == ("evidence",)
    assert found.pieces[-1].notes == (1,)


def test_controls_are_pictures_and_places_stay():
    found = told("a\x1b[31mred", [Mark(6, 9, "hit")])
    assert [piece.text for piece in found.pieces] == ["a␛[31m", "red"]


def test_words_of_a_search_are_found_in_any_case():
    text = "Thirty hives, or THIRTY-one hives."
    assert [text[m.start : m.end] for m in hits(text, ["thirty", "hive*"])] == ["Thirty", "THIRTY", "hive", "hive"]
    assert hits("İstanbul", ["i"]) == [], "a letter that grows when small would move the marks"


def test_the_words_in_which_two_sentences_differ():
    one, two = "I need at least 38 hives, and at most 50.", "I need at least 30 hives, and at most 50."
    (mark,) = differing(one, two)
    assert one[mark.start : mark.end] == "38"
    assert differing(one, one) == [Mark(0, len(one), "differs")], "only the values differ: all of it is marked"


@given(TEXTS, TEXTS)
def test_what_is_not_marked_as_differing_is_in_the_other_sentence_too(one, two):
    if one != two:
        marked = {at for mark in differing(one, two) for at in range(mark.start, mark.end)}
        rest = "".join(letter for at, letter in enumerate(one) if at not in marked)
        left = iter(two)
        assert all(letter in left for letter in rest if not letter.isspace()), "in the same order"
