"""Which groups of a folded run say the same as before the run changed, so that their faces need not be made again."""

from __future__ import annotations

import numpy as np

from opentine_gui.core.graph.equal_ends import common_beginning
from opentine_gui.core.structure.cards import Card, Cards
from opentine_gui.core.structure.facts import SUBAGENT
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.groups.group_title import repeat_of
from opentine_gui.describe.groups.outcome_words import found_by


class UnchangedCards:
    """Compares the groups of a folded run with those of an earlier state of the run.

    What a group says follows from its steps, from the branches it absorbed, from when its steps were at work, and from
    what its sub-agents found, which may be recorded elsewhere. Only spans of the main line are compared: other cards
    count what lies elsewhere.
    """

    def __init__(self, before: tuple[Structure, Cards], now: tuple[Structure, Cards]) -> None:
        (old, self._cards_before), (new, self._cards) = before, now
        self._old, self._new = old, new
        self._records = common_beginning(old.graph.raws, new.graph.raws)
        """The steps below this position are the same in both runs."""
        places = common_beginning(old.order, new.order)
        moved = np.flatnonzero(np.frombuffer(new.order, dtype=np.int64)[:places] >= self._records)
        self._places = int(moved[0]) if len(moved) else places
        """The steps before this place of the order are the same, and in the same order."""
        ended = old.graph.stopped.items() ^ new.graph.stopped.items()
        self._ended = frozenset(step for step, _ in ended)
        """Steps that were stopped in one of the runs alone, such as a call that has an answer by now."""
        self._times_agree = all(
            ours[: self._records] == theirs[: self._records]
            for ours, theirs in ((old.work.starts, new.work.starts), (old.work.ends, new.work.ends))
        )

    def same(self, old: Card, new: Card) -> bool:
        """Whether the face of a group is that of the card of the same name before."""
        if new.sort != "span" or new.lane or old.sort != new.sort or old.lane or not self._times_agree:
            return False
        if (old.first, old.stop, old.size, old.absorbed) != (new.first, new.stop, new.size, new.absorbed):
            return False
        steps = list(self._cards.steps(new))
        at_same_places = old == new and not new.absorbed and new.parts[-1][1] <= self._places
        if not at_same_places and (list(self._cards_before.steps(old)) != steps or max(steps) >= self._records):
            return False
        if not self._ended.isdisjoint(steps):
            return False
        sorts = self._new.facts.sorts
        if not all(self._is_same_agent(step) for step in steps if sorts[step] == SUBAGENT):
            return False
        return repeat_of(self._new, new) == repeat_of(self._old, old)

    def _is_same_agent(self, step: int) -> bool:
        """Whether a sub-agent did as much as before, and found the same."""
        before, now = self._old.lanes.lane_of(step), self._new.lanes.lane_of(step)
        if (before.piece, before.entry, before.end - before.start) != (now.piece, now.entry, now.end - now.start):
            return False
        return found_by(self._old, step) == found_by(self._new, step)
