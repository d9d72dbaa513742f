"""What costs ten times the steps costs about ten times the time: ratios of CPU time in one run, never seconds.

A walk over all steps at every step, or a copy of everything for each, would take a hundred times as long here. The
least of some rounds counts, because other programs share the machine's caches.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from bench.generate import branching_run
from opentine_gui.core import RunRecord, fork, merge, preview_fork, verify
from opentine_gui.core.files import reader, storage
from opentine_gui.layout import Ancestry, Layout, LayoutRequest, lay_out, prepare

pytestmark = pytest.mark.serial

SMALL, LARGE = 10_000, 100_000
MOST = 15.0
ROUNDS = 8
PAYLOAD = 120


def cpu(work: Callable[[], object], repeats: int) -> float:
    """Least CPU seconds of a few calls, the collector at rest as it is while the application's jobs run."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        gc.disable()
        try:
            began = process_time()
            work()
            best = min(best, process_time() - began)
        finally:
            gc.enable()
    return best


class Sized:
    """One run in all the forms the operations start from."""

    def __init__(self, steps: int, folder: Path) -> None:
        self.path = folder / f"{steps}.tine"
        self.record: RunRecord = branching_run(steps, payload=PAYLOAD)
        self.text = reader.encode(self.record)
        graph = self.record.graph
        self.ancestry = Ancestry(graph.ids, graph.parents)
        self.layout: Layout = lay_out(LayoutRequest(self.ancestry))
        prepare(self.layout)
        middle = steps // 2
        self.pair = next(
            (graph.ids[place], graph.ids[place + 1])
            for place in range(middle, steps)
            if graph.parents[place] == graph.parents[place + 1]
        )
        places = tuple(graph.index(identity) for identity in self.pair)
        self.grown = Ancestry((*graph.ids, "new"), (*graph.parents, places))


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sized, Sized]:
    folder = tmp_path_factory.mktemp("growth")
    return Sized(SMALL, folder), Sized(LARGE, folder)


def merged(sized: Sized) -> Any:
    return merge([sized.record], sized.pair, inputs={"text": "both"}, now=1.0, nonce="n")


OPERATIONS: dict[str, Callable[[Sized], object]] = {
    "load": lambda sized: reader.decode(sized.text),
    "save": lambda sized: storage.write(sized.path, sized.record.edited(refs={"main": sized.pair[0]})),
    "verify": lambda sized: verify(sized.record),
    "fork": lambda sized: fork(sized.record, sized.record.graph.ids[-1], now=1.0, nonce="n"),
    "preview of a fork": lambda sized: preview_fork(sized.record, sized.pair[0]),
    "merge": merged,
    "first picture": lambda sized: lay_out(LayoutRequest(sized.ancestry, search=False)),
    "picture of one step more": lambda sized: lay_out(LayoutRequest(sized.grown, previous=sized.layout)),
    "picture of some steps less": lambda sized: lay_out(
        LayoutRequest(
            Ancestry(sized.ancestry.nodes[:-3], sized.ancestry.parents[:-3]),
            previous=sized.layout,
        )
    ),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_ten_times_the_steps_take_about_ten_times_as_long(operation: str, sizes: tuple[Sized, Sized]) -> None:
    work = OPERATIONS[operation]
    small, large = sizes
    ten, hundred = float("inf"), float("inf")
    for _ in range(ROUNDS):
        ten, hundred = min(ten, cpu(lambda: work(small), 2)), min(hundred, cpu(lambda: work(large), 1))
        if hundred <= MOST * ten:
            return
    raise AssertionError(f"{operation}: {LARGE:,} steps take {hundred / ten:.1f} times as long as {SMALL:,}")


def test_a_quadratic_operation_would_be_noticed() -> None:
    """The control: work that looks at a share of all for every one takes a hundred times as long."""

    def work(steps: int) -> int:
        return sum(len(range(place)[:: max(1, steps // 50)]) + sum(range(place % 97)) for place in range(steps // 100))

    def quadratic(steps: int) -> int:
        return sum(sum(range(place)) for place in range(steps // 100))

    assert cpu(lambda: quadratic(LARGE), 3) / cpu(lambda: quadratic(SMALL), 3) > MOST
    assert cpu(lambda: work(LARGE), 3) / cpu(lambda: work(SMALL), 3) <= MOST
