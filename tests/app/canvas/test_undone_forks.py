"""Undo takes a fork away while nothing was done in it, and redo brings it back."""

from __future__ import annotations

from opentine_gui.core.files import storage
from opentine_gui.core.files.digest import DigestVerdict
from opentine_gui.scene.space.camera import Camera
from tests.app.conftest import TREE, Bench
from tests.conftest import named, run_of


def test_undo_takes_an_untouched_fork_away_and_redo_brings_it_back_as_it_was(bench: Bench) -> None:
    record = run_of({**TREE, "d": "b"})
    source = bench.open("run.tine", record)
    source.picture.set_camera(Camera(10.0, 20.0, 0.9))
    bench.do("run.fork", step=named(record, "b"), accept=True)
    fork, made = bench.active, bench.record
    bench.do("edit.undo")
    assert bench.active is source
    assert bench.session.documents == [source]
    assert source.picture.camera == Camera(10.0, 20.0, 0.9)
    assert bench.prompter.asked == [], "nothing of the user's is lost, so nothing is asked"
    bench.do("edit.redo")
    assert bench.active is fork
    assert bench.record is made
    assert bench.session.documents == [source, fork]
    bench.do("edit.undo")
    bench.do("canvas.move_steps", pins={named(record, "a"): (5.0, 5.0)})
    assert bench.session.enabled("edit.redo") is not None, "an edit after an undo ends what redo could bring back"


def test_an_edit_that_changes_nothing_leaves_redo_as_it_is(bench: Bench) -> None:
    record = run_of(TREE)
    source = bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    fork = bench.active
    bench.do("edit.undo")
    assert source.state is not None
    source.edit("Nothing", source.state)
    bench.do("edit.redo")
    assert bench.active is fork


def test_undo_takes_back_the_edits_of_a_fork_before_the_fork_itself_and_redo_goes_the_same_way(bench: Bench) -> None:
    record = run_of({**TREE, "d": "b"})
    source = bench.open("run.tine", record)
    bench.do("canvas.move_steps", pins={named(record, "a"): (5.0, 5.0)})
    bench.do("run.fork", step=named(record, "d"), accept=True)
    fork = bench.active
    bench.do("canvas.move_steps", pins={named(record, "b"): (9.0, 9.0)})
    for document, place in ((fork, {}), (source, {})):
        bench.do("edit.undo")
        assert bench.active is document, place
    bench.do("edit.undo")
    assert source.state is not None and source.state.pins == {}
    bench.do("edit.redo")
    assert bench.active is source
    bench.do("edit.redo")
    assert bench.active is fork
    bench.do("edit.redo")
    assert fork.state is not None and named(record, "b") in fork.state.pins


def test_a_fork_that_was_undone_or_closed_unsaved_is_among_the_closed_tabs(bench: Bench) -> None:
    record = run_of(TREE)
    source = bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    fork = bench.active
    bench.do("edit.undo")
    bench.do("file.reopen")
    assert bench.active is fork
    bench.session.activate(source)
    assert bench.session.enabled("edit.redo") is not None, "it is open already"
    bench.session.activate(fork)
    bench.do("file.close", "Don't save")
    bench.do("file.close")
    bench.do("file.reopen")
    assert bench.active.path == source.path, "what was closed last comes first"
    bench.do("file.reopen")
    assert bench.active is fork
    assert fork.dirty
    assert bench.session.documents.count(fork) == 1


def test_a_saved_fork_is_not_taken_away_by_undo(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    bench.do("file.save_as", path=bench.folder / "fork.tine")
    fork = bench.active
    bench.do("edit.undo")
    assert bench.active is fork


def test_undo_of_a_merge_across_runs_goes_back_to_the_run_it_was_made_in(bench: Bench) -> None:
    record = run_of(TREE)
    one = bench.open("one.tine", record)
    two = bench.open("two.tine", run_of({**TREE, "d": "c"}, run_id="two"))
    parents = ((one.number, named(record, "b")), (two.number, named(bench.record, "d")))
    bench.do("run.merge", parents=parents, accept=True)
    assert bench.active not in (one, two)
    bench.do("edit.undo")
    assert bench.active is two
    assert bench.session.documents == [one, two]


def test_a_saved_fork_has_a_digest_to_check_and_undo_comes_back_to_it(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    bench.do("file.save_as", (bench.folder / "fork.tine",))
    bench.session.settle()
    document = bench.active
    assert document.verification is not None
    assert document.verification.digest.verdict is DigestVerdict.OK
    assert bench.record.source is not None
    assert not document.dirty
    stored = storage.read(bench.folder / "fork.tine")
    assert bench.record.source.integrity == stored.metadata["integrity"] == bench.record.metadata["integrity"]


def test_undo_after_a_save_and_an_edit_is_clean_again(bench: Bench) -> None:
    record = run_of({**TREE, "d": "a"})
    bench.open("run.tine", record)
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.do("file.save")
    saved = bench.record
    bench.do("run.merge", steps=(named(record, "b"), named(record, "d")), accept=True)
    assert bench.active.dirty
    bench.do("edit.undo")
    assert bench.record is saved
    assert not bench.active.dirty
    assert saved.untouched


def test_a_fork_of_a_fork_that_was_undone_stays(bench: Bench) -> None:
    """Undo removes a fork where redo can bring it back; without the run it was made in there is no such place."""
    record = run_of({"a": "", "b": "a"})
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "a"), accept=True)
    first = bench.active
    bench.do("run.fork", step=named(record, "a"), accept=True)
    second = bench.active
    bench.session.activate(first)
    bench.do("edit.undo")
    assert first not in bench.session.documents
    bench.session.activate(second)
    bench.do("edit.undo")
    assert bench.session.active is second
    assert bench.notices("info") != []


def test_undo_of_a_fork_asks_about_what_was_typed_into_its_forms(bench: Bench) -> None:
    record = run_of(TREE)
    source = bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    fork = bench.active
    bench.do("run.add_step", step=bench.record.graph.ids[-1], inputs='{"prompt":"a long text"}')
    bench.do("edit.undo", "Stay")
    assert [question.title for question in bench.prompter.asked] == [f"Close {fork.title} and forget what was typed?"]
    assert bench.session.documents == [source, fork]
    assert bench.session.proposal is not None and bench.session.proposal.touched
    bench.do("document.activate", document=source.number)
    bench.do("document.activate", document=fork.number)
    assert bench.session.drafts
    bench.do("edit.undo", "Close and forget it")
    assert bench.session.documents == [source]
    bench.do("edit.redo")
    assert bench.session.documents == [source, fork]
    bench.do("edit.undo")
    assert bench.session.documents == [source]
    assert len(bench.prompter.asked) == 2
