"""The rows of the list of runs, with the open documents among them."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from opentine_gui.app.inspect.listed_runs import (
    FOLDERS,
    OTHERS,
    cost_and_time,
    list_entries,
    run_words,
    steps_and_cost,
)
from tests.app.conftest import Bench
from tests.core.sample_runs import make_record, make_step

RECORDED = Path(__file__).parents[2] / "data" / "recordings" / "claude-code"


def test_a_fork_is_listed_below_its_source_and_what_the_filter_leaves_out_below_a_heading(bench: Bench) -> None:
    for name in ("first", "second"):
        bench.write(f"{name}.tine", make_record([make_step(name)], run_id=name, metadata={"title": name}))
    (bench.folder / "deeper").mkdir()
    source = bench.open("first.tine")
    session = bench.session
    session.invoke("file.open_folder", path=bench.folder)
    session.settle()
    session.invoke("run.fork", step=bench.record.graph.ids[0])
    bench.do("proposal.accept")
    fork = session.active
    assert fork is not source
    entries = list_entries(session)
    place = next(number for number, entry in enumerate(entries) if entry.document is source)
    assert (entries[place + 1].document, entries[place + 1].depth) == (fork, entries[place].depth + 1)
    assert entries[entries.index(FOLDERS) + 1 :][-1].folder == bench.folder / "deeper"
    assert OTHERS not in entries
    row = entries[place].run
    assert row is not None
    assert run_words(session, row).splitlines()[0] == str(bench.folder / "first.tine")
    session.invoke("runs.filter", text="second")
    session.settle()
    kept = list_entries(session)
    assert [entry.run.title if entry.run else entry.document for entry in kept] == ["second", None, source, fork]
    assert kept[1] == OTHERS


def test_forks_of_a_session_are_told_apart_by_what_was_asked_last(bench: Bench) -> None:
    projects = RECORDED / "2.1.197-e-fork" / "home" / ".claude" / "projects"
    for file in projects.rglob("*.jsonl"):
        shutil.copy(file, bench.folder)
    bench.session.invoke("file.open_folder", path=bench.folder)
    bench.session.settle()
    rows = [entry for entry in list_entries(bench.session) if entry.run is not None]
    assert {entry.run.title for entry in rows if entry.run} == {"First question"}
    first, *forks = rows
    assert first.goes_on_with == ""
    assert all(entry.goes_on_with for entry in forks)
    assert len({entry.goes_on_with for entry in forks}) == len(forks) > 1
    for entry in rows:
        assert entry.run is not None
        bench.do("file.open", path=entry.run.path)
    offered = [notice.text for notice in bench.session.notices.list() if "belong" in notice.text]
    assert offered == ["3 other sessions belong together with First question."]  # once, not for each that is open
    told = {document.told_apart_by for document in bench.session.documents}
    assert told >= {entry.goes_on_with for entry in forks}


@pytest.mark.parametrize(("asked", "found"), [("  Then this\nand more", "Then this"), ("x" * 300_000, ""), (None, "")])
def test_what_was_asked_last_is_read_in_no_time(asked: str | None, found: str) -> None:
    first = make_step("first")
    prompt = make_step(asked, first.id, v3_kind="human")
    answer = make_step("answer", prompt.id)
    assert make_record([first, prompt, answer]).asked_last == found


def test_costs_too_large_to_be_added_are_no_infinite_dollars() -> None:
    run: Any = SimpleNamespace(since_fork=None, cost=float("inf"), cost_is_minimum=True, steps=27, duration=0.0)
    assert steps_and_cost(run) == "27 · > $1e+308"
    assert cost_and_time(run) == "> $1e+308 · time not recorded"
    run.cost = 2214.11
    assert steps_and_cost(run) == "27 · ≥ $2,214.11"
