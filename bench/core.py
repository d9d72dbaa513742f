"""The document layer against the `opentine` package, in one process, on the same file.

Load, verify and fork are CPU seconds; a save also waits for the disk, so it is wall time. Verifying is not the same
work on both sides, and the table says so: ours recomputes every step id and the digest, the package the digest alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import opentine

from bench.clock import REPEATS, cpu_seconds, program, seconds
from bench.generate import branching_run, linear_run
from bench.table import Row, Target, faster, share
from opentine_gui.core import fork, storage, verify

SIZES = (10_000, 50_000)
GROWTH = 6.0
"""Times the smaller size's time that the larger may take; it is five times as large."""


def rows(folder: Path, sizes: tuple[int, ...] = SIZES) -> Iterator[Row]:
    """Load, save, verify, fork and memory at each size, and how they grow from the first size to the last."""
    ours: dict[tuple[str, int], float] = {}
    for steps in sizes:
        for row in measure(steps, folder):
            ours[row.what.partition(",")[0], steps] = row.ours
            yield row
    first, last = sizes[0], sizes[-1]
    if first != last:
        for what in ("load", "save", "verify", "fork"):
            yield Row(
                "core",
                f"{what}, growth {first:,} to {last:,}",
                ours[what, last],
                "s" if what == "save" else "s CPU",
                reference=ours[what, first],
                against=f"ours at {first:,} steps",
                target=share(GROWTH * last / first / 5),
            )
    yield memory(folder, sizes[-1])


def measure(steps: int, folder: Path) -> Iterator[Row]:
    """Every operation on one generated linear run; both sides must agree on what they read before they are timed."""
    path, ours_out, reference_out = (folder / f"{name}-{steps}.tine" for name in ("run", "ours", "reference"))
    storage.write(path, linear_run(steps))
    size = f"{steps:,} steps, {path.stat().st_size / 1e6:.1f} MB"
    record, reference = storage.read(path), opentine.Run.load(path)
    if list(record.graph.ids) != [step.id for step in reference.steps]:
        raise SystemExit("bench: the two sides do not read the same steps; nothing was measured")
    if not opentine.Run.verify_integrity(path).ok or not verify(record).ok:
        raise SystemExit("bench: the generated run does not verify; nothing was measured")
    tip = record.graph.ids[-1]
    # changed, so that saving computes the digest anew, as theirs does
    changed = record.edited(refs={**record.refs, "bench": tip})
    pairs: list[tuple[str, Callable[[], object], Callable[[], object], Target, str]] = [
        ("load", lambda: storage.read(path), lambda: opentine.Run.load(path), faster(20), ""),
        ("save", lambda: storage.write(ours_out, changed), lambda: reference.save(reference_out), faster(100), ""),
        (
            "verify",
            lambda: verify(storage.read(path)),
            lambda: opentine.Run.verify_integrity(path),
            faster(6),
            "ours: read, every id and the digest; the package: read and the digest",
        ),
        (
            "fork",
            lambda: fork(record, tip, now=1.0, nonce="bench"),
            lambda: reference.fork(tip, nonce="bench"),
            faster(20),
            "at the tip",
        ),
    ]
    for what, our_work, their_work, target, note in pairs:
        clock, unit = (seconds, "s") if what == "save" else (cpu_seconds, "s CPU")
        theirs = clock(their_work, 1 if steps > SIZES[0] else REPEATS)
        if steps > SIZES[0]:
            note = f"{note + '; ' if note else ''}the package once"
        yield Row("core", f"{what}, {size}", clock(our_work), unit, theirs, "opentine", target, note)


def memory(folder: Path, steps: int) -> Row:
    """Resident memory of an open document, picture and check included, in a process of its own."""
    path = folder / "memory.tine"
    storage.write(path, branching_run(steps))
    megabytes = path.stat().st_size / 1e6
    if not sys.platform.startswith("linux"):
        return Row("core", "memory of an open document", 0.0, "MB", None, note="only Linux says how much it is")
    found = float(program(["-m", "bench.memory", str(path)]).stdout)
    what = f"memory of an open document, {steps:,} steps"
    return Row("core", what, found, "MB", megabytes, "its file", share(3), "with layout and check, 40 % of edges merge")
