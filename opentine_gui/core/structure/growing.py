"""Maintains the view of a growing run: the last card grows until it is too heavy; then the lightest neighbours merge.

What a person said heads a card as soon as it is there, and so does the last answer: they are what somebody who follows
a run looks for. The view is never computed from scratch: that would change nearly one other card for each new step,
this a fifth of one.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from opentine_gui.core.model import StepKind
from opentine_gui.core.structure.borders import BETWEEN_TURNS, INSIDE_ROUND
from opentine_gui.core.structure.cards import Card, Cards
from opentine_gui.core.structure.cone import is_outside
from opentine_gui.core.structure.facts import HUMAN
from opentine_gui.core.structure.openings import Openings
from opentine_gui.core.structure.structure import Structure

HEAVY = 1.7
"""The last card is split above this multiple of the mean card weight."""
FULL = 1.1
"""Two cards are joined above this multiple of the first view's number of cards."""
RECENT_ROUNDS = 4
"""Nothing is split within so many of the last rounds: the next steps may still change them."""
RECENT_BORDERS = 3
"""So many of the last borders stay, whatever arrives."""


def grown(
    structure: Structure, borders: Collection[int], opened: Collection[int], heads: Collection[int], budget: int
) -> tuple[frozenset[int], bool]:
    """The borders of a view after steps were appended, and whether they changed.

    Cards that begin at `opened` steps stay as they are, because the user opened them; so do the borders at the `heads`
    of columns. `budget` is the number of cards the first view had.
    """
    before = view = Cards(structure.lanes, borders)
    openings = Openings(structure)
    said = _said_last(structure, view, max(budget, 1))
    if said:
        view = Cards(structure.lanes, view.borders | said)
    else:
        added = _split_border(structure, openings, view)
        if added is not None:
            view = Cards(structure.lanes, view.borders | {added})
    for _ in range(max(len(said), 1)):
        if len(structure.visible(view.cards)) <= FULL * budget:
            break
        gone = _border_to_drop(structure, openings, view, opened, heads)
        if gone is None:
            break
        view = Cards(structure.lanes, view.borders - {gone})
    return view.borders, view.borders != before.borders


def _main_spans(view: Cards) -> list[Card]:
    return [card for card in view.cards if card.sort == "span" and card.lane == 0]


def _said_last(structure: Structure, view: Cards, most: int) -> frozenset[int]:
    """What came inside the last card of the main line and heads a card: a person's turns, and the last answer.

    Of more than `most` turns that came at once the first, the last few and about `most` between them head one: the
    others would be joined to these again, and to find out where, the cards are made anew for each.
    """
    spans = _main_spans(view)
    if not spans:
        return frozenset()
    inside = structure.lanes.lanes[0].elements[spans[-1].first + 1 : spans[-1].stop]
    sorts = structure.facts.sorts
    turns = [step for step in inside if sorts[step] == HUMAN]
    said = {*turns[:: -(-len(turns) // most) or 1], *turns[-RECENT_BORDERS:]}
    said.update([step for step in inside if _is_answer(structure, step)][-1:])
    return frozenset(step for step in said if not is_outside(structure.sides, step))


def _is_answer(structure: Structure, step: int) -> bool:
    return structure.graph.kinds[step] is StepKind.DONE


def _last_of_each(structure: Structure) -> frozenset[int]:
    """What was asked last on the main line, and the last answer."""
    elements, sorts = structure.lanes.lanes[0].elements, structure.facts.sorts
    asked = next((step for step in reversed(elements) if sorts[step] == HUMAN), -1)
    return frozenset({asked, next((step for step in reversed(elements) if _is_answer(structure, step)), -1)})


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
    """The border between the two neighbours on the main line that weigh least together; None if all must stay.

    What a person said is never put behind other work on a card. If only turns are left, whole ones are joined.
    """
    spans = _main_spans(view)
    sorts, kept = structure.facts.sorts, _last_of_each(structure)
    mean = structure.sums.weight[-1] / max(len(view.cards), 1)
    best: tuple[bool, float, int] | None = None
    for number, (one, other) in enumerate(list(pairwise(spans))[:-RECENT_BORDERS]):
        border = other.name
        if one.name in opened or border in opened or border in heads or border in kept:
            continue
        if border not in view.borders or one.parts[-1][1] != other.parts[0][0]:
            continue  # pieces are shown between them
        turn = sorts[border] == HUMAN
        if turn and (sorts[one.name] != HUMAN or sorts[spans[number + 2].name] != HUMAN):
            continue  # not whole turns, both of them
        weight = openings.weight(one) + openings.weight(other)
        if structure.borders.level[border] >= BETWEEN_TURNS:
            weight += 0.5 * mean
        if best is None or (turn, weight) < best[:2]:
            best = (turn, weight, border)
    return best[2] if best is not None else None
