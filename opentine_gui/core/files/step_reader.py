"""The steps of a file, read in slices, and the graph they make (docs/FORMAT.md, sections 3.1 and 3.2)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain, compress, islice
from operator import eq, not_

import msgspec

from opentine_gui.core.errors import FormatError
from opentine_gui.core.format import checks
from opentine_gui.core.format.duplicate_keys import check_values
from opentine_gui.core.graph.graph import TIDY, Graph, Raw
from opentine_gui.core.graph.selection import PART, picked_in_parts
from opentine_gui.core.graph.step_heads import Heads
from opentine_gui.core.graph.step_record import (
    SHORTEST_LARGE,
    STEP_DEPTH,
    Parents,
    check_step_size,
)
from opentine_gui.core.progress import Pace

MOST_LOOSE = 16
"""Longest list of parents that is kept decoded while steps are read."""
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_names = msgspec.json.Decoder(list[str])


class StoredSteps:
    """Steps in the order a file stores them."""

    def __init__(self) -> None:
        self._keys: list[str] = []
        self._sorted = True
        self._raws: list[Raw] = []
        self._proved = bytearray()
        self._heads = Heads()
        self._parent_ids: list[Parents | bytes] = []

    def __len__(self) -> int:
        return len(self._keys)

    def take(self, text: bytes) -> int:
        """Take the next steps from a minified object of records by id; returns its number of structural characters.

        FormatError, LimitError or DuplicateKey when a step is refused.
        """
        if len(text) > SHORTEST_LARGE:
            for raw in _members.decode(text).values():
                check_step_size(raw)
        keys, ids, parents, raws, unchecked = self._heads.add_members(text)
        if list(ids) != keys:
            wrong = next(key for key, identity in zip(keys, ids, strict=True) if key != identity)
            raise FormatError(f"the step stored under {wrong[:12]!r} calls itself by another id", place="graph.steps")
        found = check_values(unchecked.texts, raws, STEP_DEPTH)
        if keys:
            self._sorted = self._sorted and sorted(keys) == keys and (not self._keys or self._keys[-1] < keys[0])
        self._keys += keys
        self._raws += raws
        self._proved += bytes([TIDY if unchecked.tidy and found.tidy else 0]) * len(raws)
        self._parent_ids += [
            # A long list of parents stays encoded until there is a graph: as strings, short names would take ten times
            # the memory.
            names if type(names) is str or len(names) <= MOST_LOOSE else msgspec.json.encode(names)
            for names in parents
        ]
        return 2 * len(keys) + unchecked.structure + found.structure

    def graph(self, order: list[str] | None, pace: Pace) -> Graph:
        """The graph of all steps taken, in the file's traversal order, or in stored order if that is None.

        Other threads wait while a list of all steps is made, so `pace` is called between two such lists. FormatError
        when the order names other steps, names one twice, or has a step before its parent.
        """
        keys = self._keys
        if order is None:
            order = keys
        index: dict[str, int] = {}
        for start in range(0, len(order), PART):
            index.update(zip(order[start : start + PART], range(start, len(order))))  # noqa: B905 - the shorter one
            pace.at(0.1)
        if len(index) != len(order):
            raise FormatError("the order names a step twice", place="graph.order")
        positions: Sequence[int] = range(len(keys))
        raws, proved = self._raws, self._proved
        by_id: Sequence[int] | None = None
        if order != keys:
            positions, places = _positions(keys, index, pace.part(0.1, 0.4))
            if self._sorted:
                by_id = places
            pick = picked_in_parts(positions, pace)
            raws, proved = pick(raws, 0.5), bytearray(pick(proved, 0.5))
            columns = self._heads.columns(positions, places, pace.part(0.5, 0.8))
        else:
            columns = self._heads.columns()
        parents = _parent_indices(order, self._parent_ids, positions, index, pace.part(0.8, 1.0))
        return Graph(order, parents, raws, columns, index, proved, by_id)


def _positions(keys: list[str], index: dict[str, int], pace: Pace) -> tuple[array[int], array[int]]:
    """(for each id of the order its position in `keys`, for each key its position in the order).

    FormatError unless both name the same ids, each once.
    """
    places = array("i")  # in a list the numbers would lie far apart in memory in the order they are read
    try:
        for start in range(0, len(keys), PART):
            places.extend(map(index.__getitem__, keys[start : start + PART]))
            pace.at(start / len(keys))
    except KeyError:
        places = array("i")
    if len(places) != len(index):
        if len(set(keys)) != len(keys):
            raise checks.DuplicateKey("a step is stored twice", place="graph.steps")
        raise FormatError("the order does not name every stored step exactly once", place="graph.order")
    positions = array("i", [-1]) * len(keys)
    for stored_at, place in enumerate(places):
        positions[place] = stored_at
    if -1 in positions:
        raise checks.DuplicateKey("a step is stored twice", place="graph.steps")
    return positions, places


def _parent_indices(
    ids: Sequence[str],
    parent_ids: Sequence[Parents | bytes],
    positions: Sequence[int],
    index: dict[str, int],
    pace: Pace,
) -> list[tuple[int, ...]]:
    """Positions of each step's parents; the parents of step i are in `parent_ids[positions[i]]`.

    FormatError when one is missing or does not come before its child.
    """
    # Most steps have the one before them as their only parent; `chained` finds the others, many at a time.
    parents: list[tuple[int, ...]] = list(zip(range(-1, len(ids) - 1), strict=False))
    chained = map(eq, map(parent_ids.__getitem__, positions), chain((None,), ids))
    late = -1
    try:
        for start in range(0, len(ids), PART):
            part = range(start, min(start + PART, len(ids)))
            for position in compress(part, map(not_, islice(chained, len(part)))):
                names = parent_ids[positions[position]]
                above = (index[names],) if type(names) is str else tuple([index[name] for name in _all(names)])
                parents[position] = above
                if above and max(above) >= position and late < 0:
                    late = position
            pace.at(part.stop / len(ids))
    except KeyError as error:
        missing = error.args[0]
        named = (_all(parent_ids[place]) for place in positions)
        child = next(identity for identity, names in zip(ids, named, strict=True) if missing in names)
        raise FormatError(
            f"step {child[:12]!r} names a parent that is not in the run",
            place="graph.steps",
            cause=repr(missing[:12]),
        ) from None
    if late >= 0:
        parent = next(parent for parent in parents[late] if parent >= late)
        raise FormatError(f"step {ids[late][:12]!r} comes before its parent {ids[parent][:12]!r}", place="graph.order")
    return parents


def _all(names: Parents | bytes) -> Sequence[str]:
    if isinstance(names, bytes):
        return _names.decode(names)
    return (names,) if isinstance(names, str) else names
