"""Groups that are opened and closed without a window: what is in view, what Esc and arrows do."""

from __future__ import annotations

import pytest

from opentine_gui.app.document.camera.framing import READABLE_FIT
from opentine_gui.app.state.commands import ReplaceRun
from opentine_gui.core import RunRecord
from opentine_gui.scene.space.camera import Viewport, to_screen
from tests.app.canvas.folded_runs import fold_of, long_run
from tests.app.conftest import Bench
from tests.core.sample_runs import make_record
from tests.core.structure.shapes import graph_of


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


def test_an_opened_group_that_grows_says_how_many_steps_it_has_now(bench: Bench) -> None:
    """The number in its tab is what its cards hold, and what one card would say in its place."""
    kinds = "hmRmRmEmT" * 20 + "hmRRmE" + "E" * 8
    whole = graph_of([(step - 1,) if step else () for step in range(len(kinds))], kinds)
    document = bench.open("long.tine", make_record(list(whole.subset(range(184))), run_id="long"))
    last = len(fold_of(document)) - 1
    before = fold_of(document).card(last).size
    bench.do("fold.open", step=document.picture.step_id(last))
    assert [group.steps for group in fold_of(document).open_groups] == [before]
    bench.session.apply(document, ReplaceRun(make_record(list(whole), run_id="long"), "Grow"))
    bench.session.settle()
    fold = fold_of(document)
    (group,) = fold.open_groups
    assert group.steps == sum(fold.card(card).size for card in fold.frames[0].cards) > before
