"""Files that a run touched: picked, walked, read, blamed."""

from __future__ import annotations

import msgspec

from opentine_gui.app.actions.finding.files import LOOKING, NO_FILES
from opentine_gui.core import RunRecord
from tests.app.actions.conftest import cases_of, covers, opened
from tests.app.conftest import Bench
from tests.core.analysis.call_runs import session_of_edits


def with_files(bench: Bench) -> RunRecord:
    bench.open("edits.tine", session_of_edits())
    assert bench.session.enabled("files.pick") is None
    return bench.record


@covers("view.files")
def unfolds_the_list_of_touched_files(bench: Bench) -> None:
    bench.do("view.files")
    assert bench.session.view.files
    bench.do("view.files")
    assert not bench.session.view.files


@covers("files.pick")
def lights_up_the_steps_of_a_file(bench: Bench) -> None:
    with_files(bench)
    bench.do("files.pick", "/w/src/a.py")
    picked = bench.active.picked_file
    assert picked is not None
    assert [position for position, lit in enumerate(picked.lit) if lit] == [2, 3, 4, 7]
    bench.do("files.pick", path="/w/src/a.py")
    assert bench.active.picked_file is None
    opened(bench)
    assert bench.session.enabled("files.pick") == NO_FILES
    bench.jobs.hold = True
    bench.active.set_state(msgspec.structs.replace(bench.active.state, record=session_of_edits()))
    assert bench.session.enabled("files.pick") == LOOKING
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert bench.session.enabled("files.pick") is None


@covers("files.next_step")
def walks_the_steps_of_the_picked_file(bench: Bench) -> None:
    record = with_files(bench)
    bench.do("files.pick", path="a.py")
    bench.do("files.next_step")
    bench.do("files.next_step")
    assert bench.active.selection.primary == record.graph.ids[3]


@covers("files.previous_step")
def walks_the_steps_of_the_picked_file_backwards(bench: Bench) -> None:
    record = with_files(bench)
    assert bench.session.enabled("files.previous_step") == "Pick a file in the list of touched files first."
    bench.do("files.previous_step", path="notes.md")
    assert bench.active.selection.primary == record.graph.ids[8]


@covers("files.read")
def reads_the_text_of_a_file(bench: Bench) -> None:
    with_files(bench)
    view = bench.session.view
    bench.do("files.read", path="a.py")
    assert (view.reading, view.file_read, view.file_changes) == (True, True, False)
    bench.do("files.read", changes=True)
    assert view.file_changes
    bench.do("view.dismiss")
    assert (view.reading, view.file_read) == (False, False)
    bench.do("files.read")
    bench.do("inspect.read", step=bench.record.graph.ids[1])
    assert (view.reading, view.file_read) == (True, False)


@covers("files.blame")
def goes_to_the_step_that_wrote_a_line(bench: Bench) -> None:
    record = with_files(bench)
    bench.do("files.pick", path="a.py")
    bench.do("files.blame", "2")
    assert bench.active.selection.primary == record.graph.ids[7]
    bench.do("select.step", step=record.graph.ids[4])
    bench.do("files.blame", line=2)
    assert bench.active.selection.primary == record.graph.ids[3]
    bench.do("files.blame", line=1)
    assert any("no record" in notice for notice in bench.notices("info"))
    bench.do("files.blame", path="a.py", line=0, step=record.graph.ids[3])
    assert bench.active.selection.primary == record.graph.ids[3]
    unknown = bench.session.enabled("files.blame", path="a.py", line=0)
    assert unknown == "Which step wrote it is not on record."


@covers("files.copy_selected")
def copies_what_is_selected_of_a_file(bench: Bench) -> None:
    with_files(bench)
    assert bench.session.enabled("files.copy_selected", path="a.py", line=1) == "No text is selected there."
    bench.do("files.copy_selected", path="a.py", line=1, selected="return")
    assert bench.copied == ["return"]


@covers("files.copy_path")
def copies_the_path_of_a_file(bench: Bench) -> None:
    with_files(bench)
    bench.do("files.copy_path", path="notes.md")
    assert bench.copied == ["/w/notes.md"]


test_the_action_does_what_it_says = cases_of(__name__)
