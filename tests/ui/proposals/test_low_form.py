"""A form in a place that is lower than it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from bench.session_lines import session_lines
from opentine_gui.ui.proposals.dock import DOCK
from tests.ui.opened import Opened


@pytest.mark.parametrize("height", [0.0, 60.0, 100.0, 150.0, 200.0, 230.0])
def test_the_form_to_go_on_in_an_agent_begins_with_the_whole_name_of_its_first_box(
    tmp_path: Path, height: float
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"".join(islice(session_lines(3_000_000), 40)))
    opened = Opened(tmp_path)
    if height:
        opened.session.settings.panel_heights[DOCK] = height
    opened.open(path)
    opened.session.invoke("go.tip")
    opened.session.invoke("continue.propose")
    opened.until(lambda: opened.session.proposal is not None and not opened.session.busy, "the proposal")
    opened.rest()
    form = opened.window.proposal.form
    assert len(form.rows) >= 1 and form.pane.shown
    assert dpg.get_y_scroll(form.pane.window) == dpg.get_y_scroll_max(form.pane.window) == 0
    assert form.pane.height >= form.wanted_height
    assert form.pane.height < opened.window.proposal.area.height, "and something of what will be written is in view"
    opened.close()
