"""Where people look first: what was asked last and how the run ended, on cards and as signs."""

from __future__ import annotations

from opentine_gui.app.document.picture.card_faces import CardFaces
from opentine_gui.app.inspect.analysis.landmarks import landmarks
from opentine_gui.core import RunRecord, RunStatus
from tests.core.analysis.call_runs import Recording

LOG = {"capture": {"method": "transcript-import"}}


def short_run(status: RunStatus = RunStatus.RUNNING) -> RunRecord:
    run = Recording()
    run.ask("look at it")
    run.say("I looked")
    run.ask("now mend it")
    run.call("Bash", {"command": "ls"})
    run.say("Mended")
    return run.record(status=status, metadata=LOG)


def test_the_landmarks_are_the_last_turn_and_the_end() -> None:
    record = short_run()
    asked, end = landmarks(record)
    assert (asked.word, asked.title) == ("asked last", "now mend it")
    assert (end.word, end.title) == ("last step", "Mended"), "the log does not say that it is the end"
    assert landmarks(short_run(RunStatus.COMPLETED))[-1].word == "end"
    run = Recording()
    run.call("Bash", {"command": "ls"})
    assert [mark.word for mark in landmarks(run.record(status=RunStatus.FAILED, metadata=LOG))] == ["end: failed"]


def test_the_cards_of_a_run_shown_step_by_step_say_it_too() -> None:
    record = short_run(RunStatus.COMPLETED)
    faces = CardFaces(record, None)
    flags = [[flag.text for flag in faces.face(step).flags] for step in range(len(record.graph))]
    assert flags == [[], [], ["asked last"], [], ["turn ended"]]


def test_that_nothing_is_priced_is_not_said_on_each_card() -> None:
    run = Recording()
    run.ask("look")
    run.say("done", usage={"input_tokens": 5}, duration=2.0)
    figures = CardFaces(run.record(), None).face(1).figures
    assert "not priced" not in figures and "2.0 s" in figures
    run.say("more", cost=0.5, usage={"cost": 0.5})
    assert "not priced" in CardFaces(run.record(), None).face(1).figures, "of a run that is priced in part it is news"
