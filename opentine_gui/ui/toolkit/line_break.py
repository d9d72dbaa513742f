"""Breaking text into lines by pixel width."""

from __future__ import annotations

from opentine_gui.scene.text.line_break import wrapped
from opentine_gui.ui.toolkit.look import Look


def wrap(text: str, width: float, look: Look, *, face: str = "text", size: float = 13.0, most: int = 0) -> list[str]:
    """Lines of at most `width` pixels, broken at spaces and, where a word is too long, inside it.

    `size` is an em size in design pixels. Beyond `most` lines (0: any number) the last one is elided.
    """
    return wrapped(text, width, face, look.size(size), look.metrics, most or None)
