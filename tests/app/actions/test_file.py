"""Files are opened, saved, closed, recovered and exported."""

from __future__ import annotations

from opentine_gui.app.document.members import ShownTogether
from opentine_gui.app.state.prompts import OpenFile, OpenFolder, SaveFile
from opentine_gui.core.files import storage
from tests.app.actions.conftest import TREE, cases_of, covers, opened, opened_two, overlay_of, selected
from tests.app.conftest import Bench
from tests.conftest import named, run_of


@covers("file.open")
def opens_what_the_user_chooses(bench: Bench) -> None:
    path = bench.write("one.tine", run_of(TREE))
    other = bench.write("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("file.open", (path, other))
    assert isinstance(bench.prompter.asked[0], OpenFile)
    assert [document.title for document in bench.session.documents] == ["one.tine", "two.tine"]
    assert bench.active.picture.layout is not None
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


def test_a_closed_comparison_or_family_is_opened_again_with_its_runs(bench: Bench) -> None:
    opened(bench, "b")
    bench.do("run.fork", accept=True)
    fork = bench.active
    bench.do("compare.open")
    bench.do("compare.swap")
    title = bench.active.title
    bench.do("file.close")
    bench.session.activate(fork)
    bench.do("run.add_step", accept=True, step=bench.record.graph.ids[-1])
    edited = bench.record
    bench.do("file.close", "Don't save")
    bench.do("file.reopen")
    assert bench.active is fork
    bench.do("file.reopen")
    assert bench.active.title == title == "Compare Fork of run and run"
    assert overlay_of(bench).family.records[0] is edited
    bench.do("family.open")
    bench.do("file.close")
    bench.do("file.close", document=bench.session.documents[0].number)
    bench.do("file.reopen")
    assert bench.active.title == "run.tine"
    bench.do("file.reopen")
    assert bench.active.title == "Family of 2 runs"
    bench.do("file.reopen")
    assert bench.active.title == "Family of 2 runs", "what is open is not opened twice"


def test_a_comparison_without_its_files_is_passed_over(bench: Bench) -> None:
    opened_two(bench)
    bench.do("compare.open")
    for _ in range(3):
        bench.do("file.close")
    assert bench.session.documents == []
    tabs = bench.session.closed_tabs
    tabs.rotate(-1)  # the comparison is the last one that was closed
    kept = [run.record for tab in tabs if isinstance(tab, ShownTogether) for run in tab.members]
    assert kept == [None, None], "a run in a file is read from it again"
    (bench.folder / "left.tine").unlink()
    bench.do("file.reopen")
    bench.do("file.reopen")
    assert [document.title for document in bench.session.documents] == ["right.tine"]


def test_a_recent_file_that_is_gone_is_passed_over(bench: Bench) -> None:
    bench.open("one.tine", run_of({"a": ""}))
    bench.open("two.tine", run_of({"b": ""}))
    for _ in range(2):
        bench.do("file.close")
    bench.session.closed_tabs.clear()
    (bench.folder / "two.tine").unlink()
    bench.do("file.reopen")
    assert [document.title for document in bench.session.documents] == ["one.tine"]
    bench.do("file.reopen")
    assert bench.notices() == ["What was open before is not there any more."]


@covers("file.reload")
def reads_the_file_again_and_asks_before_edits_are_lost(bench: Bench) -> None:
    record = opened(bench, "c")
    camera = bench.active.picture.camera
    bench.write("run.tine", run_of({**TREE, "g": "f"}))
    bench.do("file.reload")
    assert len(bench.record.graph) == 7
    assert selected(bench) == ["c"]
    assert bench.active.picture.camera is not None
    assert camera is not None
    assert bench.active.picture.camera.zoom == camera.zoom
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


test_the_action_does_what_it_says = cases_of(__name__)
