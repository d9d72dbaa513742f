"""What to lay out in columns, what comes out, and the measures that both keep to."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import networkx as nx

from opentine_gui.layout.measures import Direction, Spacing
from opentine_gui.layout.result import Layout

COLUMN_GAP = 52.0
"""Units between two columns."""
FOLDED_SPACING = Spacing(row_gap=28.0, column_gap=32.0)
LEAST_ZOOM = 0.6
"""Parallel calls are drawn in several rows where a single row would make the picture smaller."""
CORNER_ROOM = 64.0
"""Units below the first column: the place of the zoom buttons."""

Extent = tuple[float, float]
"""How far a column reaches to the left and right of its first card of the main line, in units."""


class ColumnsRequest(NamedTuple):
    """What to lay out: `graph` has cards as nodes, parents before children, the first predecessor the primary parent.

    `main` is the card the main sequence ends at, `room` the canvas in pixels. `heads` are the cards at which columns
    begin, kept from an earlier layout of the run; None chooses those that give the largest zoom. With `wraps`, a last
    column that has become longer than the others is divided, and columns that hold too little are made anew. `extents`
    are the least extents of the columns with these heads: opening a group that needs less room moves no other column.
    `abreast` is the largest number of calls side by side, kept like the heads; 0 takes as many as there is room for.
    """

    graph: nx.DiGraph[Any]
    main: Hashable
    room: tuple[float, float]
    heads: Sequence[Hashable] | None = None
    direction: Direction = Direction.TOP_TO_BOTTOM
    spacing: Spacing = FOLDED_SPACING
    wraps: bool = False
    extents: Sequence[Extent] = ()
    abreast: int = 0


class Columns(NamedTuple):
    """A layout in columns, the cards at their heads, and the zoom at which all of it fits the room."""

    layout: Layout
    heads: tuple[Hashable, ...]
    zoom: float
    extents: tuple[Extent, ...] = ()
    abreast: int = 0

    @property
    def begins(self) -> list[float]:
        """Where each column begins, across the direction."""
        widths = [before + after + COLUMN_GAP for before, after in self.extents]
        return [sum(widths[:number]) for number in range(len(widths))]
