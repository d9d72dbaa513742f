"""A call of a session gets its result, and with it another id, while something else is asked or typed about it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opentine_gui.app.canvas.proposals.current_proposal import current_proposal
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.canvas.proposals.step_proposal import StepProposal
from opentine_gui.app.files.closing import SHOW
from opentine_gui.app.files.recovery.typed_forms import typed_forms
from opentine_gui.app.files.recovery.typed_texts import RecoveredDraft
from opentine_gui.app.state.prompts import Answer, AskText, Question
from opentine_gui.importers import readers
from tests.app.conftest import TREE, Bench
from tests.app.files.tiny_sessions import TINY, append, chain, live, named, step
from tests.conftest import run_of

RESULT = b'{"tiny": "c", "result": "done"}\n'


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))


@pytest.fixture
def held(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> list[Callable[[Answer | None], None]]:
    """The answers that questions wait for."""
    waiting: list[Callable[[Answer | None], None]] = []

    def ask(_question: Question, answer: Callable[[Answer | None], None]) -> None:
        waiting.append(answer)

    monkeypatch.setattr(bench.prompter, "ask", ask)
    return waiting


@pytest.mark.parametrize(("action", "answer"), [("step.note", "slow"), ("step.colour", "Green")])
def test_what_is_asked_about_a_step_is_answered_of_the_step_as_it_is_called_then(
    bench: Bench, held: list[Callable[[Answer | None], None]], action: str, answer: str
) -> None:
    path = live(bench, chain("abc"))
    was = named(bench, "c")
    bench.do(action, step=was)
    append(bench, path, RESULT)
    held.pop()(answer)
    bench.session.settle()
    now = named(bench, "c")
    assert now != was
    assert was not in bench.active.annotations
    assert answer.lower() in (bench.active.annotations[now].note, bench.active.annotations[now].colour)


def test_a_branch_is_named_at_the_step_as_it_is_called_then(
    bench: Bench, held: list[Callable[[Answer | None], None]]
) -> None:
    path = live(bench, chain("abc"))
    bench.do("run.name_branch", step=named(bench, "c"))
    append(bench, path, RESULT)
    held.pop()("best")
    bench.session.settle()
    assert bench.record.refs["best"] == named(bench, "c")


def test_a_note_whose_step_is_gone_is_said_to_be_unkept_and_can_be_copied(
    bench: Bench, held: list[Callable[[Answer | None], None]]
) -> None:
    path = live(bench, chain("abc"))
    bench.do("step.note", step=named(bench, "c"))
    path.write_bytes(chain("ab"))
    append(bench, path, b"")
    held.pop()("a long note")
    bench.session.settle()
    assert not bench.active.annotations
    notice = bench.session.notices.get("note")
    assert notice is not None
    assert notice.text == "The note was not kept: its step is no longer in the run."
    ((_, action, arguments),) = notice.actions
    bench.do(action, **arguments)
    assert bench.copied == ["a long note"]


def test_what_was_typed_and_left_is_found_at_the_step_as_it_is_called_now(bench: Bench) -> None:
    path = live(bench, chain("abc"))
    bench.do("run.add_step", step=named(bench, "c"))
    bench.do("proposal.change", inputs='{"prompt": "my words"}')
    bench.do("proposal.cancel")
    append(bench, path, RESULT)
    assert [form.name for form in typed_forms(bench.session)] == ["A step after step 3 in “session”"]
    bench.do("file.close", SHOW)
    assert not bench.notices("error")
    proposal = current_proposal(bench.session)
    assert isinstance(proposal, StepProposal)
    assert (proposal.step, proposal.inputs.value) == (named(bench, "c"), {"prompt": "my words"})


def test_what_was_typed_into_a_merge_and_left_follows_its_steps(bench: Bench) -> None:
    path = live(bench, chain("ab") + step("c", "a"))
    bench.do("run.merge", steps=(named(bench, "b"), named(bench, "c")))
    bench.do("proposal.change", title="both")
    bench.do("proposal.cancel")
    append(bench, path, RESULT)
    bench.do("run.merge", steps=(named(bench, "b"), named(bench, "c")))
    proposal = current_proposal(bench.session)
    assert isinstance(proposal, MergeProposal)
    assert proposal.title == "both"


def test_what_was_typed_before_a_crash_follows_its_step_too(
    bench: Bench,
) -> None:
    path = live(bench, chain("abc"))
    draft = RecoveredDraft(("step", 1, named(bench, "c")), frozenset({1}), {"inputs": '{"prompt": "my words"}'})
    bench.session.drafts[draft.subject] = draft
    append(bench, path, RESULT)
    bench.do("run.add_step", step=named(bench, "c"))
    proposal = current_proposal(bench.session)
    assert isinstance(proposal, StepProposal)
    assert proposal.inputs.value == {"prompt": "my words"}


def test_what_was_typed_about_a_step_that_is_corrected_follows_it_and_its_undo(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("run.add_step", step=bench.record.graph.ids[0], accept=True, inputs='{"prompt": "x"}')
    was = bench.record.graph.ids[-1]
    bench.do("run.add_step", step=was)
    bench.do("proposal.change", inputs='{"prompt": "my words"}')
    bench.do("proposal.cancel")
    bench.do("run.change_step", step=was, accept=True, inputs='{"prompt": "y"}')
    now = bench.record.graph.ids[-1]
    assert now != was
    assert [subject[2] for subject in map(tuple, bench.session.drafts)] == [now]
    bench.do("edit.undo")
    assert [subject[2] for subject in map(tuple, bench.session.drafts)] == [was]
    bench.do("edit.redo")
    bench.do("run.add_step", step=now)
    proposal = current_proposal(bench.session)
    assert isinstance(proposal, StepProposal)
    assert proposal.inputs.value == {"prompt": "my words"}


def test_a_note_that_was_left_follows_its_step(bench: Bench) -> None:
    path = live(bench, chain("abc"))
    bench.do("step.note", step=named(bench, "c"))
    asked = bench.prompter.asked[-1]
    assert isinstance(asked, AskText)
    assert asked.left is not None
    append(bench, path, RESULT)
    asked.left("slow")
    append(bench, path, RESULT.replace(b"done", b"all done"))
    bench.do("step.note", step=named(bench, "c"))
    asked = bench.prompter.asked[-1]
    assert isinstance(asked, AskText)
    assert asked.value == "slow"


def test_back_leads_to_a_step_that_got_its_result_since(bench: Bench) -> None:
    path = live(bench, chain("abc"))
    for name in "abca":
        bench.do("select.step", step=named(bench, name))
    append(bench, path, RESULT)
    bench.do("go.back")
    assert bench.active.selection.ids == (named(bench, "c"),)
    append(bench, path, RESULT.replace(b"done", b"all done"))
    assert bench.active.selection.ids == (named(bench, "c"),)
    bench.do("go.back")
    assert bench.active.selection.ids == (named(bench, "b"),)


def test_slides_show_a_step_that_gets_its_result_meanwhile(bench: Bench) -> None:
    path = live(bench, chain("abc"))
    bench.do("select.step", step=named(bench, "c"))
    bench.do("present.start")
    bench.do("present.last")
    append(bench, path, RESULT)
    presentation = bench.session.presentation
    assert presentation is not None
    assert presentation.step == named(bench, "c")
    bench.do("present.first")
    bench.do("present.last")
    assert bench.active.selection.ids == (named(bench, "c"),)
    bench.do("present.stop")
    assert bench.active.selection.ids == (named(bench, "c"),)


@pytest.mark.parametrize("action", ["run.fork", "run.fork_edit"])
def test_what_a_fork_will_keep_and_drop_follows_the_run_that_grows(bench: Bench, action: str) -> None:
    path = live(bench, chain("abc"))
    bench.do(action, step=named(bench, "b"))
    if action == "run.fork_edit":
        bench.do("proposal.change", inputs='{"text": "other"}')
    append(bench, path, step("d", "c") + step("e", "d"))
    proposal = current_proposal(bench.session)
    assert isinstance(proposal, ForkProposal)
    assert len(proposal.preview.dropped) == len(bench.record.graph) - len(proposal.preview.kept_ids)
    assert "drops 3" in proposal.sentence
    assert proposal.touched is (action == "run.fork_edit")
    assert not bench.session.drafts
