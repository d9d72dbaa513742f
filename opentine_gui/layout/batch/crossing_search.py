"""Searches for an order with fewer crossings: strands are removed and inserted again where they cross least.

`sifting` computes what a place costs. Refinement ruins and recreates small groups (Schrimpf et al. 2000). The result
depends on nothing but the model: budgets count moves, not seconds, and the random numbers have a fixed seed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import ceil
from random import Random

from opentine_gui.layout.batch.crossings import Gaps, count
from opentine_gui.layout.batch.sifting import Axis, CostSteps, cost_at
from opentine_gui.layout.batch.strands import Model

MAX_GROUP, MAX_ROUNDS = 400, 4
"""Most strands moved together with their lane, and most rounds over all strands near a crossing."""
MAX_GROUP_LARGE, MAX_ROUNDS_LARGE = 50, 1
"""The same for graphs of more than REFINE_MAX_NODES nodes."""
REFINE_MAX_NODES = 10_000
"""Larger graphs are not refined."""
REFINE_MOVES, REFINE_WORK = 600, 25_000
"""How many moves and cost steps refining may take."""
MOVES_PER_STRAND, WORK_PER_STRAND, MAX_WORK, THOROUGH_MAX_NODES = 8, 700, 170_000, 2_000
"""The same per strand in smaller graphs with fewer crossings than strands, where up to half a second is worth it."""
COMPARISONS, COMPARISONS_PER_NODE, MOST_COMPARISONS = 2_500_000, 100, 5_000_000
"""Most comparisons of labels in one search: if every step has many parents, a single move takes millions. When they are
used up, the best order so far is kept. Four million take about a second."""
COMPARISONS_OF_FEW = 20_000
"""The same per node of a small graph. The graphs of bench/layout_families.py need up to 7,000; if 22 cards are all
linked with each other, no order is worth a second."""
COMPARISONS_BETWEEN = 1_200_000
"""The same for graphs of THOROUGH_MAX_NODES to REFINE_MAX_NODES nodes, which are searched before their first picture: a
file of a megabyte should be on screen within a second, and reading it takes a part of that."""
SEED = 9
"""The seed from 0 to 10 with which no graph of tests/layout/test_targets.py has many more crossings than dot's
drawing."""


class Search:
    """Improves one order by rounds of re-insertion and by refinement."""

    def __init__(
        self, model: Model, gaps: Gaps, order: Sequence[int], crossed: dict[int, int], share: float = 1.0
    ) -> None:
        """`share` of the work of a whole search may be done."""
        self.model = model
        self.share = share
        self.axis = Axis(model, gaps, order)
        self.gaps = gaps
        self.crossed = crossed
        self.random = Random(SEED)
        count = len(model.nodes)
        between = THOROUGH_MAX_NODES < count <= REFINE_MAX_NODES
        allowed = COMPARISONS_BETWEEN if between else COMPARISONS + COMPARISONS_PER_NODE * count
        self.comparisons = int(share * min(allowed, COMPARISONS_OF_FEW * count, MOST_COMPARISONS))
        self.children: list[list[int]] = [[] for _ in model.top]
        for strand, parent in enumerate(model.tree_parent):
            if parent >= 0:
                self.children[parent].append(strand)
        self.calls: dict[int, list[int]] = {}  # lane -> the parallel calls beside it, which move with it
        for row in model.call_rows:
            for strand in row:
                lane = model.tree_parent[strand]
                if lane in row:
                    self.calls.setdefault(lane, []).append(strand)

    @property
    def crossings(self) -> int:
        """Number of crossings of the present order."""
        return sum(self.crossed.values())

    def subtree(self, strand: int, limit: int) -> list[int]:
        """Return a strand and all that fork from it, parents first; only itself if these are more than `limit`."""
        found = [strand]
        for grown in found:
            found.extend(self.children[grown])
            if len(found) > limit:
                return [strand]
        return found

    def affords(self, group: Sequence[int]) -> bool:
        """Whether enough comparisons are left to move this group, which removes and inserts each of its strands
        once."""
        left = self.comparisons - self.axis.comparisons
        return 2 * sum([self.axis.effort(strand) for strand in group]) <= left

    def _wish(self, strand: int, stray: bool) -> float:
        """Return the median label of the strands it is linked to, for short edges; if `stray`, a random label."""
        axis = self.axis
        if stray:
            return self.random.choice(axis.sorted)
        labels = [axis.label[other] for _, other, _ in axis.ends[strand]]
        near = sorted([label for label in labels if label == label])
        return near[len(near) // 2] if near else axis.home[strand]

    def move(self, group: Sequence[int], *, equal: bool, stray: bool = False) -> bool:
        """Remove a group and insert each strand at its cheapest place; undo it if that is not better (or as good, with
        `equal`). Return whether the order changed.
        """
        axis = self.axis
        old_labels = [axis.label[strand] for strand in group]
        places = [bisect_left(axis.sorted, label) for label in old_labels]
        before = 0
        for strand in reversed(group[1:]):
            axis.remove(strand)
            before += axis.cost(strand, axis.home[strand])
        axis.remove(group[0])
        first = axis.cost_steps(group[0])  # serves its old place and the new one
        before += cost_at(axis.home[group[0]], first)
        if not before and not equal:  # nothing to gain
            for strand, label in zip(group, old_labels, strict=True):
                axis.insert(strand, label)
            return False
        steps: CostSteps | None = first
        after = 0
        done = 0
        crowded = False
        for strand in group:
            label, cost = axis.best(strand, self._wish(strand, stray), steps)
            steps = None
            after += cost
            if after > before:
                break
            axis.insert(strand, label)
            done += 1
            crowded = axis.crowded(label)
            if crowded:
                break
        if done == len(group) and not crowded and (after < before or equal):
            return any(axis.sorted[place] != axis.label[strand] for place, strand in zip(places, group, strict=True))
        for strand in group[:done]:
            axis.remove(strand)
        for strand, label in zip(group, old_labels, strict=True):
            axis.insert(strand, label)
        if crowded:
            axis.renumber()
        return False

    def recount(self, group: Sequence[int] | None = None) -> None:
        """Count the crossings of all gaps again, or only of those that a group touches."""
        if group is None:
            self.crossed = count(self.gaps, self.axis.label)
            return
        touched = {gap for strand in group for gap in self.gaps.passed_by(strand)}
        touched.update(gap for strand in group for gap, _, _ in self.axis.ends[strand])
        for gap in touched:
            self.crossed.pop(gap, None)
        self.crossed.update(count(self.gaps, self.axis.label, sorted(touched)))

    def _touching(self) -> list[int]:
        """Return the strands in gaps with crossings, and up to three ancestors of each, oldest first."""
        found: set[int] = set()
        for gap in self.crossed:
            found.update(self.gaps.through[gap])
            for upper, lower in self.gaps.diagonals[gap]:
                found.update((upper, lower))
        for strand in list(found):
            parent = strand
            for _ in range(3):
                parent = self.model.tree_parent[parent]
                if parent < 0:
                    break
                found.add(parent)
        found.discard(0)
        return sorted(found)

    def reinsert(self, rounds: int, largest: int, progress: Callable[[float], None]) -> None:
        """Move every strand near a crossing, with all that fork from it, until a round improves nothing.

        A group is not moved if too few comparisons are left for it.
        """
        for completed in range(rounds):
            before = self.crossings
            touching = self._touching()
            for number, strand in enumerate(touching):
                if number % 64 == 0:
                    progress((completed + number / len(touching)) / rounds)
                whole = self.subtree(strand, largest)
                bundle = [strand, *self.calls.get(strand, ())]
                moved = self.affords(whole) and self.move(whole, equal=False)
                if not moved and len(bundle) < len(whole) and self.affords(bundle):
                    self.move(bundle, equal=False)
            self.recount()
            if not self.crossed or self.crossings == before:
                return

    def budget(self) -> tuple[int, int]:
        """Return how many moves and cost steps refining may take."""
        strands = len(self.axis.home)
        moves, work = REFINE_MOVES, REFINE_WORK
        if self.crossings < strands and len(self.model.nodes) <= THOROUGH_MAX_NODES:
            moves = max(moves, MOVES_PER_STRAND * strands)
            work = max(work, min(WORK_PER_STRAND * strands, MAX_WORK))
        return ceil(self.share * moves), ceil(self.share * work)

    def refine(self, progress: Callable[[float], None]) -> None:
        """Ruin and recreate: remove one to six strands of a crossed gap and insert them again in random order.

        Ends when the budget of moves, of cost steps or of comparisons is used up.
        """
        random = self.random
        moves, work = self.budget()
        limit = self.axis.work + work
        for move in range(moves):
            if move % 16 == 0:
                progress(move / moves)
            if not self.crossed or self.axis.work > limit:
                return
            gap = random.choice(sorted(self.crossed))
            near = sorted({*self.gaps.through[gap], *(end for ends in self.gaps.diagonals[gap] for end in ends)} - {0})
            if not near:
                continue
            chosen: dict[int, None] = {}  # a dict keeps the order
            for _ in range(random.randint(1, 6)):
                strand = random.choice(near)
                group = self.subtree(strand, 12) if random.randrange(2) else [strand, *self.calls.get(strand, ())]
                chosen.update(dict.fromkeys(group))
            group = list(chosen)
            random.shuffle(group)
            if not self.affords(group):
                return
            if self.move(group, equal=True, stray=random.randrange(2) == 0):
                self.recount(group)
