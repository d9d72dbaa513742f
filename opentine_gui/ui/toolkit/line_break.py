"""Breaks text into lines by pixel width."""

from __future__ import annotations

from opentine_gui.scene.text.line_break import wrapped
from opentine_gui.ui.toolkit.style import Style


def wrap(text: str, width: float, style: Style, *, face: str = "text", size: float = 13.0, most: int = 0) -> list[str]:
    """Break text into lines of at most `width` pixels, at spaces or, where a word is too long, inside it.

    `size` is an em size in design pixels. Beyond `most` lines (0: any number) the last one is elided.
    """
    return wrapped(text, width, face, style.size(size), style.metrics, most or None)
