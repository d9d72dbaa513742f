"""Words in a row that break between lines, and words to choose from with the chosen one underlined."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opentine_gui.ui.toolkit.sheet import BODY, Color, Pen

LINE = 20.0
Piece = tuple[str, Color, Callable[[], None] | None]
"""Text, its colour, and what a click on it does."""


def tabs(
    pen: Pen,
    x: float,
    y: float,
    height: float,
    names: Sequence[tuple[str, str]],
    current: str,
    choose: Callable[[str], None],
) -> float:
    """Words in a row, the current one underlined; `names` are (what is chosen, what is said). Answers the bottom."""
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
    """Pieces of text one after the other, broken between words; one that acts is a link. Answers the bottom."""
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
