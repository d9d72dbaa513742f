"""The groups of a long run with a real mouse and keyboard: opened three levels down and back, closed, moved."""

from __future__ import annotations

from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.core import RunRecord
from opentine_gui.core.files import storage
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.picture.frames import tab_box, tab_room
from opentine_gui.scene.space.camera import to_screen, view_rect
from tests.core.sample_runs import make_record
from tests.core.structure.shapes import graph_of
from tests.ui.canvas.folding.long_run import (
    ROUNDS,
    card_point,
    fold_of,
    largest,
    open_by_mouse,
    places,
)
from tests.ui.frame.menus import choose, choose_inside
from tests.ui.opened import Opened
from tests.ui.panels.places import zone_point


def test_the_first_view_fills_the_canvas_and_can_be_read(opened: Opened) -> None:
    document, fold = opened.document, fold_of(opened)
    camera, layout = document.picture.camera, document.picture.layout
    assert camera is not None and layout is not None
    assert camera.zoom >= 0.6
    x0, y0, x1, y1 = view_rect(camera, opened.session.viewport)
    assert x0 <= layout.bounds[0] and y0 <= layout.bounds[1] and layout.bounds[2] <= x1 and layout.bounds[3] <= y1
    assert len(fold) >= 30
    said = opened.drawn(opened.window.canvas.world.node)
    assert "failure" in said and "Please do part" in said
    opened.mouse.wheel(-3, card_point(opened, 0))
    opened.rest()
    assert fold_of(opened).state is fold.state, "the wheel opens and closes nothing"


def test_the_status_bar_counts_every_step_of_a_selected_group(opened: Opened) -> None:
    fold = fold_of(opened)
    card = largest(opened, range(len(fold)))
    opened.mouse.click(*card_point(opened, card))
    opened.until(lambda: opened.document.selected_group == card, "the group selected")
    opened.rest()
    assert f"{fold.card(card).size} steps selected" in opened.drawn(opened.window.panels["status"].sheet.node)


def test_the_menu_of_a_group_begins_with_opening_it_as_enter_does(opened: Opened) -> None:
    fold = fold_of(opened)
    card = largest(opened, range(len(fold)))
    opened.mouse.click(*card_point(opened, card), button="right")
    opened.rest()
    entries = opened.window.context_menu.entries
    assert (entries[0].title, entries[0].key) == ("Open group", "Enter")
    assert [entry.title for entry in entries if entry.key == "Enter"] == ["Open group"]
    assert not entries[0].ruled and entries[1].ruled
    choose(opened, "Open group")
    assert fold_of(opened).state.openings


def test_the_menu_of_a_group_copies_all_its_steps(opened: Opened) -> None:
    fold = fold_of(opened)
    card = largest(opened, range(len(fold)))
    opened.mouse.click(*card_point(opened, card), button="right")
    opened.rest()
    choose_inside(opened, "Copy", "Copy as Markdown")
    opened.rest()
    said = [notice.text for notice in opened.session.notices.list()]
    assert said == [f"Copied {fold.card(card).size} steps as Markdown."]


def test_groups_open_three_levels_down_by_double_click_and_close_by_esc(opened: Opened) -> None:
    before, stood = fold_of(opened).state, places(opened)
    card = largest(opened, range(len(fold_of(opened))))
    for level in range(3):
        held = set(opened.document.picture.step_ids(card))
        open_by_mouse(opened, card)
        assert len(fold_of(opened).state.openings) == level + 1
        frame = min(fold_of(opened).frames, key=lambda frame: len(frame.cards))
        assert {step for inside in frame.cards for step in opened.document.picture.step_ids(inside)} == held
        assert opened.document.selection.primary in held
        groups = [inside for inside in frame.cards if fold_of(opened).is_group(inside)]
        card = largest(opened, tuple(groups)) if groups else frame.cards[0]
    for level in (2, 1, 0):
        opened.keyboard.press("Escape")
        opened.until(lambda level=level: len(fold_of(opened).state.openings) == level, "the innermost group closed")
    opened.rest()
    assert fold_of(opened).state == before
    assert places(opened) == stood, "everything is where it was"
    opened.keyboard.press("Escape")
    opened.rest()
    assert not opened.document.selection, "then the selection goes"


def test_the_trail_in_the_status_bar_names_every_level_and_goes_up_to_each(opened: Opened) -> None:
    card = largest(opened, range(len(fold_of(opened))))
    for _ in range(3):
        open_by_mouse(opened, card)
        frame = min(fold_of(opened).frames, key=lambda frame: len(frame.cards))
        groups = [inside for inside in frame.cards if fold_of(opened).is_group(inside)]
        if not groups:
            break
        card = largest(opened, tuple(groups))
    opened.until(lambda: opened.document.selection.primary is not None, "a card inside is selected")
    opened.rest()
    status, openings = opened.window.panels["status"], fold_of(opened).state.openings
    assert len(openings) >= 2
    assert opened.drawn(status.sheet.node).count("› ") == 1 + len(openings), "after the arrow of the failures"
    opened.mouse.click(*zone_point(status.sheet, f"Go up to {openings[0].title[:10]}"))
    opened.until(lambda: fold_of(opened).state.openings == openings[:1], "up to the outermost")
    opened.rest()
    opened.mouse.click(*zone_point(status.sheet, "Close this group"))
    opened.until(lambda: not fold_of(opened).state.openings, "closed")


def test_the_map_gives_way_to_a_group_that_was_opened_below_it(opened: Opened) -> None:
    opened.session.invoke("view.zoom_in")
    opened.session.invoke("view.zoom_in")
    opened.until(lambda: opened.window.minimap._shown, "the map")
    for card in range(len(fold_of(opened)) - 1, 0, -1):
        if fold_of(opened).is_group(card):
            break
    opened.session.invoke("fold.open", step=opened.document.picture.step_id(card))
    opened.until(lambda: bool(fold_of(opened).frames), "the last group open")
    opened.rest()
    frame, minimap = fold_of(opened).frames[-1], opened.window.minimap
    camera, viewport = opened.document.picture.camera, opened.session.viewport
    assert camera is not None
    wide, high = minimap.corner
    below = [
        cell
        for cell in frame.cards
        if (at := to_screen(camera, viewport, *fold_of(opened).layout.centers[cell].tolist()))
        and viewport.width - wide < at[0] < viewport.width
        and viewport.height - high < at[1] < viewport.height
    ]
    assert not (below and minimap._shown), "cards of the open group lie below the map"


def test_failed_steps_are_red_in_the_list_of_their_group_as_in_the_outline(opened: Opened, run: RunRecord) -> None:
    fold = fold_of(opened)
    card = int(fold.card_of[run.graph.failed.index(1)])
    opened.mouse.click(*card_point(opened, card))
    opened.until(lambda: opened.document.selected_group == card, "the group selected")
    opened.rest()
    inspector, theme = opened.window.panels["inspector"], opened.window.style.theme
    rows = [inspector.list.row_at(place) for place in range(1, 1 + len(inspector._chosen))]
    wanted = [theme.bad if run.graph.failed[step] else theme.text for step in inspector._chosen]
    assert [row.left[0].color for row in rows] == wanted
    assert theme.bad in wanted and theme.text in wanted


def test_opening_moves_only_what_stands_below_in_the_column_and_its_tab_closes_it(opened: Opened) -> None:
    stood = places(opened)
    heads = fold_of(opened).state.heads
    assert heads is not None and len(heads) > 1
    card = next(card for card in range(3, len(fold_of(opened))) if fold_of(opened).card(card).size > 8)
    name = fold_of(opened).layout.nodes[card]
    x, y = stood[name]
    open_by_mouse(opened, card)
    now = places(opened)
    moved = {node for node, place in now.items() if node in stood and place != stood[node]}
    assert all(abs(stood[node][0] - x) < 1 and stood[node][1] > y for node in moved - {name})
    assert now[name] == (x, y + tab_room(1)), "the frame hangs where the group hung, its first card below its tab"
    group = fold_of(opened).open_groups[0]
    camera, area = opened.document.picture.camera, opened.window.canvas.area
    assert camera is not None
    tab_x, tab_y = to_screen(camera, opened.session.viewport, group.bounds[0] + 30, group.bounds[1])
    opened.mouse.click(area.x + tab_x, area.y + tab_y)
    opened.until(lambda: not fold_of(opened).state.openings, "the group closed")
    opened.rest()
    assert places(opened) == stood


def test_enter_opens_a_selected_group_whose_steps_the_inspector_lists(opened: Opened) -> None:
    card = largest(opened, range(len(fold_of(opened))))
    opened.mouse.click(*card_point(opened, card))
    opened.until(lambda: opened.document.selected_group == card, "the group selected")
    opened.rest()
    inspector = opened.window.panels["inspector"]
    assert inspector._mode == "group"
    assert len(inspector._chosen) == fold_of(opened).card(card).size
    listed = opened.drawn(inspector.list.node)
    assert "Step" in listed
    assert not any(name in listed for name in ("Duration", "Cost", "Tokens")), "nobody recorded them: no room is lost"
    opened.keyboard.press("Return")
    opened.until(lambda: len(fold_of(opened).state.openings) == 1, "the group opened")
    opened.rest()
    assert not opened.session.view.reading


def test_the_inspector_names_what_stands_before_and_after_a_group_not_what_is_in_it(
    opened: Opened, run: RunRecord
) -> None:
    graph, footer = run.graph, opened.window.panels["inspector"].footer
    held, card = next(
        (held, card)
        for card in range(2, len(fold_of(opened)))
        if len(held := set(opened.document.picture.step_ids(card))) > 2
    )
    before = {graph.ids[parent] for step in held for parent in graph.parents[graph.index(step)]} - held
    after = {graph.ids[child] for step in held for child in graph.children_of(graph.index(step))} - held
    end = opened.document.picture.step_id(card)
    for beside in (before, after):
        opened.session.invoke("select.step", step=end)
        opened.rest()
        names = [title(graph.step(step)) for step in beside]
        link = next(zone for zone in footer.zones if zone.kind == "link" and zone.name in names)
        left, top = dpg.get_item_rect_min(footer.drawlist)
        opened.mouse.click(left + (link.x0 + link.x1) / 2, top + (link.y0 + link.y1) / 2)
        opened.rest()
        assert opened.document.selection.primary in beside


def test_a_group_is_dragged_opened_where_it_stands_and_put_back_by_undo(opened: Opened) -> None:
    fold = fold_of(opened)
    card = next(card for card in range(4, len(fold)) if fold.is_group(card))
    pin, stood = opened.document.picture.pin_of(card), places(opened)
    x, y = card_point(opened, card)
    opened.mouse.drag((x, y), (x + 30, y + 12))
    opened.rest()
    now = places(opened)
    assert {node for node in stood if now[node] != stood[node]} == {pin}
    camera = opened.document.picture.camera
    assert camera is not None
    moved = (now[pin][0] - stood[pin][0], now[pin][1] - stood[pin][1])
    assert moved == pytest.approx((30 / camera.zoom, 12 / camera.zoom), abs=3)
    index = opened.document.picture.index_of(pin)
    assert index is not None
    open_by_mouse(opened, index)
    assert places(opened)[pin] == now[pin]
    opened.keyboard.press("Escape")
    opened.until(lambda: not fold_of(opened).state.openings, "the group closed")
    opened.rest()
    assert places(opened) == now
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: places(opened) == stood, "the move undone")


def test_k_shows_the_lines_of_the_selection_alone_and_esc_the_whole_run_again(tmp_path: Path) -> None:
    table = [(number - 1,) if number else () for number in range(200)]
    table += [(120,), *((number,) for number in range(200, 259))]
    graph = graph_of(table, ROUNDS * 40)
    opened = Opened(tmp_path)
    opened.keyboard.focus()
    opened.open(storage.write(tmp_path / "forked.tine", make_record(list(graph), run_id="forked")))
    try:
        stood, camera = places(opened), opened.document.picture.camera
        branch = opened.document.picture.index_of(graph.ids[230])
        assert branch is not None
        opened.mouse.click(*card_point(opened, branch))
        opened.until(lambda: opened.document.selection, "the card selected")
        opened.keyboard.press("k")
        opened.until(lambda: fold_of(opened).is_local, "the local view shown")
        opened.rest()
        assert opened.document.picture.index_of(graph.ids[150]) is None
        assert opened.document.picture.index_of(graph.ids[230]) is not None
        assert "Local view" in opened.drawn(opened.window.canvas.hints.node)
        opened.keyboard.press("Escape")
        opened.until(lambda: not fold_of(opened).is_local, "the whole run shown")
        opened.rest()
        assert places(opened) == stood and opened.document.picture.camera == camera
        assert "Local view" not in opened.drawn(opened.window.canvas.hints.node)
    finally:
        opened.close()


def test_a_branch_is_hidden_by_the_menu_of_its_card_and_the_canvas_says_so(tmp_path: Path) -> None:
    table = [(number - 1,) if number else () for number in range(200)]
    table += [(120,), *((number,) for number in range(200, 259))]
    graph = graph_of(table, ROUNDS * 40)
    opened = Opened(tmp_path)
    opened.keyboard.focus()
    opened.open(storage.write(tmp_path / "forked.tine", make_record(list(graph), run_id="forked")))
    try:
        stood = places(opened)
        branch = opened.document.picture.index_of(graph.ids[230])
        assert branch is not None
        opened.mouse.click(*card_point(opened, branch), button="right")
        opened.until(lambda: opened.session.context_menu is not None, "the menu of the card")
        opened.rest()
        choose_inside(opened, "Branch", "Hide branch")
        opened.until(lambda: opened.document.picture.index_of(graph.ids[230]) is None, "the branch hidden")
        opened.rest()
        words = opened.drawn(opened.window.canvas.hints.node)
        assert "1 branch hidden: 200 of 260 steps" in words and "Local view" not in words
        opened.keyboard.press("Escape")
        opened.until(lambda: not fold_of(opened).is_local, "the whole run shown")
        opened.rest()
        assert places(opened) == stood
    finally:
        opened.close()


def test_the_legend_makes_way_for_the_tab_of_an_open_group_and_comes_back(opened: Opened) -> None:
    open_by_mouse(opened, largest(opened, range(len(fold_of(opened)))))
    hints, area = opened.window.canvas.hints, opened.window.canvas.area

    def tab() -> tuple[float, float]:
        """The middle of the group's tab on the canvas."""
        left, top, right, bottom = tab_box(fold_of(opened).open_groups[0], opened.document.picture.camera.zoom)  # type: ignore[union-attr]
        x, y = to_screen(
            opened.document.picture.camera, opened.session.viewport, (left + right) / 2, (top + bottom) / 2
        )  # type: ignore[arg-type]
        return float(x), float(y)

    def drag_by(x: float, y: float) -> None:
        start = opened.free_point()
        opened.mouse.drag(start, (start[0] + x, start[1] + y), button="middle")
        opened.rest()

    x, y = tab()
    drag_by(area.width / 2 - x, 8 - y)
    assert abs(tab()[1] - 8) < 3
    assert "steps in a card" not in opened.drawn(hints.node)
    drag_by(0, 60)
    assert "steps in a card" in opened.drawn(hints.node)


def test_a_card_that_is_dragged_while_another_group_opens_is_the_one_that_is_put_down(opened: Opened) -> None:
    groups = [card for card in range(len(fold_of(opened))) if fold_of(opened).is_group(card)]
    document, name = opened.document, opened.document.picture.pin_of(groups[-1])
    cards, (x, y) = len(fold_of(opened)), card_point(opened, groups[-1])
    opened.mouse.move(x, y)
    opened.mouse.press()
    opened.mouse.travel(x + 60, y - 40)
    opened.until(lambda: opened.session.tools.state.moved == {groups[-1]}, "the card in hand")
    opened.session.invoke("fold.open", step=document.picture.step_id(groups[0]))
    opened.until(lambda: len(fold_of(opened)) > cards, "the other group open")
    opened.rest()
    assert [document.picture.pin_of(card) for card in opened.session.tools.state.moved] == [name]
    opened.mouse.travel(x + 70, y - 50)
    opened.mouse.release()
    opened.rest()
    assert document.state is not None
    assert set(document.state.placed(document.direction, document.is_folded)) == {name}
    assert not opened.session.notices.list()
