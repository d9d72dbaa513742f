"""The tabs of runs that are opened for the hits in them."""

from __future__ import annotations

import pytest

from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.conftest import run_of


@pytest.fixture
def searched(bench: Bench) -> Bench:
    """A folder of four runs with a hit each, that are searched; another run is open."""
    folder = bench.folder / "runs"
    folder.mkdir()
    for name in "abcd":
        storage.write(folder / f"{name}.tine", run_of({"root": "", f"pears of {name}": "root"}, run_id=name))
    bench.open("open.tine", run_of({"nothing": ""}, run_id="open"))
    bench.do("file.open_folder", path=folder)
    bench.do("search.folder")
    bench.do("search.ask", text="pears")
    return bench


def open_files(bench: Bench) -> list[str]:
    return [document.path.name for document in bench.session.documents if document.path is not None]


def test_going_through_the_hits_of_a_folder_takes_one_tab(searched: Bench) -> None:
    walked = []
    for _ in range(5):
        searched.do("search.next")
        walked.append(searched.active.title)
        assert open_files(searched) == ["open.tine", searched.active.title], "beside what was open"
        assert searched.active.selection.primary == searched.record.graph.ids[1], "the hit"
    assert sorted(walked[:4]) == [f"{name}.tine" for name in "abcd"]
    assert walked[4] == walked[0]
    assert not searched.session.closed_tabs, "nobody closed a tab"
    searched.do("search.previous_step")
    assert searched.active.title == walked[3]
    assert len(searched.session.documents) == 2


@pytest.mark.parametrize("action", ["view.fit", "step.bookmark"])
def test_a_tab_in_which_something_was_done_is_kept(searched: Bench, action: str) -> None:
    searched.do("search.next")
    kept = searched.active.title
    searched.do(action)
    searched.do("search.next_step")
    assert open_files(searched) == ["open.tine", kept, searched.active.title]
    searched.do("search.next_step")
    assert len(searched.session.documents) == 3


def test_a_run_that_is_opened_by_a_press_on_its_hit_has_a_tab_of_its_own(searched: Bench) -> None:
    searched.do("search.show", run=1, place=0)
    chosen = searched.active.title
    searched.do("search.next")
    searched.do("search.next")
    assert open_files(searched) == ["open.tine", chosen, searched.active.title]
