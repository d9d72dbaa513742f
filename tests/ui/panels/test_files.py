"""Touched files with a real mouse: unfolded, picked, read at a step, a line followed to the step that wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.core import write
from opentine_gui.ui.panels.files import FilesPanel
from opentine_gui.ui.reading.file_view import FileView
from tests.core.analysis.call_runs import Recording, session_of_edits
from tests.ui.opened import Opened
from tests.ui.panels.places import row_point, row_with


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    write(tmp_path / "edits.tine", session_of_edits())
    window = Opened(tmp_path)
    window.keyboard.focus()
    yield window
    window.close()


def rows(view: FileView) -> list[str]:
    """The lines on screen."""
    page = view.content.page
    return [page.line(row.line).text for row in page.rows()]


def test_a_file_is_picked_read_and_blamed_with_the_mouse(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "edits.tine")
    panel = opened.window.panels["files"]
    assert isinstance(panel, FilesPanel)
    opened.until(lambda: panel.in_use and panel.pane.shown, "the heading of touched files")
    opened.rest()
    left, top = dpg.get_item_rect_min(panel.heading.drawlist)
    opened.mouse.click(left + 40, top + 15)
    opened.until(lambda: opened.session.view.files, "the list unfolded")
    opened.rest()
    left, top = dpg.get_item_rect_min(panel.rows.drawlist)
    opened.mouse.click(left + 40, top + panel.rows.row_height / 2)
    opened.until(lambda: document.picked_file is not None, "a file picked")
    assert document.picked_file is not None
    assert document.picked_file.file.path == "/w/src/a.py"
    opened.rest()
    lit = opened.window.canvas.colours.lit(document)
    assert lit is not None and lit.nonzero()[0].tolist() == [2, 3, 4, 7]
    opened.session.invoke("files.read")
    view = opened.window.reading.file
    opened.until(lambda: view.page is not None, "the file's text")
    opened.rest()
    content = view.content
    assert rows(view) == ["def f():", "    return 3", "# end"]
    left, top = dpg.get_item_rect_min(content.drawlist)
    line = content.page.row_height
    begin = left + content.page.start(content.page.line(1))
    selected = document.selection.primary
    opened.mouse.click(begin + 20, top + 1.5 * line)
    opened.mouse.drag((begin, top + 0.5 * line), (begin + 300, top + 1.5 * line))
    opened.until(lambda: content.selected_text() == "def f():\n    return 3", "text selected by a drag")
    assert document.selection.primary == selected, "a press in the text goes nowhere"
    copied: list[str] = []
    opened.session.clipboard = copied.append
    opened.keyboard.press("ctrl+c")
    opened.until(lambda: copied == ["def f():\n    return 3"], "the text copied")
    record = document.record
    assert record is not None
    left, top = dpg.get_item_rect_min(view.writers.sheet.drawlist)
    opened.mouse.click(left + 40, top + 1.5 * line)
    opened.until(lambda: document.selection.primary == record.graph.ids[7], "the step that wrote the line")
    opened.keyboard.press("Escape")
    opened.until(lambda: not opened.session.view.reading, "the reading view closed")


def test_a_file_of_which_only_edits_are_on_record_is_shown_by_its_changes_first(opened: Opened) -> None:
    run = Recording()
    run.ask("Make it two")
    run.call("Edit", {"file_path": "/w/b.py", "old_string": "return 1", "new_string": "return 2"}, "ok")
    write(opened.session.working_folder / "only.tine", run.record())
    opened.open(opened.session.working_folder / "only.tine")
    opened.session.invoke("files.pick", path="/w/b.py")
    opened.session.invoke("files.read")
    view = opened.window.reading.file
    opened.until(lambda: view.page is not None, "the file's page")
    opened.rest()
    assert "+ return 2" in rows(view) and not opened.session.view.file_changes
    left, top = dpg.get_item_rect_min(view.head.drawlist)
    opened.mouse.click(left + 24, top + 46)
    opened.until(lambda: rows(view)[0].startswith("The text is not on record"), "the other tab")
    opened.mouse.click(left + 100, top + 46)
    opened.until(lambda: "+ return 2" in rows(view), "the changes again")


def test_a_line_is_asked_about_with_ctrl_or_its_menu_and_a_selection_is_copied_from_there(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "edits.tine")
    record, copied = document.record, list[str]()
    assert record is not None
    opened.session.clipboard = copied.append
    opened.session.invoke("select.step", step=record.graph.ids[4])
    opened.session.invoke("files.read", path="/w/src/a.py")
    view, menu = opened.window.reading.file, opened.window.context_menu
    opened.until(lambda: view.page is not None, "the file's text")
    opened.rest()
    page = view.content.page
    left, top = dpg.get_item_rect_min(view.content.drawlist)
    x, y = left + page.start(page.line(1)), top + 1.5 * page.row_height
    with opened.keyboard.holding("ctrl"):
        opened.mouse.click(x + 20, y)
    opened.until(lambda: document.selection.primary == record.graph.ids[3], "the step that wrote the line then")
    opened.rest()
    opened.mouse.double_click(x + 8 * 7.2, y)
    opened.until(lambda: view.content.selected_text() == "return", "a word selected")
    for title in ("Copy selected text", "Who wrote the line"):
        opened.mouse.click(x + 20, y, button="right")
        opened.until(lambda: menu.visible, "the menu of a line")
        opened.frame()
        opened.mouse.click(*row_point(menu.rows, row_with(menu.rows, title)))
        opened.rest()
    assert copied == ["return"]
    opened.session.invoke("select.step", step=record.graph.ids[8])
    opened.rest()
    opened.mouse.click(x + 20, y, button="right")
    opened.until(lambda: menu.visible, "the menu of a line")
    opened.frame()
    opened.mouse.click(*row_point(menu.rows, row_with(menu.rows, "Who wrote the line")))
    opened.until(lambda: document.selection.primary == record.graph.ids[7], "the step that wrote it later")


def test_what_a_step_changed_is_brought_into_view_in_both_tabs(opened: Opened) -> None:
    run, text = Recording(), [f"line {number} = {number}" for number in range(300)]
    run.ask("Write it")
    run.call("Write", {"file_path": "/w/long.py", "content": "\n".join(text)}, "ok")
    run.ask("Change it")
    for place in (250, 20):
        edit = {"file_path": "/w/long.py", "old_string": f"line {place} =", "new_string": f"other {place} ="}
        run.call("Edit", edit, "ok")
    write(opened.session.working_folder / "long.tine", run.record())
    document = opened.open(opened.session.working_folder / "long.tine")
    record = document.record
    assert record is not None
    opened.session.invoke("select.step", step=record.graph.ids[1])
    opened.session.invoke("files.read", path="/w/long.py")
    view = opened.window.reading.file
    opened.until(lambda: view.page is not None, "the file's text")
    opened.rest()
    assert rows(view)[0] == "line 0 = 0"
    opened.keyboard.press("alt+Down")
    opened.until(lambda: "other 250 = 250" in rows(view), "the line that the step changed")
    opened.keyboard.press("alt+Down")
    opened.until(lambda: "other 20 = 20" in rows(view), "the line that the next one changed")
    opened.session.invoke("files.read", changes=True)
    opened.until(lambda: "+ other 20 = 20" in rows(view), "the changes of the turn")
    lines = view.content.page.lines
    shown = {lines[index].text: lines[index].number for index in range(len(lines))}
    assert (shown["- line 20 = 20"], shown["+ other 250 = 250"]) == ("21", "251")
    assert "223 lines as before" in shown, "many equal lines between two changes are left out"


def test_a_line_that_is_followed_to_its_writer_stays_where_it_is_and_so_does_the_place_on_the_way_back(
    opened: Opened,
) -> None:
    run, text = Recording(), [f"line {number} = {number}" for number in range(300)]
    run.ask("Write it")
    run.call("Write", {"file_path": "/w/long.py", "content": "\n".join(text)}, "ok")
    for place in (20, 250):
        edit = {"file_path": "/w/long.py", "old_string": f"line {place} =", "new_string": f"new\nother {place} ="}
        run.call("Edit", edit, "ok")
    write(opened.session.working_folder / "long.tine", run.record())
    document = opened.open(opened.session.working_folder / "long.tine")
    record = document.record
    assert record is not None
    opened.session.invoke("select.step", step=record.graph.ids[3])
    opened.session.invoke("files.read", path="/w/long.py")
    view = opened.window.reading.file
    opened.until(lambda: view.page is not None, "the file's text")
    opened.rest()
    page = view.content.page
    left, top = dpg.get_item_rect_min(view.writers.sheet.drawlist)
    opened.mouse.wheel(-30, (left + 40, top + 40))
    opened.until(lambda: page.top > 100, "the page further down")
    opened.rest()
    before = rows(view)
    stood = page.top, page.top_row
    row = next(number for number, words in enumerate(before) if words.startswith("line ") and number >= 4)
    opened.mouse.click(left + 40, top + (row + 0.5) * page.row_height)
    opened.until(lambda: document.selection.primary == record.graph.ids[1], "the step that wrote the line")
    opened.until(lambda: view._made is not None and view._made.position == 1, "the file as that step left it")
    opened.rest()
    assert rows(view)[row] == before[row], "the line is where it was, although it had another number then"
    opened.keyboard.press("alt+Left")
    opened.until(lambda: view._made is not None and view._made.position == 3, "the file at the later step again")
    opened.rest()
    assert (page.top, page.top_row) == stood


def test_a_line_among_the_changes_stays_where_it_is_in_the_text_of_the_step_that_wrote_it(opened: Opened) -> None:
    run, text = Recording(), [f"line {number} = {number}" for number in range(300)]
    run.ask("Write it")
    run.call("Write", {"file_path": "/w/long.py", "content": "\n".join(text)}, "ok")
    run.ask("Remove it")
    run.call("Bash", {"command": "rm /w/long.py"}, "")
    write(opened.session.working_folder / "long.tine", run.record())
    document = opened.open(opened.session.working_folder / "long.tine")
    record = document.record
    assert record is not None
    opened.session.invoke("select.step", step=record.graph.ids[3])
    opened.session.invoke("files.read", path="/w/long.py")
    view = opened.window.reading.file
    opened.until(lambda: view.page is not None and view.page.is_only_changes, "the file's changes")
    opened.rest()
    page = view.content.page
    left, top = dpg.get_item_rect_min(view.writers.sheet.drawlist)
    page.go_to(0)
    opened.mouse.wheel(-20, (left + 40, top + 40))
    opened.until(lambda: page.top > 20, "the page further down")
    opened.rest()
    before = rows(view)
    assert before[0].startswith("+ line ")
    opened.mouse.click(left + 40, top + 0.5 * page.row_height)
    opened.until(lambda: document.selection.primary == record.graph.ids[1], "the step that wrote it")
    opened.until(lambda: view._made is not None and view._made.position == 1, "the file as that step left it")
    opened.rest()
    assert rows(view)[0] == before[0].removeprefix("+ ")
