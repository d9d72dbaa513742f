"""A step that something is proposed of goes, or gets another id: the proposal goes with it, or follows it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opentine_gui.app.canvas.proposals.current_proposal import current_proposal
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.canvas.proposals.step_proposal import StepProposal
from opentine_gui.core.files import storage
from opentine_gui.importers import readers
from opentine_gui.ui.proposals.wording import parts_of, pieces_of, title_of
from tests.app.conftest import TREE, Bench
from tests.app.files.saved_runs import edited
from tests.app.files.tiny_sessions import TINY, chain
from tests.conftest import named, run_of

CLOSED = "What was proposed is closed: its step is no longer in the run."
KEPT = " What was typed is kept until this tab closes."


@pytest.mark.parametrize("action", ["run.fork", "run.fork_edit", "run.add_step", "run.change_step"])
def test_what_is_proposed_of_a_step_goes_when_undo_takes_the_step_away(bench: Bench, action: str) -> None:
    record = edited(bench)
    if action == "run.change_step":
        bench.do("run.add_step", step=named(record, "b"), accept=True)
    last = bench.record.graph.ids[-1]
    bench.do(action, step=last)
    assert bench.session.proposal is not None
    bench.do("edit.undo")
    assert bench.session.proposal is None
    assert bench.notices("info") == [CLOSED]
    bench.do("proposal.accept")
    assert not bench.notices("error")
    bench.do("edit.redo")
    bench.do(action, step=last)
    assert bench.session.proposal is not None


def test_a_merge_goes_when_one_of_its_parents_does(bench: Bench) -> None:
    record = edited(bench)
    merged = bench.record.graph.ids[-1]
    bench.do("run.add_step", step=named(record, "a"), accept=True)
    bench.do("run.merge", steps=(bench.record.graph.ids[-1], merged))
    assert bench.session.proposal is not None
    bench.do("edit.undo")
    assert bench.session.proposal is None
    assert bench.notices("info") == [CLOSED.replace("its step", "one of its steps")]


def test_what_was_typed_is_there_again_when_the_step_is(bench: Bench) -> None:
    edited(bench)
    last = bench.record.graph.ids[-1]
    bench.do("run.add_step", step=last)
    bench.do("proposal.change", inputs='{"prompt": "a long text"}')
    bench.do("edit.undo")
    assert bench.session.proposal is None
    assert bench.notices("info") == [CLOSED + KEPT]
    bench.do("edit.redo")
    bench.do("run.add_step", step=last)
    proposal = bench.session.proposal
    assert isinstance(proposal, StepProposal)
    assert proposal.inputs.value == {"prompt": "a long text"}


def test_what_is_proposed_goes_with_a_run_that_another_program_replaces(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork_edit", step=named(record, "b"))
    storage.write(bench.folder / "run.tine", run_of({"x": "", "y": "x"}, run_id="other"))
    bench.watch.post([bench.folder / "run.tine"])
    bench.session.settle()
    assert bench.session.proposal is None
    assert CLOSED in bench.notices("info")


def test_what_is_proposed_goes_with_the_edits_that_reload_discards(bench: Bench) -> None:
    edited(bench)
    bench.do("run.add_step", step=bench.record.graph.ids[-1])
    bench.do("file.reload", "Reload")
    assert len(bench.record.graph) == 3
    assert bench.session.proposal is None
    assert CLOSED in bench.notices("info")


def test_what_is_proposed_of_a_step_that_stays_stays(bench: Bench) -> None:
    record = edited(bench)
    for action in ("run.add_step", "run.fork_edit"):
        bench.do(action, step=named(record, "b"))
        before = bench.session.proposal
        bench.do("edit.undo")
        bench.do("edit.redo")
        assert bench.session.proposal is before
    assert not bench.notices("info")


def _fork(bench: Bench, step: str) -> None:
    bench.do("run.fork_edit", step=step)
    bench.do("proposal.change", inputs='{"text": "other"}', title="Try")


def _add(bench: Bench, step: str) -> None:
    bench.do("run.add_step", step=step)
    bench.do("proposal.change", inputs='{"prompt": "more"}')


@pytest.mark.parametrize("propose", [_fork, _add])
def test_what_is_proposed_follows_a_step_whose_rest_is_recorded_meanwhile(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, propose: Callable[[Bench, str], None]
) -> None:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))
    path = bench.folder / "session.jsonl"
    path.write_bytes(chain("abc"))
    bench.open("session.jsonl")
    was = bench.record.graph.ids[-1]
    propose(bench, was)
    before = bench.session.proposal
    for result in ("half", "done"):
        with path.open("ab") as file:
            file.write(b'{"tiny": "c", "result": "' + result.encode() + b'"}\n')
        bench.clock.now += 1.0
        bench.watch.post([path])
        bench.session.settle()
    assert was not in bench.record.graph
    now = current_proposal(bench.session)
    assert isinstance(before, ForkProposal | StepProposal)
    assert isinstance(now, type(before))
    assert now.step == bench.record.graph.ids[-1]
    assert now.inputs == before.inputs
    assert now.touched
    assert not bench.session.drafts, "it was not left"
    assert title_of(now)
    assert pieces_of(now)
    assert parts_of(now)
    assert not bench.notices()
    bench.do("proposal.accept")
    assert not bench.notices("error")
    assert not bench.session.drafts
