"""The table of sums: long figures move aside, they never touch each other or the label."""

from __future__ import annotations

import itertools

import pytest

from opentine_gui.app.grouping import SumRow
from opentine_gui.scene.drawlist import Text
from opentine_gui.scene.metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.look import Look
from opentine_gui.ui.panels.sheet import Pen
from opentine_gui.ui.panels.sums import draw_sums

ROWS = [
    SumRow("Each step once", "500", "$0.2004", "3 min 54 s", "65,130", "text", ""),
    SumRow("Runs added up", "100,500", "≥ $1,222.89", "1,207 d 25 h", "1,865,939,982", "quiet", ""),
    SumRow("Saved by forking", "0", "–", "not recorded", "–", "good", ""),
]


@pytest.mark.parametrize("width", [240.0, 360.0, 640.0])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_no_two_texts_of_a_line_touch(width: float, scale: float) -> None:
    look = Look(DARK, FontMetrics(), scale)
    pen = Pen(look, None)
    draw_sums(pen, ROWS, look.size(13), 0.0, look.size(width), lambda _text: None)
    lines: dict[int, list[Text]] = {}
    for item in pen.items:
        if isinstance(item, Text):
            lines.setdefault(round(item.y / look.size(25) - 0.3), []).append(item)
    assert len(lines) == len(ROWS) + 1
    for line in lines.values():
        spans = sorted((text.x, text.x + look.width(text.text, text.face, text.size)) for text in line if text.text)
        for (_, end), (begin, _) in itertools.pairwise(spans):
            assert begin >= end + look.size(2)


def test_a_table_without_rows_is_its_headings() -> None:
    pen = Pen(Look(DARK, FontMetrics(), 1.0), None)
    draw_sums(pen, [], 13.0, 0.0, 360.0, lambda _text: None)
    assert [item.text for item in pen.items if isinstance(item, Text)] == ["Cost", "Duration", "Tokens"]
