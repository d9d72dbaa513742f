"""`python -m bench [PART …]`: what the application costs, one row per measurement, with its target.

Parts: core, diff, layout, fold, open, folder, sessions, formats, live, search, start, window, views; all of them when
none is named. References are measured in the same run: the `opentine` package, Graphviz' dot, json.loads, an empty
Python, an empty Dear PyGui window. Only live, start, window and views need a display (a private Xvfb) and xdotool. The
rows are written to build/bench.json too.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from bench.clock import ROOT
from bench.table import Row, table, write

OUTPUT = ROOT / "build" / "bench.json"


def _core(folder: Path) -> Iterator[Row]:
    from bench import core

    return core.rows(folder)


def _diff(folder: Path) -> Iterator[Row]:
    from bench import diff

    return diff.rows(folder)


def _layout(folder: Path) -> Iterator[Row]:
    from bench import layout_targets

    return layout_targets.rows()


def _fold(folder: Path) -> Iterator[Row]:
    from bench import folding

    return folding.rows(folder)


def _open(folder: Path) -> Iterator[Row]:
    from bench import opening

    return opening.rows(folder)


def _folder(folder: Path) -> Iterator[Row]:
    from bench import folder as runs

    return runs.rows(folder)


def _sessions(folder: Path) -> Iterator[Row]:
    from bench import sessions

    return sessions.rows(folder)


def _formats(folder: Path) -> Iterator[Row]:
    from bench import formats

    return formats.rows(folder)


def _live(folder: Path) -> Iterator[Row]:
    from bench import live

    return live.rows(folder)


def _search(folder: Path) -> Iterator[Row]:
    from bench import search

    return search.rows(folder)


def _start(folder: Path) -> Iterator[Row]:
    from bench import startup

    return startup.rows(folder)


def _window(folder: Path) -> Iterator[Row]:
    from bench import window

    return window.rows(folder)


def _views(folder: Path) -> Iterator[Row]:
    from bench import window_views

    return window_views.rows(folder)


PARTS: dict[str, Callable[[Path], Iterator[Row]]] = {
    "core": _core,
    "diff": _diff,
    "layout": _layout,
    "fold": _fold,
    "open": _open,
    "folder": _folder,
    "sessions": _sessions,
    "formats": _formats,
    "live": _live,
    "search": _search,
    "start": _start,
    "window": _window,
    "views": _views,
}


def measured(parts: Sequence[str], folder: Path) -> Iterator[Row]:
    """The rows of all parts; a part that fails gives a row that says so, and the others are still measured."""
    for part in parts:
        print(f"bench: {part} …", file=sys.stderr)
        begun = perf_counter()
        inside = folder / part
        inside.mkdir()
        try:
            for row in PARTS[part](inside):
                print(table([row]).splitlines()[1], file=sys.stderr)
                yield row
        except (OSError, RuntimeError, TimeoutError) as error:
            print(f"bench: {part} ended early: {type(error).__name__}: {error}", file=sys.stderr)
            yield Row(part, "ended early", 0.0, "", note=f"{type(error).__name__}: {error}"[:120])
        print(f"bench: {part} took {perf_counter() - begun:.0f} s", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write build/bench.json; 1 when a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; parts are {', '.join(PARTS)}")
    os.environ["OPENTINE_COMPRESS"] = "0"  # read by the package on saving; keeps files plain on both sides
    begun = perf_counter()
    with tempfile.TemporaryDirectory(prefix="opentine-gui-bench-") as folder:
        rows = list(measured(options.parts or list(PARTS), Path(folder)))
    took = perf_counter() - begun
    versions = {name: version(name) for name in ("opentine", "msgspec", "numpy", "networkx", "dearpygui")}
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, opentine {versions['opentine']}", end=", ")
    print(f"load {os.getloadavg()[0]:.1f} at the end; took {took:.0f} s")
    print(table(rows))
    missed = sum(row.met is False for row in rows)
    met = sum(row.met is True for row in rows)
    print(f"{met} targets met, {missed} missed, {sum(row.met is None for row in rows)} rows without a target")
    write(options.output, rows, seconds=took, versions=versions)
    print(f"written to {options.output}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
