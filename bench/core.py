"""The document layer against the `opentine` package, in one process, on the same file.

Load, verify and fork are CPU seconds; a save also waits for the disk, so it is wall time. Verifying is not the same
work on both sides, as the table says: ours recomputes every step id and the digest, the package only the digest.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import opentine

from bench.clock import REPEATS, cpu_seconds, program, seconds, seconds_at_most
from bench.generate import agent_run, linear_run
from bench.table import Row, Target, faster, share
from opentine_gui.core import RunRecord, fork, verify
from opentine_gui.core.files import storage

SIZES = (10_000, 50_000)
LONGEST_SAVE = 120.0
"""Seconds after which the package's larger save is stopped: run to its end, it would take most of the benchmark's
time."""
GROWTH = 6.0
"""How many times longer the larger size may take, which has five times the steps."""


def rows(folder: Path, sizes: tuple[int, ...] = SIZES) -> Iterator[Row]:
    """Load, save, verify, fork and memory at each size, and how they grow from the first size to the last."""
    ours: dict[tuple[str, int], float] = {}
    for steps in sizes:
        for row in measure(steps, folder):
            ours[row.what.partition(",")[0], steps] = row.ours
            yield row
    yield from measure(sizes[0], folder, "plain ASCII")
    yield from _compressed(sizes[0], folder)
    first, last = sizes[0], sizes[-1]
    if first != last:
        for what in ("load", "save", "verify", "fork", "fork half-way"):
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


def measure(steps: int, folder: Path, text: str = "") -> Iterator[Row]:
    """Every operation on one run as agents leave it; with `text` (its name) on a chain of plain ASCII steps.

    Nothing is measured unless both sides read the same steps. Ours is timed before the package's objects exist, and our
    objects are freed before the package is timed: each would be slower in memory full of the other's objects.
    """
    path = storage.write(folder / f"run-{steps}.tine", linear_run(steps) if text else agent_run(steps))
    ours_out, reference_out = folder / f"ours-{steps}.tine", folder / f"reference-{steps}.tine"
    ours, ids, verifies = _ours(path, ours_out)
    reference = opentine.Run.load(path)
    if ids != [step.id for step in reference.steps]:
        raise SystemExit("bench: the two sides do not read the same steps; nothing was measured")
    if not opentine.Run.verify_integrity(path).ok or not verifies:
        raise SystemExit("bench: the generated run does not verify; nothing was measured")
    tip = ids[-1]
    pairs: list[tuple[str, Callable[[], object], Target, str]] = [
        ("load", lambda: opentine.Run.load(path), faster(20), ""),
        ("save", lambda: reference.save(reference_out), faster(100), ""),
        (
            "verify",
            lambda: opentine.Run.verify_integrity(path),
            faster(6),
            "ours: read, every id and the digest; the package: read and the digest",
        ),
        ("fork", lambda: reference.fork(tip, nonce="bench"), faster(20), "at the tip"),
        ("fork half-way", lambda: reference.fork(ids[steps // 2], nonce="bench"), faster(20), ""),
    ]
    size = f"{text + ', ' if text else ''}{steps:,} steps, {path.stat().st_size / 1e6:.1f} MB"
    for what, work, target, note in pairs:
        clock, unit = _clock(what)
        if steps > SIZES[0] and what == "save":
            theirs, ended = seconds_at_most(work, LONGEST_SAVE)
            note = "the package once" if ended else "at least, for the package was stopped"
        else:
            note = f"{note + '; ' if note else ''}the package once" if steps > SIZES[0] else note
            theirs = clock(work, 1 if steps > SIZES[0] else REPEATS)
        yield Row("core", f"{what}, {size}", ours[what], unit, theirs, "opentine", target, note)


def _compressed(steps: int, folder: Path) -> Iterator[Row]:
    """Load and save of the same run compressed with zlib; most of the time is zlib's, on both sides."""
    path = storage.write(folder / f"compressed-{steps}.tine", agent_run(steps), compress="zlib")
    size = f"compressed, {steps:,} steps, {path.stat().st_size / 1e6:.1f} MB"
    ours = cpu_seconds(lambda: storage.read(path), REPEATS)
    theirs = cpu_seconds(lambda: opentine.Run.load(path), REPEATS)
    yield Row("core", f"load, {size}", ours, "s CPU", theirs, "opentine")
    record = storage.read(path)
    changed = record.edited(refs={**record.refs, "bench": record.graph.ids[-1]})
    yield Row("core", f"save, {size}", seconds(lambda: storage.write(folder / "compressed-out.tine", changed)))


def _clock(what: str) -> tuple[Callable[[Callable[[], object], int], float], str]:
    return (seconds, "s") if what == "save" else (cpu_seconds, "s CPU")


def _ours(path: Path, out: Path) -> tuple[dict[str, float], list[str], bool]:
    """(seconds of every operation, the ids that were read, whether they verify)."""
    record = storage.read(path)
    tip = record.graph.ids[-1]
    # edited, so that saving recomputes the digest, as the package does
    changed = record.edited(refs={**record.refs, "bench": tip})
    works: dict[str, Callable[[], object]] = {
        "load": lambda: storage.read(path),
        "save": lambda: storage.write(out, changed),
        "verify": lambda: verify(storage.read(path)),
    }
    found = {what: _clock(what)[0](work, REPEATS) for what, work in works.items()}

    read: list[RunRecord] = []

    def fresh() -> None:  # else a fork reuses what the previous one cached in the run
        read[:] = [storage.read(path)]

    for what, point in (("fork", tip), ("fork half-way", record.graph.ids[len(record.graph) // 2])):
        found[what] = cpu_seconds(lambda: fork(read[0], point, now=1.0, nonce="bench"), REPEATS, before=fresh)  # noqa: B023
    return found, list(record.graph.ids), verify(record).ok


def memory(folder: Path, steps: int) -> Row:
    """Resident memory of an open document, picture and check included, in a process of its own."""
    path = folder / "memory.tine"
    storage.write(path, agent_run(steps))
    megabytes = path.stat().st_size / 1e6
    if not sys.platform.startswith("linux"):
        return Row("core", "memory of an open document", 0.0, "MB", None, note="only Linux says how much it is")
    found = float(program(["-m", "bench.memory", str(path)]).stdout)
    what = f"memory of an open document, {steps:,} steps"
    return Row("core", what, found, "MB", megabytes, "its file", share(3), "with layout and check")
