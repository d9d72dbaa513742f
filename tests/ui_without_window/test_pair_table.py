"""The table of two runs: no figure is cut by the panel's edge, however narrow it is."""

from __future__ import annotations

from itertools import pairwise
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
    FigureRow("Outcome", "turn ended", "no end recorded", "", None, ("text", "quiet")),
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


@pytest.mark.parametrize("width", [270.0, 300.0, 360.0])
def test_where_the_panel_is_narrow_words_give_way_before_the_difference(width: float) -> None:
    rows = [
        FigureRow("Outcome", "no end recorded", "no end recorded", roles=("quiet", "quiet")),
        FigureRow("Last check", "passed", "not checked", roles=("good", "quiet")),
        FigureRow("Failures", "0", "0", "same"),
        FigureRow("Without pauses", "1 min 12 s", "29 s", "−43 s", True),
        FigureRow("Tokens", "837,278", "405,693", "−431,585", True),
    ]
    style = Style(DARK, FontMetrics(), 1.0)
    pen = Pen(style, None)
    runs: Any = (SimpleNamespace(title="24 steps: a run"), SimpleNamespace(title="13 steps: a run"))
    draw_pair(pen, runs, rows, 14.0, 0.0, width, lambda _text: None, names=False)
    texts = [item for item in pen.items if isinstance(item, Text)]
    assert {"B − A", "−43 s", "−431,585", "1 min 12 s", "405,693", "passed"} <= {text.text for text in texts}
    assert all(text.x + style.width(text.text, text.face, text.size) <= width - 13 for text in texts)
    for row in {text.y for text in texts}:  # nothing runs into what stands beside it
        beside = sorted((text for text in texts if text.y == row), key=lambda text: text.x)
        for left, right in pairwise(beside):
            assert left.x + style.width(left.text, left.face, left.size) <= right.x


@pytest.mark.parametrize("width", range(260, 430, 5))
def test_what_is_the_same_in_both_runs_is_said_in_the_same_word(width: int) -> None:
    pen = Pen(Style(DARK, FontMetrics(), 1.0), None)
    runs: Any = (SimpleNamespace(title="a run"), SimpleNamespace(title="another"))
    rows = [FigureRow("Outcome", "no end recorded", "no end recorded", roles=("quiet", "quiet"))]
    draw_pair(pen, runs, rows, 14.0, 0.0, float(width), lambda _text: None, names=False)
    said = [item.text for item in pen.items if isinstance(item, Text) and item.text.startswith("no end")]
    assert len(said) == 2 and len({*said}) == 1


def test_a_table_in_which_nothing_is_worked_out_yet_is_drawn() -> None:
    pen = Pen(Style(DARK, FontMetrics(), 1.0), None)
    runs: Any = (SimpleNamespace(title="a run"), SimpleNamespace(title="another"))
    rows = [FigureRow("Outcome", "turn ended", "not run yet"), FigureRow("Last check", "checking…", "checking…")]
    draw_pair(pen, runs, rows, 13.0, 0.0, 320.0, lambda _text: None)
    assert {"checking…", "not run yet"} <= {item.text for item in pen.items if isinstance(item, Text)}


def test_words_have_the_colour_of_what_they_say_and_figures_that_of_their_run() -> None:
    rows = [
        FigureRow("Any label", "as it is", "so so", roles=("bad", "good")),
        FigureRow("Outcome", "7", "6", "−1", True),
    ]
    pen = Pen(Style(DARK, FontMetrics(), 1.0), None)
    runs: Any = (SimpleNamespace(title="a run"), SimpleNamespace(title="another"))
    draw_pair(pen, runs, rows, 14.0, 0.0, 640.0, lambda _text: None, names=False)
    colors = {item.text: item.color for item in pen.items if isinstance(item, Text)}
    assert (colors["as it is"], colors["so so"]) == (DARK.bad, DARK.good)
    assert (colors["7"], colors["6"], colors["−1"]) == (DARK.role("side_a"), DARK.role("side_b"), DARK.good)
