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

from types import SimpleNamespace

import pytest
from scenes import forked, grid, layout_of

from opentine_gui.scene.space.arrow_keys import step_toward

PARENTS = [(), (0,), (1,), (2,), (1,), (4,), (3, 5)]
CHILDREN = [(1,), (2, 4), (3,), (6,), (5,), (6,), ()]
GRAPH = SimpleNamespace(parents=PARENTS, children_of=CHILDREN.__getitem__)


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
    assert step_toward(GRAPH, forked(), start, way) == end


def test_sideways_is_the_sibling_and_back() -> None:
    layout = forked()
    way, back = ("right", "left") if layout.centers[4, 0] > layout.centers[2, 0] else ("left", "right")
    assert step_toward(GRAPH, layout, 2, way) == 4
    assert step_toward(GRAPH, layout, 4, back) == 2
    assert step_toward(GRAPH, layout, 3, way) == 5
    assert step_toward(GRAPH, layout, 2, back) is None


def test_keys_turn_with_the_layout() -> None:
    layout = forked("left-to-right")
    assert step_toward(GRAPH, layout, 1, "right") == 2
    assert step_toward(GRAPH, layout, 4, "left") == 1
    way = "down" if layout.centers[4, 1] > layout.centers[2, 1] else "up"
    assert step_toward(GRAPH, layout, 2, way) == 4


def test_without_a_sibling_the_nearest_step_of_the_same_rank_is_next() -> None:
    layout = layout_of(6, [(0, 1), (1, 2), (3, 4), (4, 5)], main=2)
    graph = SimpleNamespace(
        parents=[(), (0,), (1,), (), (3,), (4,)], children_of=[(1,), (2,), (), (4,), (5,), ()].__getitem__
    )
    way = "right" if layout.centers[4, 0] > layout.centers[1, 0] else "left"
    assert step_toward(graph, layout, 1, way) == 4


def test_a_lone_step_leads_nowhere() -> None:
    graph = SimpleNamespace(parents=[()], children_of=[()].__getitem__)
    for way in ("up", "down", "left", "right"):
        assert step_toward(graph, grid(1, 1), 0, way) is None
