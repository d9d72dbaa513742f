"""Glides to a group that was opened, so that all its cards are in view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from opentine_gui.app.document.camera.framing import READABLE_FIT, zoom_controls
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.picture.fold_state import Opening
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.layout import Direction, Layout
from opentine_gui.scene.space.camera import Camera, Viewport

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

BESIDE = 10.0
"""Pixels beside a group that was opened: its frame and a little air."""


def bring_into_view(session: Session, document: Document, made: FoldedRun, opening: Opening) -> None:
    """Glide until an opened group is in view, up if it ends below the canvas, but never with its head out of view.

    One that is too wide is shown a little smaller, if its titles can still be read then. What lies over the canvas's
    lower corners counts as below it.
    """
    made = document.picture.fold or made  # with what the user moved
    frame = next((frame for frame in made.frames if frame.opening == opening), None)
    camera, layout = document.picture.camera, document.picture.layout
    if frame is None or camera is None or layout is None or len(frame.cards) < 2:
        return
    along = 1 if layout.direction is Direction.TOP_TO_BOTTOM else 0
    zoom, across = camera.zoom, _shift_across(camera, made.layout, frame.cards, session.viewport, 1 - along)
    if across is None:
        zoom, across = _narrower(camera, made.layout, frame.cards, session.viewport, 1 - along)
    side = layout.spacing[along]
    room, middle = session.viewport[along] / zoom, camera[along]
    places = made.layout.centers[list(frame.cards), along]
    head = float(places.min())
    middle = head + (middle - head) * camera.zoom / zoom  # the head stays where it is on the screen
    covered = _covered(Camera(across, middle, zoom), made.layout, frame.cards, session.viewport) if along else 0.0
    over = float(places.max()) + side - (middle + room / 2) + covered / zoom
    above = head - side - (middle - room / 2)
    middle += max(min(over, max(above, 0.0)), 0.0)
    goal = Camera(across, middle, zoom) if along else Camera(middle, across, zoom)
    if goal != camera:
        document.picture.fly(goal, session.clock(), session.settings.motion)


def bring_around_into_view(session: Session, document: Document, step: str) -> None:
    """Glide across, if need be and there is room, until the open group around a step's card is in view as well."""
    fold, layout, camera = document.picture.fold, document.picture.layout, document.picture.camera_goal
    card = document.picture.index_of(step)
    if fold is None or layout is None or camera is None or card is None:
        return
    cards = next((frame.cards for frame in reversed(fold.frames) if card in frame.cards), ())
    axis = 0 if layout.direction is Direction.TOP_TO_BOTTOM else 1
    across = _shift_across(camera, layout, cards, session.viewport, axis) if cards else None
    if across is not None and across != camera[axis]:
        goal = camera._replace(x=across) if axis == 0 else camera._replace(y=across)
        document.picture.fly(goal, session.clock(), session.settings.motion)


def _covered(camera: Camera, layout: Layout, cards: Sequence[int], viewport: Viewport) -> float:
    """The height in pixels at the lower edge of the canvas where the zoom controls or the map lie over such cards."""
    low, high = _extent(layout, cards, 0)
    left, right = ((x - camera.x) * camera.zoom + viewport.width / 2 for x in (low, high))
    corner_width, corner_height = zoom_controls(viewport.width).corner
    covered = corner_height if left < corner_width else 0.0
    return max(covered, viewport.map_height) if right > viewport.width - viewport.map_width else covered


def _extent(layout: Layout, cards: Sequence[int], axis: int) -> tuple[float, float]:
    """Where cards begin and end along an axis, in world units."""
    places, half = layout.centers[list(cards), axis], layout.spacing[axis] / 2
    return float(places.min()) - half, float(places.max()) + half


def _shift_across(camera: Camera, layout: Layout, cards: Sequence[int], viewport: Viewport, axis: int) -> float | None:
    """The middle of a view across the flow, moved just far enough to show these cards; None if they are too wide."""
    room, (low, high), air = viewport[axis] / camera.zoom, _extent(layout, cards, axis), BESIDE / camera.zoom
    if high - low + 2 * air > room:
        return None
    return min(max(camera[axis], high + air - room / 2), low - air + room / 2)


def _narrower(
    camera: Camera, layout: Layout, cards: Sequence[int], viewport: Viewport, axis: int
) -> tuple[float, float]:
    """(zoom, middle) to show these cards side by side; those of the camera if that zoom is too small."""
    low, high = _extent(layout, cards, axis)
    zoom = (viewport[axis] - 2 * BESIDE) / (high - low)
    return (zoom, (low + high) / 2) if zoom >= READABLE_FIT else (camera.zoom, camera[axis])
