"""Density pictures: the minimap, and what the canvas shows when there are too many cards to draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from opentine_gui.scene.space.camera import Bounds, Camera, Viewport, view_rect
from opentine_gui.scene.theme import STEP_ROLES, Theme

if TYPE_CHECKING:
    from opentine_gui.layout import Layout

Pixels = NDArray[np.float32]
# Boxes of more pixels than this are painted one by one; smaller ones all at once, one pixel of the box after another.
_LARGEST_STAMP = 128
_SMALLEST_FAILURE = 2
MOST_PIXELS = 1_000_000
"""Most pixels of a density picture of the canvas."""
SMALLEST_VIEW = 6.0
"""Least pixels a side of the view's rectangle on the minimap."""
# Opacity of a pixel by the number of steps whose top left corner is in it; full from 15 steps on.
_STRENGTHS = (0.45 + 0.55 * np.log2(np.arange(16) + 1.0) / 4.0).astype(np.float32)


def density_picture(
    centers: NDArray[np.float64],
    node_size: tuple[float, float],
    kinds: NDArray[np.uint8],
    failures: NDArray[np.int64] | None,
    rect: Bounds,
    size: tuple[int, int],
    theme: Theme,
    roles: Sequence[str] = STEP_ROLES,
) -> Pixels:
    """Return an (h, w, 4) float32 RGBA picture, 0 to 1, of the steps in the world rectangle `rect`.

    `kinds` (n,) uint8 are indices into `roles`, names of theme colours. A pixel has the colour of a step there,
    stronger where there are more. Failing steps (`failures`, indices) are painted last, over everything, and never
    smaller than two pixels, so that none is lost however many steps share the picture.
    """
    width, height = max(int(size[0]), 1), max(int(size[1]), 1)
    x0, y0, x1, y1 = rect
    scale_x, scale_y = width / max(x1 - x0, 1e-9), height / max(y1 - y0, 1e-9)
    left = (centers[:, 0] - node_size[0] / 2 - x0) * scale_x
    top = (centers[:, 1] - node_size[1] / 2 - y0) * scale_y
    wide = max(round(node_size[0] * scale_x), 1)
    tall = max(round(node_size[1] * scale_y), 1)
    seen = (left > -wide) & (left < width) & (top > -tall) & (top < height)
    if seen.all():  # as on the minimap
        columns, rows, shown = np.rint(left).astype(np.int64), np.rint(top).astype(np.int64), kinds
    else:
        columns, rows, shown = np.rint(left[seen]).astype(np.int64), np.rint(top[seen]).astype(np.int64), kinds[seen]

    codes = np.zeros((height, width), dtype=np.uint8)
    crowd = None
    if wide * tall <= 4:
        inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
        crowd = np.bincount(rows[inside] * width + columns[inside], minlength=width * height).reshape(height, width)
    _stamp(codes, columns, rows, shown + np.uint8(1), wide, tall)
    palette = np.zeros((len(roles) + 2, 4), dtype=np.float32)
    palette[1:-1] = [[*theme.role(role)[:3], 0.0] for role in roles]
    palette[-1] = [*theme.bad[:3], 0.0]
    palette /= 255.0
    palette[1:, 3] = 0.82
    palette[-1, 3] = 1.0
    if failures is not None and len(failures):
        mask = np.zeros(len(centers), dtype=bool)
        mask[failures] = True
        mask &= (left > -max(wide, _SMALLEST_FAILURE)) & (left < width + 1)
        mask &= (top > -max(tall, _SMALLEST_FAILURE)) & (top < height + 1)
        large_x, large_y = max(wide, _SMALLEST_FAILURE), max(tall, _SMALLEST_FAILURE)
        # Clamped, so that a failure at the border keeps its two pixels.
        fail_columns = np.clip(np.rint(left[mask]).astype(np.int64), None, width - _SMALLEST_FAILURE)
        fail_rows = np.clip(np.rint(top[mask]).astype(np.int64), None, height - _SMALLEST_FAILURE)
        marks = np.full(len(fail_columns), len(roles) + 1, dtype=np.uint8)
        _stamp(codes, fail_columns, fail_rows, marks, large_x, large_y)
    picture: Pixels = palette.take(codes, axis=0)  # ten times as fast as indexing
    if crowd is not None:
        thin = (codes > 0) & (codes <= len(roles)) & (crowd > 0)
        picture[thin, 3] = _STRENGTHS.take(crowd[thin], mode="clip")
    return picture


def _stamp(
    codes: NDArray[np.uint8],
    columns: NDArray[np.int64],
    rows: NDArray[np.int64],
    marks: NDArray[np.uint8],
    wide: int,
    tall: int,
) -> None:
    """Write each mark into its box of wide × tall elements; later ones overwrite earlier ones."""
    height, width = codes.shape
    if wide * tall > _LARGEST_STAMP:
        for x, y, mark in zip(columns.tolist(), rows.tolist(), marks.tolist(), strict=True):
            codes[max(y, 0) : max(y + tall, 0), max(x, 0) : max(x + wide, 0)] = mark
        return
    flat = codes.reshape(-1)
    if not len(columns):
        return
    within = columns.min() >= 0 and columns.max() + wide <= width and rows.min() >= 0 and rows.max() + tall <= height
    if within:
        places = rows * width + columns
        if wide * tall > 1 and len(places) > codes.size // 8:
            # Of the boxes at one place only the last is visible, so only that is painted.
            last = np.full(codes.size, -1, dtype=np.int64)
            last[places] = np.arange(len(places))
            seen = np.sort(last[last >= 0])
            places, marks = places[seen], marks[seen]
        for offset in (down * width + across for down in range(tall) for across in range(wide)):
            flat[places + offset] = marks
        return
    for down in range(tall):
        y = rows + down
        for across in range(wide):
            x = columns + across
            inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            flat[(y * width + x)[inside]] = marks[inside]


def density_size(rect: Bounds, zoom: float, *, sharpness: float = 0.5) -> tuple[int, int]:
    """Return the (width, height) in pixels of the density picture of `rect`, at most `MOST_PIXELS` in all.

    The picture is stretched over its rectangle. `sharpness` 0.5 (half the pixels per side) suits a moving view; 1.0 a
    view at rest, where a picture may cost four times as much.
    """
    width, height = (rect[2] - rect[0]) * zoom * sharpness, (rect[3] - rect[1]) * zoom * sharpness
    scale = min(1.0, (MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    return max(int(width * scale), 1), max(int(height * scale), 1)


Place = TypeVar("Place", float, NDArray[np.float64])


class MinimapImage:
    """The picture of a whole layout, fitted into `size` (width, height) pixels, and the mapping between the two."""

    def __init__(
        self,
        layout: Layout,
        kinds: NDArray[np.uint8],
        failures: NDArray[np.int64] | None,
        size: tuple[int, int],
        theme: Theme,
        roles: Sequence[str] = STEP_ROLES,
    ) -> None:
        """Paint the picture; arguments as for `density_picture`."""
        width, height = max(int(size[0]), 1), max(int(size[1]), 1)
        self.size = (width, height)
        x0, y0, x1, y1 = layout.bounds
        # The same scale on both axes, unless a long thin chain would become invisible: that is stretched.
        scale_x, scale_y = width / max(x1 - x0, 1.0), height / max(y1 - y0, 1.0)
        scale = min(scale_x, scale_y)
        self._scale_x = min(scale_x, max(scale, min(scale_x, _MAX_STRETCHED_CARD / layout.spacing.node_width)))
        self._scale_y = min(scale_y, max(scale, min(scale_y, _MAX_STRETCHED_CARD / layout.spacing.node_height)))
        center_x, center_y = (x0 + x1) / 2, (y0 + y1) / 2
        self.rect: Bounds = (
            center_x - width / 2 / self._scale_x,
            center_y - height / 2 / self._scale_y,
            center_x + width / 2 / self._scale_x,
            center_y + height / 2 / self._scale_y,
        )
        node_size = (layout.spacing.node_width, layout.spacing.node_height)
        self.pixels = density_picture(layout.centers, node_size, kinds, failures, self.rect, self.size, theme, roles)

    def to_map(self, x: Place, y: Place) -> tuple[Place, Place]:
        """Return the minimap pixel of a world point, or those of columns of them."""
        return ((x - self.rect[0]) * self._scale_x, (y - self.rect[1]) * self._scale_y)

    def to_world(self, px: float, py: float) -> tuple[float, float]:
        """Return the world point under a minimap pixel."""
        return (px / self._scale_x + self.rect[0], py / self._scale_y + self.rect[1])

    def view_rectangle(self, camera: Camera, viewport: Viewport) -> Bounds:
        """Return the camera's view in minimap pixels, cut to the picture and never so small that it cannot be seen."""
        x0, y0, x1, y1 = view_rect(camera, viewport)
        left, top = self.to_map(x0, y0)
        right, bottom = self.to_map(x1, y1)
        left, right = _span(left, right, self.size[0])
        top, bottom = _span(top, bottom, self.size[1])
        return (left, top, right, bottom)


_MAX_STRETCHED_CARD = 16.0
"""Pixels a card may take along the axis that is stretched."""


def _span(low: float, high: float, limit: float) -> tuple[float, float]:
    smallest = min(SMALLEST_VIEW, limit)
    if high - low < smallest:
        middle = (low + high) / 2
        low, high = middle - smallest / 2, middle + smallest / 2
    low = min(max(low, 0.0), limit - smallest)
    return low, max(min(high, limit), low + smallest)
