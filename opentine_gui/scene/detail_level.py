"""Levels of detail: how a step is drawn, so that the cost of a frame depends on what is on screen."""

from __future__ import annotations

from enum import IntEnum


class Level(IntEnum):
    """From a full card to a mere colour in a picture."""

    CARD = 0
    TITLE = 1
    BOX = 2
    DENSITY = 3


# Most visible steps at each level.
CARD_BUDGET = 90
TITLE_BUDGET = 400
BOX_BUDGET = 380
# Users who zoom in this far want to read; a screen holds few cards of this size, so more are allowed.
READABLE_ZOOM = 0.85
READABLE_BUDGET = 200
# Below these zooms the text of a card, or of a title, would be illegible.
CARD_ZOOM = 0.62
TITLE_ZOOM = 0.26
BOX_ZOOM = 0.008
# The least zoom at which the title and the strip of a group fit its card.
FOLDED_CARD_ZOOM = 0.46


def folded_level(zoom: float, found: Level) -> Level:
    """Return how to draw the cards of a folded run: their strips are still readable where their words are too small."""
    return Level.CARD if zoom >= FOLDED_CARD_ZOOM and found in (Level.TITLE, Level.BOX) else found


def level_of_detail(zoom: float, visible: int) -> Level:
    """Return how to draw `visible` steps at `zoom` pixels per world unit; nothing else matters.

    `visible` counts the steps in the view and a fixed margin around it, even where less than that is built; about half
    of them are on the screen itself.
    """
    if zoom >= CARD_ZOOM and visible <= (READABLE_BUDGET if zoom >= READABLE_ZOOM else CARD_BUDGET):
        return Level.CARD
    if zoom >= TITLE_ZOOM and visible <= TITLE_BUDGET:
        return Level.TITLE
    if zoom >= BOX_ZOOM and visible <= BOX_BUDGET:
        return Level.BOX
    return Level.DENSITY
