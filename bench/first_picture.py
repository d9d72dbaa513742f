"""`python -m bench.first_picture --against FOLDER`: the first picture of a long run here and in another checkout.

A session without a window opens a file, each time in a process of its own, here and there in turn; the least of a few
rounds counts. Here the run is folded. CPU time is that of all threads of the process, from the request to the picture.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.clock import ROOT, own_home
from bench.generate import linear_run
from bench.session_runs import session_run
from opentine_gui.core import write
from tests.ui.virtual_display import die_with_parent

STEPS, ROUNDS = 100_000, 4
OPEN = """
import json, sys, time
from pathlib import Path
try:
    from opentine_gui.app.application import make_session
except ImportError:  # of a checkout from before this module
    from opentine_gui.app.session import Session as make_session
path = Path(sys.argv[1])
session = make_session(environment={}, working_folder=path.parent)
begun, used = time.perf_counter(), time.process_time()
session.invoke("file.open", path=path)
def shown():
    return getattr(session.active, "picture", session.active)  # in older checkouts a document is its picture
while session.active is None or shown().layout is None:
    session.step()
    time.sleep(0.002)
    if time.perf_counter() - begun > 120:
        raise TimeoutError("no picture")
found = {"wall": time.perf_counter() - begun, "cpu": time.process_time() - used}
print(json.dumps({**found, "cards": len(shown().layout.nodes)}))
session.close()
"""


def opened(path: Path, checkout: Path, home: Path) -> dict[str, float]:
    """Wall and CPU seconds until the first picture of a file, and its cards, in a process of a checkout."""
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", OPEN, str(path)],
        cwd=checkout,
        env=own_home(home),
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
        check=True,
        preexec_fn=die_with_parent,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.first_picture", description=__doc__)
    parser.add_argument("--against", type=Path, metavar="FOLDER", required=True, help="the other checkout")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(arguments)
    checkouts = {"here": ROOT, "there": options.against.resolve()}
    with tempfile.TemporaryDirectory(prefix="opentine-gui-bench-") as name:
        folder = Path(name)
        runs = {"chain": linear_run(options.steps, payload=60), "session": session_run(options.steps)}
        for run, record in runs.items():
            path = write(folder / f"{run}.tine", record)
            found: dict[str, list[dict[str, float]]] = {where: [] for where in checkouts}
            for _ in range(options.rounds):
                for where, checkout in checkouts.items():
                    found[where].append(opened(path, checkout, folder / where))
            for measure in ("cpu", "wall"):
                ours, theirs = (min(one[measure] for one in found[where]) for where in checkouts)
                words = f"{ours:6.2f} s here, {theirs:6.2f} s there, {ours / theirs:5.2f} of it"
                print(f"  first picture, {run} of {options.steps:,} steps, {measure:<4} {words}", flush=True)
            cards = ", ".join(f"{some[0]['cards']:,} cards {where}" for where, some in found.items())
            print(f"  {'':<14} {cards}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
