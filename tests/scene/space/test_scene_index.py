"""The index against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import EVERYTHING, forked, grid, layout_of

from opentine_gui.layout import Ancestry, Layout, LayoutRequest, lay_out
from opentine_gui.layout.adjust import with_pins
from opentine_gui.scene.space import scene_index
from opentine_gui.scene.space.scene_index import SceneIndex, overlapping

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


# Forty chains that leave one step and a long link from the first to the last.
BIG = layout_of(4_001, [*((max(0, i - 40), i) for i in range(1, 4_001)), (0, 4_000)])
BIG_INDEX = SceneIndex(BIG)
BIG_LINKS = np.array(
    [[*BIG.polyline(e).min(axis=0), *BIG.polyline(e).max(axis=0)] for e in range(len(BIG.edges))], dtype=np.float32
)
FAR = st.floats(-3_000, 20_000, width=32)


@given(FAR, FAR, st.floats(1, 4_000, width=32), st.floats(1, 4_000, width=32))
def test_links_of_a_large_graph_are_found_by_the_box_around_their_points(
    x: float, y: float, w: float, h: float
) -> None:
    rect = (x, y, x + w, y + h)
    assert BIG_INDEX.edges_visible(rect).tolist() == overlapping(BIG_LINKS, rect).tolist()


def test_links_are_boxed_in_parts_some_straight_and_some_not(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = BIG_INDEX.edges_visible
    for at_once in (1, 7, len(BIG.edges)):
        monkeypatch.setattr(scene_index, "LINKS_AT_ONCE", at_once)
        index = SceneIndex(BIG)
        for rect in (EVERYTHING, (0.0, 0.0, 900.0, 700.0), (-40.0, 200.0, 20.0, 9_000.0)):
            assert index.edges_visible(rect).tolist() == whole(rect).tolist()
    straight = layout_of(300, [(max(0, i - 40), i) for i in range(1, 300)])
    points = straight.edge_points.reshape(-1, 2, 2)
    lines = np.concatenate((points.min(axis=1), points.max(axis=1)), axis=1).astype(np.float32)
    for rect in ((0.0, 0.0, 900.0, 700.0), (-40.0, 200.0, 20.0, 9_000.0)):
        assert SceneIndex(straight).edges_visible(rect).tolist() == overlapping(lines, rect).tolist()


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, len(BIG.nodes) - 1), max_size=5), max_size=4), FAR, FAR, FAR, FAR)
def test_an_index_that_follows_moved_cards_is_that_of_the_new_picture(
    moves: list[list[int]], x: float, y: float, to_x: float, to_y: float
) -> None:
    index, layout = BIG_INDEX, BIG
    for number, cards in enumerate(moves):
        pins = {BIG.nodes[card]: (to_x + 31.0 * number, to_y + 17.0 * card) for card in cards}
        layout = with_pins(BIG, pins)
        index = index.updated(layout)
    fresh = SceneIndex(layout)
    for rect in ((x, y, x + 900, y + 700), (to_x - 300, to_y - 300, to_x + 900, to_y + 300)):
        assert index.visible(rect).tolist() == fresh.visible(rect).tolist()
        assert index.edges_visible(rect).tolist() == fresh.edges_visible(rect).tolist()
    assert index.hit(to_x, to_y) == fresh.hit(to_x, to_y)


def grown(layout: Layout, parents: list[tuple[int, ...]]) -> Layout:
    """The layout with steps added under those positions, one after the other."""
    known: list[tuple[int, ...]] = [()] * len(layout.nodes)
    for source, target in layout.edges.tolist():
        known[target] = (*known[target], source)
    nodes = tuple(range(len(known) + len(parents)))
    return lay_out(LayoutRequest(Ancestry(nodes, (*known, *parents)), previous=layout))


@settings(max_examples=25)
@given(
    st.lists(st.lists(st.integers(0, 4_000), min_size=1, max_size=3, unique=True), min_size=1, max_size=4),
    st.lists(st.integers(0, 4_000), max_size=3),
    FAR,
    FAR,
)
def test_an_index_follows_steps_that_come_and_go_again(
    added: list[list[int]], pinned: list[int], x: float, y: float
) -> None:
    more = grown(BIG, [tuple(above) for above in added])
    placed = with_pins(more, {more.nodes[card]: (x + 40.0, y - 31.0) for card in pinned})
    index = BIG_INDEX
    for layout in (more, placed, BIG, more):
        index = index.updated(layout)
        fresh = SceneIndex(layout)
        assert np.array_equal(index.boxes, fresh.boxes)
        for rect in ((x, y, x + 900, y + 700), layout.bounds):
            assert index.visible(rect).tolist() == fresh.visible(rect).tolist()
            assert index.edges_visible(rect).tolist() == fresh.edges_visible(rect).tolist()


def test_an_index_of_other_links_is_made_anew() -> None:
    other = layout_of(4_001, [(max(0, i - 39), i) for i in range(1, 4_001)])
    assert BIG_INDEX.updated(other).edges_visible(EVERYTHING).tolist() == list(range(4_000))
    assert np.array_equal(BIG_INDEX.updated(other).boxes, SceneIndex(other).boxes)


def test_the_index_of_the_same_layout_is_the_one_there_is() -> None:
    assert INDEX.updated(LAYOUT) is INDEX
