"""What shows several runs follows them: where they are saved, what they become, and what it does meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from opentine_gui import core
from opentine_gui.app.comparison import build_union
from opentine_gui.app.document.document import Document
from opentine_gui.core import Family, RunRecord
from opentine_gui.importers import readers
from tests.app.actions.conftest import opened, opened_two
from tests.app.comparison.conftest import overlay_of
from tests.app.conftest import Bench
from tests.app.files.tiny_sessions import TINY, chain, step
from tests.conftest import run_of


def test_a_run_that_is_saved_meanwhile_is_followed_in_its_file(bench: Bench) -> None:
    opened(bench, "b")
    bench.do("run.fork", accept=True)
    fork = bench.active
    bench.do("compare.open")
    comparison = bench.active
    bench.session.activate(fork)
    bench.do("file.save_as", path=bench.folder / "saved.tine")
    bench.do("document.activate", document=comparison.number)
    assert comparison.title == "Compare run and saved"
    bench.do("file.close", document=fork.number)
    again = bench.open("saved.tine")
    bench.do("run.add_step", step=bench.record.graph.ids[-1], accept=True)
    bench.do("compare.open", a=bench.session.documents[0].number, b=again.number)
    assert bench.active is comparison, "it shows these two already"
    assert overlay_of(bench).family.records[1] is again.record


def test_a_run_that_is_saved_under_another_name_is_called_by_it(bench: Bench) -> None:
    opened_two(bench)
    left = bench.session.documents[0]
    bench.do("compare.open")
    comparison = bench.active
    bench.session.activate(left)
    bench.do("file.save_as", path=bench.folder / "first.tine")
    bench.do("document.activate", document=comparison.number)
    assert comparison.title == "Compare first and right"
    assert overlay_of(bench).runs[0].path == bench.folder / "first.tine"
    bench.do("file.close", document=left.number)
    bench.watch.post([bench.write("first.tine", run_of({"z": ""}, run_id="left"))])
    bench.session.settle()
    assert overlay_of(bench).runs[0].steps == 1


@pytest.fixture
def grow(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """What makes an open session, the first tab, longer by a step."""
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))
    path = bench.folder / "growing.jsonl"
    path.write_bytes(chain("abc"))
    bench.open(path.name)
    names = iter("defgh")

    def add() -> None:
        with path.open("ab") as file:
            file.write(step(next(names), "c"))
        bench.clock.now += 60
        bench.watch.post([path])
        bench.session.settle()

    return add


def test_the_union_of_a_tab_behind_is_made_again_when_it_is_in_front(
    bench: Bench, grow: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = bench.active
    other = bench.open("other.tine", run_of({"a": ""}))
    bench.do("compare.open", a=other.number, b=session.number)
    comparison = bench.active
    made: list[object] = []

    def family_of(records: Sequence[RunRecord], **given: Any) -> Family:
        made.append(records)
        return core.family_of(records, **given)

    monkeypatch.setattr(build_union, "family_of", family_of)
    bench.session.activate(session)
    before = len(bench.record.graph)
    grow()
    grow()
    assert len(bench.record.graph) > before
    assert not made
    bench.do("document.activate", document=comparison.number)
    assert session.record is not None
    assert len(made) == 1
    assert overlay_of(bench).runs[1].steps == len(session.record.graph) > before


def test_files_are_read_once_for_what_they_share_with_a_family_that_is_in_front(
    bench: Bench, grow: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def read_run(path: Path) -> RunRecord:
        read.append(path.name)
        return real(path)

    real = readers.read_run

    bench.write("near.tine", run_of({"a": "", "q": "a"}, run_id="near"))
    bench.write("far.tine", run_of({"z": ""}, run_id="far"))
    session = bench.active
    opened_two(bench)
    bench.do("file.open_folder", path=bench.folder)
    monkeypatch.setattr(readers, "read_run", read_run)
    bench.do("compare.open", a=bench.session.documents[1].number, b=bench.session.documents[2].number)
    comparison = bench.active
    assert sorted(read) == ["far.tine", "near.tine"]
    grow()
    assert [other.title for other in overlay_of(bench).others] == ["near"]
    bench.session.activate(session)
    grow()
    bench.do("step.note", step=bench.record.graph.ids[0], text="a note")
    bench.do("document.activate", document=comparison.number)
    assert sorted(read) == ["far.tine", "near.tine"]
    bench.watch.post([bench.write("far.tine", run_of({"a": "", "y": "a", "z": "y"}, run_id="far"))])
    bench.session.settle()
    assert read[2:] == ["far.tine"], "it is another one"
    assert {other.title for other in overlay_of(bench).others} == {"near", "far"}


def _compared_with_its_file(bench: Bench) -> Document:
    """An edited run that is compared with its file; the comparison is active."""
    opened(bench, "c")
    run = bench.active
    bench.do("run.add_step", accept=True)
    bench.do("compare.with_file")
    return run


def test_what_a_file_holds_is_shown_also_when_it_is_written_again(bench: Bench) -> None:
    run = _compared_with_its_file(bench)
    comparison = bench.active
    assert [shown.steps for shown in overlay_of(bench).runs] == [6, 7]
    bench.do("file.save", document=run.number)
    assert run.path is not None
    bench.watch.post([run.path])
    bench.session.settle()
    assert [shown.steps for shown in overlay_of(bench).runs] == [7, 7]
    bench.session.activate(run)
    bench.do("run.add_step", accept=True, step=bench.record.graph.ids[0])
    bench.do("compare.with_file")
    assert bench.active is comparison, "there is one of them"
    assert [shown.steps for shown in overlay_of(bench).runs] == [7, 8]


def test_what_a_file_holds_stays_beside_its_run_when_that_is_closed(bench: Bench) -> None:
    run = _compared_with_its_file(bench)
    comparison = bench.active
    bench.do("file.close", "Don't save", document=run.number)
    assert [shown.steps for shown in overlay_of(bench).runs] == [6, 6]
    bench.do("file.close")
    bench.do("file.reopen")
    assert bench.active.title == comparison.title == "Compare run on disk and run"


def test_a_file_that_is_gone_is_not_compared(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("run.add_step", accept=True)
    assert bench.active.path is not None
    bench.active.path.unlink()
    bench.watch.post([bench.active.path])
    bench.session.settle()
    assert bench.session.enabled("compare.with_file") == "Its file is gone."


def test_a_step_that_only_the_file_has_is_found_where_the_two_are_compared(bench: Bench) -> None:
    opened(bench, "c")
    path = bench.active.path
    assert path is not None
    bench.do("run.add_step", accept=True)
    bench.watch.post([bench.write(path.name, run_of({"a": "", "elsewhere": "a"}))])
    bench.session.settle()
    bench.do("compare.with_file")
    bench.do("search.ask", text="elsewhere", scope="open")
    assert bench.active.number in {run.document for run in bench.session.search.runs}
