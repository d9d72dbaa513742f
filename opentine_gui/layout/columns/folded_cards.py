"""The cards of a folded graph by number, parents before children, and where they belong about the main sequence."""

from __future__ import annotations

from collections.abc import Hashable

import networkx as nx

from opentine_gui.layout.columns.call_rows import ASIDE, call_rows, placed_parents
from opentine_gui.layout.columns.request import LEAST_ZOOM, ColumnsRequest
from opentine_gui.layout.measures import Direction

MOST_REDUCED = 600
"""Up to this many cards, links that follow from others are left out; with more, finding them takes too long."""


class FoldedCards:
    """What a request says of its cards, whatever the columns are. `parents` are those by links that are drawn.

    `home` is the place in `main` to which each card belongs; its length for those that no link joins to it, which have
    a column of their own behind all others. `stacks` are the calls in rows, and `placed` the parents that the engine is
    given. Sizes, gaps and pitches are in units.
    """

    def __init__(self, request: ColumnsRequest) -> None:
        self.direction, self.spacing, self.room = request.direction, request.spacing, request.room
        self.names: list[Hashable] = list(request.graph)
        number = {name: place for place, name in enumerate(self.names)}
        graph = request.graph
        kept = graph
        if graph.number_of_nodes() <= MOST_REDUCED and any(degree > 1 for _, degree in graph.in_degree()):
            kept = nx.transitive_reduction(graph)
        self.parents = [
            tuple(number[parent] for parent in graph._pred[name] if kept.has_edge(parent, name)) for name in self.names
        ]
        self.main = self._main_sequence(number.get(request.main, len(self.names) - 1))
        self.home = self._homes(kept)
        sideways = request.direction is Direction.LEFT_TO_RIGHT
        self.along = 0 if sideways else 1
        size = (request.spacing.node_width, request.spacing.node_height)
        gap = (request.spacing.column_gap, request.spacing.row_gap)
        self.size, self.gap = size, gap
        self.pitch_along = size[self.along] + gap[self.along]
        self.pitch_across = size[1 - self.along] + gap[1 - self.along]
        room = request.room[1 - self.along] / LEAST_ZOOM + gap[1 - self.along] * (1 - 2 * ASIDE)
        self.abreast = request.abreast or max(int(room // self.pitch_across), 1)
        self.stacks = call_rows(self.parents, self.abreast)
        self.placed = placed_parents(self.parents, self.stacks)
        self.stack_of = {card: stack for stack in self.stacks for card in stack.cards}
        self.rank = [0] * len(self.names)
        for card, above in enumerate(self.placed):
            self.rank[card] = max((self.rank[parent] + 1 for parent in above), default=0)

    def _main_sequence(self, tip: int) -> list[int]:
        found = []
        card = tip
        while card >= 0:
            found.append(card)
            card = self.parents[card][0] if self.parents[card] else -1
        return found[::-1]

    def _homes(self, links: nx.DiGraph[Hashable]) -> list[int]:
        """The place in the main sequence to which each card belongs: where it leaves it; its length for none."""
        count = len(self.names)
        home = [-1] * count
        for place, card in enumerate(self.main):
            home[card] = place
        for _ in range(2):  # the second time for what hangs on such roots
            for card in range(count):
                if home[card] < 0 and self.parents[card]:
                    home[card] = home[self.parents[card][0]]
            for card in range(count - 1, -1, -1):  # roots beside the main line belong to what they lead to
                for parent in self.parents[card]:
                    if home[parent] < 0:
                        home[parent] = home[card]
        if min(home, default=0) >= 0:
            return home
        joined = nx.node_connected_component(links.to_undirected(as_view=True), self.names[self.main[0]])
        apart = len(self.main)
        return [
            place if place >= 0 else 0 if name in joined else apart
            for name, place in zip(self.names, home, strict=True)
        ]

    def zoom(self, across: float, along: float) -> float:
        """The zoom at which so many units fit the room, at most 1."""
        room = self.room
        return min(1.0, room[1 - self.along] / max(across, 1.0), room[self.along] / max(along, 1.0))
