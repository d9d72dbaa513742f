"""What costs ten times the steps costs about ten times the time: see tests/growth.py.

A walk over all steps at every step, or a copy of everything for each, would take a hundred times as long here. These
tests run alone: 100,000 steps do not fit the processor's caches, and beside others less of those is left to them than
to the control.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bench.generate import branching_run
from opentine_gui.core import RunRecord, fork, merge, preview_fork, verify
from opentine_gui.core.files import reader, storage
from opentine_gui.layout import Ancestry, Layout, LayoutRequest, lay_out, prepare
from tests import growth
from tests.core.graph.test_found_nothing import call
from tests.core.sample_runs import make_record
from tests.growth import ROUNDS, control_text, excess, is_squared

pytestmark = pytest.mark.serial

SMALL, LARGE = 10_000, 100_000
PAYLOAD = 120


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
def sizes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sized, Sized]]:
    folder = tmp_path_factory.mktemp("growth")
    made = Sized(SMALL, folder), Sized(LARGE, folder)
    gc.collect()
    gc.freeze()  # as the application does with what its jobs return: else every round walks all of it
    yield made
    gc.unfreeze()
    gc.collect()
    gc.freeze()  # again what tests/conftest.py set aside


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
    assert not excess(lambda: work(small), lambda: work(large), (small.text, large.text))


def test_many_failures_beside_many_searches_that_found_nothing_are_read_as_quickly() -> None:
    two = [call("npm test", "1 failing", "1 failing"), call("grep -n parser src/a.ts")]
    made = json.loads(reader.encode(make_record([replace(step, id=f"{n:012x}") for n, step in enumerate(two)])))
    steps = list(made["graph"]["steps"].values())

    def text_of(count: int) -> bytes:
        ids = [f"{number:012x}" for number in range(count)]
        made["graph"]["steps"] = {one: {**steps[place % 2], "id": one} for place, one in enumerate(ids)}
        made["graph"]["order"], made["refs"] = ids, {"main": ids[-1]}
        return json.dumps(made).encode()

    small, large = text_of(SMALL), text_of(LARGE)
    graph = reader.decode(large).graph
    assert (sum(graph.failed), len(graph.stopped)) == (LARGE // 2, LARGE // 2)
    assert not excess(lambda: reader.decode(small), lambda: reader.decode(large), (small, large))


def test_a_quadratic_operation_would_be_noticed() -> None:
    """Work that looks at a share of all for every one takes a hundred times as long."""

    def work(steps: int) -> int:
        return sum(len(range(place)[:: max(1, steps // 50)]) + sum(range(place % 97)) for place in range(steps // 100))

    def quadratic(steps: int) -> int:
        return sum(sum(range(place)) for place in range(steps // 100))

    texts = control_text(SMALL), control_text(LARGE)
    assert not excess(lambda: work(SMALL), lambda: work(LARGE), texts)
    assert excess(lambda: quadratic(SMALL), lambda: quadratic(LARGE), texts, rounds=2)


@pytest.mark.parametrize(("control", "allowed"), [(8, 15), (10, 15), (14, 21), (20, 30)])
def test_the_bound_follows_a_control_that_grows_faster_than_ten_times(
    control: float, allowed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    took = {"small": 1.0, "control": 1.0, "control ten times": control}
    monkeypatch.setattr(growth, "cpu", lambda work, *_calls: took[work()])
    monkeypatch.setattr(growth.json, "loads", lambda text: text)
    for large, refused in ((allowed * 0.99, False), (allowed * 1.01, True)):
        took["large"] = large
        assert bool(excess(lambda: "small", lambda: "large", ("control", "control ten times"))) is refused


def test_the_least_of_all_rounds_counts_also_where_both_sizes_take_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    took = {"small": iter([1.0, 1.0, 5.0, 5.0]), "large": iter([1.0, 1.0, 1.0, 1.0])}
    monkeypatch.setattr(growth, "cpu", lambda work, *_calls: next(took[work()]))
    measured = growth.Growth(lambda: "small", lambda: "large")
    assert [measured.measured() for _ in range(4)] == [1.0] * 4


def test_squared_work_is_noticed_though_its_first_calls_are_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    small = iter([10.0] + [1.0] * ROUNDS)
    monkeypatch.setattr(growth, "cpu", lambda work, *_calls: 256.0 if work() == 160 else next(small))
    assert is_squared(lambda length: length, 10)


def test_work_that_follows_its_length_is_not_squared_however_slow_the_machine_is_in_some_rounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    large = iter([400.0, 300.0, 16.0])
    monkeypatch.setattr(growth, "cpu", lambda work, *_calls: next(large) if work() == 160 else 1.0)
    assert not is_squared(lambda length: length, 10)
