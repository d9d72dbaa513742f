"""Tabs, splitters, jumps and dropped files with a real mouse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.actions import all_actions
from opentine_gui.app.state.own_keys import with_own_keys
from opentine_gui.core.files import storage
from opentine_gui.ui.arrangement import panel_turns
from opentine_gui.ui.panels.outline import Outline
from opentine_gui.ui.panels.search.panel import SearchPanel
from opentine_gui.ui.toolkit.regions import SMALLEST_CANVAS, Area
from tests.conftest import named
from tests.core.analysis.call_runs import Recording, session_of_edits
from tests.ui.frame.menus import choose
from tests.ui.frame.runs import NAMES
from tests.ui.opened import Opened
from tests.ui.panels.places import row_point
from tests.ui.real_input import xdotool


def test_beside_a_search_in_a_small_window_every_panel_keeps_a_whole_line(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "edits.tine"
    storage.write(path, session_of_edits())
    dpg.set_viewport_width(1000)
    dpg.set_viewport_height(700)
    opened.until(lambda: dpg.get_viewport_client_height() == 700, "the small window")
    opened.open(path)
    opened.keyboard.press("ctrl+f")
    opened.keyboard.type("three")
    opened.until(lambda: opened.session.search.steps > 1 and not opened.session.busy, "the results")
    opened.rest()
    left = {name: panel for name, panel in opened.window.panels.items() if panel.pane.shown and panel.pane.x == 0}
    assert {"runs", "search", "files"} <= set(left)
    regions = opened.regions
    assert opened.window.panels["files"].pane.height == opened.window.panels["files"].wanted_height(0)
    assert opened.window.panels["files"].pane.y + 30 <= regions.left.y + regions.left.height
    panel = opened.window.panels["search"]
    assert isinstance(panel, SearchPanel)
    drawn = opened.drawn(panel.results.rows.node)
    assert drawn.count("three") + drawn.count("Three") >= 2, "what was found is seen whole"


def test_under_a_long_error_in_a_low_window_every_link_stays_in_view(opened: Opened, tmp_path: Path) -> None:
    run = Recording()
    run.say("I try it")
    run.call("Bash", {"command": "make"}, failed="The tool refused, and it says at length why that is. " * 30)
    run.say("It failed")
    path = tmp_path / "refused.tine"
    storage.write(path, run.record())
    dpg.set_viewport_width(1000)
    dpg.set_viewport_height(470)
    opened.until(lambda: dpg.get_viewport_client_height() == 470, "the low window")
    opened.open(path)
    opened.keyboard.press("n")
    opened.rest()
    links = [
        one for one in opened.window.controls() if one.view == "Inspector" and one.kind in ("link", "button", "tab")
    ]
    assert len(links) >= 6
    assert [one.name for one in links if one.shown is None or one.shown.height < one.area.height - 1] == []


def test_tabs_show_where_they_differ_are_listed_closed_and_opened_again(opened: Opened, tmp_path: Path) -> None:
    for name in NAMES:
        opened.open(tmp_path / name)
    menus = opened.window.menus
    opened.frame()
    shown = opened.drawn(menus.sheet.node)
    assert "11" in shown and "…" in shown
    assert len(menus.tabs) < len(NAMES)
    more = menus.tabs[-1][1] + 18
    opened.mouse.move(more, 18)
    opened.frame()
    opened.mouse.click(more, 18)
    opened.rest()
    choose(opened, "name-02")
    assert opened.document.path == tmp_path / NAMES[2]
    opened.frame()
    x0, x1, _ = next(tab for tab in menus.tabs if tab[2] == opened.document.number)
    opened.mouse.click((x0 + x1) / 2 - 20, 18, button="right")
    opened.rest()
    choose(opened, "Close other tabs")
    assert [document.path for document in opened.session.documents] == [tmp_path / NAMES[2]]
    opened.keyboard.press("ctrl+shift+t")
    opened.rest()
    assert len(opened.session.documents) == 2


def test_the_middle_button_closes_the_tab_under_it_and_no_other(opened: Opened, tmp_path: Path) -> None:
    kept, closed, active = (opened.open(tmp_path / name) for name in NAMES[:3])
    opened.frame()
    for document, left in ((closed, [kept, active]), (active, [kept])):
        x0, x1, _ = next(tab for tab in opened.window.menus.tabs if tab[2] == document.number)
        opened.mouse.click((x0 + x1) / 2 - 20, 18, button="middle")
        opened.rest()
        assert opened.session.documents == left
    x0, x1, _ = opened.window.menus.tabs[0]
    opened.mouse.click(x1 - 11, 18, button="middle")
    opened.rest()
    assert opened.session.documents == [], "on the cross as well"


def test_the_tooltip_of_the_list_of_tabs_is_gone_in_the_frame_that_opens_the_list(
    opened: Opened, tmp_path: Path
) -> None:
    for name in NAMES:
        opened.open(tmp_path / name)
    menus = opened.window.menus
    opened.frame()
    more = menus.tabs[-1][1] + 18
    opened.mouse.move(more, 18)
    opened.until(lambda: menus.sheet.tooltip.shown, "the tooltip asked for")
    xdotool("click", "1")
    opened.until(lambda: opened.window.context_menu.visible, "the list of all tabs")
    assert not menus.sheet.tooltip.shown


def test_a_press_hides_the_tooltip_of_what_was_pressed_until_the_pointer_moves(opened: Opened, tmp_path: Path) -> None:
    opened.open(tmp_path / NAMES[0])
    fit = next(one for one in opened.window.controls() if one.name.startswith("Fit"))
    opened.mouse.move(*fit.middle)
    opened.rest()
    assert not opened.window.style.hushed
    xdotool("click", "1")
    opened.until(lambda: opened.window.style.hushed, "no tooltip")
    opened.mouse.move(fit.middle[0] + 3, fit.middle[1])
    opened.until(lambda: not opened.window.style.hushed, "tooltips again")


def test_every_edge_can_be_dragged_is_remembered_and_leaves_the_canvas_its_least_width(
    opened: Opened, tmp_path: Path
) -> None:
    opened.open(tmp_path / NAMES[0])
    window, settings = opened.window, opened.session.settings
    edge = next(one for one in window.splitters.edges if one.name == "right").area
    y = edge.y + edge.height / 2
    opened.mouse.drag((edge.x + edge.width / 2, y), (60, y))
    opened.rest()
    assert opened.regions.canvas.width == pytest.approx(SMALLEST_CANVAS, abs=3)
    assert opened.regions.left.width == settings.left_width == 260, "the other side keeps its width"
    for name, way in (("runs", 90), ("timeline", -60)):
        edge = next(one for one in window.splitters.edges if one.name == name).area
        x, y = edge.x + edge.width / 3, edge.y + edge.height / 2
        before = window.panels[name].pane.height
        opened.mouse.drag((x, y), (x, y + way))
        opened.rest()
        assert window.panels[name].pane.height == pytest.approx(before + abs(way), abs=4)
        assert settings.panel_heights[name] == pytest.approx(before + abs(way), abs=4)


def test_a_list_that_was_made_high_gives_way_when_another_is_unfolded_below_it(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "edits.tine"
    storage.write(path, session_of_edits())
    opened.open(path)
    opened.until(lambda: opened.window.panels["files"].pane.shown, "the list of files")
    opened.rest()
    window = opened.window
    outline = window.panels["outline"].pane
    edge = next(one for one in window.splitters.edges if one.name == "runs").area
    at = (edge.x + edge.width / 3, edge.y + edge.height / 2)
    opened.mouse.drag(at, (at[0], dpg.get_viewport_client_height() - 20))
    opened.rest()
    high, left = window.panels["runs"].pane.height, outline.height
    assert left >= 110, "the steps keep some lines"
    opened.session.invoke("view.files")
    opened.rest()
    assert window.panels["files"].pane.height > 60, "or this shows nothing"
    assert outline.height >= 110
    assert window.panels["runs"].pane.height < high
    opened.session.invoke("view.files")
    opened.rest()
    assert window.panels["runs"].pane.height == pytest.approx(high, abs=1), "what the user chose is remembered"


def test_the_row_of_the_selected_step_stays_in_view_when_its_list_gets_lower(opened: Opened, tmp_path: Path) -> None:
    document = opened.open(tmp_path / NAMES[0])
    assert document.record is not None
    outline = opened.window.panels["outline"]
    assert isinstance(outline, Outline)
    rows = outline.rows
    opened.session.invoke("select.step", step=named(document.record, "x40"))
    opened.rest()

    def selected_ends() -> float:
        index = next(index for index in range(rows.count) if rows.row_at(index).selected)
        bottom: float = row_point(rows, index)[1] + rows.row_height / 2
        return bottom

    before = outline.pane.height
    foot = outline.pane.y + before
    assert rows.count > rows.page, "or nothing has to be scrolled"
    assert selected_ends() <= foot + 1
    edge = next(one for one in opened.window.splitters.edges if one.name == "runs").area
    at = (edge.x + edge.width / 3, edge.y + edge.height / 2)
    opened.mouse.drag(at, (at[0], at[1] + 150))
    opened.rest()
    assert outline.pane.height < before - 100
    assert outline.pane.y < selected_ends() <= foot + 1


@pytest.mark.parametrize(("side", "inwards"), [("left", -1), ("right", 1)])
def test_an_edge_follows_the_mouse_where_the_window_is_too_narrow_for_both_sides(
    opened: Opened, tmp_path: Path, side: str, inwards: int
) -> None:
    opened.open(tmp_path / NAMES[0])
    dpg.set_viewport_width(1000)
    opened.until(lambda: dpg.get_viewport_client_width() == 1000, "the narrow window")
    opened.rest()
    window, settings = opened.window, opened.session.settings

    def edges() -> dict[str, float]:
        shown = (one for one in window.splitters.edges if one.name in ("left", "right"))
        return {one.name: one.area.x + one.area.width / 2 for one in shown}

    before = edges()
    assert before["left"] < settings.left_width, "or this shows nothing"
    assert 1000 - before["right"] < settings.right_width
    there, back = 30 * inwards, -30 * inwards
    for way, goal in ((there, there), (back, 0), (back, back), (there, 0)):
        x = edges()[side]
        opened.mouse.drag((x, 300), (x + way, 300))
        opened.rest()
        assert edges() == pytest.approx({**before, side: before[side] + goal}, abs=2)


def test_the_keyboard_stays_with_the_run_however_fast_ctrl_tab_is_pressed(opened: Opened, tmp_path: Path) -> None:
    first = opened.open(tmp_path / NAMES[0])
    second = opened.open(tmp_path / NAMES[1])
    assert opened.session.active is second
    xdotool("key", "ctrl+Tab")  # down and up between two frames
    opened.until(lambda: opened.session.active is first, "the other tab")
    opened.rest()
    assert not opened.window.style.text_focused()
    opened.keyboard.press("n")
    opened.until(lambda: first.selection.primary is not None, "the failure")


def test_the_form_of_a_fork_is_made_higher_at_its_edge_and_stays_so(opened: Opened, tmp_path: Path) -> None:
    document = opened.open(tmp_path / NAMES[0])
    assert document.record is not None
    window, settings = opened.window, opened.session.settings
    opened.session.invoke("run.fork_edit", step=named(document.record, "3"))
    opened.rest()
    edge = next(one for one in window.splitters.edges if one.name == "dock").area
    x, y, before = edge.x + edge.width / 3, edge.y + edge.height / 2, opened.regions.dock.height
    opened.mouse.drag((x, y), (x, y - 80))
    opened.rest()
    assert opened.regions.dock.height == pytest.approx(before + 80, abs=4)
    assert settings.panel_heights["dock"] == pytest.approx(before + 80, abs=4)
    opened.keyboard.press("Escape")
    opened.until(lambda: opened.session.proposal is None, "the form closed")
    opened.rest()
    assert not [one for one in window.splitters.edges if one.name == "dock"]


def test_n_brings_the_failure_to_the_middle_readable_and_the_minimap_goes_when_all_is_seen(
    opened: Opened, tmp_path: Path
) -> None:
    document = opened.open(tmp_path / NAMES[0])
    assert document.record is not None
    area = opened.window.canvas.area
    opened.mouse.wheel(-20, (area.x + 300, area.y + 300))
    opened.rest()
    assert not dpg.is_item_shown(opened.window.minimap.window)
    opened.keyboard.press("n")
    opened.until(lambda: document.picture.flight is None and not opened.session.busy, "the jump")
    opened.rest()
    assert document.picture.camera is not None and document.picture.camera.zoom >= 0.5
    x, y = opened.point(named(document.record, "x40"))
    assert dpg.is_item_shown(opened.window.minimap.window)
    assert x == pytest.approx(area.x + area.width / 2, abs=2)
    assert y == pytest.approx(area.y + (area.height - opened.window.minimap.covers) / 2, abs=2)


def test_in_a_narrow_window_the_minimap_leaves_the_middle_of_the_canvas_free_and_is_wide_again_after_it(
    opened: Opened, tmp_path: Path
) -> None:
    opened.open(tmp_path / NAMES[0])
    opened.session.invoke("fold.every_step")  # one below the other: more than is in view
    minimap, canvas = opened.window.minimap, opened.window.canvas
    opened.until(lambda: dpg.is_item_shown(minimap.window) and minimap.image is not None, "the minimap")
    wide = minimap.width
    before = dpg.get_viewport_width()
    dpg.set_viewport_width(1000)
    opened.until(lambda: dpg.get_viewport_client_width() == 1000, "the narrow window")
    opened.until(lambda: minimap.width < wide, "a narrower minimap")
    opened.rest()
    assert minimap.area.x > canvas.area.x + canvas.area.width * 0.7, "a card in the middle is free"
    assert minimap.area.x + minimap.area.width < canvas.area.x + canvas.area.width
    assert minimap.image is not None and minimap.image.size[0] <= minimap.width
    dpg.set_viewport_width(before)
    opened.until(lambda: minimap.width == wide, "the wide one")


def test_files_dropped_onto_the_window_open(opened: Opened, tmp_path: Path) -> None:
    opened.open(tmp_path / NAMES[0])
    opened.rest()
    dropped = [tmp_path / NAMES[4], tmp_path / NAMES[5]]
    place = xdotool("getwindowgeometry", "--shell", opened.mouse.window).splitlines()
    corner = {line.partition("=")[0]: line.partition("=")[2] for line in place}
    command = [sys.executable, str(Path(__file__).with_name("file_drag.py")), opened.mouse.window]
    command += [str(int(corner["X"]) + 500), str(int(corner["Y"]) + 300), *map(str, dropped)]
    with subprocess.Popen(command) as source:
        opened.until(lambda: source.poll() is not None, "the drop")
    assert source.returncode == 0
    opened.until(lambda: len(opened.session.documents) == 3, "the dropped runs")
    opened.rest()
    assert [document.path for document in opened.session.documents[1:]] == dropped


def test_nothing_behind_the_help_is_pointed_at(opened: Opened, tmp_path: Path) -> None:
    opened.open(tmp_path / NAMES[0])
    opened.session.invoke("help.keys")
    opened.rest()
    rows = opened.window.panels["runs"].rows
    opened.mouse.move(*row_point(rows, 6))
    for _ in range(4):
        opened.frame()
    assert rows.hovered is None
    opened.keyboard.press("Escape")
    opened.rest()
    opened.mouse.move(*row_point(rows, 5))
    opened.frame()
    opened.frame()
    assert rows.hovered == 5


def test_a_narrow_inspector_keeps_the_switch_to_raw_and_the_way_to_edit(opened: Opened, tmp_path: Path) -> None:
    run = Recording()
    run.say("I try it")
    run.call("Bash", {"command": "make"}, failed="make: *** No rule to make target. " * 30)
    run.say("It failed")
    path = tmp_path / "refused.tine"
    storage.write(path, run.record())
    opened.open(path)
    opened.keyboard.press("n")
    opened.rest()
    regions = opened.regions
    edge = regions.right_edge
    at = (edge.x + edge.width / 2, edge.y + 200)
    opened.mouse.drag(at, (dpg.get_viewport_client_width() - 300, at[1]))
    opened.rest()
    assert opened.session.settings.right_width == pytest.approx(300, abs=4)

    def press(action: str) -> None:
        does = opened.session.actions[action].description
        (control,) = [
            one for one in opened.window.controls() if one.view == "Inspector" and does in one.name + one.tooltip
        ]
        assert control.shown == pytest.approx(control.area), "all of it is in view"
        assert not control.cut
        opened.mouse.click(*control.middle)
        opened.rest()

    press("inspect.raw")
    assert opened.session.view.raw
    press("run.fork_edit")
    assert opened.session.proposal is not None


def test_the_bar_names_the_keys_that_the_user_chose(opened: Opened, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "keys.json").write_text('{"changed": {"view.palette": ["Ctrl+J"], "file.close": ["Ctrl+F4"]}}')
    opened.session.actions, complaints = with_own_keys(all_actions(), folder)
    assert not complaints
    opened.open(tmp_path / NAMES[0])
    opened.rest()
    sheet = opened.window.menus.sheet
    assert "Ctrl+J" in opened.drawn(sheet.node)
    assert {"Search everything  Ctrl+J", "Close  Ctrl+F4"} <= {zone.hint for zone in sheet.zones}


def test_the_list_of_keys_says_what_of_the_users_keys_is_wrong_as_long_as_it_holds(
    opened: Opened, tmp_path: Path
) -> None:
    (tmp_path / "keys.json").write_text('{"changed": {"edit.undoo": ["F9"]}}')
    opened.session.actions, complaints = with_own_keys(all_actions(), tmp_path)
    opened.session.key_complaints = tuple(complaints)
    opened.open(tmp_path / NAMES[0])
    opened.keyboard.press("F1")
    opened.until(lambda: opened.drawn(opened.window.help.sheet.node), "the list of keys")
    opened.rest()
    sheet = opened.window.help.sheet
    assert "is no action; did you mean edit.undo?" in opened.drawn(sheet.node)
    assert any(complaints[0] in zone.hint for zone in sheet.zones)


def test_after_a_change_of_tabs_no_panel_of_a_slow_window_speaks_of_the_other_run(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.open(tmp_path / NAMES[0])
    opened.open(tmp_path / NAMES[1])
    monkeypatch.setattr(panel_turns, "WRONG", 0.0)
    monkeypatch.setattr(panel_turns, "PANELS_SHARE", -1.0)  # one panel a frame
    status, strip = (opened.window.panels[name].pane for name in ("status", "timeline"))
    names = [name.removesuffix(".tine") for name in NAMES[:2]]
    first = opened.session.documents[0].number
    opened.session.invoke("document.activate", document=first)  # as a fork does once it is made
    blank = 0
    for _ in range(60):
        opened.frame()
        if opened.document.number == first:
            said = opened.words(Area(0, status.y, 4000, 200)) if dpg.is_item_shown(status.window) else ""
            assert names[1] not in said
            blank += not dpg.is_item_shown(status.window)
            if names[0] in said:
                break
    assert blank, "it had to wait, or this shows nothing"
    opened.rest()
    assert dpg.is_item_shown(status.window) and dpg.is_item_shown(strip.window)
