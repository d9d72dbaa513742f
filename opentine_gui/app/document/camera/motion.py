"""Motion: where a camera begins, how it flies to a goal, and cards that slide to places of a tidied layout."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from opentine_gui.layout import Layout
from opentine_gui.layout.adjust import with_pins
from opentine_gui.scene.space.camera import Camera, Viewport, eased, view_rect
from opentine_gui.scene.space.scene_index import SceneIndex

FLIGHT_SECONDS = 0.2
SLIDE_SECONDS = 0.25
MOST_CARDS = 400
"""With more moving cards nobody can follow any of them, so the new picture is shown at once."""

IndexedLayout = tuple[Layout, SceneIndex]


class Flight(msgspec.Struct, frozen=True):
    """A camera on its way; `start` is the session clock, `seconds` the duration."""

    origin: Camera
    goal: Camera
    start: float
    seconds: float = FLIGHT_SECONDS

    def at(self, now: float) -> Camera | None:
        """The camera at a time of the session clock; None when it has arrived."""
        fraction = (now - self.start) / self.seconds
        return eased(self.origin, self.goal, max(0.0, fraction)) if fraction < 1.0 else None


class Arrival(msgspec.Struct, frozen=True):
    """Where a new document shows one of its steps first: the card's centre in pixels of the canvas, and the zoom."""

    step: str
    x: float
    y: float
    zoom: float


class CardSlide(msgspec.Struct, frozen=True, eq=False):
    """Cards sliding to their places in `goal`; `origins` (step id -> centre in world units) is where they start."""

    goal: IndexedLayout
    origins: Mapping[str, tuple[float, float]]
    start: float

    def at(self, now: float) -> IndexedLayout | None:
        """The picture at a time of the session clock, links following the cards; None when all cards have arrived."""
        time = (now - self.start) / SLIDE_SECONDS
        if time >= 1.0:
            return None
        done = max(time, 0.0) ** 2 * (3.0 - 2.0 * max(time, 0.0))
        layout, index = self.goal
        places = {}
        for step, (x, y) in self.origins.items():
            to_x, to_y = layout.centers[layout.index[step]].tolist()
            places[step] = (x + (to_x - x) * done, y + (to_y - y) * done)
        moving = with_pins(layout, places)
        return moving, index.updated(moving)


def slide_between(
    before: IndexedLayout, after: IndexedLayout, was: Camera, camera: Camera, viewport: Viewport, now: float
) -> CardSlide | None:
    """A slide from one picture to the next that begins now; None when no card in view moves, or too many do.

    `was` is the camera over the old picture: a card that keeps its place on the screen does not move.
    """
    (old, old_index), (new, new_index) = before, after
    seen = {old.nodes[card] for card in old_index.visible(view_rect(was, viewport)).tolist()}
    seen |= {new.nodes[card] for card in new_index.visible(view_rect(camera, viewport)).tolist()}
    shift = np.array((camera.x - was.x, camera.y - was.y))
    origins: dict[str, tuple[float, float]] = {}
    for step in seen:
        if step in old.index and step in new.index:
            origin = old.centers[old.index[step]] + shift
            if np.abs(origin - new.centers[new.index[step]]).max() > 0.5:
                origins[str(step)] = (float(origin[0]), float(origin[1]))
    return CardSlide(after, origins, now) if 0 < len(origins) <= MOST_CARDS else None
