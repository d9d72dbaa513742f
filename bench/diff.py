"""`python -m bench.diff`: our comparison of two runs against the package's diff, and how ours grows.

Two cases, both made from a run as agents leave them: `edited fork` keeps nine tenths of it and ends with one edited
step; in `replayed` one step near the start is edited, which gives every later step a new id. Ours pairs by content, the
package by position in the tree, so the work is not the same; both must agree on the common ancestor before they are
timed.
Every repeat reads its graphs again, so that nothing is cached from the one before.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import msgspec
import opentine

from bench.generate import agent_run, run_of
from bench.table import Row
from opentine_gui.core import Graph, RunRecord, compare, fork_and_edit, step_id
from opentine_gui.core.files import storage

SIZES = (1_000, 2_000, 10_000)
"""Sizes at which the package is measured too; its time grows quadratically."""
GROWTH = (20_000, 50_000)
"""Sizes at which only ours is measured."""
REPEATS = 3
SLOW_SECONDS = 2.0


class DiffRow(NamedTuple):
    """One case at one size; seconds, ours and the package's (None: not measured)."""

    case: str
    steps: int
    ours: float
    reference: float | None

    @property
    def ratio(self) -> float | None:
        """How many times faster ours is."""
        return None if self.reference is None else self.reference / self.ours


def edited_fork(record: RunRecord) -> RunRecord:
    """A fork at nine tenths of the run, with the next step edited."""
    place = len(record.graph) * 9 // 10
    return fork_and_edit(record, record.graph.ids[place], inputs={"text": "edited"}, now=1.0, nonce="bench")


def replayed(record: RunRecord) -> RunRecord:
    """The run with the step at one tenth edited, and all later ids recomputed."""
    steps = []
    new: dict[str, str] = {}
    for number, step in enumerate(record.graph):
        parents = tuple([new[identity] for identity in step.parent_ids])
        inputs = {"text": "edited"} if number == len(record.graph) // 10 else step.inputs
        identity = step_id(
            step.kind,
            inputs,
            parent_ids=parents,
            outputs=step.outputs,
            model_info=step.model_info,
            tool_info=step.tool_info,
            error=step.error,
        )
        steps.append(msgspec.structs.replace(step, id=identity, parent_ids=parents, inputs=inputs))
        new[step.id] = identity
    return run_of(Graph.of(steps), "replayed")


CASES: dict[str, Callable[[RunRecord], RunRecord]] = {"edited fork": edited_fork, "replayed": replayed}


def measure(sizes: Sequence[int], growth: Sequence[int], folder: Path) -> list[DiffRow]:
    """Both cases at every size; the package only at `sizes`."""
    rows = []
    for count in sorted({*sizes, *growth}):
        source = agent_run(count)
        for case, make in CASES.items():
            paths = (folder / "a.tine", folder / "b.tine")
            for path, record in zip(paths, (source, make(source)), strict=True):
                storage.write(path, record)
            reference = _reference(paths) if count in sizes else None
            rows.append(DiffRow(case, count, _ours(paths), reference))
    return rows


def _ours(paths: tuple[Path, Path]) -> float:
    return _best(lambda: (storage.read(paths[0]), storage.read(paths[1])), lambda pair: compare(*pair))


def _reference(paths: tuple[Path, Path]) -> float:
    theirs = [opentine.Run.load(path) for path in paths]
    found = compare(storage.read(paths[0]), storage.read(paths[1]))
    if theirs[0].diff(theirs[1]).common_ancestor != found.common_ancestor:
        raise SystemExit("bench: the two sides do not agree on the common ancestor; nothing was measured")
    return _best(lambda: theirs, lambda pair: pair[0].diff(pair[1]))


def _best(prepare: Callable[[], Any], work: Callable[[Any], object]) -> float:
    """Best wall time of a few calls on fresh input; one call when it is slow."""
    best = float("inf")
    for _ in range(REPEATS):
        given = prepare()
        gc.collect()
        started = perf_counter()
        work(given)
        best = min(best, perf_counter() - started)
        if best > SLOW_SECONDS:
            break
    return best


def table(rows: list[DiffRow]) -> str:
    """The rows as aligned text, with milliseconds per 1,000 steps."""
    lines = [f"{'diff':<34}{'steps':>8}{'ms a 1,000':>12}{'ours s':>11}{'reference s':>13}{'ratio':>9}"]
    for row in rows:
        reference = "-" if row.reference is None else f"{row.reference:.4f}"
        ratio = "-" if row.ratio is None else f"{row.ratio:.1f}x"
        share = row.ours / row.steps * 1e6
        lines.append(f"{row.case:<34}{row.steps:>8,}{share:>12.2f}{row.ours:>11.4f}{reference:>13}{ratio:>9}")
    return "\n".join(lines)


def rows(folder: Path) -> Iterator[Row]:
    """The same as rows of the common table; the package is measured only up to 10,000 steps."""
    for found in measure(SIZES, GROWTH, folder):
        against = "" if found.reference is None else "opentine"
        yield Row("diff", f"{found.case}, {found.steps:,} steps", found.ours, "s", found.reference, against)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.diff", description=__doc__)
    parser.add_argument("--steps", type=int, nargs="+", default=list(SIZES), help="sizes for both sides")
    parser.add_argument("--growth", type=int, nargs="*", default=list(GROWTH), help="sizes for ours alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(options.steps, options.growth, Path(folder))
    print(
        f"reference: opentine {opentine.__version__}, Python {platform.python_version()}, {os.cpu_count()} processors"
    )
    print(table(rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
