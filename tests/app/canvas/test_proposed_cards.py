"""Where the cards of a proposal and of what came of it stand, and what is in view."""

from __future__ import annotations

import numpy as np
import pytest

from opentine_gui.app.canvas import in_view, previews, shown_layouts
from opentine_gui.app.canvas.proposals import current_proposal as proposals
from opentine_gui.app.canvas.proposals.merge_proposal import propose_merge
from opentine_gui.app.document.camera.arrival import hold_top
from opentine_gui.app.document.camera.framing import card_bounds
from opentine_gui.scene.space.camera import Camera, Viewport, to_screen, view_rect
from tests.app.conftest import TREE, Bench
from tests.conftest import named, run_of


def on_screen(bench: Bench, step: str) -> tuple[float, float]:
    """The pixel of the canvas where a step's card is, and the zoom."""
    document = bench.active
    assert document.picture.layout is not None and document.picture.camera is not None
    x, y = document.picture.layout.centers[document.picture.layout.index[step]]
    return to_screen(document.picture.camera, bench.session.viewport, float(x), float(y))


@pytest.mark.parametrize("action", ["run.fork", "run.fork_edit"])
@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_after_a_fork_the_view_is_where_it_was_at_the_fork_point(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, action: str, large: bool
) -> None:
    if large:  # then the picture of the source is shown until there is one of the fork
        monkeypatch.setattr(shown_layouts, "LARGE_GRAPH_STEPS", 3)
    record = run_of({"a": "", "b": "a", "c": "b", "d": "c", "e": "a", "f": "e", "g": "f"})
    document = bench.open("run.tine", record)
    document.picture.set_camera(Camera(130.0, 240.0, 0.8))
    before = on_screen(bench, named(record, "d"))
    edit = {"inputs": '{"text": "d2"}'} if action == "run.fork_edit" else {}
    bench.do(action, step=named(record, "d"), accept=True, **edit)
    fork = bench.active
    assert fork is not document and fork.picture.camera is not None
    assert fork.picture.camera.zoom == 0.8
    assert on_screen(bench, fork.selection.ids[0]) == pytest.approx(before, abs=0.01)


@pytest.mark.parametrize("shrunk", [260.0, 140.0])
def test_the_cards_of_a_proposal_stay_in_view_when_the_canvas_shrinks(bench: Bench, shrunk: float) -> None:
    record = run_of({**TREE, "d": "b", "e": "c"})
    document = bench.open("run.tine", record)
    session, before = bench.session, bench.session.viewport
    for action, steps in (("run.fork", "e"), ("run.merge", "de")):
        document.picture.set_camera(Camera(110.0, 100.0, 1.0))
        ids = tuple(named(record, step) for step in steps)
        bench.do(action, **({"steps": ids} if action == "run.merge" else {"step": ids[0]}))
        after = Viewport(before.width, shrunk)
        hold_top(document.picture, before, after)
        session.viewport = after
        session.step()
        assert document.picture.layout is not None and document.picture.camera is not None
        proposal = proposals.current_proposal(session)
        assert proposal is not None
        centers = in_view.proposed_centers(document, document.picture.layout, proposal)
        assert len(centers) == (3 if action == "run.merge" else 1)
        x0, y0, x1, y1 = card_bounds(document.picture.layout, centers)
        left, top, right, bottom = view_rect(document.picture.camera, after)
        assert left <= x0 and top <= y0 and x1 <= right and y1 <= bottom
        document.picture.set_camera(Camera(9000.0, 0.0, 1.0))
        session.step()
        assert document.picture.camera == Camera(9000.0, 0.0, 1.0), "whoever looks elsewhere is left alone"
        session.viewport = before
        bench.do("proposal.cancel")


def test_the_ghost_of_a_merge_covers_no_card(bench: Bench) -> None:
    record = run_of({"a": "", "b": "a", "c": "a", "d": "b", "e": "d", "f": "c", "g": "f", "m": "b c", "n": "m"})
    document = bench.open("run.tine", record)
    layout = document.picture.layout
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
    layout = document.picture.layout
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
