"""Notes and pins of steps that have other ids since a rule of their reader changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import TypeVar

from opentine_gui.app.document.side_stores import SideStores
from opentine_gui.app.state.commands import pins_section
from opentine_gui.core import StorageError
from opentine_gui.layout import Direction

Kept = TypeVar("Kept")


def move_to_new_ids(stores: SideStores, former: Mapping[str, str]) -> None:
    """Let notes and pins follow steps to the ids they have now; `former` has these by the old ones.

    If there is something under the new id already, both entries stay as they are. A store that cannot be read or
    written keeps what it has where it is.
    """
    _move(stores.annotations.annotations, stores.annotations.remember, former)
    for direction in Direction:
        for folded in (False, True):
            section = pins_section(direction, folded)
            positions = stores.positions
            _move(partial(positions.positions, section), partial(positions.remember, section), former)


def _move(
    read: Callable[[Iterable[str]], Mapping[str, Kept]],
    write: Callable[[Mapping[str, Kept | None]], None],
    former: Mapping[str, str],
) -> None:
    with suppress(OSError, StorageError):  # a lock that is not had in time is an OSError, too
        old, taken = read(former), set(read(former.values()))
        moved: dict[str, Kept | None] = {}
        for step, kept in old.items():
            if former[step] not in taken:
                taken.add(former[step])
                moved |= {step: None, former[step]: kept}
        write(moved)
