"""Cards: a set of borders divides all steps into cards, each an interval of the order of steps plus what it absorbed.

A border is a step at which a card begins. If the step is an element of a lane, the lane is split before it; if it is
the entry of a piece, the piece is shown beside the step it begins at; if it is the entry of a branch, the branch gets a
card. Nothing else is state, and any set of borders is valid: whatever is open, every step is on exactly one card, and
edges between cards never form a cycle.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from opentine_gui.core.structure.lanes import Lane, Lanes

Sort = Literal["span", "lane", "paths", "merged"]


class Card(NamedTuple):
    """One card. `name` is its first step, which stays the same when the card grows or is opened.

    There are four sorts. A *span* holds the elements `first:stop` of its lane with their pieces; a *lane* is a whole
    closed lane with its branches; *paths* are neighbouring pieces, or one with those that come from it alone; *merged*
    are branches that begin with a merge. `entries` are the lanes in it (for the last three sorts), `absorbed` the
    entries of the branches it absorbed, `parts` the intervals of the order that it covers besides those, `size` the
    number of steps in `parts`.
    """

    name: int
    sort: Sort
    lane: int
    first: int
    stop: int
    entries: tuple[int, ...]
    absorbed: tuple[int, ...]
    parts: tuple[tuple[int, int], ...]
    size: int


class Cards:
    """The cards of a set of borders, in the order of steps. `cards[card_of[step]]` holds a step."""

    __slots__ = ("borders", "cards", "lanes")

    def __init__(self, lanes: Lanes, borders: Collection[int]) -> None:
        """The cards of a run. `borders` may be any steps; the lanes around them are opened, too."""
        self.lanes = lanes
        self.borders = enclosed(lanes, borders)
        self.cards: list[Card] = list(_Parting(lanes, self.borders).cards())

    def card_of(self) -> array[int]:
        """For every step, the number of its card."""
        lanes = self.lanes
        found = array("q", [-1]) * len(lanes.order)
        numbers = array("q", [-1]) * len(lanes.order)
        for number, card in enumerate(self.cards):
            for start, end in self.intervals(card):
                numbers[start:end] = array("q", [number]) * (end - start)
        for place, step in enumerate(lanes.order):
            found[step] = numbers[place]
        return found

    def intervals(self, card: Card) -> list[tuple[int, int]]:
        """All intervals of the order that a card covers, absorbed branches last."""
        return [*card.parts, *(self.lanes.region(entry) for entry in card.absorbed)]

    def steps(self, card: Card) -> Iterator[int]:
        """The steps of a card in the order of steps, absorbed branches last."""
        order = self.lanes.order
        for start, end in self.intervals(card):
            yield from order[start:end]


def enclosed(lanes: Lanes, borders: Collection[int]) -> frozenset[int]:
    """The borders, and the entries of all the lanes they lie in."""
    found = set(borders)
    reached = {0}
    for step in borders:
        lane: Lane | None = lanes.lane_of(step)
        while lane is not None and lane.number not in reached:
            reached.add(lane.number)
            found.add(lane.entry)
            lane = lanes.owner_lane(lane)
    if lanes.order:
        found.discard(lanes.lanes[0].entry)
    return frozenset(found)


class _Parting:
    def __init__(self, lanes: Lanes, borders: frozenset[int]) -> None:
        self.lanes = lanes
        self.cuts: dict[int, list[int]] = {}
        self.shown: dict[int, set[int]] = {}
        self.leaving: dict[int, set[int]] = {}
        self.opened: set[int] = {0}
        for step in borders:
            lane: Lane = lanes.lane_of(step)
            if step == lane.entry:
                above = lanes.owner_lane(lane)
                number = above.number if above is not None else 0
                self.opened.add(number)
                if lane.piece:
                    self.shown.setdefault(lane.owner, set()).add(step)
                    self.cuts.setdefault(number, [])
                else:
                    self.leaving.setdefault(number, set()).add(step)
            else:
                self.opened.add(lane.number)
                self.cuts.setdefault(lane.number, []).append(lanes.index[step])
        for owner in self.shown:
            if owner != lanes.tree.root:  # the span ends with the element whose pieces are shown
                self.cuts[lanes.lane[owner]].append(lanes.index[owner] + 1)

    def cards(self) -> Iterator[Card]:
        if self.lanes.order:
            yield from self._lane(self.lanes.lanes[0])

    def _lane(self, lane: Lane) -> Iterator[Card]:
        lanes = self.lanes
        if lane.number not in self.opened:
            part = (lane.start, lane.end)
            yield Card(
                lane.entry, "lane", lane.number, 0, len(lane.elements), (lane.entry,), (), (part,), part[1] - part[0]
            )
            return
        yield from self._spans(lane)
        shown = self.leaving.get(lane.number, set())
        branches = {branch.entry for branch in lane.merged} | shown
        run: list[int] = []
        for entry in sorted(branches, key=lanes.place.__getitem__):
            if entry in shown:
                yield from self._run("merged", lane, run)
                run = []
                yield from self._lane(lanes.lane_of(entry))
            else:
                run.append(entry)
        yield from self._run("merged", lane, run)

    def _spans(self, lane: Lane) -> Iterator[Card]:
        lanes, elements = self.lanes, lane.elements
        if lane.number == 0:
            root = lanes.tree.root
            if root in lanes.pieces:  # other roots that join the main line
                yield from self._pieces(lane, root, self.shown.get(root, set()))
        ends = [*sorted({cut for cut in self.cuts.get(lane.number, ()) if 0 < cut < len(elements)}), len(elements)]
        shown_branches = self.leaving.get(lane.number, set())
        first = 0
        for stop in ends:
            last = elements[stop - 1]
            shown = self.shown.get(last)
            start = lanes.place[elements[first]]
            end = lanes.place[last] + 1 if shown else lanes.pieces_end[last]
            low = bisect_left(lane.plain, (first, -1))
            high = bisect_left(lane.plain, (stop, -1))
            absorbed = tuple(branch.entry for branch in lane.plain[low:high] if branch.entry not in shown_branches)
            yield Card(
                elements[first], "span", lane.number, first, stop, (), absorbed, ((start, end),), end - start
            )  # fmt: skip
            if shown:
                yield from self._pieces(lane, last, shown)
            first = stop

    def _pieces(self, lane: Lane, owner: int, shown: set[int]) -> Iterator[Card]:
        run: list[int] = []
        joined = -1  # where the piece ends with which the run of regions begins, which is shown and closed
        for entry in self.lanes.pieces[owner]:
            if entry in shown:
                yield from self._run("paths", lane, run)
                run, joined = [], -1
                own = self.lanes.lane_of(entry)
                if own.number in self.opened:
                    yield from self._lane(own)
                else:
                    run, joined = [entry], own.end
            elif joined >= 0 and not self._joins(entry, run, owner):
                yield from self._run("paths", lane, run)
                run, joined = [entry], -1
            else:
                run.append(entry)
        yield from self._run("paths", lane, run)

    def _joins(self, entry: int, run: list[int], owner: int) -> bool:
        """Whether a piece comes only from the pieces of a run, as a call does from the sub-agent that it started."""
        lanes = self.lanes
        start, end = lanes.lane_of(run[0]).start, lanes.lane_of(run[-1]).end
        parents = [parent for parent in lanes.parents[entry] if parent != owner]
        return bool(parents) and all(start <= lanes.place[parent] < end for parent in parents)

    def _run(self, sort: Sort, lane: Lane, entries: list[int]) -> Iterator[Card]:
        """One card for neighbouring regions; a single closed lane has a sort of its own."""
        if not entries:
            return
        lanes = self.lanes
        if sort == "paths":  # nothing lies between neighbouring pieces
            parts: tuple[tuple[int, int], ...] = ((lanes.region(entries[0])[0], lanes.region(entries[-1])[1]),)
        else:
            parts = tuple(lanes.region(entry) for entry in entries)
        count = sum(end - start for start, end in parts)
        if len(entries) == 1:
            own = lanes.lane_of(entries[0])
            yield Card(entries[0], "lane", own.number, 0, len(own.elements), tuple(entries), (), parts, count)
        else:
            yield Card(entries[0], sort, lane.number, 0, 0, tuple(entries), (), parts, count)
