"""Texts that begin alike are shortened to the part in which they differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.scene.text import told_apart as module
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.text.told_apart import from_difference, told_apart


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


def test_of_a_long_text_only_what_is_shown_is_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame waits for it: a prompt of a megabyte with colours and emoji took 0.8 s."""
    cleaned: list[int] = []

    def counted(text: str, limit: int) -> str:
        cleaned.append(len(text))
        return clean(text, limit)

    monkeypatch.setattr(module, "clean", counted)
    text = "the \x1b[31mbug\x1b[0m \U0001f642 " * 60_000
    assert from_difference(f"{text}at the end", f"{text}elsewhere", 40).endswith("at the end")
    assert sum(cleaned) <= module.SEEN * 40


def test_no_escape_sequence_is_cut_in_two() -> None:
    begun = "word after " * 300 + "word, \x1b[1;31m"
    assert from_difference(f"{begun}red", f"{begun}blue", 40) == "…word, red"


def test_what_cannot_be_seen_tells_no_short_texts_apart() -> None:
    same = "word after word after word after word "
    assert told_apart([f"a\u200b {same}one", f"a {same}two"], 30) == ("…after word one", "…after word two")
