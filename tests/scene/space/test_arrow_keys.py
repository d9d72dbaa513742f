"""Arrow keys along the graph.

0
|
1 ----.
|     |
2     4
|     |
3     5
'--6--'
"""

from __future__ import annotations

import pytest
from scenes import forked, grid, layout_of

from opentine_gui.scene.space.arrow_keys import card_toward


@pytest.mark.parametrize(
    ("start", "way", "end"),
    [
        (0, "down", 1),
        (1, "down", 2),
        (1, "up", 0),
        (4, "up", 1),
        (5, "down", 6),
        (6, "up", 3),
        (0, "up", None),
        (6, "down", None),
    ],
)
def test_up_is_the_parent_and_down_the_child_on_the_same_lane(start: int, way: str, end: int | None) -> None:
    assert card_toward(forked(), start, way) == end


def test_sideways_is_the_sibling_and_back() -> None:
    layout = forked()
    way, back = ("right", "left") if layout.centers[4, 0] > layout.centers[2, 0] else ("left", "right")
    assert card_toward(layout, 2, way) == 4
    assert card_toward(layout, 4, back) == 2
    assert card_toward(layout, 3, way) == 5
    assert card_toward(layout, 2, back) is None


def test_keys_turn_with_the_layout() -> None:
    layout = forked("left-to-right")
    assert card_toward(layout, 1, "right") == 2
    assert card_toward(layout, 4, "left") == 1
    way = "down" if layout.centers[4, 1] > layout.centers[2, 1] else "up"
    assert card_toward(layout, 2, way) == 4


def test_without_a_sibling_the_nearest_card_of_the_same_rank_is_next() -> None:
    layout = layout_of(6, [(0, 1), (1, 2), (3, 4), (4, 5)], main=2)
    way = "right" if layout.centers[4, 0] > layout.centers[1, 0] else "left"
    assert card_toward(layout, 1, way) == 4


def test_a_lone_card_leads_nowhere() -> None:
    for way in ("up", "down", "left", "right"):
        assert card_toward(grid(1, 1), 0, way) is None
