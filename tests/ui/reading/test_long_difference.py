"""A difference that is longer than its place in the comparison."""

from __future__ import annotations

from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.core import StepKind
from opentine_gui.core.files import storage
from tests.core.analysis.call_runs import Recording
from tests.ui.opened import Opened


@pytest.mark.parametrize("tab", ["All fields", "Text"])
def test_a_long_difference_that_was_asked_for_whole_has_room_to_be_read(tmp_path: Path, tab: str) -> None:
    for name in ("one", "two"):
        run = Recording()
        run.call("Bash", {"command": "ls"}, "a b c")
        words = "\n".join(f"{name} says in line {line} what the other does not" for line in range(60))
        run.add(StepKind.MODEL, {}, outputs={"text": words})
        storage.write(tmp_path / f"{name}.tine", run.record())
    opened = Opened(tmp_path)
    dpg.set_viewport_width(1440)
    dpg.set_viewport_height(900)
    opened.until(lambda: dpg.get_viewport_client_height() == 900, "the window")
    for name in ("one", "two"):
        opened.open(tmp_path / f"{name}.tine")
    opened.session.invoke("compare.open")
    opened.until(lambda: opened.document.overlay is not None, "the comparison")
    opened.rest()
    panel = opened.window.panels["comparison"]
    first = len(panel.rows.on_screen(panel.rows.count))
    panel.choose_tab(tab)
    opened.rest()
    assert panel.rows.count > 40
    assert len(panel.rows.on_screen(panel.rows.count)) >= 14 > first
    assert panel.header.height + panel.rows.page * panel.rows.row_height < panel.pane.height
    panel.choose_tab("First difference")
    opened.rest()
    assert len(panel.rows.on_screen(panel.rows.count)) == first, "what gave way is there again"
    opened.close()
