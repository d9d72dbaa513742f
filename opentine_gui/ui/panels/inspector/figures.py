"""What stands at the head of the inspector: labelled figures, and how many steps failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opentine_gui.app.inspect.figures import Figure
from opentine_gui.app.session import Session
from opentine_gui.ui.toolkit.sheet import MONO, SMALL, Pen

MARK = 15.0
GAP = 12.0
"""Least design pixels between three figures that are not in columns of one width."""
NARROW = 250.0
"""Room for figures in design pixels in which two of them may not fit beside each other."""


def draw_figures(
    pen: Pen, figures: Sequence[Figure], x: float, y: float, room: float, copied: Callable[[str], None]
) -> float:
    """Draw labelled values, three to a row where their labels have room, else two; a click copies one.

    Where half a row is too short for one of them, each has a row of its own. They begin at the top `y`; returns the
    bottom.
    """
    style, theme = pen.style, pen.theme
    labels = [style.width(figure.label, "text", style.size(SMALL)) for figure in figures]
    values = [style.width(figure.value, "mono", style.size(MONO)) for figure in figures]
    natural = [max(pair) for pair in zip(labels, values, strict=True)]
    columns = 3 if max(labels, default=0.0) + style.size(10) <= room / 3 else 2
    if len(figures) == 3 and sum(natural) + style.size(2 * GAP) <= room:
        columns = 3
    if room < style.size(NARROW) and max(values, default=0.0) + style.size(10) > room / columns:
        columns = 1
    lefts = [room / columns * column for column in range(columns)] + [room]
    if columns == len(figures) == 3 and max(natural) + style.size(GAP) > room / 3:  # each as wide as it is
        between = (room - sum(natural)) / 2
        lefts = [0.0, natural[0] + between, natural[0] + natural[1] + 2 * between, room + style.size(10)]
    for place, figure in enumerate(figures):
        column, row = place % columns, place // columns
        left, top = x + lefts[column], y + row * style.size(44)
        pen.text(left, top + style.size(6), figure.label, theme.quiet, "text", SMALL)
        size = style.size(12)
        value_room = lefts[column + 1] - lefts[column] - style.size(10)
        middle = top + style.size(24)
        over = pen.over(left, top, left + value_room, top + style.size(36))
        words = figure.role == "faint" or figure.label == "Integrity"
        face = "text" if words else "mono"
        end = pen.text(
            left, middle, figure.value, theme.role(figure.role), face, MONO, room=value_room, middle_cut=not words
        )
        if over:
            pen.rule(left, round(middle + size * 0.62), end, theme.faint)
        act = lambda text=figure.copied: copied(text)  # noqa: E731 - bound at once, one a figure
        pen.zone(left, top, left + value_room, top + style.size(36), act, figure.tooltip)
    rows = (len(figures) + columns - 1) // columns
    return y + rows * style.size(44)


def draw_failures(pen: Pen, session: Session, words: str, x: float, middle: float) -> float:
    """Draw how many steps failed, behind arrows to the previous and the next one; returns the x where it ends.

    The arrows come first, or they would move under the pointer as "6 failures" becomes "failure 1 of 6".
    """
    style, theme = pen.style, pen.theme
    half, end = style.size(11), x - style.size(6)
    for mark, action_id in (("‹", "go.previous_failure"), ("›", "go.next_failure")):
        action = session.actions[action_id]
        right = end + style.size(18)
        over = pen.over(end, middle - half, right, middle + half)
        wide = style.width(mark, "title", style.size(MARK))
        left = (end + right - wide) / 2
        pen.text(left, middle, mark, theme.text if over else theme.bad, "title", MARK)
        act = lambda chosen=action_id: session.invoke(chosen)  # noqa: E731 - bound at once, one a mark
        pen.zone(end, middle - half, right, middle + half, act, f"{action.title}  {action.key}")
        end = right
    start, first = end + style.size(4), session.actions["go.next_failure"]
    end = pen.text(start, middle, words, theme.bad)
    pen.zone(start, middle - half, end, middle + half, lambda: session.invoke(first.id), f"{first.title}  {first.key}")
    return end
