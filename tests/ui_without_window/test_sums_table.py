"""The table of sums: long figures never touch each other or the label."""

from __future__ import annotations

import itertools

import pytest

from opentine_gui.app.comparison.family_tables import SumRow
from opentine_gui.scene.draw_list import Text
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.panels.several_runs.sums_table import draw_sums
from opentine_gui.ui.toolkit.sheet import Pen
from opentine_gui.ui.toolkit.style import Style

ROWS = [
    SumRow("Each step once", "500", "$0.2004", "3 min 54 s", "65,130", "text", ""),
    SumRow("Runs added up", "100,500", "≥ $1,222.89", "1,207 d 25 h", "1,865,939,982", "quiet", ""),
    SumRow("Saved by forking", "0", "–", "not recorded", "–", "good", ""),
]


@pytest.mark.parametrize("rows", [*([row] for row in ROWS), ROWS], ids=["short", "long", "none", "all"])
@pytest.mark.parametrize("width", [180.0, 240.0, 360.0, 640.0])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_texts_of_a_line_do_not_touch_and_stay_inside(rows: list[SumRow], width: float, scale: float) -> None:
    style = Style(DARK, FontMetrics(), scale)
    pen = Pen(style, None)
    draw_sums(pen, rows, style.size(13), 0.0, style.size(width), lambda _text: None)
    lines: dict[int, list[Text]] = {}
    for item in pen.items:
        if isinstance(item, Text):
            lines.setdefault(round(item.y / style.size(25) - 0.3), []).append(item)
    assert len(lines) == len(rows) + 1
    for line in lines.values():
        spans = sorted((text.x, text.x + style.width(text.text, text.face, text.size)) for text in line)
        assert spans[0][0] >= style.size(13) - 1
        assert spans[-1][1] <= style.size(width - 13) + 1
        for (_, end), (begin, _) in itertools.pairwise(spans):
            assert begin >= end + style.size(2)


def test_a_narrow_table_keeps_labels_and_costs_and_says_the_rest_in_a_tooltip() -> None:
    style = Style(DARK, FontMetrics(), 1.0)
    pen = Pen(style, None)
    draw_sums(pen, ROWS, 13.0, 0.0, 180.0, lambda _text: None)
    shown = [item.text for item in pen.items if isinstance(item, Text)]
    assert shown[0] == "Cost"
    assert "Duration" not in shown
    assert "$0.2004" in shown
    assert any(text.startswith("Each") for text in shown)
    assert any("Duration: 3 min 54 s" in zone.hint and "Tokens: 65,130" in zone.hint for zone in pen.zones)


def test_that_nothing_is_priced_is_said_in_a_quiet_colour() -> None:
    pen = Pen(Style(DARK, FontMetrics(), 1.0), None)
    rows = [SumRow("Saved by forking", "3", cost, "1.0 s", "5", "good", "") for cost in ("not priced", "$0.2004")]
    draw_sums(pen, rows, 13.0, 0.0, 640.0, lambda _text: None)
    colours = {item.text: item.color for item in pen.items if isinstance(item, Text)}
    assert (colours["not priced"], colours["$0.2004"]) == (DARK.faint, DARK.role("good"))


def test_a_table_without_rows_is_its_headings() -> None:
    pen = Pen(Style(DARK, FontMetrics(), 1.0), None)
    draw_sums(pen, [], 13.0, 0.0, 360.0, lambda _text: None)
    assert [item.text for item in pen.items if isinstance(item, Text)] == ["Cost", "Duration", "Tokens"]
