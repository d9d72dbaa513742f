"""The axis of a time strip: clock times in every stretch of work, and between them how long the pauses were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from opentine_gui.describe.numbers import format_day, format_time, rounded_time
from opentine_gui.scene.draw_list import Line
from opentine_gui.scene.overviews.time_axis import Tick, ticks
from opentine_gui.scene.overviews.timeline import Timeline
from opentine_gui.ui.panels.time_strip.drawing import LABEL
from opentine_gui.ui.panels.time_strip.places import RIBBON, Places
from opentine_gui.ui.toolkit.sheet import Pen

PAUSE, FORK = "pause", "fork"
PAUSE_KEY = "pause, skipped"
DASH, GAP = 5.0, 4.0
NEAREST = 12.0
"""Pixels between two dashed lines that can be told apart; of nearer ones one is drawn."""
FEWEST = 5
"""Characters of a clock time without seconds; a day takes as many at least."""
TICK = 84.0
"""Least design pixels between two clock times."""
BESIDE = 6.0
"""Design pixels between two words on the axis."""

Measure = Callable[[str, str], float]
"""The width in pixels of words in a face ("text" or "mono")."""


class Word(NamedTuple):
    """Words on the axis: from pixel `x` of the strip up to `end`, and the pixel of the clock time they give, if any."""

    x: float
    end: float
    text: str
    tick: float | None = None
    fork: bool = False


def axis_words(line: Timeline, width: float, ticks: Sequence[Tick], measure: Measure, scale: float) -> list[Word]:
    """What stands on the axis of a strip `width` pixels wide: what is left out, and a clock time in every stretch.

    Pauses are named in short where that gives a stretch its time. The day is said where it changes.
    """
    long = _with_times(line, width, ticks, measure, scale, short=False)
    short = _with_times(line, width, ticks, measure, scale, short=True) if line.pauses else long
    return long[0] if long[1] >= short[1] else short[0]


def _with_times(
    line: Timeline, width: float, ticks: Sequence[Tick], measure: Measure, scale: float, *, short: bool
) -> tuple[list[Word], int]:
    """(the words, in how many stretches there is a time)."""
    words = _left_out(line, width, measure, scale, short=short)
    digits = 8 if any(tick.seconds % 60 for tick in ticks) else FEWEST
    begin, end = float(line.time_at(0.0)), float(line.time_at(1.0))
    several_days = format_day(line.first) != format_day(line.last)
    years = format_day(line.first)[-4:] != format_day(line.last)[-4:]
    narrowest = measure("0" * FEWEST, "mono")
    day, reached, timed = "" if several_days else format_day(line.first), -BESIDE * scale, 0

    def free(x: float, wide: float) -> bool:
        """Whether a time would lie over no other word: from `x` on, or before the edge, however late it is."""
        left = min(x, width - wide)
        apart = BESIDE * scale
        return max(left, 0.0) >= reached and all(
            left + wide + apart <= word.x or word.end + apart <= left for word in words
        )

    def put(x: float, seconds: float) -> bool:
        """Write a time from `x` on, with its day where that is another one than last said."""
        nonlocal day, reached
        if not free(x, narrowest):  # most places of a long run: to say what stands there takes longer
            return False
        today, clock = format_day(seconds), format_time(seconds)[:digits]
        said = format_day(seconds, year=years and today[-4:] != day[-4:])
        for text in (clock,) if today == day else (f"{said} {clock}", said):
            wide = measure(text, "mono")
            if free(x, wide):
                left = min(x, width - wide)
                words.append(Word(left, left + wide, text, x))
                day, reached = today, left + wide + BESIDE * scale
                return True
        return False

    shown = [(max(first, begin), min(last, end)) for first, last in line.stretches if last >= begin and first <= end]
    edges = (line.place_of(shown) * width).tolist()  # of all at once: there are hundreds, for every notch of the wheel
    for (first, last), (left, right) in zip(shown, edges, strict=True):
        placed = [put(tick.x, tick.seconds) for tick in ticks if first <= tick.seconds <= last]
        if not any(placed):
            crossing = [word.end + BESIDE * scale for word in words if word.x <= right and word.end >= left]
            for x in (left, *sorted(crossing)):
                if x <= max(right - 1.0, left) and put(x, float(line.time_at(x / width))):
                    placed.append(True)
                    break
        timed += any(placed)
    return sorted(words), timed


def _left_out(line: Timeline, width: float, measure: Measure, scale: float, *, short: bool) -> list[Word]:
    """Pauses and forks, as far as there is room: in short right of their line, where nothing is drawn."""
    marks = [(place, seconds) for place, seconds in line.pauses] + [(place, -1.0) for place in line.forks]
    found: list[Word] = []
    for place, seconds in sorted(marks):
        x, free = place * width, found[-1].end + BESIDE * scale if found else 0.0
        length = rounded_time(seconds) if seconds >= 0 else FORK
        for text in (length,) if short or seconds < 0 else (f"{PAUSE} {length}", length):
            wide = measure(text, "text")
            wanted = x if short else x - wide / 2
            left = min(max(wanted, free), width - wide)
            if free <= left <= x + 2 * scale:  # beside the words before it, yet at its own line
                found.append(Word(left, left + wide, text, fork=seconds < 0))
                break
    return found


def draw_axis(pen: Pen, line: Timeline, ticks: Sequence[Tick], at: Places) -> None:
    """Dashed lines where something is left out, and the words of the axis where there is room for one."""
    theme, style = pen.theme, pen.style
    bottom = at.words - style.size(8) if at.words else at.top + at.rows
    drawn = -NEAREST
    for place, _ in line.pauses:
        x = place * at.width
        if x - drawn >= NEAREST:
            _dashed(pen, int(at.left + x), at.top, bottom, theme.quiet)
            drawn = x
    for place in line.forks:
        _dashed(pen, int(at.left + place * at.width), at.top, bottom, theme.accent)
    if not at.words:
        return
    below, size = at.ribbon + style.size(RIBBON), style.size(LABEL)
    for word in axis_words(line, at.width, ticks, lambda text, face: style.width(text, face, size), style.size(1)):
        x = at.left + word.x
        if word.tick is None:
            pen.text(x, at.words, word.text, theme.accent if word.fork else theme.quiet, "text", LABEL)
            continue
        tick = int(at.left + word.tick)
        pen.items.append(Line(((tick, below + 1), (tick, below + style.size(4))), theme.quiet, 1.0))
        pen.text(x, at.words, word.text, theme.faint, "mono", LABEL)


def word_places(pen: Pen, line: Timeline, at: Places) -> list[tuple[float, float]]:
    """Where the words of the axis begin and end, in pixels of the strip's sheet; [] without an axis."""
    if not at.words:
        return []
    style, size = pen.style, pen.style.size(LABEL)
    shown = ticks(line, at.width, style.size(TICK))
    words = axis_words(line, at.width, shown, lambda text, face: style.width(text, face, size), style.size(1))
    return [(at.left + word.x, at.left + word.end) for word in words]


def draw_pause_key(pen: Pen, at: Places) -> None:
    """What the dashed lines are, below the names of the rows."""
    style, theme = pen.style, pen.theme
    if not at.names:
        return
    half = style.size(5)
    _dashed(pen, style.size(14) + 1, at.words - half, at.words + half, theme.quiet)
    pen.text(style.size(14) + 1 + style.size(6), at.words, PAUSE_KEY, theme.quiet, "text", LABEL)


def _dashed(pen: Pen, x: float, top: float, bottom: float, color: tuple[int, int, int, int]) -> None:
    while top < bottom:
        pen.items.append(Line(((x, top), (x, min(top + DASH, bottom))), color, 1.0))
        top += DASH + GAP
