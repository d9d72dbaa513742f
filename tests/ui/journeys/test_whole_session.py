"""A whole session with a real mouse and keyboard: open, look, fork, merge, move, undo, save, open again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest
from PIL import Image

from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.document.camera.framing import camera_of_all
from opentine_gui.core import verify
from opentine_gui.core.files import storage
from opentine_gui.scene.space.camera import to_world
from opentine_gui.scene.theme import DARK
from tests.ui.journeys.close_request import ask_to_close
from tests.ui.opened import Opened, copy_of_demo, first_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return copy_of_demo(tmp_path)


@pytest.fixture
def opened(folder: Path) -> Iterator[Opened]:
    """A window with the failed demo run active."""
    window = Opened(folder)
    try:
        window.open(folder / "research-01.tine")
        yield window
    finally:
        window.close()


def test_the_wheel_zooms_about_the_pointer(opened: Opened) -> None:
    canvas = opened.window.canvas
    spot = (canvas.area.width * 0.7, canvas.area.height * 0.3)
    document = opened.document
    assert document.picture.camera is not None
    before, zoom = to_world(document.picture.camera, canvas.viewport, *spot), document.picture.camera.zoom
    opened.mouse.wheel(3, at=(canvas.area.x + spot[0], canvas.area.y + spot[1]))
    opened.rest()
    after = to_world(document.picture.camera, canvas.viewport, *spot)
    assert document.picture.camera.zoom > zoom * 1.3
    assert after == pytest.approx(before, abs=0.6)


def test_dragging_empty_space_pans_and_moves_the_picture_by_as_much(opened: Opened) -> None:
    document = opened.document
    assert document.picture.camera is not None
    before = document.picture.camera
    start = opened.free_point()
    opened.mouse.drag(start, (start[0] + 120, start[1] - 60))
    opened.rest()
    moved = document.picture.camera
    assert (before.x - moved.x) * moved.zoom == pytest.approx(120, abs=1.5)
    assert (before.y - moved.y) * moved.zoom == pytest.approx(-60, abs=1.5)
    assert moved.zoom == before.zoom


def test_a_click_selects_and_the_inspector_shows_the_payload(opened: Opened) -> None:
    step = first_of(opened, "model")
    opened.mouse.click(*opened.point(step))
    opened.rest()
    assert opened.document.selection.ids == (step,)
    regions = opened.regions
    shown = opened.words(regions.right)
    assert "Pick two papers" in shown
    assert step[:12] in shown
    assert "$0.0065" in shown
    assert "Which of these" in shown, "the words of the step's prompt"


def test_shift_click_adds_and_shift_drag_selects_a_box(opened: Opened) -> None:
    first, second = first_of(opened, "think"), first_of(opened, "model")
    opened.mouse.click(*opened.point(first))
    with opened.keyboard.holding("shift"):
        opened.mouse.click(*opened.point(second))
    opened.rest()
    assert opened.document.selection.ids == (first, second)
    area = opened.window.canvas.area
    with opened.keyboard.holding("shift"):
        opened.mouse.drag((area.x + 8, area.y + 8), (area.x + area.width - 240, area.y + area.height * 0.5))
    opened.rest()
    assert len(opened.document.selection) > 2


def test_pulling_a_line_into_empty_space_forks_and_leaves_the_source_alone(opened: Opened, folder: Path) -> None:
    source = folder / "research-01.tine"
    before = source.read_bytes()
    step = first_of(opened, "model")
    opened.mouse.drag(opened.point(step, down=0.97), opened.free_point())
    opened.rest()
    proposal = opened.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.step == step
    opened.keyboard.press("Return")
    opened.rest()
    fork = opened.document
    assert fork.dirty and fork.path is None
    assert fork.record is not None
    assert set(fork.record.graph.ids) == set(proposal.preview.kept_ids)
    assert fork.record.lineage.forked_from == "research-01"
    assert source.read_bytes() == before


def test_escape_drops_a_proposed_fork(opened: Opened) -> None:
    opened.mouse.click(*opened.point(first_of(opened, "model")))
    opened.keyboard.press("f")
    opened.rest()
    assert opened.session.proposal is not None
    opened.keyboard.press("Escape")
    opened.rest()
    assert opened.session.proposal is None
    assert len(opened.session.documents) == 1


def test_dropping_a_line_on_another_tip_merges_and_undo_takes_it_back(opened: Opened, folder: Path) -> None:
    document = opened.document
    assert document.record is not None
    graph = document.record.graph
    left, right = (graph.ids[index] for index in graph.tips)
    opened.session.invoke("view.fit")
    opened.rest()
    opened.mouse.drag(opened.point(left, down=0.9), opened.point(right))
    opened.rest()
    proposal = opened.session.proposal
    assert isinstance(proposal, MergeProposal)
    opened.keyboard.press("ctrl+Return")
    opened.rest()
    merged = document.record.graph
    assert len(merged) == len(graph) + 1
    assert merged.step(merged.ids[-1]).parent_ids == (left, right)
    opened.until(lambda: document.picture.index_of(merged.ids[-1]) is not None, "the merged step on the canvas")
    opened.keyboard.press("ctrl+z")
    opened.rest()
    assert document.record.graph.ids == graph.ids
    opened.keyboard.press("ctrl+shift+z")
    opened.rest()
    assert document.record.graph.ids == merged.ids


def test_dragging_a_card_is_one_undo_and_never_in_the_file(opened: Opened, folder: Path) -> None:
    document = opened.document
    step = first_of(opened, "model")
    before = opened.point(step)
    opened.mouse.drag(before, (before[0] - 150, before[1] + 30))
    opened.rest()
    after = opened.point(step)
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((-150, 30), abs=2)
    assert not document.dirty
    opened.keyboard.press("ctrl+z")
    opened.rest()
    assert opened.point(step) == pytest.approx(before, abs=1)
    opened.keyboard.press("ctrl+shift+z")
    opened.rest()
    assert opened.point(step) == pytest.approx(after, abs=1)


def test_a_saved_fork_opens_again_as_the_same_graph(opened: Opened, folder: Path) -> None:
    opened.mouse.click(*opened.point(first_of(opened, "model")))
    opened.keyboard.press("f")
    opened.rest()
    opened.keyboard.press("Return")
    opened.rest()
    fork = opened.document
    opened.keyboard.press("ctrl+s")
    opened.rest()
    opened.until(lambda: opened.window.prompter.visible, "the question where to save")
    opened.keyboard.press("Return")
    opened.until(lambda: fork.path is not None and not fork.on_disk.saving, "the fork saved")
    assert fork.path is not None and fork.path.parent == folder
    assert not fork.dirty
    again = storage.read(fork.path)
    assert fork.record is not None
    assert again.graph.ids == fork.record.graph.ids
    assert verify(again).ok
    opened.keyboard.press("ctrl+w")
    opened.rest()
    assert opened.document is not fork
    path = fork.path
    opened.open(path)
    assert opened.document.record is not None
    assert opened.document.record.graph.ids == again.graph.ids


def test_closing_an_unsaved_fork_asks_and_cancel_keeps_it(opened: Opened) -> None:
    opened.mouse.click(*opened.point(first_of(opened, "model")))
    opened.keyboard.press("f")
    opened.rest()
    opened.keyboard.press("Return")
    opened.rest()
    fork = opened.document
    opened.keyboard.press("ctrl+w")
    opened.rest()
    opened.until(lambda: opened.window.prompter.visible, "the question before closing")
    opened.keyboard.press("Escape")
    opened.rest()
    assert opened.document is fork
    assert not opened.window.prompter.visible


def test_a_click_on_the_minimap_goes_there(opened: Opened) -> None:
    minimap = opened.window.minimap
    document = opened.document
    assert document.picture.camera is not None
    opened.session.invoke("view.zoom", factor=2.0)
    opened.rest()
    assert minimap.image is not None and document.picture.layout is not None
    center = document.picture.layout.centers[-1]
    x, y = minimap.image.to_map(float(center[0]), float(center[1]))
    opened.mouse.click(minimap.area.x + 8 + x, minimap.area.y + 8 + y)
    opened.rest()
    assert document.picture.camera.y == pytest.approx(float(center[1]), abs=40)


def test_the_palette_finds_a_command_and_runs_it(opened: Opened) -> None:
    opened.keyboard.press("ctrl+k")
    opened.rest()
    assert opened.window.palette.visible
    opened.keyboard.type("fit")
    opened.rest()
    opened.keyboard.press("Return")
    opened.rest()
    assert not opened.window.palette.visible
    document = opened.document
    assert document.picture.camera == camera_of_all(document.picture, opened.window.canvas.viewport)


def test_a_broken_file_is_shown_as_such_and_does_not_end_the_program(opened: Opened, folder: Path) -> None:
    broken = folder / "broken.tine"
    broken.write_bytes(b'{"format_version": 2, "graph": ')
    opened.session.invoke("file.open", path=broken)
    opened.until(lambda: opened.document.error is not None, "the error shown")
    opened.rest()
    assert "broken.tine" in str(opened.document.error)
    opened.keyboard.press("ctrl+w")
    opened.rest()
    assert opened.document.path == folder / "research-01.tine"


@pytest.mark.painted
def test_the_picture_of_the_window_has_the_colours_of_the_graph(opened: Opened, tmp_path: Path) -> None:
    picture = Image.open(opened.picture(tmp_path / "window.png")).convert("RGB")
    colors = {color for _, color in picture.getcolors(1 << 20) or ()}
    assert DARK.tool[:3] in colors
    assert DARK.canvas[:3] in colors
    step = first_of(opened, "model")
    x, y = opened.point(step)
    assert picture.getpixel((round(x) - 60, round(y) + 4)) != DARK.canvas[:3]


def test_the_close_button_asks_about_unsaved_work_and_then_quits(opened: Opened, display: str) -> None:
    opened.mouse.click(*opened.point(first_of(opened, "model")))
    opened.keyboard.press("f")
    opened.rest()
    opened.keyboard.press("Return")
    opened.rest()
    ask_to_close(opened.mouse.window, display)
    opened.until(lambda: opened.window.prompter.visible, "the question about the unsaved fork")
    assert not opened.session.quit
    opened.keyboard.press("Escape")
    opened.rest()
    assert not opened.session.quit
    assert opened.document.dirty


def test_the_close_button_quits_at_once_when_nothing_is_unsaved(opened: Opened, display: str) -> None:
    ask_to_close(opened.mouse.window, display)
    opened.until(lambda: opened.session.quit, "the session to quit")


def test_presenting_fills_the_screen_walks_with_the_keys_and_ends_with_esc(opened: Opened) -> None:
    window, session = opened.window, opened.session
    opened.keyboard.press("F5")
    opened.until(lambda: session.presentation is not None, "the presentation")
    opened.rest()
    assert opened.regions.left.width == opened.regions.right.width == opened.regions.canvas.y == 0
    first = opened.document.selection.primary
    opened.keyboard.press("Right")
    opened.rest()
    assert opened.document.selection.primary != first
    title = opened.document.face(opened.document.picture.index_of(opened.document.selection.primary or "") or 0).title
    assert title in opened.drawn(window.slide.sheet.node)
    opened.keyboard.press("Escape")
    opened.until(lambda: session.presentation is None, "the end of the presentation")
    opened.rest()
    assert opened.regions.left.width > 0
    assert not dpg.is_item_shown(window.slide.pane.window)


def test_f1_shows_the_keys_and_esc_closes_them(opened: Opened) -> None:
    opened.keyboard.press("F1")
    opened.rest()
    shown = opened.drawn(opened.window.help.sheet.node)
    assert "Fork from here" in shown
    assert "Ctrl+Shift+Z" in shown
    opened.keyboard.press("Escape")
    opened.rest()
    assert not opened.session.view.keys
