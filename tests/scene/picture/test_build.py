"""What a view is turned into, primitive by primitive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenes import METRICS, forked, grid, layout_of, view_of

from opentine_gui.core.model import SHOWN_KINDS
from opentine_gui.scene.card_flags import Flag
from opentine_gui.scene.cards import CardFace, draw_card
from opentine_gui.scene.detail_level import BOX_BUDGET, CARD_ZOOM, TITLE_ZOOM, Level
from opentine_gui.scene.draw_list import Circle, Curve, DrawList, Line, Picture, Polygon, Primitive, Rect, Text
from opentine_gui.scene.picture.build import DENSITY_PICTURE, build, build_carried, build_hovered
from opentine_gui.scene.picture.links import DraftLink, draw_strands
from opentine_gui.scene.picture.preview_layer import GhostCard, build_proposed, build_pulled
from opentine_gui.scene.picture.view import ORIGIN_STEP, carry
from opentine_gui.scene.space.camera import Camera, Viewport, to_screen, view_rect
from opentine_gui.scene.theme import DARK, THEMES, Theme, mixed

FACE = CardFace(
    "Plan: search, read, compare and then write it all down",
    "Three searches in parallel, then one merge of everything",
    "0.8 s  $0.0004  412 tok  and much more that does not fit",
    "think",
    "ok",
    (Flag("main", "text"), Flag("failed", "bad")),
    7,
)


def texts(items: Iterable[Primitive]) -> list[str]:
    return [item.text for item in items if isinstance(item, Text)]


def cards_of(drawing: DrawList) -> dict[str, Rect]:
    """Card rectangles by the title written in them."""
    found, last = {}, None
    for item in drawing.items:
        if isinstance(item, Rect) and item.fill is not None and item.x1 - item.x0 > 100:
            last = item
        if isinstance(item, Text) and item.face == "title" and last is not None and item.text.startswith("step"):
            found[item.text] = last
    return found


def is_link(item: Curve | Line) -> bool:
    """Links are in a link's colour; lines of glyphs are not."""
    return item.color in (DARK.link, DARK.main_link)


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


# -- one card -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zoom", [0.62, 0.7, 1.0, 1.7, 4.0])
@pytest.mark.parametrize("seal", ["ok", "mismatch", "unsupported", "not_checkable", None])
def test_nothing_of_a_card_leaves_it_but_flags(zoom: float, seal: str | None) -> None:
    face = CardFace(FACE.title, FACE.line, FACE.figures, "think", seal, (), 12)
    w, h = 220 * zoom, 80 * zoom
    for item in draw_card(face, 0, 0, w, h, zoom, Level.CARD, DARK, METRICS):
        if isinstance(item, Text):
            assert item.x >= 0
            assert item.x + METRICS.width(item.text, item.face, item.size) <= w
            assert item.y >= 0
            assert item.y + METRICS.line_height(item.face, item.size) <= h + 1
        if isinstance(item, Circle):
            assert item.x + item.r <= w
        if isinstance(item, Polygon):
            assert all(-0.01 <= x <= w + 0.01 and -0.01 <= y <= h + 0.01 for x, y in item.points)


@pytest.mark.parametrize(
    "face",
    [FACE, replace(FACE, title="Planned"), replace(FACE, failed=True)],
    ids=["two lines", "one line", "failed"],
)
@pytest.mark.parametrize("zoom", [0.62, 0.7, 1.0, 2.0])
def test_lines_of_text_on_a_card_do_not_run_into_each_other(zoom: float, face: CardFace) -> None:
    drawn = draw_card(face, 0, 0, 220 * zoom, 80 * zoom, zoom, Level.CARD, DARK, METRICS)
    inside = [item for item in drawn if isinstance(item, Text) and item.y < 78 * zoom]  # flags hang below
    lines = [item for item in inside if not item.text.startswith("×")]
    assert len(lines) >= 3
    for upper, lower in pairwise(lines):
        assert (
            upper.y + METRICS.ascent(upper.face, upper.size) < lower.y + METRICS.ascent(lower.face, lower.size) * 0.35
        )


PROSE = "The importer dies on a rewind because the parent id of the first record is missing: look at the reader first"
CALL = "read(src/importers/agents/sessions/a_reader_with_a_long_name/that_goes_on/and_on/test_reader.py)"


def title_shown(text: str, zoom: float) -> str:
    """The title as a card of this zoom writes it, its lines joined."""
    level = Level.CARD if zoom >= CARD_ZOOM else Level.TITLE
    drawn = draw_card(
        CardFace(text, "line", "1.0 s"), 0, 0, round(220 * zoom), round(80 * zoom), zoom, level, DARK, METRICS
    )
    return "".join(item.text for item in drawn if isinstance(item, Text) and item.face == "title").replace(" ", "")


@given(st.sampled_from([PROSE, CALL, "aa " * 40, "Now 🙂 " * 20]), st.floats(TITLE_ZOOM, 3.9), st.floats(1.0, 1.4))
def test_zooming_in_never_shows_less_of_a_title(text: str, zoom: float, factor: float) -> None:
    near, far = title_shown(text, min(zoom * factor, 4.0)), title_shown(text, zoom)
    # A letter at the edge may come and go: cards are as wide as whole pixels.
    assert len(near) >= len(far) - 2, (near, far)


def test_a_title_takes_two_lines_before_it_is_elided() -> None:
    lines = [item for item in draw_card(CardFace(PROSE), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
             if isinstance(item, Text) and item.face == "title"]  # fmt: skip
    assert [line.x for line in lines] == [lines[0].x] * 2
    assert lines[0].text == "The importer dies on a" and lines[1].text.startswith("rewind because the")
    assert lines[1].text.endswith("…")


def test_a_failed_step_is_red_on_the_canvas_unless_its_run_colours_it() -> None:
    face = CardFace("Run the tests", "KeyError: 'parent'", "12 s", "tool", failed=True)
    for zoom, level in ((1.0, Level.CARD), (0.4, Level.TITLE)):
        card = draw_card(face, 0, 0, 220 * zoom, 80 * zoom, zoom, level, DARK, METRICS)
        assert next(item.edge for item in card if isinstance(item, Rect)) == DARK.bad
    error = draw_card(face, 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    assert next(item.color for item in error if isinstance(item, Text) and "KeyError" in item.text) == DARK.bad
    ours = draw_card(replace(face, border="side_a"), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    assert next(item.edge for item in ours if isinstance(item, Rect)) == DARK.role("side_a")


def test_the_figures_give_way_to_the_count() -> None:
    items = draw_card(FACE, 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    count = next(item for item in items if isinstance(item, Text) and item.text == "×7")
    figures = next(item for item in items if isinstance(item, Text) and item.face == "mono")
    assert figures.x + METRICS.width(figures.text, "mono", figures.size) < count.x


def test_only_what_does_not_hold_has_a_mark_and_it_reads_without_its_colour() -> None:
    shapes = {}
    for seal in ("ok", "mismatch", "unsupported", "not_checkable", None):
        items = draw_card(CardFace("t", seal=seal), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
        circles = [(item.fill is not None, item.edge is not None) for item in items if isinstance(item, Circle)]
        strokes = len([item for item in items if isinstance(item, Line)])
        polygons = len([item for item in items if isinstance(item, Polygon)])
        shapes[seal] = (tuple(circles), strokes, polygons)
    assert shapes["ok"] == shapes["not_checkable"] == shapes[None]
    assert len({shapes[seal] for seal in ("ok", "mismatch", "unsupported")}) == 3


def test_a_small_card_still_shows_that_its_id_or_one_it_rests_on_does_not_match() -> None:
    def drawn(seal: str | None) -> list[Primitive]:
        face = CardFace("Fetch the second paper", seal=seal)
        items = draw_card(face, 0, 0, 110, 40, 0.5, Level.TITLE, DARK, METRICS)
        return [item for item in items if not isinstance(item, Text)]

    assert drawn("ok") == drawn("not_checkable") == drawn(None)
    assert len({tuple(drawn(seal)) for seal in (None, "mismatch", "unsupported")}) == 3


def test_more_flags_than_fit_are_counted() -> None:
    flags = tuple(Flag(f"branch-{number}", "tool") for number in range(9))
    shown = texts(draw_card(CardFace("t", flags=flags), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS))
    drawn = [text for text in shown if text.startswith("branch")]
    assert 0 < len(drawn) < 9
    assert f"+{9 - len(drawn)}" in shown


def test_one_flag_that_is_too_long_is_elided() -> None:
    items = draw_card(CardFace("t", flags=(Flag("x" * 200, "tool"),)), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    pill = next(item for item in items if isinstance(item, Rect) and item.y0 > 80)
    assert pill.x1 - pill.x0 <= 221


def test_a_flag_above_lies_above_the_card() -> None:
    items = draw_card(CardFace("t", flags=(Flag("root divergence 1", "accent", above=True),)), 0, 0, 220, 80, 1.0,
                      Level.CARD, DARK, METRICS)  # fmt: skip
    pill = next(item for item in items if isinstance(item, Rect) and item.fill == DARK.accent)
    assert pill.y1 < 0


def test_a_small_card_writes_only_its_title_at_a_size_that_can_be_read() -> None:
    items = draw_card(FACE, 0, 0, 88, 32, 0.4, Level.TITLE, DARK, METRICS)
    written = [item for item in items if isinstance(item, Text)]
    assert written
    assert all(item.size >= 10 and item.face == "title" for item in written)
    assert all(item.y >= -1 and item.y + METRICS.line_height("title", item.size) <= 34 for item in written)


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
@pytest.mark.parametrize("kind", SHOWN_KINDS)
def test_each_kind_has_its_bar(theme: Theme, kind: str) -> None:
    items = draw_card(CardFace("t", kind=kind), 0, 0, 220, 80, 1.0, Level.CARD, theme, METRICS)
    assert any(isinstance(item, Polygon) and item.fill == theme.kind(kind) and len(item.points) == 10 for item in items)


def test_a_title_in_two_scripts_is_drawn_in_two_faces_on_one_baseline() -> None:
    items = draw_card(CardFace("grid 🙂╬"), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    latin, signs = (item for item in items if isinstance(item, Text))
    assert (latin.text, signs.text, signs.face) == ("grid ", "🙂╬", "text")
    assert signs.x == pytest.approx(latin.x + METRICS.width("grid ", "title", latin.size), abs=1)
    feet = [item.y + METRICS.ascent(item.face, item.size) for item in (latin, signs)]
    assert feet[0] == pytest.approx(feet[1], abs=1)


def test_addresses_keep_both_ends_when_they_are_elided_and_prose_its_beginning() -> None:
    call = "fetch(papers.example.org/2024/2404-11733)"
    shown = title_shown(call, 0.38)
    assert title_shown(call, 1.0) == call, "it fits on two lines"
    assert shown.startswith("fetch(")
    assert shown.endswith("733)")
    assert "…" in shown
    assert title_shown(PROSE, 1.0).startswith("Theimporter") and title_shown(PROSE, 1.0).endswith("…")


def test_figures_without_room_are_left_out_whole() -> None:
    face = CardFace("t", figures="2.5 s  $0.0020  1.9k tok", count=1000)
    items = draw_card(face, 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    shown = [item.text for item in items if isinstance(item, Text) and item.face == "mono"]
    assert shown == ["2.5 s  $0.0020"]


PALETTE = ("hairline", "shared", "accent", "side_a", "side_b")


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
