"""Touched files with a real mouse: unfolded, picked, read at a step, a line followed to the step that wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.core import write
from opentine_gui.ui.panels.files import FilesPanel
from tests.core.analysis.call_runs import Recording, session_of_edits
from tests.ui.opened import Opened


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    write(tmp_path / "edits.tine", session_of_edits())
    window = Opened(tmp_path)
    window.keyboard.focus()
    yield window
    window.close()


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
    assert "return 3" in opened.drawn(view.rows.node)
    left, top = dpg.get_item_rect_min(view.rows.drawlist)
    opened.mouse.click(left + 120, top + 1.5 * view.rows.row_height)
    record = document.record
    assert record is not None
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
    assert "return 2" in opened.drawn(view.rows.node) and not opened.session.view.file_changes
    left, top = dpg.get_item_rect_min(view.head.drawlist)
    opened.mouse.click(left + 24, top + 46)
    opened.until(lambda: "The text is not on record" in opened.drawn(view.rows.node), "the other tab")
    opened.mouse.click(left + 100, top + 46)
    opened.until(lambda: "return 2" in opened.drawn(view.rows.node), "the changes again")
