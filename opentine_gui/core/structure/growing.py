"""Maintains the view of a growing run: the last card grows until it is too heavy; then the lightest neighbours merge.

The view is never computed from scratch: that would change nearly one other card for each new step, this a fifth of one.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from opentine_gui.core.structure.borders import BETWEEN_TURNS, INSIDE_ROUND
from opentine_gui.core.structure.cards import Card, Cards
from opentine_gui.core.structure.openings import Openings
from opentine_gui.core.structure.structure import Structure

HEAVY = 1.7
"""The last card is split above this multiple of the mean card weight."""
FULL = 1.1
"""Two cards are joined above this multiple of the first view's number of cards."""
RECENT_ROUNDS = 4
"""Nothing is split within so many of the last rounds: the next steps may still change them."""
RECENT_BORDERS = 3


def grown(
    structure: Structure, borders: Collection[int], opened: Collection[int], heads: Collection[int], budget: int
) -> tuple[frozenset[int], bool]:
    """The borders of a view after steps were appended, and whether they changed.

    Cards that begin at `opened` steps stay as they are, because the user opened them; so do the borders at the `heads`
    of columns. `budget` is the number of cards the first view had.
    """
    view = Cards(structure.lanes, borders)
    openings = Openings(structure)
    added = _split_border(structure, openings, view)
    if added is not None:
        view = Cards(structure.lanes, view.borders | {added})
    gone = (
        _border_to_drop(structure, openings, view, opened, heads)
        if len(structure.visible(view.cards)) > FULL * budget
        else None
    )
    now = view.borders - {gone} if gone is not None else view.borders
    return now, added is not None or gone is not None


def _main_spans(view: Cards) -> list[Card]:
    return [card for card in view.cards if card.sort == "span" and card.lane == 0]


def _split_border(structure: Structure, openings: Openings, view: Cards) -> int | None:
    """The border at which to split the last card of the main line; None while it is not too heavy."""
    spans = _main_spans(view)
    if not spans or not view.cards:
        return None
    last = spans[-1]
    mean = structure.sums.weight[-1] / len(view.cards)
    if openings.weight(last) <= HEAVY * mean:
        return None
    rounds = structure.borders.rounds.get(0, [0])
    limit = rounds[-RECENT_ROUNDS] if len(rounds) >= RECENT_ROUNDS else 0
    for level, places in openings.levels(last):
        settled = [place for place in places if place <= limit]
        if settled and level > INSIDE_ROUND:
            return structure.lanes.lanes[0].elements[openings.best(last, settled)]
    return None


def _border_to_drop(
    structure: Structure, openings: Openings, view: Cards, opened: Collection[int], heads: Collection[int]
) -> int | None:
    """The border between the two neighbours on the main line that weigh least together; None if all must stay."""
    spans = _main_spans(view)
    mean = structure.sums.weight[-1] / max(len(view.cards), 1)
    best: tuple[float, int] | None = None
    for one, other in list(pairwise(spans))[:-RECENT_BORDERS]:
        border = other.name
        if one.name in opened or border in opened or border in heads:
            continue
        if border not in view.borders or one.parts[-1][1] != other.parts[0][0]:
            continue  # pieces are shown between them
        weight = openings.weight(one) + openings.weight(other)
        if structure.borders.level[border] >= BETWEEN_TURNS:
            weight += 0.5 * mean
        if best is None or weight < best[0]:
            best = (weight, border)
    return best[1] if best is not None else None
