"""The first view of a run: the heaviest cards are split at their best borders until the picture is full."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import NamedTuple

from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.cards import Card, Cards, enclosed
from opentine_gui.core.structure.cone import is_outside
from opentine_gui.core.structure.facts import HUMAN
from opentine_gui.core.structure.openings import Openings
from opentine_gui.core.structure.structure import Structure

MOST_CARDS = 150
"""Most cards of a first view, however large the canvas."""
UNFOLDED = 60
"""Runs of at most this many steps are shown step by step."""
MOST_WORK = 400_000
"""Most cards, branches and paths examined for all first views together: if a hundred thousand branches leave one lane,
every view examines all of them."""
FARTHEST_TURN = 5_000
"""Steps before the main tip among which a later turn on another line is looked for."""
LEAST_WORTH = 5.0
LEAST_WORTH_OF_FEW = 1.5


def is_long(steps: int) -> bool:
    """Whether a run of that many steps is shown folded unless the user says otherwise."""
    return steps > UNFOLDED


class View(NamedTuple):
    """A set of borders, and how many cards it makes."""

    cards: int
    borders: frozenset[int]


def first_views(
    structure: Structure,
    shown: Iterable[int] = (),
    sides: Collection[int] = (),
    *,
    most: int = MOST_CARDS,
    pace: Pace | None = None,
) -> list[View]:
    """First views with more and more cards, at most `most`; each opens one card of the view before.

    The main tip and the steps `shown` (selected, noted, refs) get a card of their own. `sides` are always borders, and
    so is the last turn of a person on the main line, or on that of a merge where it came later: people look first for
    what was asked last.
    """
    lanes = structure.lanes
    openings = Openings(structure)
    if not len(structure):
        return [View(0, frozenset())]
    must = set(sides)
    asked = next(structure.graph.turns(structure.main, FARTHEST_TURN), -1)
    if asked >= 0 and lanes.lane_of(asked).number == 0:
        asked = -1  # it is the last turn of the main line
    for step in (structure.main, asked, *shown):
        if 0 <= step < len(structure) and not is_outside(structure.sides, step):
            must |= openings.around(step)
            lane = lanes.lane_of(step)
            if lane.number:
                must.add(lane.entry)
    sorts = structure.facts.sorts
    turns = (step for step in reversed(lanes.lanes[0].elements) if sorts[step] == HUMAN)
    must.update(step for step in islice(turns, 1) if not is_outside(structure.sides, step))
    borders = enclosed(lanes, must)
    cards = structure.visible(Cards(lanes, borders).cards)
    views = [View(len(cards), borders)]
    least = LEAST_WORTH_OF_FEW if len(structure) <= 4 * most else LEAST_WORTH
    worth: dict[tuple[int, int, tuple[tuple[int, int], ...]], float] = {}
    of_branch: dict[int, float] = {}
    refused: set[frozenset[int]] = set()
    work = 0
    while len(cards) < most and work < MOST_WORK:
        work += sum([1 + len(card.absorbed) + len(card.entries) for card in cards])
        if pace is not None:
            pace.at(len(cards) / most)
        chosen = _worthiest(openings, cards, worth, of_branch, refused, least)
        if chosen is None:
            break
        added = enclosed(lanes, borders | chosen)
        made = structure.visible(Cards(lanes, added).cards)
        if len(made) > most or len(made) <= len(cards):
            refused.add(chosen)
            continue
        borders, cards = added, made
        views.append(View(len(cards), borders))
    return views


def _worthiest(
    openings: Openings,
    cards: list[Card],
    worth: dict[tuple[int, int, tuple[tuple[int, int], ...]], float],
    of_branch: dict[int, float],
    refused: set[frozenset[int]],
    least: float,
) -> frozenset[int] | None:
    """The borders that open the card most worth opening; None when nothing is worth `least`."""
    ranked: list[tuple[float, int, Card | None]] = []
    for card in cards:
        key = (card.name, card.size, card.parts)
        value = worth.get(key)
        if value is None:
            value = worth[key] = openings.worth(card)
        if value >= least:
            ranked.append((-value, card.name, card))
        for entry in card.absorbed:
            value = of_branch.get(entry)
            if value is None:
                value = of_branch[entry] = openings.worth_of_branch(entry)
            if value >= least:
                ranked.append((-value, entry, None))
    for value, entry, opened in sorted(ranked, key=lambda item: item[:2]):
        added = openings.little(opened) if opened is not None else frozenset((entry,))
        if -value < LEAST_WORTH and opened is not None and openings.is_weak(opened, added):
            continue
        if added and added not in refused:
            return added
    return None


def fitting(views: list[View], most: int) -> View:
    """The last of some first views that has at most that many cards; the first one if none has."""
    return next((view for view in reversed(views) if view.cards <= most), views[0])
