"""Running text with links that wraps between words, and rows of tabs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opentine_gui.ui.toolkit.sheet import BODY, Color, Pen

LINE = 20.0
Piece = tuple[str, Color, Callable[[], None] | None]
"""(text, colour, what a click does or None)."""


def tabs(
    pen: Pen,
    x: float,
    y: float,
    height: float,
    names: Sequence[tuple[str, str]],
    current: str,
    choose: Callable[[str], None],
) -> float:
    """Draw a row of tabs, the current one underlined; `names` are (value, label). Returns the bottom."""
    look, theme = pen.look, pen.theme
    gap = look.size(18)
    for name, label in names:
        here = name == current
        end = pen.text(x, y + height / 2, label, theme.text if here else theme.quiet)
        if here:
            pen.rect(x - look.size(2), y + height - look.size(2), end + look.size(2), y + height, theme.accent)
        pen.zone(x - gap / 2, y, end + gap / 2, y + height, lambda chosen=name: choose(chosen))  # type: ignore[misc]
        x = end + gap
    return y + height


def flow(pen: Pen, pieces: Sequence[Piece], x: float, y: float, room: float) -> float:
    """Draw pieces of text in a row, wrapped between words; a piece with an act is a link. Returns the bottom."""
    look = pen.look
    em, height = look.size(BODY), look.size(LINE)
    space, left = look.width(" ", "text", em), x
    for text, color, act in pieces:
        for word in text.split(" "):
            wide = look.width(word, "text", em)
            if x > left and x + wide > left + room:
                x, y = left, y + height
            end = (
                pen.link(x, y, word, act, color=color, room=room)
                if act is not None
                else pen.text(x, y, word, color, room=room)
            )
            x = end + space
    return y + height
