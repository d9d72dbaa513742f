"""Analyses of a run that grows: what is kept gives the same as looking again, and costs what was added."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from opentine_gui.core import Graph, RunRecord, RunStatus, StepKind
from opentine_gui.core.analysis.call_table import call_table
from opentine_gui.core.analysis.context import context
from opentine_gui.core.analysis.files.touched_files import touched_files
from opentine_gui.core.analysis.suspicion.call_facts import CallFacts
from opentine_gui.core.analysis.suspicion.fork_points import fork_points
from opentine_gui.core.analysis.suspicion.suspects import ends_of, suspects
from opentine_gui.core.graph.equal_ends import common_beginning
from tests.core.analysis.call_runs import Recording


def grown(seed: int, count: int, other_end: bool = False) -> RunRecord:
    """A run of `count` steps; with `other_end` the last one is another, as when a call gets its result."""
    random = Random(seed)
    run = Recording()
    run.ask("Do it")
    while len(run.steps) < count:
        last = len(run.steps) == count - 1
        random.random()
        what = random.randrange(8)
        name = f"/w/{random.randrange(4)}.py"
        if last and other_end:
            run.call("Bash", {"command": "make new"}, "done")
        elif what == 0:
            run.say(f"I go on {len(run.steps)}", usage={"input": 10 + len(run.steps), "cache_read": 5})
        elif what == 1:
            run.add(StepKind.THINK, {"trigger": "auto"}, outputs={"summary": "so far"})
        elif what == 2:
            run.call("Edit", {"file_path": name, "old_string": "a", "new_string": "b"}, "ok")
        elif what == 3:
            run.call("Bash", {"command": "pytest -q"}, failed=f"{name}:3: AssertionError")
        elif what == 4:
            run.call("Read", {"file_path": name}, "x")
        elif what == 5:
            run.call(f"tool{random.randrange(30)}", {"n": 1}, "same")
        elif what == 6:
            run.call("Bash", {"command": "rm -rf x"}, error={"type": "rejected", "message": "no"})
        else:
            run.ask("And now")
    return run.record(status=RunStatus.FAILED)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_kept_and_added_is_what_looking_again_gives(seed: int) -> None:
    sizes = (1, 30, 31, 55, 80)
    calls: Any = None
    fills: Any = None
    touched: Any = None
    facts: dict[str, CallFacts] = {}
    before: tuple[str, ...] = ()
    forks: dict[int, int] = {}
    for number, size in enumerate(sizes):
        record = grown(seed, size, other_end=number % 2 == 1)
        graph = record.graph
        kept = common_beginning(before, tuple(graph.ids))
        assert kept == len([1 for one, other in zip(before, graph.ids, strict=False) if one == other])
        if number:
            assert kept >= sizes[number - 1] - 1
        calls = call_table(graph, None, calls, kept)
        fills = context(graph, None, fills, kept)
        touched = touched_files(graph, None, touched.steps if touched else None, kept)
        ends, main = ends_of(record), len(graph) - 1
        found = suspects(graph, ends, touched, main=main, known=facts)
        failing = [end.tip for end in ends if end.failed]
        points = fork_points(graph, failing, {step: count for step, count in forks.items() if step < kept})
        assert calls == call_table(graph)
        assert fills == context(graph)
        assert touched == touched_files(graph)
        assert found == suspects(graph, ends, touched, main=main)
        assert points == fork_points(graph, failing)
        before, forks = tuple(graph.ids), {point.step: point.kept for point in points}


@pytest.mark.serial
def test_the_cost_of_going_on_follows_what_was_added() -> None:
    big = grown(1, 6_000)
    steps = list(big.graph)
    most = Graph.of(steps[:5_990])

    def seconds(work: Callable[[], object]) -> float:
        begun = time.process_time()
        work()
        return time.process_time() - begun

    calls, fills, touched = call_table(most), context(most), touched_files(most)
    facts: dict[str, CallFacts] = {}
    main = len(big.graph) - 1
    cold = suspects(big.graph, ends_of(big), touched_files(big.graph), main=main, known=facts)
    assert cold.suspects
    graph = big.graph
    for anew, further in (
        (lambda: call_table(graph), lambda: call_table(graph, None, calls, 5_990)),
        (lambda: context(graph), lambda: context(graph, None, fills, 5_990)),
        (lambda: touched_files(graph), lambda: touched_files(graph, None, touched.steps, 5_990)),
    ):
        assert min(seconds(further) for _ in range(3)) < 0.6 * min(seconds(anew) for _ in range(3))
