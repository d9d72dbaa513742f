"""Recorded pictures as textures in tiles: one tile a frame, those in view, so that no picture holds up a frame."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

import dearpygui.dearpygui as dpg
import numpy as np

from opentine_gui.app.inspect.reading.reader import Reader
from opentine_gui.scene.draw_list import Picture
from opentine_gui.scene.text.styled import Figure

TILE = 256
"""Pixels of a tile's side: it takes some four milliseconds to become a texture."""
MOST = 128
"""Tiles kept at once; a texture takes a quarter of a megabyte."""


class Spot(NamedTuple):
    """Where a picture is shown: its left top corner and its size in pixels of the drawing."""

    x: float
    y: float
    width: float
    height: float


class Textures:
    """Tiles of pictures by name. `waiting` says that tiles in view are not there yet."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._registry = int(dpg.add_texture_registry())
        self.items: OrderedDict[str, int] = OrderedDict()
        self.waiting = False

    def load(self) -> None:
        """Begin a frame: one tile may be made in it."""
        self._made, self.waiting = False, False

    def draw(self, figure: Figure, spot: Spot, top: float, bottom: float) -> list[Picture]:
        """The tiles of a picture between two heights of the drawing, those that are there."""
        level = level_for(figure, spot.width)
        pixels = self._reader.pixels(figure.name, level)
        if pixels is None:
            return []
        across, down = spot.width / pixels.width, spot.height / pixels.height
        found: list[Picture] = []
        for y in range(0, pixels.height, TILE):
            # Whole pixels: between tiles that end inside a pixel, the ground would show.
            y0, y1 = round(spot.y + y * down), round(spot.y + min(y + TILE, pixels.height) * down)
            if y1 < top or y0 > bottom:
                continue
            for x in range(0, pixels.width, TILE):
                name = f"{figure.name}/{level}/{x}/{y}"
                if self._has(name):
                    right = min(x + TILE, pixels.width)
                    found.append(Picture(name, round(spot.x + x * across), y0, round(spot.x + right * across), y1))
                elif self._made:
                    self.waiting = True
                else:
                    self._made = self.waiting = True
                    whole = np.frombuffer(pixels.data, np.uint8).reshape(pixels.height, pixels.width, 4)
                    self._add(name, whole[y : y + TILE, x : x + TILE])
        return found

    def problem(self, figure: Figure) -> str:
        """Why a picture cannot be shown; "" if it can."""
        return self._reader.problem(figure.name)

    def _has(self, name: str) -> bool:
        if name not in self.items:
            return False
        self.items.move_to_end(name)
        return True

    def _add(self, name: str, tile: np.ndarray) -> None:
        values = tile.astype(np.float32).ravel() / 255.0
        height, width = tile.shape[:2]
        self.items[name] = int(dpg.add_static_texture(width, height, values, parent=self._registry))
        while len(self.items) > MOST:
            dpg.delete_item(self.items.popitem(last=False)[1])


def level_for(figure: Figure, width: float) -> int:
    """How often a picture is halved before it is shown `width` pixels wide."""
    level = 0
    while figure.width / 2 ** (level + 1) >= width and level < 6:
        level += 1
    return level
