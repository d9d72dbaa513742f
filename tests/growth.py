"""Compares what work takes in two sizes: least CPU time of some rounds, never seconds.

Ten times the steps may take fifteen times the time: the larger data no longer fits the processor's caches. How much
that costs depends on the machine and on who shares it. So where the growth is above that bound, `json.loads` of two
texts of these sizes is measured in turns with the work: it is linear for sure, and the work may grow half as fast
again. What is measured like this may run beside other tests: company takes longer in some rounds, hardly in all; the
bounds hold for the least of both sizes, and a round more is only made while they do not hold.

A machine that is fast for a tenth of a second at times is so for the whole of the small work, and never for the whole
of the large. So from the second round on the small work is done as often as takes about as long as the large.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from time import process_time

MOST = 15.0
OF_THE_CONTROL = 1.5
ROUNDS = 16

Work = Callable[[], object]


def cpu(work: Work, repeats: int, together: int = 1) -> float:
    """Least CPU seconds of a few calls, the collector at rest as it is while the application's jobs run.

    With `together`, each of the `repeats` is the mean of so many calls in a row.
    """
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        gc.disable()
        try:
            began = process_time()
            for _ in range(together):
                work()
            best = min(best, (process_time() - began) / together)
        finally:
            gc.enable()
    return best


def control_text(count: int) -> str:
    """JSON of so many entries, for `excess`, where the work is on no text of its own."""
    return json.dumps([[number, f"step {number}"] for number in range(count)])


class Growth:
    """How many times as long the large work takes as the small, by the least of all rounds so far."""

    def __init__(self, small: Work, large: Work) -> None:
        self._small, self._large = small, large
        self._least_small = self._least_large = float("inf")
        self._rounds = 0
        self._together = 1
        """How often the small work is done in a row, from the second round on."""

    def measured(self) -> float:
        """The growth after one more round.

        In the first round the small work is done twice, each time measured alone; what it took then only tells how
        often it is done from the second round on, and is forgotten.
        """
        if self._rounds == 0:
            self._least_small = cpu(self._small, 2)
        else:
            if self._rounds == 1:
                self._together = max(1, round(self._least_large / self._least_small))
                self._least_small = float("inf")
            self._least_small = min(self._least_small, cpu(self._small, 1, self._together))
        self._rounds += 1
        self._least_large = min(self._least_large, cpu(self._large, 1))
        return self._least_large / self._least_small


def excess(small: Work, large: Work, texts: tuple[str | bytes, str | bytes], rounds: int = ROUNDS) -> str:
    """What is said of work that takes too long in the large size; "" as soon as a round finds it within the bound.

    `texts` are JSON, one of each size, ten times as long as the other: the control.
    """
    work = Growth(small, large)
    control = Growth(lambda: json.loads(texts[0]), lambda: json.loads(texts[1]))
    said = ""
    for _ in range(rounds):
        growth = work.measured()
        if growth <= MOST:
            return ""
        linear = control.measured()
        if growth <= OF_THE_CONTROL * linear:
            return ""
        said = f"takes {growth:.1f} times as long, where reading JSON takes {linear:.1f} times as long"
    return said


def is_squared(work: Callable[[int], object], length: int, most: float = 96.0) -> bool:
    """Whether work on sixteen times the length takes `most` times as long in every round; squared it would be 256.

    The first round is not judged: one slow call of the small work, which takes microseconds, would acquit any work.
    """
    growth = Growth(lambda: work(length), lambda: work(16 * length))
    growth.measured()
    return all(growth.measured() >= most for _ in range(ROUNDS))
