"""What a view is turned into, primitive by primitive."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scenes import forked, grid, layout_of, view_of

from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.detail_level import BOX_BUDGET, Level
from opentine_gui.scene.draw_list import Curve, DrawList, Line, Picture, Rect, Text
from opentine_gui.scene.picture.build import DENSITY_PICTURE, build, build_carried, build_hovered
from opentine_gui.scene.picture.links import DraftLink, draw_strands
from opentine_gui.scene.picture.preview_layer import GhostCard, build_proposed, build_pulled
from opentine_gui.scene.picture.view import ORIGIN_STEP, carry
from opentine_gui.scene.space.camera import Camera, Viewport, to_screen, view_rect
from opentine_gui.scene.theme import DARK, mixed
from tests.scene.picture.drawn import FACE, cards_of, is_link, texts

PALETTE = ("hairline", "shared", "accent", "side_a", "side_b")


def test_a_card_is_where_the_camera_says() -> None:
    layout = forked()
    camera, viewport = Camera(40, 90, 1.5), Viewport(1600, 1200)
    drawing = build(view_of(layout, zoom=1.5, rect=view_rect(camera, viewport, 200)))
    for number, center in enumerate(layout.centers.tolist()):
        sx, sy = to_screen(camera, viewport, *center)
        card = cards_of(drawing)[f"step {number}"]
        dx = viewport.width / 2 - camera.x * camera.zoom + drawing.origin[0]
        dy = viewport.height / 2 - camera.y * camera.zoom + drawing.origin[1]
        middle = ((card.x0 + card.x1) / 2 + dx, (card.y0 + card.y1) / 2 + dy)
        assert middle == pytest.approx((sx, sy), abs=1)
        assert (card.x1 - card.x0, card.y1 - card.y0) == (330, 120)


def test_far_from_the_world_s_origin_coordinates_stay_small_and_exact() -> None:
    layout = grid(1, 100_000)
    camera, viewport = Camera(0.0, 99_990 * 120.0, 1.0), Viewport(800, 600)
    drawing = build(view_of(layout, [FACE] * 100_000, rect=view_rect(camera, viewport, 100)))
    assert drawing.origin[1] % ORIGIN_STEP == 0
    for item in drawing.items:
        if isinstance(item, Rect):
            assert abs(item.y0) <= ORIGIN_STEP + 1000
            assert float(np.float32(item.y0)) == item.y0
    assert 99_990 in drawing.cards


def test_near_the_world_s_origin_the_list_needs_no_origin_of_its_own() -> None:
    assert build(view_of(forked())).origin == (0, 0)


def test_links_lie_below_all_cards_and_every_step_is_drawn_once() -> None:
    drawing = build(view_of(forked()))
    kinds = [type(item) for item in drawing.items]
    assert max(i for i, kind in enumerate(kinds) if kind is Curve) < kinds.index(Text)
    assert sorted(drawing.cards) == list(range(7))
    assert drawing.visible == 7
    assert len(cards_of(drawing)) == 7


def test_lanes_are_straight_lines_and_forks_and_merges_are_curves() -> None:
    chain = build(view_of(layout_of(4, [(0, 1), (1, 2), (2, 3)], main=3)))
    assert not [item for item in chain.items if isinstance(item, Curve)]
    drawing = build(view_of(forked()))
    curves = [item for item in drawing.items if isinstance(item, Curve)]
    assert len(curves) == 2
    for curve in curves:
        assert curve.p1[0] == curve.p2[0]
        assert curve.p4[0] == curve.p3[0]


def test_from_left_to_right_curves_leave_sideways() -> None:
    curves = [item for item in build(view_of(forked("left-to-right"))).items if isinstance(item, Curve)]
    assert len(curves) == 2
    assert all(curve.p1[1] == curve.p2[1] and curve.p4[1] == curve.p3[1] for curve in curves)


def test_the_main_line_is_wider_than_the_others() -> None:
    layout = layout_of(5, [(0, 1), (1, 2), (1, 3), (3, 4)], main=2)
    widths = {
        item.thickness for item in build(view_of(layout)).items if isinstance(item, Line) and item.color != DARK.model
    }
    assert {2.0, 3.0} <= widths
    main = [item for item in build(view_of(layout)).items if isinstance(item, Line) and item.thickness == 3.0]
    assert {item.points[0][0] for item in main} == {0.0}


def test_the_selection_has_an_accent_ring_at_every_level() -> None:
    for zoom in (1.0, 0.4, 0.1):
        rings = [
            item
            for item in build(view_of(forked(), zoom=zoom, selection=frozenset({2}))).items
            if isinstance(item, Rect) and item.edge == DARK.accent and item.fill is None
        ]
        assert len(rings) == 1
        x, y = (forked().centers[2] * zoom).tolist()
        assert rings[0].x0 < x < rings[0].x1
        assert rings[0].y0 < y < rings[0].y1


def test_cards_that_are_out_of_the_question_fade_and_say_why_when_hovered() -> None:
    view = view_of(forked(), dimmed=frozenset({0}), reasons={0: "an ancestor of the step"}, hovered=None)
    plain, faded = (build(view).items, build(view_of(forked())).items)
    ink = [next(i.color for i in items if isinstance(i, Text) and i.text == "step 0") for items in (plain, faded)]
    assert ink[0] != ink[1]
    assert "an ancestor of the step" not in texts(plain)
    hovered = build(view_of(forked(), dimmed=frozenset({0}), reasons={0: "an ancestor of the step"}, hovered=0))
    assert "an ancestor of the step" in texts(hovered.items)


def test_carried_cards_are_a_piece_of_their_own_and_pull_their_links() -> None:
    layout = forked()
    before = cards_of(build(view_of(layout)))
    carried = carry(layout, frozenset({2, 4}))
    view = view_of(layout, carried=carried)
    standing, held = build(view), build_carried(view, carried, Level.CARD)
    assert set(standing.cards) == {0, 1, 3, 5, 6}
    assert held.cards == (2, 4)
    assert cards_of(standing) | cards_of(held) == before
    links = [item for item in build(view_of(layout)).items if isinstance(item, (Curve, Line)) and is_link(item)]
    inner = [item for item in held.items if isinstance(item, (Curve, Line)) and is_link(item)]
    outer = [item for item in standing.items if isinstance(item, (Curve, Line)) and is_link(item)]
    pulled = build_pulled(view, carried, (70.0, 30.0)).items
    assert len(inner) + len(outer) + len(pulled) == len(links) == len(layout.edges)
    at_held = {tuple(edge) for edge in layout.edges.tolist() if len({2, 4} & set(edge)) == 1}
    expected = set()
    for source, target in at_held:
        start = layout.centers[source] + (np.array((70.0, 30.0)) if source in (2, 4) else 0.0)
        end = layout.centers[target] + (np.array((70.0, 30.0)) if target in (2, 4) else 0.0)
        expected.add((start[0], start[1] + 40.0, end[0], end[1] - 40.0))
    assert {(*item.p1, *item.p4) for item in pulled if isinstance(item, Curve)} == expected
    assert {item.color for item in pulled if isinstance(item, Curve)} == {DARK.link}
    chosen = build_pulled(view_of(layout, carried=carried, selection=frozenset({2, 4})), carried, (70.0, 30.0)).items
    assert {item.color for item in chosen if isinstance(item, Curve)} == {DARK.accent}


@pytest.mark.parametrize("level", [Level.CARD, Level.TITLE, Level.BOX])
def test_the_hovered_card_and_its_links_are_painted_over_a_view_that_does_not_know_of_it(level: Level) -> None:
    layout = forked()
    drawing = build_hovered(view_of(layout, hovered=1), level)
    assert drawing.cards == (1,)
    links = [item for item in drawing.items if isinstance(item, (Line, Curve)) and item.color == DARK.quiet]
    assert len(links) == (0 if level is Level.BOX else 3)  # from 0, to 2 and to 4
    below = build(view_of(layout)).items
    assert not [item for item in below if isinstance(item, (Line, Curve)) and item.color == DARK.quiet]
    assert build_hovered(view_of(layout, hovered=1), Level.DENSITY).items == ()
    assert build_hovered(view_of(layout), level).items == ()


def test_the_links_of_the_hovered_card_do_not_strike_out_the_flags_of_other_cards() -> None:
    faces = [CardFace(f"step {number}", flags=(Flag("2 failed", "bad"),) if number == 0 else ()) for number in range(7)]
    items = build_hovered(view_of(forked(), faces, hovered=1), Level.CARD).items
    last_link = max(
        place for place, item in enumerate(items) if isinstance(item, (Line, Curve)) and item.color == DARK.quiet
    )
    said = [place for place, item in enumerate(items) if isinstance(item, Text) and item.text == "2 failed"]
    assert said and said[0] > last_link


def test_only_carried_cards_and_links_in_sight_are_drawn() -> None:
    layout = grid(3, 500)
    carried = carry(layout, frozenset(range(0, 1500, 2)))
    view = view_of(layout, rect=(-200.0, -50.0, 200.0, 300.0), carried=carried)
    assert len(build_carried(view, carried, Level.CARD).cards) < 10
    assert len(build_pulled(view, carried, (0.0, 0.0)).items) < 20


def test_over_a_density_picture_carried_cards_are_boxes_within_a_budget() -> None:
    layout = grid(100, 100)
    carried = carry(layout, frozenset(range(5_000)))
    view = view_of(layout, zoom=0.02, carried=carried)
    held = build_carried(view, carried, Level.DENSITY)
    assert 100 < len(held.cards) <= BOX_BUDGET


def test_a_pulled_line_is_dashed_and_ends_at_the_pointer() -> None:
    links = (DraftLink(2, point=(300.0, 400.0)), DraftLink(2, target=4))
    drawing = build_proposed(view_of(forked()), links, ())
    dashed = [item for item in drawing.items if isinstance(item, Curve) and item.dash]
    x, y = forked().centers[2].tolist()
    assert [item.p1 for item in dashed] == [(x, y + 40)] * 2
    assert dashed[0].p4 == (300.0, 400.0)
    assert dashed[1].p4 == tuple(forked().centers[4] - (0, 40))


def test_a_ghost_has_dashed_links_from_its_parents_also_from_one_that_is_carried() -> None:
    ghost = GhostCard(CardFace("Merge: compare", "2 parents · draft, not saved"), 0.0, 900.0, (3, 5))
    drawing = build_proposed(view_of(forked()), (), (ghost,))
    assert "Merge: compare" in texts(drawing.items)
    ends = [item.p4 for item in drawing.items if isinstance(item, Curve) and item.dash]
    assert ends == [(0.0, 860.0)] * 2
    starts = [item.points[0] for item in drawing.items if isinstance(item, Line) and item.dash]
    view = view_of(forked(), carried=carry(forked(), frozenset({5})))
    carried = build_proposed(view, (), (ghost,), (70.0, 0.0))
    moved = [item.points[0] for item in carried.items if isinstance(item, Line) and item.dash]
    assert {(x + 70, y) for x, y in starts} & set(moved)


def test_a_failing_step_keeps_its_colour_as_a_box() -> None:
    layout = grid(3, 20)
    view = view_of(layout, zoom=0.1, failures=np.array([17]))
    boxes = [item for item in build(view).items if isinstance(item, Rect)]
    assert [i for i, box in enumerate(boxes) if box.fill == DARK.bad] == [17]


def test_too_many_steps_become_one_picture_of_the_built_rectangle() -> None:
    layout = grid(100, 100)
    view = view_of(layout, zoom=0.02, selection=frozenset({5050}))
    drawing = build(view)
    pictures = [item for item in drawing.items if isinstance(item, Picture)]
    assert [picture.name for picture in pictures] == [DENSITY_PICTURE]
    assert (pictures[0].x0, pictures[0].y1) == pytest.approx((view.rect[0] * 0.02, view.rect[3] * 0.02))
    assert drawing.visible == 10_000
    assert drawing.cards == ()
    assert any(isinstance(item, Rect) and item.edge == DARK.accent for item in drawing.items)


def test_an_empty_graph_is_an_empty_list() -> None:
    drawing = build(view_of(grid(0, 1), [FACE], rect=(-10.0, -10.0, 10.0, 10.0)))
    assert drawing.items == ()
    assert drawing.visible == 0


def test_building_is_pure() -> None:
    view = view_of(forked(), selection=frozenset({1}), hovered=2)
    assert build(view) == build(view)


def colours_of_links(drawing: DrawList) -> set[tuple[int, int, int, int]]:
    return {item.color for item in drawing.items if isinstance(item, Line | Curve)}


def test_where_runs_are_shown_together_each_link_has_the_colour_of_its_run() -> None:
    layout = forked()
    roles = np.array([1 if target < 2 else 3 if target in (2, 3) else 4 for _, target in layout.edges], dtype=np.uint8)
    drawing = build(view_of(layout, palette=PALETTE, link_palette=PALETTE, link_roles=roles))
    assert colours_of_links(drawing) >= {DARK.shared, DARK.side_a, DARK.side_b}
    assert not colours_of_links(drawing) & {DARK.link, DARK.main_link}
    selected = build(view_of(layout, palette=PALETTE, link_palette=PALETTE, link_roles=roles, selection=frozenset({2})))
    assert DARK.accent not in colours_of_links(selected)


def test_links_keep_the_colours_of_their_runs_while_steps_have_those_of_a_heat_of_fewer_colours() -> None:
    layout = forked()
    roles = np.full(len(layout.edges), PALETTE.index("side_b"), dtype=np.uint8)
    heat, codes = ("heat_1", "heat_2"), np.ones(len(layout.lanes), np.uint8)
    for zoom in (1.0, 0.1):
        view = view_of(layout, zoom=zoom, palette=heat, step_roles=codes, link_palette=PALETTE, link_roles=roles)
        assert DARK.side_b in colours_of_links(build(view))


def test_a_lit_run_lies_over_the_other_links() -> None:
    layout = forked()
    roles = np.full(len(layout.edges), 1, dtype=np.uint8)
    roles[0] = 2
    drawn = [
        item.color
        for item in build(view_of(layout, palette=PALETTE, link_palette=PALETTE, link_roles=roles)).items
        if isinstance(item, Line)
    ]
    assert drawn[-1] == DARK.accent
    assert drawn.count(DARK.accent) == 1


def test_a_link_that_runs_share_is_a_line_for_each_side_by_side() -> None:
    layout = layout_of(2, [(0, 1)], main=1)
    roles = np.array([1], dtype=np.uint8)
    drawing = build(
        view_of(
            layout,
            palette=PALETTE,
            link_palette=PALETTE,
            link_roles=roles,
            strands=lambda _link: ("run_1", "run_2", "run_3"),
        )
    )
    lines = [item for item in drawing.items if isinstance(item, Line)]
    assert [line.color for line in lines] == [DARK.run_1, DARK.run_2, DARK.run_3]
    places = [line.points[0][0] for line in lines]
    assert places == sorted(places)
    assert places[1] == pytest.approx(layout.centers[0][0], abs=1)
    gaps = [right - left for left, right in pairwise(places)]
    assert all(gap >= line.thickness for gap, line in zip(gaps, lines, strict=False))


@pytest.mark.parametrize("zoom", [0.12, 0.05])
def test_from_afar_steps_and_lanes_have_the_colour_of_their_run(zoom: float) -> None:
    layout = grid(4, 30)
    owners = np.repeat(np.array([1, 3, 4, 3], dtype=np.uint8), 30)
    view = view_of(
        layout, zoom=zoom, palette=PALETTE, step_roles=owners, link_palette=PALETTE,
        link_roles=owners[layout.edges[:, 1]], failures=np.array([5]),
    )  # fmt: skip
    drawing = build(view)
    lanes = [item.color for item in drawing.items if isinstance(item, Line)]
    assert lanes == [DARK.shared, DARK.side_a, DARK.side_b, DARK.side_a]
    boxes = {item.fill for item in drawing.items if isinstance(item, Rect)}
    assert DARK.bad not in boxes
    assert len(boxes) in (0, 3)


def test_one_lane_whose_links_change_hands_is_drawn_in_pieces() -> None:
    layout = grid(1, 10)
    roles = np.array([1] * 4 + [3] * 5, dtype=np.uint8)
    drawing = build(
        view_of(
            layout, zoom=0.1, palette=PALETTE, step_roles=np.ones(10, np.uint8), link_palette=PALETTE, link_roles=roles
        )
    )
    assert [item.color for item in drawing.items if isinstance(item, Line)] == [DARK.shared, DARK.side_a]


def test_links_of_dimmed_steps_are_dimmed_too_whatever_their_run() -> None:
    layout = layout_of(3, [(0, 1), (1, 2)], main=2)
    roles = np.array([3, 2], dtype=np.uint8)
    view = view_of(
        layout, palette=PALETTE, link_palette=PALETTE, link_roles=roles, strands=lambda _link: ("run_1", "run_2")
    )
    assert colours_of_links(build(replace(view, strands=None))) == {DARK.side_a, DARK.accent}
    drawn = colours_of_links(build(replace(view, dimmed=frozenset({1, 2}))))
    assert drawn == {mixed(DARK.side_a, DARK.canvas, 0.7), mixed(DARK.accent, DARK.canvas, 0.7)}


@pytest.mark.parametrize("sideways", [False, True])
@pytest.mark.parametrize("end", [(300.0, 100.0), (-300.0, 100.0), (300.0, -100.0)])
def test_strands_stay_side_by_side_where_a_link_crosses_over(end: tuple[float, float], sideways: bool) -> None:
    points = [(0.0, 0.0), end[::-1] if sideways else end]
    curves = draw_strands(points, sideways, [DARK.run_1, DARK.run_2, DARK.run_3], 2.5)
    assert all(isinstance(curve, Curve) for curve in curves)
    middles = [
        tuple((c.p1[axis] + 3 * c.p2[axis] + 3 * c.p3[axis] + c.p4[axis]) / 8 for axis in (0, 1))
        for c in curves
        if isinstance(c, Curve)
    ]
    along = 0 if sideways else 1
    for one, two in pairwise(middles):
        assert abs(one[along] - two[along]) == pytest.approx(3.0)
        assert abs(one[1 - along] - two[1 - along]) == pytest.approx(3.0)


def test_of_cards_over_each_other_the_selected_is_on_top_and_the_dimmed_below() -> None:
    layout = layout_of(3, [(0, 1), (0, 2)])
    layout = replace(layout, centers=np.array([[0.0, 0.0], [0.0, 200.0], [10.0, 252.0]]))
    under = (0.0, 230.0)

    def topmost(**options: object) -> int:
        view = view_of(layout, rect=(-500.0, -500.0, 500.0, 500.0), **options)
        said = [text.text for text in build(view).items if isinstance(text, Text) and text.face == "title"]
        raised, sunk = view.selection, view.dimmed or frozenset()
        hit = view.index.hit(*under, raised, sunk)
        assert hit is not None
        assert said[-1] == view.faces(hit).title
        return hit

    assert topmost() == 2
    assert topmost(selection=frozenset({1})) == 1
    assert topmost(dimmed=frozenset({2, 0})) == 1
    assert topmost(selection=frozenset({2}), dimmed=frozenset({2, 0})) == 1
