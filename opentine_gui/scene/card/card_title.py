"""The measures of a card's texts, its title, and the mark of a seal that is wrong."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.scene.draw_list import Circle, Line, Polygon, Primitive
from opentine_gui.scene.text.clean import shortened_end, shortened_middle, shorter_calls
from opentine_gui.scene.text.line_break import wrapped
from opentine_gui.scene.theme import Theme

if TYPE_CHECKING:
    from opentine_gui.scene.text.font_metrics import FontMetrics

# Measures in pixels at zoom 1, for a card of 220 x 80 (`layout.Spacing`): three lines of text and the kind's bar.
RADIUS = 8.0
INSET = 20.0
TITLE_INSET = 38.0
RIGHT_INSET = 12.0
GLYPH = 11.0
TITLE_SIZE, TEXT_SIZE, MONO_SIZE = 13.5, 12.0, 12.0
# Smaller em sizes are illegible: text stops shrinking with the card here, and is left out further away.
SMALLEST_TITLE, SMALLEST_TEXT = 10.5, 9.5

SHOWN_SEALS = ("mismatch", "unsupported")
"""Seals that are drawn: a step that verified, or was not checked, needs no mark."""

# Calls with a path or an address often differ only in their ends: they are elided in the middle.
CALL = re.compile(r"(?:Calls )?[\w.-]+\([^\s\"]*[/\\][^\s\"]*\)$")


CALL_SHARES = (1.0, 0.9, 0.8, 0.7)
"""Shares of the room of all lines that a call is shortened to until it can be broken well."""


class Title(NamedTuple):
    """A card's title as drawn: its lines, their left edge from the card's, their size and line pitch in pixels."""

    lines: list[str]
    left: float
    size: float
    pitch: float


def title_of(text: str, seal: str | None, w: float, zoom: float, most: int, metrics: FontMetrics) -> Title:
    """Return the title on up to `most` lines; a card that is drawn larger never shows less of it."""
    size = max(TITLE_SIZE * zoom, SMALLEST_TITLE)
    left = (TITLE_INSET if most > 1 else INSET) * zoom
    room = w - left - (24 if seal in SHOWN_SEALS else RIGHT_INSET) * zoom
    if metrics.width(text, "title", size) <= room:
        lines = [text]
    elif CALL.match(text):
        lines = _lines_of_call(text, room, size, most, metrics)
    else:
        lines = wrapped(text, room, "title", size, metrics, most, whole_words=True)
    return Title(lines, left, size, size * 1.22)


def _lines_of_call(text: str, room: float, size: float, most: int, metrics: FontMetrics) -> list[str]:
    """The lines of a call: without as many folders as needed to break it between words, else elided in its middle."""

    def broken(call: str) -> list[str] | None:
        lines = wrapped(call, room, "title", size, metrics, most, whole_words=True)
        return lines if "".join(lines).replace(" ", "") == call.replace(" ", "") else None

    for call in (text, *shorter_calls(text)):
        if (lines := broken(call)) is not None:
            return lines
    whole = room * most - (size if most > 1 else 0.0)  # a line ends before the letter that does not fit
    elided = shortened_end if next(shorter_calls(text), None) else shortened_middle
    for share in CALL_SHARES:
        if (lines := broken(elided(text, whole * share, "title", size, metrics))) is not None:
            return lines
    return wrapped(shortened_middle(text, whole, "title", size, metrics), room, "title", size, metrics, most)


def draw_seal(items: list[Primitive], seal: str, x: float, y: float, r: float, colors: Theme) -> None:
    """Draw a cross if the id does not match; a half-full ring if it matches but that of an ancestor does not."""
    if seal == "mismatch":
        items.append(Circle(x, y, r + 2, fill=colors.bad))
        reach = r * 0.55
        for turn in (1, -1):
            ends = ((x - reach, y - reach * turn), (x + reach, y + reach * turn))
            items.append(Line(ends, colors.card, 1.5))
    else:
        r += 1
        lower = tuple((x + r * math.cos(a * math.pi / 8), y + r * math.sin(a * math.pi / 8)) for a in range(9))
        items += [Polygon(lower, fill=colors.bad), Circle(x, y, r, edge=colors.bad)]
