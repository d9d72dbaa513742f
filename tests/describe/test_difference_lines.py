"""What two texts differ in is shown wherever in them it stands, and is said to be unseen only if it is."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.describe.difference_lines import MOST_VALUES, UNSEEN, differing_texts, texts_apart
from tests.core.sample_runs import make_step

SHORT = 160


@pytest.mark.parametrize("between", [" ", "\n"])
@pytest.mark.parametrize("words", [0, 20, 200, 20_000])
def test_a_word_added_behind_a_long_text_is_seen(words: int, between: str) -> None:
    before = between.join(["then can we look at it"] * words)
    lines = texts_apart(before, f"{before}{between}Add a test first.", SHORT, 0)
    added = "\n".join(line.text for line in lines if line.kind == "added")
    assert "Add a test first." in added
    assert len(added) <= SHORT


def test_what_is_seen_is_shown_though_what_differs_first_is_not() -> None:
    same = "word " * 500
    lines = texts_apart(f"a\u200b{same}one", f"a{same}two", SHORT, 0)
    assert [(line.kind, line.text[-3:]) for line in lines] == [("removed", "one"), ("added", "two")]


@given(st.text(max_size=600), st.text(max_size=600), st.text(max_size=600))
def test_nothing_is_called_unseen_that_can_be_seen(same: str, one: str, two: str) -> None:
    from opentine_gui.scene.text.clean import clean_whole

    before, after = same + one, same + two
    seen = clean_whole(before, lines=True) != clean_whole(after, lines=True)
    unseen = [line.text for line in texts_apart(before, after, SHORT, 0)] == [UNSEEN]
    assert unseen == (before != after and not seen)


def test_texts_that_differ_are_looked_for_in_the_order_of_a_step_and_not_through_a_whole_table() -> None:
    inputs = {"rows": [1, {"name": "one"}], "text": "first"}
    step = make_step("", outputs={"text": "said"})
    one = msgspec.structs.replace(step, inputs=inputs)
    two = msgspec.structs.replace(
        one, inputs={"rows": [2, {"name": "two"}], "text": "second"}, outputs={"text": "more"}
    )
    assert differing_texts(one, two) == ("one", "two")
    assert differing_texts(one, msgspec.structs.replace(one, outputs={"text": "more"})) == ("said", "more")
    assert differing_texts(one, msgspec.structs.replace(one, cost=2.0)) is None
    before, after = ({"rows": [*([number] * MOST_VALUES), f"row {number}"]} for number in (1, 2))
    rows = msgspec.structs.replace(step, inputs=before), msgspec.structs.replace(step, inputs=after)
    assert differing_texts(*rows) is None, "a card waits for it"
