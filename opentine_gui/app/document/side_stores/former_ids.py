"""Notes and pins of steps that have other ids since a rule of their reader changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from opentine_gui.app.document.side_stores import SideStores
from opentine_gui.app.state.annotations import changes_between
from opentine_gui.app.state.commands import pins_section
from opentine_gui.core import StorageError
from opentine_gui.layout import Direction


def move_to_new_ids(stores: SideStores, former: Mapping[str, str]) -> None:
    """Let notes and pins follow steps to the ids they have now; `former` has these by the old ones.

    If there is something under the new id already, both entries stay as they are. A store that cannot be read or
    written keeps what it has where it is.
    """
    with suppress(OSError, StorageError):  # a lock that is not had in time is an OSError, too
        notes = stores.annotations
        old = notes.annotations(former)
        moves = _moves(old, notes.annotations(former.values()), former)
        before = {step: old[step] for step in moves}
        notes.remember(changes_between(before, {new: old[step] for step, new in moves.items()}))
    for direction in Direction:
        for folded in (False, True):
            section, positions = pins_section(direction, folded), stores.positions
            with suppress(OSError, StorageError):
                placed = positions.positions(section, former)
                moves = _moves(placed, positions.positions(section, former.values()), former)
                there = {new: placed[step] for step, new in moves.items()}
                positions.remember(section, {**dict.fromkeys(moves), **there})


def _moves(old: Iterable[str], taken: Iterable[str], former: Mapping[str, str]) -> dict[str, str]:
    """The new ids to which something moves, by the old ones; each takes in one."""
    moves: dict[str, str] = {}
    kept = set(taken)
    for step in old:
        if former[step] not in kept:
            kept.add(former[step])
            moves[step] = former[step]
    return moves
