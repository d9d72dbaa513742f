"""Every action, invoked on a real session. The table at the end proves that none is left out."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from opentine_gui.app.actions import Action, Registry, all_actions
from opentine_gui.app.actions.finding.files import LOOKING, NO_FILES
from opentine_gui.app.actions.finding.suspects import NO_SUSPECT
from opentine_gui.app.actions.finding.time_area import NO_AREA
from opentine_gui.app.canvas.fork_proposal import ForkProposal
from opentine_gui.app.canvas.merge_proposal import MergeProposal
from opentine_gui.app.document.origin import Origin
from opentine_gui.app.document.overlay import LIT, Overlay
from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.app.inspect.analysis.findings import fork_reason
from opentine_gui.app.inspect.analysis.heat_rows import heat_of
from opentine_gui.app.inspect.analysis.lit_steps import lit_steps
from opentine_gui.app.inspect.key_list import MODES, key_list
from opentine_gui.app.state.action_registry import MENUS
from opentine_gui.app.state.prompts import Choose, Confirm, OpenFile, OpenFolder, SaveFile
from opentine_gui.app.state.window_state import MENU_ARGUMENTS, ValuePlace
from opentine_gui.app.system.desktop.editor import Editors
from opentine_gui.core import Comparison, Graph, RunRecord, StepKind
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.files import storage
from opentine_gui.layout import Direction
from opentine_gui.scene.space.camera import Camera
from tests.app.conftest import Bench
from tests.conftest import named, run_of
from tests.core.analysis.call_runs import failing_session, session_of_edits

COVERED: dict[str, Callable[[Bench], None]] = {}

RECORDED = Path(__file__).parents[2] / "data" / "recordings" / "claude-code" / "2.1.197-a-plain" / "home"

TREE = {"a": "", "b": "a", "c": "b", "xd": "c", "e": "b", "f": "e"}
"""a - b - c - xd, and b - e - f beside it."""


def covers(action_id: str) -> Callable[[Callable[[Bench], None]], Callable[[Bench], None]]:
    def add(case: Callable[[Bench], None]) -> Callable[[Bench], None]:
        assert action_id not in COVERED
        COVERED[action_id] = case
        return case

    return add


@pytest.mark.parametrize("action_id", [action.id for action in all_actions()])
def test_the_action_does_what_it_says(action_id: str, bench: Bench) -> None:
    COVERED[action_id](bench)
    assert bench.notices("error") == []


def test_no_case_is_left_over_from_an_action_that_is_gone() -> None:
    assert set(COVERED) == {action.id for action in all_actions()}


def test_a_switch_says_what_it_stands_at(bench: Bench) -> None:
    opened(bench)
    switches = [action for action in all_actions() if isinstance(action.state(bench.session), bool)]
    assert {action.id for action in switches} >= {"view.panels", "view.minimap", "view.motion", "view.inspector_wide"}
    for action in switches:
        before = action.state(bench.session)
        bench.do(action.id)
        assert action.state(bench.session) is not before
    for action_id, ways in (("view.theme", ("light", "dark")), ("view.direction", (None, None))):
        action = bench.session.actions[action_id]
        names = set()
        for way in ways:
            names.add(action.state(bench.session))
            bench.do(action_id, **({} if way is None else {"name": way}))
        assert len(names) == 2
        assert "" not in names


def opened(bench: Bench, select: str | None = "a", shape: dict[str, str] | None = None) -> RunRecord:
    record = run_of(shape or TREE)
    bench.open("run.tine", record)
    if select is not None:
        bench.do("select.step", step=named(record, select))
    return bench.record


def selected(bench: Bench) -> list[str]:
    return [bench.active.step(step_id).inputs["text"] for step_id in bench.active.selection]


# --- the time strip ---------------------------------------------------------------------------------------------------


def with_times(bench: Bench) -> RunRecord:
    bench.open("edits.tine", session_of_edits())
    return bench.record


@covers("time.area")
def marks_an_area_of_time_and_lights_its_steps(bench: Bench) -> None:
    record = with_times(bench)
    times = record.graph.timestamps
    bench.do("time.area", begin=times[3], end=times[1])
    strip = bench.active.strip
    assert strip.area == (times[1], times[3])
    lit = lit_steps(bench.session, bench.active, record.graph)
    assert lit is not None and [place for place, on in enumerate(lit.steps) if on] == [1, 2, 3]
    bench.do("view.dismiss")
    assert strip.area is None
    assert lit_steps(bench.session, bench.active, record.graph) is None


@covers("time.select")
def selects_the_steps_of_the_area(bench: Bench) -> None:
    record = with_times(bench)
    assert bench.session.enabled("time.select") == NO_AREA
    bench.do("time.area", begin=record.graph.timestamps[2], end=record.graph.timestamps[4])
    bench.do("time.select")
    assert list(bench.active.selection) == list(record.graph.ids[2:5])


@covers("time.clear")
def clears_the_area(bench: Bench) -> None:
    record = with_times(bench)
    bench.do("time.area", begin=record.graph.timestamps[2], end=record.graph.timestamps[4])
    bench.do("time.clear")
    assert bench.active.strip.area is None


@covers("time.zoom")
def zooms_the_strip_about_a_place(bench: Bench) -> None:
    with_times(bench)
    bench.do("time.zoom", factor=2.0, about=0.25)
    assert bench.active.strip.view == (0.125, 0.625)
    bench.do("time.zoom", shift=0.5)
    assert bench.active.strip.view == (0.375, 0.875)
    bench.do("time.zoom", shift=9.0)
    assert bench.active.strip.view == (0.5, 1.0)


@covers("time.whole")
def shows_the_whole_time_again(bench: Bench) -> None:
    with_times(bench)
    assert bench.session.enabled("time.whole") == "The whole time is in view."
    bench.do("time.zoom", factor=4.0)
    bench.do("time.whole")
    assert bench.active.strip.view == (0.0, 1.0)


# --- colours ----------------------------------------------------------------------------------------------------------


@covers("view.heat")
def colours_steps_by_a_figure_and_by_kind_again(bench: Bench) -> None:
    with_times(bench)
    bench.do("view.heat")
    assert bench.session.view.heat == "cost"
    bench.do("view.heat", figure="tool")
    heat_of(bench.session, bench.active)
    bench.session.settle()
    heat_of(bench.session, bench.active)
    bench.session.settle()
    found = heat_of(bench.session, bench.active)
    assert found is not None and found.names == ("Edit", "Bash", "Read", "Write")
    bench.do("view.heat")
    assert bench.session.view.heat == ""
    assert heat_of(bench.session, bench.active) is None


@covers("heat.name")
def lights_up_the_calls_of_one_tool(bench: Bench) -> None:
    record = with_times(bench)
    bench.do("view.heat", figure="tool")
    bench.do("heat.name", name="Edit")
    for _ in range(3):
        lit_steps(bench.session, bench.active, record.graph)
        bench.session.settle()
    lit = lit_steps(bench.session, bench.active, record.graph)
    assert lit is not None and [place for place, on in enumerate(lit.steps) if on] == [3, 7]
    bench.do("heat.name", name="Edit")
    assert lit_steps(bench.session, bench.active, record.graph) is None


# --- suspects ---------------------------------------------------------------------------------------------------------


def with_suspects(bench: Bench) -> RunRecord:
    bench.open("failing.tine", failing_session())
    bench.session.settle()
    bench.session.settle()
    return bench.record


@covers("go.next_suspect")
def walks_the_suspects_from_the_likeliest(bench: Bench) -> None:
    record = with_suspects(bench)
    bench.do("go.next_suspect")
    assert bench.active.selection.primary == record.graph.ids[3]
    bench.do("go.next_suspect")
    assert bench.active.selection.primary != record.graph.ids[3]
    opened(bench, shape={"a": "", "b": "a"})
    bench.session.settle()
    assert bench.session.enabled("go.next_suspect") == NO_SUSPECT


@covers("go.previous_suspect")
def walks_the_suspects_back(bench: Bench) -> None:
    record = with_suspects(bench)
    bench.do("go.next_suspect")
    bench.do("go.next_suspect")
    bench.do("go.previous_suspect")
    assert bench.active.selection.primary == record.graph.ids[3]


@covers("go.last_pass")
def goes_to_where_the_same_call_passed_last(bench: Bench) -> None:
    record = with_suspects(bench)
    bench.do("select.step", step=record.graph.ids[3])
    assert bench.session.enabled("go.last_pass") == "This step did not fail."
    bench.do("go.last_pass", step=record.graph.ids[-1])
    assert bench.active.selection.primary == record.graph.ids[2]


@covers("run.fork_where")
def proposes_a_fork_before_what_was_refused_or_at_what_all_selected_rest_on(bench: Bench) -> None:
    record = with_suspects(bench)
    bench.do("run.fork_where")
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.step == record.graph.ids[4]
    assert fork_reason(bench.session, bench.active, proposal.step) == "before a refused call"
    record = opened(bench)
    for step in ("c", "f"):
        bench.do("select.add", step=named(record, step))
    bench.session.settle()
    bench.do("run.fork_where")
    assert isinstance(bench.session.proposal, ForkProposal)
    assert bench.session.proposal.step == named(record, "a")


@covers("view.finding_marks")
def marks_suspects_on_cards_or_not(bench: Bench) -> None:
    record = with_suspects(bench)
    card = bench.active.index_of(record.graph.ids[3])
    assert card is not None
    assert any("suspect 1" in flag.text for flag in bench.active.face(card).flags)
    bench.do("view.finding_marks")
    bench.session.step()
    assert not any("suspect" in flag.text for flag in bench.active.face(card).flags)


# --- files that the run touched -------------------------------------------------------------------------------------


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


@covers("files.copy_path")
def copies_the_path_of_a_file(bench: Bench) -> None:
    with_files(bench)
    bench.do("files.copy_path", path="notes.md")
    assert bench.copied == ["/w/notes.md"]


# --- file -------------------------------------------------------------------------------------------------------------


@covers("file.open")
def opens_what_the_user_chooses(bench: Bench) -> None:
    path = bench.write("one.tine", run_of(TREE))
    other = bench.write("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("file.open", (path, other))
    assert isinstance(bench.prompter.asked[0], OpenFile)
    assert [document.title for document in bench.session.documents] == ["one.tine", "two.tine"]
    assert bench.active.layout is not None
    assert bench.active.verification is not None
    bench.do("file.open", path=path)
    assert len(bench.session.documents) == 2
    assert bench.active.path == path
    bench.do("file.open", path=f"{path}#{named(run_of(TREE), 'c')[:9]}")
    assert selected(bench) == ["c"]


@covers("file.open_folder")
def lists_another_folder(bench: Bench) -> None:
    folder = bench.folder / "runs"
    folder.mkdir()
    storage.write(folder / "one.tine", run_of(TREE))
    bench.do("file.open_folder", (folder,))
    assert isinstance(bench.prompter.asked[0], OpenFolder)
    assert [row.title for row in bench.session.runs.rows] == ["one"]


@covers("file.open_recent")
def opens_one_of_the_recent_files(bench: Bench) -> None:
    assert bench.session.enabled("file.open_recent") is not None
    opened(bench)
    bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("file.open_recent", str(bench.folder / "run.tine"))
    assert bench.active.title == "run.tine"
    choices = bench.session.actions["file.open_recent"].choices
    assert choices is not None
    bench.do("file.open_recent", **choices(bench.session)[0].arguments)
    assert bench.active.title == "two.tine"


@covers("file.reopen")
def opens_closed_tabs_again_the_last_one_first(bench: Bench) -> None:
    assert bench.session.enabled("file.reopen") == "No tab was closed."
    opened(bench)
    bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("document.activate", document=bench.session.documents[0].number)
    for _ in range(2):
        bench.do("file.close")
    bench.do("file.reopen")
    assert bench.active.title == "two.tine"
    bench.do("file.reopen")
    assert bench.active.title == "run.tine"
    assert bench.session.enabled("file.reopen") == "No tab was closed."


@covers("document.close_others")
def closes_every_tab_but_the_one_pointed_at_and_asks_about_unsaved_work(bench: Bench) -> None:
    opened(bench)
    first = bench.active
    bench.do("run.fork", accept=True)
    bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("document.close_others", "Cancel", document=first.number)
    assert bench.session.documents[0] is first
    assert len(bench.session.documents) >= 2, "cancelling keeps the unsaved one"
    bench.do("document.close_others", "Don't save", document=first.number)
    assert bench.session.documents == [first]
    assert bench.session.enabled("document.close_others") == "No other tab is open."


@covers("runs.copy_path")
def copies_the_path_of_a_run_without_opening_it(bench: Bench) -> None:
    opened(bench)
    other = bench.write("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("runs.copy_path", run=other)
    assert bench.copied[-1] == str(other)
    bench.do("runs.copy_path", document=bench.active.number)
    assert bench.copied[-1] == str(bench.active.path)
    assert len(bench.session.documents) == 1


@covers("runs.open")
def opens_a_run_of_the_list(bench: Bench) -> None:
    opened(bench)
    first = bench.active
    bench.do("runs.open", run=bench.write("two.tine", run_of({"a": ""}, run_id="two")))
    assert bench.active.title == "two.tine"
    bench.do("runs.open", run=first.number)
    assert bench.active is first


@covers("runs.compare")
def compares_a_run_of_the_list_with_the_one_in_front(bench: Bench) -> None:
    record = opened(bench)
    other = bench.write("two.tine", run_of({**TREE, "g": "f"}, run_id="two"))
    assert bench.session.enabled("runs.compare", run=bench.active.number) == "This is the run in front."
    bench.do("runs.compare", run=other)
    assert bench.active.members is not None and bench.active.members.comparing
    assert bench.active.members.members[0].title == "run"
    assert len(bench.record.graph) == len(record.graph) + 1
    assert bench.session.enabled("runs.compare", run=other) is not None


@covers("file.reload")
def reads_the_file_again_and_asks_before_edits_are_lost(bench: Bench) -> None:
    record = opened(bench, "c")
    camera = bench.active.camera
    bench.write("run.tine", run_of({**TREE, "g": "f"}))
    bench.do("file.reload")
    assert len(bench.record.graph) == 7
    assert selected(bench) == ["c"]
    assert bench.active.camera is not None
    assert camera is not None
    assert bench.active.camera.zoom == camera.zoom
    bench.do("run.merge", steps=(named(record, "c"), named(record, "f")), accept=True)
    assert bench.active.dirty
    bench.do("file.reload", None)
    assert bench.active.dirty
    bench.do("file.reload", "Reload")
    assert not bench.active.dirty
    assert len(bench.record.graph) == 7


@covers("file.save")
def writes_the_file_and_only_when_there_is_something_to_write(bench: Bench) -> None:
    record = opened(bench)
    assert bench.session.enabled("file.save") is not None
    bench.do("run.merge", steps=(named(record, "c"), named(record, "f")), accept=True)
    bench.do("file.save")
    assert not bench.active.dirty
    assert len(storage.read(bench.folder / "run.tine").graph) == 7
    bench.do("edit.undo")
    assert bench.active.dirty
    bench.do("edit.redo")
    assert not bench.active.dirty


@covers("file.save_as")
def goes_on_with_the_new_file(bench: Bench) -> None:
    opened(bench)
    bench.do("file.save_as", (bench.folder / "other",))
    question = bench.prompter.asked[-1]
    assert isinstance(question, SaveFile)
    assert question.name == "run-copy.tine"
    assert bench.active.path == bench.folder / "other.tine"
    assert (bench.folder / "other.tine").read_bytes() == (bench.folder / "run.tine").read_bytes()


@covers("file.save_copy")
def goes_on_with_the_old_file(bench: Bench) -> None:
    opened(bench)
    bench.do("file.save_copy", (bench.folder / "other.tine",))
    assert bench.active.title == "run.tine"
    assert (bench.folder / "other.tine").read_bytes() == (bench.folder / "run.tine").read_bytes()


@covers("file.close")
def closes_and_brings_the_neighbour_to_the_front(bench: Bench) -> None:
    opened(bench)
    bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("file.close")
    assert [document.title for document in bench.session.documents] == ["run.tine"]
    assert bench.active.title == "run.tine"


@covers("file.quit")
def ends_at_once_when_nothing_is_unsaved(bench: Bench) -> None:
    opened(bench)
    bench.do("file.quit")
    assert bench.session.quit
    assert bench.prompter.asked == []


@covers("file.recover")
def is_refused_for_work_that_is_not_there(bench: Bench) -> None:
    bench.do("file.recover", key="nothing")  # the whole path is in test_recovery.py
    assert bench.session.documents == []


@covers("file.discard_recovered")
def drops_nothing_when_there_is_nothing(bench: Bench) -> None:
    bench.do("file.discard_recovered", key="../..")
    assert bench.folder.is_dir()


# --- edit -------------------------------------------------------------------------------------------------------------


@covers("canvas.move_steps")
def puts_cards_where_the_user_wants_them_as_one_edit(bench: Bench) -> None:
    record = opened(bench)
    a, f = named(record, "a"), named(record, "f")
    bench.do("canvas.move_steps", pins={a: (900.0, -50.0), f: (901.0, 50.0)})
    layout = bench.active.layout
    assert layout is not None
    assert layout.position(a) == (900.0, -50.0)
    assert bench.active.history is not None
    assert len(bench.active.history) == 1
    assert not bench.active.dirty


@covers("edit.undo")
def takes_the_last_edit_back(bench: Bench) -> None:
    record = opened(bench)
    layout = bench.active.layout
    assert layout is not None
    a = named(record, "a")
    before = layout.position(a)
    bench.do("canvas.move_steps", pins={a: (900.0, -50.0)})
    bench.session.text_focused = True
    assert "text box" in (bench.session.enabled("edit.undo") or "")
    bench.session.text_focused = False
    bench.do("edit.undo")
    assert bench.active.layout is not None
    assert bench.active.layout.position(a) == before
    assert bench.session.enabled("edit.undo") is not None


@covers("edit.redo")
def does_again_what_was_undone(bench: Bench) -> None:
    record = opened(bench)
    a = named(record, "a")
    bench.do("canvas.move_steps", pins={a: (900.0, -50.0)})
    state = bench.active.state
    bench.do("edit.undo")
    bench.do("edit.redo")
    assert bench.active.state is state
    assert bench.session.enabled("edit.redo") is not None


@covers("edit.reset_layout")
def puts_selected_cards_back_and_then_all(bench: Bench) -> None:
    record = opened(bench)
    layout = bench.active.layout
    assert layout is not None
    a, b = named(record, "a"), named(record, "b")
    homes = layout.position(a), layout.position(b)
    bench.do("canvas.move_steps", pins={a: (900.0, -50.0), b: (1200.0, -50.0)})
    bench.do("edit.reset_layout")  # a is selected
    assert bench.active.layout is not None
    assert (bench.active.layout.position(a), bench.active.layout.position(b)) == (homes[0], (1200.0, -50.0))
    bench.do("edit.reset_layout", everything=True)
    assert bench.active.layout.position(b) == homes[1]
    assert bench.session.enabled("edit.reset_layout") is not None


@covers("edit.copy_id")
def copies_full_ids_in_order(bench: Bench) -> None:
    record = opened(bench, "c")
    bench.do("select.add", step=named(record, "a"))
    bench.do("edit.copy_id")
    assert bench.copied == [f"{named(record, 'a')}\n{named(record, 'c')}"]


@covers("edit.copy_json")
def copies_the_record_as_it_is_stored(bench: Bench) -> None:
    record = opened(bench)
    bench.do("edit.copy_json")
    assert json.loads(bench.copied[0]) == json.loads(record.graph.raw(0))
    bench.do("select.all")
    bench.do("edit.copy_json")
    assert len(json.loads(bench.copied[1])) == 6


@covers("edit.copy_markdown")
def copies_readable_text_whose_fences_hold(bench: Bench) -> None:
    opened(bench, None, {"fence ```": ""})
    bench.do("edit.copy_markdown", step=bench.record.graph.ids[0])
    text = bench.copied[0]
    assert "**Inputs**" in text
    assert "````json" in text
    assert bench.record.graph.ids[0] in text


@covers("edit.copy_totals")
def copies_own_and_inherited_figures(bench: Bench) -> None:
    record = opened(bench)
    bench.do("run.fork_edit", step=named(record, "c"), inputs='{"text": "other"}', accept=True)
    bench.do("edit.copy_totals")
    assert "Own: 1 step · time not recorded · cost not recorded" in bench.copied[0]
    assert "Inherited: 2 steps · 1.0 s · $0.0020" in bench.copied[0]


@covers("edit.copy_text")
def copies_what_a_panel_offers(bench: Bench) -> None:
    bench.do("edit.copy_text", text="$0.0020", what="the cost")
    assert bench.copied == ["$0.0020"]


# --- live -------------------------------------------------------------------------------------------------------------


def grown(bench: Bench) -> None:
    """Let the open file get one more step, as its writer does."""
    bench.write("run.tine", run_of({**TREE, "g": "f"}))
    bench.watch.post([bench.folder / "run.tine"])
    bench.session.settle()


@covers("live.follow")
def _follow(bench: Bench) -> None:
    opened(bench)
    bench.do("live.follow")
    grown(bench)
    assert bench.active.news == ()
    assert bench.session.actions["live.follow"].state(bench.session) is True
    bench.do("live.follow", document=bench.active.number)
    assert not bench.active.follows


@covers("live.show_new")
def _show_new(bench: Bench) -> None:
    opened(bench)
    assert bench.session.enabled("live.show_new") == "Nothing came since you looked."
    grown(bench)
    assert len(bench.active.news) == 1
    bench.do("live.show_new")
    assert bench.active.news == ()


def at_home(bench: Bench) -> Path:
    """A session of an agent in the home folder of the test, held in the working folder."""
    home = bench.session.agent_sessions.places.home
    folder = home / ".pi" / "agent" / "sessions" / f"--{str(bench.folder).strip('/').replace('/', '-')}--"
    folder.mkdir(parents=True)
    path = folder / "1.tine"
    storage.write(path, run_of(TREE))
    return path


@covers("sessions.show")
def _show_sessions(bench: Bench) -> None:
    bench.do("sessions.show")
    assert not bench.session.view.sessions
    assert not bench.session.settings.sessions
    bench.do("sessions.show", shown=True)
    assert bench.session.actions["sessions.show"].state(bench.session) is True


@covers("sessions.open")
def _open_session(bench: Bench) -> None:
    bench.do("sessions.open", path=at_home(bench))
    assert len(bench.record.graph) == 6


@covers("sessions.fold")
def _fold_sessions(bench: Bench) -> None:
    bench.do("sessions.fold", agent="pi")
    assert bench.session.agent_sessions.folded == {"pi"}
    bench.do("sessions.fold", agent="pi")
    assert not bench.session.agent_sessions.folded


@covers("sessions.all")
def _all_sessions(bench: Bench) -> None:
    bench.do("sessions.all", agent="pi")
    assert bench.session.agent_sessions.whole == {"pi"}


@covers("sessions.copy_path")
def _copy_session_path(bench: Bench) -> None:
    path = at_home(bench)
    bench.do("sessions.copy_path", path=path)
    assert bench.copied == [str(path)]


@covers("sessions.latest")
def _latest_session(bench: Bench) -> None:
    bench.do("sessions.latest")
    assert "No agent has held a session" in bench.notices("info")[0]


@covers("sessions.latest_of")
def _latest_session_of(bench: Bench) -> None:
    bench.do("sessions.latest_of", "pi")
    assert isinstance(bench.prompter.asked[-1], Choose)
    assert "No agent has held a session" in bench.notices("info")[0]


def continued(bench: Bench) -> None:
    """Propose to go on from the first answer of a recorded session, in the home folder of the test."""
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED, home, dirs_exist_ok=True)
    (path,) = (home / ".claude" / "projects").rglob("*.jsonl")
    bench.do("file.open", path=path)
    bench.do("continue.propose", step=next(step.id for step in bench.record.graph if step.shown_kind == "model"))
    bench.session.settle()


@covers("continue.propose")
def _continue(bench: Bench) -> None:
    continued(bench)
    assert isinstance(bench.session.proposal, ContinueProposal)
    assert bench.session.proposal.refusal is None


@covers("continue.copy")
def _copy_command(bench: Bench) -> None:
    assert bench.session.enabled("continue.copy") == "Nothing is proposed to be continued."
    continued(bench)
    bench.do("continue.copy")
    assert "claude --resume" in bench.copied[0]


@covers("continue.run")
def _continue_and_run(bench: Bench) -> None:
    ran: list[tuple[str, ...]] = []
    bench.session.terminals.run = lambda command, _folder: ran.append(tuple(command))
    home = bench.session.agent_sessions.places.home
    continued(bench)
    object.__setattr__(bench.session.proposal.handback, "folder", home)
    bench.do("continue.run")
    assert [command[:2] for command in ran] == [("claude", "--resume")]


@covers("continue.start")
def _run_written(bench: Bench) -> None:
    assert bench.session.enabled("continue.start") == "No session was written for an agent."
    ran: list[tuple[str, ...]] = []
    bench.session.terminals.run = lambda command, _folder: ran.append(tuple(command))
    continued(bench)
    object.__setattr__(bench.session.proposal.handback, "folder", bench.folder)
    bench.do("proposal.accept")
    assert ran == []
    bench.do("continue.start")
    assert len(ran) == 1


@covers("continue.undo")
def _remove_written(bench: Bench) -> None:
    continued(bench)
    bench.do("proposal.accept")
    written = bench.active.path
    bench.do("continue.undo")
    assert not written.exists()


@covers("family.sessions")
def _session_family(bench: Bench) -> None:
    opened(bench)
    assert bench.session.enabled("family.sessions") == "This is no session of an agent."
    shutil.copytree(RECORDED.parents[1] / "2.1.197-e-fork" / "home", bench.folder / "home")
    paths = sorted((bench.folder / "home").rglob("projects/*/*.jsonl"))
    bench.do("file.open", path=paths[0])
    bench.session.settle()
    bench.do("family.sessions", document=bench.active.number)
    assert len(bench.active.overlay.runs) == len(paths)


def running(bench: Bench) -> None:
    record = opened(bench)
    words = f"{shlex.quote(sys.executable)} -c 'import sys; sys.stdin.read(); import signal; signal.pause()'"
    bench.do("continue.propose", step=named(record, "a"), said=words)
    bench.do("proposal.accept")


@covers("continue.stop")
def _stop_command(bench: Bench) -> None:
    assert bench.session.enabled("continue.stop") == "No command is running."
    running(bench)
    bench.do("continue.stop")
    bench.session.command._program.wait(30)
    bench.session.step()
    assert bench.session.command.status is not None


@covers("continue.close_output")
def _close_output(bench: Bench) -> None:
    assert bench.session.enabled("continue.close_output") == "No command was run."
    running(bench)
    bench.do("continue.stop")
    bench.session.command._program.wait(30)
    bench.do("continue.close_output")
    assert bench.session.command is None


@covers("inspect.source")
def _source(bench: Bench) -> None:
    record = opened(bench)
    assert "a .tine file" in str(bench.session.enabled("inspect.source"))
    bench.active.origin = Origin("tiny", "Tiny", bench.folder / "a.jsonl", (), {}, None)
    bench.do("inspect.source", step=named(record, "c"))
    assert bench.session.view.reading
    assert bench.session.view.inspector_tab == "Record"
    assert bench.active.selection.primary == named(record, "c")


# --- annotate ---------------------------------------------------------------------------------------------------------


@covers("step.note")
def _note(bench: Bench) -> None:
    opened(bench)
    bench.do("step.note", "  look here  ")
    (step,) = bench.active.selection
    assert bench.active.annotations[step].note == "look here"
    bench.do("step.note", "")
    assert not bench.active.annotations


@covers("step.bookmark")
def _bookmark(bench: Bench) -> None:
    opened(bench)
    assert bench.session.actions["step.bookmark"].state(bench.session) is False
    bench.do("step.bookmark")
    assert bench.session.actions["step.bookmark"].state(bench.session) is True
    bench.do("step.bookmark")
    assert not bench.active.annotations


@covers("step.colour")
def _colour(bench: Bench) -> None:
    opened(bench)
    bench.do("step.colour", "Green")
    (step,) = bench.active.selection
    assert bench.active.annotations[step].colour == "green"
    bench.do("step.colour", "No colour")
    assert not bench.active.annotations


@covers("go.next_bookmark")
def _next_bookmark(bench: Bench) -> None:
    record = opened(bench)
    assert bench.session.enabled("go.next_bookmark") == "No step is bookmarked."
    for name in ("b", "e"):
        bench.do("step.bookmark", step=named(record, name))
    walked = []
    for _ in range(3):
        bench.do("go.next_bookmark")
        walked += selected(bench)
    assert walked == ["b", "e", "b"]


@covers("go.previous_bookmark")
def _previous_bookmark(bench: Bench) -> None:
    record = opened(bench)
    for name in ("b", "e"):
        bench.do("step.bookmark", step=named(record, name))
    for expected in ("e", "b", "e"):
        bench.do("go.previous_bookmark")
        assert selected(bench) == [expected]


@covers("file.export_notes")
def _export_notes(bench: Bench) -> None:
    record = opened(bench)
    assert bench.session.enabled("file.export_notes") is not None
    bench.do("step.note", step=named(record, "b"), text="odd *here*")
    target = bench.folder / "notes.md"
    bench.do("file.export_notes", (target,))
    text = target.read_text(encoding="utf-8")
    assert text.startswith("# Notes on ")
    assert "odd \\*here\\*" in text and named(record, "b") in text


# --- select -----------------------------------------------------------------------------------------------------------


@covers("select.step")
def selects_by_id_or_prefix(bench: Bench) -> None:
    record = opened(bench, None)
    bench.do("select.step", step=named(record, "b")[:10])
    assert selected(bench) == ["b"]
    assert bench.active.history is not None
    assert len(bench.active.history) == 0


@covers("select.add")
def adds_and_takes_out(bench: Bench) -> None:
    record = opened(bench)
    bench.do("select.add", step=named(record, "c"))
    assert selected(bench) == ["a", "c"]
    bench.do("select.add", step=named(record, "a"))
    assert selected(bench) == ["c"]


@covers("select.box")
def selects_what_a_rectangle_touches(bench: Bench) -> None:
    record = opened(bench, "f")
    layout = bench.active.layout
    assert layout is not None
    x, y = layout.position(named(record, "a"))
    bench.do("select.box", rect=(x + 5, y + 5, x - 5, y - 5))
    assert selected(bench) == ["a"]
    bench.do("select.box", rect=layout.bounds, add=True)
    assert len(bench.active.selection) == 6


@covers("select.all")
def selects_every_step_and_keeps_the_primary_one(bench: Bench) -> None:
    opened(bench, "b")
    bench.do("select.all")
    assert sorted(selected(bench)) == sorted(TREE)
    assert selected(bench)[-1] == "b"


@covers("select.none")
def selects_nothing(bench: Bench) -> None:
    opened(bench, "b")
    bench.do("select.none")
    assert selected(bench) == []


@covers("select.parent")
def goes_to_the_parent(bench: Bench) -> None:
    opened(bench, "b")
    bench.do("select.parent")
    assert selected(bench) == ["a"]
    assert bench.session.enabled("select.parent") == "This step is a root: it has no parent."


@covers("select.child")
def goes_to_the_child(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("select.child")
    assert selected(bench) == ["xd"]
    assert bench.session.enabled("select.child") == "This step is a tip: nothing follows it."


@covers("select.previous_sibling")
def goes_round_among_siblings_backwards(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("select.previous_sibling")
    assert selected(bench) == ["e"]


@covers("select.next_sibling")
def goes_round_among_siblings(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("select.next_sibling")
    assert selected(bench) == ["e"]
    bench.do("select.parent")
    assert bench.session.enabled("select.next_sibling") == "This step has no siblings."


@covers("select.walk")
def walks_along_the_graph(bench: Bench) -> None:
    opened(bench, None)
    bench.do("select.walk", direction="down")
    assert selected(bench) == ["a"]
    bench.do("select.walk", direction="down")
    assert selected(bench) == ["b"]


@covers("select.up")
def walks_up(bench: Bench) -> None:
    opened(bench, "b")
    bench.do("select.up")
    assert selected(bench) == ["a"]


@covers("select.down")
def walks_down(bench: Bench) -> None:
    opened(bench, "a")
    bench.do("select.down")
    assert selected(bench) == ["b"]


@covers("select.left")
def walks_left(bench: Bench) -> None:
    _walks_across(bench, "select.left", -1)


@covers("select.right")
def walks_right(bench: Bench) -> None:
    _walks_across(bench, "select.right", 1)


def _walks_across(bench: Bench, action_id: str, sign: int) -> None:
    record = opened(bench, None)
    layout = bench.active.layout
    assert layout is not None
    c, e = (layout.position(named(record, name))[0] for name in "ce")
    start, end = ("c", "e") if (e - c) * sign > 0 else ("e", "c")
    bench.do("select.step", step=named(record, start))
    bench.do(action_id)
    assert selected(bench) == [end]


@covers("select.ancestors")
def adds_what_the_step_rests_on(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("select.ancestors")
    assert selected(bench) == ["a", "b", "c"]


@covers("select.descendants")
def adds_what_rests_on_the_step(bench: Bench) -> None:
    record = opened(bench, None)
    bench.do("select.descendants", step=named(record, "e"))
    assert selected(bench) == ["f", "e"]


# --- search -----------------------------------------------------------------------------------------------------------

FRUIT = {"Äpfel": "", "pears": "Äpfel", "more äpfel": "pears"}


@covers("search.open")
def opens_the_search_with_a_text(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open", text="ÄPFEL")
    search = bench.session.search
    assert bench.session.view.search and search.on
    assert (search.scope, search.times, search.steps) == ("run", 2, 2)
    assert bytes(search.runs[0].lit) == b"\1\0\1"


@covers("search.folder")
def searches_the_runs_of_the_folder(bench: Bench) -> None:
    bench.write("other.tine", run_of({"a": "", "pears too": "a"}, run_id="other"))
    opened(bench, None, FRUIT)
    bench.session.runs.show_folder(bench.session, bench.folder)
    bench.session.settle()
    bench.do("search.folder")
    bench.do("search.ask", text="pears")
    search = bench.session.search
    assert {run.name: run.steps for run in search.runs} == {"run.tine": 1, "other.tine": 1}
    place = next(number for number, run in enumerate(search.runs) if run.name == "other.tine")
    bench.do("search.show", run=place, place=0)
    assert bench.active.title == "other.tine"
    assert selected(bench) == ["pears too"]


@covers("search.ask")
def asks_something_else_and_says_what_is_wrong(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open")
    bench.do("search.ask", text="cost:much")
    assert "amount of money" in bench.session.search.problem
    bench.do("search.ask", text="kind:think", scope="open")
    assert (bench.session.search.scope, bench.session.search.problem) == ("open", "")


@covers("search.next")
def goes_from_match_to_match_and_round(bench: Bench) -> None:
    record = opened(bench, None, FRUIT)
    bench.do("search.open", text="ÄPFEL")
    for found in ("Äpfel", "more äpfel", "Äpfel"):
        bench.do("search.next")
        assert selected(bench) == [found]
    bench.do("search.ask", text=named(record, "pears")[:8])
    bench.do("search.next")
    assert selected(bench) == ["pears"]


@covers("search.previous")
def goes_back_from_match_to_match(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open", text="ÄPFEL")
    for found in ("more äpfel", "Äpfel"):
        bench.do("search.previous")
        assert selected(bench) == [found]


@covers("search.show")
def shows_a_result_by_its_number(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open", text="äpfel")
    bench.do("search.show", run=0, place=1)
    assert selected(bench) == ["more äpfel"]
    bench.do("search.show", run=3, place=7)
    assert selected(bench) == ["more äpfel"]


@covers("search.stop")
def a_search_can_be_stopped(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.jobs.hold = True
    bench.session.invoke("search.open", text="äpfel")
    bench.session.step()
    assert bench.session.search.running
    bench.session.invoke("search.stop")
    bench.session.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert (bench.session.search.running, bench.session.search.times) == (False, 0)


@covers("search.close")
def closing_the_search_lights_nothing_and_f3_still_goes_on(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open", text="äpfel")
    bench.do("search.close")
    assert bench.session.search.hits_of(bench.active) is None
    assert not bench.session.view.search
    bench.do("search.next")
    assert selected(bench) == ["Äpfel"]


# --- go ---------------------------------------------------------------------------------------------------------------


@covers("go.back")
def goes_back_to_where_the_user_was(bench: Bench) -> None:
    opened(bench, "a")
    bench.do("select.child")
    bench.do("go.back")
    assert selected(bench) == ["a"]
    assert bench.session.enabled("go.back") is not None


@covers("go.forward")
def goes_forward_again(bench: Bench) -> None:
    opened(bench, "a")
    bench.do("select.child")
    bench.do("go.back")
    bench.do("go.forward")
    assert selected(bench) == ["b"]
    assert bench.session.enabled("go.forward") is not None


@covers("go.next_failure")
def goes_to_the_failing_step(bench: Bench) -> None:
    opened(bench, "f")
    bench.do("go.next_failure")
    assert selected(bench) == ["xd"]
    bench.open("fine.tine", run_of({"a": ""}, run_id="fine"))
    assert bench.session.enabled("go.next_failure") == "No step of this run failed."


@covers("go.previous_failure")
def goes_back_to_the_failing_step(bench: Bench) -> None:
    opened(bench, "f", {"a": "", "xb": "a", "c": "xb", "xd": "c", "f": "xd"})
    for expected in ("xd", "xb", "xd"):
        bench.do("go.previous_failure")
        assert selected(bench) == [expected]


@covers("go.step")
def goes_to_the_step_a_link_leads_to(bench: Bench) -> None:
    record = opened(bench, "a")
    bench.active.set_camera(Camera(0.0, 0.0, 0.05))
    bench.do("go.step", step=named(record, "f"))
    assert selected(bench) == ["f"]
    assert bench.active.camera is not None and bench.active.camera.zoom >= 0.5


@covers("go.next_fork")
def goes_to_where_the_run_parts(bench: Bench) -> None:
    opened(bench, "a")
    bench.do("go.next_fork")
    assert selected(bench) == ["b"]


@covers("go.previous_fork")
def goes_back_to_where_the_run_parts(bench: Bench) -> None:
    opened(bench, "f")
    bench.do("go.previous_fork")
    assert selected(bench) == ["b"]


@covers("go.root")
def goes_to_the_beginning_of_the_branch(bench: Bench) -> None:
    opened(bench, "f")
    bench.do("go.root")
    assert selected(bench) == ["a"]


@covers("go.tip")
def goes_to_the_end_of_the_branch_or_of_the_main_line(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("go.tip")
    assert selected(bench) == ["xd"]
    bench.do("select.none")
    bench.do("go.tip")
    assert selected(bench) == ["f"]


# --- view -------------------------------------------------------------------------------------------------------------


def far_away(bench: Bench) -> None:
    opened(bench, "c")
    bench.active.set_camera(Camera(9000.0, 9000.0, 0.7))


@covers("view.fit")
def shows_everything(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.fit")
    assert bench.active.camera == bench.active.fit_camera(bench.session.viewport)


@covers("view.frame_selection")
def shows_the_selected_steps(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.frame_selection")
    layout, camera = bench.active.layout, bench.active.camera
    assert layout is not None
    assert camera is not None
    assert (camera.x, camera.y) == layout.position(named(bench.record, "c"))
    assert camera.zoom == 1.0


@covers("view.zoom")
def zooms_about_a_point(bench: Bench) -> None:
    far_away(bench)
    width, height = bench.session.viewport.width, bench.session.viewport.height
    bench.do("view.zoom", factor=2.0, x=width, y=height / 2)
    assert bench.active.camera is not None
    assert bench.active.camera.zoom == pytest.approx(1.4)
    assert bench.active.camera.x == pytest.approx(9000.0 + width / 2 / 0.7 - width / 2 / 1.4)


@covers("view.zoom_in")
def makes_everything_larger(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.zoom_in")
    assert bench.active.camera == Camera(9000.0, 9000.0, pytest.approx(0.875))


@covers("view.zoom_out")
def makes_everything_smaller(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.zoom_out")
    assert bench.active.camera == Camera(9000.0, 9000.0, pytest.approx(0.56))


@covers("view.zoom_actual")
def shows_natural_size(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.zoom_actual")
    assert bench.active.camera == Camera(9000.0, 9000.0, pytest.approx(1.0))


@covers("view.pan")
def pulls_the_picture(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.pan", dx=7.0, dy=-14.0)
    assert bench.active.camera == Camera(pytest.approx(8990.0), pytest.approx(9020.0), 0.7)


@covers("view.center")
def looks_at_a_point(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.center", x=1.0, y=2.0)
    assert bench.active.camera == Camera(1.0, 2.0, 0.7)


@covers("view.direction")
def turns_the_layout_and_keeps_positions_of_each_direction(bench: Bench) -> None:
    record = opened(bench)
    a = named(record, "a")
    bench.do("canvas.move_steps", pins={a: (900.0, -50.0)})
    bench.do("view.direction")
    layout = bench.active.layout
    assert layout is not None
    assert layout.direction is Direction.LEFT_TO_RIGHT
    assert layout.position(a) != (900.0, -50.0)
    assert layout.position(named(record, "b"))[0] > layout.position(a)[0]
    bench.do("view.direction")
    assert bench.active.layout is not None
    assert bench.active.layout.position(a) == (900.0, -50.0)


@covers("view.tidy")
def lays_out_anew_and_leaves_moved_cards(bench: Bench) -> None:
    record = opened(bench)
    a = named(record, "a")
    bench.do("canvas.move_steps", pins={a: (900.0, -500.0)})
    before = bench.active.base_layout
    bench.do("view.tidy")
    assert bench.active.base_layout is not before
    assert bench.active.layout is not None
    assert bench.active.layout.position(a) == (900.0, -500.0)


def long_run(bench: Bench, steps: int = 200) -> RunRecord:
    """Open a run in a straight line that is long enough to be folded."""
    record = run_of({str(number): str(number - 1) if number else "" for number in range(steps)})
    bench.open("long.tine", record)
    return bench.record


@covers("fold.open")
def opens_a_group_in_its_place(bench: Bench) -> None:
    long_run(bench)
    document = bench.active
    assert document.fold is not None
    cards = len(document.fold)
    group = next(card for card in range(cards) if document.fold.is_group(card))
    held = set(document.step_ids(group))
    bench.do("fold.open", step=document.step_id(group))
    assert document.fold is not None
    assert len(document.fold) > cards
    opened = document.fold.frames[0]
    assert {step for card in opened.cards for step in document.step_ids(card)} == held
    assert document.selection.primary in held


@covers("fold.close")
def closes_what_was_opened(bench: Bench) -> None:
    long_run(bench)
    document = bench.active
    assert document.fold is not None
    before = document.fold.state
    group = next(card for card in range(len(document.fold)) if document.fold.is_group(card))
    bench.do("fold.open", step=document.step_id(group))
    bench.do("fold.close")
    assert document.fold is not None
    assert document.fold.state == before


@covers("fold.branches")
def gives_absorbed_branches_cards(bench: Bench) -> None:
    shape = {str(number): str(number - 1) if number else "" for number in range(120)}
    record = run_of({**shape, "aside": "50", "119b": "119"})
    bench.open("long.tine", record)
    document = bench.active
    fold = document.fold
    assert fold is not None
    holder = next(card for card in range(len(fold)) if fold.card(card).absorbed)
    bench.do("fold.branches", step=document.step_id(holder))
    assert document.fold is not None
    card = document.index_of(named(bench.record, "aside"))
    assert card is not None
    assert document.step_ids(card) == [named(bench.record, "aside")]


@covers("fold.every_step")
def shows_every_step_and_remembers_it_for_the_run(bench: Bench) -> None:
    record = long_run(bench)
    assert bench.active.fold is not None
    bench.do("fold.every_step")
    assert bench.active.fold is None
    assert bench.active.layout is not None
    assert len(bench.active.layout.nodes) == len(record.graph)
    bench.do("file.close")
    bench.do("file.open", path=bench.folder / "long.tine")
    assert bench.active.fold is None
    bench.do("fold.every_step")
    assert bench.active.fold is not None


@covers("view.panels")
def hides_and_shows_panels(bench: Bench) -> None:
    bench.do("view.panels")
    assert not bench.session.view.panels
    bench.do("view.panels")
    assert bench.session.view.panels


@covers("view.minimap")
def hides_the_minimap_and_remembers_it(bench: Bench) -> None:
    bench.do("view.minimap")
    assert not bench.session.view.minimap
    assert not bench.session.settings.minimap


@covers("view.theme")
def changes_to_a_theme_that_is_named_chosen_or_picked_from_the_submenu(bench: Bench) -> None:
    bench.do("view.theme", name="light")
    assert bench.session.settings.theme == "light"
    bench.do("view.theme", "High contrast")
    assert bench.session.view.theme == "high-contrast"
    choices = bench.session.actions["view.theme"].choices
    assert choices is not None
    assert [(choice.label, choice.here) for choice in choices(bench.session)] == [
        ("Dark", False), ("Light", False), ("High contrast", True),
    ]  # fmt: skip
    bench.do("view.theme", **choices(bench.session)[0].arguments)
    assert bench.session.view.theme == "dark"


@covers("view.scale")
def takes_one_of_the_scales(bench: Bench) -> None:
    bench.do("view.scale", to=1.5)
    assert (bench.session.view.scale, bench.session.settings.scale) == (1.5, 1.5)
    bench.do("view.scale", "200 %")
    assert bench.session.settings.scale == 2.0
    bench.do("view.scale", "As the display")
    assert (bench.session.view.scale, bench.session.settings.scale) == (0.0, 0.0)


@covers("view.file_dialogs")
def changes_whose_file_dialogs_are_used(bench: Bench) -> None:
    bench.do("view.file_dialogs")
    assert bench.session.settings.file_dialogs == "own"
    bench.do("view.file_dialogs", system=True)
    assert bench.session.settings.file_dialogs == "system"


@covers("view.motion")
def moves_the_camera_smoothly_when_wanted(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.motion")
    bench.do("view.fit")
    goal = bench.active.fit_camera(bench.session.viewport)
    assert bench.active.camera != goal
    bench.clock.now += 0.1
    assert bench.session.step()
    assert bench.active.camera not in (goal, Camera(9000.0, 9000.0, 0.7))
    bench.clock.now += 0.2
    bench.session.step()
    assert bench.active.camera == goal


@covers("view.palette")
def opens_and_closes_the_palette(bench: Bench) -> None:
    bench.do("view.palette", text="fork")
    assert bench.session.view.palette
    assert bench.session.view.palette_text == "fork"
    bench.do("view.palette")
    assert not bench.session.view.palette


@covers("view.inspector_wide")
def opens_the_inspector_wide_on_a_step(bench: Bench) -> None:
    record = opened(bench)
    bench.do("view.inspector_wide", step=named(record, "c"))
    assert bench.session.view.inspector_wide
    assert selected(bench) == ["c"]


@covers("view.dismiss")
def closes_one_thing_at_a_time(bench: Bench) -> None:
    opened(bench)
    bench.do("view.palette")
    bench.do("run.fork")
    bench.do("view.dismiss")
    assert not bench.session.view.palette
    assert bench.session.proposal is not None
    bench.do("view.dismiss")
    assert bench.session.proposal is None
    assert selected(bench) == ["a"]
    bench.do("view.dismiss")
    assert selected(bench) == []


# --- run --------------------------------------------------------------------------------------------------------------


@covers("run.fork")
def proposes_a_fork_and_opens_it_beside_the_source(bench: Bench) -> None:
    record = opened(bench, "c")
    source, content = bench.active, (bench.folder / "run.tine").read_bytes()
    bench.do("run.fork")
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.sentence == "Keeps 3 steps, $0.0030 · drops 3, $0.0030 · run.tine stays as it is"
    assert proposal.step_title == "c"
    bench.do("proposal.accept", title="Second try", tags="x, Y")
    fork = bench.active
    assert fork is not source
    assert bench.session.documents == [source, fork]
    assert (fork.title, fork.path, fork.dirty) == ("Second try", None, True)
    assert bench.record.graph.ids == record.graph.ids[:3]
    assert bench.record.tags == ("x", "y")
    assert bench.record.lineage.fork_point == named(record, "c")
    assert selected(bench) == ["c"]
    assert source.record is record
    assert (bench.folder / "run.tine").read_bytes() == content


@covers("run.fork_edit")
def forks_with_a_sibling_that_has_other_inputs(bench: Bench) -> None:
    record = opened(bench, "c")
    bench.do("run.fork_edit")
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.inputs.value == {"text": "c"}
    bench.do("proposal.accept", inputs='{"text": "c2"}')
    assert [step.inputs["text"] for step in bench.record.graph] == ["a", "b", "c2"]
    assert bench.record.graph.step(2).parent_ids == (named(record, "b"),)
    assert selected(bench) == ["c2"]


@covers("run.merge")
def joins_two_tips_of_one_run_as_an_edit(bench: Bench) -> None:
    record = opened(bench, "xd")
    assert bench.session.enabled("run.merge") is not None
    bench.do("select.add", step=named(record, "f"))
    bench.do("run.merge")
    proposal = bench.session.proposal
    assert isinstance(proposal, MergeProposal)
    assert proposal.within_one
    assert proposal.refusal is None
    bench.do("proposal.accept", inputs='{"text": "both"}')
    assert len(bench.session.documents) == 1
    assert bench.record.graph.step(6).parent_ids == (named(record, "xd"), named(record, "f"))
    assert bench.active.layout is not None
    assert len(bench.active.layout.nodes) == 7
    assert selected(bench) == ["both"]
    assert bench.active.dirty
    bench.do("edit.undo")
    assert bench.record is record
    assert not bench.active.dirty


@covers("runs.rename")
def renames_the_file_and_the_open_run_follows(bench: Bench) -> None:
    opened(bench)
    document, old = bench.active, bench.folder / "run.tine"
    content = old.read_bytes()
    bench.do("runs.rename", " better ", run=document.number)
    new = bench.folder / "better.tine"
    assert (document.path, document.title, document.dirty) == (new, "better.tine", False)
    assert new.read_bytes() == content
    assert not old.exists()
    assert bench.session.settings.recent[0] == str(new)
    assert [row.path for row in bench.session.runs.rows] == [new]


@covers("runs.move")
def moves_the_file_to_another_folder(bench: Bench) -> None:
    opened(bench)
    (bench.folder / "old").mkdir()
    bench.do("runs.move", (bench.folder / "old",), run=bench.folder / "run.tine")
    assert bench.active.path == bench.folder / "old" / "run.tine"
    assert bench.active.path.exists()
    assert bench.session.runs.rows == ()


@covers("runs.trash")
def sends_the_file_to_the_trash_when_told_twice(bench: Bench) -> None:
    opened(bench)
    path = bench.folder / "run.tine"
    content = path.read_bytes()
    bench.do("runs.trash", None)
    assert path.exists()
    bench.do("runs.trash", "Move to trash", run=path)
    assert not path.exists()
    assert (bench.folder / "run.tine.trashed").read_bytes() == content
    assert bench.session.documents == []
    assert bench.session.runs.rows == ()
    assert str(path) not in bench.session.settings.recent


@covers("run.add_step")
def adds_a_step_after_the_selected_one(bench: Bench) -> None:
    record = opened(bench, "xd")
    assert record.main_tip == named(record, "f")
    bench.do("run.add_step")
    bench.do("proposal.accept", kind="think", inputs='{"text": "by hand"}', outputs='{"answer": 1}')
    added = bench.record.graph.step(6)
    assert (added.kind, added.parent_ids) == (StepKind.THINK, (named(record, "xd"),))
    assert (added.inputs, added.outputs, added.model_info) == ({"text": "by hand"}, {"answer": 1}, "")
    assert bench.active.selection.ids == (added.id,)
    assert bench.active.layout is not None
    assert added.id in bench.active.layout.index
    assert bench.active.reveal_when_laid_out is None
    bench.do("edit.undo")
    assert bench.record is record
    assert not bench.active.dirty


@covers("run.edit_details")
def changes_title_tags_and_status_of_the_run(bench: Bench) -> None:
    record = opened(bench)
    content = (bench.folder / "run.tine").read_bytes()
    bench.do("run.edit_details")
    bench.do("proposal.accept", title=" Second look ", tags="x, Y,, x", status="failed")
    assert (bench.record.title, bench.record.tags, bench.record.status) == ("Second look", ("x", "y"), "failed")
    assert bench.record.graph is record.graph or bench.record.graph.ids == record.graph.ids
    assert bench.session.proposal is None
    assert bench.active.dirty
    assert (bench.folder / "run.tine").read_bytes() == content
    bench.do("edit.undo")
    assert bench.record.title == record.title
    assert not bench.active.dirty
    bench.do("edit.redo")
    bench.do("file.save")
    assert storage.read(bench.folder / "run.tine").title == "Second look"


@covers("proposal.change")
def changes_what_is_proposed(bench: Bench) -> None:
    opened(bench)
    bench.do("run.fork_edit")
    bench.do("proposal.change", inputs="[1]")
    assert bench.session.proposal is not None
    assert "expected an object" in (bench.session.proposal.refusal or "")
    assert bench.session.enabled("proposal.accept") == bench.session.proposal.refusal
    bench.do("proposal.change", inputs='{\n"a": ')
    assert bench.session.proposal.refusal == "Inputs, line 2: expecting value"


@covers("proposal.accept")
def does_nothing_without_a_proposal(bench: Bench) -> None:
    opened(bench)
    bench.do("proposal.accept")
    assert len(bench.session.documents) == 1
    assert bench.session.notices.list() == (), "Enter has nothing to say here"
    bench.do("run.fork")
    assert bench.session.press("Enter")
    bench.session.settle()
    assert len(bench.session.documents) == 2
    assert bench.session.proposal is None


@covers("proposal.cancel")
def drops_what_is_proposed(bench: Bench) -> None:
    opened(bench)
    bench.do("run.fork")
    bench.do("proposal.cancel")
    assert bench.session.proposal is None
    assert len(bench.session.documents) == 1


@covers("proposal.swap")
def turns_the_parents_round(bench: Bench) -> None:
    record = opened(bench)
    bench.do("run.merge", steps=(named(record, "xd"), named(record, "f")), inputs='{"text": "mine"}')
    bench.do("proposal.swap")
    bench.do("proposal.accept")
    assert bench.record.graph.step(6).parent_ids == (named(record, "f"), named(record, "xd"))
    assert bench.record.graph.step(6).inputs == {"text": "mine"}


@covers("run.verify")
def says_what_holds(bench: Bench) -> None:
    opened(bench)
    bench.do("run.verify")
    notice = bench.session.notices.list()[-1]
    assert notice.level == "good"
    assert "All 6 step ids" in notice.detail


@covers("run.reveal_source")
def opens_the_source_at_the_fork_point(bench: Bench) -> None:
    record = opened(bench)
    assert bench.session.enabled("run.reveal_source") is not None
    bench.do("run.fork", step=named(record, "c")[:12], accept=True)
    bench.do("file.save_as", path=bench.folder / "fork.tine")
    for document in list(bench.session.documents):
        bench.do("file.close", document=document.number)
    bench.open("fork.tine")
    bench.do("run.reveal_source")
    assert bench.active.title == "run.tine"
    assert selected(bench) == ["c"]


# --- tabs, notices, help ----------------------------------------------------------------------------------------------


@covers("document.activate")
def brings_a_tab_to_the_front(bench: Bench) -> None:
    opened(bench)
    first = bench.active
    bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("document.activate", document=first.number)
    assert bench.active is first


@covers("document.next")
def goes_round_the_tabs(bench: Bench) -> None:
    opened(bench)
    first = bench.active
    assert bench.session.enabled("document.next") is not None
    second = bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("document.next")
    assert bench.active is first
    bench.do("document.next")
    assert bench.active is second


@covers("document.previous")
def goes_round_the_tabs_backwards(bench: Bench) -> None:
    opened(bench)
    first = bench.active
    bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("document.previous")
    assert bench.active is first


@covers("runs.filter")
def shows_only_fitting_runs(bench: Bench) -> None:
    opened(bench)
    bench.do("runs.filter", text="status:failed")
    assert bench.session.runs.shown() == ()
    bench.do("runs.filter", text="status:completed model:example")
    assert [row.title for row in bench.session.runs.shown()] == ["run"]


@covers("notice.dismiss")
def takes_a_notice_away(bench: Bench) -> None:
    notice = bench.session.notices.add("info", "Look")
    bench.do("notice.dismiss", key=notice.key)
    assert bench.notices() == []


@covers("job.cancel")
def stops_opening_a_file(bench: Bench) -> None:
    path = bench.write("run.tine", run_of(TREE))
    bench.jobs.hold = True
    bench.session.invoke("file.open", path=path)
    bench.session.step()
    assert bench.active.loading is not None
    bench.session.invoke("job.cancel", key=f"open:{bench.active.number}")
    bench.session.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert bench.session.documents == []


@covers("help.keys")
def shows_the_keys(bench: Bench) -> None:
    bench.do("help.keys")
    assert bench.session.view.keys
    bench.do("view.dismiss")
    assert not bench.session.view.keys


@covers("help.about")
def shows_what_this_is(bench: Bench) -> None:
    bench.do("help.about")
    assert bench.session.view.about


@covers("help.change_keys")
def opens_the_file_of_the_keys(bench: Bench) -> None:
    seen = bench.folder / "seen"
    editor = bench.folder / "editor"
    editor.write_text(f'#!/bin/sh\necho "$1" > "{seen}.part" && mv "{seen}.part" "{seen}"\n')
    editor.chmod(0o700)
    bench.session.editors = Editors({"VISUAL": str(editor), "PATH": os.defpath})
    bench.do("help.change_keys")
    assert wait_for(seen.exists)
    path = Path(seen.read_text().strip())
    assert msgspec.json.decode(path.read_bytes())["delivered"]["edit.undo"] == ["Ctrl+Z"]
    path.write_text('{"changed": {"edit.undo": ["F9"]}}')
    bench.do("help.change_keys")
    assert path.read_text() == '{"changed": {"edit.undo": ["F9"]}}', "what the user wrote stays"


# --- the registry -----------------------------------------------------------------------------------------------------


def test_every_action_says_in_one_sentence_what_it_does() -> None:
    for action in all_actions():
        assert re.fullmatch(r"[A-Z].*[^.]\.", action.description), action.id
        assert action.title == action.title.strip()
        assert re.fullmatch(r"[a-z]+\.[a-z_]+", action.id), action.id


@pytest.mark.parametrize("kind", MENU_ARGUMENTS)
def test_what_a_context_menu_is_opened_on_is_what_its_actions_take(kind: str) -> None:
    held = [action for action in all_actions().context_menu(kind) if action is not None]
    assert held or kind == "value"
    for action in held:
        assert set(MENU_ARGUMENTS[kind]) <= set(inspect.signature(action.run).parameters), action.id


def test_the_list_of_keys_has_every_key_there_is() -> None:
    registry = all_actions()
    rows = key_list(registry)
    for action in registry:
        for chords in (action.keys, action.mode_keys):
            if chords:
                assert any(row.title == action.title and row.keys.startswith(chords[0]) for row in rows), action.id
    headings = [row.title for row in rows if not row.keys]
    assert headings == [*(menu for menu in MENUS if menu in headings), "Canvas", *MODES.values(), "Pointer"]


def test_enter_reads_the_step_unless_something_is_proposed(bench: Bench) -> None:
    opened(bench)
    bench.session.press("Enter")
    bench.session.settle()
    assert bench.session.view.reading
    bench.session.press("Esc")
    bench.session.settle()
    bench.do("run.fork")
    bench.session.press("Enter")
    bench.session.settle()
    assert len(bench.session.documents) == 2


def test_two_actions_cannot_share_an_id_or_a_key() -> None:
    action = all_actions()["file.open"]
    with pytest.raises(ValueError, match="two actions are called"):
        Registry([action, action])
    with pytest.raises(ValueError, match=re.escape("Ctrl+O belongs to")):
        Registry([action, Action("other.id", "Other", "Other.", action.run, keys=("Ctrl+O",))])


def test_the_keys_of_the_design_do_what_the_design_says() -> None:
    registry = all_actions()
    wanted = {
        "Home": "view.fit",
        "F": "run.fork",
        "E": "run.fork_edit",
        "M": "run.merge",
        "N": "go.next_failure",
        "Z": "view.frame_selection",
        "/": "search.open",
        "Ctrl+F": "search.open",
        "F3": "search.next",
        "Shift+F3": "search.previous",
        "Ctrl+K": "view.palette",
        "Ctrl+Z": "edit.undo",
        "Ctrl+Shift+Z": "edit.redo",
        "Ctrl+S": "file.save",
        "Tab": "view.panels",
        "Up": "select.up",
        "Left": "select.left",
        "Enter": "inspect.read",
        "Esc": "view.dismiss",
    }
    found = {key: getattr(registry.by_key(key), "id", None) for key in wanted}
    assert found == wanted
    assert registry.by_key("Ctrl+Alt+F12") is None
    accept = registry.by_key("Enter", "propose")
    assert accept is not None
    assert accept.id == "proposal.accept"


def test_menus_hold_every_action_that_names_one_once_and_no_line_at_an_end() -> None:
    registry = all_actions()
    menus = registry.menus()
    held = [item.id for menu in menus for item in menu.items if item is not None]
    assert sorted(held) == sorted(action.id for action in registry if action.menu)
    for menu in menus:
        assert menu.items[0] is not None
        assert menu.items[-1] is not None


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("fork from", "run.fork"),
        ("undo", "edit.undo"),
        ("sav as", "file.save_as"),
        ("nxt fail", "go.next_failure"),
        ("copy md", "edit.copy_markdown"),
        ("fit", "view.fit"),
        ("oen", "file.open"),
        ("abuot", "help.about"),
    ],
)
def test_the_palette_finds_what_was_meant_first(text: str, first: str) -> None:
    assert all_actions().search(text)[0].id == first


def test_the_palette_lists_everything_at_first_and_nothing_for_nonsense() -> None:
    registry = all_actions()
    assert len(registry.search("")) == sum(action.palette for action in registry)
    assert registry.search("qqqqzzzz") == ()


def test_every_action_of_the_palette_runs_or_says_why_not_in_an_empty_session(bench: Bench) -> None:
    for action in bench.session.actions.search(""):
        reason = bench.session.enabled(action.id)
        assert reason is None or re.fullmatch(r"[A-Z].*\.", reason), action.id


def test_a_disabled_action_says_why_when_it_is_asked_for(bench: Bench) -> None:
    bench.do("run.fork")
    assert bench.notices() == ["Fork from here: No run is open."]
    assert not bench.session.press("F")


def test_an_action_on_a_step_that_is_not_there_says_so(bench: Bench) -> None:
    opened(bench)
    assert "no step" in (bench.session.enabled("run.fork", step="ffffffffffff") or "")
    assert bench.session.enabled("run.fork", step=bench.record.graph.ids[2][:12]) is None


def test_an_unknown_action_is_an_error_of_the_caller(bench: Bench) -> None:
    with pytest.raises(KeyError):
        bench.session.invoke("no.such_action")


def test_an_error_in_an_action_becomes_one_notice_and_the_next_action_still_runs(bench: Bench) -> None:
    opened(bench)
    bench.session.invoke("select.step", step="ffffffffffff")
    bench.session.invoke("view.palette")
    bench.session.settle()
    assert len(bench.notices("error")) == 1
    assert "ffffffffffff" in bench.notices("error")[0]
    assert bench.session.view.palette


def test_confirm_questions_offer_a_way_out(bench: Bench, tmp_path: Path) -> None:
    opened(bench)
    bench.do("run.fork", accept=True)
    bench.do("file.close", None)
    question = bench.prompter.asked[-1]
    assert isinstance(question, Confirm)
    assert question.choices[-1] == "Cancel"
    assert len(bench.session.documents) == 2


# --- present ---------------------------------------------------------------------------------------------------------


def _position(bench: Bench) -> int:
    assert bench.session.presentation is not None
    return bench.session.presentation.position


@covers("present.start")
def _starts_presenting(bench: Bench) -> None:
    opened(bench, select=None)
    bench.do("present.start")
    assert _position(bench) == 0
    assert not bench.session.view.panels


@covers("present.next")
def _tells_the_next_step(bench: Bench) -> None:
    opened(bench, select=None)
    bench.do("present.start")
    bench.do("present.next")
    assert _position(bench) == 1
    assert selected(bench) == ["b"]


@covers("present.previous")
def _tells_the_previous_step(bench: Bench) -> None:
    opened(bench, select="b")
    bench.do("present.start")
    bench.do("present.previous")
    assert selected(bench) == ["a"]


@covers("present.first")
def _begins_the_story_again(bench: Bench) -> None:
    opened(bench, select="e")
    bench.do("present.start")
    bench.do("present.first")
    assert selected(bench) == ["a"]


@covers("present.last")
def _tells_the_last_step(bench: Bench) -> None:
    opened(bench, select=None)
    bench.do("present.start")
    bench.do("present.last")
    assert selected(bench) == ["f"]


@covers("present.stop")
def _stops_presenting(bench: Bench) -> None:
    opened(bench)
    bench.do("present.start")
    bench.do("present.stop")
    assert bench.session.presentation is None
    assert bench.session.view.panels


# --- several runs together --------------------------------------------------------------------------------------------

LEFT = {"a": "", "b": "a", "c": "b", "xd": "c"}
RIGHT = {"a": "", "b": "a", "e": "b", "f": "e"}


def opened_two(bench: Bench) -> None:
    """Two runs that differ after b; the second one is active."""
    bench.open("left.tine", run_of(LEFT, run_id="left", status="failed"))
    bench.open("right.tine", run_of(RIGHT, run_id="right"))


def overlay_of(bench: Bench) -> Overlay:
    assert bench.active.overlay is not None
    return bench.active.overlay


def compared(bench: Bench) -> Comparison:
    opened_two(bench)
    bench.do("compare.open")
    comparison = overlay_of(bench).comparison
    assert comparison is not None
    return comparison


@covers("compare.open")
def shows_a_run_over_its_source(bench: Bench) -> None:
    assert bench.session.enabled("compare.open") is not None
    opened(bench, "c")
    bench.do("run.fork", accept=True)
    bench.do("compare.open")
    assert bench.active.title == "run and Fork of run"
    comparison = overlay_of(bench).comparison
    assert comparison is not None
    assert (len(comparison.shared), len(comparison.only_a), len(comparison.only_b)) == (3, 3, 0)
    documents = len(bench.session.documents)
    bench.do("compare.open", a=bench.session.documents[0].number, b=bench.session.documents[1].number)
    assert len(bench.session.documents) == documents


@covers("compare.pick")
def asks_for_the_other_run(bench: Bench) -> None:
    opened_two(bench)
    bench.open("third.tine", run_of({"alone": ""}, run_id="third"))
    bench.do("compare.pick", "left")
    question = bench.prompter.asked[-1]
    assert isinstance(question, Choose)
    assert set(question.items) == {"left", "right"}
    assert bench.active.title == "third and left"


@covers("compare.with_file")
def shows_what_the_file_holds_beside_what_is_open(bench: Bench) -> None:
    record = run_of({"a": "", "b": "a"})
    bench.open("run.tine", record)
    assert bench.session.enabled("compare.with_file") == "It is as its file has it."
    bench.do("run.add_step", step=named(record, "b"), accept=True)
    bench.write("run.tine", run_of({"a": "", "theirs": "a"}))
    mine = bench.record
    bench.do("compare.with_file")
    assert bench.active.title == "run on disk and run"
    found = overlay_of(bench).comparison
    assert found is not None
    assert found.a.graph.ids == run_of({"a": "", "theirs": "a"}).graph.ids
    assert found.b.graph.ids == mine.graph.ids


@covers("compare.swap")
def lets_the_two_change_places_without_moving_anything(bench: Bench) -> None:
    before = compared(bench)
    layout = bench.active.layout
    bench.do("compare.swap")
    after = overlay_of(bench).comparison
    assert after is not None
    assert (after.a, after.b) == (before.b, before.a)
    assert bench.active.title == "right and left"
    assert bench.active.layout is layout
    assert [run.letter for run in overlay_of(bench).runs] == ["B", "A"]


@covers("compare.flip")
def looks_at_one_side_and_then_at_the_other(bench: Bench) -> None:
    compared(bench)
    layout = bench.active.layout
    dimmed = []
    for _ in range(3):
        assert bench.session.press("Tab")
        bench.session.settle()
        dimmed.append({bench.active.step(place).inputs["text"] for place in overlay_of(bench).dimmed or ()})
    assert dimmed == [{"e", "f"}, {"c", "xd"}, {"e", "f"}]
    assert bench.active.layout is layout
    bench.do("view.dismiss")
    assert overlay_of(bench).dimmed is None
    assert bench.session.view.panels


@covers("compare.next")
def goes_round_among_the_divergences(bench: Bench) -> None:
    bench.open("left.tine", run_of({"a": "", "b": "a", "c": "a", "d": "b"}, run_id="left"))
    bench.open("right.tine", run_of({"a": "", "b": "a", "c": "a", "e": "c", "f": "b"}, run_id="right"))
    bench.do("compare.open")
    comparison = overlay_of(bench).comparison
    assert comparison is not None
    assert len(comparison.root_divergences) == 2
    seen = []
    for _ in range(3):
        assert bench.session.press("N")
        bench.session.settle()
        seen.append(overlay_of(bench).divergence)
        assert bench.active.selection.primary in comparison.root_divergences[seen[-1]].causes
    assert seen == [0, 1, 0]


@covers("compare.previous")
def goes_back_among_the_divergences(bench: Bench) -> None:
    bench.open("left.tine", run_of({"a": "", "b": "a", "c": "a", "d": "b"}, run_id="left"))
    bench.open("right.tine", run_of({"a": "", "b": "a", "c": "a", "e": "c", "f": "b"}, run_id="right"))
    bench.do("compare.open")
    bench.do("compare.next")
    assert bench.session.press("Shift+N")
    bench.session.settle()
    assert overlay_of(bench).divergence == 1


@covers("compare.show")
def goes_to_a_divergence_by_its_number(bench: Bench) -> None:
    compared(bench)
    bench.do("compare.show", divergence=1)
    assert selected(bench) == ["e", "c"]


@covers("compare.copy_markdown")
def copies_where_the_runs_part(bench: Bench) -> None:
    comparison = compared(bench)
    bench.do("compare.copy_markdown")
    text = bench.copied[-1]
    assert text.startswith("## left and right: Root divergence 1")
    assert "After b the two runs do different work." in text or "After b a step was changed." in text
    assert "| Outcome | failed | completed |" in text
    assert all(step in text for step in comparison.root_divergences[0].causes)


@covers("compare.close")
def closes_the_comparison_and_leaves_its_runs_open(bench: Bench) -> None:
    compared(bench)
    bench.do("compare.close")
    assert [document.title for document in bench.session.documents] == ["left.tine", "right.tine"]
    assert bench.session.enabled("compare.close") is not None


def family_of_three(bench: Bench) -> Overlay:
    opened_two(bench)
    bench.open("third.tine", run_of({"a": "", "b": "a", "e": "b", "g": "e"}, run_id="third"))
    bench.do("family.open")
    return overlay_of(bench)


@covers("family.open")
def shows_all_open_runs_with_each_step_once(bench: Bench) -> None:
    assert bench.session.enabled("family.open") is not None
    overlay = family_of_three(bench)
    assert bench.active.title == "Family of 3 runs"
    assert [step.inputs["text"] for step in bench.record.graph] == ["a", "b", "c", "xd", "e", "f", "g"]
    assert overlay.counts.tolist() == [3, 3, 1, 1, 2, 1, 1]
    assert bench.active.layout is not None
    assert bench.active.verification is not None


@covers("family.open_folder")
def shows_every_run_of_the_folder(bench: Bench) -> None:
    assert bench.session.enabled("family.open_folder") is not None
    for name, shape in (("left", LEFT), ("right", RIGHT)):
        bench.write(f"{name}.tine", run_of(shape, run_id=name))
    bench.do("file.open", path=bench.folder)
    bench.do("family.open_folder")
    assert {run.title for run in overlay_of(bench).runs} == {"left", "right"}
    assert len(bench.session.documents) == 1


@covers("family.choose")
def chooses_runs_of_the_list(bench: Bench) -> None:
    opened_two(bench)
    bench.open("third.tine", run_of({"alone": ""}, run_id="third"))
    numbers = [document.number for document in bench.session.documents]
    for number in (*numbers, numbers[2]):
        bench.do("family.choose", run=number)
    assert bench.session.view.chosen_runs == tuple(numbers[:2])
    bench.do("family.open")
    assert [run.title for run in overlay_of(bench).runs] == ["left", "right"]
    assert bench.session.view.chosen_runs == ()


@covers("family.toggle_run")
def switches_a_run_off_and_on(bench: Bench) -> None:
    family_of_three(bench)
    bench.do("family.toggle_run", run=0)
    assert {bench.active.step(place).inputs["text"] for place in overlay_of(bench).dimmed or ()} == {"c", "xd"}
    assert overlay_of(bench).counts.tolist() == [2, 2, 0, 0, 2, 1, 1]
    bench.do("family.toggle_run", run=0)
    assert overlay_of(bench).dimmed is None
    assert bench.session.enabled("family.toggle_run", run=3) is not None


@covers("family.solo_run")
def shows_one_run_alone_and_then_all_again(bench: Bench) -> None:
    family_of_three(bench)
    bench.do("family.solo_run", run=1)
    assert overlay_of(bench).shown == (1,)
    bench.do("family.solo_run", run=1)
    assert overlay_of(bench).shown == (0, 1, 2)


@covers("family.light_run")
def lights_a_run_from_its_root_to_its_tip(bench: Bench) -> None:
    family_of_three(bench)
    bench.do("family.light_run", run=2)
    lit = [
        bench.active.step(place).inputs["text"]
        for place, code in enumerate(overlay_of(bench).step_roles)
        if code == LIT
    ]
    assert lit == ["a", "b", "e", "g"]
    bench.do("family.light_run", run=2)
    assert overlay_of(bench).lit is None


@covers("family.select_steps")
def selects_a_group_of_steps(bench: Bench) -> None:
    family_of_three(bench)
    ids = bench.record.graph.ids
    bench.do("family.select_steps", steps=[ids[5], ids[6], "not there"])
    assert sorted(selected(bench)) == ["f", "g"]


@covers("family.next_run")
def lights_one_run_after_the_other(bench: Bench) -> None:
    overlay = family_of_three(bench)
    lit = []
    for _ in range(5):
        bench.do("family.next_run")
        lit.append(overlay_of(bench).lit)
    order = [run for run, _ in overlay.family.tree]
    assert lit == [*order, None, order[0]]


@covers("family.show_all")
def switches_everything_on_again(bench: Bench) -> None:
    family_of_three(bench)
    bench.do("family.light_run", run=0)
    bench.do("family.toggle_run", run=1)
    bench.do("family.show_all")
    assert (overlay_of(bench).lit, overlay_of(bench).hidden) == (None, frozenset())


@covers("family.add_run")
def shows_one_run_more_or_compares_with_another(bench: Bench) -> None:
    compared(bench)
    third = bench.write("third.tine", run_of({"a": "", "b": "a", "e": "b", "g": "e"}, run_id="third"))
    bench.do("family.add_run", other=third)
    assert bench.active.title == "left and third"
    bench.do("family.open", runs=[bench.folder / "left.tine", bench.folder / "right.tine"])
    bench.do("family.add_run", other=third)
    assert bench.active.title == "Family of 3 runs"


# --- export ----------------------------------------------------------------------------------------------------------


@covers("file.export")
def _exports_a_picture(bench: Bench) -> None:
    opened(bench, select=None)
    bench.do("file.export", path=bench.folder / "run.svg")
    assert b"<svg" in (bench.folder / "run.svg").read_bytes()


@covers("file.export_card")
def _exports_the_card_of_a_comparison(bench: Bench) -> None:
    opened(bench, select=None)
    bench.open("other.tine", run_of({**TREE, "z": "f"}, run_id="other"))
    bench.do("compare.open")
    bench.do("file.export_card", path=bench.folder / "card.md")
    assert (bench.folder / "card.md").read_text()


# --- inspect ---------------------------------------------------------------------------------------------------------


def _chooses(name: str) -> None:
    @covers(f"inspect.{name.casefold()}")
    def case(bench: Bench) -> None:
        opened(bench, "a")
        bench.do(f"inspect.{name.casefold()}")
        assert bench.session.view.inspector_tab == name
        bench.do("select.none")
        assert bench.session.enabled(f"inspect.{name.casefold()}") is not None


for _tab in ("Result", "Call", "Conversation", "Record"):
    _chooses(_tab)


@covers("inspect.raw")
def shows_what_was_recorded(bench: Bench) -> None:
    bench.do("inspect.raw")
    assert bench.session.view.raw
    bench.do("inspect.raw")
    assert not bench.session.view.raw


@covers("inspect.wrap")
def lets_lines_run_on(bench: Bench) -> None:
    bench.do("inspect.wrap")
    assert not bench.session.view.wrap


def _scrolls(name: str, down: bool) -> None:
    @covers(f"inspect.{name}")
    def case(bench: Bench) -> None:
        opened(bench)
        bench.do(f"inspect.{name}")
        assert bench.session.view.inspector_scroll != 0
        assert (bench.session.view.inspector_scroll > 0) is down


for _name in ("page_down", "page_up", "line_down", "line_up"):
    _scrolls(_name, _name.endswith("down"))


@covers("inspect.read")
def opens_and_closes_the_reading_view(bench: Bench) -> None:
    record = opened(bench)
    assert bench.session.press("Enter")
    bench.session.settle()
    assert bench.session.view.reading
    bench.do("view.dismiss")
    assert not bench.session.view.reading
    assert selected(bench) == ["a"]
    bench.do("inspect.read", step=named(record, "c"), reading=True)
    assert selected(bench) == ["c"]
    bench.do("inspect.diff_parent")
    bench.do("inspect.read")
    assert bench.session.view.reading
    assert bench.session.view.diff_with is None


@covers("inspect.next_step")
def goes_to_the_step_recorded_next(bench: Bench) -> None:
    record = opened(bench, None)
    for step in record.graph.ids[:3]:
        bench.do("inspect.next_step")
        assert bench.active.selection.ids == (step,)
    bench.do("select.step", step=record.graph.ids[-1])
    assert bench.session.enabled("inspect.next_step") == "This is the last step."


@covers("inspect.previous_step")
def goes_to_the_step_recorded_before(bench: Bench) -> None:
    record = opened(bench, None)
    bench.do("inspect.previous_step")
    assert bench.active.selection.ids == (record.graph.ids[-1],)
    bench.do("select.step", step=record.graph.ids[0])
    assert bench.session.enabled("inspect.previous_step") == "This is the first step."


@covers("inspect.diff_parent")
def compares_a_step_with_its_parent(bench: Bench) -> None:
    record = opened(bench, "c")
    bench.do("inspect.diff_parent")
    assert bench.session.view.reading
    assert bench.session.view.diff_with == named(record, "b")
    assert bench.session.enabled("inspect.diff_parent", step=named(record, "a")) is not None


@covers("inspect.diff_twin")
def compares_a_step_with_the_one_beside_it(bench: Bench) -> None:
    record = opened(bench, "f")
    bench.do("inspect.diff_twin")
    assert bench.session.view.diff_with == named(record, "xd")
    assert bench.session.enabled("inspect.diff_twin", step=named(record, "a")) is not None


def test_where_two_runs_are_compared_the_twin_is_the_step_of_the_other_run(bench: Bench) -> None:
    opened_two(bench)
    bench.do("compare.open")
    comparison = overlay_of(bench).comparison
    assert comparison is not None
    pair = next(pair for pair in comparison.pairs.values() if pair.a != pair.b)
    for step, other in ((pair.a, pair.b), (pair.b, pair.a)):
        bench.do("inspect.diff_twin", step=step)
        assert bench.session.view.diff_with == other
        assert bench.active.selection.primary == step


@covers("inspect.diff_selected")
def compares_two_selected_steps(bench: Bench) -> None:
    record = opened(bench, "c")
    assert bench.session.enabled("inspect.diff_selected") == "Select two steps first."
    bench.do("select.add", step=named(record, "f"))
    bench.do("inspect.diff_selected")
    assert bench.session.view.diff_with == named(record, "c")
    assert bench.active.selection.primary == named(record, "f")


@covers("inspect.unified")
def shows_differences_in_one_column(bench: Bench) -> None:
    bench.do("inspect.unified")
    assert bench.session.view.diff_unified


SAID = {"inputs": {"name": "run", "arguments": {"code": 'print("a")\nprint("b")'}}, "outputs": {"result": "a\nb"}}


def said(bench: Bench) -> ValuePlace:
    """Open a run with a tool step, select it, and name its code."""
    tool = new_step(StepKind.TOOL, SAID["inputs"], (), timestamp=1.0, outputs=SAID["outputs"])
    bench.open("run.tine", msgspec.structs.replace(run_of({"a": ""}), graph=Graph.of([tool]), refs={}))
    bench.do("select.step", step=tool.id)
    return ValuePlace(tool.id, ("inputs", "arguments", "code"))


@covers("edit.copy_value")
def copies_a_text_with_real_line_ends(bench: Bench) -> None:
    place = said(bench)
    bench.do("edit.copy_value", value=place)
    bench.do("edit.copy_value")
    assert bench.copied == ['print("a")\nprint("b")', "a\nb"]


@covers("edit.copy_selected")
def copies_the_selected_text_of_a_value(bench: Bench) -> None:
    place = said(bench)
    assert bench.session.enabled("edit.copy_selected", value=place) is not None
    bench.do("edit.copy_selected", value=msgspec.structs.replace(place, selected="print"))
    assert bench.copied == ["print"]


@covers("edit.copy_path")
def copies_where_a_value_stands(bench: Bench) -> None:
    place = said(bench)
    bench.do("edit.copy_path", value=place)
    bench.do("edit.copy_path")
    assert bench.copied == ["inputs.arguments.code", "outputs.result"]
    assert bench.session.enabled("edit.copy_path", value=ValuePlace(place.step, (), ("made up",))) is not None


@covers("edit.copy_value_json")
def copies_a_value_as_json(bench: Bench) -> None:
    bench.do("edit.copy_value_json", value=said(bench))
    assert json.loads(bench.copied[0]) == 'print("a")\nprint("b")'


@covers("edit.copy_value_markdown")
def copies_a_value_as_a_block(bench: Bench) -> None:
    bench.do("edit.copy_value_markdown", value=said(bench))
    assert bench.copied == ['```\nprint("a")\nprint("b")\n```\n']


@covers("edit.open_value")
def opens_a_private_copy_in_the_editor(bench: Bench) -> None:
    seen = bench.folder / "seen"
    editor = bench.folder / "my editor"
    editor.write_text(
        f'#!/bin/sh\ncat "$1" > "{seen}.part" && stat -c %a "$1" >> "{seen}.part" && mv "{seen}.part" "{seen}"\n'
    )
    editor.chmod(0o700)
    bench.session.editors = Editors({"VISUAL": f"'{editor}'", "PATH": os.defpath})
    bench.do("edit.open_value", value=said(bench))
    (notice,) = [text for text in bench.notices("info") if "Opened a copy" in text]
    copy = Path(notice.rpartition(": ")[2])
    assert copy.suffix == ".txt"
    assert wait_for(seen.exists)
    assert seen.read_text() == 'print("a")\nprint("b")400\n'
    bench.session.close()
    assert not copy.parent.exists()


def wait_for(condition: Callable[[], bool]) -> bool:
    """Give another program up to twenty seconds."""
    end = time.monotonic() + 20.0
    while not condition():
        if time.monotonic() > end:
            return False
        os.sched_yield()
    return True
