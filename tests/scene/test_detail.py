"""Levels of detail keep their budgets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from scenes import grid, view_of

from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.detail_level import (
    BOX_BUDGET,
    CARD_BUDGET,
    READABLE_BUDGET,
    READABLE_ZOOM,
    TITLE_BUDGET,
    Level,
    level_of_detail,
)
from opentine_gui.scene.picture.build import build

FACE = CardFace("A title", "a line", "1.0 s  $0.0010")
BUDGETS = {Level.CARD: CARD_BUDGET, Level.TITLE: TITLE_BUDGET, Level.BOX: BOX_BUDGET}


@given(st.floats(1e-5, 4), st.integers(0, 200_000))
def test_no_level_is_chosen_beyond_its_budget(zoom: float, visible: int) -> None:
    level = level_of_detail(zoom, visible)
    if level is Level.CARD and zoom >= READABLE_ZOOM:
        assert visible <= READABLE_BUDGET
    elif level is not Level.DENSITY:
        assert visible <= BUDGETS[level]


@given(st.floats(1e-5, 4), st.floats(1e-5, 4), st.integers(0, 2000), st.integers(0, 2000))
def test_zooming_out_or_seeing_more_never_adds_detail(z0: float, z1: float, v0: int, v1: int) -> None:
    assert level_of_detail(min(z0, z1), max(v0, v1)) >= level_of_detail(max(z0, z1), min(v0, v1))


def test_a_few_steps_at_full_size_are_cards_and_a_huge_graph_is_a_picture() -> None:
    assert level_of_detail(1.0, 60) is Level.CARD
    assert level_of_detail(0.4, 60) is Level.TITLE
    assert level_of_detail(0.1, 60) is Level.BOX
    assert level_of_detail(0.1, 100_000) is Level.DENSITY


def test_the_number_of_primitives_follows_the_screen_and_not_the_graph() -> None:
    items = []
    for rows in (100, 10_000):
        layout = grid(10, rows)
        window = (0.0, 0.0, 2000.0, 1300.0)
        faces = [FACE] * (10 * rows)
        items.append([len(build(view_of(layout, faces, rect=window, zoom=zoom)).items) for zoom in (1.0, 0.5, 0.2)])
    assert items[0] == items[1]


def test_boxes_of_a_lane_share_one_line() -> None:
    layout = grid(3, 100)
    drawing = build(view_of(layout, [FACE] * 300, zoom=0.05))
    assert drawing.visible == 300
    assert len(drawing.items) == 300 + 3
