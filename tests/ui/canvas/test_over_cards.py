"""What lies over the canvas is read over cards too: it covers what is under it and has an edge of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from opentine_gui.scene.space.camera import Camera
from opentine_gui.ui.canvas.hints import LEGEND_HEIGHT
from opentine_gui.ui.toolkit.regions import Area
from tests.ui.opened import Opened, copy_of_demo


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    window = Opened(copy_of_demo(tmp_path))
    window.session.settings.motion = False
    window.open(window.session.working_folder / "research-01.tine")
    window.rest()
    yield window
    window.close()


def put_a_card(opened: Opened, at: tuple[float, float]) -> None:
    """Show the first card, four times its size, around a pixel of the window."""
    document, area = opened.document, opened.window.canvas.area
    assert document.picture.layout is not None
    x, y = document.picture.layout.centers[0]
    middle = area.x + area.width / 2, area.y + area.height / 2
    zoom = 4.0
    document.picture.set_camera(
        Camera(float(x) - (at[0] - middle[0]) / zoom, float(y) - (at[1] - middle[1]) / zoom, zoom)
    )
    opened.rest()


def ring(picture: Path, area: Area, away: float, sides: str = "left right top bottom") -> np.ndarray[Any, Any]:
    """The pixels of the middle third of these sides, `away` pixels outside of an area."""
    pixels = np.asarray(Image.open(picture).convert("RGB"))
    x, y, right, bottom = (round(value) for value in (area.x, area.y, area.x + area.width, area.y + area.height))
    across = slice(x + (right - x) // 3, right - (right - x) // 3)
    down = slice(y + (bottom - y) // 3, bottom - (bottom - y) // 3)
    away = round(away)
    found = {
        "left": pixels[down, x - away],
        "right": pixels[down, right - 1 + away],
        "top": pixels[y - away, across],
        "bottom": pixels[bottom - 1 + away, across],
    }
    return np.concatenate([found[side] for side in sides.split()])


@pytest.mark.painted
def test_the_zoom_controls_have_the_canvas_around_them_where_a_card_is_under_them(
    opened: Opened, tmp_path: Path
) -> None:
    bar = opened.window.zoom_bar.plate.area
    put_a_card(opened, (bar.x + bar.width / 2, bar.y + bar.height / 2))
    picture = opened.picture(tmp_path / "bar.png")
    canvas = opened.window.style.theme.canvas[:3]
    assert (np.abs(ring(picture, bar, 2).astype(int) - canvas) <= 2).all()
    card = ring(picture, bar, 6, "left right top").astype(int)
    assert (np.abs(card - canvas).max(axis=1) > 4).any(), "there is a card, or this shows nothing"


@pytest.mark.painted
def test_the_legend_has_an_edge_where_a_card_is_under_it_and_none_elsewhere(opened: Opened, tmp_path: Path) -> None:
    area, theme = opened.window.canvas.area, opened.window.style.theme
    legend = Area(area.x + area.width / 2 - 60, area.y, 120, LEGEND_HEIGHT)
    clear = ring(opened.picture(tmp_path / "clear.png"), legend, 0, "bottom").astype(int)
    assert (np.abs(clear - theme.canvas[:3]) <= 2).all()
    put_a_card(opened, (area.x + area.width / 2, area.y + 20))
    covered = opened.picture(tmp_path / "covered.png")
    edges = [ring(covered, legend, away, "bottom").astype(int) for away in (0, 1)]
    assert any((np.abs(edge - theme.hairline[:3]) <= 3).all() for edge in edges), "an edge"
    assert (np.abs(ring(covered, legend, 2, "bottom").astype(int) - theme.canvas[:3]) <= 2).all()
    assert (np.abs(ring(covered, legend, 8, "bottom").astype(int) - theme.canvas[:3]).max(axis=1) > 4).any()
