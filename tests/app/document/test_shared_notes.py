"""Notes, bookmarks and colours of a step that several tabs or windows show: each shows them, and none is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.document.document import Document
from opentine_gui.app.state.annotations import (
    NOTHING,
    Annotation,
    AnnotationChange,
    Annotations,
    Rewording,
    changes_between,
    with_changes,
)
from tests.app.conftest import Bench
from tests.app.files.saved_runs import TREE
from tests.conftest import named, run_of

THOUGHT = "an hour of thought"


def run_and_fork(bench: Bench) -> tuple[Document, Document, str]:
    """A run, a fork of it, and a step that both have."""
    record = run_of(TREE)
    source = bench.open("run.tine", record)
    step = named(record, "b")
    bench.do("run.fork", step=step, accept=True)
    return source, bench.active, step


def stored(bench: Bench, step: str) -> Annotation:
    return bench.session.side_stores.annotations.annotations([step]).get(step, NOTHING)


def test_a_note_in_a_fork_outlives_a_bookmark_in_the_tab_of_its_source(bench: Bench) -> None:
    source, fork, step = run_and_fork(bench)
    bench.do("step.note", step=step, text=THOUGHT)
    assert source.annotations[step] == Annotation(THOUGHT)
    assert any(flag.text == THOUGHT for flag in source.face(source.picture.index_of(step) or 0).flags)
    bench.session.activate(source)
    bench.do("step.bookmark", step=step)
    assert source.annotations[step] == fork.annotations[step] == stored(bench, step) == Annotation(THOUGHT, True)


def test_undo_takes_back_what_was_done_in_its_own_tab(bench: Bench) -> None:
    source, fork, step = run_and_fork(bench)
    bench.session.activate(source)
    bench.do("step.bookmark", step=step)
    bench.session.activate(fork)
    bench.do("step.note", step=step, text=THOUGHT)
    bench.session.activate(source)
    bench.do("edit.undo")
    assert source.annotations[step] == fork.annotations[step] == stored(bench, step) == Annotation(THOUGHT)
    bench.do("edit.redo")
    assert source.annotations[step] == fork.annotations[step] == stored(bench, step) == Annotation(THOUGHT, True)
    assert not source.dirty


def test_a_tab_that_is_brought_back_shows_what_was_written_meanwhile(bench: Bench) -> None:
    source, fork, step = run_and_fork(bench)
    bench.do("file.close", "Don't save")
    assert bench.active is source
    bench.do("step.note", step=step, text=THOUGHT)
    bench.do("file.reopen")
    assert bench.active is fork
    assert fork.annotations[step] == Annotation(THOUGHT)
    bench.do("edit.undo")
    bench.do("step.note", step=step, text="shorter")
    bench.do("edit.undo")
    bench.do("edit.redo")
    assert fork.annotations[step].note == stored(bench, step).note


def test_two_windows_write_beside_one_step(bench: Bench, second_bench: Callable[[], Bench]) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    step = named(record, "b")
    other = second_bench()
    other.do("file.open", path=bench.folder / "run.tine")
    bench.do("step.note", step=step, text=THOUGHT)
    other.do("step.colour", step=step, name="red")
    other.do("step.note", step=step, text="another")
    assert stored(bench, step) == Annotation(f"{THOUGHT}\n\nanother", colour="red")
    other.do("step.note", step=step, text="another one")
    bench.do("edit.undo")
    assert stored(bench, step) == Annotation("another one", colour="red")


def test_a_note_whose_writing_was_cut_off_is_deleted_for_good(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    step = named(record, "b")
    bench.jobs.hold = True
    bench.session.invoke("step.note", step=step, text=THOUGHT)
    bench.step()
    (job,) = [job for job in bench.jobs.held if job.key == "annotations"]
    job.execute()  # it is on the disk, and the window does not know
    bench.session.invoke("step.delete_note", step=step)
    bench.step()
    bench.session.close()
    assert stored(bench, step) == NOTHING


@pytest.mark.parametrize("first", ["open", "annotations"])
def test_what_is_not_written_yet_is_there_when_the_run_is_closed_and_opened_again(bench: Bench, first: str) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    step = named(record, "b")
    bench.jobs.hold = True
    bench.session.invoke("step.note", step=step, text=THOUGHT)
    bench.session.invoke("canvas.move_steps", pins={step: (70.0, 80.0)})
    bench.session.invoke("file.close")
    bench.session.invoke("file.reopen")
    bench.step()
    held, bench.jobs.held, bench.jobs.hold = bench.jobs.held, [], False
    (reads,) = [job for job in held if job.key.startswith("open")]
    reads.execute()  # before anything is on the disk
    writes = [job for job in held if job.key in ("annotations", "positions")]
    assert len(writes) == 2
    for job in [reads, *writes] if first == "open" else [*writes, reads]:
        if job is not reads:
            job.execute()
        bench.jobs._finish(job)
    bench.session.settle()
    assert bench.active.annotations == {step: Annotation(THOUGHT)}
    assert bench.active.state is not None and bench.active.state.pins == {step: (70.0, 80.0)}
    bench.do("step.bookmark", step=step)
    assert stored(bench, step) == Annotation(THOUGHT, True)


def test_a_note_that_is_deleted_while_its_run_is_opened_again_does_not_come_back(bench: Bench) -> None:
    source, fork, step = run_and_fork(bench)
    bench.do("step.note", step=step, text=THOUGHT)
    bench.do("file.close", document=source.number)
    bench.jobs.hold = True
    bench.session.invoke("file.reopen")
    bench.step()
    (reads,) = [job for job in bench.jobs.held if job.key.startswith("open")]
    reads.execute()
    bench.jobs.held, bench.jobs.hold = [], False
    bench.session.invoke("document.activate", document=fork.number)
    bench.session.invoke("step.delete_note", step=step)
    bench.step()
    bench.jobs._finish(reads)
    bench.session.settle()
    assert [dict(one.annotations) for one in bench.session.documents] == [{}, {}]


texts = st.sampled_from(["", "one", "two", "one\n\ntwo", "three"])
notes = st.builds(Annotation, texts, st.booleans(), st.sampled_from(["", "red"]))
beside = st.dictionaries(st.sampled_from("ab"), notes.filter(lambda one: not one.empty))


def put(store: Annotations, changes: dict[str, AnnotationChange]) -> dict[str, Annotation]:
    changed = {step: change.stored(store.get(step, NOTHING)) for step, change in changes.items()}
    return {step: one for step, one in {**store, **changed}.items() if not one.empty}


@given(beside, beside, beside)
def test_changes_lead_from_one_state_to_the_next_one_by_one_and_joined(
    first: dict[str, Annotation], second: dict[str, Annotation], third: dict[str, Annotation]
) -> None:
    one, other = changes_between(first, second), changes_between(second, third)
    assert with_changes(first, one) == put(first, one) == second
    both = {step: one.get(step, AnnotationChange()).then(other.get(step, AnnotationChange())) for step in "ab"}
    assert with_changes(first, both) == put(first, both) == third
    assert put(second, both) == put(third, both) == third  # what was written already is written again


@given(st.lists(st.sampled_from(["mine", "mine too", ""]), min_size=1), st.text("xyz\n ", min_size=1))
def test_what_another_window_wrote_stays_whole(words: list[str], theirs: str) -> None:
    olds = ["", *words]
    for there in (theirs, f"{theirs}\n\n{olds[-2]}" if olds[-2] else theirs):
        after = Rewording((olds[-2],), olds[-1]).of(there)
        assert after == (f"{theirs}\n\n{olds[-1]}" if olds[-1] else theirs)
