"""What opening a card adds: a few borders, chosen by rank. Closing removes exactly those again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from heapq import nsmallest

from opentine_gui.core.structure.borders import BETWEEN_ITERATIONS, BETWEEN_TURNS, INSIDE_ROUND, STRONG
from opentine_gui.core.structure.cards import Card
from opentine_gui.core.structure.facts import SUBAGENT
from opentine_gui.core.structure.lanes import Lane
from opentine_gui.core.structure.structure import Structure

MOST_ADDED = 7
"""Most borders that opening a card by hand adds; one lane inside it may add as many again."""
FEWEST_ADDED = 3
MOST_HEAVY = 3
"""Regions shown on their own where there are more than fit: the heaviest; the others stay together in runs."""


class Openings:
    """The borders that open cards of one structure."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure

    # -- weights ----------------------------------------------------------------------------------------------------

    def weight(self, card: Card) -> float:
        """The weight of a card: its steps; those of people, sub-agents, compactions, failures and tips count more."""
        weights = self.structure.sums.weight
        return sum(weights[end] - weights[start] for start, end in card.parts)

    def region_weight(self, entry: int) -> float:
        """The weight of the lane that begins at a step, its branches included."""
        lanes, weights = self.structure.lanes, self.structure.sums.weight
        lane = lanes.lanes[lanes.lane[entry]]
        return weights[lane.end] - weights[lane.start]

    def region_steps(self, entry: int) -> int:
        """The number of steps in the lane that begins at a step, its branches included."""
        lanes = self.structure.lanes
        lane = lanes.lanes[lanes.lane[entry]]
        return lane.end - lane.start

    # -- ranks ------------------------------------------------------------------------------------------------------

    def places_by_level(self, lane: Lane) -> dict[int, list[int]]:
        """The places of a lane's borders by level, ascending."""
        borders = self.structure.borders
        known = borders.by_level.get(lane.number)
        if known is None:
            borders.rank(lane)
            known = {}
            level = borders.level
            for place in range(1, len(lane.elements)):
                known.setdefault(level[lane.elements[place]], []).append(place)
            borders.by_level[lane.number] = known
        return known

    def levels(self, card: Card) -> list[tuple[int, list[int]]]:
        """The borders inside a span or a closed lane as (level, places in the lane), highest level first."""
        if card.sort not in ("span", "lane"):
            return []
        lane = self.structure.lanes.lanes[card.lane]
        found = []
        for level, places in sorted(self.places_by_level(lane).items(), reverse=True):
            inside = places[bisect_left(places, card.first + 1) : bisect_left(places, card.stop)]
            if inside:
                found.append((level, inside))
        return found

    def best(self, card: Card, places: Sequence[int]) -> int:
        """The best of some places in a card's lane to split it: a strong border with similar weight on either side."""
        structure = self.structure
        lane = structure.lanes.lanes[card.lane]
        weights, place_of, strength = structure.sums.weight, structure.lanes.place, structure.borders.strength
        start, end = card.parts[0]
        low, whole = weights[start], max(weights[end] - weights[start], 1e-9)

        def worth(place: int) -> tuple[float, int]:
            step = lane.elements[place]
            before = (weights[place_of[step]] - low) / whole
            return min(strength[step], 8.0) + 10.0 * min(before, 1.0 - before), -place

        return max(places, key=worth)

    def is_weak(self, card: Card, added: frozenset[int]) -> bool:
        """Whether a card could only be split where the recording says little: inside a turn, at no strong border."""
        borders, lanes = self.structure.borders, self.structure.lanes
        return card.sort in ("span", "lane") and any(
            lanes.index[step] > 0 and borders.level[step] < BETWEEN_TURNS and borders.strength[step] < STRONG
            for step in added
        )

    # -- opening ----------------------------------------------------------------------------------------------------

    def little(self, card: Card) -> frozenset[int]:
        """Open a card as little as makes sense: one border, or the pieces of a round. Empty: nothing to open."""
        levels = self.levels(card)
        if levels:
            if levels[0][0] == INSIDE_ROUND:
                owners = [step for step in self._owners(card) if self._long_pieces(step)]
                if len(owners) == 1:  # the sub-agents matter, not what was said before them
                    return self._pieces(owners[0])
            place = self.best(card, levels[0][1])
            return frozenset((self.structure.lanes.lanes[card.lane].elements[place],))
        return self._regions(card)

    def by_count(self, card: Card) -> frozenset[int]:
        """Open a card as a click does: level by level, at most 7 borders; a lone sub-agent is opened to its lane."""
        levels = self.levels(card)
        if not levels:
            return self._with_lone_lane(self._regions(card))
        strength = self.structure.borders.strength
        elements = self.structure.lanes.lanes[card.lane].elements
        added: set[int] = set()
        for level, places in levels:
            if len(added) + len(places) <= MOST_ADDED:
                added |= {elements[place] for place in places}
                if level <= BETWEEN_ITERATIONS and len(added) >= FEWEST_ADDED:
                    return frozenset(added)
                continue
            if len(added) < FEWEST_ADDED:
                strongest = sorted(places, key=lambda place: (-strength[elements[place]], place))
                added |= {elements[place] for place in strongest[: MOST_ADDED - len(added)]}
            return frozenset(added)
        if len(added) < FEWEST_ADDED:  # a round or two: their calls are what there is to see
            for step in self._owners(card):
                if self._long_pieces(step):
                    added |= self._with_lone_lane(self._pieces(step))
        return frozenset(added)

    def branches(self, card: Card) -> frozenset[int]:
        """Give the branches a card has absorbed cards of their own: all if they are few, else the heaviest."""
        return self._heaviest(card.absorbed)

    def around(self, step: int) -> frozenset[int]:
        """The borders around the round of a step, which give it a card of its own, or nearly so."""
        structure = self.structure
        lane = structure.lanes.lane_of(step)
        place = structure.lanes.index[step]
        structure.borders.rank(lane)
        rounds = structure.borders.rounds.get(lane.number, [0])
        number = bisect_left(rounds, place + 1) - 1
        start = rounds[number]
        end = rounds[number + 1] if number + 1 < len(rounds) else len(lane.elements)
        return frozenset(lane.elements[at] for at in (start, end) if 0 < at < len(lane.elements))

    def alone(self, step: int) -> frozenset[int]:
        """The borders that leave a step alone on its card, with its calls beside it."""
        lanes = self.structure.lanes
        lane, place = lanes.lane_of(step), lanes.index[step]
        found = {lane.elements[at] for at in (place, place + 1) if 0 < at < len(lane.elements)}
        if lane.number:
            found.add(lane.entry)
            if len(lane.elements) == 1:
                found |= self._heaviest([branch.entry for branch in (*lane.plain, *lane.merged)])
                found |= {joined for joined in lanes.pieces.get(lane.owner, ()) if step in lanes.parents[joined]}
        if step in lanes.pieces:
            found |= self._pieces(step)
        return frozenset(found)

    # -- worth ------------------------------------------------------------------------------------------------------

    def worth(self, card: Card) -> float:
        """How much the first view gains by opening a card."""
        weight = self.weight(card)
        if card.sort == "span":
            return weight * self._span_share(card)
        if card.sort == "lane":
            if card.size < 2:
                return 0.0
            lane = self.structure.lanes.lanes[card.lane]
            if lane.piece and self.structure.facts.sorts[lane.entry] != SUBAGENT:
                return weight * 0.8
            return weight * 0.6
        long = sum(self.region_steps(entry) > 1 for entry in card.entries)
        return weight * (1.6 if long > 1 else 0.8 if card.sort == "merged" else 0.6 if long else 0.12)

    def worth_of_branch(self, entry: int) -> float:
        """How much the first view gains by making a card of an absorbed branch."""
        start, end = self.structure.lanes.region(entry)
        failed = self.structure.sums.failed
        weight = self.region_weight(entry)
        if end - start <= 3 and failed[end] == failed[start]:
            return 0.4 * weight
        return 0.9 * weight + 3.0

    def _span_share(self, card: Card) -> float:
        levels = self.levels(card)
        highest = levels[0][0] if levels else INSIDE_ROUND
        if highest > BETWEEN_ITERATIONS:
            return 1.0
        if highest > INSIDE_ROUND:
            return 0.3
        owners = self._owners(card)
        long = max((self._long_pieces(step) for step in owners), default=0)
        if not owners and not levels:
            return 0.0
        return 1.6 if long > 1 else 0.6 if long else 0.12

    # -- regions ----------------------------------------------------------------------------------------------------

    def _owners(self, card: Card) -> list[int]:
        """The elements of a card whose pieces lie in it; those of its last element may be shown beside it."""
        lanes = self.structure.lanes
        end = card.parts[0][1] if card.parts else len(lanes.order)
        elements = lanes.lanes[card.lane].elements[card.first : card.stop]
        return [step for step in elements if step in lanes.pieces and lanes.pieces_end[step] <= end]

    def _long_pieces(self, step: int) -> int:
        return sum(self.region_steps(entry) > 1 for entry in self.structure.lanes.pieces.get(step, ()))

    def _pieces(self, step: int) -> frozenset[int]:
        entries = self.structure.lanes.pieces[step]
        long = [entry for entry in entries if self.region_steps(entry) > 1]
        return self._heaviest(long or entries)

    def _regions(self, card: Card) -> frozenset[int]:
        """Show the regions in a card that has no borders: pieces of its element, lanes of a run, branches of a lane."""
        lanes = self.structure.lanes
        if card.sort in ("paths", "merged"):
            return self._heaviest(card.entries)
        step = lanes.lanes[card.lane].elements[card.first]
        if step in self._owners(card):
            return self._pieces(step)
        if card.sort == "lane":
            lane = lanes.lanes[card.lane]
            return self._heaviest([branch.entry for branch in (*lane.plain, *lane.merged)])
        return frozenset()

    def _heaviest(self, entries: Sequence[int]) -> frozenset[int]:
        if len(entries) <= MOST_ADDED:
            return frozenset(entries)
        weighed = [(-self.region_weight(entry), entry) for entry in entries]
        return frozenset(entry for _, entry in nsmallest(MOST_HEAVY, weighed))

    def _with_lone_lane(self, entries: Iterable[int]) -> frozenset[int]:
        """The regions to show, where a lone sub-agent is opened to its lane at once."""
        found = frozenset(entries)
        long = [entry for entry in found if self.region_steps(entry) > 1]
        if len(long) != 1:
            return found
        lanes = self.structure.lanes
        lane = lanes.lane_of(long[0])
        card = Card(lane.entry, "lane", lane.number, 0, len(lane.elements), (lane.entry,), (), (), 0)
        return found | (self.by_count(card) if len(lane.elements) > 1 else frozenset())
