"""Unsaved work that is put back into a tab: of a file there is one tab, and no work is lost for that."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opentine_gui.app.files.recovery.crash_recovery import COPY_AFTER
from opentine_gui.core import RunRecord
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.app.files.recovery.crashes import crashed, offer
from tests.app.files.saved_runs import TREE, edited
from tests.conftest import named, run_of

EDITED, OPENED = len(TREE) + 1, len(TREE)


def put_back(bench: Bench, second_bench: Callable[[], Bench], way: str, meanwhile: Callable[[Bench], object]) -> Bench:
    """Edit a run, lose its tab, open the file and do something in it, and then have the edits back."""
    edited(bench)
    if way == "reopened":
        bench.do("file.close", "Don't save")
        bench.do("file.open", path=bench.folder / "run.tine")
        meanwhile(bench)
        bench.do("file.reopen")
        return bench
    bench.clock.now += COPY_AFTER
    bench.session.settle()
    crashed(bench)
    again = second_bench()
    key = offer(again)[1]["Open"]["key"]
    again.do("file.open", path=bench.folder / "run.tine")
    meanwhile(again)
    again.do("file.recover", key=key)
    return again


@pytest.mark.parametrize("way", ["reopened", "recovered"])
def test_it_takes_the_place_of_the_tab_of_its_file(bench: Bench, second_bench: Callable[[], Bench], way: str) -> None:
    again = put_back(bench, second_bench, way, lambda _bench: None)
    (document,) = again.session.documents
    assert (document.path, document.dirty, len(again.record.graph)) == (bench.folder / "run.tine", True, EDITED)
    again.do("file.open", path=bench.folder / "run.tine")
    assert again.session.documents == [document]
    again.do("file.save")
    assert again.prompter.asked[1:] == [] or way == "recovered"
    assert len(storage.read(bench.folder / "run.tine").graph) == EDITED
    assert list(again.session.closed_tabs) == []


def edit(bench: Bench) -> None:
    bench.do("run.edit_details", title="other work", accept=True)


def type_something(bench: Bench) -> None:
    bench.do("run.add_step", step=named(run_of(TREE), "b"), inputs='{"prompt": "a long text"}')


@pytest.mark.parametrize("meanwhile", [edit, type_something])
@pytest.mark.parametrize("way", ["reopened", "recovered"])
def test_beside_other_work_on_its_file_it_is_in_no_file(
    bench: Bench, second_bench: Callable[[], Bench], way: str, meanwhile: Callable[[Bench], object]
) -> None:
    again = put_back(bench, second_bench, way, meanwhile)
    other, document = again.session.documents
    assert document is again.active
    assert (document.path, document.dirty, document.title) == (None, True, "run.tine")
    assert other.path == bench.folder / "run.tine"
    again.do("file.save_as", path=bench.folder / "run.tine")
    assert "original is never overwritten" in again.notices("error")[-1]
    again.do("file.save_as", path=bench.folder / "mine.tine")
    kept: RunRecord = storage.read(bench.folder / "mine.tine")
    assert len(kept.graph) == EDITED
    assert len(storage.read(bench.folder / "run.tine").graph) == OPENED
