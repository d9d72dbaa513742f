"""Ancestor, descendant and merge-base queries on a table of parents, in which parents precede their children."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import compress

Table = Sequence[tuple[int, ...]]
"""For each position, the positions of its parents, which are all smaller."""


def children(parents: Table) -> list[tuple[int, ...]]:
    """For each position the positions that list it as a parent, ascending."""
    found: list[list[int] | None] = [None] * len(parents)
    for child, above in enumerate(parents):
        for parent in above if len(above) < 2 else dict.fromkeys(above):
            known = found[parent]
            if known is None:
                found[parent] = [child]
            else:
                known.append(child)
    return [tuple(known) if known else () for known in found]


def tips(parents: Table) -> tuple[int, ...]:
    """The positions that are no parents, ascending."""
    inner = bytearray(len(parents))
    for above in parents:
        for parent in above:
            inner[parent] = 1
    return tuple(position for position, covered in enumerate(inner) if not covered)


def ancestors(parents: Table, position: int) -> list[int]:
    """Depth-first post-order, parents in stored order, ending with the step itself (docs/FORMAT.md, section 11)."""
    seen = {position}
    result: list[int] = []
    stack: list[tuple[int, Iterator[int]]] = [(position, iter(parents[position]))]
    while stack:
        current, rest = stack[-1]
        for parent in rest:
            if parent not in seen:
                seen.add(parent)
                stack.append((parent, iter(parents[parent])))
                break
        else:
            result.append(current)
            stack.pop()
    return result


def closure(parents: Table, causes: dict[int, list[int]], positions: Sequence[int]) -> list[int]:
    """The positions and all they depend on, ascending; `causes` adds dependencies besides parents, by position."""
    kept = bytearray(len(parents))
    stack = list(positions)
    for position in stack:
        kept[position] = 1
    if not causes and stack:  # one descending pass is enough: parents precede children
        for position in range(max(stack), -1, -1):
            if kept[position]:
                for parent in parents[position]:
                    kept[parent] = 1
        stack = []
    while stack:
        position = stack.pop()
        for cause in (*parents[position], *causes.get(position, ())):
            if not kept[cause]:
                kept[cause] = 1
                stack.append(cause)
    return list(compress(range(len(kept)), kept))


def upwards(
    parents: Table,
    causes_of: Callable[[int], Sequence[int]],
    position: int,
    times: Sequence[float],
) -> Iterator[int]:
    """A position and all it depends on, the last one first, computed lazily: a caller may stop at what it looks for.

    Of the steps that can come next the latest goes first by `times`, in Unix seconds, one for each step; at equal times
    that with the highest position.
    """
    seen = {position}
    waiting = [(0.0, -position)]
    while waiting:
        position = -heappop(waiting)[1]
        yield position
        for cause in (*parents[position], *causes_of(position)):
            if cause not in seen:
                seen.add(cause)
                heappush(waiting, (-times[cause], -cause))


def descendants(parents: Table, positions: Iterable[int]) -> list[int]:
    """The positions and all their descendants, ascending."""
    reached = bytearray(len(parents))
    first = len(parents)
    for position in positions:
        reached[position] = 1
        first = min(first, position)
    for position in range(first, len(parents)):
        if not reached[position] and any(reached[parent] for parent in parents[position]):
            reached[position] = 1
    return list(compress(range(len(parents)), reached))


def is_ancestor(parents: Table, old: int, young: int) -> bool:
    """Whether `old` is an ancestor of `young`; a step is its own ancestor."""
    if old > young:
        return False
    seen = {young}
    stack = [young]
    while stack:
        position = stack.pop()
        if position == old:
            return True
        for parent in parents[position]:
            if parent >= old and parent not in seen:
                seen.add(parent)
                stack.append(parent)
    return False


def merge_bases(parents: Table, positions: Sequence[int]) -> list[int]:
    """The nearest common ancestors of all positions: those that are not ancestors of another common ancestor."""
    if not positions:
        return []
    # Walk from the last step to the first, with the set of given positions that descend from each step. A step from
    # which all descend is an answer and makes its ancestors stale. Stop when only stale steps are left.
    everyone = (1 << len(positions)) - 1
    stale = everyone + 1
    resting = [0] * (max(positions) + 1)
    for bit, position in enumerate(positions):
        resting[position] |= 1 << bit
    pending = len(set(positions))
    bases: list[int] = []
    for position in range(len(resting) - 1, -1, -1):
        mark = resting[position]
        if not mark:
            continue
        if not mark & stale:
            pending -= 1
            if mark == everyone:
                bases.append(position)
                mark |= stale
        for parent in parents[position]:
            before = resting[parent]
            resting[parent] = before | mark
            if mark & stale:
                pending -= bool(before) and not before & stale
            else:
                pending += not before
        if not pending:
            break
    return sorted(bases)
