"""Level of detail: what a step is drawn as, so that the cost of a frame follows what is on screen."""

from __future__ import annotations

from enum import IntEnum


class Level(IntEnum):
    """From everything to nothing but a colour in a picture."""

    CARD = 0
    TITLE = 1
    BOX = 2
    DENSITY = 3


CARD_BUDGET = 90
TITLE_BUDGET = 400
BOX_BUDGET = 380
# Who zooms in this far wants to read; cards of this size cannot be many on one screen.
READABLE_ZOOM = 0.85
READABLE_BUDGET = 200
# Below these zooms the text of a card, and of a title, would be smaller than its legible size.
CARD_ZOOM = 0.62
TITLE_ZOOM = 0.26
BOX_ZOOM = 0.008


def level_of_detail(zoom: float, visible: int) -> Level:
    """Return how to draw `visible` steps at `zoom` pixels per world unit; depends on nothing else.

    `visible` counts a rectangle around the view with a margin that is always the same, also where less is built: on the
    screen itself there are about half as many.
    """
    if zoom >= CARD_ZOOM and visible <= (READABLE_BUDGET if zoom >= READABLE_ZOOM else CARD_BUDGET):
        return Level.CARD
    if zoom >= TITLE_ZOOM and visible <= TITLE_BUDGET:
        return Level.TITLE
    if zoom >= BOX_ZOOM and visible <= BOX_BUDGET:
        return Level.BOX
    return Level.DENSITY
