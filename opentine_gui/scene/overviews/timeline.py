"""Steps over wall time: assigns bars to rows, and reduces them to what a strip of some width can show."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opentine_gui.core.structure.work_times import waits

Floats = NDArray[np.float64]

MOST_ROWS = 4
MOST_AGENT_ROWS = 6
"""Rows below those of the main agent for sub-agents; more share the last one."""
ROWS_BESIDE_AGENTS = 2
NARROWEST = 3.0
"""The least width of a bar, in pixels."""
PAUSE_WIDTH = 0.03
"""Width of a shortened pause, as a share of the busy time."""


class Bar(NamedTuple):
    """A run of pixels in one row that show one kind, from column `x0` to `x1`; `step` is the last step drawn there."""

    row: int
    x0: float
    x1: float
    kind: int
    failed: bool
    step: int


class Timeline(NamedTuple):
    """The steps that have times, as shown: `starts` and `ends` in 0..1 of the strip, `rows` counted from the top.

    `steps` are positions in the run. `pauses` are (place in 0..1, seconds) of pauses drawn shortened. `clock` has times
    in seconds and the places they are drawn at; times in between are interpolated. Rows from `agent_row` on are those
    of sub-agents. `forks` are the places at which the steps that a fork took over end: the time between them and its
    own steps, however long, is no pause of the run.
    """

    steps: NDArray[np.int64]
    starts: Floats
    ends: Floats
    rows: NDArray[np.int8]
    row_count: int
    first: float
    last: float
    pauses: tuple[tuple[float, float], ...]
    clock: tuple[Floats, Floats]
    agent_row: int
    forks: tuple[float, ...] = ()

    def place_of(self, seconds: ArrayLike) -> Any:
        """Where times (Unix seconds) are drawn."""
        return np.interp(np.asarray(seconds, dtype=np.float64), *self.clock)

    @property
    def stretches(self) -> list[tuple[float, float]]:
        """The stretches between pauses and forks as (from, to) in Unix seconds, including those out of view."""
        seconds = self.clock[0].tolist()
        return list(zip(seconds[::2], seconds[1::2], strict=True))

    def work_between(self, begin: float, end: float) -> float:
        """The seconds from `begin` to `end` that the strip shows."""
        return sum(max(min(end, last) - max(begin, first), 0.0) for first, last in self.stretches)

    def time_at(self, places: ArrayLike) -> Any:
        """The times (Unix seconds) that are drawn at places."""
        return np.interp(np.asarray(places, dtype=np.float64), self.clock[1], self.clock[0])

    def __len__(self) -> int:
        return len(self.steps)


def timeline(
    ended: Sequence[float],
    durations: ArrayLike,
    agents: ArrayLike | None = None,
    parts: ArrayLike | None = None,
    waited: Collection[int] = (),
) -> Timeline | None:
    """Place every step on a strip of time; None if fewer than two have times.

    `ended` is when each step ended (Unix seconds, > 0), `durations` its seconds. `agents` gives each step a sub-agent's
    number, or -1: each sub-agent keeps to one row below those of the main agent. `parts` says which part each step
    belongs to: in a fork, the steps it took over or its own. The steps at the positions `waited` only waited for a
    person.
    """
    ends = np.asarray(ended, dtype=np.float64)
    lengths = np.maximum(np.asarray(durations, dtype=np.float64), 0.0)
    steps = np.flatnonzero(np.isfinite(ends) & (ends > 0.0) & np.isfinite(lengths))
    if len(steps) < 2:
        return None
    ends, lengths = ends[steps], lengths[steps]
    starts = ends - lengths
    order = np.lexsort((steps, starts))
    steps, starts, ends = steps[order], starts[order], ends[order]
    first, last = float(starts.min()), float(ends.max())
    if last <= first:
        return None
    forked = _begins_of_parts(starts, ends, np.asarray(parts)[steps]) if parts is not None else np.zeros(0)
    worked = np.where(np.isin(steps, list(waited)), starts, ends) if waited else ends
    clock, pauses, forks, left_out = _without_pauses(starts, ends, worked, forked)
    # A share of the time that is shown, not of the clock's: a pause of hours would let bars of seconds overlap.
    slack = 1e-6 * max(last - first - left_out, 1.0)
    agent_of = np.asarray(agents, dtype=np.int64)[steps] if agents is not None else None
    if agent_of is None or not np.any(agent_of >= 0):
        rows, count = _rows(starts, ends, MOST_ROWS, slack)
        agent_row = count
    else:
        rows, count, agent_row = _agent_rows(starts, ends, agent_of, slack)
    return Timeline(
        steps, np.interp(starts, *clock), np.interp(ends, *clock), rows, count, first, last, pauses, clock, agent_row,
        forks,
    )  # fmt: skip


def zoomed(line: Timeline, begin: float, end: float) -> Timeline:
    """The part of a strip between two places, as a strip of its own."""
    if (begin, end) == (0.0, 1.0):
        return line
    kept = (line.ends >= begin) & (line.starts <= end)
    wide = max(end - begin, 1e-9)

    def moved(places: Floats) -> Floats:
        return (places - begin) / wide

    # A tuple with a length of its own cannot use `_replace`.
    return Timeline(
        line.steps[kept],
        np.clip(moved(line.starts[kept]), 0.0, 1.0),
        np.clip(moved(line.ends[kept]), 0.0, 1.0),
        line.rows[kept],
        line.row_count,
        line.first,
        line.last,
        tuple(((place - begin) / wide, seconds) for place, seconds in line.pauses if begin <= place <= end),
        (line.clock[0], moved(line.clock[1])),
        line.agent_row,
        tuple((place - begin) / wide for place in line.forks if begin <= place <= end),
    )


def _agent_rows(
    starts: Floats, ends: Floats, agents: NDArray[np.int64], slack: float
) -> tuple[NDArray[np.int8], int, int]:
    """(rows, their number, the first row of sub-agents): a sub-agent is in one row while it works."""
    rows = np.zeros(len(starts), dtype=np.int8)
    main = agents < 0
    used = 0
    if np.any(main):
        rows[main], used = _rows(starts[main], ends[main], ROWS_BESIDE_AGENTS, slack)
    numbers, owner = np.unique(agents[~main], return_inverse=True)
    begin, finish = np.full(len(numbers), np.inf), np.full(len(numbers), -np.inf)
    np.minimum.at(begin, owner, starts[~main])
    np.maximum.at(finish, owner, ends[~main])
    order = np.argsort(begin, kind="stable")
    taken, count = _rows(begin[order], finish[order], MOST_AGENT_ROWS, slack)
    row_of = np.empty(len(numbers), dtype=np.int8)
    row_of[order] = taken
    rows[~main] = used + row_of[owner]
    return rows, used + count, used


def _rows(starts: Floats, ends: Floats, most: int, slack: float) -> tuple[NDArray[np.int8], int]:
    """Return the first row that is free at each start, and the number of rows; excess bars share the last row.

    Bars may overlap by `slack` seconds.
    """
    rows = np.zeros(len(starts), dtype=np.int8)
    if len(starts) < 2 or bool(np.all(starts[1:] >= np.maximum.accumulate(ends)[:-1] - slack)):
        return rows, 1
    free: list[int] = list(range(most))
    busy: list[tuple[float, int]] = []
    used = 1
    for position, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        while busy and busy[0][0] <= start + slack:
            heappush(free, heappop(busy)[1])
        row = heappop(free) if free else most - 1
        rows[position] = row
        used = max(used, row + 1)
        if row < most - 1 or all(other != row for _, other in busy):
            heappush(busy, (end, row))
    return rows, used


def _begins_of_parts(starts: Floats, ends: Floats, parts: NDArray[Any]) -> Floats:
    """The times at which one part of a run has ended and the next begins: a fork may begin long after its source.

    Only if every earlier step has ended by then, so that the parts lie beside each other.
    """
    reached: Floats = np.maximum.accumulate(ends)[:-1]
    found: Floats = reached[(starts[1:] >= reached) & (parts[1:] != parts[:-1])]
    return found


def _without_pauses(
    starts: Floats, ends: Floats, worked: Floats, forked: Floats
) -> tuple[tuple[Floats, Floats], tuple[tuple[float, float], ...], tuple[float, ...], float]:
    """Shorten the pauses; returns ((seconds, places 0..1), pauses, places of forks, seconds left out).

    `worked` is when each step stopped working. At the times `forked`, the steps that a fork took over end.
    """
    last = float(ends.max())
    left_out = waits(list(zip(starts.tolist(), worked.tolist(), strict=True)))
    skipped = sum(pause.seconds for pause in left_out)
    shown = max(last - float(starts[0]) - skipped, 1e-9) * PAUSE_WIDTH
    seconds: list[float] = [float(starts[0])]
    drawn: list[float] = [0.0]
    for pause in left_out:
        drawn.append(drawn[-1] + pause.begin - seconds[-1])
        drawn.append(drawn[-1] + min(shown, pause.seconds))
        seconds += pause
    drawn.append(drawn[-1] + last - seconds[-1])
    seconds.append(last)
    clock = (np.array(seconds), np.array(drawn) / (drawn[-1] or 1.0))
    between = set(forked.tolist())
    marks = tuple(
        (place, pause.seconds)
        for place, pause in zip(clock[1][1:-1:2].tolist(), left_out, strict=True)
        if pause.begin not in between
    )
    forks = tuple(np.interp(forked, *clock).tolist())
    return clock, marks, forks, skipped


def bars(line: Timeline, width: int, kinds: ArrayLike, failed: ArrayLike, gap: float = 1.0) -> list[Bar]:
    """Return the bars of a strip `width` pixels wide: one per step if there is room, else one per run of equal columns.

    `kinds` (kind codes) and `failed` are indexed by position in the run. There is at most one bar per column and row; a
    failed step keeps `NARROWEST` pixels whatever else is there, and its bar comes last, drawn over its neighbours.
    """
    width = max(int(width), 1)
    kind_of = np.asarray(kinds)[line.steps]
    failed_of = np.asarray(failed)[line.steps].astype(bool)
    x0 = line.starts * width
    x1 = np.maximum(line.ends * width - gap, x0 + NARROWEST)
    if len(line) <= width // 4:
        order = np.argsort(failed_of, kind="stable")
        return [
            Bar(row, a, min(b, float(width)), kind, bad, step)
            for row, a, b, kind, bad, step in zip(
                *(column[order].tolist() for column in (line.rows, x0, x1, kind_of, failed_of, line.steps)), strict=True
            )
        ]
    found: list[Bar] = []
    for row in range(line.row_count):
        found.extend(_columns(row, np.flatnonzero(line.rows == row), line, width, kind_of, failed_of))
    return found


def _columns(
    row: int, members: NDArray[np.int64], line: Timeline, width: int, kind_of: Any, failed_of: Any
) -> list[Bar]:
    if not len(members):
        return []
    # Later entries win a column: long bars first, failures last.
    lengths = line.ends[members] - line.starts[members]
    members = members[np.lexsort((-lengths, failed_of[members]))]
    first = np.clip((line.starts[members] * width).astype(np.int64), 0, width - 1)
    last = np.clip((line.ends[members] * width).astype(np.int64), first, width - 1)
    owner = np.full(width, -1, dtype=np.int64)
    wide = last > first
    for member, a, b in zip(members[wide].tolist(), first[wide].tolist(), last[wide].tolist(), strict=True):
        owner[a : b + 1] = member
    narrow = ~wide
    owner[first[narrow]] = members[narrow]
    bad = failed_of[members]
    for pixel in range(int(NARROWEST) - 1, -1, -1):  # its first column belongs to a failed step in any case
        owner[np.minimum(first[bad] + pixel, width - 1)] = members[bad]
    code = np.where(owner >= 0, kind_of[owner].astype(np.int64) * 2 + failed_of[owner], -1)
    edges = np.flatnonzero(np.diff(code)) + 1
    begins = np.concatenate([[0], edges])
    ends = np.concatenate([edges, [width]])
    return [
        Bar(row, float(a), float(b), int(kind_of[owner[a]]), bool(failed_of[owner[a]]), int(line.steps[owner[a]]))
        for a, b in zip(begins.tolist(), ends.tolist(), strict=True)
        if code[a] >= 0
    ]


def step_at(
    line: Timeline, place: float, row: int | None, reach: float, width: int = 0, failed: ArrayLike | None = None
) -> int | None:
    """Return the step with a bar at `place` (0..1) in `row` (None: any), else the nearest within `reach`, else None.

    In a strip `width` pixels wide, a step with a bar of its own reaches as far as it is drawn, and the bar drawn last
    wins: failed steps are drawn last. Without a width, or if steps share bars, a step reaches as far as its time, and
    the shortest one wins.
    """
    ends, order = line.ends, line.ends - line.starts
    if 0 < len(line) <= width // 4:
        ends = np.maximum(line.ends - 1.0 / width, line.starts + NARROWEST / width)
        order = -np.arange(len(line), dtype=np.float64)
        if failed is not None:
            order -= len(line) * np.asarray(failed)[line.steps].astype(np.float64)
    distance = np.maximum(np.maximum(line.starts - place, place - ends), 0.0)
    if row is not None:
        distance = np.where(line.rows == row, distance, np.inf)
    least = distance.min(initial=np.inf)
    if not least <= reach:
        return None
    nearest = np.flatnonzero(distance == least)
    return int(line.steps[nearest[order[nearest].argmin()]])
