"""The lines of links that the engine was not given: from a column to the next, and short pieces for all others."""

from __future__ import annotations

import numpy as np

from opentine_gui.layout.result import Floats

DIP = 11.0
"""How far the line between two columns runs below the foot of one and above the head of the next, in units."""
_STUB = 14.0


def line_between(start: Floats, goal: Floats, gutter: float, foot: float, top: float, along: int) -> Floats:
    """The main line from the foot of a column to the head of the next, through the gutter between them."""
    points = np.array([start, start, start, goal, goal, goal])
    points[1:3, along] = foot
    points[2:4, 1 - along] = gutter
    points[3:5, along] = top
    return points


def stubs(start: Floats, goal: Floats, along: int) -> Floats:
    """Any other link between columns: a short piece at either end."""
    points = np.array([start, start, goal, goal])
    points[1, along] += _STUB
    points[2, along] -= _STUB
    return points
