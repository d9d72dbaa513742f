"""A text that was cut and is cut again has one mark of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.scene.text.clean import ELLIPSIS, clean, shortened_end, shortened_middle
from opentine_gui.scene.text.line_break import wrapped
from opentine_gui.scene.text.told_apart import told_apart
from tests.scene.scenes import METRICS

CUT_ONCE = "Merge of can you pull `entir… and Fork of can you pull `entir… and another"
TWICE = (f"{ELLIPSIS}{ELLIPSIS}", f"{ELLIPSIS} {ELLIPSIS}")


def marked_twice(text: str) -> bool:
    return any(mark in text for mark in TWICE)


@given(st.integers(1, 80), st.floats(10.0, 600.0))
def test_one_mark_is_left_wherever_it_is_cut_again(most: int, room: float) -> None:
    assert not marked_twice(clean(CUT_ONCE, most))
    assert not marked_twice(shortened_end(CUT_ONCE, room, "text", 13, METRICS))
    assert TWICE[0] not in shortened_middle(CUT_ONCE.replace(" ", "/"), room, "text", 13, METRICS)
    assert not any(marked_twice(line) for line in wrapped(CUT_ONCE, max(room, 40.0), "text", 13, METRICS, 2))


def test_a_text_that_differs_right_after_a_mark_begins_with_one() -> None:
    same = "can you pull the changes of `entir…"
    assert told_apart([f"{same} a", f"{same} b"], 20) == ("…of `entir… a", "…of `entir… b")
    long = f"{'word ' * 10}… and then one more"
    assert not any(marked_twice(said) for said in told_apart([f"{long} a", f"{long} b"], 20))
