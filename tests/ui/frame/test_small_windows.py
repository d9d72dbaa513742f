"""In a small window what was asked for keeps its room, and an edge can be dragged to the least canvas; a real mouse."""

from __future__ import annotations

from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.state.settings import Settings
from opentine_gui.core.files import storage
from opentine_gui.scene.draw_list import Text
from opentine_gui.ui.panels.heat import HeatPanel
from opentine_gui.ui.panels.runs.panel import RunsPanel
from opentine_gui.ui.panels.search.panel import SearchPanel
from opentine_gui.ui.panels.search.results import ROW
from opentine_gui.ui.toolkit.regions import SMALLEST_CANVAS, Regions
from tests.core.analysis.call_runs import START, Recording
from tests.ui.crawl.scenes import agents, coloured, output
from tests.ui.opened import Opened, copy_of_demo
from tests.ui.panels.places import row_point

PROMPT = "Please look at all of it, from the first file to the last, and say what is wrong with it. " * 9


@pytest.fixture
def path(tmp_path: Path) -> Path:
    run = Recording()
    run.ask(PROMPT)
    run.say("\n\nI looked at the first file, and found nothing. " * 3)
    for number in range(9):
        run.call("Edit", {"file_path": f"/work/file-{number}.py", "old_string": "a", "new_string": f"b {number}"})
    run.say("The needle is in every file", timestamp=START + 5_000.0)  # a pause: the time strip has an axis
    found = tmp_path / "session.tine"
    storage.write(found, run.record())
    return found


def smaller(opened: Opened, width: int, height: int) -> None:
    dpg.set_viewport_width(width)
    dpg.set_viewport_height(height)
    opened.until(
        lambda: (dpg.get_viewport_client_width(), dpg.get_viewport_client_height()) == (width, height), "the size"
    )
    opened.rest()


def test_a_search_keeps_three_results_beside_all_the_lists_of_a_small_window(opened: Opened, path: Path) -> None:
    smaller(opened, 1000, 700)
    opened.open(path)
    opened.session.view.files = opened.session.view.sessions = True
    for step in opened.document.record.graph.ids[:8]:  # type: ignore[union-attr]
        opened.session.invoke("step.bookmark", step=step)
    opened.rest()
    opened.keyboard.press("ctrl+f")
    opened.keyboard.type("file")
    opened.until(lambda: opened.session.search.steps > 3 and not opened.session.busy, "the results")
    opened.rest()
    panel = opened.window.panels["search"]
    assert isinstance(panel, SearchPanel)
    bottom = panel.pane.y + panel.pane.height
    assert bottom - dpg.get_item_rect_min(panel.results.rows.drawlist)[1] >= 3 * ROW - 8, "and not half a row"
    shown = [name for name, one in opened.window.panels.items() if one.pane.shown and one.pane.x == 0]
    assert {"runs", "search", "files", "notes"} <= set(shown)
    opened.mouse.click(*row_point(panel.results.rows, 2))
    opened.until(lambda: opened.document.selection.primary is not None, "the third result")


def test_in_a_small_window_a_step_begins_with_what_it_said(opened: Opened, path: Path) -> None:
    smaller(opened, 1000, 560)
    document = opened.open(path)
    assert document.record is not None
    opened.session.invoke("select.step", step=document.record.graph.ids[1])
    opened.rest()
    page = opened.window.inspector.step.content.page
    shown = [page.line(row.line).text[row.begin : row.end] for row in page.rows()[: page.rows_in_view]]
    heading = next(number for number, words in enumerate(shown) if words.strip() == "Answer")
    assert shown[heading + 1].startswith("I looked"), "no empty line is shown before it"
    assert len(shown) > heading + 3


def test_in_a_small_window_a_form_has_boxes_that_can_be_written_in(opened: Opened, path: Path) -> None:
    smaller(opened, 1000, 700)
    document = opened.open(path)
    assert document.record is not None
    opened.session.invoke("run.fork_edit", step=document.record.graph.ids[0])
    opened.until(lambda: opened.window.proposal.form.boxes.active is not None, "a box")
    opened.rest()
    boxes, dock = opened.window.proposal.form.boxes, opened.window.proposal.area
    assert boxes.active is not None
    top, bottom = dock.y, dock.y + dock.height
    item = boxes.made[boxes.active].item
    seen = min(dpg.get_item_rect_max(item)[1], bottom) - max(dpg.get_item_rect_min(item)[1], top)
    assert seen >= 110, "several lines of the prompt"
    assert opened.regions.canvas.height >= 150, "and the step it is about"
    during = opened.window.panels["timeline"].pane.height
    opened.keyboard.press("Escape")
    opened.rest()
    assert during < opened.window.panels["timeline"].pane.height, "the time strip gave way for a while"


def test_the_inspector_is_dragged_to_the_least_canvas_and_stays_so(opened: Opened, path: Path) -> None:
    smaller(opened, 1440, 900)
    opened.open(path)
    opened.rest()

    def edge() -> float:
        area = next(one for one in opened.window.splitters.edges if one.name == "right").area
        return area.x + area.width / 2

    left = opened.regions.left.width
    opened.mouse.drag((edge(), 300), (300, 300))
    opened.rest()
    assert opened.regions.canvas.width == pytest.approx(SMALLEST_CANVAS, abs=4), "the canvas keeps its least width"
    assert opened.regions.left.width == left, "beside the list at the left as it was"
    width = round(opened.regions.right.width)
    assert opened.session.settings.right_width == pytest.approx(width, abs=2)
    opened.start_again()
    opened.open(path)
    opened.rest()
    assert opened.regions.right.width == pytest.approx(width, abs=2), "remembered"
    x = edge()
    opened.mouse.double_click(x, 300)
    opened.rest()
    assert opened.regions.right.width == Settings().right_width


@pytest.mark.parametrize(("width", "height", "least"), [(1000, 700, 0.55), (1440, 900, 0.6)])
def test_the_wide_inspector_takes_most_of_the_window_and_gives_it_back_also_after_a_drag(
    opened: Opened, path: Path, width: int, height: int, least: float
) -> None:
    smaller(opened, width, height)
    opened.open(path)
    opened.keyboard.focus()
    opened.rest()
    usual = opened.regions
    assert usual.canvas.width >= width / 2 - 2, "at first the graph has half of it"

    def edge(name: str) -> float:
        area = next(one for one in opened.window.splitters.edges if one.name == name).area
        return area.x + area.width / 2

    def press() -> Regions:
        opened.keyboard.press("i")
        opened.rest()
        return opened.regions

    wide = press()
    assert wide.right.width >= width * least
    assert wide.left.width == usual.left.width
    assert wide.canvas.width >= SMALLEST_CANVAS
    assert press() == usual
    for name, way in (("right", -40), ("left", 120)):
        x = edge(name)
        opened.mouse.drag((x, 300), (x + way, 300))
        opened.rest()
        assert edge(name) == pytest.approx(x + way, abs=2)
    dragged = opened.regions
    assert press().right.width >= width * least
    assert press() == dragged
    press()
    x, right = edge("left"), opened.regions.right.width
    opened.mouse.drag((x, 300), (x - 30, 300))
    opened.rest()
    assert edge("left") == pytest.approx(x - 30, abs=2)
    assert opened.regions.right.width == pytest.approx(right, abs=2)
    opened.session.invoke("run.fork_edit", step=opened.document.record.graph.ids[0])  # type: ignore[union-attr]
    opened.until(lambda: opened.window.proposal.form.boxes.active is not None, "a box")
    opened.rest()
    assert opened.regions.dock.width >= min(width / 2, 480) - 4, "a form has room for its boxes"


def test_every_edge_beside_a_search_without_a_run_moves_when_it_is_dragged(opened: Opened, tmp_path: Path) -> None:
    agents(opened, tmp_path)
    opened.session.invoke("file.open_folder", path=tmp_path)
    opened.rest()
    opened.session.invoke("search.folder")
    opened.until(lambda: opened.window.panels["search"].pane.shown, "the search")
    opened.rest()
    edges = [one for one in opened.window.splitters.edges if one.shape == "up-down"]
    assert [one.title for one in edges] == ["Lower edge of runs"], "the list of sessions takes what is left"
    x, y = edges[0].area.x + 90, edges[0].area.y + edges[0].area.height / 2
    opened.mouse.drag((x, y), (x, y - 80))
    opened.rest()
    assert opened.window.splitters.edges[-1].area.y < y - 60


def test_a_notice_on_a_low_canvas_leaves_the_tabs_free(opened: Opened, path: Path) -> None:
    smaller(opened, 1000, 560)
    document = opened.open(path)
    assert document.record is not None
    opened.session.invoke("run.fork_edit", step=document.record.graph.ids[0])
    opened.rest()
    opened.session.notices.add("warning", "A sentence that is as long as a sentence can be. " * 12, detail="more")
    opened.rest()
    bar = opened.window.menus.height
    tops = [control.area.y for control in opened.window.controls() if control.view == "NoticeStack"]
    assert tops and min(tops) >= bar


def test_the_legend_of_colours_is_whole_in_a_small_window_and_a_list_of_one_run_takes_no_more(
    opened: Opened, path: Path
) -> None:
    smaller(opened, 1000, 700)
    opened.open(path)
    opened.rest()
    runs, outline = opened.window.panels["runs"], opened.window.panels["outline"]
    assert isinstance(runs, RunsPanel)
    opened.until(lambda: len(runs.entries) > 0, "the runs listed")
    opened.rest()
    whole = len(runs.entries) * runs.rows.row_height
    assert runs.pane.height <= whole + 60, "no blank below the last run"
    assert outline.pane.height > 150
    opened.keyboard.press("h")
    opened.until(lambda: opened.session.view.heat == "age", "the steps coloured by what is recorded of them")
    panel = opened.window.panels["heat"]
    assert isinstance(panel, HeatPanel)
    opened.until(lambda: panel.rows.count > 0, "the rows of the legend")
    opened.rest()
    said = opened.drawn(panel.heading.node)
    assert "first to last; group: its last" in " ".join(said.split()) and "…" not in said
    words = panel.rows.row_at(0)
    assert words.below, "the figure stands below the words"


def test_in_a_narrow_inspector_a_value_is_no_few_letters_beside_its_label(opened: Opened, path: Path) -> None:
    opened.session.settings.right_width = 180
    smaller(opened, 1000, 700)
    opened.open(path)
    opened.rest()
    inspector = opened.window.inspector
    left, top = dpg.get_item_rect_min(inspector.list.drawlist)
    opened.mouse.wheel(-1, (left + 40, top + 40))
    opened.rest()
    rows = " ".join(opened.drawn(inspector.list.node).split())
    assert "status completed" in rows or "completed status" in rows, "not com…ed"


def test_a_legend_that_leaves_no_room_for_its_rows_has_no_scroll_bar_that_nobody_sees(tmp_path: Path) -> None:
    runs = copy_of_demo(tmp_path)
    opened = Opened(runs, scale=1.5)
    try:
        smaller(opened, 1440, 900)
        opened.keyboard.focus()
        coloured(opened, runs)
        opened.keyboard.press("ctrl+f")
        opened.until(lambda: opened.session.text_focused, "the box with the keyboard")
        opened.rest()
        size = (float(dpg.get_viewport_client_width()), float(dpg.get_viewport_client_height()))
        legend = [control for control in opened.window.style.controls.visible(size) if control.view == "HeatPanel"]
        assert legend, "the legend is listed"
        assert all(control.content or control.shown is not None for control in legend)
    finally:
        opened.close()


def test_an_inspector_that_is_too_low_for_its_links_shows_none_that_is_cut(tmp_path: Path) -> None:
    runs = copy_of_demo(tmp_path)
    opened = Opened(runs, scale=1.5)
    try:
        smaller(opened, 1440, 900)
        opened.keyboard.focus()
        output(opened, runs)
        opened.keyboard.press("shift+n")
        opened.rest()
        opened.rest()
        size = (float(dpg.get_viewport_client_width()), float(dpg.get_viewport_client_height()))
        found = [one for one in opened.window.style.controls.visible(size) if one.view == "Inspector"]
        assert any(one.name.startswith("Fork") for one in found)
        links = [one for one in found if one.kind == "link" and not one.content]
        assert all(one.shown is not None and one.area.height - one.shown.height <= 1 for one in links)
    finally:
        opened.close()


@pytest.mark.parametrize(("left", "right"), [(200, 300), (290, 390), (290, 400)])
def test_on_a_narrow_start_page_nothing_lies_over_another_or_is_cut(opened: Opened, left: int, right: int) -> None:
    smaller(opened, 1000, 700)
    opened.session.settings.left_width, opened.session.settings.right_width = left, right
    opened.rest()
    page, width = opened.window.placeholder, opened.window.canvas.area.width
    assert width <= 1000 - left - right + 4
    texts = [text for text in page._texts if isinstance(text, Text)]
    lowest = max(text.y + opened.window.style.metrics.line_height(text.face, text.size) for text in texts[:6])
    buttons = [item for item in dpg.get_item_children(page.window, 1) or () if dpg.get_item_label(item)]
    places = [(*dpg.get_item_pos(item), *dpg.get_item_rect_size(item)) for item in buttons]
    assert len(places) >= 3
    for x, y, wide, tall in places[:3]:
        assert y >= lowest and x + wide <= width
        others = [place for place in places if place != (x, y, wide, tall)]
        assert all(x + wide <= ox or ox + ow <= x or y + tall <= oy or oy + oh <= y for ox, oy, ow, oh in others)


def test_buttons_below_a_failed_step_are_whole_or_not_there_however_low_the_inspector(
    opened: Opened, path: Path
) -> None:
    run = Recording()
    run.call(
        "Bash", {"command": "golangci-lint run ./cmd/strategy/hooks.go"}, failed="cmd/hooks.go:147: undefined " * 9
    )
    run.say("It failed")
    storage.write(path, run.record())
    opened.open(path)
    opened.keyboard.press("n")
    seen = set()
    for height in range(700, 360, -20):
        smaller(opened, 1000, height)
        opened.rest()
        panel = opened.window.panels["inspector"]
        shown = dpg.is_item_shown(panel.footer.window)
        seen.add(shown)
        if shown:
            assert dpg.get_item_pos(panel.footer.window)[1] + panel.footer.height <= panel.pane.height + 1
    assert seen == {True, False}
