"""Notes, bookmarks and colours of steps."""

from __future__ import annotations

from tests.app.actions.conftest import cases_of, covers, opened, selected
from tests.app.conftest import Bench
from tests.conftest import named


@covers("step.note")
def _note(bench: Bench) -> None:
    opened(bench)
    bench.do("step.note", "  look here  ")
    (step,) = bench.active.selection
    assert bench.active.annotations[step].note == "look here"
    bench.do("step.note", "")
    assert not bench.active.annotations


@covers("step.delete_note")
def _delete_note(bench: Bench) -> None:
    record = opened(bench)
    assert bench.session.enabled("step.delete_note") == "There is no note here."
    bench.do("step.note", text="look here")
    bench.do("step.bookmark")
    (step,) = bench.active.selection
    bench.do("step.delete_note")
    assert bench.active.annotations[step].note == "" and bench.active.annotations[step].bookmarked
    assert bench.notices("info")[-1] == "Deleted the note “look here”. Undo brings it back."
    bench.do("edit.undo")
    assert bench.active.annotations[step].note == "look here"
    other = named(record, "e")
    bench.do("step.note", step=other, text="and there")
    bench.do("step.delete_note", step=other)
    assert bench.active.annotations[step].note == "look here", "only that of the step it is asked for"
    bench.do("edit.undo")
    bench.do("select.all")
    bench.do("step.delete_note")
    assert not any(one.note for one in bench.active.annotations.values())
    assert bench.notices("info")[-1] == "Deleted the 2 notes. Undo brings them back."
    bench.do("edit.undo")
    assert sorted(one.note for one in bench.active.annotations.values()) == ["and there", "look here"]


@covers("step.bookmark")
def _bookmark(bench: Bench) -> None:
    opened(bench)
    assert bench.session.actions["step.bookmark"].state(bench.session) is False
    bench.do("step.bookmark")
    assert bench.session.actions["step.bookmark"].state(bench.session) is True
    other = next(step for step in bench.record.graph.ids if step not in bench.active.selection)
    assert bench.session.actions["step.bookmark"].state(bench.session, step=other) is False, "of the one pointed at"
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


test_the_action_does_what_it_says = cases_of(__name__)
