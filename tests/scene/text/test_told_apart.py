"""Texts that begin alike are shortened to the part in which they differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.text.told_apart import told_apart


def test_each_begins_a_word_or_two_before_it_differs() -> None:
    same = "Go through all the files of the project and mend "
    assert told_apart([f"{same}the reader", f"{same}the writer"], 30) == (
        "…and mend the reader",
        "…and mend the writer",
    )


def test_a_text_that_another_goes_on_from_shows_its_end() -> None:
    text = "Go through all the files of the project and mend the reader."
    assert told_apart([text, f"{text} Then stop."], 30) == ("…the reader.", "…the reader. Then stop.")


def test_texts_whose_difference_is_in_view_or_that_are_the_same_begin_as_they_do() -> None:
    assert told_apart(["first thing", "second thing"], 40) == ("first thing", "second thing")
    assert told_apart(["read a.py", "read b.py", "read a.py"], 40) == ("read a.py", "read b.py", "read a.py")


def test_of_several_each_is_told_from_the_one_it_shares_most_with() -> None:
    same = "Go through all the files of the project and mend the reader of "
    said = told_apart([f"{same}csv", f"{same}json", f"{same}json lines", "Something else"], 30)
    assert said == ("…the reader of csv", "…reader of json", "…reader of json lines", "Something else")


@given(st.lists(st.text(alphabet="ab …\u0301\x1b[\n", max_size=80), min_size=2, max_size=4), st.integers(2, 60))
def test_what_is_said_is_clean_and_never_too_long(texts: list[str], most: int) -> None:
    for said in told_apart(texts, most):
        assert len(said) <= most
        assert clean(said, most) == said
