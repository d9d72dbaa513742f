"""The list of steps: where it stands when another run comes to the front."""

from __future__ import annotations

from pathlib import Path

import dearpygui.dearpygui as dpg

from opentine_gui.core.files import storage
from tests.app.canvas.folded_runs import long_run
from tests.ui.opened import Opened


def test_the_list_of_a_run_begins_at_its_top_and_stands_where_it_was_left(opened: Opened, tmp_path: Path) -> None:
    for name in ("one", "two"):
        storage.write(tmp_path / f"{name}.tine", long_run(name, tail=name))
    opened.open(tmp_path / "one.tine")
    rows, session = opened.window.panels["outline"].rows, opened.session
    rows.scroll_to(30.0 * rows.row_height)
    opened.rest()
    left = dpg.get_y_scroll(rows.window)
    assert left > 0
    opened.open(tmp_path / "two.tine")
    opened.until(lambda: dpg.get_y_scroll(rows.window) == 0, "the list of the other run, from its top")
    session.activate(session.documents[-2])
    opened.until(lambda: dpg.get_y_scroll(rows.window) == left, "where it was left")
    session.invoke("go.tip")
    opened.rest()
    lowest = dpg.get_y_scroll(rows.window)
    assert lowest > left, "a step that is gone to is in view"
