"""Where the main sequence is parted into columns: the heights that are tried, and the zoom that each would give."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from opentine_gui.layout.columns.folded_cards import FoldedCards
from opentine_gui.layout.columns.links import DIP
from opentine_gui.layout.columns.request import COLUMN_GAP, CORNER_ROOM

STRAIGHT_ZOOM = 0.62
"""A straight column is kept when it is shown at this zoom or larger."""
FEWEST_ROWS, MOST_ROWS = 3, 39
LEAST_SHORTENED = 6
"""With at least this many rows, the first column is one row shorter than the others."""


class Parting:
    """The ways to part the main sequence of some cards."""

    def __init__(self, cards: FoldedCards) -> None:
        self.cards = cards
        self.crossed, self.extents = self._crossed(), self._extents()

    def _crossed(self) -> list[int]:
        """How many links other than the main line's cross the border before each place of the main sequence."""
        cards = self.cards
        main, home = cards.main, cards.home
        change = [0] * (len(main) + 1)
        on_main = set(pairwise(main))
        for card, parents in enumerate(cards.parents):
            for parent in parents:
                low, high = home[parent], home[card]
                if low != high and (parent, card) not in on_main:
                    low, high = min(low, high), max(low, high)
                    change[low + 1] += 1
                    if high + 1 < len(change):
                        change[high + 1] -= 1
        total = 0
        found = []
        for place in range(len(main)):
            total += change[place]
            found.append(total)
        return found

    def _extents(self) -> list[tuple[int, int]]:
        """For each place of the main sequence, and last for what no link joins to it: the lowest row of the cards that
        belong to it, and how many of them lie beside it."""
        cards = self.cards
        main, rank, home = [*cards.main, -1], cards.rank, cards.home
        lowest = [rank[card] if card >= 0 else 0 for card in main]
        beside: list[dict[int, int]] = [{} for _ in main]
        for card, place in enumerate(home):
            lowest[place] = max(lowest[place], rank[card])
            if main[place] != card and card not in cards.stack_of:
                rows = beside[place]
                rows[rank[card]] = rows.get(rank[card], 0) + 1
        for stack in cards.stacks:
            rows = beside[home[stack.fork]]
            for row in stack.rows:
                rows[rank[row[0]]] = rows.get(rank[row[0]], 0) + stack.abreast - 1
        return [(low, max(rows.values(), default=0)) for low, rows in zip(lowest, beside, strict=True)]

    def _parted(self, rows: int) -> list[int]:
        """Places of the main sequence at which columns of at most about so many rows begin.

        The first one is a row shorter: below it is the place of the zoom buttons.
        """
        cards = self.cards
        main, rank, stack_of = cards.main, cards.rank, cards.stack_of
        heads = [0]
        place = 1
        whole = rows
        while place < len(main):
            rows = whole - 1 if len(heads) == 1 and whole >= LEAST_SHORTENED else whole
            top = rank[main[heads[-1]]]
            if max(rank[main[place]], self.extents[place][0]) - top >= rows and place > heads[-1]:
                best = place
                if self.crossed[place]:
                    for other in range(place - 1, heads[-1] + max((place - heads[-1]) // 2, 0), -1):
                        if not self.crossed[other]:
                            best = other
                            break
                while main[best] in stack_of and best > heads[-1] + 1:
                    best -= 1  # never between the calls of one row
                heads.append(best)
                place = best + 1
                continue
            place += 1
        return heads

    def choices(self) -> list[tuple[float, list[int]]]:
        """(estimated zoom, places of heads) for every height that is tried."""
        found = []
        seen = set()
        straight = (self._estimated([0]), [0])
        if straight[0] >= STRAIGHT_ZOOM or len(self.cards.main) < 2:
            return [straight]
        for rows in range(FEWEST_ROWS, MOST_ROWS + 1):
            heads = self._parted(rows)
            key = tuple(heads)
            if key not in seen:
                seen.add(key)
                found.append((self._estimated(heads), heads))
        return found

    def _estimated(self, heads: Sequence[int]) -> float:
        """The zoom at which columns with these heads would fit, as far as it can be told without a layout."""
        cards = self.cards
        main, rank, gap, axis = cards.main, cards.rank, cards.gap, cards.along
        across = -COLUMN_GAP
        along = 0.0
        for start, end in zip(heads, [*heads[1:], len(main)], strict=True):
            top = rank[main[start]]
            rows = max(low for low, _ in self.extents[start:end]) - top + 1
            along = max(along, rows * cards.pitch_along - gap[axis] + (CORNER_ROOM if start == 0 else 0.0))
            wide = 1 + max(beside for _, beside in self.extents[start:end])
            across += COLUMN_GAP + wide * cards.pitch_across - gap[1 - axis]
        low, apart = self.extents[-1]
        if apart:
            along = max(along, (low + 1) * cards.pitch_along - gap[axis])
            across += COLUMN_GAP + apart * cards.pitch_across - gap[1 - axis]
        return cards.zoom(across, along + 2 * DIP)
