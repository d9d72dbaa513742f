"""What differs between two draw lists of the same place, so that a painter can keep all that stands.

Not a shortest edit script: lists of one place differ in a few cards and links, whose primitives lie together, so
looking a little ahead finds them, and costs little where nothing is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opentine_gui.scene.draw_list import Primitive

LOOK_AHEAD = 64
"""Primitives; a card has at most about twenty."""


class Change(NamedTuple):
    """Instead of the old list's primitives from `start` to `stop` come `items`."""

    start: int
    stop: int
    items: tuple[Primitive, ...]


def changes(old: Sequence[Primitive], new: Sequence[Primitive], most: int) -> list[Change] | None:
    """Return what makes `new` of `old`, ascending; None as soon as more than `most` primitives would go or come."""
    old, new = tuple(old), tuple(new)
    found: list[Change] = []
    here = there = touched = 0
    while here < len(old) and there < len(new):
        if old[here] == new[there]:
            here, there = here + 1, there + 1
            continue
        gone = _ahead(old, new[there], here)
        come = _ahead(new, old[here], there)
        if gone is None and come is None:
            gone = come = 1
        elif come is None or (gone is not None and gone <= come):
            come = 0
        else:
            gone = 0
        assert gone is not None and come is not None
        touched += gone + come
        if touched > most:
            return None
        _note(found, here, here + gone, new[there : there + come])
        here, there = here + gone, there + come
    if here < len(old) or there < len(new):
        if touched + len(old) - here + len(new) - there > most:
            return None
        _note(found, here, len(old), new[there:])
    return found


def _ahead(items: tuple[Primitive, ...], wanted: Primitive, start: int) -> int | None:
    """How far on from `start` the primitive comes, at least 1; None where it does not come soon."""
    try:
        return items.index(wanted, start + 1, start + 1 + LOOK_AHEAD) - start
    except ValueError:
        return None


def _note(found: list[Change], start: int, stop: int, items: tuple[Primitive, ...]) -> None:
    """Add a change, to the one before it where they touch."""
    if found and found[-1].stop == start:
        before = found.pop()
        start, items = before.start, before.items + items
    found.append(Change(start, stop, items))
