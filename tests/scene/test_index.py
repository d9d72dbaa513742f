"""The index against brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scenes import EVERYTHING, forked, grid

from opentine_gui.scene.index import SceneIndex

LAYOUT = forked()
INDEX = SceneIndex(LAYOUT)
RANGE = st.floats(-500, 1200, width=32)


def touches(box: tuple[float, ...], rect: tuple[float, ...]) -> bool:
    return box[0] <= rect[2] and box[2] >= rect[0] and box[1] <= rect[3] and box[3] >= rect[1]


@given(RANGE, RANGE, RANGE, RANGE)
def test_visible_and_box_selection_agree_with_looking_at_every_card(x0: float, y0: float, x1: float, y1: float) -> None:
    rect = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    expected = [i for i, (x, y) in enumerate(LAYOUT.centers) if touches((x - 110, y - 40, x + 110, y + 40), rect)]
    assert INDEX.visible(rect).tolist() == expected
    assert INDEX.inside((x0, y0, x1, y1)).tolist() == expected


@given(RANGE, RANGE, RANGE, RANGE)
def test_no_link_with_a_point_in_sight_is_missed(x0: float, y0: float, x1: float, y1: float) -> None:
    rect = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    found = set(INDEX.edges_visible(rect).tolist())
    for edge in range(len(LAYOUT.edges)):
        if any(touches((x, y, x, y), rect) for x, y in LAYOUT.polyline(edge)):
            assert edge in found


@given(RANGE, RANGE)
def test_hit_finds_the_card_under_a_point(x: float, y: float) -> None:
    under = [i for i, (cx, cy) in enumerate(LAYOUT.centers) if abs(x - cx) <= 110 and abs(y - cy) <= 40]
    assert INDEX.hit(x, y) == (under[-1] if under else None)


def test_of_two_cards_on_top_of_each_other_the_later_one_is_hit() -> None:
    layout = grid(1, 3)
    layout.centers[:] = (5.0, 5.0)
    assert SceneIndex(layout).hit(0, 0) == 2


def test_the_size_of_a_card_may_differ_from_the_layouts() -> None:
    small = SceneIndex(LAYOUT, (20, 10))
    x, y = LAYOUT.centers[3]
    assert small.hit(x, y) == 3
    assert small.hit(x + 15, y) is None


def test_bounds_of_some_cards() -> None:
    assert INDEX.bounds([]) is None
    (x0, y0), (x1, y1) = LAYOUT.centers[[0, 4]].min(axis=0), LAYOUT.centers[[0, 4]].max(axis=0)
    assert INDEX.bounds([0, 4]) == (x0 - 110, y0 - 40, x1 + 110, y1 + 40)
    assert INDEX.box(0) == INDEX.bounds(np.array([0]))


def test_an_empty_graph_has_nothing_anywhere() -> None:
    empty = SceneIndex(grid(0, 1))
    assert len(empty.visible(EVERYTHING)) == len(empty.edges_visible(EVERYTHING)) == 0
    assert empty.hit(0, 0) is None
