"""The time strip with a real mouse: an area dragged over it gives sums and lights steps, the wheel zooms it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.core import write
from opentine_gui.ui.panels.time_strip.panel import TimelinePanel
from tests.core.analysis.call_runs import Recording
from tests.ui.opened import Opened


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    run = Recording()
    for number in range(70):
        gap = 4_000.0 * (number // 35)
        run.call("Bash", {"command": f"ls {number}"}, "x", timestamp=1.77e9 + 10 * number + gap, duration=8.0)
    write(tmp_path / "long.tine", run.record())
    window = Opened(tmp_path)
    window.keyboard.focus()
    yield window
    window.close()


def test_an_area_is_dragged_summed_and_cleared_and_the_wheel_zooms(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "long.tine")
    panel = opened.window.panels["timeline"]
    assert isinstance(panel, TimelinePanel)
    opened.until(lambda: panel.line is not None and panel.pane.shown, "the strip")
    opened.rest()
    assert "1 h 06 min" in opened.drawn(panel.sheet.node)
    left, top = dpg.get_item_rect_min(panel.sheet.drawlist)
    low = top + panel.sheet.height - 20
    opened.mouse.drag((left + 40, low), (left + 240, low))
    opened.until(lambda: document.strip.area is not None, "the area")
    opened.rest()
    steps = sum(document.strip.lit)
    assert 3 < steps < 35
    assert f"{steps} steps" in opened.drawn(panel._marks)
    opened.mouse.wheel(3, (left + 140, low))
    opened.until(lambda: document.strip.view != (0.0, 1.0), "the zoom")
    opened.keyboard.press("Escape")
    opened.until(lambda: document.strip.area is None, "no area")
