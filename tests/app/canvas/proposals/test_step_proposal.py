"""A step added by hand: where it hangs, which ref names it, what is refused, and that it is seen when it is there."""

from __future__ import annotations

import pytest

from opentine_gui.app.canvas.previews import ghost_cards
from opentine_gui.app.canvas.proposals.current_proposal import Proposal, current_proposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.canvas.proposals.step_proposal import StepProposal
from opentine_gui.app.inspect.outcome import outcome_of
from opentine_gui.app.state.payload_form import with_text
from opentine_gui.core import Verdict, verify
from opentine_gui.core.files import storage
from opentine_gui.scene.space.camera import Camera, Viewport, view_rect
from tests.app.conftest import TREE, Bench
from tests.conftest import named, run_of


def test_main_follows_its_tip_and_any_other_step_gets_a_ref_of_its_own(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    assert record.main_tip == named(record, "c")
    for after in ("c", "a", "b"):
        bench.do("run.add_step", step=named(record, after), accept=True)
    refs, ids = bench.record.refs, bench.record.graph.ids
    assert (refs["main"], refs["step"], refs["step-2"]) == ids[3:]
    assert {name: refs[name] for name in record.refs if name != "main"} == {
        name: identity for name, identity in record.refs.items() if name != "main"
    }
    bench.do("file.save")
    saved = storage.read(bench.folder / "run.tine")
    assert saved.graph.ids == ids
    assert verify(saved).verdict is Verdict.VERIFIED


def test_the_same_step_twice_is_refused_and_what_was_typed_stays(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    for _ in range(2):
        bench.do("run.add_step", step=named(record, "a"), inputs='{"prompt": "again"}', accept=True)
    assert len(bench.record.graph) == 4
    assert "in the run already" in bench.notices("error")[0]
    proposal = bench.session.proposal
    assert isinstance(proposal, StepProposal)
    assert proposal.inputs.value == {"prompt": "again"}


@pytest.mark.parametrize("action", ["run.add_step", "run.merge"])
def test_a_kind_that_was_chosen_and_left_is_there_again(bench: Bench, action: str) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    b, c = named(record, "b"), named(record, "c")
    about: dict[str, object] = {"step": b} if action == "run.add_step" else {"steps": (b, c)}
    bench.do(action, **about)
    bench.do("proposal.cancel")
    assert not bench.session.drafts
    bench.do(action, **about)
    bench.do("proposal.change", kind="tool")
    chosen = current_proposal(bench.session)
    assert isinstance(chosen, StepProposal | MergeProposal)
    bench.do("proposal.cancel")
    assert bench.notices("info") == ["What was typed is kept until this tab closes."]
    bench.do(action, **about)
    again = current_proposal(bench.session)
    assert isinstance(again, type(chosen))
    assert (again.kind, again.inputs.value) == ("tool", chosen.inputs.value)
    bench.do("proposal.change", kind="model")
    assert not bench.session.proposal or not bench.session.proposal.touched


def test_inputs_that_are_no_object_are_refused(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.add_step", step=named(record, "a"), inputs="[1]", accept=True)
    assert len(bench.record.graph) == 3
    assert "object" in bench.notices("error")[0]


def test_the_place_of_the_step_is_shown_before_and_the_step_after(bench: Bench) -> None:
    record = run_of({str(number): str(number - 1) if number else "" for number in range(40)})
    document = bench.open("run.tine", record)
    end = record.graph.ids[-1]
    bench.session.viewport = Viewport(800, 600)
    document.picture.set_camera(Camera(0.0, 0.0, 1.0))
    bench.do("run.add_step", step=end)
    assert document.picture.layout is not None
    (ghost,) = ghost_cards(document, document.picture.layout, bench.session.proposal)  # type: ignore[arg-type]
    assert ghost.y > float(document.picture.layout.centers[document.picture.layout.index[end], 1])
    document.picture.set_camera(Camera(0.0, 0.0, 1.0))
    bench.do("proposal.accept")
    added = bench.record.graph.ids[-1]
    assert document.picture.camera is not None
    x, y = document.picture.layout.centers[document.picture.layout.index[added]]
    left, top, right, bottom = view_rect(document.picture.camera, bench.session.viewport)
    assert left < x < right
    assert top < y < bottom


def test_the_place_shown_is_beside_the_other_children_and_on_none_of_them(bench: Bench) -> None:
    record = run_of({**TREE, "d": "b", "e": "c"})
    document = bench.open("run.tine", record)
    for axis in (0, 1):
        if axis:
            bench.do("view.direction")
        bench.do("run.add_step", step=named(record, "a"))
        layout = document.picture.layout
        assert layout is not None
        (ghost,) = ghost_cards(document, layout, bench.session.proposal)  # type: ignore[arg-type]
        place, sizes = (ghost.x, ghost.y), (layout.spacing.node_width, layout.spacing.node_height)
        children = [layout.centers[layout.index[named(record, name)]] for name in ("b", "c")]
        assert all(abs(place[1 - axis] - child[1 - axis]) < sizes[1 - axis] for child in children), "in their row"
        assert all(abs(place[axis] - child[axis]) >= sizes[axis] for child in children)
        bench.do("proposal.cancel")


def test_a_step_is_added_in_a_run_and_not_where_several_are_shown(bench: Bench) -> None:
    bench.write("one.tine", run_of(TREE))
    record = run_of({**TREE, "d": "a"}, run_id="two")
    bench.open("two.tine", record)
    bench.do("compare.open", a=bench.folder / "one.tine", b=bench.folder / "two.tine")
    assert "none is changed" in (bench.session.enabled("run.add_step", step=named(record, "a")) or "")


def names(proposal: Proposal | None) -> list[str]:
    assert isinstance(proposal, StepProposal)
    return [entry.name for entry in proposal.inputs.entries]


def test_the_fields_follow_the_kind_until_something_is_typed_which_is_never_lost(bench: Bench) -> None:
    record = run_of({"a": ""})
    bench.open("run.tine", record)
    bench.do("run.add_step", step=named(record, "a"))
    assert names(current_proposal(bench.session)) == ["prompt"]
    for kind, fields in (("tool", ["name", "arguments"]), ("error", ["message"]), ("model", ["prompt"])):
        bench.do("proposal.change", kind=kind)
        assert names(current_proposal(bench.session)) == fields
    proposal = current_proposal(bench.session)
    assert isinstance(proposal, StepProposal) and not proposal.touched
    bench.do("proposal.change", inputs=with_text(proposal.inputs, (0,), "Look again"))
    bench.do("proposal.change", kind="tool")
    proposal = current_proposal(bench.session)
    assert isinstance(proposal, StepProposal)
    assert (proposal.kind, proposal.inputs.value) == ("tool", {"prompt": "Look again"})


def test_what_a_step_added_by_hand_asks_is_not_called_an_answer(bench: Bench) -> None:
    record = run_of({"a": ""})
    document = bench.open("run.tine", record)
    bench.do("run.add_step", step=named(record, "a"), inputs='{"prompt": "Look again"}', accept=True)
    assert outcome_of(document, bench.record).sentence == "not answered: “Look again”"
