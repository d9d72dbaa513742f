"""The layout of an open run: when it is made, kept, given up, and what is shown until it is there."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
import pytest

from opentine_gui.app.canvas import layouts, shown_layouts
from opentine_gui.app.document.camera.framing import camera_of_all
from opentine_gui.layout import Ancestry, Direction, Layout, LayoutRequest, lay_out
from opentine_gui.layout.adjust import sublayout, with_pins
from opentine_gui.scene.space.camera import Camera
from tests.app.conftest import Bench
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "a", "d": "b"}


def layout_of(shape: dict[str, str], direction: Direction = Direction.TOP_TO_BOTTOM) -> Layout:
    graph = run_of(shape).graph
    return lay_out(LayoutRequest(Ancestry(graph.ids, graph.parents), direction=direction))


@pytest.mark.parametrize(
    ("shape", "expected"),
    [({**TREE, "e": "c d"}, [False, True]), (TREE, [False])],
    ids=["with a merge, which may cross", "a tree, whose first picture is final"],
)
def test_a_large_run_is_shown_before_the_search_for_few_crossings(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, shape: dict[str, str], expected: list[bool]
) -> None:
    monkeypatch.setattr(layouts, "LARGE_GRAPH_STEPS", 3)
    searched: list[bool] = []
    real = layouts.lay_out

    def counted(request: LayoutRequest, **options: object) -> Layout:
        searched.append(request.search)
        return real(request, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(layouts, "lay_out", counted)
    bench.open("run.tine", run_of(shape))
    assert searched == expected
    assert bench.active.picture.layout is not None


def test_a_layout_that_arrives_for_an_edit_that_was_undone_is_not_shown(bench: Bench) -> None:
    record = run_of(TREE)
    document = bench.open("run.tine", record)
    opened, shown = document.record, document.picture.base_layout
    bench.jobs.hold = True
    bench.session.invoke("run.merge", steps=(named(record, "c"), named(record, "d")), accept=True)
    bench.step()
    assert document.record is not opened
    assert document.layout_is_stale
    assert document.picture.layout is not None
    assert len(document.picture.layout.nodes) == 4
    assert document.face(3).title == "d"  # the picture shown is still that of the old run
    bench.session.invoke("edit.undo")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert document.record is opened
    assert document.picture.base_layout is shown
    assert not document.layout_is_stale


def test_a_layout_that_fails_is_reported_once_and_not_tried_for_ever(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def broken(*_args: object, **_options: object) -> Layout:
        calls.append(1)
        raise RuntimeError("no layout today")

    monkeypatch.setattr(layouts, "lay_out", broken)
    bench.open("run.tine", run_of(TREE))
    for _ in range(5):
        bench.step()
    assert len(calls) == 1
    assert "no layout today" in bench.notices("error")[0]
    monkeypatch.undo()
    bench.do("view.tidy")
    assert bench.active.picture.layout is not None


@pytest.mark.parametrize("direction", list(Direction))
def test_a_moved_card_takes_its_links_along_and_nothing_else_moves(direction: Direction) -> None:
    layout = layout_of({**TREE, "m": "c d"}, direction)
    moved = layout.nodes[1]
    shown = with_pins(layout, {str(moved): (1234.0, -77.0), "unknown": (0.0, 0.0)})
    assert shown.position(moved) == (1234.0, -77.0)
    half = np.array([layout.spacing.node_width, layout.spacing.node_height]) / 2
    axis = 1 if direction is Direction.TOP_TO_BOTTOM else 0
    for edge, (parent, child) in enumerate(layout.edges):
        before, after = layout.polyline(edge), shown.polyline(edge)
        if 1 not in (parent, child):
            assert np.array_equal(before, after)
            continue
        start, end = shown.centers[parent].copy(), shown.centers[child].copy()
        start[axis] += half[axis]
        end[axis] -= half[axis]
        assert np.allclose(after[0], start)
        assert np.allclose(after[-1], end)
    others = [index for index in range(len(layout.nodes)) if index != 1]
    assert np.array_equal(shown.centers[others], layout.centers[others])
    assert shown.bounds[2] >= 1234.0 + half[0]
    assert shown.bounds[1] <= -77.0 - half[1]


def test_links_leave_cards_where_the_layout_lets_them_leave() -> None:
    layout = layout_of(TREE)
    x, y = layout.position(layout.nodes[3])
    shown = with_pins(layout, {str(layout.nodes[3]): (x + 1.0, y)})
    edge = next(e for e, (_, child) in enumerate(layout.edges) if child == 3)
    assert np.allclose(shown.polyline(edge)[0], layout.polyline(edge)[0])
    assert np.allclose(shown.polyline(edge)[-1] - layout.polyline(edge)[-1], (1.0, 0.0))


def test_positions_that_change_nothing_give_the_same_layout() -> None:
    layout = layout_of(TREE)
    assert with_pins(layout, {}) is layout
    assert with_pins(layout, {str(layout.nodes[0]): layout.position(layout.nodes[0])}) is layout


def test_turning_the_layout_shows_the_beginning_again(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(TREE))
    document.picture.set_camera(Camera(5000.0, 5000.0, 0.5))
    bench.do("view.direction")
    assert document.picture.camera == camera_of_all(document.picture, bench.session.viewport)


def test_a_layout_the_user_stopped_is_not_begun_again_before_something_changes(bench: Bench) -> None:
    path = bench.write("run.tine", run_of(TREE))
    bench.jobs.hold = True
    bench.session.invoke("file.open", path=path)
    bench.step()
    bench.jobs.release()
    bench.step()
    key = bench.active.key("layout")
    assert bench.session.jobs.is_running(key)
    bench.session.invoke("job.cancel", key=key)
    for _ in range(3):
        bench.step()
        assert not bench.session.jobs.is_running(key)
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert bench.active.picture.layout is None
    bench.do("view.tidy")
    assert bench.active.picture.layout is not None


def test_undo_and_redo_show_the_pictures_that_were_there_without_a_new_layout(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = run_of(TREE)
    document = bench.open("run.tine", record)
    before = document.picture.base_layout
    bench.do("run.merge", steps=(named(record, "c"), named(record, "d")), accept=True)
    after = document.picture.base_layout
    monkeypatch.setattr(layouts, "lay_out", None)
    for action, expected in (("edit.undo", before), ("edit.redo", after), ("edit.undo", before)):
        bench.session.invoke(action)
        bench.step()
        assert document.picture.base_layout is expected
        assert not document.layout_is_stale


def test_a_large_fork_shows_a_piece_of_its_sources_picture_until_it_has_its_own(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown_layouts, "LARGE_GRAPH_STEPS", 3)
    record = run_of({**TREE, "e": "d", "f": "e"})
    source = bench.open("run.tine", record)
    bench.jobs.hold = True
    bench.session.invoke("run.fork", step=named(record, "e"), accept=True)
    bench.step()
    document = bench.active
    assert document is not source and document.record is not None
    assert document.picture.layout is not None and source.picture.layout is not None
    assert document.picture.layout.nodes == document.record.graph.ids
    for identity in document.record.graph.ids:
        assert document.picture.layout.position(identity) == source.picture.layout.position(identity)
    assert document.layout_is_stale
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert not document.layout_is_stale
    graph = document.record.graph
    expected = lay_out(LayoutRequest(Ancestry(graph.ids, graph.parents), main=graph.ids[-1]))
    assert document.picture.base_layout == expected


@pytest.mark.parametrize("links", ["in the order of their steps", "in another"])
def test_a_piece_of_a_picture_keeps_its_cards_and_links_where_they_were(links: str) -> None:
    layout = layout_of({"a": "", "b": "a", "c": "a", "m": "c b", "z": "m"})
    if links == "in another":
        layout = with_links_turned_round(layout)
    a, b, c, m, _ = layout.nodes
    for ids in ((a, b, c, m), (a, c, b, m), (a, b, c)):
        check_piece(layout, ids)
    unknown = (a, "unknown")
    assert sublayout(layout, unknown, {node: place for place, node in enumerate(unknown)}) is None


def with_links_turned_round(layout: Layout) -> Layout:
    lines = [layout.polyline(edge) for edge in range(len(layout.edges))][::-1]
    return replace(
        layout,
        edges=layout.edges[::-1].copy(),
        edge_points=np.concatenate(lines),
        edge_offsets=np.concatenate([[0], np.cumsum([len(line) for line in lines])]).astype(layout.edge_offsets.dtype),
        edge_kinds=layout.edge_kinds[::-1].copy(),
    )


def check_piece(layout: Layout, ids: tuple[Hashable, ...]) -> None:
    piece = sublayout(layout, ids, {node: place for place, node in enumerate(ids)})
    assert piece is not None
    assert piece.nodes == ids
    assert [piece.position(node) for node in ids] == [layout.position(node) for node in ids]
    ends = {(piece.nodes[parent], piece.nodes[child]) for parent, child in piece.edges.tolist()}
    named = {(layout.nodes[parent], layout.nodes[child]) for parent, child in layout.edges.tolist()}
    assert ends == {(parent, child) for parent, child in named if parent in ids and child in ids}
    for edge, (parent, child) in enumerate(piece.edges.tolist()):
        old = next(
            number
            for number, pair in enumerate(layout.edges.tolist())
            if (layout.nodes[pair[0]], layout.nodes[pair[1]]) == (piece.nodes[parent], piece.nodes[child])
        )
        assert piece.polyline(edge).tolist() == layout.polyline(old).tolist()
    assert piece.bounds[3] < layout.bounds[3]
