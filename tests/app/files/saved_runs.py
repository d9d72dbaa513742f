"""Runs with something to save, and a person who answers late."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from opentine_gui.app.files import reloading
from opentine_gui.core import RunRecord
from opentine_gui.core.edit.add_step import add_step
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "a"}


def edited(bench: Bench, name: str = "run.tine") -> RunRecord:
    """Open a run and merge its two tips, so that there is something to save."""
    record = run_of(TREE)
    bench.open(name, record)
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    assert bench.active.dirty
    return record


def forked(bench: Bench) -> bytes:
    """Open a run and fork it; returns the source's bytes."""
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    return (bench.folder / "run.tine").read_bytes()


def continued(bench: Bench, path: Path, words: str = "go on") -> RunRecord:
    """Have another program add a step to a file, as if the system had told the session at once."""
    record = storage.read(path)
    record, _step = add_step(record, record.graph.ids[-1], inputs={"prompt": words}, now=1_770_000_600.0)
    storage.write(path, record)
    reloading.paths_changed(bench.session, [path])
    bench.session.settle()
    return record


def asked_later(answers: list[Any]) -> Any:
    """A prompter that collects the functions that take the answers."""

    class Later:
        def ask(self, _question: object, answer: Callable[[Any], None]) -> None:
            answers.append(answer)

    return Later()
