"""What a long run says at first sight in a small light window, and folds of several runs and branches by mouse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from bench.session_runs import session_run
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.core.files import storage
from tests.core.sample_runs import make_record
from tests.core.structure.shapes import graph_of
from tests.ui.canvas.folding.long_run import ROUNDS, card_point, fold_of, largest, long_graph, open_by_mouse, places
from tests.ui.opened import Opened

TAILS = ("a", "b", "c")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    window = Opened(tmp_path)
    window.session.settings.motion = False
    window.keyboard.focus()
    yield window
    window.close()


def test_a_small_light_window_says_why_it_failed_and_what_was_asked_last(opened: Opened, tmp_path: Path) -> None:
    opened.session.invoke("view.theme", name="light")
    dpg.set_viewport_width(1000)
    dpg.set_viewport_height(700)
    opened.until(lambda: dpg.get_viewport_client_width() == 1000, "the small window")
    opened.open(storage.write(tmp_path / "long.tine", make_record(list(long_graph()), run_id="long")))
    opened.rest()
    camera = opened.document.picture.camera
    assert camera is not None and camera.zoom >= 0.6
    said = opened.drawn(opened.window.canvas.world.node)
    assert "exit code 1" in said, "why it failed"
    assert "asked last" in said
    legend = opened.drawn(opened.window.canvas.hints.node)
    assert "reads" in legend and "failed" in legend, "the legend stands closer where there is less room"
    assert "sub-agent" not in legend, "what does not occur is not explained"


@pytest.mark.parametrize("steps", [70, 235, 400])
def test_the_first_picture_of_a_run_is_made_for_the_canvas_beside_its_time_strip(
    opened: Opened, tmp_path: Path, steps: int
) -> None:
    session = opened.session
    session.invoke("file.open", path=storage.write(tmp_path / "first.tine", session_run(steps)))
    opened.until(lambda: session.active is not None and session.active.record is not None, "it read")
    session.settle()  # the graph is there before the next frame, as when the program starts with it
    first, zoom = len(fold_of(opened)), opened.document.picture.camera
    opened.rest()
    assert opened.window.panels["timeline"].pane.shown
    assert opened.document.picture.camera == zoom, "nothing was moved or made smaller by what came up"
    session.invoke("view.tidy")
    opened.rest()
    assert len(fold_of(opened)) == first, "made again for the canvas as it is, it is the same"


def mixed_cards(opened: Opened) -> int:
    """Cards of a family that hold steps of different sets of runs."""
    overlay = opened.document.overlay
    assert overlay is not None
    fold, holders = fold_of(opened), overlay.family.holders
    return sum(len({holders[step] for step in fold.all_steps(card)}) > 1 for card in range(len(fold)))


def test_a_family_folds_its_shared_beginning_once_and_opens_its_groups_by_mouse(opened: Opened, tmp_path: Path) -> None:
    runs = [session_run(400, 3, tail=tail) for tail in TAILS]
    for tail, run in zip(TAILS, runs, strict=True):
        opened.open(storage.write(tmp_path / f"{tail}.tine", run))
    opened.keyboard.press("shift+f")
    opened.until(lambda: opened.document.overlay is not None, "the family")
    opened.until(lambda: opened.window.canvas.painted is opened.document and not opened.session.busy, "it is painted")
    opened.rest()
    shared = set(runs[0].graph.ids) & set(runs[1].graph.ids) & set(runs[2].graph.ids)
    fold = fold_of(opened)
    assert len(shared) > 100
    assert len(fold.graph) == len(set().union(*(run.graph.ids for run in runs))), "shared steps are there once"
    assert mixed_cards(opened) == 0
    stood = places(opened)
    groups = [card for card in range(len(fold)) if fold.graph.ids[fold.card(card).name] in shared]
    card = largest(opened, tuple(groups))
    held = set(opened.document.picture.step_ids(card))
    open_by_mouse(opened, card)
    (frame,) = fold_of(opened).frames
    assert {step for inside in frame.cards for step in opened.document.picture.step_ids(inside)} == held
    assert held <= shared and mixed_cards(opened) == 0
    opened.keyboard.press("Escape")
    opened.until(lambda: not fold_of(opened).state.openings, "the group closed")
    opened.rest()
    assert places(opened) == stood


def test_a_line_pulled_from_inside_an_open_group_to_another_tip_merges(opened: Opened, tmp_path: Path) -> None:
    table = [(number - 1,) if number else () for number in range(200)]
    table += [(120,), *((number,) for number in range(200, 259))]
    graph = graph_of(table, ROUNDS * 40)
    opened.open(storage.write(tmp_path / "forked.tine", make_record(list(graph), run_id="forked")))
    document = opened.document
    record = document.record
    assert record is not None
    tips = [record.graph.ids[tip] for tip in record.graph.tips]
    inner = max(tips, key=lambda tip: len(document.picture.step_ids(document.picture.index_of(tip) or 0)))
    (other,) = (tip for tip in tips if tip != inner)
    card = document.picture.index_of(inner)
    assert card is not None and fold_of(opened).is_group(card)
    open_by_mouse(opened, card)
    opened.session.invoke("view.fit")
    opened.rest()
    (frame,) = fold_of(opened).frames
    assert document.picture.index_of(inner) in frame.cards
    opened.mouse.drag(opened.point(inner, down=0.9), card_point(opened, document.picture.index_of(other) or 0))
    opened.rest()
    assert isinstance(opened.session.proposal, MergeProposal)
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: document.record is not record, "the merge")
    opened.rest()
    assert document.record is not None
    merged = document.record.graph
    assert len(merged) == len(graph) + 1
    assert set(merged.step(merged.ids[-1]).parent_ids) == {inner, other}
    assert document.picture.index_of(merged.ids[-1]) is not None, "the merged step is on the canvas"
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: document.record is not None and len(document.record.graph) == len(graph), "the merge undone")
