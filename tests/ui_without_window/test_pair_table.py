"""The table of two runs: no figure is cut by the panel's edge, however narrow it is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from opentine_gui.app.comparison.comparison_view import FigureRow
from opentine_gui.scene.draw_list import Text
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.panels.several_runs.pair_table import draw_pair
from opentine_gui.ui.toolkit.sheet import Pen
from opentine_gui.ui.toolkit.style import Style

ROWS = [
    FigureRow("Outcome", "turn ended", "no end recorded", "", None),
    FigureRow("Duration", "1 h 35 min", "46 s", "-1 h 34 min", None),
    FigureRow("Tokens", "6,456,259", "142,451", "-6,313,808", None),
]


@pytest.mark.parametrize("width", [240.0, 280.0, 360.0, 640.0])
def test_every_figure_is_whole(width: float) -> None:
    style = Style(DARK, FontMetrics(), 1.0)
    pen = Pen(style, None)
    runs: Any = (SimpleNamespace(title="a run"), SimpleNamespace(title="another"))
    draw_pair(pen, runs, ROWS, 13.0, 0.0, width, lambda _text: None)
    texts = [item for item in pen.items if isinstance(item, Text)]
    assert {"6,456,259", "142,451"} <= {text.text for text in texts}
    assert all(text.x + style.width(text.text, text.face, text.size) <= width for text in texts)
