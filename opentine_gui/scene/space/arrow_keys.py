"""Arrow keys: find the card in a direction, along the links of a picture and for either direction of the layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from opentine_gui.layout import Layout

Way = Literal["up", "down", "left", "right"]

_BACK = {"top-to-bottom": "up", "left-to-right": "left"}
_ON = {"top-to-bottom": "down", "left-to-right": "right"}


def card_toward(layout: Layout, index: int, way: Way) -> int | None:
    """Return the card an arrow key leads to from `index`, or None where there is none.

    Against the layout's direction: a parent; along it: a child; of several the one on the same lane if there is one.
    Across: the nearest sibling on that side, else the nearest card of the same rank, else the nearest of all on that
    side. In a folded picture a card may stand for many steps: its links are those of the picture, not of the run.
    """
    direction = layout.direction.value
    if way == _BACK[direction]:
        return _same_lane(layout, index, _parents(layout, index))
    if way == _ON[direction]:
        return _same_lane(layout, index, _children(layout, index))
    return _across(layout, index, way)


def _parents(layout: Layout, index: int) -> list[int]:
    found: list[int] = layout.edges[layout.edges[:, 1] == index, 0].tolist()
    return found


def _children(layout: Layout, index: int) -> list[int]:
    found: list[int] = layout.edges[layout.edges[:, 0] == index, 1].tolist()
    return found


def _same_lane(layout: Layout, index: int, candidates: list[int]) -> int | None:
    lane = layout.lanes[index]
    return next((c for c in candidates if layout.lanes[c] == lane), candidates[0] if candidates else None)


def _across(layout: Layout, index: int, way: Way) -> int | None:
    axis = 1 if way in ("up", "down") else 0
    sign = -1.0 if way in ("up", "left") else 1.0
    ahead = (layout.centers[:, axis] - layout.centers[index, axis]) * sign
    aside = np.abs(layout.centers[:, 1 - axis] - layout.centers[index, 1 - axis])
    siblings = {child for parent in _parents(layout, index) for child in _children(layout, parent)} - {index}
    near = [sibling for sibling in sorted(siblings) if ahead[sibling] > 0.5]
    if near:
        return min(near, key=lambda sibling: (ahead[sibling] + aside[sibling], sibling))
    for candidates in (layout.ranks == layout.ranks[index], np.ones(len(ahead), dtype=bool)):
        found = np.flatnonzero(candidates & (ahead > 0.5))
        if len(found):
            # Distance across counts three times: cards level with this one come first.
            return int(found[np.argmin(ahead[found] + 3 * aside[found])])
    return None
