"""Sums of money, time and tokens as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from opentine_gui.app.grouping import SumRow
from opentine_gui.scene.numbers import NOT_RECORDED
from opentine_gui.ui.panels.sheet import MONO, SMALL, Pen

ROW = 25.0
SUMS = ("Cost", "Duration", "Tokens")
FIGURE = MONO - 1.0
GAP = 10.0
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
    figures = [_values(row, len(names)) for row in rows]
    for place in range(len(edges) - 1, 0, -1):  # a long figure moves those at its left, so that no two ever touch
        widest = max((look.width(*_shown(values[place]), look.size(FIGURE)) for values in figures), default=0.0)
        edges[place - 1] = min(edges[place - 1], edges[place] - widest - look.size(GAP))
    middle = y + look.size(ROW) / 2
    for name, x in zip(names, edges, strict=True):
        pen.text(x, middle, name, theme.faint, "text", SMALL, right=True)
    y += look.size(ROW)
    for row, values in zip(rows, figures, strict=True):
        pen.rule(pad, y, width - pad)
        middle = y + look.size(ROW) / 2
        color = theme.role(row.role)
        first = look.width(*_shown(values[0]), look.size(FIGURE))
        room = max(edges[0] - first - look.size(GAP) - pad, 0.0)
        end = pen.text(pad, middle, row.label, theme.quiet if row.role == "text" else color, room=room)
        pen.zone(pad, y, end, y + look.size(ROW), None, f"{row.steps} steps\n{row.hint}".strip())
        for value, x in zip(values, edges, strict=True):
            shade = theme.faint if value == NOT_RECORDED else color
            words, face = _shown(value)
            begin = pen.text(x, middle, words, shade, face, FIGURE, right=True)
            pen.zone(begin, y, x, y + look.size(ROW), partial(copied, value), "Click to copy")
        y += look.size(ROW)
    pen.rule(pad, y, width - pad)
    return y


def _values(row: SumRow, count: int) -> tuple[str, ...]:
    """The last `count` figures of a row."""
    return (row.steps, row.cost, row.duration, row.tokens)[-count:]


def _shown(value: str) -> tuple[str, str]:
    """(a figure as it is written, the face it is written in)."""
    return ("no record", "text") if value == NOT_RECORDED else (value, "mono")
