"""Which steps become slides, and what a slide says of a step."""

from __future__ import annotations

import pytest

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.picture.card_faces import WORDS_HIDDEN
from opentine_gui.app.inspect.analysis.findings import findings_of
from opentine_gui.app.inspect.reading.slide import LONGEST, Slide, slide_of
from opentine_gui.app.inspect.reading.told_steps import MOST_SLIDES, SHORT, spread, told_steps
from opentine_gui.core import RunRecord, RunStatus, StepKind
from opentine_gui.core.analysis import hidden_secrets
from tests.app.conftest import Bench
from tests.conftest import run_of
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
    bench.until(lambda: findings_of(bench.session, document) is not None, "what was found in the run")


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


def test_of_many_requests_those_with_most_work_are_told_beside_failures_and_edits(bench: Bench) -> None:
    run = Recording()
    worked: list[int] = []
    for number in range(60):
        asked = run.ask(f"/mode {number}")
        if number % 6 == 3:
            worked.append(asked)
            for file in range(5):
                run.call("Read", {"file_path": f"/w/{number}/{file}.py"}, "1\tx\n")
            run.call("Bash", {"command": f"make {number}"}, failed=f"no {number}")
            run.call("Edit", {"file_path": "/w/a.py", "old_string": f"{number}", "new_string": f"{number}x"}, "ok")
            run.say(f"Done {number}")
    look_through(bench, bench.open("run.tine", run.record()))
    steps, _ = told_steps(bench.session, bench.active)
    found = positions(bench, steps)
    graph = bench.record.graph
    assert len(found) <= MOST_SLIDES
    assert set(worked) <= set(found), "each of those that were followed by work"
    assert sum(bool(graph.failed[step]) for step in found) >= 5
    assert sum(b'"Edit"' in bytes(graph.raws[step]) for step in found) >= 5


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
    assert end.label.endswith("end: completed")


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


KEY = "ghp_" + "Abc123Def456Ghi789Jkl012Mno345Pqr678"


def secret_session() -> RunRecord:
    run = Recording()
    run.ask(f"Deploy it with {KEY}")
    run.call("Bash", {"command": f"export API_KEY={KEY}"}, f"password=hunter22 {KEY}", failed=f"401 for {KEY}")
    run.call("Edit", {"file_path": "/w/.env", "old_string": "A=1", "new_string": f"A={KEY}"}, "ok")
    run.say(f"It is {KEY}")
    return run.record()


def test_no_slide_and_no_card_beside_it_has_a_secret_and_what_was_hidden_is_counted(bench: Bench) -> None:
    record = secret_session()
    document = bench.open("run.tine", record)
    bench.do("step.note", step=record.graph.ids[2], text=f"My {KEY}")
    bench.do("present.start")
    for slide in slides(bench):
        said = " ".join((slide.title, slide.reason, slide.note, read(slide)))
        assert KEY[:10] not in said and "hunter" not in said
    found = [slide.hidden for slide in slides(bench)]
    assert found[0] == "Secrets hidden in 2 places; check for others yourself", "of the request and of its answer"
    assert all(found)
    faces = [document.face(card) for card in range(len(record.graph))]
    assert not any(KEY[:10] in f"{face.title}{face.line}{face.flags}" for face in faces)
    bench.do("present.stop")
    assert KEY[:10] in document.face(0).title, "nothing is hidden beside a presentation"
    steps, _ = told_steps(bench.session, document)
    shown = slide_of(bench.session, document, steps, 0, hides=False)
    assert shown is not None and KEY in shown.title and shown.hidden == "Secrets are shown"
    assert KEY in str(bench.record.graph.step(0).inputs)


def test_a_card_of_several_steps_says_nothing_where_one_of_them_has_a_secret(bench: Bench) -> None:
    document = bench.open("long.tine", run_of({f"{n} {KEY}": f"{n - 1} {KEY}" if n else "" for n in range(200)}))
    fold = document.picture.fold
    assert fold is not None
    bench.do("present.start")
    for card in range(len(fold)):
        face = document.face(card)
        assert KEY[:8] not in f"{face.title}{face.line}{face.flags}{face.group}"
        assert not fold.is_group(card) or face.title == WORDS_HIDDEN
    bench.do("present.stop")
    group = next(card for card in range(len(fold)) if fold.is_group(card))
    bench.do("fold.open", step=document.picture.step_id(group))
    bench.do("present.start")
    opened = document.picture.fold
    assert opened is not None and opened.open_groups
    assert [tab.title for tab in opened.groups_shown(document.faces.hides_secrets)] == ["Opened group"] * len(
        opened.open_groups
    )


def test_until_secrets_were_looked_for_a_group_says_nothing_and_no_step_is_read_for_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = bench.open("long.tine", run_of({f"n{n}": f"n{n - 1}" if n else "" for n in range(200)}))
    fold = document.picture.fold
    assert fold is not None
    group = next(card for card in range(len(fold)) if fold.is_group(card))
    shown = document.face(group).title
    bench.jobs.hold = True
    bench.session.invoke("present.start")
    bench.step()
    monkeypatch.setattr(hidden_secrets, "hide_in_step", None)
    assert document.face(group).title == WORDS_HIDDEN
    monkeypatch.undo()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert document.face(group).title == shown, "nothing in it looks like one"


def test_a_presented_log_that_grows_keeps_the_words_of_the_groups_that_were_looked_through(bench: Bench) -> None:
    shape = {f"n{n}": f"n{n - 1}" if n else "" for n in range(200)}
    document = bench.open("long.tine", run_of(shape))
    bench.do("present.start")
    longer = run_of({**shape, "n200": "n199"}).graph
    present = bench.record.graph
    hidden = document.faces._has_secrets(longer)
    assert longer.ids[:200] == present.ids
    assert not hidden(range(150)) and hidden((199, 200)), "the new step was not looked through yet"


def test_where_nothing_was_hidden_the_first_slide_says_that_it_was_looked_for(bench: Bench) -> None:
    bench.open("long.tine", long_session())
    first, *others = slides(bench)
    assert first.hidden == "No secret recognised; check for others yourself"
    assert {slide.hidden for slide in others} == {""}


def test_a_header_of_a_log_is_no_slide_of_a_long_run_and_what_was_said_last_is(bench: Bench) -> None:
    run = Recording()
    run.add(StepKind.MODEL, {"text": "/proj", "sandbox": "on"}, v3_kind="policy")
    run.ask("Look at all of it")
    for number in range(12):
        run.call("Read", {"file_path": f"/w/{number}.py"}, "1\tx\n")
    run.call("Edit", {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}, "ok")
    run.say("Here is what I changed")
    run.call("Bash", {"command": "git commit -am x"}, "ok")
    document = bench.open("run.tine", run.record())
    steps, _ = told_steps(bench.session, document)
    assert positions(bench, steps) == [1, 14, 15, 16]
    header = slide_of(bench.session, document, (bench.record.graph.ids[0],), 0)
    assert header is not None and "sandbox" in read(header), "chosen by hand it says what is recorded"
