"""Retries and loops among the rounds of one turn, found from the left."""

from __future__ import annotations

from collections.abc import Sequence
from operator import eq
from typing import NamedTuple

LONGEST_PERIOD = 8
LEAST_REPETITIONS = 3


class Unit(NamedTuple):
    """Rounds `start:end` that form one unit: a single round, a retry, or a loop of `period` rounds a time."""

    start: int
    end: int
    sort: str = "round"
    period: int = 1


class Repeat(NamedTuple):
    """A retry or a loop: how often it ran, and over which elements of its lane (`start:end`)."""

    sort: str
    times: int
    period: int
    start: int
    end: int


def units(
    keys: Sequence[int], calls: Sequence[int], failed: Sequence[int], looks: Sequence[int], start: int, end: int
) -> list[Unit]:
    """Divide the rounds `start:end`, none of which is a person's, into units.

    `keys[i]` says what round i does (tool and object), `calls[i]` is a hash of the exact calls; equal numbers mean
    equal, negative ones equal nothing. A *retry* repeats a failed call. A *loop* repeats 1 to 8 rounds three times or
    more, compared by key; with period 1, rounds that only look at things must make equal calls.
    """
    periods = range(1, min(LONGEST_PERIOD, (end - start) // LEAST_REPETITIONS) + 1)  # longer ones do not fit
    same = {period: [0] * (end - start + 1) for period in periods}
    begins = bytearray(end - start)
    """Whether the round at each place is equal to a later one: few are."""
    own = keys[start:end]
    for period, row in same.items():
        alike = bytes(map(eq, own, own[period:]))
        place = len(alike)
        while (place := alike.rfind(1, 0, place)) >= 0:
            at = start + place
            if keys[at] < 0 or (period == 1 and looks[at] and calls[at] != calls[at + 1]):
                continue
            row[place] = row[place + 1] + 1
            begins[place] = 1
    found: list[Unit] = []
    at = start
    while at < end:
        last = at
        while last + 1 < end and failed[last] and keys[last] >= 0 and (
            calls[last] == calls[last + 1] or keys[last] == keys[last + 1]
        ):  # fmt: skip
            last += 1
        if last > at:
            found.append(Unit(at, last + 1, "retry"))
            at = last + 1
            continue
        unit = Unit(at, at + 1)
        for period in periods if begins[at - start] else ():
            times = 1 + same[period][at - start] // period
            if times >= LEAST_REPETITIONS:
                unit = Unit(at, at + times * period, "loop", period)
                break
        found.append(unit)
        at = unit.end
    return found
