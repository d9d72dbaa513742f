"""What is wrong with the controls of one picture, found without pressing any of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from opentine_gui.ui.toolkit.controls import Control
from opentine_gui.ui.toolkit.regions import overlap

SPEAKS_FOR_ITSELF = ("row", "link", "scroll bar", "canvas")
"""Kinds that need no tooltip: they are what they say."""
EDGE = 1.0
"""Pixels by which neighbours may touch."""
GRIP = 7.0
"""Width in design pixels of a splitter, which lies over the edges of its neighbours."""


def faults(controls: Sequence[Control], scale: float) -> Iterator[str]:
    """A sentence for each fault: no name, no tooltip, cut, clipped, covered, overlapping another control."""
    for control in controls:
        who = said(control)
        if not control.name.strip():
            yield f"{who} has no name"
        if control.kind not in SPEAKS_FOR_ITSELF and not control.tooltip.strip():
            yield f"{who} has no tooltip"
        if control.cut > EDGE:
            yield f"{who} is wider than its button"
        if control.content:
            continue
        if control.shown is None:
            yield f"{who} is out of sight"
        elif control.area.width - control.shown.width > EDGE or control.area.height - control.shown.height > EDGE:
            yield f"{who} is clipped"
        elif control.cover:
            yield f"{who} is covered by {control.cover}"
    for one, other in combinations([control for control in controls if control.shown and not control.cover], 2):
        if "canvas" not in (one.kind, other.kind) and _collide(one, other, scale):
            yield f"{said(one)} overlaps {said(other)}"


def said(control: Control) -> str:
    """A control in words."""
    return f'{control.view}: {control.kind} "{control.name[:60]}"'


def _collide(one: Control, other: Control, scale: float) -> bool:
    shared = overlap(one.shown, other.shown)
    if shared is None or min(shared.width, shared.height) <= EDGE:
        return False
    if "splitter" in (one.kind, other.kind) and min(shared.width, shared.height) <= GRIP * scale:
        return False
    if "scroll bar" in (one.kind, other.kind) and (one.content or other.content):
        return False  # what lies under the bar is scrolled out from under it
    # A control inside another one, such as a link in a row, takes the press there.
    inner = min((one, other), key=lambda control: control.area.width * control.area.height)
    return inner.shown != shared or (one.item != other.item and one.area == other.area)
