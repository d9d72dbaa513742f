"""Arrow keys: find the step in a direction, along the graph and for either direction of the layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

if TYPE_CHECKING:
    from opentine_gui.layout import Layout

Way = Literal["up", "down", "left", "right"]


class ParentsAndChildren(Protocol):
    """The part of a graph that arrow keys need: parents and children by index."""

    @property
    def parents(self) -> Sequence[Sequence[int]]:
        """Indices of each step's parents."""
        ...

    def children_of(self, position: int, /) -> Sequence[int]:
        """Indices of a step's children."""
        ...


_BACK = {"top-to-bottom": "up", "left-to-right": "left"}
_ON = {"top-to-bottom": "down", "left-to-right": "right"}


def step_toward(graph: ParentsAndChildren, layout: Layout, index: int, way: Way) -> int | None:
    """Return the step an arrow key leads to from `index`, or None where there is none.

    Against the layout's direction: a parent; along it: a child; of several the one on the same lane if there is one.
    Across: the nearest sibling on that side, else the nearest step of the same rank, else the nearest of all on that
    side.
    """
    direction = layout.direction.value
    if way == _BACK[direction]:
        return _same_lane(layout, index, graph.parents[index])
    if way == _ON[direction]:
        return _same_lane(layout, index, graph.children_of(index))
    return _across(graph, layout, index, way)


def _same_lane(layout: Layout, index: int, candidates: Sequence[int]) -> int | None:
    lane = layout.lanes[index]
    return next((c for c in candidates if layout.lanes[c] == lane), candidates[0] if candidates else None)


def _across(graph: ParentsAndChildren, layout: Layout, index: int, way: Way) -> int | None:
    axis = 1 if way in ("up", "down") else 0
    sign = -1.0 if way in ("up", "left") else 1.0
    ahead = (layout.centers[:, axis] - layout.centers[index, axis]) * sign
    aside = np.abs(layout.centers[:, 1 - axis] - layout.centers[index, 1 - axis])
    siblings = {child for parent in graph.parents[index] for child in graph.children_of(parent)} - {index}
    near = [sibling for sibling in sorted(siblings) if ahead[sibling] > 0.5]
    if near:
        return min(near, key=lambda sibling: (ahead[sibling] + aside[sibling], sibling))
    for candidates in (layout.ranks == layout.ranks[index], np.ones(len(ahead), dtype=bool)):
        found = np.flatnonzero(candidates & (ahead > 0.5))
        if len(found):
            # Distance across counts three times: steps level with this one come first.
            return int(found[np.argmin(ahead[found] + 3 * aside[found])])
    return None
