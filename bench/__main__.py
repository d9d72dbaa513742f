"""`python -m bench`: open, save, verify and fork against the real `opentine` package, in one process, on one file.

Prints one table (ours, reference, ratio) and writes build/bench.json. Times are the best of a few repeats; slow
operations run once. Verifying is not the same work on both sides, and the table says so: ours recomputes every step id
and the digest, the package the digest alone.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import opentine

from bench.generate import linear_run
from opentine_gui.core import fork, storage, verify

SIZES = (1_000, 10_000)
OUTPUT = Path(__file__).resolve().parents[1] / "build" / "bench.json"
REPEATS = 3
SLOW_SECONDS = 2.0


class Row(NamedTuple):
    """One operation at one size: seconds of ours and of the reference."""

    operation: str
    steps: int
    megabytes: float
    ours: float
    reference: float

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.reference / self.ours


def seconds(work: Callable[[], object]) -> float:
    """Best wall time of a few calls; one call when it is slow."""
    best = float("inf")
    for _ in range(REPEATS):
        gc.collect()
        started = perf_counter()
        work()
        best = min(best, perf_counter() - started)
        if best > SLOW_SECONDS:
            break
    return best


def measure(steps: int, folder: Path) -> list[Row]:
    """Every operation on one generated linear run; both sides must agree on what they read before they are timed."""
    path, ours_out, reference_out = (folder / f"{name}-{steps}.tine" for name in ("run", "ours", "reference"))
    storage.write(path, linear_run(steps))
    megabytes = path.stat().st_size / 1e6
    record, reference = storage.read(path), opentine.Run.load(path)
    if list(record.graph.ids) != [step.id for step in reference.steps]:
        raise SystemExit("bench: the two sides do not read the same steps; nothing was measured")
    if not opentine.Run.verify_integrity(path).ok or not verify(record).ok:
        raise SystemExit("bench: the generated run does not verify; nothing was measured")
    tip = record.graph.ids[-1]
    changed = record.edited(
        refs={**record.refs, "bench": tip}
    )  # so that saving computes the digest anew, as theirs does
    pairs: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        ("open", lambda: storage.read(path), lambda: opentine.Run.load(path)),
        ("save", lambda: storage.write(ours_out, changed), lambda: reference.save(reference_out)),
        (
            "verify (ids and digest : digest)",
            lambda: verify(storage.read(path)),
            lambda: opentine.Run.verify_integrity(path),
        ),
        (
            "fork at the tip",
            lambda: fork(record, tip, now=1.0, nonce="bench"),
            lambda: reference.fork(tip, nonce="bench"),
        ),
    ]
    return [Row(name, steps, megabytes, seconds(ours), seconds(theirs)) for name, ours, theirs in pairs]


def table(rows: list[Row]) -> str:
    """The rows as aligned text."""
    lines = [f"{'operation':<34}{'steps':>8}{'MB':>8}{'ours s':>11}{'reference s':>13}{'ratio':>9}"]
    for row in rows:
        lines.append(
            f"{row.operation:<34}{row.steps:>8,}{row.megabytes:>8.1f}{row.ours:>11.4f}{row.reference:>13.4f}{row.ratio:>8.1f}x"
        )
    return "\n".join(lines)


def main() -> int:
    """Measure, print, write build/bench.json."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--steps", type=int, nargs="+", default=list(SIZES), help="sizes of the generated runs")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    os.environ["OPENTINE_COMPRESS"] = "0"  # read by the package when it saves: plain files on both sides
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for steps in options.steps:
            print(f"measuring {steps:,} steps …", file=sys.stderr)
            rows += measure(steps, Path(folder))
    print(
        f"reference: opentine {opentine.__version__}, Python {platform.python_version()}, {os.cpu_count()} processors"
    )
    print(table(rows))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(
        json.dumps(
            {
                "reference": f"opentine {opentine.__version__}",
                "python": platform.python_version(),
                "processors": os.cpu_count(),
                "rows": [{**row._asdict(), "ratio": row.ratio} for row in rows],
            },
            indent=2,
        )
        + "\n",
        encoding="utf-8",
    )
    print(f"written to {options.output}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
