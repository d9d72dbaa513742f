"""Cameras that show a layout, or the part of it that matters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.app.document.picture.fold import FOLDED_PADDING, STRAIGHT_PADDING
from opentine_gui.layout import Direction, Layout
from opentine_gui.scene.space.camera import Bounds, Camera, Viewport, clamped_zoom, fitted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from opentine_gui.app.document.picture.shown_picture import ShownPicture

    Edges = NDArray[np.float64]

READABLE_FIT = 0.5
"""The smallest zoom at which the first view shows the whole graph."""
_BESIDE_CONTROLS = 6.0
NARROW = 560.0
"""Width of a canvas in pixels below which the zoom controls are smaller: a card in its middle stands beside them."""


class ZoomControls(NamedTuple):
    """Width and height of the zoom controls in pixels, and how far they are from the canvas's left and lower edge."""

    width: float
    height: float
    left: float
    below: float

    @property
    def corner(self) -> tuple[float, float]:
        """Width and height in pixels of the corner that they take at the canvas's lower left, gap included."""
        return self.left + self.width + _BESIDE_CONTROLS, self.below + self.height + _BESIDE_CONTROLS


def zoom_controls(canvas_width: float) -> ZoomControls:
    """The zoom controls on a canvas of this width in pixels."""
    return ZoomControls(134.0, 34.0, 8.0, 10.0) if canvas_width < NARROW else ZoomControls(176.0, 34.0, 16.0, 10.0)


MOST_ASIDE = 60
"""Pixels by which a first picture is moved at most to be clear of the zoom controls."""
LEGEND_ROOM = 21.0
"""Pixels at the canvas's upper edge that the legend takes."""
BELOW_CARD, EDGE = 23.0, 12.0
"""World units that flags take below a card; pixels that a picture keeps from the canvas's edge."""
LEAST_WHOLE = 0.4
"""The smallest zoom at which a folded run is shown whole; short runs, one card per step, are laid out for it."""
FIRST_ZOOM = 0.8
"""The zoom of the first view of a graph that is too large to be shown whole."""
LEAST_BREADTH = 0.6
"""The smallest zoom that such a view takes to show all lanes side by side."""
REVEAL_MARGIN = 24.0
"""Pixels between a card brought into view and the canvas's edge."""
READING_ZOOM = 0.5
"""The smallest zoom at which a title can be read at a glance: a card that is jumped to is shown no smaller."""


def camera_of_all(picture: ShownPicture, viewport: Viewport) -> Camera | None:
    """The camera that shows the whole graph, or None before there is one."""
    layout = picture.layout
    if layout is None:
        return None
    if picture.fold is None:
        return fitted(layout.bounds, viewport, STRAIGHT_PADDING)
    if viewport.foot:
        camera = fitted(layout.bounds, viewport.above_foot, FOLDED_PADDING)
        return camera._replace(y=camera.y + viewport.foot / 2 / camera.zoom)
    return beside_controls(layout, fitted(layout.bounds, viewport, FOLDED_PADDING), viewport)


def beside_controls(layout: Layout, camera: Camera, viewport: Viewport) -> Camera:
    """The camera moved so that no card lies under the zoom controls, by the shorter way that has enough room.

    If neither has, the picture stays in the middle.
    """
    wide, high = zoom_controls(viewport.width).corner
    left, top, right, bottom = _on_canvas(camera, layout, viewport)
    low, near = bottom > viewport.height - high, left < wide
    if not (low & near).any():
        return camera
    aside, up = wide - float(left[low].min()), float(bottom[near].max()) - (viewport.height - high)
    has_room_aside = aside <= viewport.width - EDGE - float(right.max())
    has_room_above = up <= float(top.min()) - FOLDED_PADDING
    if has_room_aside and (aside <= up or not has_room_above):
        return Camera(camera.x - aside / camera.zoom, camera.y, camera.zoom)
    return Camera(camera.x, camera.y + up / camera.zoom, camera.zoom) if has_room_above else camera


def _clear_of_map(camera: Camera, layout: Layout, viewport: Viewport) -> Camera:
    """The camera moved aside, if that is enough, so that none of the cards in view lies under the map."""
    width, height, map_width, map_height, _foot = viewport
    corner_width, corner_height = zoom_controls(width).corner
    left, top, right, bottom = _on_canvas(camera, layout, viewport)
    seen = (right > 0) & (left < width) & (bottom > 0) & (top < height)
    low = seen & (bottom > height - map_height)
    if not map_width or not low.any():
        return camera
    aside = float(right[low].max()) - (width - map_width)
    lowest = seen & (bottom > height - corner_height)
    taken = corner_width if lowest.any() else 0.0
    free = min(float(left[seen].min()) - REVEAL_MARGIN, float(left[lowest].min()) - taken if lowest.any() else width)
    return Camera(camera.x + aside / camera.zoom, camera.y, camera.zoom) if 0.0 < aside <= free else camera


def _clear_of_controls(camera: Camera, layout: Layout, viewport: Viewport) -> Camera:
    """The camera moved along, as little as needed, so that no card in view lies under the zoom controls.

    Where a little is not enough the picture stays.
    """
    wide, high = zoom_controls(viewport.width).corner
    left, top, _right, bottom = _on_canvas(camera, layout, viewport)
    near = (left < wide) & (top < viewport.height + MOST_ASIDE) & (bottom > viewport.height - high - MOST_ASIDE)
    top, bottom = top[near], bottom[near]
    first = float(_on_canvas(camera, layout, viewport)[1].min())
    shifts = sorted(range(-MOST_ASIDE, MOST_ASIDE + 1, 4), key=abs)
    for shift in shifts:  # upwards as far as the first card stays below the legend
        if first + shift < min(first, LEGEND_ROOM):
            continue
        if not ((bottom + shift > viewport.height - high) & (top + shift < viewport.height)).any():
            return Camera(camera.x, camera.y - shift / camera.zoom, camera.zoom)
    return camera


def _on_canvas(camera: Camera, layout: Layout, viewport: Viewport) -> tuple[Edges, Edges, Edges, Edges]:
    """The left, upper, right and lower edges of all cards, what hangs below them included, in pixels of the canvas."""
    zoom = camera.zoom
    half_width, half_height = layout.spacing.node_width / 2 * zoom, layout.spacing.node_height / 2 * zoom
    across = (layout.centers[:, 0] - camera.x) * zoom + viewport.width / 2
    down = (layout.centers[:, 1] - camera.y) * zoom + viewport.height / 2
    return across - half_width, down - half_height, across + half_width, down + half_height + BELOW_CARD * zoom


def camera_of_steps(picture: ShownPicture, step_ids: Iterable[str], viewport: Viewport) -> Camera | None:
    """The camera that shows these steps with some room around them, or None when none of them has a card."""
    indices = [index for index in map(picture.index_of, step_ids) if index is not None]
    if not indices or picture.layout is None:
        return None
    return camera_for_cards(picture.layout, indices, viewport)


def camera_to_reveal(
    picture: ShownPicture, step_id: str, viewport: Viewport, covered: float = 0.0, *, centered: bool = False
) -> Camera | None:
    """The camera that shows a step's card, or None before there is one.

    It moves as little as needed; with `centered` the card comes to the middle, large enough to be read. `covered` is
    the height in pixels at the lower edge of the canvas where something lies over it.
    """
    index, layout, camera = picture.index_of(step_id), picture.layout, picture.camera_goal
    if index is None or layout is None or camera is None:
        return None
    if centered:
        return center_card(layout, index, camera, covered)
    return reveal_card(layout, index, camera, viewport, covered)


def camera_for_cards(layout: Layout, indices: Sequence[int], viewport: Viewport) -> Camera:
    """The camera that shows these cards, at least one, with some room around them."""
    half_width, half_height = layout.spacing.node_width / 2, layout.spacing.node_height / 2
    centers = layout.centers[list(indices)]
    low, high = centers.min(axis=0), centers.max(axis=0)
    bounds = (
        float(low[0]) - half_width,
        float(low[1]) - half_height,
        float(high[0]) + half_width,
        float(high[1]) + half_height,
    )
    return fitted(bounds, viewport)


def reveal_card(layout: Layout, index: int, camera: Camera, viewport: Viewport, covered: float = 0.0) -> Camera:
    """The camera moved as little as needed so that the whole card is in view.

    `covered` is the height in pixels at the lower edge of the canvas where something lies over it.
    """
    x, y = (float(value) for value in layout.centers[index])
    margin, down = REVEAL_MARGIN / camera.zoom, covered / 2 / camera.zoom
    room_x = max(0.0, viewport.width / 2 / camera.zoom - layout.spacing.node_width / 2 - margin)
    room_y = max(0.0, (viewport.height - covered) / 2 / camera.zoom - layout.spacing.node_height / 2 - margin)
    middle = min(max(camera.y - down, y - room_y), y + room_y)
    return Camera(min(max(camera.x, x - room_x), x + room_x), middle + down, camera.zoom)


def center_card(layout: Layout, index: int, camera: Camera, covered: float = 0.0) -> Camera:
    """The camera with the card in the middle of what is not `covered`, at a zoom at which its title can be read."""
    x, y = (float(value) for value in layout.centers[index])
    zoom = camera.zoom if camera.zoom >= READING_ZOOM else FIRST_ZOOM
    return Camera(x, y + covered / 2 / zoom, zoom)


def card_bounds(layout: Layout, centers: Sequence[tuple[float, float]]) -> Bounds:
    """The world rectangle of cards with these centres, at least one."""
    half_width, half_height = layout.spacing.node_width / 2, layout.spacing.node_height / 2
    xs, ys = [x for x, _ in centers], [y for _, y in centers]
    return (min(xs) - half_width, min(ys) - half_height, max(xs) + half_width, max(ys) + half_height)


def reveal_bounds(bounds: Bounds, camera: Camera, viewport: Viewport, covered: float = 0.0) -> Camera:
    """The camera moved as little as needed so that a world rectangle is in view; zoomed out only if it does not fit.

    `covered` is the height in pixels at the lower edge of the canvas where something lies over it.
    """
    x0, y0, x1, y1 = bounds
    room_x = max(viewport.width - 2 * REVEAL_MARGIN, 1.0)
    room_y = max(viewport.height - covered - 2 * REVEAL_MARGIN, 1.0)
    zoom = clamped_zoom(min(camera.zoom, room_x / max(x1 - x0, 1.0), room_y / max(y1 - y0, 1.0)))
    half_x, half_y, down = room_x / 2 / zoom, room_y / 2 / zoom, covered / 2 / zoom
    middle = min(max(camera.y - down, y1 - half_y), y0 + half_y)
    return Camera(min(max(camera.x, x1 - half_x), x0 + half_x), middle + down, zoom)


def first_camera(layout: Layout, viewport: Viewport) -> Camera:
    """The first view of a graph: all of it if that is readable, else its beginning at a readable size."""
    whole = fitted(layout.bounds, viewport)
    if not len(layout.centers):
        return whole
    if whole.zoom >= READABLE_FIT:
        return beside_controls(layout, whole, viewport)
    x, y = (float(value) for value in layout.centers[0])
    left, top, right, bottom = layout.bounds
    if layout.direction is Direction.TOP_TO_BOTTOM:
        x, zoom = _in_breadth(x, left, right, viewport.width)
        camera = Camera(x, y + viewport.height / 2 / zoom - 110.0, zoom)
        return _clear_of_controls(_clear_of_map(camera, layout, viewport), layout, viewport)
    y, zoom = _in_breadth(y, top, bottom, viewport.height)
    return Camera(x + viewport.width / 2 / zoom - 180.0, y, zoom)


def _in_breadth(first: float, low: float, high: float, pixels: float) -> tuple[float, float]:
    """Where the camera of a first view stands across the direction of the graph, and its zoom.

    At the `first` card, or where all lanes from `low` to `high` are in view if they are not there but could be.
    """
    room = pixels - 2 * EDGE
    if max(first - low, high - first) * FIRST_ZOOM <= room / 2:
        return first, FIRST_ZOOM
    zoom = min(FIRST_ZOOM, room / max(high - low, 1.0))
    return ((low + high) / 2, zoom) if zoom >= LEAST_BREADTH else (first, FIRST_ZOOM)
