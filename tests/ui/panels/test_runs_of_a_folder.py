"""The list of a folder's runs with a real mouse and keyboard: names, order, failures, filter, the folders below."""

from __future__ import annotations

import shutil
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.folder.run_order import ORDERS
from opentine_gui.core import write
from opentine_gui.scene.draw_list import Text
from opentine_gui.ui.toolkit.row import draw_row
from opentine_gui.ui.toolkit.sheet import Sheet
from tests.conftest import MakeRun, named
from tests.ui.opened import DEMO, Opened
from tests.ui.panels.places import row_point, row_with, zone_point


def test_the_page_of_a_folder_without_an_open_run_sends_to_its_list(opened: Opened, folder: Path) -> None:
    opened.session.invoke("file.open_folder", path=folder)
    page = opened.window.placeholder.window
    opened.until(lambda: "2 runs in the folder “runs”" in opened.drawn(page), "the runs counted")
    assert "Choose a run on the left" in opened.drawn(page)
    opened.session.invoke("view.panels")  # there is no list on the left any more
    opened.until(lambda: "Open a run" in opened.drawn(page), "the page that sends nowhere")


def test_the_end_of_a_long_file_name_is_seen_for_in_it_files_differ(opened: Opened, folder: Path) -> None:
    path = folder / f"nightly-{'evaluation-of-agents-' * 6}seed-07.tine"
    shutil.copy(folder / "first.tine", path)
    opened.open(path)
    opened.rest()
    for panel in ("outline", "status"):
        words = opened.drawn(opened.window.panels[panel].pane.window)
        name = next(word for word in words.split() if "seed-07" in word)
        assert "…" in name, f"the name does not fit into {panel}"
        assert "nightly-" in words


def test_names_of_files_with_spaces_are_told_apart_in_the_list_by_their_ends(opened: Opened, folder: Path) -> None:
    for number in (7, 8):
        shutil.copy(folder / "first.tine", folder / f"nightly evaluation of all agents on the long task {number}.tine")
    opened.open(folder / "nightly evaluation of all agents on the long task 7.tine")
    opened.rest()
    words = opened.drawn(opened.window.panels["runs"].pane.window)
    assert "task 7" in words and "task 8" in words and "…" in words


def test_a_click_in_the_runs_opens_the_run_and_a_fork_stands_below_its_source(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    panel = opened.window.panels["runs"]
    opened.until(lambda: len(panel.entries) == 2, "the folder listed")
    opened.mouse.click(*row_point(panel.rows, row_with(panel.rows, "second")))
    opened.until(lambda: opened.session.active and opened.session.active.title == "second.tine", "the run opened")
    record = opened.session.documents[0].record
    assert record is not None
    opened.session.invoke("document.activate", document=opened.session.documents[0].number)
    opened.session.invoke("run.fork", step=named(record, "plan"))
    opened.session.invoke("proposal.accept")
    opened.rest()
    first = next(place for place, entry in enumerate(panel.entries) if entry.run and entry.run.title == "first")
    below = panel.entries[first + 1]
    assert below.run is None
    assert below.document is opened.session.active
    assert below.depth == 1


def test_an_open_run_of_another_folder_is_not_listed_as_one_of_this_folder(
    opened: Opened, folder: Path, tmp_path: Path
) -> None:
    opened.open(folder / "first.tine")
    (tmp_path / "elsewhere").mkdir()
    other = tmp_path / "elsewhere" / "other.tine"
    shutil.copy(folder / "second.tine", other)
    opened.open(other)
    opened.session.invoke("file.open_folder", path=folder)
    panel = opened.window.panels["runs"]
    opened.until(lambda: opened.session.runs.folder == folder and len(panel.entries) == 4, "the folder listed")
    opened.rest()
    heading = row_with(panel.rows, "Other open runs")
    assert row_with(panel.rows, "first") < heading < row_with(panel.rows, "other")
    active = opened.session.active
    opened.mouse.click(*row_point(panel.rows, heading))
    opened.rest()
    assert opened.session.active is active
    opened.session.invoke("runs.filter", text="no run is called so")
    opened.rest()
    assert panel.entries == [], "what is open does not match either"
    opened.session.invoke("runs.filter", text="other")
    opened.rest()
    assert [entry.document is not None for entry in panel.entries] == [False, True]
    assert row_with(panel.rows, "Other open runs") == 0


def test_a_folder_without_runs_leads_into_the_folders_in_it(opened: Opened, folder: Path) -> None:
    for document in list(opened.session.documents):
        opened.session.invoke("file.close", document=document.number)
    opened.session.invoke("file.open_folder", path=folder.parent)
    opened.until(lambda: folder in opened.session.runs.below, "the folder above")
    opened.rest()
    empty = opened.window.panels["runs"].empty.sheet
    left, top = dpg.get_item_rect_min(empty.drawlist)
    zone = next(zone for zone in empty.zones if zone.name == folder.name)
    opened.mouse.click(left + (zone.x0 + zone.x1) / 2, top + (zone.y0 + zone.y1) / 2)
    opened.until(lambda: len(opened.session.runs.rows) == 2, "its runs listed")


def test_a_folder_with_runs_leads_into_the_folders_in_it_and_back(
    opened: Opened, folder: Path, make_run: MakeRun
) -> None:
    inner = folder / "inner"
    inner.mkdir()
    write(inner / "deep.tine", make_run({"alone": ""}, run_id="deep"))
    opened.session.invoke("file.open_folder", path=folder.parent)
    opened.session.invoke("file.open_folder", path=folder)
    opened.until(lambda: inner in opened.session.runs.below and opened.session.runs.rows, "the folder below")
    opened.rest()
    rows = opened.window.panels["runs"].rows
    opened.mouse.click(*row_point(rows, row_with(rows, "inner")))
    opened.until(lambda: [row.path.name for row in opened.session.runs.rows] == ["deep.tine"], "its run listed")
    opened.rest()
    empty = inner / "empty"
    empty.mkdir()
    opened.open(folder / "first.tine")
    opened.session.invoke("file.open_folder", path=empty)
    opened.until(lambda: not opened.session.runs.rows and not opened.session.busy, "a folder without runs")
    opened.rest()
    assert row_with(rows, "Other open runs") < row_with(rows, "first"), "what is open is not in it"
    opened.mouse.click(*row_point(rows, row_with(rows, inner.name)))
    opened.until(lambda: [row.path.name for row in opened.session.runs.rows] == ["deep.tine"], "and back")
    opened.rest()
    opened.mouse.click(*row_point(rows, row_with(rows, f"\u2039 {folder.name}")))
    opened.until(lambda: len(opened.session.runs.rows) == 2, "back")


def test_the_runs_are_sorted_by_a_press_on_the_order_which_is_remembered(opened: Opened, folder: Path) -> None:
    opened.session.invoke("file.open_folder", path=folder)
    opened.until(lambda: len(opened.session.runs.rows) == 2, "the runs listed")
    opened.rest()
    panel = opened.window.panels["runs"]
    opened.mouse.click(*zone_point(panel.heading, "The order of the list"))
    opened.until(lambda: opened.window.context_menu.visible, "the orders")
    menu = opened.window.context_menu
    assert [entry.title for entry in menu.entries][:3] == ["By family", "Changed last", "Name"]
    opened.mouse.click(*row_point(menu.rows, 1))
    opened.until(lambda: opened.session.settings.runs_order == "changed", "the order")
    opened.rest()
    assert "changed" in opened.drawn(panel.heading.node)
    row = panel.rows.row_at(0)
    assert "changed 20" in row.hint
    assert row.right[0].text.split()[1] in "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", "the day it was changed"


def test_failures_are_marked_by_a_ring_and_counted_and_the_list_is_sorted_by_them(opened: Opened, folder: Path) -> None:
    shutil.copy(DEMO / "research-01.tine", folder / "a run that failed again and again, as its long name says.tine")
    opened.session.invoke("file.open_folder", path=folder)
    opened.until(lambda: len(opened.session.runs.rows) == 3, "the runs listed")
    opened.rest()
    panel, theme = opened.window.panels["runs"], opened.window.style.theme
    failed = next(row for row in opened.session.runs.rows if row.path.name.startswith("a run"))
    row = panel.rows.row_at(row_with(panel.rows, "a run that failed"))
    assert row.ring == theme.bad
    assert f"{failed.failures} failures: the red ring and number" in row.hint
    assert panel.rows.row_at(row_with(panel.rows, "first")).ring is None
    opened.mouse.click(*zone_point(panel.heading, "The order of the list"))
    opened.until(lambda: opened.window.context_menu.visible, "the orders")
    menu = opened.window.context_menu
    place = next(place for place, entry in enumerate(menu.entries) if entry.title == "Most failures")
    opened.mouse.click(*row_point(menu.rows, place))
    opened.until(lambda: opened.session.settings.runs_order == "failures", "the order")
    opened.rest()
    assert (row.right[-1].text, row.right[-1].color) == (str(failed.failures), theme.bad)
    assert row_with(panel.rows, "a run that failed") == 0


@pytest.mark.parametrize("order", list(ORDERS))
def test_the_failures_of_a_run_stand_beside_the_better_part_of_its_title_in_every_order(
    opened: Opened, folder: Path, order: str
) -> None:
    title = "a run that failed again and again, as its long name says"
    shutil.copy(DEMO / "research-01.tine", folder / f"{title}.tine")
    opened.session.invoke("file.open_folder", path=folder)
    opened.session.settings.runs_order = order
    opened.until(lambda: len(opened.session.runs.rows) == 3, "the runs listed")
    opened.rest()
    panel, theme = opened.window.panels["runs"], opened.window.style.theme
    assert opened.session.settings.left_width == 260
    failed = next(row for row in opened.session.runs.rows if row.path.stem == title)
    row = panel.rows.row_at(row_with(panel.rows, "a run that failed"))
    drawn = draw_row(panel.style, row, panel.rows.width, panel.rows.row_height)
    texts = [item for item in drawn.items if isinstance(item, Text)]
    assert any(item.text == str(failed.failures) and item.color == theme.bad for item in texts)
    shown = next(item.text for item in texts if item.text.startswith("a run"))
    assert len(shown) >= 18


def red_words(opened: Opened, sheet: Sheet) -> str:
    """What a sheet says in the theme's red."""
    bad = opened.window.style.theme.bad
    children = dpg.get_item_children(sheet.node, 2) or ()
    texts = [dpg.get_item_configuration(item) for item in children]
    return " ".join(found["text"] for found in texts if "text" in found and same_color(found["color"], bad))


def same_color(found: list[float], color: tuple[int, int, int, int]) -> bool:
    """Whether a colour the toolkit tells, in shares of 1 or of 255, is this one."""
    whole = 255 if max(found) <= 1.0 else 1
    return [round(part * whole) for part in found] == list(color)


def test_a_filter_that_cannot_be_read_says_why_in_red_under_the_box(
    opened: Opened, folder: Path, make_run: MakeRun
) -> None:
    for number in range(8):
        write(folder / f"more-{number}.tine", make_run({"alone": ""}, run_id=f"more-{number}"))
    opened.session.runs.show_folder(opened.session, folder)
    opened.until(lambda: len(opened.session.runs.rows) == 10, "all runs listed")
    panel = opened.window.panels["runs"]
    left, top = dpg.get_item_rect_min(panel.filter.item)
    opened.mouse.click(left + 40, top + 10)
    opened.keyboard.type("cost:dear")
    said = "This filter cannot be read: 'dear' is not an amount of money."
    opened.until(lambda: red_words(opened, panel.empty.sheet) == said, "what was typed judged in red")
    assert "No run matches" not in opened.drawn(panel.empty.sheet.node)
    opened.session.invoke("runs.filter", text="nothing of this")
    opened.rest()
    assert red_words(opened, panel.empty.sheet) == ""
    assert "No run matches the filter." in opened.drawn(panel.empty.sheet.node)


def test_a_filter_that_cannot_be_read_says_so_above_the_open_runs_which_stay_listed(
    opened: Opened, folder: Path
) -> None:
    opened.open(folder / "first.tine")
    panel = opened.window.panels["runs"]
    opened.session.invoke("runs.filter", text='"first')
    opened.rest()
    assert red_words(opened, panel.empty.sheet) == "This filter cannot be read: a quotation mark is not closed."
    said, rows = dpg.get_item_rect_min(panel.empty.sheet.drawlist), dpg.get_item_rect_min(panel.rows.drawlist)
    assert dpg.get_item_rect_max(panel.filter.item)[1] <= said[1] < rows[1]
    opened.mouse.click(*row_point(panel.rows, row_with(panel.rows, "first")))
    opened.session.invoke("runs.filter", text="first")
    opened.rest()
    assert not dpg.is_item_shown(panel.empty.sheet.window)
    assert panel.rows.count == 1


@pytest.mark.parametrize("count", [12, 60])
def test_a_folder_without_runs_lists_the_folders_in_it_or_leads_to_those_it_has_no_room_for(
    opened: Opened, tmp_path: Path, count: int
) -> None:
    empty = tmp_path / "no runs"
    for number in range(count):
        (empty / f"inner-{number:02}").mkdir(parents=True)
    opened.session.runs.show_folder(opened.session, empty)
    opened.until(lambda: len(opened.session.runs.around) >= count, "the folders found")
    opened.rest()
    sheet = opened.window.panels["runs"].empty.sheet
    links = [zone for zone in sheet.zones if zone.name.startswith("inner-")]
    more = [zone for zone in sheet.zones if "more…" in zone.name]
    assert all(zone.y1 <= sheet.height for zone in (*links, *more)), "each of them can be pressed"
    if count == 12:
        assert len(links) == 12 and not more
        return
    assert 8 < len(links) < count
    assert more[0].name == f"{len(opened.session.runs.around) - len(links):,} more…"
    left, top = dpg.get_item_rect_min(sheet.drawlist)
    opened.mouse.click(left + (more[0].x0 + more[0].x1) / 2, top + (more[0].y0 + more[0].y1) / 2)
    opened.until(lambda: opened.window.prompter.visible, "the question which folder")
