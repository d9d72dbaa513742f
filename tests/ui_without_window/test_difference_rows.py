"""The rows of a difference: a line that is wrapped is whole, and each of its rows fits."""

from __future__ import annotations

import pytest

from opentine_gui.describe.difference_lines import DiffLine
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.panels.several_runs.difference_rows import diff_rows
from opentine_gui.ui.toolkit.style import Style

TEXT = "Silent data loss when backup already exists: the hook is silently overwritten, no warning. Consider adding"


@pytest.mark.parametrize("width", range(200, 420, 7))
def test_no_row_of_a_wrapped_line_is_wider_than_one_that_is_full(width: int) -> None:
    style = Style(DARK, FontMetrics(), 1.0)
    rows, _ = diff_rows([DiffLine("removed", TEXT)], float(width), style)
    said = ["".join(span.text for span in row.left) for row in rows]
    assert " ".join(line[2:] for line in said) == TEXT
    full, _ = diff_rows([DiffLine("removed", "x" * 500)], float(width), style)
    longest = len("".join(span.text for span in full[0].left))
    assert max(map(len, said)) <= longest
