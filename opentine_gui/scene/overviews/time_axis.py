"""The axis and the phases of a time strip: clock times, and stretches in which the run finds, changes or checks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from opentine_gui.core.analysis.call_table import Phase
from opentine_gui.scene.overviews.timeline import Timeline

STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400)
"""Possible distances between two times on the axis, in seconds; the smallest that leaves room for their labels is
taken."""
MOST_TICKS = 60
LONGEST_REACH = 60.0
"""Seconds for which the time after a call counts as its phase."""


class Tick(NamedTuple):
    """A clock time (Unix seconds) and its column."""

    x: float
    seconds: float


class Stretch(NamedTuple):
    """Columns `x0` to `x1`, most of which a phase (a code of `Phase`) takes."""

    x0: float
    x1: float
    phase: int


def ticks(line: Timeline, width: float, room: float) -> list[Tick]:
    """Round times along a strip `width` pixels wide, at least `room` pixels apart, none in a pause."""
    begin, end = float(line.time_at(0.0)), float(line.time_at(1.0))
    pieces = [(max(t0, begin), min(t1, end)) for t0, t1 in line.stretches]
    long = np.array([(t0, t1) for t0, t1 in line.stretches if t1 > t0]).reshape(-1, 2)
    speeds = np.ptp(line.place_of(long), axis=1) * width / np.ptp(long, axis=1)
    pixels = float(speeds.max(initial=0.0))
    if pixels <= 0.0:
        return []
    step = next((step for step in STEPS if step * pixels >= room), STEPS[-1])
    found: list[Tick] = []
    for t0, t1 in pieces:
        at = -(-t0 // step) * step
        while at <= t1 and len(found) < MOST_TICKS:
            x = float(line.place_of(at)) * width
            if 0.0 <= x <= width - room / 2 and (not found or x - found[-1].x >= room):
                found.append(Tick(x, at))
            at += step
    return found


def stretches(line: Timeline, width: int, phases: ArrayLike) -> list[Stretch]:
    """The phases along a strip: a call's phase lasts until the next call. `phases` has a code for each step."""
    codes = np.asarray(phases, dtype=np.int64)[line.steps]
    calls = np.flatnonzero(codes)
    width = max(int(width), 1)
    if not len(calls):
        return []
    order = calls[np.argsort(line.starts[calls], kind="stable")]
    starts, ends, codes = line.starts[order], line.ends[order], codes[order]
    reach = np.append(starts[1:], ends[-1])
    times = line.time_at(reach) - line.time_at(ends)
    ends = np.where(times <= LONGEST_REACH, np.maximum(reach, ends), ends)
    first = np.clip((starts * width).astype(np.int64), 0, width - 1)
    last = np.clip(np.ceil(ends * width).astype(np.int64), first + 1, width)
    cover = np.zeros((len(Phase), width + 1))
    for code in (Phase.FIND, Phase.CHANGE, Phase.CHECK):
        mine = codes == code
        np.add.at(cover[code], first[mine], 1.0)
        np.add.at(cover[code], last[mine], -1.0)
    cover = np.cumsum(cover, axis=1)[:, :width]
    owner = np.where(cover.max(axis=0) > 0, cover.argmax(axis=0), 0)
    edges = np.flatnonzero(np.diff(owner)) + 1
    begins, finishes = np.concatenate([[0], edges]), np.concatenate([edges, [width]])
    return [
        Stretch(float(a), float(b), int(owner[a]))
        for a, b in zip(begins.tolist(), finishes.tolist(), strict=True)
        if owner[a]
    ]
