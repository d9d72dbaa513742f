"""Sums of money, time and tokens as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from opentine_gui.app.grouping import SumRow
from opentine_gui.scene.numbers import NOT_RECORDED
from opentine_gui.ui.panels.sheet import MONO, SMALL, Pen

ROW = 25.0
SUMS = ("Cost", "Duration", "Tokens")
WIDE = 420.0
"""Width in design pixels from which the sums have room for a column of steps."""


def draw_sums(
    pen: Pen, rows: Sequence[SumRow], pad: float, y: float, width: float, copied: Callable[[str], None]
) -> float:
    """A row for each sum, `pad` from both edges, under a row of headings; a click copies. Answers the bottom."""
    look, theme = pen.look, pen.theme
    names, edges = list(SUMS), [width * 0.59, width * 0.813, width - pad]
    if width > look.size(WIDE):
        names, edges = ["Steps", *SUMS], [width * 0.45, *edges]
    middle = y + look.size(ROW) / 2
    for name, x in zip(names, edges, strict=True):
        pen.text(x, middle, name, theme.faint, "text", SMALL, right=True)
    y += look.size(ROW)
    for row in rows:
        pen.rule(pad, y, width - pad)
        middle = y + look.size(ROW) / 2
        color = theme.role(row.role)
        end = pen.text(pad, middle, row.label, theme.quiet if row.role == "text" else color, room=width * 0.36)
        pen.zone(pad, y, end, y + look.size(ROW), None, f"{row.steps} steps\n{row.hint}".strip())
        values = (row.steps, row.cost, row.duration, row.tokens)[-len(edges) :]
        for value, x in zip(values, edges, strict=True):
            shade = theme.faint if value == NOT_RECORDED else color
            face = "text" if value == NOT_RECORDED else "mono"
            shown = "no record" if value == NOT_RECORDED else value
            begin = pen.text(x, middle, shown, shade, face, MONO - 1.0, right=True)
            pen.zone(begin, y, x, y + look.size(ROW), partial(copied, value), "Click to copy")
        y += look.size(ROW)
    pen.rule(pad, y, width - pad)
    return y
