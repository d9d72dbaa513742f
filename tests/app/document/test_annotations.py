"""Notes, bookmarks and colours: kept by step id beside the runs, undoable, on every run that has the step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from opentine_gui.app.document.side_stores.annotation_store import AnnotationStore
from opentine_gui.app.inspect.annotation_rows import annotated_steps, notes_markdown
from opentine_gui.app.state.annotations import Annotation, changes_between
from opentine_gui.app.state.prompts import Answer
from opentine_gui.core import StorageError
from tests.app.conftest import Bench
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "b"}


def test_a_note_is_undone_and_done_again_and_is_no_edit_of_the_file(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(TREE))
    before = document.path.read_bytes() if document.path else b""
    step = named(bench.record, "b")
    bench.do("step.note", step=step, text="why?")
    assert document.face(1).flags[-1].text == "why?"
    assert not document.dirty
    bench.do("edit.undo")
    assert not document.annotations
    assert all(flag.text != "why?" for flag in document.face(1).flags)
    bench.do("edit.redo")
    assert document.annotations[step] == Annotation("why?")
    assert document.path is not None and document.path.read_bytes() == before


def test_a_note_is_there_in_another_window_and_in_another_run_with_the_step(
    bench: Bench, second_bench: Callable[[], Bench]
) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    step = named(record, "b")
    bench.do("step.note", step=step, text="why?")
    bench.do("step.bookmark", step=step)
    bench.do("step.colour", step=step, name="blue")
    bench.do("step.note", step=named(record, "c"), text="gone")
    bench.do("edit.undo")
    bench.session.close()
    other = second_bench()
    document = other.open("fork.tine", run_of({"a": "", "b": "a", "other": "b"}))
    assert dict(document.annotations) == {step: Annotation("why?", True, "blue")}
    face = document.face(other.record.graph.index(step))
    assert (face.colour, face.border) == ("tool", None)
    assert [flag.text for flag in face.flags][-2:] == ["★", "why?"]


def test_several_steps_are_marked_as_one_edit(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(TREE))
    bench.do("select.all")
    bench.do("step.colour", name="red")
    assert len(document.annotations) == 3
    bench.do("edit.undo")
    assert not document.annotations


def test_a_colour_is_given_where_it_was_asked_for_whatever_came_to_the_front_meanwhile(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(TREE))
    step = named(bench.record, "b")
    bench.do("step.note", step=step, text="why?")
    answers: list[Callable[[Answer | None], None]] = []

    class Later:
        def ask(self, _question: object, answer: Callable[[Answer | None], None]) -> None:
            answers.append(answer)

    bench.session.prompter = Later()
    bench.do("step.colour", step=step)
    bench.open("other.tine", run_of({"z": ""}, run_id="other"))
    answers[0]("Red")
    bench.session.settle()
    assert document.annotations[step] == Annotation("why?", colour="red")
    assert not bench.active.annotations
    assert bench.session.side_stores.annotations.annotations([step])[step].note == "why?"


def test_a_store_that_cannot_be_read_is_never_overwritten(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path)
    store.remember(changes_between({}, {"a": Annotation("kept"), "b": Annotation(bookmarked=True)}))
    store.remember(changes_between({"b": Annotation(bookmarked=True)}, {}))
    assert json.loads(store.path.read_bytes()) == {"a": {"note": "kept"}}
    store.path.write_text("{broken")
    with pytest.raises(StorageError, match="the notes cannot be read"):
        store.annotations(["a"])
    with pytest.raises(StorageError):
        store.remember(changes_between({}, {"c": Annotation("new")}))
    assert store.path.read_text() == "{broken"


def test_notes_that_cannot_be_read_are_said_to_be_missing(bench: Bench) -> None:
    path = bench.session.side_stores.annotations.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b'{"a": {"note": 5}}')
    document = bench.open("run.tine", run_of(TREE))
    assert document.error is None
    (said,) = bench.notices("warning")
    assert said.startswith("Notes, bookmarks and colours are not shown: ")
    assert str(path) in said


def test_notes_as_markdown_hold_no_markup_of_others() -> None:
    record = run_of({"<b>": ""})
    (step,) = annotated_steps(
        record, {record.graph.ids[0]: Annotation("[x](y)\x1b[31m\nnext"), "gone": Annotation("z")}
    )
    text = notes_markdown(record, [step])
    assert "<b>" not in text and "\x1b" not in text and "[x](y)" not in text
    assert text.rstrip().endswith("next")
