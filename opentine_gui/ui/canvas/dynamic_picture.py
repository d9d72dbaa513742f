"""A picture whose pixels change: the density picture of a large run and the minimap."""

from __future__ import annotations

import dearpygui.dearpygui as dpg
import numpy as np
from numpy.typing import NDArray


class DynamicPicture:
    """A texture, recreated when its size changes and refilled when only its content does."""

    def __init__(self) -> None:
        self._registry = int(dpg.add_texture_registry())
        self._texture = 0
        self._size = (0, 0)
        self._pixels: NDArray[np.float32] | None = None

    def show(self, pixels: NDArray[np.float32]) -> int:
        """Upload an (h, w, 4) picture; returns the texture item."""
        height, width = pixels.shape[:2]
        flat = np.ascontiguousarray(pixels, dtype=np.float32).reshape(-1)
        self._pixels = flat  # Dear PyGui reads this memory in every frame
        if (width, height) != self._size:
            if self._texture:
                dpg.delete_item(self._texture)
            self._texture = int(
                dpg.add_raw_texture(width, height, flat, format=dpg.mvFormat_Float_rgba, parent=self._registry)
            )
            self._size = (width, height)
        else:
            dpg.set_value(self._texture, flat)
        return self._texture
