"""Suspects with a real mouse and keyboard: listed in the run panel, walked, marked on cards, beside a fork."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.inspect.analysis.findings import HEADING
from opentine_gui.core import write
from opentine_gui.ui.panels.inspector import Inspector
from tests.core.analysis.call_runs import failing_session
from tests.ui.opened import Opened


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    write(tmp_path / "failing.tine", failing_session())
    window = Opened(tmp_path)
    window.keyboard.focus()
    yield window
    window.close()


def test_suspects_are_listed_walked_and_marked(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "failing.tine")
    record = document.record
    assert record is not None
    inspector = opened.window.panels["inspector"]
    assert isinstance(inspector, Inspector)
    opened.until(lambda: HEADING in opened.drawn(inspector.list.node), "the suspects in the run panel")
    opened.until(lambda: "suspect 1: last edit" in opened.words(opened.window.canvas.area), "the mark on a card")
    left, top = dpg.get_item_rect_min(inspector.list.drawlist)
    opened.mouse.click(left + 30, top + 1.5 * inspector.list.row_height)
    opened.until(lambda: document.selection.primary == record.graph.ids[3], "the first suspect selected")
    opened.rest()
    assert "Suspect 1 of" in opened.drawn(inspector.footer.node)
    opened.keyboard.press("alt+n")
    opened.until(lambda: document.selection.primary != record.graph.ids[3], "the next suspect")
    opened.session.invoke("select.step", step=record.graph.ids[4])
    opened.rest()
    opened.keyboard.press("f")
    opened.until(lambda: opened.session.proposal is not None, "the fork proposed")
    opened.rest()
    assert "before a refused call" in opened.drawn(opened.window.proposal.head.node)
