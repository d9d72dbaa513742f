"""The marks of the picked file on a time strip: edits are diamonds, reads and failing checks ticks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opentine_gui.core.analysis.files.touched_files import TouchedFile
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.draw_list import Polygon
from opentine_gui.scene.overviews.timeline import Timeline
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.panels.time_strip.places import Places
from opentine_gui.ui.toolkit.sheet import Pen

REACH = 5.0
"""Design pixels beside a mark in which it still answers the pointer."""
WHAT = {"edit": "changes", "failing": "is a failing check that names", "read": "reads", "delete": "deletes"}
_ORDER = ("read", "failing", "edit", "delete")
"""The later a mark is drawn, the more it says: it lies over those before it."""


class FileMark(NamedTuple):
    """A mark: `x` in pixels from the left end of the strip, its step, and what it did (a key of `WHAT`).

    `others` are the steps whose marks would be drawn on the same pixel.
    """

    x: float
    step: int
    how: str
    others: int = 0


def file_marks(line: Timeline, file: TouchedFile, width: float) -> list[FileMark]:
    """The marks of a file in view, those that lie above others last; one for each pixel and kind."""
    position = dict(zip(line.steps.tolist(), line.starts.tolist(), strict=True))
    removals = set(file.removals)
    edits = tuple(step for step in file.changes if step not in removals)
    found: list[FileMark] = []
    for how, steps in zip(_ORDER, (file.reads, file.failing, edits, file.removals), strict=True):
        at: dict[int, FileMark] = {}
        for step in steps:
            x = position.get(step, -1.0) * width
            if not 0.0 <= x <= width:  # out of view, or begun before it
                continue
            first = at.get(int(x))
            at[int(x)] = FileMark(x, step, how) if first is None else first._replace(others=first.others + 1)
        found += at.values()
    return found


def mark_at(marks: Sequence[FileMark], x: float, reach: float) -> FileMark | None:
    """The mark nearest to a pixel of the strip, at most `reach` pixels away; of several there, the one drawn last."""
    near = [mark for mark in marks if abs(mark.x - x) <= reach]
    return min(reversed(near), key=lambda mark: abs(mark.x - x), default=None)


def mark_words(mark: FileMark, path: str) -> str:
    """Which step a mark is of, and what it did to the file."""
    name = clean(path.rpartition("/")[2] or path, 80)
    words = f"Step {mark.step + 1:,} {WHAT[mark.how]} {name}"
    return words if not mark.others else f"{words}\n{counted(mark.others, 'more step')} here: zoom in to see each"


def draw_file(pen: Pen, marks: Sequence[FileMark], at: Places) -> None:
    """Draw the marks of the picked file: reads as ticks, edits as diamonds, failing checks in red."""
    theme, size = pen.theme, pen.style.size
    middle = at.marks
    for mark in marks:
        x = at.left + mark.x
        if mark.how in ("edit", "delete"):
            r = size(4)
            points = ((x, middle - r), (x + r, middle), (x, middle + r), (x - r, middle))
            pen.items.append(Polygon(points, theme.accent))
        else:
            color = theme.bad if mark.how == "failing" else theme.quiet
            pen.rect(x - size(0.75), middle - size(3), x + size(0.75), middle + size(3), color)
