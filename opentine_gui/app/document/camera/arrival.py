"""Where a picture stays while something else changes: a new document's first view, a canvas that shrinks or grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from opentine_gui.app.document.camera.motion import Arrival
from opentine_gui.scene.space.camera import Camera, Viewport, to_screen

if TYPE_CHECKING:
    from opentine_gui.app.document.picture.shown_picture import ShownPicture


def arrival_at(step: str, source: ShownPicture, place_of: str, viewport: Viewport) -> Arrival | None:
    """An arrival that puts `step` where `source` shows `place_of`; None if `source` shows no card of that."""
    index, layout, camera = source.index_of(place_of), source.layout, source.camera_goal
    if index is None or layout is None or camera is None:
        return None
    x, y = to_screen(camera, viewport, *(float(value) for value in layout.centers[index]))
    return Arrival(step, x, y, camera.zoom)


def arrival_camera(picture: ShownPicture, viewport: Viewport) -> Camera | None:
    """The first camera of a picture with an `arrival`; None without one, or if its step has no card."""
    arrival, layout = picture.arrival, picture.layout
    index = picture.index_of(arrival.step) if arrival is not None else None
    if arrival is None or index is None or layout is None:
        return None
    x, y = (float(value) for value in layout.centers[index])
    zoom = arrival.zoom
    return Camera(x - (arrival.x - viewport.width / 2) / zoom, y - (arrival.y - viewport.height / 2) / zoom, zoom)


def hold_top(picture: ShownPicture, before: Viewport, after: Viewport) -> None:
    """Keep the picture where it is while the canvas shrinks or grows at its lower edge, a flight under way included."""
    grown = (after.height - before.height) / 2

    def moved(camera: Camera) -> Camera:
        return camera._replace(y=camera.y + grown / camera.zoom)

    if picture.camera is not None:
        picture.camera = moved(picture.camera)
    if picture.flight is not None:
        flight = picture.flight
        picture.flight = replace(flight, origin=moved(flight.origin), goal=moved(flight.goal))
