"""Parallel calls in several rows, if a single row would be too wide to be shown at a readable size.

The engine is given the calls of one column as a chain, so that they lie in a straight lane. The links of this chain are
not drawn; the real links, which the engine is not given, run beside the cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from opentine_gui.layout.result import Floats

LEAST_ABREAST = 2
ASIDE = 0.3
"""Distance between a card and the links that run down beside it, as a share of the gap between two columns."""


class CallRows(NamedTuple):
    """Cards that lead from `fork` to `join` and nowhere else, in rows of `abreast`, filled in order."""

    fork: int
    join: int
    cards: tuple[int, ...]
    abreast: int

    @property
    def rows(self) -> list[tuple[int, ...]]:
        """The cards by row, from above."""
        return [self.cards[start : start + self.abreast] for start in range(0, len(self.cards), self.abreast)]


def call_rows(parents: Sequence[tuple[int, ...]], most: int) -> list[CallRows]:
    """The groups of more than `most` parallel calls in a graph; `parents` has the parents of every card."""
    children: list[list[int]] = [[] for _ in parents]
    for card, above in enumerate(parents):
        for parent in above:
            children[parent].append(card)
    together: dict[tuple[int, int], list[int]] = {}
    for card, above in enumerate(parents):
        if len(above) == 1 and len(children[card]) == 1:
            together.setdefault((above[0], children[card][0]), []).append(card)
    found = []
    for (fork, join), cards in together.items():
        if len(cards) > max(most, LEAST_ABREAST):
            rows = -(-len(cards) // max(most, LEAST_ABREAST))
            found.append(CallRows(fork, join, tuple(cards), -(-len(cards) // rows)))
    return found


def placed_parents(parents: Sequence[tuple[int, ...]], stacks: Sequence[CallRows]) -> list[tuple[int, ...]]:
    """The parents that the engine is given: each card of a column follows the one above it."""
    found = list(parents)
    for stack in stacks:
        last = {}
        for number, card in enumerate(stack.cards):
            if number >= stack.abreast:
                found[card] = (stack.cards[number - stack.abreast],)
            column = range(number % stack.abreast, len(stack.cards), stack.abreast)
            last[card] = stack.cards[column[-1]]
        found[stack.join] = tuple(dict.fromkeys(last.get(parent, parent) for parent in found[stack.join]))
    return found


def line_in(
    from_fork: Floats, to_card: Floats, top: float, along: int, gap: tuple[float, float], half: float
) -> Floats:
    """The link from the fork to a card below the first row, which begins at `top`: down the near side of the column.

    `from_fork` and `to_card` are its ends, `half` is half of a card across, `gap` those between cards.
    """
    across = 1 - along
    points = np.array([from_fork, to_card, to_card, to_card])
    points[1:3, across] -= half + gap[across] * ASIDE
    points[1, along] = top
    points[2, along] -= gap[along]
    return points


def line_out(from_card: Floats, to_join: Floats, along: int, gap: tuple[float, float], half: float) -> Floats:
    """The link from a card above the last row to the join: down the far side of the column."""
    across = 1 - along
    points = np.array([from_card, from_card, from_card, to_join])
    points[1:3, across] += half + gap[across] * ASIDE
    points[1, along] += gap[along]
    points[2, along] = to_join[along] - gap[along]
    return points
