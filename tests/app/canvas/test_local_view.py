"""The local view without a window: only the cone of the selection, folded and unfolded, and the way back."""

from __future__ import annotations

from opentine_gui.app.canvas.folded.local_view import LEFT_FOR_A_STEP, NOTHING_LEFT, SHOWN_FOR_A_STEP, hidden_branches
from opentine_gui.app.document.document import Document
from opentine_gui.core import RunRecord
from opentine_gui.scene.space.camera import Viewport
from tests.app.conftest import Bench
from tests.core.sample_runs import make_record
from tests.core.structure.shapes import graph_of


def forked_run(steps: int, own: int) -> RunRecord:
    """A chain with a second branch of `own` steps from the middle, in which the last step is a failure."""
    table = [(number - 1,) if number else () for number in range(steps)]
    table += [(steps // 2,)] + [(steps + number,) for number in range(own - 1)]
    return make_record(list(graph_of(table, "mR" * len(table), [steps + own - 1])), run_id=f"forked {steps}")


def shown_steps(document: Document) -> set[str]:
    assert document.picture.layout is not None
    return {step for card in range(len(document.picture.layout.nodes)) for step in document.picture.step_ids(card)}


def cone(bench: Bench, step: int) -> set[str]:
    graph = bench.record.graph
    return {graph.ids[one] for one in (*graph.closure([step], causal=False), *graph.descendants([step]))}


def test_a_long_run_shows_the_cone_of_the_selected_step_alone_and_comes_back_as_it_was(bench: Bench) -> None:
    document = bench.open("run.tine", forked_run(200, 80))
    whole = document.folding.state
    group = next(
        card
        for card in range(len(document.picture.layout.nodes))
        if document.picture.fold and document.picture.fold.is_group(card)
    )
    bench.do("fold.open", step=document.picture.step_id(group))
    state, camera = document.folding.state, document.picture.camera
    assert state != whole
    tip = len(bench.record.graph) - 1
    bench.do("select.step", step=bench.record.graph.ids[tip])
    bench.do("fold.local")
    assert shown_steps(document) == cone(bench, tip)
    assert len(document.picture.layout.nodes) > 10, "the room is used for what is left"
    assert all(document.picture.index_of(step) is None for step in set(bench.record.graph.ids) - cone(bench, tip))
    bench.do("view.dismiss")
    assert not document.folding.is_local
    assert document.picture.fold is not None and document.picture.fold.state is state
    assert document.picture.camera == camera
    assert shown_steps(document) == set(bench.record.graph.ids)
    assert document.selection, "leaving the local view keeps the selection"


def test_a_short_run_shows_the_cone_step_by_step(bench: Bench) -> None:
    bench.session.viewport = Viewport(1000.0, 900.0)
    document = bench.open("run.tine", forked_run(9, 4))
    assert document.picture.fold is None
    layout = document.picture.layout
    step = 6
    bench.do("fold.local", step=bench.record.graph.ids[step])
    assert shown_steps(document) == cone(bench, step)
    assert len(document.picture.layout.nodes) == len(cone(bench, step))
    bench.do("fold.local")
    assert document.picture.fold is None and document.picture.layout is layout


def test_an_unfolded_long_run_shows_the_cone_step_by_step_too(bench: Bench) -> None:
    document = bench.open("run.tine", forked_run(200, 80))
    bench.do("fold.every_step")
    tip = len(bench.record.graph) - 1
    bench.do("fold.local", step=bench.record.graph.ids[tip])
    assert len(document.picture.layout.nodes) == len(cone(bench, tip))
    bench.do("fold.every_step")
    assert len(document.picture.layout.nodes) < len(cone(bench, tip))
    assert shown_steps(document) == cone(bench, tip)


def test_groups_of_a_local_view_open_and_esc_closes_them_first(bench: Bench) -> None:
    document = bench.open("run.tine", forked_run(200, 80))
    bench.do("fold.local", step=bench.record.graph.ids[-1])
    group = next(
        card
        for card in range(len(document.picture.layout.nodes))
        if document.picture.fold and document.picture.fold.is_group(card)
    )
    bench.do("fold.open", step=document.picture.step_id(group))
    assert document.picture.fold is not None and document.picture.fold.state.openings
    bench.do("view.dismiss")
    assert document.folding.is_local and document.picture.fold is not None and not document.picture.fold.state.openings
    bench.do("view.dismiss")
    assert not document.folding.is_local and document.selection
    bench.do("view.dismiss")
    assert not document.selection


def test_going_to_a_step_outside_leaves_the_local_view_and_says_so(bench: Bench) -> None:
    document = bench.open("run.tine", forked_run(200, 80))
    bench.do("fold.local", step=bench.record.graph.ids[150])
    failing = bench.record.graph.ids[-1]
    assert document.picture.index_of(failing) is None
    bench.do("go.next_failure")
    assert not document.folding.is_local
    assert document.selection.primary == failing and document.picture.index_of(failing) is not None
    assert LEFT_FOR_A_STEP in bench.notices()


def test_undo_of_the_only_step_shown_leaves_the_local_view(bench: Bench) -> None:
    document = bench.open("run.tine", forked_run(100, 10))
    graph = bench.record.graph
    bench.do("run.merge", steps=(graph.ids[99], graph.ids[-1]))
    bench.do("proposal.accept")
    merged = document.record.graph.ids[-1] if document.record else ""
    assert merged not in graph.ids
    bench.do("fold.local", step=merged)
    assert document.folding.is_local
    bench.do("edit.undo")
    assert not document.folding.is_local
    assert shown_steps(document) == set(graph.ids)


def test_a_fork_from_inside_a_local_view_keeps_what_the_step_rests_on(bench: Bench) -> None:
    document = bench.open("run.tine", forked_run(200, 80))
    bench.do("fold.local", step=bench.record.graph.ids[-1])
    assert document.picture.fold is not None
    step = document.picture.step_id(3)
    bench.do("run.fork", step=step)
    bench.do("proposal.accept")
    made = bench.active.record
    assert made is not None and made is not document.record
    graph = document.picture.fold.graph
    assert set(made.graph.ids) == {graph.ids[at] for at in graph.closure([graph.index(step)])}


def three_branches() -> RunRecord:
    """A chain of 200 steps with branches of 20 and 30 steps from its middle, and one of 5 that joins its end."""
    table = [(number - 1,) if number else () for number in range(200)]
    for own in (20, 30):
        table += [(100,)] + [(len(table) + number,) for number in range(own - 1)]
    table += [(150,)] + [(len(table) + number,) for number in range(4)]
    table += [(199, len(table) - 1)]
    return make_record(list(graph_of(table, "mR" * len(table))), run_id="three branches")


def test_hidden_branches_leave_the_picture_one_after_the_other_and_esc_brings_all_back(bench: Bench) -> None:
    document = bench.open("run.tine", three_branches())
    ids = bench.record.graph.ids
    state = document.folding.state
    bench.do("fold.hide_branch", step=ids[210])
    assert shown_steps(document) == {*ids} - {*ids[200:220]}, "the whole branch goes, whichever step of it was chosen"
    assert hidden_branches(document) == 1
    bench.do("fold.hide_branch", step=ids[249])
    assert shown_steps(document) == {*ids} - {*ids[200:250]}
    assert hidden_branches(document) == 2
    bench.do("view.dismiss")
    assert shown_steps(document) == {*ids} and hidden_branches(document) == 0
    assert document.folding.state is state


def test_a_hidden_main_branch_leaves_the_others_and_what_they_rest_on(bench: Bench) -> None:
    document = bench.open("run.tine", three_branches())
    ids = bench.record.graph.ids
    bench.do("fold.hide_branch", step=ids[180])
    assert shown_steps(document) == {*ids[:101], *ids[200:250]}, "what was joined to it has no other end"


def test_nothing_is_hidden_where_nothing_would_be_left(bench: Bench) -> None:
    document = bench.open("run.tine", three_branches())
    ids = bench.record.graph.ids
    bench.do("fold.hide_branch", step=ids[50])
    assert not document.folding.is_local and shown_steps(document) == {*ids}
    assert NOTHING_LEFT in bench.notices()
    bench.do("fold.hide_branch", step=ids[210])
    bench.do("fold.hide_branch", step=ids[249])
    bench.do("fold.hide_branch", step=ids[199])
    assert hidden_branches(document) == 2 and ids[199] in shown_steps(document)


def test_a_run_of_one_branch_hides_none(bench: Bench) -> None:
    bench.open("run.tine", make_record(list(graph_of([(), (0,), (1,)], "mRm"))))
    action = bench.session.actions["fold.hide_branch"]
    assert action.enabled is not None
    assert action.enabled(bench.session, step=bench.record.graph.ids[1]) == "This run has one branch."


def test_the_words_of_hidden_branches_are_not_those_of_another_local_view(bench: Bench) -> None:
    document = bench.open("run.tine", three_branches())
    ids = bench.record.graph.ids
    bench.do("fold.hide_branch", step=ids[210])
    assert hidden_branches(document) == 1
    bench.do("select.step", step=ids[210], reveal=True)
    assert SHOWN_FOR_A_STEP in bench.notices() and shown_steps(document) == {*ids}
    bench.do("fold.hide_branch", step=ids[210])
    bench.do("fold.local", step=ids[180], shown=True)
    assert hidden_branches(document) == 0


def test_a_branch_that_begins_beside_hidden_ones_is_shown_and_one_on_them_is_not(bench: Bench) -> None:
    document = bench.open("run.tine", three_branches())
    ids = bench.record.graph.ids
    bench.do("fold.hide_branch", step=ids[210])
    for below, is_shown in ((ids[150], True), (ids[212], False)):
        before = set(bench.record.graph.ids)
        bench.do("run.add_step", step=below, accept=True)
        (made,) = {*bench.record.graph.ids} - before
        assert (made in shown_steps(document)) is is_shown
        assert document.folding.is_local
    assert hidden_branches(document) == 2, "the one that begins on it is hidden as well"
    bench.do("edit.undo")
    assert hidden_branches(document) == 1


def test_a_branch_hidden_in_a_local_view_leaves_what_else_that_shows(bench: Bench) -> None:
    document = bench.open("run.tine", three_branches())
    ids = bench.record.graph.ids
    bench.do("fold.local", step=ids[120])
    assert shown_steps(document) == cone(bench, 120)
    bench.do("fold.local", step=ids[100], shown=True)
    bench.do("fold.hide_branch", step=ids[210])
    assert shown_steps(document) == {*ids} - {*ids[200:220]}
