"""Draws the table of two runs side by side: the figures of A, of B, and the differences, none of them cut off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from opentine_gui.app.comparison.comparison_view import FigureRow
from opentine_gui.app.document.overlay import ShownRun
from opentine_gui.describe.comparison_words import FILES_EDITED, LAST_CHECK, NOT_WORKED_OUT
from opentine_gui.describe.failures.run_status import NO_END, TURN_ENDED
from opentine_gui.describe.numbers import NOT_RECORDED, SUM_OF_STEPS, WITHOUT_PAUSES
from opentine_gui.scene.draw_list import Color
from opentine_gui.scene.text.clean import cut_in_middle
from opentine_gui.scene.theme import Theme
from opentine_gui.ui.panels.several_runs.sums_table import ROW
from opentine_gui.ui.toolkit.sheet import BODY, MONO, SMALL, Pen
from opentine_gui.ui.toolkit.style import Style

GAP = 8.0
MOST_NAME = 96.0
"""Room in design pixels in which the visible part of a long name can be told from another name."""
LINE = 20.0
"""Height in design pixels of a line with a run's name above the table, where the columns are too narrow for it."""
SIDES = ("side_a", "side_b")
SHARES = (0.265, 0.49, 0.715)
"""Left edges of A, of B and of the difference, as shares of the width, where that leaves room for each figure."""


class Look(NamedTuple):
    """The font and size of the figures."""

    face: str
    size: float


LOW_ROW = 21.0
SHORT_LABELS = {WITHOUT_PAUSES: "No pauses", FILES_EDITED: "Files", SUM_OF_STEPS: "Step time"}
SHORT_WORDS = {
    NO_END: "no end", TURN_ENDED: "ended", "not checked": "unchecked", "command failed": "failed",
    "passed, then edits": "then edits",
}  # fmt: skip
"""What stands for a label, or for how a run ended, where there is no room for it."""
NO_FIGURE = (NOT_RECORDED, NOT_WORKED_OUT)
LOOKS = (Look("mono", MONO), Look("mono", MONO - 1), Look("text", SMALL))
"""From the largest to the narrowest."""


def draw_pair(
    pen: Pen,
    runs: tuple[ShownRun, ShownRun],
    rows: Sequence[FigureRow],
    pad: float,
    y: float,
    width: float,
    copied: Callable[[str], None],
    *,
    names: bool = True,
    checks: tuple[str, str] = ("", ""),
    low: bool = False,
) -> float:
    """Draw a table A | B | B − A, with a line under each row; a click copies a figure. Returns the bottom.

    Without `names` the columns are headed by letters alone. `checks` say of A and B in full what was checked last.
    `low` rows are as low as they can be read.
    """
    style, theme = pen.style, pen.theme
    columns, look = _columns(style, rows, pad, width)
    pitch = style.size(LOW_ROW if low else ROW)
    middle, half = y + pitch / 2, pitch / 2 - style.size(1)
    letter = style.width("B", "title", style.size(BODY)) + style.size(6)
    narrow = any(
        until - style.size(GAP) - x - letter
        < min(style.width(run.title, "text", style.size(SMALL)), style.size(MOST_NAME))
        for run, (x, until) in zip(runs, pairwise(columns[1:]), strict=True)
    )
    if narrow and names:
        for run, name, role in zip(runs, "AB", SIDES, strict=True):
            _heading(pen, run, name, role, pad, y + style.size(LINE) / 2, width - pad)
            y += style.size(LINE)
        middle = y + pitch / 2
    for run, name, role, (x, until) in zip(runs, "AB", SIDES, pairwise(columns[1:]), strict=True):
        if narrow or not names:
            pen.text(x, middle, name, theme.role(role), "title")
        else:
            _heading(pen, run, name, role, x, middle, until - style.size(GAP))
    shown = 3 if columns[3] < width else 2
    if shown == 3:
        pen.text(columns[3], middle, "B − A", theme.quiet, "text", SMALL)
    y += pitch
    for row in rows:
        pen.rule(pad, y, width - pad)
        middle = y + pitch / 2
        label = _label(row, look)
        end = pen.text(columns[0], middle, label, theme.quiet)
        if label != row.label:
            pen.zone(columns[0], middle - half, end, middle + half, None, row.label)
        ends = (columns[2] - style.size(GAP), width - pad, width - pad)
        shortened = _is_shortened(style, row, look, [ends[place] - columns[place + 1] for place in range(shown)])
        for place, value in enumerate(_values(row)[:shown]):
            if value:
                words, face, size = _shown(value, _look(row, look))
                x, until = columns[place + 1], ends[place]
                told = any(row.roles)
                words = SHORT_WORDS.get(words, words) if shortened else words
                room = until - x if told else None
                cut = told and style.width(words, face, style.size(size)) > until - x
                end = pen.text(x, middle, words, _color(theme, row, place), face, size, room=room)
                full = value if cut or words != value else ""
                full = checks[place] if row.label == LAST_CHECK and place < 2 else full
                pen.zone(x, middle - half, end, middle + half, partial(copied, full or value), full or "Click to copy")
        y += pitch
    pen.rule(pad, y, width - pad)
    return y


def _heading(pen: Pen, run: ShownRun, name: str, role: str, x: float, middle: float, until: float) -> None:
    """The letter of a run, and as much of its title as fits."""
    end = pen.text(x, middle, name, pen.theme.role(role), "title") + pen.style.size(6)
    cut = cut_in_middle(run.title)
    pen.text(end, middle, run.title, pen.theme.quiet, "text", SMALL, room=until - end, middle_cut=cut)


def _columns(style: Style, rows: Sequence[FigureRow], pad: float, width: float) -> tuple[list[float], Look]:
    """The left edges of label, A, B and difference, and the largest look in which every figure fits.

    If they fit in none, the difference stands at `width`: it is not shown.
    """
    gap = style.size(GAP)
    fixed = [pad, *(share * width for share in SHARES), width - pad + gap]
    edges, look = fixed[:4], LOOKS[0]
    for look in LOOKS:
        needed = [max(style.width(_label(row, look), "text", style.size(BODY)) for row in rows)]
        for place in range(3):
            # While what came of the runs is worked out, and in a low panel, no row may have a difference beside B.
            wide = (_wide(style, _values(row)[place], _look(row, look)) for row in rows if _counts(row, place))
            needed.append(max(wide, default=0.0))
        if all(one + gap <= end - begin for one, (begin, end) in zip(needed, pairwise(fixed), strict=True)):
            return fixed[:4], look
        spare = width - 2 * pad - sum(needed) - 3 * gap
        edges = [pad]
        for one in needed[:3]:
            edges.append(edges[-1] + one + gap + max(spare, 0.0) / 3)
        if spare >= 0:
            return edges, look
    # A cut figure is useless; the difference can be computed from the two that are shown.
    return [*edges[:3], width], look


def _label(row: FigureRow, look: Look) -> str:
    return SHORT_LABELS.get(row.label, row.label) if look is LOOKS[-1] else row.label


def _counts(row: FigureRow, place: int) -> bool:
    """Whether a value needs its column: words of B without a difference beside them may go on into its column."""
    return place != 1 or bool(row.delta)


def _look(row: FigureRow, look: Look) -> Look:
    """Words are set in the font of text, which is narrower than that of figures."""
    return Look("text", min(look.size, SMALL)) if any(row.roles) else look


def _values(row: FigureRow) -> tuple[str, str, str]:
    return row.a, row.b, row.delta


def _shown(value: str, look: Look) -> tuple[str, str, float]:
    """(a figure as text, its font, its size)."""
    if value in NO_FIGURE:
        return value, "text", SMALL - 0.5
    return value, look.face, look.size


def _is_shortened(style: Style, row: FigureRow, look: Look, rooms: Sequence[float]) -> bool:
    """Whether the words of a row are short ones: where one is, all are, so that what is the same looks the same."""
    said = (_shown(value, _look(row, look)) for value in _values(row))
    wide = (style.width(words, face, style.size(size)) for words, face, size in said)
    return any(row.roles) and any(one > room for one, room in zip(wide, rooms, strict=False))


def _wide(style: Style, value: str, look: Look) -> float:
    words, face, size = _shown(SHORT_WORDS.get(value, value), look)
    return style.width(words, face, style.size(size))


def _color(theme: Theme, row: FigureRow, place: int) -> Color:
    value = _values(row)[place]
    if place < 2 and (role := row.roles[place]):
        return theme.role(role)
    if value in NO_FIGURE:
        return theme.faint
    if place < 2:
        return theme.role("side_a" if place == 0 else "side_b")
    return theme.quiet if row.better is None else theme.good if row.better else theme.bad
