"""Draws the marks on a time strip: highlights, the selected steps, the span of a group, the area and its sums."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.lit_steps import LitSteps
from opentine_gui.core import RunRecord
from opentine_gui.scene.draw_list import Polygon, Rect
from opentine_gui.scene.overviews.timeline import Timeline
from opentine_gui.ui.panels.time_strip.drawing import draw_area, lit_columns
from opentine_gui.ui.panels.time_strip.places import Places
from opentine_gui.ui.toolkit.sheet import Pen

MARK = 2.0
"""Pixels of the mark of a step that was found."""
MOST_SELECTED = 50
JOINED = 3.0
"""Pixels between two steps of a group that are still drawn as one span."""


def draw_marks(
    pen: Pen, document: Document, record: RunRecord, line: Timeline, at: Places,
    lit: LitSteps | None, bottom: float, words: str, axis: Sequence[tuple[float, float]] = (),
) -> None:  # fmt: skip
    """Draw all marks down to `bottom`; `words` are the sums of the marked area, `axis` the places of the axis's words.

    A selected step or group that is out of view has an arrow at the edge beyond which it lies.
    """
    size, theme, area = pen.style.size, pen.theme, document.strip.area
    if lit is not None and (area is None or lit.steps is not document.strip.lit):
        for x in lit_columns(line, lit.steps, at.width, MARK):
            pen.rect(at.left + x, 0, at.left + x + MARK, size(4), theme.accent)
    red, green, blue = theme.accent[:3]
    spans = group_spans(document, record, line, at.width)
    group, fold = document.selected_group, document.picture.fold
    if group is not None and fold is not None and fold.graph is record.graph and not spans:
        _point_to(pen, record, line, int(fold.all_steps(group)[0]), at)
    for x0, x1 in spans:
        left, right = at.left + x0, at.left + max(x1, x0 + 2.0)
        pen.items.append(Rect(left, size(3), right, bottom, (red, green, blue, 40)))
        pen.rect(left, size(2), right, size(4), theme.accent)
    for step, primary in selected_steps(document, record):
        found = (line.steps == step).nonzero()[0]
        if len(found):
            x = at.left + float(line.starts[found[0]]) * at.width
            half = size(1 if primary else 0.5)
            pen.rect(x - half, size(3), x + half, bottom, theme.accent)
        elif primary:
            _point_to(pen, record, line, step, at)
    if area is not None:
        x0, x1 = (at.left + float(place) * at.width for place in line.place_of(area))
        if x1 > at.left and x0 < at.left + at.width:
            draw_area(pen, max(x0, at.left), min(x1, at.left + at.width), at, words, bottom, axis)


def _point_to(pen: Pen, record: RunRecord, line: Timeline, step: int, at: Places) -> None:
    """An arrow at the end of the strip beyond which a step lies."""
    size, place = pen.style.size, float(line.place_of(record.graph.timestamps[step]))
    if 0.0 <= place <= 1.0:
        return
    right = place > 1.0
    tip = at.left + at.width if right else at.left
    back, middle, half = (-size(7) if right else size(7)), at.top + at.rows / 2, size(6)
    points = ((tip, middle), (tip + back, middle - half), (tip + back, middle + half))
    pen.items.append(Polygon(points, pen.theme.accent))


def selected_steps(document: Document, record: RunRecord) -> list[tuple[int, bool]]:
    """The selected steps (of very many, the last ones), and whether each is the primary one; none for a group."""
    if document.selected_group is not None:
        return []
    positions, primary = record.graph.positions, document.selection.primary
    chosen = document.selection.ids[-MOST_SELECTED:]
    return [(positions[step], step == primary) for step in chosen if step in positions]


def group_spans(document: Document, record: RunRecord, line: Timeline, width: float) -> list[tuple[float, float]]:
    """The stretches, in pixels, in which the steps of the selected group ran; [] if no group is selected."""
    group, fold = document.selected_group, document.picture.fold
    if group is None or fold is None or fold.graph is not record.graph:
        return []
    inside = np.zeros(len(record.graph), dtype=bool)
    inside[fold.all_steps(group)] = True
    chosen = np.flatnonzero(inside[line.steps])
    if not len(chosen):
        return []
    starts, ends = line.starts[chosen] * width, line.ends[chosen] * width
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    parts = np.flatnonzero(starts[1:] > ends[:-1] + JOINED) + 1
    begins, finishes = np.append(0, parts), np.append(parts, len(starts)) - 1
    return list(zip(starts[begins].tolist(), ends[finishes].tolist(), strict=True))
