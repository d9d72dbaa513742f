"""Folded runs without a window: what knows groups, and that no card mixes the sides of a comparison."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from bench.session_lines import session_lines
from opentine_gui.app.canvas.fork_proposal import ForkProposal
from opentine_gui.app.canvas.previews import canvas_preview
from opentine_gui.app.document.camera.framing import READABLE_FIT, READING_ZOOM
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.picture import folded_run
from opentine_gui.app.document.picture.card_faces import CardFaces
from opentine_gui.app.document.picture.fold import SHORT_ZOOM
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.core import RunRecord
from opentine_gui.describe.groups.group_face import group_face
from opentine_gui.scene.card.card_flags import FLAGS_BETWEEN
from opentine_gui.scene.space.camera import Viewport, to_screen
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
    assert document.picture.fold is not None
    return document.picture.fold


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


def test_undo_of_an_edit_keeps_what_is_open(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    group = next(card for card in range(len(fold_of(document))) if fold_of(document).is_group(card))
    bench.do("fold.open", step=document.picture.step_id(group))
    state = fold_of(document).state
    tip = bench.record.graph.ids[-1]
    bench.do("step.bookmark", step=tip)
    bench.do("edit.undo")
    assert fold_of(document).state is state
    assert not document.edited


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


def test_esc_closes_the_innermost_group_before_it_clears_the_selection(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    group = next(card for card in range(len(fold_of(document))) if fold_of(document).is_group(card))
    bench.do("fold.open", step=document.picture.step_id(group))
    bench.do("run.fork")
    bench.do("view.dismiss")
    assert bench.session.proposal is None and fold_of(document).state.openings
    bench.do("view.dismiss")
    assert not fold_of(document).state.openings and document.selection
    bench.do("view.dismiss")
    assert not document.selection


def test_closing_a_group_goes_back_to_the_view_before_unless_that_was_moved(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    group = max(range(len(fold_of(document))), key=lambda card: fold_of(document).card(card).size)
    first = document.picture.camera_goal
    for moves in (False, True):
        bench.do("fold.open", step=document.picture.step_id(group))
        opened = document.picture.camera_goal
        assert opened is not None and opened != first
        if moves:
            document.picture.set_camera(opened._replace(x=opened.x + 30.0))
        bench.do("fold.close")
        assert (document.picture.camera_goal == first) is not moves


def test_groups_that_begin_with_the_same_step_are_told_apart_and_closing_each_goes_back_to_the_view_before(
    bench: Bench,
) -> None:
    document = bench.open("long.tine", long_run(shared=1_500))
    fold = fold_of(document)
    first = document.picture.camera_goal
    for group in filter(fold.is_group, range(len(fold))):
        bench.do("fold.open", step=document.picture.step_id(group))
        beginning = fold_of(document).frames[-1].cards[0]
        if fold_of(document).is_group(beginning):
            break
        bench.do("fold.close")
    second = document.picture.camera_goal
    bench.do("fold.open", step=document.picture.step_id(beginning))
    outer, inner = fold_of(document).state.openings
    assert outer.name == inner.name and outer.steps > inner.steps
    bench.do("view.dismiss")
    assert fold_of(document).state.openings == (outer,) and document.picture.camera_goal == second
    bench.do("fold.open", step=inner.name)
    bench.do("fold.close", name=outer.name, steps=outer.steps)
    assert not fold_of(document).state.openings and document.picture.camera_goal == first


def test_a_step_that_is_gone_to_has_the_wide_group_around_it_in_view(bench: Bench) -> None:
    kinds, table = ["h"], [()]
    for number in range(12):
        top = len(kinds)
        kinds += ["m", "R", "R", "R"]
        table += [(top - 1,) if number == 0 else (top - 3, top - 2, top - 1), (top,), (top,), (top,)]
        kinds += list("mE" * 8)
        table += [(top + 1, top + 2, top + 3), *[(place,) for place in range(top + 4, len(kinds) - 1)]]
        kinds, table = [*kinds, "m", "m", "m"], table + [(len(kinds) - 1,)] * 3
    bench.session.viewport = Viewport(1000.0, 760.0)
    document = bench.open("wide.tine", make_record(list(graph_of(table, "".join(kinds))), run_id="wide"))
    ids, viewport = bench.record.graph.ids, bench.session.viewport
    looked = 0
    for place in range(len(ids)):
        bench.do("select.step", step=ids[place], reveal=True)
        bench.session.settle()
        fold, camera = fold_of(document), document.picture.camera_goal
        card = document.picture.index_of(ids[place])
        frame = next((frame for frame in reversed(fold.frames) if card in frame.cards), None)
        if frame is None or camera is None:
            continue
        half = fold.layout.spacing.node_width / 2
        xs = fold.layout.centers[list(frame.cards), 0]
        wide = (float(xs.max() - xs.min()) + 2 * half) * camera.zoom
        left = (float(xs.min()) - half - camera.x) * camera.zoom + viewport.width / 2
        if wide < viewport.width - 30.0:
            looked += float(xs.max() - xs.min()) > half
            assert left >= 0.0 and left + wide <= viewport.width
    assert looked > 3, "groups with calls side by side"


def test_closing_a_group_beside_the_selection_leaves_the_selection(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    group = next(card for card in range(len(fold_of(document))) if fold_of(document).is_group(card))
    bench.do("fold.open", step=document.picture.step_id(group))
    beside = document.picture.step_id(len(fold_of(document)) - 1)
    bench.do("select.step", step=beside)
    bench.do("view.dismiss")
    assert not fold_of(document).state.openings
    assert document.selection.ids == (beside,)


def test_arrow_keys_go_from_card_to_card_and_open_none(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    fold = fold_of(document)
    bench.do("select.step", step=document.picture.step_id(0))
    seen = [0]
    for _ in range(len(fold)):
        bench.do("select.down")
        assert document.selection.primary is not None
        seen.append(document.picture.index_of(document.selection.primary) or 0)
    assert seen == [*range(len(fold)), len(fold) - 1]
    assert fold_of(document) is fold


def test_turning_a_folded_run_lays_its_columns_out_as_rows(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    bench.do("view.direction")
    fold = fold_of(document)
    assert document.picture.layout is not None and document.picture.layout.direction.value == "left-to-right"
    assert len(document.picture.layout.nodes) == len(fold)


def test_a_folded_run_is_presented_card_by_card(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    cards = len(fold_of(document))
    bench.do("present.start")
    told = bench.session.presentation
    assert told is not None
    assert len(told.steps) == cards
    assert [document.picture.index_of(step) for step in told.steps] == list(range(cards))
    bench.do("present.next")
    assert document.selection.primary == told.steps[1]


def moved(bench: Bench, card: int, by: tuple[float, float] = (90.0, 40.0)) -> tuple[str, tuple[float, float]]:
    """Move a card as a drag does; (what its place is kept by, the place)."""
    document = bench.active
    assert document.picture.layout is not None
    x, y = document.picture.layout.centers[card].tolist()
    pin, place = document.picture.pin_of(card), (x + by[0], y + by[1])
    bench.do("canvas.move_steps", pins={pin: place})
    return pin, place


def place_of(document: Document, step: str) -> tuple[float, float]:
    layout, card = document.picture.layout, document.picture.index_of(step)
    assert layout is not None and card is not None
    x, y = layout.centers[card].tolist()
    return x, y


def test_a_moved_group_stays_there_through_opening_closing_undo_and_opening_again(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    group = next(card for card in range(3, len(fold_of(document))) if fold_of(document).is_group(card))
    before = place_of(document, document.picture.step_id(group))
    assert document.picture.layout is not None
    others = {card: tuple(at) for card, at in enumerate(document.picture.layout.centers.tolist()) if card != group}
    pin, place = moved(bench, group)
    assert place_of(document, pin) == place
    assert all(tuple(document.picture.layout.centers[card]) == at for card, at in others.items()), "nothing else moves"
    held = set(document.picture.step_ids(group))
    bench.do("fold.open", step=document.picture.step_id(group))
    frame = fold_of(document).frames[0]
    assert place_of(document, pin) == place, "what is in the group stands where the group was put"
    left, top, right, bottom = fold_of(document).open_groups[0].bounds
    for card in frame.cards:
        x, y = document.picture.layout.centers[card].tolist()
        assert left < x < right and top < y < bottom
    inner, inner_place = moved(bench, frame.cards[1], (0.0, 25.0))
    assert inner in held
    bench.do("fold.close")
    assert place_of(document, pin) == place
    bench.do("fold.open", step=pin)
    assert place_of(document, inner) == inner_place
    bench.do("edit.undo")
    assert place_of(document, inner) != inner_place and place_of(document, pin) == place
    bench.do("fold.close")
    bench.do("edit.undo")
    assert place_of(document, pin) == before
    bench.do("edit.redo")
    assert place_of(document, pin) == place
    bench.do("file.close")
    bench.do("file.open", path=bench.folder / "long.tine")
    assert place_of(bench.active, pin) == place, "it is remembered"
    bench.do("fold.every_step")
    assert place_of(bench.active, pin) != place, "what shows every step has places of its own"


def test_opening_a_group_above_leaves_a_moved_card_where_it_is(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    groups = [card for card in range(len(fold_of(document))) if fold_of(document).is_group(card)]
    upper = document.picture.step_id(groups[0])
    pin, place = moved(bench, groups[1])
    bench.do("fold.open", step=upper)
    assert place_of(document, pin) == place
    bench.do("edit.reset_layout")
    assert place_of(document, pin) != place


def test_links_of_moved_cards_reach_them_from_other_columns_too(bench: Bench) -> None:
    document = bench.open("long.tine", long_run("wide", shared=1000))
    layout = document.picture.layout
    assert layout is not None
    heads = fold_of(document).state.heads
    assert heads is not None and len(heads) > 2
    pin, (x, y) = moved(bench, document.picture.index_of(heads[1]) or 0)
    layout = document.picture.layout
    card = layout.index[pin]
    into = [edge for edge in range(len(layout.edges)) if layout.edges[edge][1] == card]
    assert into
    for edge in into:
        assert layout.polyline(edge)[-1].tolist() == [x, y - layout.spacing.node_height / 2]


def test_the_cards_of_a_folded_run_are_exported_as_they_stand(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    group = next(card for card in range(len(fold_of(document))) if fold_of(document).is_group(card))
    bench.do("fold.open", step=document.picture.step_id(group))
    bench.do("file.export", path=bench.folder / "cards.svg")
    drawn = (bench.folder / "cards.svg").read_text()
    for card in range(len(fold_of(document))):
        face = document.face(card)
        assert face.title.split()[0].strip("“\"'") in drawn
    assert drawn.count("failed") and "steps" in drawn
    whole = bench.folder / "all.svg"
    bench.do("file.export", path=whole, part="all")
    assert drawn.count("<text") < whole.read_text().count("<text"), "all steps are more than the cards"
    bench.do("file.export", path=bench.folder / "cards.png", part="cards")
    assert (bench.folder / "cards.png").read_bytes().startswith(b"\x89PNG")
    bench.do("file.export", path=bench.folder / "cards.json", part="cards")
    assert not (bench.folder / "cards.json").exists() and any("picture" in said for said in bench.notices("error"))


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


def test_opening_a_group_makes_no_face_of_a_card_again(bench: Bench) -> None:
    """So that what an opening costs follows the cards it brings, not all that are shown."""
    document = bench.open("long.tine", long_run())
    fold = fold_of(document)
    before = {fold.card(number): document.face(number) for number in range(len(fold))}
    group = next(number for number in range(len(fold)) if fold.is_group(number))
    bench.do("fold.open", step=document.picture.step_id(group))
    fold = fold_of(document)
    kept = [number for number in range(len(fold)) if fold.card(number) in before]
    assert 0 < len(kept) < len(fold)
    assert all(document.face(number) is before[fold.card(number)] for number in kept)


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


def _append(bench: Bench, path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)
    bench.clock.now += 1.0
    bench.watch.post([path])
    bench.session.settle()


def with_sub_agents(count: int, length: int) -> RunRecord:
    """A call of several sub-agents side by side, in a longer run."""
    table: list[tuple[int, ...]] = [(number - 1,) if number else () for number in range(40)]
    ends = []
    for _ in range(count):
        table.append((39,))
        table += [(len(table) - 1,) for _ in range(length)]
        ends.append(len(table) - 1)
    table.append(tuple(ends))
    table += [(len(table) - 1,) for _ in range(20)]
    kinds = "h" + "".join("S" if parents == (39,) else "mR"[step % 2] for step, parents in enumerate(table[1:]))
    return make_record(list(graph_of(table, kinds, (45,), {})), run_id="agents")


@pytest.mark.parametrize("count", [2, 3, 5, 8])
@pytest.mark.parametrize("zoom", [0.61, 0.8, 1.1])
def test_an_opened_group_is_in_view_from_side_to_side(bench: Bench, count: int, zoom: float) -> None:
    bench.session.viewport = Viewport(500.0, 520.0)
    document = bench.open("agents.tine", with_sub_agents(count, 12))
    for _ in range(3):
        fold, picture = fold_of(document), document.picture
        groups = [card for card in range(len(fold)) if fold.is_group(card)]
        if not groups:
            break
        widest = max(groups, key=lambda card: fold.card(card).size)
        assert picture.camera is not None and picture.layout is not None
        x, y = picture.layout.centers[widest].tolist()
        picture.set_camera(picture.camera._replace(x=x, y=y, zoom=zoom))
        bench.do("fold.open", step=picture.step_id(widest))
        fold, goal = fold_of(document), picture.camera_goal
        assert goal is not None and picture.layout is not None
        frame = next(frame for frame in fold.frames if frame.opening == fold.state.openings[-1])
        across = picture.layout.centers[list(frame.cards), 0]
        width = float(across.max() - across.min()) + picture.layout.spacing.node_width
        if width * READABLE_FIT > bench.session.viewport.width - 24:
            continue  # too wide to be read at once
        ends = [to_screen(goal, bench.session.viewport, float(end), 0.0)[0] for end in (across.min(), across.max())]
        half = picture.layout.spacing.node_width / 2 * goal.zoom
        assert READABLE_FIT <= goal.zoom <= zoom
        assert ends[0] - half >= 0 and ends[1] + half <= bench.session.viewport.width, (ends, goal)
