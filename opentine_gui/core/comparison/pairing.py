"""Matches steps of two runs that share no id, by content and by matched neighbours, not by position.

Shared ids need no matching. The order is:

1. Equal own content: first where it occurs once on each side, then among the children of matched steps, last in
   traversal order from the ends of the runs (they differ at their beginnings). Such a pair is *moved*: the same work
   after a different start.
2. Upwards from a pair: the parents of both steps, in order, when they have the same kind, tool and argument names.
3. Downwards from shared or moved steps: children of the same kind and tool, those with equal inputs first, then those
   with the same argument names, then in traversal order. Such a pair is *changed*.
4. Downwards from a changed pair, on stronger evidence only: equal inputs, or a call of the same tool with the same
   argument names. What follows a change is mostly different work.

Roots are treated as children of one common place if the runs share a step or one was forked from the other. Unrelated
runs are not matched by position. Swapping the runs gives the same pairs.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import msgspec

from opentine_gui.core.comparison.content_hashes import Contents, contents
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind
from opentine_gui.core.progress import Pace

Match = tuple[int, int]
"""A position in the left graph and one in the right."""

_ANYWHERE = -1
"""Stands for the common parent of all roots."""
_BETWEEN = 1024
"""Matches processed between two calls of `pace`."""


class _Shape(msgspec.Struct, gc=False):
    inputs: dict[str, msgspec.Raw] | None
    tool_info: dict[str, msgspec.Raw] | None


_shape = msgspec.json.Decoder(_Shape)


class Side:
    """One of the two runs: the steps the other lacks, their hashes and their matches."""

    def __init__(self, graph: Graph, positions: Sequence[int], pace: Pace) -> None:
        self.graph = graph
        self.positions = positions
        self.hashes: dict[int, Contents] = dict(zip(positions, contents(graph, positions, pace=pace), strict=True))
        self.free = set(positions)
        self.partner: dict[int, int] = {}
        self.left_over: dict[bytes, int] = {}
        for found in self.hashes.values():
            self.left_over[found.own] = self.left_over.get(found.own, 0) + 1
        self._shapes: dict[int, tuple[bytes, tuple[str, ...]]] = {}

    def take(self, position: int, partner: int) -> None:
        """Record a match."""
        self.free.discard(position)
        self.partner[position] = partner
        self.left_over[self.hashes[position].own] -= 1

    def children(self, position: int) -> list[int]:
        """Children without a match, in traversal order, each once."""
        if position == _ANYWHERE:
            return [place for place in self.positions if place in self.free and not self.graph.parents[place]]
        return [place for place in self.graph.children[position] if place in self.free]

    def has_free_child(self, position: int) -> bool:
        """Whether a child has no match yet."""
        return not self.free.isdisjoint(self.graph.children[position])

    def shape(self, position: int) -> tuple[bytes, tuple[str, ...]]:
        """(name of the tool as JSON text or empty, names of the inputs) of the step at `position`."""
        found = self._shapes.get(position)
        if found is None:
            try:
                step = _shape.decode(self.graph.raws[position])
            except msgspec.MsgspecError:
                step = _Shape(None, None)
            inputs, tool = step.inputs or {}, step.tool_info or {}
            name: Any = b""
            if self.graph.kinds[position] is StepKind.TOOL:
                name = bytes(tool.get("name", inputs.get("name", b"")))
            found = self._shapes[position] = (name, tuple(sorted(inputs)))
        return found

    def work(self, position: int) -> Hashable:
        """Kind, and the tool of a tool step."""
        return (self.graph.kinds[position], self.shape(position)[0])

    def call(self, position: int) -> Hashable:
        """Kind, tool and names of the inputs."""
        return (self.graph.kinds[position], self.shape(position))

    def tool_call(self, position: int) -> Hashable | None:
        """As `call` for a tool step; None for other kinds."""
        return self.call(position) if self.graph.kinds[position] is StepKind.TOOL else None

    def request(self, position: int) -> Hashable:
        """Hash of kind and inputs."""
        return self.hashes[position].call

    def own(self, position: int) -> Hashable:
        """Hash of the own content."""
        return self.hashes[position].own


Key = Callable[[Side, int], Hashable | None]


class Pairing:
    """Finds the pairs of two runs; after `find`, `moved` and `changed` are in the left run's traversal order."""

    def __init__(self, left: Side, right: Side, pace: Pace) -> None:
        self.left, self.right = left, right
        self.moved: list[Match] = []
        self.changed: list[Match] = []
        self._changed: set[Match] = set()
        self._queue: list[tuple[int, str, str, int, int]] = []
        self._pace = pace

    def find(self, *, related: bool) -> None:
        """Find all pairs; `related` treats the roots of both runs as siblings."""
        self._unique()
        places = self._common_places(related)
        for place in places:
            self._push(place)
        self._drain()
        self._from_the_end()
        for place in [*places, *self.moved, *self.changed]:
            self._push(place)
        self._drain()
        self.moved.sort()
        self.changed.sort()

    def _common_places(self, related: bool) -> list[Match]:
        """Shared steps that have unshared children in both runs."""
        left, right = self.left, self.right
        above = {
            parent for place in left.positions for parent in left.graph.parents[place] if parent not in left.hashes
        }
        below = {
            right.graph.ids[parent]
            for place in right.positions
            for parent in right.graph.parents[place]
            if parent not in right.hashes
        }
        found = [(place, right.graph.index(left.graph.ids[place])) for place in above if left.graph.ids[place] in below]
        if related:
            found.append((_ANYWHERE, _ANYWHERE))
        return found

    def _unique(self) -> None:
        """Match steps whose own content occurs once on each side."""
        there = {found.own: place for place, found in self.right.hashes.items() if self.right.left_over[found.own] == 1}
        matches = []
        for place, found in self.left.hashes.items():
            if self.left.left_over[found.own] == 1 and found.own in there:
                matches.append((place, there[found.own]))
        self._found(matches, self.moved)

    def _from_the_end(self) -> None:
        """Match the remaining steps of equal own content, last ones first."""
        waiting: dict[bytes, list[int]] = {}
        for place in reversed(self.right.positions):
            if place in self.right.free:
                waiting.setdefault(self.right.hashes[place].own, []).append(place)
        rest = {own: iter(places) for own, places in waiting.items()}
        matches = []
        for place in reversed(self.left.positions):
            if place in self.left.free:
                partner = next(rest.get(self.left.hashes[place].own, iter(())), None)
                if partner is not None:
                    matches.append((place, partner))
        self._found(matches, self.moved)

    def _drain(self) -> None:
        done = 0
        while self._queue:
            *_, left, right = heapq.heappop(self._queue)
            self._below((left, right))
            done += 1
            if done % _BETWEEN == 0:
                self._pace.at(1.0 - 1.0 / (1.0 + done / max(1, len(self.left.positions))))

    def _below(self, place: Match) -> None:
        """Match the children of two matched steps."""
        lefts, rights = self.left.children(place[0]), self.right.children(place[1])
        if not lefts or not rights:
            return
        self._match(reversed(lefts), reversed(rights), Side.own, self.moved)
        keys: list[Key] = [Side.request, Side.tool_call if place in self._changed else Side.call]
        if place not in self._changed:
            keys.append(Side.work)
        for key in keys:
            self._match(
                [child for child in lefts if self._open(self.left, self.right, child)],
                [child for child in rights if self._open(self.right, self.left, child)],
                key,
                self.changed,
            )

    def _open(self, side: Side, other: Side, place: int) -> bool:
        """Whether a step may be matched as changed: it is free, and the other run has no free step of equal content."""
        return place in side.free and not other.left_over.get(side.hashes[place].own)

    def _match(self, lefts: Iterable[int], rights: Iterable[int], key: Key, into: list[Match]) -> None:
        waiting: dict[Hashable, list[int]] = {}
        for place in rights:
            waiting.setdefault(key(self.right, place), []).append(place)
        waiting.pop(None, None)
        if not waiting:
            return
        rest = {name: iter(places) for name, places in waiting.items()}
        matches = []
        for place in lefts:
            partner = next(rest.get(key(self.left, place), iter(())), None)
            if partner is not None:
                matches.append((place, partner))
        self._found(matches, into)

    def _found(self, matches: list[Match], into: list[Match]) -> None:
        for match in matches:
            self._note(match, into)
        for match in matches:
            self._push(match)
        for match in sorted(matches, key=self._order):
            self._above(match)

    def _note(self, match: Match, into: list[Match]) -> None:
        self.left.take(*match)
        self.right.take(match[1], match[0])
        into.append(match)
        if into is self.changed:
            self._changed.add(match)

    def _above(self, match: Match) -> None:
        """Match the parents of two matched steps, then their parents, while they make the same call."""
        stack = [match]
        while stack:
            left, right = stack.pop()
            ups, downs = self.left.graph.parents[left], self.right.graph.parents[right]
            if len(ups) != len(downs):
                continue
            for one, two in zip(ups, downs, strict=True):
                if one not in self.left.free or two not in self.right.free:
                    continue
                if self.left.own(one) == self.right.own(two):
                    self._note((one, two), self.moved)
                elif (
                    self._open(self.left, self.right, one)
                    and self._open(self.right, self.left, two)
                    and self.left.call(one) == self.right.call(two)
                ):
                    self._note((one, two), self.changed)
                else:
                    continue
                self._push((one, two))
                stack.append((one, two))

    def _push(self, match: Match) -> None:
        """Queue two matched steps so that their children are matched; skipped if either has no free child."""
        if match[0] != _ANYWHERE and not (self.left.has_free_child(match[0]) and self.right.has_free_child(match[1])):
            return
        heapq.heappush(self._queue, (*self._order(match), *match))

    def _order(self, match: Match) -> tuple[int, str, str]:
        """Sort key that does not depend on which run is the left one."""
        left, right = match
        if left == _ANYWHERE:
            return (_ANYWHERE, "", "")
        names = (self.left.graph.ids[left], self.right.graph.ids[right])
        return (left + right, min(names), max(names))
