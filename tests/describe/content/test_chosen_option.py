"""Which option a person chose, and what an answer said that it is."""

from __future__ import annotations

import pytest

from opentine_gui.describe.content.chosen_option import chosen_options, option_in


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("let's do option 1", ["1"]),
        ("Option B please", ["b"]),
        ("let's do option 1 straight away", ["1"]),
        ("go with 2", ["2"]),
        ("2.", ["2"]),
        ("A)", ["a"]),
        ("the second one", ["2"]),
        ("options 1 and 3", ["1", "3"]),
        ("4 and 5", ["4", "5"]),
        ("yes", []),
        ("do it", []),
        ("I have a question", []),
        ("add a test for the reader", []),
        ("retry 3 times and then stop", []),
        ("option 1 " + "word " * 40, []),
        ("", []),
    ],
)
def test_a_choice_is_told_from_a_request(said: str, names: list[str]) -> None:
    assert chosen_options(said) == names


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("## Options\n\n### Option 1: Track it in the session\nMore.\n### Option 2: Lock", "Track it in the session"),
        ("Two ways:\n1. **Track it** in the session\n2. Lock", "Track it in the session"),
        ("1) Track it\n2) Lock", "Track it"),
        ("**Option 1**\n\nTrack it in the session.", "Track it in the session."),
        ("- **Option 1 – Track it**", "Track it"),
        ("Nothing is numbered here, 1 of many", ""),
        ("10. Not this one", ""),
        ("**Option 1**", ""),
    ],
)
def test_what_an_option_is_is_the_line_that_names_it(answer: str, told: str) -> None:
    assert option_in(answer, "1") == told


def test_hostile_answers_take_no_time_and_are_cleaned() -> None:
    assert option_in("1. \x1b[31mred\u202e", "1") == "red"
    assert option_in("#" * 500_000 + "\n" + "*_" * 200_000, "1") == ""
    assert chosen_options("option " * 5_000) == []
