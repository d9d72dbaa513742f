"""A picture at another zoom: made a few milliseconds a frame, while the one before it is shown scaled.

The cards on a screen take 10 to 25 milliseconds to draw and to paint, and a wheel that is turned asks for a picture in
every frame.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.picture.build import build, draw_ahead
from opentine_gui.scene.picture.view import SceneView
from opentine_gui.scene.space.camera import Bounds
from opentine_gui.ui.canvas.layers import Built, Layer

BUDGET = 0.0022
"""CPU seconds of a frame that are spent on the picture that is coming."""
MOST_ENLARGED = 3.0
"""How far a picture may be enlarged, as its text keeps its size. One that shrinks must cover enough of the canvas."""
LEAST_COVERED = 0.6
"""Share of the canvas's width, and of its height, that the scaled picture covers at least."""
DETAILED = (Level.CARD, Level.TITLE)
"""Levels whose cards have words; the others are painted within a frame."""


class PictureKey(NamedTuple):
    """What a picture of the graph depends on: its zoom, and the rest."""

    zoom: float
    rest: Hashable


@dataclass(frozen=True)
class Wanted:
    """A picture that is to be made: its view, its key, and what nearly all of it depends on (see `Built`)."""

    view: SceneView
    key: PictureKey
    basis: Hashable


class NextZoom:
    """Makes the picture at another zoom for a layer, step by step."""

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self._wanted: Wanted | None = None
        self._ahead: Iterator[None] = iter(())

    def stands_in(self, key: PictureKey, rect: Bounds) -> bool:
        """Whether the picture that is shown, scaled, can stand in for another of this world rectangle."""
        shown = self._layer.shown
        if not self._layer.current or not isinstance(shown.key, PictureKey):
            return False
        if shown.key.rest != key.rest or shown.key.zoom == key.zoom:
            return False
        return key.zoom <= MOST_ENLARGED * shown.zoom and _covered(rect, shown.rect) >= LEAST_COVERED

    def makes(self, rest: Hashable) -> bool:
        """Whether a picture is being made, at whatever zoom, that depends on this."""
        return self._wanted is not None and self._wanted.key.rest == rest

    def begin(self, wanted: Wanted) -> None:
        """Begin to make a picture, instead of the one that is being made."""
        self.give_up()
        level = wanted.view.level
        assert level is not None
        self._wanted, self._ahead = wanted, draw_ahead(wanted.view, level)

    def go_on(self) -> bool:
        """Spend this frame's time on the picture; true once it is shown."""
        assert self._wanted is not None
        enough = _after(BUDGET)
        if self._layer.coming is None:
            for _ in self._ahead:
                if enough():
                    return False
            view = self._wanted.view
            self._layer.begin(Built(build(view), self._wanted.key, view.rect, view.zoom, self._wanted.basis))
            if enough():
                return False
        if not self._layer.go_on(enough):
            return False
        self._wanted = None
        return True

    def give_up(self) -> None:
        """Forget the picture that is being made."""
        if self._wanted is not None:
            self._wanted, self._ahead = None, iter(())
            self._layer.give_up()


def _after(seconds: float) -> Callable[[], bool]:
    end = time.thread_time() + seconds
    return lambda: time.thread_time() >= end


def _covered(rect: Bounds, by: Bounds) -> float:
    """The share of a rectangle's width that another one covers, or of its height if that is less."""
    wide, high = min(rect[2], by[2]) - max(rect[0], by[0]), min(rect[3], by[3]) - max(rect[1], by[1])
    return min(wide / (rect[2] - rect[0]), high / (rect[3] - rect[1]))
