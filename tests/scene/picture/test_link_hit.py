"""The link under a pixel is the one that is drawn there, and none where none is."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import forked

from opentine_gui.scene.draw_list import Curve, Line
from opentine_gui.scene.picture.link_hit import link_at
from opentine_gui.scene.picture.links import draw_polyline
from opentine_gui.scene.space.scene_index import SceneIndex


@pytest.mark.parametrize("direction", ["top-to-bottom", "left-to-right"])
def test_the_middle_of_what_is_drawn_of_a_link_belongs_to_it(direction: str) -> None:
    layout = forked(direction)
    index, curves = SceneIndex(layout), 0
    for link in range(len(layout.edges)):
        points = [(float(x), float(y)) for x, y in layout.polyline(link)]
        for item in draw_polyline(points, direction == "left-to-right", (0, 0, 0, 255), 2.0):
            if isinstance(item, Curve):
                curves += 1
                middle = (np.array([item.p1, item.p4]) + 3 * np.array([item.p2, item.p3])).sum(axis=0) / 8
            else:
                assert isinstance(item, Line)
                middle = np.array([item.points[0], item.points[-1]]).mean(axis=0)
            assert link_at(layout, index, float(middle[0]), float(middle[1]), 2.0) == link
    assert curves, "nothing changes lane here"


def test_there_is_no_link_inside_a_card_or_far_away() -> None:
    layout = forked()
    index = SceneIndex(layout)
    left, top, *_ = layout.bounds
    assert link_at(layout, index, left - 50, top - 50, 4.0) is None
