"""Folded runs without a window: what knows groups, and that no card mixes the sides of a comparison."""

from __future__ import annotations

from opentine_gui.app.canvas.fork_proposal import ForkProposal
from opentine_gui.app.canvas.previews import canvas_preview
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.core import RunRecord
from tests.app.conftest import Bench
from tests.core.sample_runs import make_record
from tests.core.structure.shapes import graph_of


def long_run(run_id: str = "long", *, tail: str = "", shared: int = 150, own: int = 60) -> RunRecord:
    """A chain; with `tail` the steps after the first `shared` ones differ from those of other tails."""
    steps = shared + own
    kinds = "".join("h" if number % 40 == 0 else "mRmRmEmT"[number % 8] for number in range(steps))
    table = [(number - 1,) if number else () for number in range(steps)]
    said = {number: f"{tail} {number}" for number in range(shared, steps)} if tail else {}
    return make_record(list(graph_of(table, kinds, (15, 55), said)), run_id=run_id)


def fold_of(document: Document) -> FoldedRun:
    assert document.fold is not None
    return document.fold


def test_short_runs_are_shown_step_by_step_and_long_ones_folded(bench: Bench) -> None:
    assert bench.open("short.tine", long_run("short", shared=50, own=10)).fold is None
    assert bench.open("long.tine", long_run("longer", shared=51, own=10)).fold is not None


def test_every_step_has_one_card_and_every_card_a_face(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    fold = fold_of(document)
    held = [step for card in range(len(fold)) for step in document.step_ids(card)]
    assert sorted(held) == sorted(bench.record.graph.ids)
    for card in range(len(fold)):
        face = document.face(card)
        assert face.title
        if fold.is_group(card):
            assert face.group is not None and face.group.steps == len(fold.steps(card))
    assert sum(face.group.failures for face in map(document.face, range(len(fold))) if face.group is not None) <= 2
    assert all(document.index_of(step) == card for card in range(len(fold)) for step in document.step_ids(card))


def test_a_proposed_fork_dims_the_cards_it_drops(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    fold = fold_of(document)
    middle = len(fold) // 2
    bench.do("run.fork", step=document.step_id(middle))
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    dimmed = canvas_preview(document, {}, proposal).dimmed
    assert dimmed == frozenset(range(middle + 1, len(fold)))


def test_a_comparison_folds_what_is_shared_and_mixes_no_sides(bench: Bench) -> None:
    bench.open("one.tine", long_run("one", tail="one"))
    bench.open("two.tine", long_run("two", tail="two"))
    one, two = (document.number for document in bench.session.documents)
    bench.do("compare.open", a=one, b=two)
    document = bench.active
    assert document.overlay is not None
    fold, holders = fold_of(document), document.overlay.family.holders
    for card in range(len(fold)):
        assert len({holders[step] for step in fold.all_steps(card)}) == 1
        assert document.face(card).title
    assert len(fold) < len(holders) / 2
    for step in document.overlay.divergences:
        index = document.index_of(step)
        assert index is not None and fold.card(index).name == bench.record.graph.index(step)


def test_a_folded_run_is_exported_whole(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    bench.do("file.export", path=bench.folder / "long.mmd")
    written = (bench.folder / "long.mmd").read_text()
    assert written.count("-->") >= len(bench.record.graph) - 1
    assert fold_of(document)


def test_undo_of_an_edit_keeps_what_is_open(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    group = next(card for card in range(len(fold_of(document))) if fold_of(document).is_group(card))
    bench.do("fold.open", step=document.step_id(group))
    state = fold_of(document).state
    tip = bench.record.graph.ids[-1]
    bench.do("step.bookmark", step=tip)
    bench.do("edit.undo")
    assert fold_of(document).state is state
    assert not document.edited


def test_esc_closes_the_innermost_group_before_it_clears_the_selection(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    group = next(card for card in range(len(fold_of(document))) if fold_of(document).is_group(card))
    bench.do("fold.open", step=document.step_id(group))
    bench.do("run.fork")
    bench.do("view.dismiss")
    assert bench.session.proposal is None and fold_of(document).state.openings
    bench.do("view.dismiss")
    assert not fold_of(document).state.openings and document.selection
    bench.do("view.dismiss")
    assert not document.selection


def test_turning_a_folded_run_lays_its_columns_out_as_rows(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    bench.do("view.direction")
    fold = fold_of(document)
    assert document.layout is not None and document.layout.direction.value == "left-to-right"
    assert len(document.layout.nodes) == len(fold)


def test_a_folded_run_is_presented_card_by_card(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    cards = len(fold_of(document))
    bench.do("present.start")
    told = bench.session.presentation
    assert told is not None
    assert len(told.steps) == cards
    assert [document.index_of(step) for step in told.steps] == list(range(cards))
    bench.do("present.next")
    assert document.selection.primary == told.steps[1]
