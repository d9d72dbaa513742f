"""Which steps become slides, and what a slide says of a step."""

from __future__ import annotations

import pytest

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.findings import findings_of
from opentine_gui.app.inspect.reading.slide import LONGEST, Slide, slide_of
from opentine_gui.app.inspect.reading.told_steps import MOST_SLIDES, SHORT, spread, told_steps
from opentine_gui.core import RunRecord, RunStatus
from tests.app.conftest import Bench
from tests.core.analysis.call_runs import Recording


def long_session(*, edits: int = 1) -> RunRecord:
    """Two tasks with many looks, a failure, edits and a check."""
    run = Recording()
    run.ask("Make it two")
    for number in range(8):
        run.call("Read", {"file_path": f"/w/src/{number}.py"}, "1\tdef f():\n")
    run.call("Bash", {"command": "go test ./..."}, failed="store.go:8:15: cannot use nil as Store\nmore")
    for number in range(edits):
        edit = {"file_path": "/w/src/a.py", "old_string": f"return {number}", "new_string": f"return {number + 1}"}
        run.call("Edit", edit, "ok")
    run.say("It is two now, and **all** of it builds")
    run.ask("Now three")
    run.call("Read", {"file_path": "/w/src/a.py"}, "1\tdef f():\n")
    run.call("Bash", {"command": "go test ./..."}, "ok  \tstore\t0.2s")
    run.say("All pass")
    return run.record(status=RunStatus.COMPLETED)


def positions(bench: Bench, steps: tuple[str, ...]) -> list[int]:
    return [bench.record.graph.index(step) for step in steps]


def look_through(bench: Bench, document: Document) -> None:
    """Have the run looked through for its last check, as the panels do."""
    while findings_of(bench.session, document) is None:
        bench.session.settle()


def slides(bench: Bench) -> list[Slide]:
    look_through(bench, bench.active)
    steps, _ = told_steps(bench.session, bench.active)
    found = [slide_of(bench.session, bench.active, steps, number) for number in range(len(steps))]
    assert None not in found
    return [slide for slide in found if slide is not None]


def read(slide: Slide) -> str:
    return "\n".join(slide.body[number].text for number in range(len(slide.body)))


def test_of_a_long_run_questions_failures_edits_notes_and_the_end_become_slides(bench: Bench) -> None:
    record = long_session()
    look_through(bench, bench.open("long.tine", record))
    asked, failed, edited, asked_again, check, end = 0, 9, 10, 12, 14, 15
    assert len(record.graph) > SHORT
    steps, position = told_steps(bench.session, bench.active)
    assert positions(bench, steps) == [asked, failed, edited, asked_again, check, end]
    assert position == 0
    bench.do("step.note", step=record.graph.ids[5], text="Look here")
    steps, _ = told_steps(bench.session, bench.active)
    assert positions(bench, steps) == [asked, 5, failed, edited, asked_again, check, end]


def test_from_a_step_that_does_not_stand_out_it_is_a_slide_too(bench: Bench) -> None:
    record = long_session()
    bench.open("long.tine", record)
    bench.do("select.step", step=record.graph.ids[4])
    steps, position = told_steps(bench.session, bench.active)
    assert steps[position] == record.graph.ids[4]
    assert len(steps) > 4


def test_where_there_are_too_many_edits_give_way_evenly(bench: Bench) -> None:
    record = long_session(edits=100)
    bench.open("long.tine", record)
    bench.session.settle()
    steps, _ = told_steps(bench.session, bench.active)
    found = positions(bench, steps)
    assert len(found) == MOST_SLIDES
    assert {0, 9, 10, 109} <= set(found), "the question, the failure, the first and the last edit"


@pytest.mark.parametrize("most", [0, 1, 2, 5, 9, 10, 30])
def test_a_spread_keeps_order_and_both_ends(most: int) -> None:
    found = spread(range(10), most)
    assert len(found) == min(most, 10)
    assert found == sorted(set(found))
    assert not found or found[-1] == 9
    assert most < 2 or found[0] == 0


def test_slides_say_what_was_asked_and_answered_what_failed_and_why_and_what_was_changed(bench: Bench) -> None:
    bench.open("long.tine", long_session())
    asked, failed, edited, again, check, end = slides(bench)
    assert (asked.label, asked.title) == ("Asked", "Make it two")
    assert "It is two now" in read(asked)
    assert asked.place == "Slide 1 of 6 · task 1 of 2 · step 1 of 16"
    assert (failed.label, failed.role) == ("Failure", "bad")
    assert failed.reason.endswith("store.go:8:15: cannot use nil as Store")
    assert "go test ./..." in read(failed) and "more" in read(failed)
    assert edited.label == "Edit"
    assert "-return 0" in read(edited) and "+return 1" in read(edited)
    assert again.place.startswith("Slide 4 of 6 · task 2 of 2")
    assert check.label.startswith("Call · ") and check.role == "good"
    assert "store" in read(check)
    assert "end of the run: completed" in end.label


def test_a_long_text_is_cut_and_the_slide_says_by_how_much(bench: Bench) -> None:
    run = Recording()
    run.ask("Print it")
    run.call("Bash", {"command": "cat it"}, "word\n" * LONGEST)
    bench.open("run.tine", run.record())
    _, printed = slides(bench)
    assert f"{4 * LONGEST:,} characters more" in read(printed)


def test_hostile_text_reaches_a_slide_cleaned(bench: Bench) -> None:
    run = Recording()
    run.ask("a\u202eb\x1b[31mc")
    run.call("Bash", {"command": "echo \u202e\x07"}, failed="bad\u202e\x00thing")
    bench.open("run.tine", run.record())
    for slide in slides(bench):
        said = " ".join((slide.title, slide.reason, slide.label, read(slide)))
        assert not any(sign in said for sign in "\u202e\x00\x07\x1b")
