"""Cards that slide to their new places when a layout is tidied: those in view, for a quarter of a second."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from opentine_gui.layout import Layout
from opentine_gui.layout.adjust import with_pins
from opentine_gui.scene.space.camera import Camera, Viewport, view_rect
from opentine_gui.scene.space.scene_index import SceneIndex

GLIDE_SECONDS = 0.25
MOST_CARDS = 400
"""With more cards on their way nobody follows any of them: the new picture is there at once."""
Picture = tuple[Layout, SceneIndex]


class Glide(msgspec.Struct, frozen=True, eq=False):
    """A picture on its way to `goal`: `origins` are the centres that cards come from, by step id, in its world."""

    goal: Picture
    origins: Mapping[str, tuple[float, float]]
    start: float

    def at(self, now: float) -> Picture | None:
        """The picture at a moment of the session's clock; None when it has arrived. Links of moving cards are bent."""
        time = (now - self.start) / GLIDE_SECONDS
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


def glide_between(
    before: Picture, after: Picture, was: Camera, camera: Camera, viewport: Viewport, now: float
) -> Glide | None:
    """The way from one picture to the next, begun now; None when no card in view moves, or too many do.

    `was` is where the camera stood over the picture before: what it moved by is no movement on the screen.
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
    return Glide(after, origins, now) if 0 < len(origins) <= MOST_CARDS else None
