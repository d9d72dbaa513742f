"""The direction a layout grows in, and the room cards and gaps take."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Direction(StrEnum):
    """Where children are drawn relative to their parents."""

    TOP_TO_BOTTOM = "top-to-bottom"
    LEFT_TO_RIGHT = "left-to-right"


class Spacing(NamedTuple):
    """Card size and gaps in pixels at zoom 1; column gaps lie along x, row gaps along y, in either direction."""

    node_width: float = 220.0
    node_height: float = 80.0
    column_gap: float = 40.0
    row_gap: float = 40.0
    routing_width: float = 24.0
    routing_gap: float = 16.0
