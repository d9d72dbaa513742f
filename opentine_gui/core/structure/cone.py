"""The cone of some steps: all their ancestors and descendants, which are all that a local view shows."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from opentine_gui.core.graph.graph import Graph

OUTSIDE = -2
"""The side of steps outside a cone: the border to them is one that no card crosses."""


def cone_sides(graph: Graph, seeds: Sequence[int], sides: Sequence[int] | None = None) -> array[int]:
    """The side of every step, by position: `OUTSIDE` for steps outside the cone of `seeds`, else the one in `sides`."""
    found = array("q", [OUTSIDE]) * len(graph)
    for steps in (graph.closure(seeds, causal=False), graph.descendants(seeds)):
        for step in steps:
            found[step] = 0 if sides is None else sides[step]
    return found


def is_outside(sides: Sequence[int] | None, step: int) -> bool:
    """Whether a step lies outside the cone that is shown; False for every step if there is no cone."""
    return sides is not None and sides[step] == OUTSIDE
