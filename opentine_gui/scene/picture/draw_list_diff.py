"""Compares two draw lists of the same place, so that a painter can keep all that is unchanged.

The result is not the shortest edit script. Such lists differ in a few cards and links whose primitives are adjacent:
looking a little ahead finds these, and costs little if it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from opentine_gui.scene.draw_list import Primitive

LOOK_AHEAD = 64
"""How many parts to look ahead; a row of a list has at most about twenty primitives, a card is one piece."""

Look: TypeAlias = Primitive | tuple[Primitive, ...]
"""A primitive, or the primitives of a piece, regardless of its position."""


class Change(NamedTuple):
    """Replaces what the old list has from `start` to `stop` with `items`."""

    start: int
    stop: int
    items: tuple[Look, ...]


def changes(old: Sequence[Look], new: Sequence[Look], most: int) -> list[Change] | None:
    """Return the changes from `old` to `new`, ascending; None if more than `most` are removed or added."""
    old, new = tuple(old), tuple(new)
    found: list[Change] = []
    here = there = touched = 0
    while here < len(old) and there < len(new):
        if old[here] == new[there]:
            here, there = here + 1, there + 1
            continue
        removed = _ahead(old, new[there], here)
        added = _ahead(new, old[here], there)
        if removed is None and added is None:
            removed = added = 1
        elif added is None or (removed is not None and removed <= added):
            added = 0
        else:
            removed = 0
        assert removed is not None and added is not None
        touched += removed + added
        if touched > most:
            return None
        _note(found, here, here + removed, new[there : there + added])
        here, there = here + removed, there + added
    if here < len(old) or there < len(new):
        if touched + len(old) - here + len(new) - there > most:
            return None
        _note(found, here, len(old), new[there:])
    return found


def _ahead(items: tuple[Look, ...], wanted: Look, start: int) -> int | None:
    """Return how far after `start` one follows, at least 1; None if it is not within LOOK_AHEAD."""
    try:
        return items.index(wanted, start + 1, start + 1 + LOOK_AHEAD) - start
    except ValueError:
        return None


def _note(found: list[Change], start: int, stop: int, items: tuple[Look, ...]) -> None:
    """Append a change, merged with the one before it where they are adjacent."""
    if found and found[-1].stop == start:
        before = found.pop()
        start, items = before.start, before.items + items
    found.append(Change(start, stop, items))
