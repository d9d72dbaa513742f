"""Draws how full the context was, as an area for one run or a line for each of several; finds what is pointed at."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.document.overlay import PALETTE, SHARED, Overlay
from opentine_gui.app.inspect.analysis.context_rows import Curve, RunCurve
from opentine_gui.describe.numbers import format_tokens
from opentine_gui.scene.draw_list import Color, Line, Point, Rect
from opentine_gui.scene.overviews.timeline import Timeline
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.panels.time_strip.drawing import LABEL
from opentine_gui.ui.panels.time_strip.places import Places
from opentine_gui.ui.toolkit.sheet import Pen

Column = tuple[float, float, int]
"""(left, right, step) in pixels of the strip; a compaction has -1 as its right."""
GRAIN = 2.0
"""Pixels of a strip that share at most two columns of its curves: painting more takes a frame's time."""
JOINED = 1.0
"""Pixels between two requests of a run that are still drawn as one line."""
FAINT = 56
"""Opacity of what came from the cache, of 255: the areas of several runs lie over each other."""
SHARED_HINT = "Requests that several of these runs have in common."
CURVE_HINT = (
    "How many tokens each request sent to the model, and how much of it came from the cache (darker). "
    "It falls where a compaction replaced what came before with a summary."
)
FEWER_HINT = (
    "The context of some of the runs: there are no more colours to tell curves apart. "
    "Switch runs off to see those of others."
)


class DrawnCurves(NamedTuple):
    """The drawn part of the contexts: the columns of each run, and the number of tokens at the top."""

    columns: tuple[list[Column], ...]
    fill: NDArray[np.float64]
    most: float

    def step_at(self, x: float, height: float) -> int | None:
        """The request drawn `x` pixels from the left, or None; with several runs, the one nearest to `height` (0 to 1).

        If several are equally near, it is the one of the last run, which is drawn on top.
        """
        found: tuple[float, int] | None = None
        for columns in self.columns:
            for left, right, step in columns:
                if left <= x < right:
                    away = abs(self.fill[step] / self.most - height)
                    if found is None or away <= found[0]:
                        found = (away, step)
        return found[1] if found is not None else None


def drawn_curves(line: Timeline, curves: Sequence[Curve], width: float) -> DrawnCurves:
    """The visible part of contexts in a strip of some width; coarser with more runs, so that the total is bounded."""
    grain = max(len(curves) / 2, GRAIN)
    fill = np.frombuffer(curves[0].context.fill) if curves else np.zeros(0)
    most = max((float(fill[list(curve.steps)].max()) for curve in curves if curve.steps), default=0.0) or 1.0
    columns = [curve_columns(line, curve, width, grain) for curve in curves]
    ends: dict[int, float] = {}  # a shared request lasts until the first run continues
    for _, right, step in chain.from_iterable(columns):
        ends[step] = min(right, ends.get(step, right))
    return DrawnCurves(tuple([[(left, ends[step], step) for left, _, step in run] for run in columns]), fill, most)


def draw_curve(pen: Pen, curve: Curve, drawn: DrawnCurves, at: Places) -> None:
    """Draw how full a run's context was: the cached part darker, estimates paler, compactions as cliffs with a line."""
    if not at.curve:
        return
    found, theme = curve.context, pen.theme
    foot, tall = _extent(pen, at)
    whole, part = mixed(theme.model, theme.panel, 0.3), mixed(theme.model, theme.panel, 0.6)
    guess = mixed(theme.quiet, theme.panel, 0.7)
    for x, end, step in drawn.columns[0]:
        left, right = at.left + x, at.left + end
        if end < 0:
            pen.items.append(Line(((int(left), foot - tall), (int(left), foot)), theme.human, 1.5))
            continue
        height = max(tall * found.fill[step] / drawn.most, 1.0)
        pen.rect(left, foot - height, right, foot, guess if found.estimated[step] else whole)
        if found.cached[step] > 0:
            pen.rect(left, foot - tall * found.cached[step] / drawn.most, right, foot, part)


def draw_curves(pen: Pen, curves: Sequence[RunCurve], overlay: Overlay, drawn: DrawnCurves, at: Places) -> None:
    """Draw a line for each run in its colour, grey where runs share requests; below it the part from the cache."""
    if not at.curve:
        return
    foot, tall = _extent(pen, at)
    colors = [pen.theme.role(role) for role in PALETTE]
    cached, estimated = curves[0].curve.context.cached, curves[0].curve.context.estimated
    known: set[int] = set()
    for columns in drawn.columns:
        points: list[Point] = []
        color: Color = pen.theme.quiet
        for x, end, step in columns:
            left, right = at.left + x, at.left + end
            own = colors[overlay.step_roles[step]]
            fresh = step not in known
            known.add(step)
            if end < 0:
                pen.items += [Line(((int(left), foot - tall), (int(left), foot)), own, 1.5)] if fresh else []
                continue
            own = mixed(own, pen.theme.panel, 0.5) if estimated[step] else own
            y = foot - max(tall * drawn.fill[step] / drawn.most, 1.0)
            if fresh and cached[step] > 0:
                top = foot - tall * cached[step] / drawn.most
                pen.items.append(Rect(left, top, right, foot, (*own[:3], FAINT)))
            beside = bool(points) and left <= points[-1][0] + JOINED
            if not beside or not fresh or own != color:
                pen.items += [Line(tuple(points), color, 1.5)] if len(points) > 1 else []
                points, color = points[-1:] if beside else [], own
            if fresh:
                points += [(left, y), (right, y)]
            else:  # drawn with the first run that has it; this run's line begins where it ends
                points = [(right, y)]
        if len(points) > 1:
            pen.items.append(Line(tuple(points), color, 1.5))


def draw_curve_name(pen: Pen, curve: Curve, drawn: DrawnCurves, at: Places) -> None:
    """Draw what the curve is and its maximum, on the left."""
    if at.names and at.curve:
        _name(pen, curve, drawn, at, at.top + at.rows + at.curve / 2)


def draw_curves_key(pen: Pen, curves: Sequence[RunCurve], overlay: Overlay, drawn: DrawnCurves, at: Places) -> None:
    """Draw the curves' maximum, and below it the colour of each run, whose tooltip is its name."""
    if not at.names or not at.curve or not curves:
        return
    size, theme = pen.style.size, pen.theme
    apart = size(7)
    shown = len(overlay.shown)
    _name(pen, curves[0].curve, drawn, at, at.top + at.rows + at.curve * 0.34, (len(curves), shown))
    middle, room = at.top + at.rows + at.curve * 0.74, at.names - size(2)
    keys = [(curve.role, overlay.runs[curve.run].letter, overlay.runs[curve.run].name) for curve in curves]
    if any(overlay.step_roles[step] == SHARED for columns in drawn.columns for _, _, step in columns):
        keys.insert(0, ("shared", "shared", SHARED_HINT))
    words = [pen.style.width(word, "text", size(LABEL)) + size(4) for _, word, _ in keys if word]
    if size(14) * (len(keys) + 1) + sum(words) > room:  # no room for names: only the letters A and B
        keys = [(role, word if len(word) == 1 else "", hint) for role, word, hint in keys]
    if not any(word for _, word, _ in keys):
        apart = min(apart, (room - size(14)) / len(keys) - size(7))
    x = size(14)
    for role, word, hint in keys:
        wide = size(7) + (size(4) + pen.style.width(word, "text", size(LABEL)) if word else 0.0)
        if x + wide > room:
            break
        pen.rect(x, middle - size(3.5), x + size(7), middle + size(3.5), theme.role(role), size(2))
        if word:
            pen.text(x + size(11), middle, word, theme.quiet, "text", LABEL)
        pen.zone(x - size(2), middle - size(7), x + wide + size(3), middle + size(7), None, hint)
        x += wide + apart


def held_by(overlay: Overlay, position: int) -> str:
    """Which of the runs shown together have a step."""
    runs = overlay.family.runs_of(position)
    if len(runs) == 1:
        return f"only in {overlay.runs[runs[0]].name}"
    if len(runs) < len(overlay.runs):
        return f"in {len(runs):,} of {len(overlay.runs):,} runs"
    return "in both runs" if len(runs) == 2 else f"in all {len(runs):,} runs"


def curve_columns(line: Timeline, curve: Curve, width: float, grain: float = 1.0) -> list[Column]:
    """The columns of a curve: (left, right, step) in pixels of the strip, at most two per `grain` pixels.

    A request lasts until the next one, or until a pause before it. Where many share a pixel, the first ones represent
    the others; a compaction, which is always drawn, has -1 as its right edge.
    """
    count = max(len(curve.context.fill), 1)
    place = np.full(count, np.nan)
    inside = line.steps < count
    place[line.steps[inside]] = line.ends[inside]
    steps = np.array(curve.steps, dtype=np.int64)
    steps = steps[~np.isnan(place[steps])]
    x = place[steps]
    end = np.append(x[1:], 1.0)
    pauses = np.sort(np.array([*(place for place, _ in line.pauses), *line.forks] or [np.inf]))
    pause = np.append(pauses, np.inf)[np.searchsorted(pauses, x)]
    left = x * width
    right = np.maximum(np.where(pause < end, pause, end) * width, left + 1.0)
    cliff = np.isin(steps, curve.context.cliffs)
    right[cliff] = -1.0
    reached = np.append(-1.0, np.maximum.accumulate(right)[:-1])
    drawn = cliff | (np.floor(right / grain) > np.floor(reached / grain))
    return list(zip(left[drawn].tolist(), right[drawn].tolist(), steps[drawn].tolist(), strict=True))


def _extent(pen: Pen, at: Places) -> tuple[float, float]:
    """The bottom of the curve and its greatest height, in pixels."""
    return at.top + at.rows + at.curve, at.curve - pen.style.size(4)


def _name(
    pen: Pen, curve: Curve, drawn: DrawnCurves, at: Places, middle: float, of_runs: tuple[int, int] = (1, 1)
) -> None:
    """The name of the curves; `of_runs`: how many runs have one, and how many are shown."""
    size, (drawn_runs, shown) = pen.style.size, of_runs
    most = f"≤ {'' if curve.context.recorded else '≈ '}{format_tokens(drawn.most)}"
    words, hint = f"context {most}", CURVE_HINT
    if drawn_runs < shown:
        words, hint = f"{drawn_runs} of {shown:,} runs {most.removesuffix(' tok')}", f"{FEWER_HINT}\n{CURVE_HINT}"
    left, room = size(14), at.names - size(6)
    pen.zone(left, middle - size(7), left + room, middle + size(7), None, hint)
    pen.text(left, middle, words, pen.theme.quiet, "text", LABEL, room=room)
