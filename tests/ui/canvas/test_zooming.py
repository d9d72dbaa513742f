"""A turned wheel costs a little in every frame: what is shown is scaled until the picture of its zoom is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dearpygui._dearpygui as raw
import dearpygui.dearpygui as dpg
import numpy as np
import pytest
from PIL import Image

from bench.session_runs import session_run
from opentine_gui.core import write
from opentine_gui.scene.draw_list import DrawList, Piece, Rect
from opentine_gui.scene.space.camera import view_rect
from opentine_gui.ui.canvas import next_zoom
from tests.ui.opened import Opened
from tests.ui.painted_afresh import PaintedAfresh


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """A window with a folded session of 300 steps, whose cards have their words."""
    window = Opened(tmp_path)
    try:
        window.session.settings.motion = False
        window.open(write(tmp_path / "session.tine", session_run(300)))
        window.session.invoke("view.zoom_actual")
        window.rest()
        yield window
    finally:
        window.close()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time in a frame for the picture that is coming, beyond the least."""
    monkeypatch.setattr(next_zoom, "BUDGET", 0.0)


def counted(draw: Callable[..., Any], counts: list[int]) -> Callable[..., Any]:
    """The same function, which notes in `counts` that it was called."""

    def counting(*arguments: Any, **more: Any) -> Any:
        counts.append(1)
        return draw(*arguments, **more)

    return counting


def rectangles_in(drawing: DrawList) -> int:
    """How many rectangles a picture has."""
    items = [item for part in drawing.parts for item in (part.items if isinstance(part, Piece) else (part,))]
    return sum(isinstance(item, Rect) for item in items)


def graph_pixels(opened: Opened, path: Path) -> np.ndarray[Any, Any]:
    """What the canvas shows, without its margins, where signs and map lie."""
    area = opened.window.canvas.area
    box = (area.x + 20, area.y + 60, area.x + area.width - 220, area.y + area.height - 160)
    return np.asarray(Image.open(opened.picture(path)).convert("L").crop(box), dtype=float)


def apart(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """How far two pictures differ, in levels of grey a pixel."""
    return float(np.abs(one - other).mean())


def middle(opened: Opened) -> tuple[float, float]:
    area = opened.window.canvas.area
    return area.x + area.width / 2, area.y + area.height / 2


def zoom_of(opened: Opened) -> float:
    camera = opened.document.picture.camera
    assert camera is not None
    return camera.zoom


def turn(opened: Opened, notches: int) -> None:
    """Turn the wheel over the middle of the canvas, and wait until each notch has arrived."""
    for _ in range(abs(notches)):
        zoom = zoom_of(opened)
        opened.mouse.wheel(1 if notches > 0 else -1, middle(opened))
        opened.until(lambda before=zoom: zoom_of(opened) != before, "the wheel's turn")  # type: ignore[misc]


def test_a_notch_paints_little_in_a_frame_and_the_whole_picture_in_time(
    opened: Opened, hurried: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, check = opened.window.canvas.world, PaintedAfresh(opened)
    check()
    for notches in (2, -1):
        counts: list[int] = []
        monkeypatch.setattr(raw, "draw_rectangle", counted(raw.draw_rectangle, counts))
        shown, rectangles = world.shown, rectangles_in(world.drawing)
        turn(opened, notches)
        assert world.shown is shown
        assert len(counts) < rectangles / 2
        check()
        assert world.shown.zoom == zoom_of(opened)
        assert len(counts) > rectangles / 2


def test_no_picture_is_enlarged_too_far_or_leaves_much_of_the_canvas_empty(opened: Opened, hurried: None) -> None:
    turn(opened, -8)
    opened.rest()
    world, canvas = opened.window.canvas.world, opened.window.canvas
    for notches in [1] * 14 + [-1] * 14:
        turn(opened, notches)
        camera = opened.document.picture.camera
        assert camera is not None
        assert camera.zoom / world.shown.zoom <= next_zoom.MOST_ENLARGED
        x0, y0, x1, y1 = view_rect(camera, canvas.viewport)
        left, top, right, bottom = world.shown.rect
        assert min(x1, right) - max(x0, left) >= next_zoom.LEAST_COVERED * (x1 - x0)
        assert min(y1, bottom) - max(y0, top) >= next_zoom.LEAST_COVERED * (y1 - y0)


@pytest.mark.parametrize("change", ["view.theme", "select.all", "view.direction", "fold.every_step"])
def test_what_changes_meanwhile_is_painted_at_once(opened: Opened, hurried: None, change: str) -> None:
    check = PaintedAfresh(opened)
    turn(opened, 2)
    assert opened.window.canvas.graph.late
    arguments = {"view.theme": {"name": "light"}, "fold.every_step": {"shown": True}}
    opened.session.invoke(change, **arguments.get(change, {}))
    check()


def test_a_document_closed_meanwhile_is_let_go(opened: Opened, hurried: None) -> None:
    turn(opened, 2)
    assert opened.window.canvas.graph.late
    opened.session.invoke("file.close")
    opened.frame()
    assert not opened.window.canvas.graph.late
    assert opened.window.canvas.drawn == 0


def test_words_shrink_with_their_cards_until_the_smaller_picture_is_complete(opened: Opened, hurried: None) -> None:
    def heights() -> list[float]:
        found: list[float] = []
        nodes = [opened.window.canvas.world.node]
        while nodes:
            for item in dpg.get_item_children(nodes.pop(), 2) or ():
                said = dpg.get_item_configuration(item)
                if "text" in said and "size" in said:
                    found.append(float(said["size"]))
                nodes.append(item)
        return found

    world, before, zoom = opened.window.canvas.world, heights(), zoom_of(opened)
    assert len(before) > 20
    turn(opened, -1)
    times = zoom_of(opened) / zoom
    assert opened.window.canvas.graph.late and world.shown.zoom == zoom
    assert all(small <= max(tall * times, 1.0) + 0.5 for small, tall in zip(heights(), before, strict=True))
    opened.session.invoke("view.zoom_actual")
    opened.rest()
    assert heights() == pytest.approx(before), "and are as before at the zoom they were painted for"


@pytest.mark.painted
def test_the_scaled_picture_lies_where_the_complete_one_will(opened: Opened, hurried: None, tmp_path: Path) -> None:
    before = graph_pixels(opened, tmp_path / "before.png")
    turn(opened, 1)
    between = graph_pixels(opened, tmp_path / "between.png")
    assert opened.window.canvas.graph.late
    opened.rest()
    after = graph_pixels(opened, tmp_path / "after.png")
    assert apart(between, after) < apart(before, after) / 2
