"""The room for layout: a graph of steps goes in, positions come out.

A request (`LayoutRequest`) holds a networkx graph, or its columns (`Ancestry`), and what is fixed; `lay_out` is a pure
function from it to a `Layout` of numpy arrays. The room knows no file format and draws nothing.
"""

from opentine_gui.layout.engine import LayoutCancelled, extend, lay_out, prepare, write_positions
from opentine_gui.layout.measures import Direction, Spacing
from opentine_gui.layout.request import Ancestry, LayoutRequest
from opentine_gui.layout.result import FORK_EDGE, LANE_EDGE, MERGE_EDGE, Layout

__all__ = [
    "FORK_EDGE",
    "LANE_EDGE",
    "MERGE_EDGE",
    "Ancestry",
    "Direction",
    "Layout",
    "LayoutCancelled",
    "LayoutRequest",
    "Spacing",
    "extend",
    "lay_out",
    "prepare",
    "write_positions",
]
