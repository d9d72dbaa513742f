"""Sums of money, time and tokens as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from opentine_gui.app.comparison.family_tables import SumRow
from opentine_gui.describe.numbers import NOT_RECORDED
from opentine_gui.ui.toolkit.look import Look
from opentine_gui.ui.toolkit.sheet import MONO, SMALL, Pen

ROW = 25.0
FIGURE = MONO - 1.0
GAP = 10.0
WIDE = 420.0
"""Width in design pixels from which the sums have room for a column of steps."""
LABEL = 56.0
"""Design pixels a label needs at least; where less is left, columns go: the tooltip has what they would say."""
LEAST = ("Duration", "Tokens")
"""Which go, first to last."""

_EDGES = {"Steps": 0.45, "Cost": 0.59, "Duration": 0.813, "Tokens": 1.0}
"""Columns, and where in the width their right edges are; that of the last one is at the end."""


class Column(NamedTuple):
    """A column: its heading, its right edge, and the width of the widest thing in it, in pixels."""

    name: str
    edge: float
    widest: float


def draw_sums(
    pen: Pen, rows: Sequence[SumRow], pad: float, y: float, width: float, copied: Callable[[str], None]
) -> float:
    """A row for each sum, `pad` from both edges, under a row of headings; a click copies. Answers the bottom."""
    look, theme = pen.look, pen.theme
    columns = _columns(look, rows, pad, width)
    middle = y + look.size(ROW) / 2
    for column in columns:
        pen.text(column.edge, middle, column.name, theme.faint, "text", SMALL, right=True)
    y += look.size(ROW)
    room = max(columns[0].edge - columns[0].widest - look.size(GAP) - pad, 0.0)
    for row in rows:
        pen.rule(pad, y, width - pad)
        middle, bottom = y + look.size(ROW) / 2, y + look.size(ROW)
        color = theme.role(row.role)
        pen.text(pad, middle, row.label, theme.quiet if row.role == "text" else color, room=room)
        hint = "\n".join((row.label, *(f"{name}: {value}" for name, value in _figures(row).items()), row.hint))
        pen.zone(pad, y, pad + room, bottom, None, hint.strip())
        for column in columns:
            value = _figures(row)[column.name]
            shade = theme.faint if value == NOT_RECORDED else color
            words, face = _shown(value)
            begin = pen.text(column.edge, middle, words, shade, face, FIGURE, right=True)
            pen.zone(begin, y, column.edge, bottom, partial(copied, value), "Click to copy")
        y = bottom
    pen.rule(pad, y, width - pad)
    return y


def _columns(look: Look, rows: Sequence[SumRow], pad: float, width: float) -> list[Column]:
    """The columns there is room for, from the left."""
    names = [name for name in _EDGES if name != "Steps" or width > look.size(WIDE)]
    gone = list(LEAST)
    while True:
        columns = _placed(look, names, rows, pad, width)
        if not gone or columns[0].edge - columns[0].widest >= pad + look.size(GAP + LABEL):
            return columns
        names.remove("Steps" if "Steps" in names else gone.pop(0))


def _placed(look: Look, names: Sequence[str], rows: Sequence[SumRow], pad: float, width: float) -> list[Column]:
    """These columns; a long figure or heading moves those at its left, so that no two ever touch."""
    columns: list[Column] = []
    limit = width - pad
    for name in reversed(names):
        edge = min(_EDGES[name] * width, limit) if columns else limit
        shown = [_shown(_figures(row)[name]) for row in rows]
        widths = [look.width(words, face, look.size(FIGURE)) for words, face in shown]
        widest = max([look.width(name, "text", look.size(SMALL)), *widths])
        columns.append(Column(name, edge, widest))
        limit = edge - widest - look.size(GAP)
    return columns[::-1]


def _figures(row: SumRow) -> dict[str, str]:
    return {"Steps": row.steps, "Cost": row.cost, "Duration": row.duration, "Tokens": row.tokens}


def _shown(value: str) -> tuple[str, str]:
    """(a figure as it is written, the face it is written in)."""
    return ("no record", "text") if value == NOT_RECORDED else (value, "mono")
