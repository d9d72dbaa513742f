"""Draws a time strip: bars in rows, names, phases, the picked file, the marked area."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from opentine_gui.core.analysis.call_table import Phase
from opentine_gui.scene.card.group_strip import EDITS, LOOKS, RUNS
from opentine_gui.scene.draw_list import Line, Rect
from opentine_gui.scene.overviews.time_axis import Stretch
from opentine_gui.scene.overviews.timeline import Bar, Timeline
from opentine_gui.scene.theme import STEP_ROLES, Theme, mixed
from opentine_gui.ui.panels.time_strip.places import RIBBON, Places
from opentine_gui.ui.toolkit.sheet import Pen

PHASE_ROLES = {Phase.FIND: LOOKS, Phase.CHANGE: EDITS, Phase.CHECK: RUNS}
PHASE_NAMES = {Phase.FIND: "find", Phase.CHANGE: "change", Phase.CHECK: "check"}
LABEL, LOW_NAME = 10.0, 11.0
"""The size of a name, and the least distance of two below each other, in design pixels."""
IN_BAR, LONG_BAR, MOST_IN_BARS = 9.5, 90.0, 24
FEET = 5.5  # from the middle of the capitals of such words to the lowest foot, with a pixel's rounding
"""The size of words in a bar, the length from which a bar has some, both in design pixels, and how many have."""
MOSTLY = 0.9
"""Share of a bar that the step it is named after takes at least."""
FILE_HINT = "Diamonds are edits, grey ticks reads, red ones failing checks."


def draw_bars(pen: Pen, bars: Sequence[Bar], at: Places, waited: Collection[int]) -> None:
    """Draw the steps, failures in red; those `waited`, which only waited for a person, as a line: that is no work."""
    theme, size = pen.theme, pen.style.size
    tall, radius = max(at.pitch - size(2), 2.0), size(2)
    colors = [theme.kind(role) for role in STEP_ROLES]
    for bar in bars:
        y = at.top + bar.row * at.pitch
        color = theme.bad if bar.failed else colors[bar.kind]
        if bar.step in waited:
            middle = y + tall / 2
            pen.rect(at.left + bar.x0, middle - size(0.75), at.left + bar.x1, middle + size(0.75), color)
            pen.rect(at.left + bar.x1 - size(2), y, at.left + bar.x1, y + tall, color)
            continue
        rounding = radius if bar.x1 - bar.x0 > 3 * radius else 0.0
        pen.items.append(Rect(at.left + bar.x0, y, at.left + bar.x1, y + tall, color, None, rounding))


def draw_bar_words(pen: Pen, bars: Sequence[Bar], at: Places, line: Timeline, words: Callable[[int], str]) -> None:
    """Write what was done into the bars of one step that are long enough, the longest of many; `words` of a step."""
    size = pen.style.size
    tall = at.pitch - size(2)
    if tall < size(IN_BAR - 1):
        return
    wide = [bar for bar in bars if bar.x1 - bar.x0 >= size(LONG_BAR)]
    for bar in sorted(wide, key=lambda bar: bar.x0 - bar.x1)[:MOST_IN_BARS]:
        if any(
            other.row == bar.row and other.x0 < bar.x1 - 1 and other.x1 > bar.x0 + 1
            for other in bars
            if other is not bar
        ):
            continue  # calls side by side in one row: nobody could tell whose words these are
        # In a low bar the feet of "g" and "_" would stand below it, dark on dark.
        middle = at.top + bar.row * at.pitch + min(tall / 2, tall - size(FEET))
        room = bar.x1 - bar.x0 - size(8)
        own = (line.ends - line.starts)[line.steps == bar.step]
        if not len(own) or float(own[0]) * at.width < MOSTLY * (bar.x1 - bar.x0):  # it shows several steps
            continue
        pen.text(at.left + bar.x0 + size(4), middle, words(bar.step), pen.theme.panel, "title", IN_BAR, room=room)


def draw_ribbon(pen: Pen, stretches: Sequence[Stretch], at: Places) -> None:
    """Draw what the time was for: find, change, check."""
    if not at.ribbon:
        return
    tall, colors = pen.style.size(RIBBON), {phase: phase_color(pen.theme, phase) for phase in PHASE_ROLES}
    for stretch in stretches:
        x0, x1, color = at.left + stretch.x0, at.left + stretch.x1, colors[Phase(stretch.phase)]
        pen.items.append(Rect(x0, at.ribbon, x1, at.ribbon + tall, color))


def phase_color(theme: Theme, phase: int) -> tuple[int, int, int, int]:
    """The muted colour of a phase."""
    return mixed(theme.role(PHASE_ROLES[Phase(phase)]), theme.panel, 0.55)


def phase_words(theme: Theme, phase: int) -> tuple[int, int, int, int]:
    """The colour of a phase's name, which has to be legible."""
    return mixed(theme.role(PHASE_ROLES[Phase(phase)]), theme.text, 0.25)


def draw_names(pen: Pen, at: Places, main: str, main_rows: int, agents: Sequence[str], file: str) -> None:
    """Draw what the rows are on the left: `main` beside the first `main_rows`, then each of the sub-agents in their
    colour; below them the phases in theirs, or the selected file.

    A bracket holds the rows of `main` together where there are several, for calls that ran side by side. Where rows are
    lower than a name, those of sub-agents have one for all of them, and a name that has no room is left out.
    """
    if not at.names:
        return
    style, theme = pen.style, pen.theme
    left, room = style.size(14), at.names - style.size(6)
    names = [(main_rows / 2, main, theme.quiet)]
    names += [(row + 0.5, name, theme.subagent) for row, name in enumerate(agents, main_rows)]
    tall = style.size(LOW_NAME)
    if at.pitch < tall and len(agents) > 1:
        names[1:] = [(main_rows + len(agents) / 2, "sub-agents", theme.subagent)]
    lowest = -tall
    for row, name, paint in names:
        y = at.top + row * at.pitch - 1
        if y - lowest < tall or (at.ribbon and at.ribbon + style.size(RIBBON / 2) - y < tall):
            continue
        lowest = y
        pen.text(left, y, name, paint, "text", LABEL, room=room)
    if main_rows > 1:
        side, foot = int(at.left - style.size(7)), style.size(3)
        top, bottom = int(at.top) + 1, int(at.top + main_rows * at.pitch - style.size(3))
        bracket = ((side + foot, top), (side, top), (side, bottom), (side + foot, bottom))
        pen.items.append(Line(bracket, theme.faint, 1.0))
    x, y = left, at.ribbon + style.size(RIBBON / 2)
    for phase, name in () if file else PHASE_NAMES.items():  # there is room for one line
        x = pen.text(x, y, name, phase_words(theme, phase), "text", LABEL) + style.size(6)
    if file:
        middle, half = at.marks, style.size(5)
        pen.text(left, middle, file, theme.accent, "text", LABEL, room=room, middle_cut=True)
        pen.zone(left, middle - half, left + room, middle + half, None, f"{file}\n{FILE_HINT}")


def draw_area(
    pen: Pen, x0: float, x1: float, at: Places, words: str, bottom: float, axis: Sequence[tuple[float, float]] = ()
) -> None:
    """Draw the marked area and its sums, which hide whole words of the axis: `axis` has where these begin and end."""
    theme, style = pen.theme, pen.style
    red, green, blue = theme.accent[:3]
    pen.items.append(Rect(x0, at.top - style.size(3), x1, bottom, (red, green, blue, 34), theme.accent, 1.0))
    wide = style.width(words, "title", style.size(11))
    left = min(max(x0, at.left), at.left + at.width - wide)
    middle = at.words or bottom - style.size(7)
    side, half = style.size(4), style.size(8)
    hidden = [(x, end) for x, end in axis if x < left + wide + side and end > left - side]
    begin = min([left, *(x for x, _ in hidden)]) - side
    end = max([left + wide, *(end for _, end in hidden)]) + side
    pen.rect(begin, middle - half, end, middle + half, theme.panel)
    pen.text(left, middle, words, theme.accent, "title", 11)


def lit_columns(line: Timeline, lit: bytearray, width: float, mark: float) -> list[float]:
    """The columns at which highlighted steps begin, each once."""
    chosen = np.frombuffer(lit, dtype=np.uint8)[line.steps] == 1
    columns: set[int] = set((line.starts[chosen] * width // mark).astype(np.int64).tolist())
    return [column * mark for column in sorted(columns)]
