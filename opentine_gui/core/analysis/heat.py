"""Colours steps by a figure or a name: levels, the top ten, and statistics of each tool's calls."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Sequence
from enum import StrEnum
from heapq import nlargest

import msgspec

from opentine_gui.core.analysis.call_table import CallTable
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.structure.work_times import work_times

LEVELS = 5
"""Levels of a figure, from 1; 0 is "not recorded"."""
MOST_NAMES = 7
"""Names with a colour of their own; the rest share one."""
TOP = 10
MOST_WAITS = 3
BINS = 24


class Figure(StrEnum):
    """What steps can be coloured by."""

    COST = "cost"
    TIME = "time"
    TOKENS = "tokens"
    AGE = "age"
    MODEL = "model"
    TOOL = "tool"


class Heat(msgspec.Struct, frozen=True):
    """`levels` is a code for each step: 0 for none, else the level of its figure, or the number of its name (from 1).

    `low` and `high` are the ends of the scale, `top` the ten steps with the highest figures, `counts` the number of
    steps for each name. By time, calls that only waited for a person have no level: `waits` are the longest of them.
    """

    figure: Figure
    levels: bytes
    low: float = 0.0
    high: float = 0.0
    names: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    top: tuple[int, ...] = ()
    waits: tuple[int, ...] = ()


def heat(graph: Graph, figure: Figure, calls: CallTable, models: Sequence[str]) -> Heat:
    """Colour codes of all steps; `models` is each step's model, "" for none."""
    if figure is Figure.TOOL:
        return _named(figure, [calls.tools[tool] if tool >= 0 else "" for tool in calls.tool_of])
    if figure is Figure.MODEL:
        return _named(figure, models)
    values = value_of(graph, figure)
    if figure is Figure.AGE:
        return _aged(values)
    return _levelled(figure, values, work_times(graph).waited if figure is Figure.TIME else ())


def value_of(graph: Graph, figure: Figure) -> Sequence[float]:
    """A figure for every step; 0 or less where it is not recorded."""
    if figure is Figure.COST:
        return graph.costs
    if figure is Figure.TIME:
        return graph.durations
    return graph.timestamps if figure is Figure.AGE else graph.tokens


def is_recorded(graph: Graph, figure: Figure) -> bool:
    """Whether any step has this figure; only for figures, not for names."""
    return any(value > 0 for value in value_of(graph, figure))


def _levelled(figure: Figure, values: Sequence[float], waited: Collection[int]) -> Heat:
    """Levels on a square-root scale: a few steps have large figures, and the others should not all look the same.

    Those that `waited` are left out, however long that took.
    """
    counted = [step for step, value in enumerate(values) if value > 0]
    waits = nlargest(MOST_WAITS, (step for step in counted if step in waited), key=values.__getitem__) if waited else ()
    counted = [step for step in counted if step not in waited] if waits else counted
    known = [step for step in counted if math.isfinite(values[step])]
    levels = bytearray(len(values))
    if not known:
        return Heat(figure, bytes(levels), waits=tuple(waits))
    high = max(map(values.__getitem__, known))
    for step in known:
        levels[step] = 1 + min(int(LEVELS * math.sqrt(values[step] / high)), LEVELS - 1)
    top = nlargest(TOP, counted, key=values.__getitem__)
    low = min(map(values.__getitem__, known))
    return Heat(figure, bytes(levels), low, high, top=tuple(top), waits=tuple(waits))


def _aged(times: Sequence[float]) -> Heat:
    """Levels by age, the newest highest. Each level has the same number of steps, so long pauses do not matter."""
    order = sorted((step for step, time in enumerate(times) if time > 0), key=times.__getitem__)
    levels = bytearray(len(times))
    for place, step in enumerate(order):
        levels[step] = 1 + place * LEVELS // len(order)
    ends = (times[order[0]], times[order[-1]]) if order else (0.0, 0.0)
    return Heat(Figure.AGE, bytes(levels), *ends, top=tuple(reversed(order[-TOP:])))


def _named(figure: Figure, names: Sequence[str]) -> Heat:
    counts: dict[str, int] = {}
    for name in names:
        if name:
            counts[name] = counts.get(name, 0) + 1
    order = sorted(counts, key=lambda name: (-counts[name], name))
    code = {name: min(place, MOST_NAMES) + 1 for place, name in enumerate(order)}
    levels = bytes([code.get(name, 0) for name in names])
    return Heat(figure, levels, names=tuple(order), counts=tuple(counts[name] for name in order))


class ToolFigures(msgspec.Struct, frozen=True):
    """Statistics of one tool's calls: how many, how many failed, and their recorded seconds, sorted.

    `bins` counts calls by duration on a logarithmic scale from the shortest to the longest. Calls that only waited for
    a person are not among these: they `waited` so many seconds together.
    """

    steps: tuple[int, ...]
    failed: int
    seconds: array[float]
    bins: tuple[int, ...]
    waited: float = 0.0

    def share(self, part: float) -> float | None:
        """A quantile of the durations, in seconds; None without timed calls."""
        if not self.seconds:
            return None
        return self.seconds[min(int(part * len(self.seconds)), len(self.seconds) - 1)]


def tool_figures(graph: Graph, calls: CallTable, tool: str) -> ToolFigures:
    """The figures of one tool's calls."""
    number = calls.tools.index(tool) if tool in calls.tools else -2
    steps = tuple(step for step, other in enumerate(calls.tool_of) if other == number)
    durations, waits = graph.durations, work_times(graph).waited
    seconds = array("d", sorted(durations[step] for step in steps if durations[step] > 0 and step not in waits))
    waited = sum(max(durations[step], 0.0) for step in steps if step in waits)
    bins = [0] * BINS
    if seconds:
        low = math.log(seconds[0])  # the ratio of the longest to the shortest can overflow a float
        span = math.log(seconds[-1]) - low or 1.0
        for value in seconds:
            bins[min(int(BINS * (math.log(value) - low) / span), BINS - 1)] += 1
    return ToolFigures(steps, sum(graph.failed[step] for step in steps), seconds, tuple(bins), waited)
