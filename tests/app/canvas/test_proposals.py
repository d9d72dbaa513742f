"""Edge cases of forks and merges: refusals, roots, several runs, and what proposals say."""

from __future__ import annotations

import re

import pytest

from opentine_gui.app.canvas.proposals import current_proposal as proposals
from opentine_gui.app.canvas.proposals import fork_proposal
from opentine_gui.app.canvas.proposals.fork_proposal import LONGEST_SOURCE, ForkProposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.files.saving import suggested_name
from opentine_gui.app.system import jobs
from opentine_gui.core import CostState, EditError, short_id
from opentine_gui.core.files import storage
from opentine_gui.describe.step_titles import title
from tests.app.conftest import TREE, Bench
from tests.conftest import named, run_of
from tests.core.analysis.call_runs import Recording


@pytest.mark.parametrize(
    ("steps", "reason"),
    [(("b", "b"), "named twice"), (("a", "b"), "ancestor"), (("c", "a"), "ancestor")],
)
def test_a_merge_that_cannot_be_is_refused_with_the_reason(bench: Bench, steps: tuple[str, str], reason: str) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.merge", steps=tuple(named(record, step) for step in steps))
    assert bench.session.proposal is None
    said = bench.notices("error")[0]
    assert reason in said
    titles = {title(record.graph.step(record.graph.index(named(record, step)))) for step in steps}
    assert all(f"“{words}”" in said for words in titles), "steps are called as they are seen"
    assert not any(short_id(named(record, step)) in said for step in steps)
    assert bench.record is bench.active.saved_state.record if bench.active.saved_state else False


def test_why_a_merge_cannot_be_comes_before_the_names_of_the_steps_which_are_short(bench: Bench) -> None:
    run = Recording()
    run.ask("We are solving the following issue within our repository, and here is its text. " * 3)
    run.call(
        "Bash", {"command": "python reproduce_the_bug_of_the_issue_in_the_repository.py --with all --that it needs"}
    )
    record = run.record(refs={"main": run.steps[-1].id})
    bench.open("run.tine", record)
    bench.do("run.merge", steps=record.graph.ids[:2])
    said = bench.notices("error")[0]
    assert said.startswith("Merge: there is nothing to join: “We are solving the following")
    assert len(said) < 130


def test_what_several_open_runs_have_selected_is_joined_once(bench: Bench) -> None:
    record = run_of({"a": "", "b": "a", "c": "b"})
    source = bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    bench.session.activate(source)
    bench.do("select.step", step=named(record, "b"))
    bench.do("run.fork_edit", step=named(record, "b"), inputs='{"text": "b2"}', accept=True)
    edited = bench.active.selection.ids[0]
    bench.do("run.merge")  # the source and its first fork both have b selected
    proposal = proposals.current_proposal(bench.session)
    assert isinstance(proposal, MergeProposal)
    assert [step for _document, step in proposal.parents] == [edited, named(record, "b")]


def test_three_steps_can_be_joined_in_the_order_they_were_selected(bench: Bench) -> None:
    record = run_of({**TREE, "d": "a"})
    bench.open("run.tine", record)
    for name in ("d", "b", "c"):
        bench.do("select.add", step=named(record, name))
    bench.do("run.merge", accept=True)
    assert bench.record.graph.parent_ids(4) == tuple(named(record, name) for name in ("d", "b", "c"))


@pytest.mark.parametrize("swaps", [0, 1, 2])
def test_of_a_merge_that_was_made_nothing_is_typed_and_not_done_in_whichever_order(bench: Bench, swaps: int) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), inputs='{"text": "typed"}')
    for _ in range(swaps):
        bench.do("proposal.swap")
    assert not bench.session.drafts, "it was not left"
    bench.do("proposal.accept")
    bench.do("file.save")
    asked = len(bench.prompter.asked)
    bench.do("file.close")
    assert len(bench.prompter.asked) == asked
    assert not bench.session.documents


def test_what_was_typed_into_a_merge_is_there_again_whichever_step_is_selected_first(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    steps = (named(record, "b"), named(record, "c"))
    bench.do("run.merge", steps=steps, inputs='{"text": "typed"}')
    bench.do("proposal.cancel")
    bench.do("run.merge", steps=steps[::-1])
    proposal = bench.session.proposal
    assert isinstance(proposal, MergeProposal)
    assert proposal.inputs.value == {"text": "typed"}
    assert [step for _document, step in proposal.parents] == list(steps[::-1])


def test_a_fork_may_begin_with_figures_of_its_own(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), reset_metrics=True, accept=True)
    assert bench.record.shown_totals.cost == 0.0
    assert bench.record.inherited_totals.steps == 2


def test_a_fork_of_a_fork_that_was_never_saved_is_offered_a_name_beside_the_first_source(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    bench.do("run.fork", step=named(record, "a"), accept=True)
    assert suggested_name(bench.active, bench.folder) == "run-fork.tine"
    assert len(bench.session.documents) == 3


def test_a_second_fork_without_a_title_is_told_from_the_first(bench: Bench) -> None:
    record = run_of(TREE)
    source = bench.open("run.tine", record)
    titles = []
    for step in "abc":
        bench.session.activate(source)
        bench.do("run.fork", step=named(record, step), accept=True)
        titles.append(bench.active.title)
    assert titles == ["Fork of run", "Fork 2 of run", "Fork 3 of run"]


def test_a_fork_of_a_fork_is_the_next_fork_of_its_source(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    titles = []
    for step in "baa":
        bench.do("run.fork", step=named(record, step), accept=True)
        titles.append(bench.active.title)
    assert titles == ["Fork of run", "Fork 2 of run", "Fork 3 of run"]


def test_editing_a_root_makes_a_run_with_the_other_root(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork_edit", step=named(record, "a"), inputs='{"text": "other"}', accept=True)
    assert [step.inputs["text"] for step in bench.record.graph] == ["other"]


def test_editing_nothing_is_refused_and_the_proposal_stays(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork_edit", step=named(record, "b"))
    bench.do("proposal.accept")
    if len(bench.session.documents) == 1:
        assert bench.session.proposal is not None
        assert "in the run already" in bench.notices("error")[0]
    else:  # outputs and errors are part of an id: the sibling differs if the step had any
        assert bench.record.graph.ids[-1] not in record.graph


def test_unpriced_work_is_said_to_cost_at_least(bench: Bench) -> None:
    from opentine_gui.core import Graph, Step

    record = run_of(TREE)
    steps = [
        Step(
            id=step.id,
            parent_ids=step.parent_ids,
            kind=step.kind,
            inputs=step.inputs,
            model_info=step.model_info,
            cost=0.0 if number == 1 else step.cost,
            usage={"input": 5},
        )
        for number, step in enumerate(record.graph)
    ]
    assert steps[1].cost_state is CostState.UNPRICED
    bench.open("run.tine", record.with_graph(Graph.of(steps)))
    bench.do("run.fork", step=named(record, "b"))
    assert bench.session.proposal is not None
    assert "≥ $0.0010" in bench.session.proposal.sentence


def test_runs_that_hold_one_id_with_different_content_cannot_be_merged(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("one.tine", record)
    text = storage.read_bytes(bench.folder / "one.tine").replace(b'"text": "a"', b'"text": "z"')
    (bench.folder / "two.tine").write_bytes(text)
    two = bench.open("two.tine")
    one = bench.session.documents[0]
    bench.do("run.merge", parents=((one.number, named(record, "b")), (two.number, named(record, "c"))))
    assert "different content" in bench.notices("error")[0]


def test_a_step_that_does_not_verify_is_a_warning_and_not_a_refusal(bench: Bench) -> None:
    record = run_of(TREE)
    bench.write("one.tine", record)
    text = storage.read_bytes(bench.folder / "one.tine").replace(b'"text": "b"', b'"text": "y"')
    (bench.folder / "one.tine").write_bytes(text)
    bench.open("one.tine")
    assert bench.active.face(1).seal == "mismatch"
    b, c = bench.record.graph.ids[1:3]
    bench.do("run.merge", steps=(b, c))
    proposal = bench.session.proposal
    assert isinstance(proposal, MergeProposal)
    assert any("verify" in warning for warning in proposal.warnings)
    bench.do("proposal.accept")
    assert len(bench.record.graph) == 4


def test_a_proposal_goes_away_with_its_document(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("run.fork", step=bench.record.graph.ids[0])
    bench.do("file.close")
    assert bench.session.proposal is None


def test_a_proposal_goes_away_when_another_document_comes_to_the_front(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("run.fork", step=bench.record.graph.ids[0])
    assert bench.session.proposal is not None
    bench.open("two.tine", run_of(TREE, run_id="two"))
    assert bench.session.proposal is None


def test_a_field_a_proposal_does_not_have_is_refused(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("run.fork", step=bench.record.graph.ids[0])
    bench.do("proposal.change", color="red")
    assert "'color'" in bench.notices("error")[0]


def test_flags_name_refs_tips_and_how_the_run_ended(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE, status="failed"))
    flags = [(flag.text, flag.role) for flag in bench.active.face(2).flags]
    assert flags == [("main", "text"), ("failed", "bad")]
    assert bench.active.face(0).flags == ()


def test_the_cost_of_the_step_that_is_edited_is_not_kept(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork_edit", step=named(record, "b"))
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.sentence == ("Keeps 1 step, $0.0010, replaces this one, drops 1, $0.0010 · run.tine stays as it is")


def test_of_a_long_title_the_promise_behind_it_is_kept(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open(f"{'long words ' * 10}.tine", record)
    bench.do("run.fork", step=named(record, "b"))
    bench.do("proposal.accept")
    assert bench.active.title.startswith("Fork of long words long words")
    bench.do("run.fork_edit", step=named(record, "b"))
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    source = proposal.sentence.rpartition(" · ")[2]
    assert re.fullmatch(r"Fork of long words long words .{3,20}… stays as it is", source)
    assert len(source) <= LONGEST_SOURCE + len(" stays as it is")


def test_where_no_step_has_a_price_a_fork_says_nothing_of_costs(bench: Bench) -> None:
    run = Recording()
    run.ask("look")
    run.say("done", usage={"input_tokens": 5})
    asked = run.record().graph.ids[0]
    for name, sentence in (
        ("unpriced", "Keeps 1 step · drops 1 · unpriced.tine stays as it is"),
        ("partly", "Keeps 1 step, cost not recorded · drops 2, ≥ $0.5000 · partly.tine stays as it is"),
    ):
        bench.open(f"{name}.tine", run.record())
        bench.do("run.fork", step=asked)
        proposal = bench.session.proposal
        assert isinstance(proposal, ForkProposal)
        assert proposal.sentence == sentence
        run.say("more", cost=0.5, usage={"cost": 0.5})


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"a": NaN}', '{"a": "\\ud800"}', '{"a": ' + "9" * 5000 + "}"])
def test_inputs_that_no_file_can_hold_as_typed_are_refused(bench: Bench, text: str) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork_edit", step=named(record, "b"))
    bench.do("proposal.change", inputs=text)
    assert bench.session.proposal is not None
    assert (bench.session.proposal.refusal or "").startswith("Inputs: ")
    bench.do("proposal.accept")
    assert len(bench.session.documents) == 1


def test_a_change_of_the_title_does_not_look_at_the_inputs_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    record, read = run_of(TREE), []
    bench.open("run.tine", record)
    bench.do("run.fork_edit", step=named(record, "b"))
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.refusal is None
    monkeypatch.setattr(fork_proposal, "object_problem", lambda form, _what: read.append(form))
    proposal = proposals.with_fields(proposal, title="other")
    assert proposal.refusal is None
    assert read == []
    assert proposals.with_fields(proposal, inputs="{}").refusal is None
    assert len(read) == 1


def test_what_was_typed_into_a_fork_that_was_left_is_there_again(bench: Bench) -> None:
    record = run_of(TREE)
    document = bench.open("run.tine", record)
    bench.do("run.fork_edit", step=named(record, "b"))
    bench.do("proposal.change", inputs='{"text": "half"}', title="Try")
    bench.do("proposal.cancel")
    bench.do("run.fork_edit", step=named(record, "c"))
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.inputs.value == {"text": "c"}
    bench.do("run.fork_edit", step=named(record, "b"))
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert (proposal.inputs.value, proposal.title) == ({"text": "half"}, "Try")
    assert proposal.inputs.changes == 1
    bench.do("proposal.accept")
    bench.session.activate(document)
    bench.do("run.fork_edit", step=named(record, "b"))
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert not proposal.touched, "what was done is not proposed again"
    bench.do("proposal.change", title="x")
    bench.do("proposal.cancel")
    assert bench.session.drafts
    bench.do("file.close", "Stay")
    assert bench.session.drafts
    bench.do("file.close", "Close and forget it")
    assert not bench.session.drafts


def test_f_again_makes_the_fork_that_is_proposed(bench: Bench) -> None:
    record = run_of(TREE)
    source = bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"))
    bench.do("run.fork", step=named(record, "c"))
    assert bench.active is source, "another step: another proposal"
    bench.do("run.fork", step=named(record, "c"))
    assert bench.active is not source
    assert bench.record.lineage.fork_point == named(record, "c")


def test_two_large_forks_begun_one_after_the_other_are_both_made_and_the_same_one_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "INLINE_STEPS", 0)
    record = run_of(TREE)
    source = bench.open("run.tine", record)
    bench.jobs.hold = True
    for name, times in (("b", 1), ("c", 2)):
        bench.session.invoke("run.fork", step=named(record, name))
        for _ in range(times):
            bench.session.invoke("proposal.accept")
        bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    made = [one.record for one in bench.session.documents if one is not source]
    assert [one.lineage.fork_point for one in made if one is not None] == [named(record, "b"), named(record, "c")]


def test_a_fork_of_many_steps_is_made_in_a_job_and_its_proposal_stays_until_it_is_there(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "INLINE_STEPS", 3)
    record = run_of(TREE)
    source = bench.open("run.tine", record)
    bench.session.invoke("run.fork", step=named(record, "b"), title="Second try", accept=True)
    bench.step()
    assert [job.title for job in bench.session.jobs.running()] == ["Forking run"]
    assert bench.active is source
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.title == "Second try"
    bench.session.settle()
    assert bench.session.proposal is None
    assert bench.record.graph.ids == (named(record, "a"), named(record, "b"))
    assert bench.record.title == "Second try"


@pytest.mark.parametrize("inline", [2, 1000], ids=["in a job", "at once"])
def test_what_was_typed_stays_when_a_fork_fails(bench: Bench, monkeypatch: pytest.MonkeyPatch, inline: int) -> None:
    def failing(*_arguments: object, **_options: object) -> None:
        raise EditError("the step cannot be kept")

    monkeypatch.setattr(jobs, "INLINE_STEPS", inline)
    monkeypatch.setattr(fork_proposal, "fork", failing)
    record = run_of(TREE)
    source = bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"))
    bench.do("proposal.accept", title="Second try")
    assert bench.active is source
    assert "the step cannot be kept" in bench.notices("error")[0]
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.title == "Second try"
