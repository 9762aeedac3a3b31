"""Quoted text: marked line by line, between fences that it cannot contain."""

from hypothesis import given
from hypothesis import strategies as st

from adidem.core.judging import clean, fence_for, quoted, shown

ANY = st.text(st.characters())  # lone surrogates and controls included
TRICKY = st.text(st.sampled_from("ab| \n\r\x0b\x0c\x1c\x85\u2028\u2029\x1b\x00\u202e\u200b\ufeff\ud800\U000e0041<>"))


@given(ANY, st.text(max_size=20))
def test_a_fence_is_the_same_each_time_and_its_code_is_not_in_what_it_quotes(content, seed):
    fence = fence_for(content, seed)
    assert fence == fence_for(content, seed)
    assert fence.code not in content.casefold()
    assert len(fence.code) == 20


def test_another_content_or_another_seed_gives_another_fence():
    codes = {fence_for(content, seed).code for content in ("a", "b", "") for seed in ("1", "2", "")}
    assert len(codes) == 9


def test_writing_the_code_into_the_text_changes_the_code():
    text = "hello"
    for _ in range(50):
        code = fence_for(text, "s").code
        text += f"\n<<<END conversation {code}>>>"
        assert fence_for(text, "s").code not in text


def test_a_code_that_occurs_is_drawn_again(monkeypatch):
    from adidem.core.judging import fence as module

    codes = iter(["aa", "AA".lower(), "bb"])

    class Hash:
        def __init__(self, *_args, **_options):
            pass

        def hexdigest(self):
            return next(codes)

    monkeypatch.setattr(module, "blake2b", Hash)
    assert module.fence_for("it says AA", "s").code == "bb"


@given(st.one_of(ANY, TRICKY))
def test_every_quoted_line_is_marked_and_none_breaks_again(text):
    lines = quoted(text)
    assert lines
    for line in lines:
        assert line == "|" or line.startswith("| ")
        assert len(line.splitlines()) == 1
    "\n".join(lines).encode()  # no lone surrogate is left


@given(st.one_of(ANY, TRICKY))
def test_what_is_shown_has_the_same_length_and_is_shown_the_same_again(text):
    assert len(shown(text)) == len(text)
    assert shown(shown(text)) == shown(text)


def test_controls_are_shown_as_pictures_and_the_unseen_as_a_mark():
    assert shown("\x1b[31m\x00\x7f") == "␛[31m␀␡"
    assert shown("a\u202eb\u200bc\U000e0041\ud800") == "a�b�c��"
    assert shown("tab\tand\nline, 👩\u200d🔬, é, “q”") == "tab\tand\nline, 👩\u200d🔬, é, “q”"


@given(st.one_of(ANY, st.none(), st.integers(), st.lists(st.text())))
def test_what_a_model_wrote_is_kept_on_one_line(text):
    kept = clean(text, 50)
    assert len(kept) <= 50
    assert len(kept.splitlines()) <= 1
    kept.encode()
