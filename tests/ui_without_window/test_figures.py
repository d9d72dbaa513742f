"""The figures at the head of the inspector are whole in a panel of any width."""

from __future__ import annotations

import pytest

from opentine_gui.app.inspect.figures import Figure
from opentine_gui.scene.draw_list import Text
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.panels.inspector.figures import draw_figures
from opentine_gui.ui.toolkit.sheet import Pen
from opentine_gui.ui.toolkit.style import Style


@pytest.mark.parametrize("room", [132.0, 172.0, 240.0, 352.0])
def test_every_figure_is_whole(room: float) -> None:
    pen = Pen(Style(DARK, FontMetrics(), 1.0), None)
    values = ("$248.43", "4 d 14 h", "126,255,924")
    draw_figures(pen, [Figure(f"label {n}", value) for n, value in enumerate(values)], 14.0, 0.0, room, print)
    assert set(values) <= {item.text for item in pen.items if isinstance(item, Text)}
