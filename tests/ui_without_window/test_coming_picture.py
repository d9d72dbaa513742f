"""A selection that goes with a picture on its way is painted with it, and never waits long."""

from __future__ import annotations

from opentine_gui.ui.canvas.graph_picture import MOST_WAITED, ComingPicture


def test_opening_a_group_paints_its_selection_with_the_new_picture() -> None:
    picture = ComingPicture()
    assert picture.selection(1, coming=False) == 1
    assert picture.selection(2, coming=True) == 1, "the old picture is not painted again for it"
    assert picture.waits, "so that more frames follow"
    assert picture.selection(2, coming=False) == 2
    assert not picture.waits


def test_a_picture_that_takes_long_does_not_hold_the_selection_back() -> None:
    picture = ComingPicture()
    picture.selection(1, coming=False)
    seen = [picture.selection(2, coming=True) for _ in range(MOST_WAITED + 1)]
    assert seen == [1] * MOST_WAITED + [2]
    assert not picture.waits
    assert picture.selection(2, coming=True) == 2
