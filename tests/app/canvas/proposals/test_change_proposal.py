"""A step that was made here and is not saved is corrected where it is, not in a fork of the fork."""

from __future__ import annotations

from opentine_gui.app.canvas.proposals.change_proposal import ChangeProposal
from opentine_gui.app.canvas.proposals.current_proposal import current_proposal
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from tests.app.conftest import TREE, Bench
from tests.conftest import named, run_of


def edited_fork(bench: Bench) -> str:
    """Open a fork whose last step was edited, unsaved; returns the id of that step."""
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork_edit", step=named(record, "c"), inputs='{"prompt": "onec"}', accept=True)
    return bench.record.graph.ids[-1]


def test_what_was_typed_wrong_in_a_fork_is_corrected_in_it(bench: Bench) -> None:
    wrong = edited_fork(bench)
    document, tabs = bench.active, len(bench.session.documents)
    bench.do("step.note", step=wrong, text="look here")
    bench.do("run.fork_edit", step=wrong)
    proposal = current_proposal(bench.session)
    assert isinstance(proposal, ChangeProposal)
    assert (proposal.inputs.value, proposal.touched) == ({"prompt": "onec"}, False)
    bench.do("proposal.accept", inputs='{"prompt": "once"}')
    assert (bench.active, len(bench.session.documents)) == (document, tabs)
    right = bench.record.graph.ids[-1]
    assert bench.record.graph.step(right).inputs == {"prompt": "once"}
    assert wrong not in bench.record.graph
    assert document.selection.primary == right
    assert document.annotations[right].note == "look here"
    bench.do("edit.undo")
    assert bench.record.graph.ids[-1] == wrong
    bench.do("edit.redo")
    assert bench.record.graph.ids[-1] == right


def test_a_fork_of_it_can_be_made_all_the_same_with_what_was_typed(bench: Bench) -> None:
    wrong = edited_fork(bench)
    bench.do("run.fork_edit", step=wrong)
    bench.do("proposal.change", inputs='{"prompt": "once"}')
    proposal = current_proposal(bench.session)
    assert isinstance(proposal, ChangeProposal)
    bench.do("run.fork_edit", step=wrong, instead=True, inputs=proposal.inputs)
    fork = current_proposal(bench.session)
    assert isinstance(fork, ForkProposal)
    assert fork.inputs.value == {"prompt": "once"}


def test_what_is_in_the_file_or_came_from_the_source_is_never_changed(bench: Bench) -> None:
    edited_fork(bench)
    inherited = bench.record.graph.ids[0]
    assert "come after" in (bench.session.enabled("run.change_step", step=inherited) or "")
    bench.do("file.save_as", path=bench.folder / "fork.tine")
    tip = bench.record.graph.ids[-1]
    assert "not saved" in (bench.session.enabled("run.change_step", step=tip) or "")
    bench.do("run.fork_edit", step=tip)
    assert isinstance(current_proposal(bench.session), ForkProposal)
    bench.do("proposal.cancel")
    bench.do("run.add_step", step=tip, inputs='{"prompt": "next"}', accept=True)
    added = bench.record.graph.ids[-1]
    assert bench.session.enabled("run.change_step", step=added) is None
    bench.do("run.change_step", step=added, inputs='{"prompt": "then"}', accept=True)
    assert [bench.record.graph.step(step).inputs for step in bench.record.graph.ids[-1:]] == [{"prompt": "then"}]


def test_the_fork_point_and_a_merge_stay_as_they_are(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    assert "not saved" in (bench.session.enabled("run.change_step", step=named(record, "b")) or "")
    bench.open("run.tine")
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    assert "merge" in (bench.session.enabled("run.change_step", step=bench.record.graph.ids[-1]) or "")


def test_a_note_that_was_deleted_does_not_come_back_with_the_words_a_step_had_before(bench: Bench) -> None:
    first = edited_fork(bench)
    document = bench.active
    bench.do("step.note", step=first, text="look here")
    bench.do("run.change_step", step=first, inputs='{"prompt": "once"}', accept=True)
    second = bench.record.graph.ids[-1]
    bench.do("step.delete_note", step=second)
    bench.do("run.change_step", step=second, inputs='{"prompt": "onec"}', accept=True)
    assert bench.record.graph.ids[-1] == first
    assert dict(document.annotations) == {}
    assert bench.session.side_stores.annotations.annotations([first, second]) == {}
    for _ in range(2):
        bench.do("edit.undo")
    assert document.annotations[second].note == "look here"


def test_another_fork_keeps_the_note_of_a_step_that_is_corrected_in_the_first(bench: Bench) -> None:
    wrong = edited_fork(bench)
    one = bench.active
    bench.do("run.fork", step=wrong, accept=True)
    other = bench.active
    assert other is not one and wrong in bench.record.graph
    bench.do("step.note", step=wrong, text="look here")
    bench.do("document.activate", document=one.number)
    bench.do("run.change_step", step=wrong, inputs='{"prompt": "once"}', accept=True)
    right = bench.record.graph.ids[-1]
    assert one.annotations[right].note == other.annotations[wrong].note == "look here"
    kept = bench.session.side_stores.annotations.annotations([wrong, right])
    assert [kept[step].note for step in (wrong, right)] == ["look here"] * 2
