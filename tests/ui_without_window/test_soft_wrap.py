"""Lines wrapped by breaks of our own: what is typed into them is the text the user meant."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.ui.proposals.soft_wrap import SoftWrap

TEXTS = st.text(alphabet="ab \n漢", max_size=60)
ROOMS = st.integers(1, 20)


def wrapped(text: str, room: int) -> SoftWrap:
    """A wrap in which each letter is one pixel wide, and letters of two columns are two."""
    return SoftWrap(text, lambda line: [2.0 if letter == "漢" else 1.0 for letter in line], room, 2.0)


@settings(max_examples=60)
@given(TEXTS, ROOMS)
def test_lines_fit_and_stand_for_the_text(text: str, room: int) -> None:
    wrap = wrapped(text, room)
    assert wrap.text == text
    assert wrap.typed(wrap.shown + "x") == text + "x"
    assert wrap.typed(wrap.shown[:-1]) == text
    for line in wrapped(text, room).shown.split("\n"):
        assert sum(2 if letter == "漢" else 1 for letter in line) <= max(room, 2)
    assert wrapped("ab ab ab", 5).shown == "ab ab\nab"
    assert wrapped("abababab", 5).shown == "ababa\nbab"


@settings(max_examples=60)
@given(
    TEXTS,
    ROOMS,
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 6), st.sampled_from(["", "x", "yz", "\n"])), max_size=6),
)
def test_what_is_typed_and_deleted_is_done_to_the_text_and_going_back_is_exact(
    text: str, room: int, edits: list[tuple[int, int, str]]
) -> None:
    wrap = wrapped(text, room)
    states = [(wrap.shown, wrap.text)]
    for place, count, new in edits:
        shown = wrap.shown
        place = min(place, len(shown))
        before, after = wrap.text, shown[:place] + new + shown[place + count :]
        result = wrap.typed(after)
        touched = shown[max(place - 1, 0) : place + count + 1] + new
        if "\n" not in touched:
            kept = [letter for letter in before if letter not in " \n"]
            gone = [letter for letter in shown[place : place + count] if letter not in " \n"]
            assert len([letter for letter in result if letter not in " \n"]) == len(kept) - len(gone) + len(new)
            assert result.count("\n") == before.count("\n"), "no break became a real one"
        assert "".join(result.split()) == "".join(after.split()), "letters are those of the box"
        states.append((after, result))
    for shown, meant in reversed(states):
        assert "".join(wrap.typed(shown).split()) == "".join(meant.split())


def test_undo_in_the_box_brings_the_breaks_back_as_they_were() -> None:
    wrap = wrapped("one two three four", 8)
    assert wrap.shown == "one two\nthree\nfour"
    assert wrap.typed("") == ""
    assert wrap.typed("one two\nthree\nfour") == "one two three four"
    assert wrap.typed("one two\nthree\n\nfour") == "one two three \nfour"


def test_a_deleted_break_deletes_the_space_it_stands_for() -> None:
    wrap = wrapped("one two three", 8)
    assert wrap.shown == "one two\nthree"
    assert wrap.typed("one twothree") == "one twothree"


def test_what_is_copied_or_cut_has_spaces_where_breaks_were_shown_and_real_lines_where_they_are() -> None:
    wrap = wrapped("one two three\nfour", 8)
    assert wrap.shown == "one two\nthree\nfour"
    assert wrap.copied("two\nthree\nfour") == "two three\nfour"
    wrap.typed("one \nfour")
    assert wrap.copied("two\nthree") == "two three", "after a cut"
    assert wrap.copied("from\nelsewhere") == "from\nelsewhere"
