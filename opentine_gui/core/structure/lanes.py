"""Lanes and the one order of all steps in which every region, piece and span of a lane is an interval.

The words: a *lane* is a path of steps that continue one another; a *piece* is a region that begins at an element of a
lane and returns into it (parallel calls, sub-agents); a *branch* leaves the lane and does not return. The order walks a
lane, after each element its pieces, after the last element all branches, those of later elements first. It is a
topological order, so cards that are intervals of it can never form a cycle, whatever is open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from opentine_gui.core.structure.dominators import DominatorTree


class Branch(NamedTuple):
    """A branch of a lane: the place of the element it leaves in the lane, and its entry."""

    place: int
    entry: int


class Lane:
    """A lane: its elements, the element it belongs to, and where it lies in the order.

    Body (elements and their pieces) is `start:body_end` of the order, the whole region `start:end`. `owner` is the
    element it begins at, -1 for the first lane. `plain` branches begin with one parent and may be absorbed by the card
    that holds it; `merged` ones begin with a merge (or are further roots) and always have a card. `merged` is in the
    order of steps, `plain` by element.
    """

    __slots__ = ("body_end", "elements", "end", "merged", "number", "owner", "piece", "plain", "start")

    def __init__(self, number: int, owner: int, piece: bool) -> None:
        self.number, self.owner, self.piece = number, owner, piece
        self.elements: list[int] = []
        self.plain: list[Branch] = []
        self.merged: list[Branch] = []
        self.start = self.body_end = self.end = 0

    @property
    def entry(self) -> int:
        """The first element; -1 for a lane without one (an empty run)."""
        return self.elements[0] if self.elements else -1


class Lanes:
    """All lanes of a table of parents. Steps are positions in the table.

    `order` is σ, `place[step]` its inverse; `lane[step]` the number of the lane a step is an element of, `index[step]`
    its place there; `pieces[step]` are the entries of its pieces; `pieces_end[step]` is where its last piece ends in
    the order.
    """

    def __init__(self, parents: Sequence[tuple[int, ...]], main: int | None = None) -> None:
        count = len(parents)
        self.parents = parents
        tree = DominatorTree(parents)
        self.tree = tree
        self.pieces: dict[int, list[int]] = {}
        self._branches: dict[int, list[int]] = {}
        self._next = [-1] * (count + 1)
        self._relate(main if main is not None else count - 1)
        self.order: list[int] = []
        self.place = [0] * count
        self.lane = [0] * count
        self.index = [0] * count
        self.pieces_end = [0] * (count + 1)
        self.lanes: list[Lane] = []
        self._arrange()
        for place, step in enumerate(self.order):
            self.place[step] = place

    def _relate(self, main: int) -> None:
        """Find what continues each step, and which of the other regions under it return."""
        tree, parents = self.tree, self.parents
        above, depth, root = tree.above, tree.depth, tree.root
        below: dict[int, list[int]] = {}
        only = [-1] * (root + 1)
        for step in range(root):
            over = above[step]
            first = only[over]
            if first == -1:
                only[over] = step
            elif over in below:
                below[over].append(step)
            else:
                below[over] = [first, step]
        on_main = bytearray(root + 1)
        step = main
        while 0 <= step < root:
            on_main[step] = 1
            step = above[step]
        following = self._next
        for over in range(root + 1):
            if only[over] != -1 and over not in below:
                following[over] = only[over]
        for over, children in below.items():
            level = depth[over] + 1
            feeds: dict[int, list[int]] = {}
            for child in children:
                if len(parents[child]) > 1:
                    lifted = {tree.lifted(parent, level) for parent in parents[child] if parent != over}
                    if lifted:
                        feeds[child] = sorted(lifted)
            chosen = next((child for child in children if on_main[child]), -1)
            if chosen == -1 and feeds:
                chosen = max(feeds, key=lambda child: (len(feeds[child]), -child))
            if chosen == -1:
                chosen = min(children, key=lambda child: (only[child] if only[child] != -1 else root, child))
            following[over] = chosen
            returning = {chosen}
            waiting = [chosen]
            while waiting:
                for source in feeds.get(waiting.pop(), ()):
                    if source not in returning:
                        returning.add(source)
                        waiting.append(source)
            returning.discard(chosen)
            if returning:
                self.pieces[over] = _in_order(returning, feeds)
            leaving = [child for child in children if child != chosen and child not in returning]
            if leaving:
                self._branches[over] = leaving

    def _arrange(self) -> None:
        """Number the lanes and lay all steps in one order."""
        root = self.tree.root
        if not root:
            self.lanes.append(Lane(0, -1, piece=False))
            return
        waiting = [self._walk(root, -1, piece=False)]
        while waiting:
            try:
                entry, owner, piece = next(waiting[-1])
            except StopIteration:
                waiting.pop()
            else:
                waiting.append(self._walk(entry, owner, piece))

    def _walk(self, entry: int, owner: int, piece: bool) -> Iterator[tuple[int, int, bool]]:
        """Lay one lane; yields (entry, owner, is it a piece) for each lane to lay in between."""
        order, root, parents = self.order, self.tree.root, self.parents
        lane = Lane(len(self.lanes), owner, piece)
        self.lanes.append(lane)
        lane.start = len(order)
        # Every step of a run comes by here: names of this function are found faster than those of the object.
        number, elements, lane_of, index = lane.number, lane.elements, self.lane, self.index
        pieces, pieces_end, branches, following = self.pieces, self.pieces_end, self._branches, self._next
        step = entry
        leaving = []
        while step != -1:
            if step != root:
                lane_of[step] = number
                index[step] = len(elements)
                elements.append(step)
                order.append(step)
            if step in pieces:
                for part in pieces[step]:
                    yield part, step, True
            if step in branches:
                leaving.append(step)
            pieces_end[step] = len(order)
            step = following[step]
        lane.body_end = len(order)
        for step in reversed(leaving):
            for branch in branches[step]:
                place = index[step] if step != root else -1
                kept = lane.plain if len(parents[branch]) == 1 and step != root else lane.merged
                kept.append(Branch(place, branch))
                yield branch, step, False
        lane.plain.sort()
        lane.end = len(order)

    def lane_of(self, step: int) -> Lane:
        """The lane a step is an element of."""
        return self.lanes[self.lane[step]]

    def owner_lane(self, lane: Lane) -> Lane | None:
        """The lane that a lane belongs to; None for the first one."""
        if lane.number == 0:
            return None
        return self.lanes[0] if lane.owner == self.tree.root else self.lanes[self.lane[lane.owner]]

    def region(self, entry: int) -> tuple[int, int]:
        """Where the lane that begins at a step lies in the order, its branches included."""
        lane = self.lanes[self.lane[entry]]
        return lane.start, lane.end

    def shape(self) -> Counter[str]:
        """How many lanes, pieces and branches there are."""
        found = Counter(piece=0, branch=0, lane=len(self.lanes))
        for lane in self.lanes[1:]:
            found["piece" if lane.piece else "branch"] += 1
        return found


def _in_order(pieces: set[int], feeds: dict[int, list[int]]) -> list[int]:
    """Pieces of one step by age, but each that joins others right after the last of them."""
    waiting = {piece: sum(source in pieces for source in feeds.get(piece, ())) for piece in pieces}
    after: dict[int, list[int]] = {}
    for piece in sorted(pieces, reverse=True):
        for source in feeds.get(piece, ()):
            after.setdefault(source, []).append(piece)
    found: list[int] = []
    next_up = [piece for piece in sorted(pieces, reverse=True) if not waiting[piece]]
    while next_up:
        piece = next_up.pop()
        found.append(piece)
        for joined in after.get(piece, ()):
            waiting[joined] -= 1
            if not waiting[joined]:
                next_up.append(joined)
    return found
