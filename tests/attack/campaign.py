"""What one attack is given and what it reports: a seed, a folder, an end; tries, findings and its worst figure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

MOST_FINDINGS = 25
"""Further ones are counted only: a broken promise breaks in a thousand ways."""

SAID_EVERY = 30.0
"""Seconds between two lines that say how far an attack is."""

T = TypeVar("T")


def in_short(trace: str) -> str:
    """The last line of a traceback, and the last place of it in the application."""
    lines = [line.strip() for line in trace.strip().splitlines()]
    places = [line for line in lines if line.startswith("File ") and "opentine_gui" in line]
    place = places[-1].rpartition("opentine_gui")[2].replace('"', "") if places else ""
    return f"{lines[-1][:300]} ({place})" if lines else ""


COUNTED_TO, IN_SECONDS = 300_000, 0.02
"""What a core does that bounds in seconds are meant for: a busy one takes longer for everything, and for this."""


def slowness(clock: Callable[[], float] = time.process_time) -> float:
    """How many times longer than such a core this one takes just now, 1.0 or more.

    `clock` counts CPU seconds: of the process, or of a thread where others work beside it.
    """
    times = []
    for _ in range(3):
        began = clock()
        sum(number * number for number in range(COUNTED_TO))
        times.append(clock() - began)
    return max(1.0, sorted(times)[1] / IN_SECONDS)


class Attack(NamedTuple):
    """A row of the table: `share` is its part of the seconds of a short run, `full` its tries in a full one.

    Without a share it runs in full runs, and where it is asked for by name.
    """

    name: str
    promise: str
    run: Callable[[Campaign], None]
    share: float
    full: int


def _nobody_listens(_line: str) -> None:
    """What is told by default to nobody."""


class Campaign:
    """One run of one attack."""

    def __init__(
        self,
        folder: Path,
        seed: int,
        full: int,
        seconds: float | None = None,
        processes: int = 1,
        tell: Callable[[str], None] = _nobody_listens,
    ) -> None:
        """Without `seconds` the attack makes its `full` tries, and with them as many as fit.

        `tell` gets a line for every finding when it is found, and one every `said_every` seconds.
        """
        self.folder = folder
        self.seed = seed
        self.random = Random(seed)
        self.full = full
        self.processes = processes
        self.findings: list[str] = []
        self.found_more = 0
        self.tries = 0
        self.worst = 0.0
        self.worst_what = ""
        self.notes: list[str] = []
        self.keep: Path | None = None
        self.short = seconds is not None
        self.stopped = False
        self.said_every = SAID_EVERY
        self._tell = tell
        self._began = self._said = time.monotonic()
        self._ends = time.monotonic() + seconds if seconds is not None else float("inf")

    @property
    def seconds_left(self) -> float:
        """Until the end of a short run; infinite in a full one."""
        return self._ends - time.monotonic()

    def stop(self) -> None:
        """End the attack as if its time were over: what was tried until now counts."""
        self.stopped = True
        self._ends = float("-inf")

    def at(self, done: int, of: int) -> None:
        """Say how far it is, if that was not said lately: `done` of so many tries of what is done now."""
        now = time.monotonic()
        if now - self._said >= self.said_every:
            self._said = now
            count = len(self.findings) + self.found_more
            self._tell(f"{now - self._began:,.0f} s: {done:,} of {of:,} tries, {count:,} findings")

    def numbers(self, most: int | None = None) -> Iterator[int]:
        """Numbers of tries from 0, each counted, until the time is over or there were enough."""
        count = self.full if most is None else most
        for number in range(count):
            if self.seconds_left <= 0:
                return
            self.at(number, count)
            self.tries += 1
            yield number

    def shuffled(self, cases: Iterable[T], share: float = 1.0) -> Iterator[T]:
        """The cases in an order that follows from the seed, each counted, until this share of the time is over."""
        order: Sequence[T] = list(cases)
        left = self.seconds_left * (1 - share) if self.short else 0.0
        for number, case in enumerate(self.random.sample(order, len(order))):
            if self.seconds_left <= left:
                return
            self.at(number, len(order))
            self.tries += 1
            yield case

    def found(self, sentence: str) -> None:
        """Note a broken promise, once."""
        if sentence in self.findings:
            self.found_more += 1
        elif len(self.findings) < MOST_FINDINGS:
            self.findings.append(sentence)
            self._tell(f"found: {sentence}")
        else:
            self.found_more += 1

    def found_at(self, number: int, sentence: str) -> None:
        """Note what a try found, once for all tries that found the same."""
        if any(finding.startswith(f"{sentence} [") for finding in self.findings):
            self.found_more += 1
        else:
            self.found(f"{sentence} [try {number}]")

    def measured(self, figure: float, what: str) -> None:
        """Keep the worst figure, larger being worse, and what it belongs to."""
        if figure >= self.worst:
            self.worst, self.worst_what = figure, what
