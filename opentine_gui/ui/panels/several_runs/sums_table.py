"""Draws a table of sums of cost, time and tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from opentine_gui.app.comparison.family_tables import SumRow
from opentine_gui.describe.numbers import NOT_PRICED, NOT_RECORDED
from opentine_gui.ui.toolkit.sheet import BODY, MONO, SMALL, Pen
from opentine_gui.ui.toolkit.style import Style

ROW = 25.0
FIGURE = MONO - 1.0
GAP = 10.0
WIDE = 420.0
"""Width in design pixels from which there is room for a column of step counts."""
LABEL = 56.0
"""Least width of a label in design pixels; columns that leave less move into the tooltip."""
LEAST = ("Duration", "Tokens")
"""The columns that are dropped, in this order."""

_EDGES = {"Steps": 0.45, "Cost": 0.59, "Duration": 0.813, "Tokens": 1.0}
"""Columns and their right edges as shares of the width; the last one ends at the right edge."""


class Column(NamedTuple):
    """A column: heading, right edge, and width of its widest text, in pixels."""

    name: str
    edge: float
    widest: float


def draw_sums(
    pen: Pen, rows: Sequence[SumRow], pad: float, y: float, width: float, copied: Callable[[str], None]
) -> float:
    """Draw headings and a row for each sum, `pad` from both edges; a click copies a figure. Returns the bottom."""
    style, theme = pen.style, pen.theme
    columns = _columns(style, rows, pad, width)
    middle = y + style.size(ROW) / 2
    for column in columns:
        pen.text(column.edge, middle, column.name, theme.faint, "text", SMALL, right=True)
    y += style.size(ROW)
    room = max(columns[0].edge - columns[0].widest - style.size(GAP) - pad, 0.0)
    for row in rows:
        pen.rule(pad, y, width - pad)
        middle, bottom = y + style.size(ROW) / 2, y + style.size(ROW)
        color = theme.role(row.role)
        pen.text(pad, middle, row.label, theme.quiet if row.role == "text" else color, room=room)
        hint = "\n".join((row.label, *(f"{name}: {value}" for name, value in _figures(row).items()), row.hint))
        pen.zone(pad, y, pad + room, bottom, None, hint.strip())
        for column in columns:
            value = _figures(row)[column.name]
            shade = theme.faint if value in (NOT_RECORDED, NOT_PRICED) else color
            words, face = _shown(value)
            begin = pen.text(column.edge, middle, words, shade, face, FIGURE, right=True)
            pen.zone(begin, y, column.edge, bottom, partial(copied, value), "Click to copy")
        y = bottom
    pen.rule(pad, y, width - pad)
    return y


def _columns(style: Style, rows: Sequence[SumRow], pad: float, width: float) -> list[Column]:
    """The columns that fit beside whole labels, from left to right; tokens stay as long as labels can be guessed."""
    names = [name for name in _EDGES if name != "Steps" or width > style.size(WIDE)]
    gone = list(LEAST)
    label = max([style.size(LABEL), *(style.width(row.label, "text", style.size(BODY)) for row in rows)])
    while True:
        for packed in (False, True):
            columns = _placed(style, names, rows, pad, width, packed=packed)
            room = columns[0].edge - columns[0].widest - style.size(GAP) - pad
            if room >= label or (packed and (not gone or (gone == [*LEAST[1:]] and room >= style.size(LABEL)))):
                return columns
        names.remove("Steps" if "Steps" in names else gone.pop(0))


def _placed(
    style: Style, names: Sequence[str], rows: Sequence[SumRow], pad: float, width: float, *, packed: bool
) -> list[Column]:
    """The columns, moved left wherever a long figure or heading would touch its neighbour; or `packed` to the right."""
    columns: list[Column] = []
    limit = width - pad
    for name in reversed(names):
        edge = min(_EDGES[name] * width, limit) if columns and not packed else limit
        shown = [_shown(_figures(row)[name]) for row in rows]
        widths = [style.width(words, face, style.size(FIGURE)) for words, face in shown]
        widest = max([style.width(name, "text", style.size(SMALL)), *widths])
        columns.append(Column(name, edge, widest))
        limit = edge - widest - style.size(GAP)
    return columns[::-1]


def _figures(row: SumRow) -> dict[str, str]:
    return {"Steps": row.steps, "Cost": row.cost, "Duration": row.duration, "Tokens": row.tokens}


def _shown(value: str) -> tuple[str, str]:
    """(a figure as text, its font)."""
    return (value, "text") if value == NOT_RECORDED else (value, "mono")
