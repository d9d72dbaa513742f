"""Forks, merges, added steps, details, and the proposals of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.state.prompts import Answer
from opentine_gui.core import StepKind
from opentine_gui.core.files import storage
from tests.app.actions.conftest import cases_of, covers, opened, selected
from tests.app.conftest import TREE, Bench
from tests.conftest import named, run_of
from tests.core.analysis.call_runs import Recording


@covers("run.fork")
def proposes_a_fork_and_opens_it_beside_the_source(bench: Bench) -> None:
    record = opened(bench, "c")
    source, content = bench.active, (bench.folder / "run.tine").read_bytes()
    bench.do("run.fork")
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.sentence == "Keeps 3 steps, $0.0030 · drops 3, $0.0030 · run.tine stays as it is"
    assert proposal.step_title == "c"
    bench.do("proposal.accept", title="Second try", tags="x, Y")
    fork = bench.active
    assert fork is not source
    assert bench.session.documents == [source, fork]
    assert (fork.title, fork.path, fork.dirty) == ("Second try", None, True)
    assert bench.record.graph.ids == record.graph.ids[:3]
    assert bench.record.tags == ("x", "y")
    assert bench.record.lineage.fork_point == named(record, "c")
    assert selected(bench) == ["c"]
    assert source.record is record
    assert (bench.folder / "run.tine").read_bytes() == content


@covers("run.fork_edit")
def forks_with_a_sibling_that_has_other_inputs(bench: Bench) -> None:
    record = opened(bench, "c")
    bench.do("run.fork_edit")
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.inputs.value == {"text": "c"}
    bench.do("proposal.accept", inputs='{"text": "c2"}')
    assert [step.inputs["text"] for step in bench.record.graph] == ["a", "b", "c2"]
    assert bench.record.graph.step(2).parent_ids == (named(record, "b"),)
    assert selected(bench) == ["c2"]


@covers("run.change_step")
def changes_a_step_made_here_without_another_fork(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("run.fork_edit", inputs='{"text": "c2"}', accept=True)
    tabs = len(bench.session.documents)
    bench.do("run.change_step")
    bench.do("proposal.accept", inputs='{"text": "c3"}')
    assert [step.inputs["text"] for step in bench.record.graph] == ["a", "b", "c3"]
    assert selected(bench) == ["c3"]
    assert len(bench.session.documents) == tabs


@covers("run.edit_prompt")
def edits_what_a_person_or_the_caller_of_a_sub_agent_had_asked(bench: Bench) -> None:
    run = Recording()
    asked = run.ask("go")
    answer = run.say("I let another look at it")
    task = run.add(StepKind.MODEL, {"text": "look"}, v3_kind="subagent")
    inner = run.call("Read", {"path": "a"})
    joined = run.call("Write", {"path": "b"}, after=[answer, inner])
    bench.open("asked.tine", run.record())
    ids = bench.record.graph.ids
    for step, prompt in ((inner, task), (joined, asked), (answer, asked), (task, task)):
        bench.do("run.edit_prompt", step=ids[step])
        proposal = bench.session.proposal
        assert isinstance(proposal, ForkProposal)
        assert (proposal.step, proposal.edit, proposal.prompt) == (ids[prompt], True, None)
        assert bench.active.selection.ids == (ids[prompt],)


def test_of_an_answer_without_inputs_the_prompt_it_came_from_is_edited(bench: Bench) -> None:
    run = Recording()
    asked = run.ask("go")
    answer = run.say("done")
    bench.open("asked.tine", run.record())
    ids = bench.record.graph.ids
    bench.do("run.fork_edit", step=ids[answer])
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert (proposal.step, proposal.edit) == (ids[asked], True)
    assert bench.active.selection.ids == (ids[asked],)
    assert "no inputs" in bench.notices("info")[0]


def test_of_an_answer_that_only_makes_a_call_the_inputs_of_the_call_are_edited(bench: Bench) -> None:
    run = Recording()
    asked = run.ask("go")
    arguments = {"file_path": "/w/a.yml", "content": "on: push"}
    made = {"tool_calls": [{"name": "Write", "arguments": arguments}]}
    answer = run.add(StepKind.MODEL, {}, outputs=made, model_info="a-model")
    call = run.call("Write", arguments)
    bench.open("asked.tine", run.record())
    ids = bench.record.graph.ids
    bench.do("run.fork_edit", step=ids[answer])
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert (proposal.step, proposal.edit) == (ids[call], True)
    assert proposal.inputs.value == {"name": "Write", "arguments": arguments}
    assert bench.active.selection.ids == (ids[call],)
    bench.do("proposal.cancel")
    bench.do("run.fork", step=ids[answer], accept=True)  # in the fork the call does not follow
    bench.do("run.fork_edit", step=ids[answer])
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.step == ids[asked]
    assert "only its calls do" in bench.notices("info")[-1]


@covers("run.merge")
def joins_two_tips_of_one_run_as_an_edit(bench: Bench) -> None:
    record = opened(bench, "xd")
    assert bench.session.enabled("run.merge") is not None
    bench.do("select.add", step=named(record, "f"))
    bench.do("run.merge")
    proposal = bench.session.proposal
    assert isinstance(proposal, MergeProposal)
    assert proposal.within_one
    assert proposal.refusal is None
    bench.do("proposal.accept", inputs='{"text": "both"}')
    assert len(bench.session.documents) == 1
    assert bench.record.graph.step(6).parent_ids == (named(record, "xd"), named(record, "f"))
    assert bench.active.picture.layout is not None
    assert len(bench.active.picture.layout.nodes) == 7
    assert selected(bench) == ["both"]
    assert bench.active.dirty
    bench.do("edit.undo")
    assert bench.record is record
    assert not bench.active.dirty


def test_of_other_tabs_only_a_step_that_can_be_meant_is_merged_with_the_selected_one(bench: Bench) -> None:
    record = opened(bench, "xd")
    first = bench.active
    second = "Select a second step to merge this one with (Shift+click)."
    assert bench.session.enabled("run.merge") == second
    other = bench.open("other.tine", run_of({"a": "", "other": "a"}, run_id="other"))
    bench.do("select.step", step=named(bench.record, "other"))
    third = bench.open("third.tine", run_of({"a": "", "third": "a", "more": "third"}, run_id="third"))
    bench.do("select.step", step=named(bench.record, "third"))
    bench.session.activate(first)
    assert bench.session.enabled("run.merge") == second, "two other tabs have a selection, which is not in view"
    bench.do("file.close", document=third.number)
    bench.session.activate(first)
    bench.do("run.merge")
    proposal = bench.session.proposal
    assert isinstance(proposal, MergeProposal)
    assert [document for document, _ in proposal.parents] == [first, other]
    bench.do("proposal.cancel")
    bench.do("select.step", step=named(record, "a"))
    bench.do("run.merge")  # of which the step in the other tab comes
    assert bench.session.proposal is None
    assert "a second step to merge this one with" in " ".join(bench.notices())
    bench.do("select.none")
    assert bench.session.enabled("run.merge") == "Select two or more steps first (Shift+click)."


@covers("run.add_step")
def adds_a_step_after_the_selected_one(bench: Bench) -> None:
    record = opened(bench, "xd")
    assert record.main_tip == named(record, "f")
    bench.do("run.add_step")
    bench.do("proposal.accept", kind="think", inputs='{"text": "by hand"}', outputs='{"answer": 1}')
    added = bench.record.graph.step(6)
    assert (added.kind, added.parent_ids) == (StepKind.THINK, (named(record, "xd"),))
    assert (added.inputs, added.outputs, added.model_info) == ({"text": "by hand"}, {"answer": 1}, "")
    assert bench.active.selection.ids == (added.id,)
    assert bench.active.picture.layout is not None
    assert added.id in bench.active.picture.layout.index
    assert bench.active.picture.reveal_when_laid_out is None
    bench.do("edit.undo")
    assert bench.record is record
    assert not bench.active.dirty


def test_a_title_that_is_given_to_an_unsaved_fork_is_shown_and_undone(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("run.fork", step=bench.record.graph.ids[1], accept=True)
    assert bench.active.title == "Fork of run"
    bench.do("run.edit_details", title="Better title", accept=True)
    assert bench.active.title == "Better title"
    bench.do("edit.undo")
    assert bench.active.title == "Fork of run"


@covers("run.edit_details")
def changes_title_tags_and_status_of_the_run(bench: Bench) -> None:
    record = opened(bench)
    content = (bench.folder / "run.tine").read_bytes()
    bench.do("run.edit_details")
    bench.do("proposal.accept", title=" Second look ", tags="x, Y,, x", status="failed")
    assert (bench.record.title, bench.record.tags, bench.record.status) == ("Second look", ("x", "y"), "failed")
    assert bench.record.graph is record.graph or bench.record.graph.ids == record.graph.ids
    assert bench.session.proposal is None
    assert bench.active.dirty
    assert (bench.folder / "run.tine").read_bytes() == content
    bench.do("edit.undo")
    assert bench.record.title == record.title
    assert not bench.active.dirty
    bench.do("edit.redo")
    bench.do("file.save")
    assert storage.read(bench.folder / "run.tine").title == "Second look"


@covers("proposal.change")
def changes_what_is_proposed(bench: Bench) -> None:
    opened(bench)
    bench.do("run.fork_edit")
    bench.do("proposal.change", inputs="[1]")
    assert bench.session.proposal is not None
    assert "expected an object" in (bench.session.proposal.refusal or "")
    assert bench.session.enabled("proposal.accept") == bench.session.proposal.refusal
    bench.do("proposal.change", inputs='{\n"a": ')
    assert bench.session.proposal.refusal == "Inputs, line 2: expecting value"


@covers("proposal.accept")
def does_nothing_without_a_proposal(bench: Bench) -> None:
    opened(bench)
    bench.do("proposal.accept")
    assert len(bench.session.documents) == 1
    assert bench.session.notices.list() == (), "Enter has nothing to say here"
    bench.do("run.fork")
    assert bench.press("Enter")
    bench.session.settle()
    assert len(bench.session.documents) == 2
    assert bench.session.proposal is None


@covers("proposal.cancel")
def drops_what_is_proposed(bench: Bench) -> None:
    opened(bench)
    bench.do("run.fork")
    bench.do("proposal.cancel")
    assert bench.session.proposal is None
    assert len(bench.session.documents) == 1


@covers("proposal.swap")
def turns_the_parents_round(bench: Bench) -> None:
    record = opened(bench)
    bench.do("run.merge", steps=(named(record, "xd"), named(record, "f")), inputs='{"text": "mine"}')
    bench.do("proposal.swap")
    bench.do("proposal.accept")
    assert bench.record.graph.step(6).parent_ids == (named(record, "f"), named(record, "xd"))
    assert bench.record.graph.step(6).inputs == {"text": "mine"}


@covers("run.verify")
def says_what_holds(bench: Bench) -> None:
    opened(bench)
    bench.do("run.verify")
    notice = bench.session.notices.list()[-1]
    assert notice.level == "good"
    assert "All 6 step ids" in notice.detail


def test_a_check_that_was_stopped_is_said_to_be_and_is_not_called_under_way(bench: Bench) -> None:
    opened(bench)
    bench.jobs.hold = True
    bench.session.invoke("run.verify")
    bench.step()
    bench.jobs.stop(bench.active.key("verify"))
    assert "stopped" in bench.active.check_problem


@covers("run.reveal_source")
def opens_the_source_at_the_fork_point(bench: Bench) -> None:
    record = opened(bench)
    assert bench.session.enabled("run.reveal_source") is not None
    bench.do("run.fork", step=named(record, "c")[:12], accept=True)
    bench.do("file.save_as", path=bench.folder / "fork.tine")
    for document in list(bench.session.documents):
        bench.do("file.close", document=document.number)
    bench.open("fork.tine")
    bench.do("run.reveal_source")
    assert bench.active.title == "run.tine"
    assert selected(bench) == ["c"]


def test_a_merge_that_is_undone_leaves_the_steps_selected_that_it_joined(bench: Bench) -> None:
    record = opened(bench)
    joined = [named(record, "xd"), named(record, "f")]
    bench.do("run.merge", steps=joined, accept=True)
    assert bench.active.selection.primary not in joined
    bench.do("edit.undo")
    assert list(bench.active.selection) == joined, "they may be merged in another way"


@covers("run.name_branch")
def names_a_branch_renames_it_and_undo_takes_the_name_back(bench: Bench) -> None:
    record = opened(bench, "c")
    step = named(record, "c")
    bench.do("run.name_branch", "with retry")
    assert bench.record.refs["with retry"] == step
    assert bench.active.dirty and bench.record.graph is record.graph
    bench.do("run.name_branch", name="with two retries")
    assert "with retry" not in bench.record.refs and bench.record.refs["with two retries"] == step
    bench.do("edit.undo")
    assert bench.record.refs["with retry"] == step
    bench.do("run.name_branch", name="")
    assert bench.record.refs == record.refs


def test_a_name_that_was_typed_for_one_run_is_not_given_in_another(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a second start of the program opens a file while the question is on screen."""
    first = bench.open("first.tine", run_of(TREE, run_id="first"))
    bench.do("select.step", step=named(bench.record, "c"))
    later: list[Callable[[Answer | None], None]] = []
    with monkeypatch.context() as held:
        held.setattr(bench.prompter, "ask", lambda _question, answer: later.append(answer))
        bench.do("run.name_branch")
    second = bench.open("second.tine", run_of(TREE, run_id="second"))
    later[0]("with retry")
    bench.session.settle()
    assert first.record is not None and second.record is not None
    assert "with retry" in first.record.refs and "with retry" not in second.record.refs
    assert first.record.run_id == "first" and (first.dirty, second.dirty) == (True, False)


@covers("run.main_branch")
def makes_another_branch_the_main_one_and_undo_the_first_again(bench: Bench) -> None:
    record = opened(bench)
    before = record.main_tip
    ends = [identity for place, identity in enumerate(record.graph.ids) if not record.graph.children_of(place)]
    other = next(identity for identity in ends if identity != before)
    bench.do("run.main_branch", step=other)
    assert bench.record.main_tip == other
    bench.do("edit.undo")
    assert bench.record.main_tip == before


test_the_action_does_what_it_says = cases_of(__name__)
