"""Outline, inspector, list of runs, tabs, time strip and filter with a real mouse and keyboard."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.system import jobs
from opentine_gui.core import RunRecord, write
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.sheet import Sheet
from tests.conftest import MakeRun, named
from tests.core.analysis.call_runs import failing_session
from tests.ui.opened import DEMO, Opened
from tests.ui.panels.conftest import SHAPE
from tests.ui.panels.places import row_point, row_with, zone_point


def test_a_click_in_the_outline_selects_the_step(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    rows = opened.window.panels["outline"].rows
    opened.mouse.click(*row_point(rows, row_with(rows, "plan")))
    opened.rest()
    assert opened.document.selection.ids == (named(record, "plan"),)
    with opened.keyboard.holding("shift"):
        opened.mouse.click(*row_point(rows, row_with(rows, "answer")))
    opened.rest()
    assert opened.document.selection.ids == (named(record, "plan"), named(record, "answer"))


def test_the_page_of_a_folder_without_an_open_run_sends_to_its_list(opened: Opened, folder: Path) -> None:
    opened.session.invoke("file.open_folder", path=folder)
    page = opened.window.placeholder.window
    opened.until(lambda: "2 runs in the folder “runs”" in opened.drawn(page), "the runs counted")
    assert "Choose a run on the left" in opened.drawn(page)
    opened.session.invoke("view.panels")  # there is no list on the left any more
    opened.until(lambda: "Open a run" in opened.drawn(page), "the page that sends nowhere")


def test_a_selection_made_elsewhere_is_scrolled_to_and_only_rows_on_screen_are_drawn(
    opened: Opened, folder: Path, chain: Callable[[int], RunRecord]
) -> None:
    write(folder / "long.tine", chain(3_000))
    opened.open(folder / "long.tine")
    record = opened.document.record
    assert record is not None
    rows = opened.window.panels["outline"].rows
    drawn = rows.drawn
    opened.session.invoke("select.step", step=record.graph.ids[2_000])
    opened.rest()
    opened.frame()
    scroll = dpg.get_y_scroll(rows.window)
    assert scroll <= 2_000 * rows.row_height <= scroll + rows.page * rows.row_height
    assert 0 < drawn < 500
    assert 0 < rows.drawn < 500


def test_a_row_that_leads_to_a_step_does_so_beside_its_words_too(opened: Opened, folder: Path) -> None:
    write(folder / "failing.tine", failing_session())
    opened.open(folder / "failing.tine")
    opened.rest()
    rows = opened.window.inspector.list
    place = row_with(rows, "1× ")
    opened.mouse.click(*row_point(rows, place, rows.width - 30.0))
    opened.until(lambda: opened.document.selection.primary is not None, "the last step that failed so")


def test_only_a_row_that_answers_a_press_is_lit_under_the_pointer(opened: Opened, folder: Path) -> None:
    write(folder / "failing.tine", failing_session())
    opened.open(folder / "failing.tine")
    opened.rest()
    rows = opened.window.inspector.list

    def drawn_under_the_pointer(place: int) -> int:
        opened.mouse.move(*row_point(rows, place))
        opened.until(lambda: rows.hovered == place, "the pointer on the row")
        return rows.drawn

    lit = drawn_under_the_pointer(row_with(rows, "1× "))
    prose = next(place for place in range(rows.count) if rows.row_at(place).still and rows.row_at(place).left)
    assert drawn_under_the_pointer(prose) == lit - 1


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


def test_unfolded_nodes_stay_unfolded_after_another_step_was_shown(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    opened.session.invoke("select.step", step=named(record, "plan"))
    opened.session.invoke("inspect.record")
    opened.rest()
    view = opened.window.inspector.step.content
    place = line_with(view, "inputs")
    assert view.page.line(place).fold is True
    opened.mouse.click(*line_point(view, place))
    opened.rest()
    assert view.page.line(place).fold is False
    opened.session.invoke("select.step", step=named(record, "left"))
    opened.rest()
    assert view.page.line(line_with(view, "inputs")).fold is True
    opened.session.invoke("select.step", step=named(record, "plan"))
    opened.rest()
    assert view.page.line(place).fold is False


def line_with(view: ContentView, text: str) -> int:
    """The index of the first line of a page that contains `text`."""
    lines = view.page.lines
    return next(index for index in range(len(lines)) if text in lines[index].text)


def line_point(view: ContentView, line: int) -> tuple[float, float]:
    """The window pixel at the beginning of a line of a page that is on screen."""
    left, top = dpg.get_item_rect_min(view.drawlist)
    row = next(number for number, row in enumerate(view.page.rows()) if row.line == line)
    x = view.page.start(view.page.line(line)) + 12
    return left + x, top + (row + 0.5) * view.page.row_height


def test_a_click_on_a_parent_in_the_inspector_goes_there(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    opened.session.invoke("select.step", step=named(record, "plan"))
    opened.rest()
    footer = opened.window.panels["inspector"].footer
    left, top = dpg.get_item_rect_min(footer.drawlist)
    links = [zone for zone in footer.zones if not zone.hint]
    opened.mouse.click(left + links[0].x0 + 4, top + (links[0].y0 + links[0].y1) / 2)
    opened.rest()
    assert opened.document.selection.primary == named(record, "find")


def test_a_click_on_the_short_id_copies_the_whole_id(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    copied: list[str] = []
    opened.session.clipboard = copied.append
    step = named(record, "join")
    opened.session.invoke("select.step", step=step)
    opened.rest()
    opened.mouse.click(*zone_point(opened.window.inspector.step.header, step))
    opened.rest()
    assert copied == [step]


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


def test_tabs_are_changed_and_closed_with_the_mouse(opened: Opened, folder: Path) -> None:
    first = opened.open(folder / "first.tine")
    opened.open(folder / "second.tine")
    menus = opened.window.menus
    left, top = dpg.get_item_rect_min(menus.sheet.drawlist)
    x0, x1, number = menus.tabs[0]
    assert number == first.number
    opened.mouse.click(left + x0 + 16, top + 14)
    opened.rest()
    assert opened.session.active is first
    x0, x1, _ = menus.tabs[0]
    opened.mouse.click(left + x1 - 11, top + menus.height / 2)
    opened.rest()
    assert first not in opened.session.documents


def test_a_click_on_a_bar_of_the_time_strip_selects_its_step(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    strip = opened.window.panels["timeline"]
    bar = next(bar for bar in strip.bars if record.graph.ids[bar.step] == named(record, "join"))
    left, top = dpg.get_item_rect_min(strip.sheet.drawlist)
    margin = opened.window.style.size(14)
    opened.mouse.click(left + margin + (bar.x0 + bar.x1) / 2, top + strip.sheet.height / 2)
    opened.rest()
    assert opened.document.selection.ids == (named(record, "join"),)


def test_an_idle_window_repaints_no_panel(opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    opened.session.invoke("select.step", step=named(record, "plan"))
    opened.rest()
    for _ in range(10):
        opened.frame()
    repaints: list[int] = []
    paint = Painter.repaint

    def counted(self: Painter, node: int, items: object) -> int:
        repaints.append(node)
        return paint(self, node, items)  # type: ignore[arg-type]

    monkeypatch.setattr(Painter, "repaint", counted)
    for _ in range(20):
        opened.frame()
    assert repaints == []
    opened.session.invoke("select.step", step=named(record, "left"))
    opened.rest()
    assert repaints != []


def test_the_strip_of_a_large_run_is_worked_out_beside_the_window(
    opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.open(folder / "first.tine")
    strip = opened.window.panels["timeline"]
    opened.rest()
    small, height = list(strip.bars), strip.wanted_height(900.0)
    assert small
    assert height > 0
    monkeypatch.setattr(jobs, "INLINE_STEPS", 2)
    opened.open(folder / "second.tine")  # a run of one step has no strip
    opened.rest()
    assert strip.wanted_height(900.0) == 0
    first, second = opened.session.documents
    for _ in range(2):
        opened.session.activate(first)
        opened.frame()
        assert strip.run.record is None, "nothing of another run is on show meanwhile"
        assert strip.wanted_height(900.0) == height, "the place is kept while the strip is worked out"
        opened.rest()
        assert strip.bars == small
        opened.session.activate(second)
        opened.rest()
    opened.session.activate(first)
    opened.rest()
    record = opened.document.record
    assert record is not None
    sides = (named(record, "left"), named(record, "right"))
    opened.session.invoke("run.merge", steps=sides, accept=True)
    opened.frame()
    assert strip.bars == small, "the one of before stays meanwhile"
    opened.rest()
    assert strip.run.record is opened.document.record is not record
    for _ in range(2):
        opened.session.remove_document(opened.document)
    opened.rest()
    assert strip.wanted_height(900.0) == 0
    assert strip.run.record is None


def test_a_check_that_fails_marks_what_does_not_match_and_what_rests_on_it(
    opened: Opened, folder: Path, tmp_path: Path
) -> None:
    sound = opened.open(folder / "first.tine")
    opened.until(lambda: sound.verification is not None, "the sound run checked")
    record = sound.record
    assert record is not None
    every = [sound.face(index).seal for index in range(len(record.graph))]
    assert every == ["ok"] * 6

    value = json.loads((folder / "first.tine").read_text())
    value["graph"]["steps"][named(record, "left")]["inputs"] = {"text": "tampered"}
    (folder / "tampered.tine").write_text(json.dumps(value))
    document = opened.open(folder / "tampered.tine")
    opened.until(lambda: document.verification is not None, "the tampered run checked")
    opened.rest()
    seals = {name: document.face(record.graph.index(named(record, name))).seal for name in SHAPE}
    resting = {"join": "unsupported", "answer": "unsupported"}
    assert seals == {"find": "ok", "plan": "ok", "left": "mismatch", "right": "ok", **resting}

    words = {"join": "unsupported", "left": "content differs", "right": "still stands"}
    for name, said in words.items():
        opened.mouse.click(*opened.point(named(record, name)))
        opened.rest()
        assert said in opened.drawn(opened.window.inspector.step.header.node)
    hint = zone_hint(opened.window.panels["status"].sheet, "The digest does not agree")
    assert "3 steps still stand" in hint
    assert "2 steps match their ids but rest on a step that does not." in hint


def zone_hint(sheet: Sheet, beginning: str) -> str:
    """The whole tooltip that begins so."""
    return next(zone.hint for zone in sheet.zones if zone.hint.startswith(beginning))


def test_a_folder_without_runs_leads_into_the_folders_in_it(opened: Opened, folder: Path) -> None:
    for document in list(opened.session.documents):
        opened.session.invoke("file.close", document=document.number)
    opened.session.invoke("file.open_folder", path=folder.parent)
    opened.until(lambda: folder in opened.session.runs.below, "the folder above")
    opened.rest()
    empty = opened.window.panels["runs"].empty
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
    assert f"{failed.failures} failures: the red ring" in row.hint
    assert panel.rows.row_at(row_with(panel.rows, "first")).ring is None
    opened.mouse.click(*zone_point(panel.heading, "The order of the list"))
    opened.until(lambda: opened.window.context_menu.visible, "the orders")
    menu = opened.window.context_menu
    place = next(place for place, entry in enumerate(menu.entries) if entry.title == "Most failures")
    opened.mouse.click(*row_point(menu.rows, place))
    opened.until(lambda: opened.session.settings.runs_order == "failures", "the order")
    opened.rest()
    assert f"{failed.failures} failures" in opened.drawn(panel.rows.node), "however long its name is"
    assert row_with(panel.rows, "a run that failed") == 0


def test_the_page_of_a_file_of_no_known_format_says_what_can_be_opened_and_offers_that_first(
    opened: Opened, folder: Path
) -> None:
    (folder / "binary.jsonl").write_bytes(bytes(range(256)))
    opened.session.invoke("file.open", path=folder / "binary.jsonl")
    opened.until(lambda: opened.session.active and opened.session.active.error, "the error")
    opened.rest()
    page = opened.window.placeholder.window
    buttons = [item for item in dpg.get_item_children(page, 1) or () if "mvButton" in dpg.get_item_type(item)]
    assert [dpg.get_item_label(item) for item in buttons] == ["Open another file…", "Try again", "Close"]
    assert "Claude Code, Codex" in opened.drawn(page)


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
    left, top = dpg.get_item_rect_min(panel.filter)
    opened.mouse.click(left + 40, top + 10)
    opened.keyboard.type("cost:dear")
    said = "This filter cannot be read: 'dear' is not an amount of money."
    opened.until(lambda: red_words(opened, panel.empty) == said, "what was typed judged in red")
    assert "No run matches" not in opened.drawn(panel.empty.node)
    opened.session.invoke("runs.filter", text="nothing of this")
    opened.rest()
    assert red_words(opened, panel.empty) == ""
    assert "No run matches the filter." in opened.drawn(panel.empty.node)


def test_a_filter_that_cannot_be_read_says_so_above_the_open_runs_which_stay_listed(
    opened: Opened, folder: Path
) -> None:
    opened.open(folder / "first.tine")
    panel = opened.window.panels["runs"]
    opened.session.invoke("runs.filter", text='"first')
    opened.rest()
    assert red_words(opened, panel.empty) == "This filter cannot be read: a quotation mark is not closed."
    said, rows = dpg.get_item_rect_min(panel.empty.drawlist), dpg.get_item_rect_min(panel.rows.drawlist)
    assert dpg.get_item_rect_max(panel.filter)[1] <= said[1] < rows[1]
    opened.mouse.click(*row_point(panel.rows, row_with(panel.rows, "first")))
    opened.session.invoke("runs.filter", text="first")
    opened.rest()
    assert not dpg.is_item_shown(panel.empty.window)
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
    sheet = opened.window.panels["runs"].empty
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
