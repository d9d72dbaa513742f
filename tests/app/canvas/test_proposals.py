"""Edge cases of forks and merges: refusals, roots, several runs, and what proposals say."""

from __future__ import annotations

import numpy as np
import pytest

from opentine_gui.app.canvas import fork_proposal, in_view, layouts, previews, proposals
from opentine_gui.app.canvas.fork_proposal import ForkProposal
from opentine_gui.app.canvas.merge_proposal import MergeProposal, propose_merge
from opentine_gui.app.document.camera.arrival import hold_top
from opentine_gui.app.document.camera.framing import card_bounds
from opentine_gui.app.files.saving import suggested_name
from opentine_gui.app.system import jobs
from opentine_gui.core import CostState, EditError, short_id
from opentine_gui.core.files import storage
from opentine_gui.core.files.digest import DigestVerdict
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.space.camera import Camera, Viewport, to_screen, view_rect
from tests.app.conftest import Bench
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "a"}


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


def test_three_steps_can_be_joined_in_the_order_they_were_selected(bench: Bench) -> None:
    record = run_of({**TREE, "d": "a"})
    bench.open("run.tine", record)
    for name in ("d", "b", "c"):
        bench.do("select.add", step=named(record, name))
    bench.do("run.merge", accept=True)
    assert bench.record.graph.parent_ids(4) == tuple(named(record, name) for name in ("d", "b", "c"))


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


def on_screen(bench: Bench, step: str) -> tuple[float, float]:
    """The pixel of the canvas where a step's card is, and the zoom."""
    document = bench.active
    assert document.layout is not None and document.camera is not None
    x, y = document.layout.centers[document.layout.index[step]]
    return to_screen(document.camera, bench.session.viewport, float(x), float(y))


@pytest.mark.parametrize("action", ["run.fork", "run.fork_edit"])
@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_after_a_fork_the_view_is_where_it_was_at_the_fork_point(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, action: str, large: bool
) -> None:
    if large:  # then the picture of the source is shown until there is one of the fork
        monkeypatch.setattr(layouts, "LARGE_GRAPH_STEPS", 3)
    record = run_of({"a": "", "b": "a", "c": "b", "d": "c", "e": "a", "f": "e", "g": "f"})
    document = bench.open("run.tine", record)
    document.set_camera(Camera(130.0, 240.0, 0.8))
    before = on_screen(bench, named(record, "d"))
    edit = {"inputs": '{"text": "d2"}'} if action == "run.fork_edit" else {}
    bench.do(action, step=named(record, "d"), accept=True, **edit)
    fork = bench.active
    assert fork is not document and fork.camera is not None
    assert fork.camera.zoom == 0.8
    assert on_screen(bench, fork.selection.ids[0]) == pytest.approx(before, abs=0.01)


def test_undo_takes_an_untouched_fork_away_and_redo_brings_it_back_as_it_was(bench: Bench) -> None:
    record = run_of({**TREE, "d": "b"})
    source = bench.open("run.tine", record)
    source.set_camera(Camera(10.0, 20.0, 0.9))
    bench.do("run.fork", step=named(record, "b"), accept=True)
    fork, made = bench.active, bench.record
    bench.do("edit.undo")
    assert bench.active is source
    assert bench.session.documents == [source]
    assert source.camera == Camera(10.0, 20.0, 0.9)
    assert bench.prompter.asked == [], "nothing of the user's is lost, so nothing is asked"
    bench.do("edit.redo")
    assert bench.active is fork
    assert bench.record is made
    assert bench.session.documents == [source, fork]
    bench.do("edit.undo")
    bench.do("canvas.move_steps", pins={named(record, "a"): (5.0, 5.0)})
    assert bench.session.enabled("edit.redo") is not None, "an edit after an undo ends what redo could bring back"


def test_undo_takes_back_the_edits_of_a_fork_before_the_fork_itself_and_redo_goes_the_same_way(bench: Bench) -> None:
    record = run_of({**TREE, "d": "b"})
    source = bench.open("run.tine", record)
    bench.do("canvas.move_steps", pins={named(record, "a"): (5.0, 5.0)})
    bench.do("run.fork", step=named(record, "d"), accept=True)
    fork = bench.active
    bench.do("canvas.move_steps", pins={named(record, "b"): (9.0, 9.0)})
    for document, place in ((fork, {}), (source, {})):
        bench.do("edit.undo")
        assert bench.active is document, place
    bench.do("edit.undo")
    assert source.state is not None and source.state.pins == {}
    bench.do("edit.redo")
    assert bench.active is source
    bench.do("edit.redo")
    assert bench.active is fork
    bench.do("edit.redo")
    assert fork.state is not None and named(record, "b") in fork.state.pins


def test_a_fork_that_was_undone_or_closed_unsaved_is_among_the_closed_tabs(bench: Bench) -> None:
    record = run_of(TREE)
    source = bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    fork = bench.active
    bench.do("edit.undo")
    bench.do("file.reopen")
    assert bench.active is fork
    bench.session.activate(source)
    assert bench.session.enabled("edit.redo") is not None, "it is open already"
    bench.session.activate(fork)
    bench.do("file.close", "Don't save")
    bench.do("file.close")
    bench.do("file.reopen")
    assert bench.active.path == source.path, "what was closed last comes first"
    bench.do("file.reopen")
    assert bench.active is fork
    assert fork.dirty
    assert bench.session.documents.count(fork) == 1


def test_a_saved_fork_is_not_taken_away_by_undo(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    bench.do("file.save_as", path=bench.folder / "fork.tine")
    fork = bench.active
    bench.do("edit.undo")
    assert bench.active is fork


def test_undo_of_a_merge_across_runs_goes_back_to_the_run_it_was_made_in(bench: Bench) -> None:
    record = run_of(TREE)
    one = bench.open("one.tine", record)
    two = bench.open("two.tine", run_of({**TREE, "d": "c"}, run_id="two"))
    parents = ((one.number, named(record, "b")), (two.number, named(bench.record, "d")))
    bench.do("run.merge", parents=parents, accept=True)
    assert bench.active not in (one, two)
    bench.do("edit.undo")
    assert bench.active is two
    assert bench.session.documents == [one, two]


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
    bench.do("file.close")
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


@pytest.mark.parametrize("shrunk", [260.0, 140.0])
def test_the_cards_of_a_proposal_stay_in_view_when_the_canvas_shrinks(bench: Bench, shrunk: float) -> None:
    record = run_of({**TREE, "d": "b", "e": "c"})
    document = bench.open("run.tine", record)
    session, before = bench.session, bench.session.viewport
    for action, steps in (("run.fork", "e"), ("run.merge", "de")):
        document.set_camera(Camera(110.0, 100.0, 1.0))
        ids = tuple(named(record, step) for step in steps)
        bench.do(action, **({"steps": ids} if action == "run.merge" else {"step": ids[0]}))
        after = Viewport(before.width, shrunk)
        hold_top(document, before, after)
        session.viewport = after
        session.step()
        assert document.layout is not None and document.camera is not None
        proposal = proposals.current_proposal(session)
        assert proposal is not None
        centers = in_view.proposed_centers(document, document.layout, proposal)
        assert len(centers) == (3 if action == "run.merge" else 1)
        x0, y0, x1, y1 = card_bounds(document.layout, centers)
        left, top, right, bottom = view_rect(document.camera, after)
        assert left <= x0 and top <= y0 and x1 <= right and y1 <= bottom
        document.set_camera(Camera(9000.0, 0.0, 1.0))
        session.step()
        assert document.camera == Camera(9000.0, 0.0, 1.0), "whoever looks elsewhere is left alone"
        session.viewport = before
        bench.do("proposal.cancel")


def test_the_ghost_of_a_merge_covers_no_card(bench: Bench) -> None:
    record = run_of({"a": "", "b": "a", "c": "a", "d": "b", "e": "d", "f": "c", "g": "f", "m": "b c", "n": "m"})
    document = bench.open("run.tine", record)
    layout = document.layout
    assert layout is not None
    proposal = propose_merge([(document, named(record, "b")), (document, named(record, "c"))])
    (ghost,) = previews.canvas_preview(document, {}, proposal).ghosts
    wide, tall = layout.spacing.node_width, layout.spacing.node_height
    assert not any(abs(x - ghost.x) < wide and abs(y - ghost.y) < tall for x, y in layout.centers.tolist())


@pytest.mark.parametrize("turned", [False, True])
def test_the_ghost_of_a_merge_high_up_in_a_long_run_stands_near_its_parents(bench: Bench, turned: bool) -> None:
    below = {str(number): str(number - 1) if number else "b c" for number in range(30)}
    record = run_of({"a": "", "b": "a", "c": "a", **below})
    document = bench.open("run.tine", record)
    if turned:
        bench.do("view.direction")
    layout = document.layout
    assert layout is not None
    parents = [named(record, "b"), named(record, "c")]
    proposal = propose_merge([(document, parent) for parent in parents])
    (ghost,) = previews.canvas_preview(document, {}, proposal).ghosts
    wide, tall = layout.spacing.node_width, layout.spacing.node_height
    assert not any(abs(x - ghost.x) < wide and abs(y - ghost.y) < tall for x, y in layout.centers.tolist())
    for parent in parents:
        x, y = layout.centers[layout.index[parent]]
        assert abs(x - ghost.x) < 4 * wide and abs(y - ghost.y) < 4 * tall


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ([], 100.0),
        ([-50.0], 100.0),
        ([100.0], 220.0),
        ([60.0, 180.0], 300.0),
        ([100.0, 400.0], 220.0),
        ([180.0], 100.0),
    ],
)
def test_a_free_place_is_the_first_with_room(taken: list[float], expected: float) -> None:
    assert previews.free_place(np.array(taken), 100.0, 80.0, 40.0) == expected


def test_a_saved_fork_has_a_digest_to_check_and_undo_comes_back_to_it(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    bench.do("file.save_as", (bench.folder / "fork.tine",))
    bench.session.settle()
    document = bench.active
    assert document.verification is not None
    assert document.verification.digest.verdict is DigestVerdict.OK
    assert bench.record.source is not None
    assert not document.dirty
    stored = storage.read(bench.folder / "fork.tine")
    assert bench.record.source.integrity == stored.metadata["integrity"] == bench.record.metadata["integrity"]


def test_undo_after_a_save_and_an_edit_is_clean_again(bench: Bench) -> None:
    record = run_of({**TREE, "d": "a"})
    bench.open("run.tine", record)
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.do("file.save")
    saved = bench.record
    bench.do("run.merge", steps=(named(record, "b"), named(record, "d")), accept=True)
    assert bench.active.dirty
    bench.do("edit.undo")
    assert bench.record is saved
    assert not bench.active.dirty
    assert saved.untouched


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


def test_a_fork_of_a_fork_that_was_undone_stays(bench: Bench) -> None:
    """Undo removes a fork where redo can bring it back; without the run it was made in there is no such place."""
    record = run_of({"a": "", "b": "a"})
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "a"), accept=True)
    first = bench.active
    bench.do("run.fork", step=named(record, "a"), accept=True)
    second = bench.active
    bench.session.activate(first)
    bench.do("edit.undo")
    assert first not in bench.session.documents
    bench.session.activate(second)
    bench.do("edit.undo")
    assert bench.session.active is second
    assert bench.notices("info") != []
