"""The oldest release that reads format 2, 0.2.0, reads the plain files we write."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from opentine_gui.core import fork, fork_and_edit, merge, read, write
from tests.core.sample_runs import DATA

OLD = "0.2.0"
ASK = """
import json, sys
import opentine
answers = {}
for path in sys.argv[1:]:
    run = opentine.Run.load(path)
    answers[path] = [run.id, [step.id for step in run.steps], bool(opentine.Run.verify_integrity(path).ok)]
print(json.dumps({"version": opentine.__version__, "answers": answers}))
"""


@pytest.fixture(scope="session")
def old_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds opentine 0.2.0 and nothing else."""
    target = tmp_path_factory.mktemp("opentine-old")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
    done = subprocess.run(
        [*command, "--target", str(target), f"opentine=={OLD}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"pip could not install opentine {OLD}: {done.stderr[-800:]}"
    return target


def test_the_oldest_reader_of_this_format_reads_what_we_write(old_package: Path, tmp_path: Path) -> None:
    wanted = {}
    sources = sorted((DATA / "corpus" / "0.12.1").glob("*.plain.tine")) + sorted((DATA / "handmade").glob("*.tine"))
    for source in sources:
        record = read(source).edited()
        path = write(tmp_path / f"{source.stem}.tine", record)
        wanted[str(path)] = [record.run_id, list(record.graph.ids), True]
    branched = read(DATA / "corpus" / "0.12.1" / "branched.plain.tine")
    left, right = branched.tips[:2]
    one, two = (fork(branched, tip, now=1.5, nonce=tip[:4], title="t", reset_metrics=True) for tip in (left, right))
    made = {
        "fork": one,
        "edited": fork_and_edit(branched, left, inputs={"text": "another"}, now=2.5, nonce=""),
        "inside": merge([branched], [left, right], inputs={"text": "both"}, now=2.5, nonce=""),
        "across": merge([one, two], [left, right], inputs={"text": "both"}, now=2.5, nonce=""),
    }
    for name, record in made.items():
        path = write(tmp_path / f"made-{name}.tine", record)
        wanted[str(path)] = [record.run_id, list(record.graph.ids), True]
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(old_package)!r})\n{ASK}", *wanted],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-800:]
    said = json.loads(done.stdout)
    assert said["version"] == OLD
    assert said["answers"] == wanted
