"""A row of a list that has not room for all it says."""

from __future__ import annotations

import pytest

from opentine_gui.scene.draw_list import Text
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.panels.runs.run_rows import not_saved
from opentine_gui.ui.toolkit.row import Row, Span, draw_row
from opentine_gui.ui.toolkit.style import Style


@pytest.mark.parametrize(("width", "mark"), [(400.0, "(not saved)"), (190.0, "●")])
def test_the_name_of_an_unsaved_run_gets_the_room_of_the_words_that_say_so(width: float, mark: str) -> None:
    style = Style(DARK, FontMetrics(), 1.0)
    row = Row((Span("Fork 2 of read the packages", style.theme.text), not_saved(style.theme.accent)))
    name, said = (item.text for item in draw_row(style, row, width, 24.0).items if isinstance(item, Text))
    assert said == mark
    assert name.startswith("Fork 2 of read")
