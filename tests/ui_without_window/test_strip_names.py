"""The names of the rows of a time strip: none is printed over another, however low the rows are."""

from __future__ import annotations

from itertools import pairwise

import pytest

from opentine_gui.scene.draw_list import Text
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.panels.time_strip.drawing import LABEL, draw_names
from opentine_gui.ui.panels.time_strip.places import places_of
from opentine_gui.ui.toolkit.sheet import Pen
from opentine_gui.ui.toolkit.style import Style

AGENTS = ("Review hooks", "Security review", "Architecture", "Best practices", "Simplicity")


def names_at(height: float, scale: float, main_rows: int) -> list[Text]:
    pen = Pen(Style(DARK, FontMetrics(), scale), None)
    at = places_of(1000 * scale, height * scale, scale, 14 * scale, main_rows + len(AGENTS), curve=24.0)
    draw_names(pen, at, "main agent", main_rows, AGENTS, "")
    return [item for item in pen.items if isinstance(item, Text)]


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("main_rows", [1, 2, 6])
@pytest.mark.parametrize("height", [62, 80, 110, 140, 180, 260])
def test_no_name_of_a_row_is_printed_over_another(height: float, scale: float, main_rows: int) -> None:
    tops = sorted({round(text.y, 3) for text in names_at(height, scale, main_rows)})
    assert all(below - above >= LABEL * scale for above, below in pairwise(tops))


def test_rows_that_are_lower_than_a_name_have_one_for_all_sub_agents() -> None:
    low = [text.text for text in names_at(110, 1.0, 1)]
    assert "sub-agents" in low
    assert not set(AGENTS) & set(low)
    assert set(AGENTS) <= {text.text for text in names_at(260, 1.0, 1)}
