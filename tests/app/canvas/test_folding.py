"""Folded runs without a window: what knows groups, and that no card mixes the sides of a comparison."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from bench.session_lines import session_lines
from opentine_gui.app.canvas.previews import canvas_preview
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.document.camera.framing import READING_ZOOM
from opentine_gui.app.document.picture import folded_run
from opentine_gui.app.document.picture.card_faces import CardFaces
from opentine_gui.app.document.picture.fold import SHORT_ZOOM
from opentine_gui.core.structure.facts import Facts
from opentine_gui.describe.groups.group_face import group_face
from opentine_gui.scene.card.card_flags import FLAGS_BETWEEN
from opentine_gui.scene.space.camera import Viewport, to_screen
from tests.app.canvas.folded_runs import fold_of, long_run
from tests.app.conftest import Bench
from tests.conftest import run_of


def test_short_runs_are_shown_step_by_step_and_long_ones_folded(bench: Bench) -> None:
    assert bench.open("short.tine", long_run("short", shared=4, own=3)).picture.fold is None
    columns = bench.open("columns.tine", long_run("columns", shared=50, own=10))
    assert len(fold_of(columns)) == 60, "too long for the canvas one below the other, so wrapped: a card a step"
    assert len(fold_of(bench.open("long.tine", long_run("longer", shared=51, own=10)))) < 61


def test_a_short_run_in_columns_is_in_view_whole_and_readable(bench: Bench) -> None:
    document = bench.open("run.tine", long_run("columns", shared=30, own=10))
    camera, layout = document.picture.camera, document.picture.layout
    assert camera is not None and layout is not None and camera.zoom >= SHORT_ZOOM
    seen = [to_screen(camera, bench.session.viewport, x, y) for x, y in layout.centers.tolist()]
    assert all(0 < x < bench.session.viewport.width and 0 < y < bench.session.viewport.height for x, y in seen)
    assert len({round(x) for x, _ in seen}) > 2


def test_a_short_run_that_is_too_long_even_for_columns_is_put_into_groups(bench: Bench) -> None:
    bench.session.viewport = Viewport(500.0, 400.0)
    fold = fold_of(bench.open("run.tine", long_run("low", shared=50, own=10)))
    assert 5 < len(fold) < 60


def test_a_short_run_whose_cards_were_moved_by_hand_keeps_its_picture(bench: Bench) -> None:
    document = bench.open("run.tine", long_run("moved", shared=30, own=10))
    bench.do("fold.every_step")
    assert document.picture.fold is None
    bench.do("canvas.move_steps", pins={bench.record.graph.ids[0]: (400.0, 0.0)})
    bench.do("fold.every_step")
    bench.do("file.close")
    again = bench.open("run.tine", long_run("moved", shared=30, own=10))
    assert again.picture.fold is None


def test_a_step_that_comes_to_a_run_in_columns_has_a_card_of_its_own(bench: Bench) -> None:
    path = bench.folder / "s.jsonl"
    lines = list(islice(session_lines(3_000_000), 80))
    path.write_bytes(b"".join(lines[:40]))
    document = bench.open("s.jsonl")
    before = len(fold_of(document))
    assert before == len(fold_of(document).graph) > 10
    for number in range(40, 56):
        _append(bench, path, lines[number])
        assert len(fold_of(document)) == len(fold_of(document).graph) <= 60
    assert len(fold_of(document)) > before + 4


def test_every_step_has_one_card_and_every_card_a_face(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    fold = fold_of(document)
    held = [step for card in range(len(fold)) for step in document.picture.step_ids(card)]
    assert sorted(held) == sorted(bench.record.graph.ids)
    for card in range(len(fold)):
        face = document.face(card)
        assert face.title
        if fold.is_group(card):
            assert face.group is not None and face.group.steps == len(fold.steps(card))
    assert sum(face.group.failures for face in map(document.face, range(len(fold))) if face.group is not None) <= 2
    assert all(
        document.picture.index_of(step) == card for card in range(len(fold)) for step in document.picture.step_ids(card)
    )


def test_a_proposed_fork_dims_the_cards_it_drops(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    fold = fold_of(document)
    middle = len(fold) // 2
    bench.do("run.fork", step=document.picture.step_id(middle))
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    dimmed = canvas_preview(document, {}, proposal).dimmed
    assert dimmed == frozenset(range(middle + 1, len(fold)))


def test_a_fork_of_a_folded_run_reads_no_record_again_and_keeps_nothing_of_its_source(bench: Bench) -> None:
    source = bench.open("long.tine", long_run())
    with patch.object(Facts, "_read", side_effect=AssertionError("read again")):
        bench.do("run.fork", step=source.picture.step_id(len(fold_of(source)) // 2), accept=True)
    fork = bench.active
    assert fork is not source and len(fold_of(fork)) > 1
    assert fork.folding.made_from is None
    assert [one.graph for one in fork.folding.structures] == [fold_of(fork).graph]


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
        index = document.picture.index_of(step)
        assert index is not None and fold.card(index).name == bench.record.graph.index(step)
        x, y = fold.layout.centers[index]
        above = [top for side, top in fold.layout.centers.tolist() if abs(side - x) < 1.0 and top < y]
        if above:  # it stands at the head of no column
            gap = y - max(above) - fold.layout.spacing.node_height
            assert gap >= FLAGS_BETWEEN - 0.1, "its tag and the flags of the card above have room"


def test_above_wide_controls_a_comparison_is_shown_whole(bench: Bench) -> None:
    bench.session.viewport = Viewport(900.0, 600.0, foot=44.0)
    one = bench.write("one.tine", long_run("one", tail="one"))
    two = bench.write("two.tine", long_run("two", tail="two"))
    bench.do("compare.open", a=one, b=two)
    bench.session.settle()
    fold, camera = fold_of(bench.active), bench.active.picture.camera
    assert camera is not None
    places = [to_screen(camera, bench.session.viewport, x, y) for x, y in fold.layout.centers.tolist()]
    half = fold.layout.spacing.node_height / 2 * camera.zoom
    assert max(y for _, y in places) + half <= 600.0 - 44.0
    assert min(y for _, y in places) - half >= 0.0


def test_a_folded_run_is_exported_whole(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    bench.do("file.export", path=bench.folder / "long.mmd")
    written = (bench.folder / "long.mmd").read_text()
    assert written.count("-->") >= len(bench.record.graph) - 1
    assert fold_of(document)


def test_a_short_comparison_is_in_columns_and_shown_whole(bench: Bench) -> None:
    one = bench.write("one.tine", long_run("one", tail="A", shared=12, own=20))
    two = bench.write("two.tine", long_run("two", tail="B", shared=12, own=8))
    bench.do("compare.open", a=one, b=two)
    bench.session.settle()
    document = bench.active
    fold, camera = fold_of(document), document.picture.camera
    assert len(fold) == len(fold.graph) > 30
    assert camera is not None and camera.zoom >= READING_ZOOM
    seen = [to_screen(camera, bench.session.viewport, x, y) for x, y in fold.layout.centers.tolist()]
    assert all(0 < x < bench.session.viewport.width and 0 < y < bench.session.viewport.height for x, y in seen)


@pytest.mark.parametrize(("own_a", "own_b"), [(20, 8), (20, 28)])
def test_of_two_runs_a_begins_at_the_left_and_b_beside_it(bench: Bench, own_a: int, own_b: int) -> None:
    one = bench.write("one.tine", long_run("one", tail="A", shared=12, own=own_a))
    two = bench.write("two.tine", long_run("two", tail="B", shared=12, own=own_b))
    bench.do("compare.open", a=one, b=two)
    bench.session.settle()
    overlay, picture = bench.active.overlay, bench.active.picture
    assert overlay is not None and overlay.comparison is not None and picture.layout is not None
    (root,) = overlay.comparison.root_divergences
    assert root.a is not None and root.b is not None and root.parent is not None
    left, right, above = (
        float(picture.layout.centers[index][0])
        for index in map(picture.index_of, (root.a, root.b, root.parent))
        if index is not None
    )
    assert left < right, "as in an exported page, and as in the table"
    assert left == above, "the line goes straight on into A"


def test_turning_a_folded_run_lays_its_columns_out_as_rows(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    bench.do("view.direction")
    fold = fold_of(document)
    assert document.picture.layout is not None and document.picture.layout.direction.value == "left-to-right"
    assert len(document.picture.layout.nodes) == len(fold)


def test_a_folded_run_of_which_nothing_stands_out_is_presented_card_by_card(bench: Bench) -> None:
    document = bench.open("long.tine", run_of({str(n): str(n - 1) if n else "" for n in range(200)}))
    cards = len(fold_of(document))
    bench.do("present.start")
    told = bench.session.presentation
    assert told is not None
    assert len(told.steps) == cards
    assert [document.picture.index_of(step) for step in told.steps] == list(range(cards))
    bench.do("present.next")
    assert document.selection.primary == told.steps[1]


def test_of_a_folded_run_what_stands_out_is_presented_and_seen_on_its_cards(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    bench.do("present.start")
    told = bench.session.presentation
    assert told is not None
    graph = bench.record.graph
    asked = [graph.ids[place] for place, kind in graph.v3_kinds.items() if kind == "human"]
    failed = [graph.ids[place] for place in document.notable_steps.failures]
    assert asked and failed and {*asked, *failed} <= set(told.steps)
    assert [graph.index(step) for step in told.steps] == sorted(graph.index(step) for step in told.steps)
    cards = [document.picture.index_of(step) for step in told.steps]
    assert None not in cards
    bench.do("present.next")
    assert document.selection.primary == told.steps[1]
    assert fold_of(document).card_of[graph.index(told.steps[1])] == cards[1]


def test_faces_of_groups_in_which_nothing_changed_are_kept_while_a_run_grows(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def counted(structure: Any, card: Any, steps: Any, *rest: Any) -> Any:
        made.append(card.name)
        return group_face(structure, card, steps, *rest)

    monkeypatch.setattr(folded_run, "group_face", counted)
    path = bench.folder / "s.jsonl"
    lines = list(islice(session_lines(3_000_000), 420))
    path.write_bytes(b"".join(lines[:400]))
    document = bench.open("s.jsonl")
    assert document.picture.fold is not None
    groups = [number for number in range(len(document.picture.fold)) if document.picture.fold.is_group(number)]
    for number in groups:
        document.face(number)
    assert len(made) == len(groups) > 10
    made.clear()
    before = document.record
    _append(bench, path, lines[400] + lines[401])
    assert document.record is not before, "it grew"
    later = [document.face(number) for number in groups[:-1]]
    assert len(made) <= 3
    fresh = CardFaces(document.record, document.verification, fold=document.picture.fold)
    assert later == [fresh.face(number) for number in groups[:-1]]


def test_what_is_written_beside_a_step_is_on_its_card_at_once_although_faces_are_kept(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    fold = fold_of(document)
    group = next(number for number in range(len(fold)) if fold.is_group(number))
    step = document.picture.step_id(group)
    assert not any("look here" in flag.text for flag in document.face(group).flags)
    bench.do("step.note", step=step, text="look here")
    card = document.picture.index_of(step)
    assert card is not None
    assert any("look here" in flag.text for flag in document.face(card).flags)


def test_a_run_with_notes_is_shown_as_it_was_without_when_it_is_opened_again(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    fold = fold_of(document)
    cards = fold.layout.nodes
    group = max(range(len(fold)), key=lambda number: fold.card(number).size)
    step = document.picture.step_ids(group)[len(document.picture.step_ids(group)) // 2]
    bench.do("step.note", step=step, text="look here")
    bench.do("step.bookmark", step=step)
    bench.do("file.close")
    again = bench.open("long.tine")
    assert again.annotations[step].note == "look here"
    assert fold_of(again).layout.nodes == cards
    assert any("look here" in flag.text for flag in again.face(group).flags), "it is said on the card of its group"


def _append(bench: Bench, path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)
    bench.clock.now += 1.0
    bench.watch.post([path])
    bench.session.settle()
