"""Lanes, and the one order of all steps in which every region, piece and span of a lane is an interval.

Terms: a *lane* is a path of steps that continue one another; a *piece* is a region that begins at an element of a
lane and returns into it (parallel calls, sub-agents); a *branch* leaves the lane and does not return. The order walks a
lane, visits the pieces of each element right after it, and all branches after the last element, those of later elements
first. It is a topological order, so cards that are intervals of it can never form a cycle, whatever is open.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.dominators import DominatorTree


class Branch(NamedTuple):
    """A branch of a lane: the place (in the lane) of the element where it leaves, and its entry."""

    place: int
    entry: int


class Lane:
    """A lane: its elements, the element it belongs to, and where it lies in the order.

    The region (elements, their pieces, and branches) is `start:end` of the order. `owner` is
    the element it begins at, -1 for the first lane. `plain` branches begin with one parent and may be absorbed by the
    card that holds it; `merged` ones begin with a merge (or are further roots) and always have a card of their own.
    `merged` is in step order, `plain` is sorted by element.
    """

    __slots__ = ("elements", "end", "merged", "number", "owner", "piece", "plain", "start")

    def __init__(self, number: int, owner: int, piece: bool) -> None:
        self.number, self.owner, self.piece = number, owner, piece
        self.elements: list[int] = []
        self.plain: list[Branch] = []
        self.merged: list[Branch] = []
        self.start = self.end = 0

    @property
    def entry(self) -> int:
        """The first element; -1 for a lane without one (an empty run)."""
        return self.elements[0] if self.elements else -1


class Lanes:
    """All lanes of a table of parents. Steps are positions in the table.

    `order` lists all steps, `place[step]` is its inverse; `lane[step]` is the number of the lane a step is an element
    of, `index[step]` its place there; `pieces[step]` are the entries of its pieces; `pieces_end[step]` is where its
    last piece ends in the order.

    A table that extends another one copies everything before the first element of the first lane at which something
    changed: `cut` is the place of this element in its lane, or the length of the lane if only branches changed,
    `kept_lanes` and `kept_steps` count the lanes and steps copied. Nothing is copied for a first table, or if new roots
    were added.
    """

    def __init__(
        self,
        parents: Sequence[tuple[int, ...]],
        main: int | None = None,
        known: Lanes | None = None,
        same: int = 0,
        pace: Pace | None = None,
    ) -> None:
        """`known`, the lanes of a table that shares the first `same` steps, saves time and changes nothing."""
        count = len(parents)
        self.parents = parents
        self.order: list[int] = []
        self.pieces: dict[int, list[int]] = {}
        self.lanes: list[Lane] = []
        self._branches: dict[int, list[int]] = {}
        self.cut = self.kept_lanes = self.kept_steps = 0
        main = main if main is not None else count - 1
        if known is not None and 0 < same < count and known.tree.root not in {*known.pieces, *known._branches}:
            self.tree: DominatorTree = DominatorTree(parents, known.tree, same)
            if self._follow(known, same, main):
                return
            self.pieces, self._branches = {}, {}
        pace = pace or Pace()
        self.tree = DominatorTree(parents)
        pace.at(0.3)
        self._next = [-1] * (count + 1)
        self._relate(main)
        pace.at(0.6)
        self.place = [0] * count
        self.lane = [0] * count
        self.index = [0] * count
        self.pieces_end = [0] * (count + 1)
        self._arrange(self._walk(self.tree.root, -1, piece=False))

    def _relate(self, main: int) -> None:
        """Find what continues each step, and which of the other regions below it return."""
        above, root = self.tree.above, self.tree.root
        below: dict[int, list[int]] = {}
        only = self._only = [-1] * (root + 1)
        for step in range(root):
            over = above[step]
            first = only[over]
            if first == -1:
                only[over] = step
            elif over in below:
                below[over].append(step)
            else:
                below[over] = [first, step]
        self._main = main
        on_main = self._on_main = bytearray(root + 1)
        step = main
        while 0 <= step < root:
            on_main[step] = 1
            step = above[step]
        following = self._next
        for over in range(root + 1):
            if only[over] != -1 and over not in below:
                following[over] = only[over]
        for over, children in below.items():
            self._assign_children(over, children)

    def _assign_children(self, over: int, children: Sequence[int]) -> None:
        """Decide which of a step's several children in the tree continues it, which return, and which leave."""
        tree, parents, only, on_main = self.tree, self.parents, self._only, self._on_main
        level, root = tree.depth[over] + 1, tree.root
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
        self._next[over] = chosen
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

    # -- extending a table ------------------------------------------------------------------------------------------

    def _follow(self, known: Lanes, same: int, main: int) -> bool:
        """Copy what is unchanged from the lanes of a shorter table; False if everything has to be laid out again."""
        root, old_root = self.tree.root, known.tree.root
        new = root - same
        self._next = [*known._next[:same], *([-1] * new), known._next[old_root]]
        self._only = [*known._only[:same], *([-1] * new), known._only[old_root]]
        self._on_main = known._on_main[:same] + bytearray(new + 1)
        self._main = main
        self.pieces, self._branches = known.pieces.copy(), known._branches.copy()
        touched = self._touched(known, same)
        if root in touched:
            return False
        for step in range(same, old_root):
            self.pieces.pop(step, None)
            self._branches.pop(step, None)
        below: dict[int, list[int]] = {over: known._below(over, same) for over in touched if over < same}
        for step in range(same, root):
            below.setdefault(self.tree.above[step], []).append(step)
        for over in sorted(touched):
            self.pieces.pop(over, None)
            self._branches.pop(over, None)
            children = below.get(over, [])
            if len(children) > 1:
                self._assign_children(over, children)
            else:
                self._next[over] = children[0] if children else -1
        anchors = [known._anchor(over) for over in touched if over < same and not self._goes_on(known, over, same)]
        every = len(known.lanes[0].elements)
        self._lay_on(known, same, min((known.index[anchor] for anchor in anchors if anchor >= 0), default=every))
        return True

    def _goes_on(self, known: Lanes, over: int, same: int) -> bool:
        """Whether an element of the first lane goes on as it did: no more than merged branches came or went below it.

        Those are laid out after the lane, and the lane does not depend on them.
        """
        following = self._next[over]
        if known.lane[over] or following != known._next[over] or following >= same:
            return False
        pieces = self.pieces.get(over, [])
        plain, before = (
            [branch for branch in table._branches.get(over, ()) if len(table.parents[branch]) == 1]
            for table in (self, known)
        )
        if any(step >= same for step in (*pieces, *plain)):
            return False
        return pieces == known.pieces.get(over, []) and plain == before

    def _touched(self, known: Lanes, same: int) -> set[int]:
        """The steps below which something was added, removed or ranks differently; marks the main line."""
        above, root, only, on_main = self.tree.above, self.tree.root, self._only, self._on_main
        gone = {known.tree.above[step] for step in range(same, known.tree.root)}
        touched = {root if over == known.tree.root else over for over in gone if over < same or over == known.tree.root}
        for over in touched:
            if only[over] >= same:
                only[over] = -1
                if over != root:
                    touched = touched | {above[over]}
        for step in range(same, root):
            over = above[step]
            touched.add(over)
            if only[over] == -1:
                only[over] = step
                if over < same:
                    touched.add(above[over])
        step = self._main
        while 0 <= step < root and not on_main[step]:
            on_main[step] = 1
            touched.add(above[step])
            step = above[step]
        met = step
        step = known._main
        while same <= step < known.tree.root:
            step = known.tree.above[step]
        while 0 <= step < same and step != met:
            on_main[step] = 0
            touched.add(above[step])
            step = above[step]
        return touched

    def _below(self, over: int, same: int) -> list[int]:
        """A step's children in the tree, among the first `same` steps."""
        found = [self._next[over], *self.pieces.get(over, ()), *self._branches.get(over, ())]
        return sorted(step for step in found if 0 <= step < same)

    def _anchor(self, step: int) -> int:
        """The element of the first lane that a step is, or in whose pieces it lies; -1 for a step in a branch."""
        while self.lane[step]:
            lane = self.lanes[self.lane[step]]
            if self.lane[lane.owner] == 0 and not lane.piece:
                return -1
            step = lane.owner
        return step

    def _lay_on(self, known: Lanes, same: int, cut: int) -> None:
        """Lay out everything from an element of the first lane on; what comes before it is copied."""
        root, old = self.tree.root, known.lanes[0]
        new = root - same
        element = old.elements[cut] if cut < len(old.elements) else -1
        start = known.place[element] if element >= 0 else known.pieces_end[old.elements[-1]]
        self.cut, self.kept_steps = cut, start
        self.kept_lanes = bisect_left(known.lanes, start, 1, key=lambda lane: lane.start)
        self.order = known.order[:start]
        self.place = known.place[:same] + [0] * new
        self.lane = known.lane[:same] + [0] * new
        self.index = known.index[:same] + [0] * new
        self.pieces_end = [*known.pieces_end[:same], *([0] * new), known.pieces_end[known.tree.root]]
        first = Lane(0, -1, piece=False)
        first.elements = old.elements[:cut]
        self.lanes = [first, *known.lanes[1 : self.kept_lanes]]
        leaving = [step for step in self._branches if step < same and known.lane[step] == 0 and known.index[step] < cut]
        leaving.sort(key=known.index.__getitem__)
        self._arrange(self._lay(first, element, leaving))

    # -- layout -----------------------------------------------------------------------------------------------------

    def _arrange(self, first: Iterator[tuple[int, int, bool]]) -> None:
        """Number the lanes and put the steps in one order, with the first lane as given."""
        root, begun = self.tree.root, len(self.order)
        if not root:
            self.lanes.append(Lane(0, -1, piece=False))
            return
        waiting = [first]
        while waiting:
            try:
                entry, owner, piece = next(waiting[-1])
            except StopIteration:
                waiting.pop()
            else:
                waiting.append(self._walk(entry, owner, piece))
        for place, step in enumerate(islice(self.order, begun, None), begun):
            self.place[step] = place

    def _walk(self, entry: int, owner: int, piece: bool) -> Iterator[tuple[int, int, bool]]:
        """Lay out one lane; yields (entry, owner, whether it is a piece) for each lane to lay out in between."""
        lane = Lane(len(self.lanes), owner, piece)
        self.lanes.append(lane)
        lane.start = len(self.order)
        yield from self._lay(lane, entry, [])

    def _lay(self, lane: Lane, step: int, leaving: list[int]) -> Iterator[tuple[int, int, bool]]:
        """Lay out a lane from a step on; `leaving` are the earlier steps where branches leave."""
        order, root, parents, branches = self.order, self.tree.root, self.parents, self._branches
        # Every step of a run passes through here, and local names are faster than attributes.
        number, elements, lane_of, index = lane.number, lane.elements, self.lane, self.index
        pieces, pieces_end, following = self.pieces, self.pieces_end, self._next
        while step != -1:
            if step in branches:
                leaving.append(step)
            if step != root:
                lane_of[step] = number
                index[step] = len(elements)
                elements.append(step)
                order.append(step)
            if step in pieces:
                for part in pieces[step]:
                    if following[part] == -1 and part not in branches and part not in pieces:
                        self._lay_single(part, step)  # as most calls are: not worth a generator for each
                    else:
                        yield part, step, True
            pieces_end[step] = len(order)
            step = following[step]
        for step in reversed(leaving):
            for branch in branches[step]:
                place = index[step] if step != root else -1
                kept = lane.plain if len(parents[branch]) == 1 and step != root else lane.merged
                kept.append(Branch(place, branch))
                yield branch, step, False
        lane.plain.sort()
        lane.end = len(order)

    def _lay_single(self, step: int, owner: int) -> None:
        """Lay out a piece of one step, which has no piece or branch itself."""
        number, place = len(self.lanes), len(self.order)
        lane = Lane(number, owner, piece=True)
        lane.elements.append(step)
        lane.start, lane.end = place, place + 1
        self.lanes.append(lane)
        self.lane[step], self.index[step] = number, 0
        self.order.append(step)
        self.pieces_end[step] = place + 1

    def lane_of(self, step: int) -> Lane:
        """The lane a step is an element of."""
        return self.lanes[self.lane[step]]

    def owner_lane(self, lane: Lane) -> Lane | None:
        """The lane that a lane belongs to; None for the first one."""
        if lane.number == 0:
            return None
        return self.lanes[0] if lane.owner == self.tree.root else self.lanes[self.lane[lane.owner]]

    def region(self, entry: int) -> tuple[int, int]:
        """The interval of the order that holds the lane beginning at a step, branches included."""
        lane = self.lanes[self.lane[entry]]
        return lane.start, lane.end

    def shape(self) -> Counter[str]:
        """How many lanes, pieces and branches there are."""
        found = Counter(piece=0, branch=0, lane=len(self.lanes))
        for lane in self.lanes[1:]:
            found["piece" if lane.piece else "branch"] += 1
        return found


def _in_order(pieces: set[int], feeds: dict[int, list[int]]) -> list[int]:
    """The pieces of one step by age, except that one which joins others comes right after the last of them."""
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
