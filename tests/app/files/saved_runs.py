"""Runs with something to save, and a person who answers late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opentine_gui.core import RunRecord
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


def asked_later(answers: list[Any]) -> Any:
    """A prompter that collects the functions that take the answers."""

    class Later:
        def ask(self, _question: object, answer: Callable[[Any], None]) -> None:
            answers.append(answer)

    return Later()
