"""Lays out each column by itself, and hangs the columns side by side with the links between them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from opentine_gui.layout.columns.call_rows import line_in, line_out
from opentine_gui.layout.columns.folded_cards import FoldedCards
from opentine_gui.layout.columns.links import DIP, line_between, stubs
from opentine_gui.layout.columns.request import COLUMN_GAP, CORNER_ROOM, Columns, Extent
from opentine_gui.layout.engine import lay_out
from opentine_gui.layout.request import Ancestry, LayoutRequest
from opentine_gui.layout.result import COLUMN_EDGE, FORK_EDGE, MERGE_EDGE, STUB_EDGE, Floats, Layout, bounds_of

SEARCH_SHARE = 0.2
"""The share of one search for fewer crossings that all columns take together: a first view is chosen among some twenty
wrappings, each of which is laid out."""
_PHANTOM = object()


class Hanging:
    """The columns that begin at some places of the main sequence; `extents` are their least extents, as far as known.

    `columns` makes them, once.
    """

    def __init__(self, cards: FoldedCards, heads: Sequence[int], extents: Sequence[Extent]) -> None:
        self.cards = cards
        self.heads = heads
        self.least = extents
        count = len(cards.names)
        columns = np.searchsorted(np.array(heads), np.arange(len(cards.main)), side="right") - 1
        self.column_of_place = np.append(columns, len(heads))  # what no link joins to the main line comes behind it
        self.centers = np.zeros((count, 2))
        self.lanes = np.zeros(count, dtype=np.int32)
        self.ranks = np.zeros(count, dtype=np.int32)
        self.edges: list[tuple[int, int]] = []
        self.kinds: list[int] = []
        self.lines: list[Floats] = []
        self.feet: list[float] = []
        self.extents: list[Extent] = []
        self.begins: list[float] = []
        self.end = 0.0
        """Where the next column begins, across."""

    def columns(self) -> Columns:
        """Lay out each column, place the columns side by side, and link them."""
        cards = self.cards
        members: list[list[int]] = [[] for _ in (*self.heads, None)]
        for card, place in enumerate(cards.home):
            members[int(self.column_of_place[place])].append(card)
        for number, within in enumerate(members):
            if within:
                self._hang(number, within, SEARCH_SHARE / len(members))
        self.lanes[cards.main] = 0
        self._link()
        layout = self._layout()
        bounds, along, across = layout.bounds, cards.along, 1 - cards.along
        zoom = cards.zoom(bounds[across + 2] - bounds[across], bounds[along + 2] - bounds[along])
        names = tuple(cards.names[cards.main[place]] for place in self.heads)
        return Columns(layout, names, zoom, tuple(self.extents), cards.abreast)

    def _hang(self, number: int, within: list[int], share: float) -> None:
        """Lay out the cards of one column and place it beside the one before."""
        cards, along, across = self.cards, self.cards.along, 1 - self.cards.along
        half = [size / 2 for size in cards.size]
        first, last = self._line_of(number, within)
        piece = self._piece(within, last, share)
        head = within.index(first)
        own = piece.centers[: len(within)]
        kept = [
            (edge, within[source], within[target])
            for edge, (source, target) in enumerate(piece.edges.tolist())
            if source < len(within) and target < len(within) and within[source] in cards.parents[within[target]]
        ]
        polylines = [piece.polyline(edge) for edge, _, _ in kept]
        low = min([float(own[:, across].min()) - half[across], *(float(line[:, across].min()) for line in polylines)])
        high = max([float(own[:, across].max()) + half[across], *(float(line[:, across].max()) for line in polylines)])
        main = float(own[head, across])
        least = self.least[number] if number < len(self.least) else (0.0, 0.0)
        extent = max(main - low, least[0]), max(high - main, least[1])
        shift = np.zeros(2)
        shift[across] = self.end + extent[0] - main
        shift[along] = -float(own[head, along])
        self.centers[within] = own + shift
        self.lanes[within] = piece.lanes[: len(within)]
        self.ranks[within] = piece.ranks[: len(within)]
        for (edge, source, target), line in zip(kept, polylines, strict=True):
            self._add_edge(source, target, int(piece.edge_kinds[edge]), line + shift)
        self.extents.append(extent)
        self.feet.append(float(self.centers[within, along].max()) + half[along])
        self.begins.append(self.end)
        self.end += extent[0] + extent[1] + COLUMN_GAP

    def _line_of(self, number: int, within: list[int]) -> tuple[int, int]:
        """The first and the last card of the line that a column's other cards lie beside."""
        main = self.cards.main
        if number < len(self.heads):
            end = self.heads[number + 1] if number + 1 < len(self.heads) else len(main)
            return main[self.heads[number]], main[end - 1]
        first = within[-1]
        while self.cards.parents[first]:
            first = self.cards.parents[first][0]
        return first, within[-1]

    def _piece(self, within: list[int], last: int, share: float) -> Layout:
        """The layout of one column's cards; the lane below its last card is kept free if a branch leaves that card.

        `share` is the share of a search for fewer crossings that it may take.
        """
        cards = self.cards
        places = {card: place for place, card in enumerate(within)}
        parents = [tuple(places[parent] for parent in cards.placed[card] if parent in places) for card in within]
        nodes: list[Hashable] = [cards.names[card] for card in within]
        main: Hashable = cards.names[last]
        if any(places[last] in above for above in parents):
            nodes.append(_PHANTOM)
            parents.append((places[last],))
            main = _PHANTOM
        request = LayoutRequest(
            Ancestry(nodes, parents), main=main, direction=cards.direction, spacing=cards.spacing, share=share
        )
        return lay_out(request)

    def _add_edge(self, source: int, target: int, kind: int, line: Floats) -> None:
        self.edges.append((source, target))
        self.kinds.append(kind)
        self.lines.append(line)

    def _link(self) -> None:
        """Add the links that no column's layout has drawn."""
        cards, along = self.cards, self.cards.along
        half = cards.size[along] / 2
        top = float(self.centers[:, along].min()) - half
        inside = set(self.edges)
        for card, parents in enumerate(cards.parents):
            place = cards.home[card]
            for parent in parents:
                if (parent, card) in inside:
                    continue
                start, goal = self.centers[parent].copy(), self.centers[card].copy()
                start[along] += half
                goal[along] -= half
                if self._is_beside(parent, card):
                    kind = FORK_EDGE if card in cards.stack_of else MERGE_EDGE
                    self._add_edge(parent, card, kind, self._down_a_column(card, start, goal))
                elif cards.main[place] == card and place and cards.main[place - 1] == parent:
                    column = int(self.column_of_place[place])
                    gutter, foot = self.begins[column] - COLUMN_GAP / 2, self.feet[column - 1] + DIP
                    self._add_edge(parent, card, COLUMN_EDGE, line_between(start, goal, gutter, foot, top - DIP, along))
                else:
                    self._add_edge(parent, card, STUB_EDGE, stubs(start, goal, along))

    def _is_beside(self, parent: int, card: int) -> bool:
        """Whether a link of calls in rows runs beside them, in their column."""
        cards = self.cards
        if parent not in cards.stack_of and card not in cards.stack_of:
            return False
        return bool(self.column_of_place[cards.home[parent]] == self.column_of_place[cards.home[card]])

    def _down_a_column(self, card: int, start: Floats, goal: Floats) -> Floats:
        """A link of calls in rows that the engine was not given; it runs past the other rows."""
        cards, along = self.cards, self.cards.along
        half = cards.size[1 - along] / 2
        if card in cards.stack_of:
            first = cards.stack_of[card].cards[0]
            top = float(self.centers[first, along]) - cards.size[along] / 2
            return line_in(start, goal, top, along, cards.gap, half)
        return line_out(start, goal, along, cards.gap, half)

    def _layout(self) -> Layout:
        """All columns as one layout, its edges in the order of their targets."""
        cards, edges, lines = self.cards, self.edges, self.lines
        order = sorted(range(len(edges)), key=lambda edge: (edges[edge][1], edges[edge][0]))
        lengths = [len(lines[edge]) for edge in order]
        points = np.concatenate([lines[edge] for edge in order]) if order else np.zeros((0, 2))
        bounds = bounds_of(self.centers, points, cards.spacing)
        if len(self.feet) > 1 and cards.along == 1:  # with the room for the zoom buttons below the first column
            bounds = (*bounds[:3], max(bounds[3], self.feet[0] + CORNER_ROOM))
        return Layout(
            nodes=tuple(cards.names),
            index={name: place for place, name in enumerate(cards.names)},
            centers=self.centers,
            edges=np.array([edges[edge] for edge in order], dtype=np.int32).reshape(-1, 2),
            edge_points=points,
            edge_offsets=np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64))),
            edge_kinds=np.array([self.kinds[edge] for edge in order], dtype=np.uint8),
            lanes=self.lanes,
            ranks=self.ranks,
            bounds=bounds,
            direction=cards.direction,
            spacing=cards.spacing,
            crossings=None,
        )
