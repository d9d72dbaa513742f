"""The search for fewer crossings: strands are taken out of the order and put back where they cross least.

What a place costs is the business of `axis`. Refinement ruins and recreates small groups (Schrimpf et al. 2000).
Nothing here looks at a clock: budgets count moves, and the draw is a fixed sequence.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from opentine_gui.layout.batch.crossings import Gaps, count
from opentine_gui.layout.batch.sifting import Axis, Steps, cost_at
from opentine_gui.layout.batch.strands import Model

LARGEST_MOVE = 400  # strands taken out together with their lane
MOST_ROUNDS = 4
LARGE_MOVE, LARGE_ROUNDS = 50, 1  # the same for more than REFINE_UP_TO nodes
REFINE_MOVES, REFINE_WORK = 600, 25_000
# where fewer links cross than there are strands, what is left is worth more work, while the whole takes half a second
STRAND_MOVES, STRAND_WORK, MOST_WORK, MOST_NODES = 8, 700, 170_000, 2_000
REFINE_UP_TO = 10_000  # nodes; above, the first rounds must do


class Draw:
    """A fixed sequence of numbers (a linear congruence), so that ties and trials never depend on a process."""

    def __init__(self) -> None:
        self._state = 0x2545F4914F6CDD1D

    def below(self, limit: int) -> int:
        """Return the next number of the sequence, 0 <= number < limit."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        return (self._state >> 33) % limit


class Search:
    """Re-insertion rounds and refinement on one order."""

    def __init__(self, model: Model, gaps: Gaps, order: Sequence[int], crossed: dict[int, int]) -> None:
        self.model = model
        self.axis = Axis(model, gaps, order)
        self.gaps = gaps
        self.crossed = crossed
        self.draw = Draw()
        self.children: list[list[int]] = [[] for _ in model.top]
        for strand, parent in enumerate(model.tree_parent):
            if parent >= 0:
                self.children[parent].append(strand)
        self.calls: dict[int, list[int]] = {}  # lane -> the calls beside it, which have to move when it does
        for row in model.call_rows:
            for strand in row:
                spine = model.tree_parent[strand]
                if spine in row:
                    self.calls.setdefault(spine, []).append(strand)

    @property
    def crossings(self) -> int:
        """The crossings of the order as it stands."""
        return sum(self.crossed.values())

    def subtree(self, strand: int, limit: int) -> list[int]:
        """Return a strand and what hangs on it, parents first; only itself if that is more than `limit`."""
        found = [strand]
        for grown in found:
            found.extend(self.children[grown])
            if len(found) > limit:
                return [strand]
        return found

    def _wish(self, strand: int, stray: bool) -> float:
        """Return the median label of what the strand is tied to, for short edges; astray, any label."""
        axis = self.axis
        if stray:
            return axis.sorted[self.draw.below(len(axis.sorted))]
        labels = [axis.label[other] for _, other, _ in axis.ends[strand]]
        near = sorted([label for label in labels if label == label])
        return near[len(near) // 2] if near else axis.home[strand]

    def move(self, group: Sequence[int], *, equal: bool, stray: bool = False) -> bool:
        """Take a group out and put each strand back at its cheapest place; undo unless that is better (or `equal`).

        Return whether the order changed.
        """
        axis = self.axis
        old_labels = [axis.label[strand] for strand in group]
        places = [bisect_left(axis.sorted, label) for label in old_labels]
        before = 0
        for strand in reversed(group[1:]):
            axis.take(strand)
            before += axis.cost(strand, axis.home[strand])
        axis.take(group[0])
        first = axis.steps(group[0])  # for where it was, and for where it may go
        before += cost_at(axis.home[group[0]], first)
        if not before and not equal:  # nothing to gain
            for strand, label in zip(group, old_labels, strict=True):
                axis.put(strand, label)
            return False
        steps: Steps | None = first
        after = 0
        done = 0
        crowded = False
        for strand in group:
            label, cost = axis.best(strand, self._wish(strand, stray), steps)
            steps = None
            after += cost
            if after > before:
                break
            axis.put(strand, label)
            done += 1
            crowded = axis.crowded(label)
            if crowded:
                break
        if done == len(group) and not crowded and (after < before or equal):
            return any(axis.sorted[place] != axis.label[strand] for place, strand in zip(places, group, strict=True))
        for strand in group[:done]:
            axis.take(strand)
        for strand, label in zip(group, old_labels, strict=True):
            axis.put(strand, label)
        if crowded:
            axis.spread()
        return False

    def recount(self, group: Sequence[int] | None = None) -> None:
        """Count all gaps again, or only those a group touches."""
        if group is None:
            self.crossed = count(self.gaps, self.axis.label)
            return
        touched = {gap for strand in group for gap in self.gaps.of(strand)}
        touched.update(gap for strand in group for gap, _, _ in self.axis.ends[strand])
        for gap in touched:
            self.crossed.pop(gap, None)
        self.crossed.update(count(self.gaps, self.axis.label, sorted(touched)))

    def _touching(self) -> list[int]:
        """Return the strands that touch a crossed gap, and up to three of their ancestors, oldest first."""
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

    def reinsert(self, rounds: int, largest: int, pause: Callable[[float], None]) -> None:
        """Move every strand near a crossing, with what hangs on it, until a round changes nothing."""
        for turn in range(rounds):
            before = self.crossings
            touching = self._touching()
            for number, strand in enumerate(touching):
                if number % 64 == 0:
                    pause((turn + number / len(touching)) / rounds)
                whole = self.subtree(strand, largest)
                bundle = [strand, *self.calls.get(strand, ())]
                if not self.move(whole, equal=False) and len(bundle) < len(whole):
                    self.move(bundle, equal=False)
            self.recount()
            if not self.crossed or self.crossings == before:
                return

    def budget(self) -> tuple[int, int]:
        """Return the moves and the cost steps that refining is worth."""
        strands = len(self.axis.home)
        if self.crossings >= strands or len(self.model.nodes) > MOST_NODES:
            return REFINE_MOVES, REFINE_WORK
        return max(REFINE_MOVES, STRAND_MOVES * strands), max(REFINE_WORK, min(STRAND_WORK * strands, MOST_WORK))

    def refine(self, pause: Callable[[float], None]) -> None:
        """Ruin and recreate: take one to six strands of a crossed gap out, in any order, and put them back.

        Ends after so many moves, or when so many cost steps have been looked at, as the budget says.
        """
        draw = self.draw
        moves, work = self.budget()
        limit = self.axis.work + work
        for turn in range(moves):
            if turn % 16 == 0:
                pause(turn / moves)
            if not self.crossed or self.axis.work > limit:
                return
            crossed = sorted(self.crossed)
            gap = crossed[draw.below(len(crossed))]
            near = sorted({*self.gaps.through[gap], *(end for ends in self.gaps.diagonals[gap] for end in ends)} - {0})
            if not near:
                continue
            chosen: list[int] = []
            for _ in range(1 + draw.below(6)):
                strand = near[draw.below(len(near))]
                for grown in self.subtree(strand, 12) if draw.below(2) else [strand, *self.calls.get(strand, ())]:
                    if grown not in chosen:
                        chosen.append(grown)
            for place in range(len(chosen) - 1, 0, -1):
                other = draw.below(place + 1)
                chosen[place], chosen[other] = chosen[other], chosen[place]
            if self.move(chosen, equal=True, stray=draw.below(2) == 0):
                self.recount(chosen)
