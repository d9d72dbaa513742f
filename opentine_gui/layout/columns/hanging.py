"""The layout of a folded run: the main sequence is wrapped into columns, which are laid out by the engine and placed
side by side.

A straight column of 66 cards could only be shown as a thin line; wrapped, it fills the canvas. A card beside the main
sequence belongs to the column in which its branch leaves the sequence. Opening a card changes only its own column, as
long as the columns begin at the same cards. In a left-to-right layout columns are rows; "along" means the direction of
the layout, "across" the other one.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout.call_rows import ASIDE, call_rows, line_in, line_out, placed_parents
from opentine_gui.layout.engine import lay_out
from opentine_gui.layout.measures import Direction, Spacing
from opentine_gui.layout.request import Ancestry, LayoutRequest
from opentine_gui.layout.result import COLUMN_EDGE, FORK_EDGE, MERGE_EDGE, STUB_EDGE, Bounds, Floats, Layout, bounds_of

COLUMN_GAP = 52.0
"""Units between two columns."""
FOLDED_SPACING = Spacing(row_gap=28.0, column_gap=32.0)
STRAIGHT_ZOOM = 0.62
"""A straight column is kept when it is shown at this zoom or larger."""
LEAST_ZOOM = 0.6
"""Parallel calls are drawn in several rows where a single row would make the picture smaller."""
FEWEST_ROWS, MOST_ROWS = 3, 39
LEAST_SHORTENED = 6
"""With at least this many rows, the first column is one row shorter than the others."""
MUCH_SMALLER = 0.7
"""Columns that have come to be shown this much smaller than others would are wrapped anew, of a run that grows."""
MOST_REDUCED = 600
"""Up to this many cards, links that follow from others are left out; with more, finding them takes too long."""
SEARCH_SHARE = 0.2
"""The share of one search for fewer crossings that all columns take together: a first view is chosen among some twenty
wrappings, each of which is laid out."""
_DIP = 11.0
"""How far the line between two columns runs below the foot of one and above the head of the next, in units."""
_STUB = 14.0
CORNER_ROOM = 64.0
"""Units below the first column: the place of the zoom buttons."""
_PHANTOM = object()


Extent = tuple[float, float]
"""How far a column reaches to the left and right of its first card of the main line, in units."""


class ColumnsRequest(NamedTuple):
    """What to lay out: `graph` has cards as nodes, parents before children, the first predecessor the primary parent.

    `main` is the card the main sequence ends at, `room` the canvas in pixels. `heads` are the cards at which columns
    begin, kept from an earlier layout of the run; None chooses those that give the largest zoom. With `wraps`, a last
    column that has become longer than the others is divided, and columns that hold too little are made anew. `extents`
    are the least extents of the columns with these heads: opening a group that needs less room moves no other column.
    `abreast` is the largest number of calls side by side, kept like the heads; 0 takes as many as there is room for.
    """

    graph: nx.DiGraph[Any]
    main: Hashable
    room: tuple[float, float]
    heads: Sequence[Hashable] | None = None
    direction: Direction = Direction.TOP_TO_BOTTOM
    spacing: Spacing = FOLDED_SPACING
    wraps: bool = False
    extents: Sequence[Extent] = ()
    abreast: int = 0


class Columns(NamedTuple):
    """A layout in columns, the cards at their heads, and the zoom at which all of it fits the room."""

    layout: Layout
    heads: tuple[Hashable, ...]
    zoom: float
    extents: tuple[Extent, ...] = ()
    abreast: int = 0

    @property
    def begins(self) -> list[float]:
        """Where each column begins, across the direction."""
        widths = [before + after + COLUMN_GAP for before, after in self.extents]
        return [sum(widths[:number]) for number in range(len(widths))]


def lay_out_columns(request: ColumnsRequest) -> Columns:
    """Lay out a folded graph in columns."""
    return _Wrapping(request).columns()


def estimated_zoom(request: ColumnsRequest) -> float:
    """An estimate of the zoom at which the columns of a folded graph will fit, in a small part of a layout's time."""
    wrapping = _Wrapping(request)
    return max((zoom for zoom, _ in wrapping.choices()), default=1.0)


class _Wrapping:
    def __init__(self, request: ColumnsRequest) -> None:
        self.request = request
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
        self.home = self._homes()
        self.heads_given = request.heads
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

    def _homes(self) -> list[int]:
        """The place in the main sequence to which each card belongs: where it leaves it."""
        count = len(self.names)
        home = [-1] * count
        for place, card in enumerate(self.main):
            home[card] = place
        for card in range(count):
            if home[card] < 0 and self.parents[card]:
                home[card] = home[self.parents[card][0]]
        for card in range(count - 1, -1, -1):  # roots beside the main line belong to what they lead to
            for parent in self.parents[card]:
                if home[parent] < 0:
                    home[parent] = home[card]
        return [max(place, 0) for place in home]

    # -- where to part ----------------------------------------------------------------------------------------------

    def _crossed(self) -> list[int]:
        """How many links other than the main line's cross the border before each place of the main sequence."""
        change = [0] * (len(self.main) + 1)
        on_main = set(zip(self.main, self.main[1:], strict=False))
        for card, parents in enumerate(self.parents):
            for parent in parents:
                low, high = self.home[parent], self.home[card]
                if low != high and (parent, card) not in on_main:
                    low, high = min(low, high), max(low, high)
                    change[low + 1] += 1
                    if high + 1 < len(change):
                        change[high + 1] -= 1
        total = 0
        found = []
        for place in range(len(self.main)):
            total += change[place]
            found.append(total)
        return found

    def _extents(self) -> list[tuple[int, int]]:
        """For each place of the main sequence: the lowest row of the cards that belong to it, and how many of them lie
        beside it."""
        lowest = [self.rank[card] for card in self.main]
        beside: list[dict[int, int]] = [{} for _ in self.main]
        for card, place in enumerate(self.home):
            lowest[place] = max(lowest[place], self.rank[card])
            if self.main[place] != card and card not in self.stack_of:
                rows = beside[place]
                rows[self.rank[card]] = rows.get(self.rank[card], 0) + 1
        for stack in self.stacks:
            rows = beside[self.home[stack.fork]]
            for row in stack.rows:
                rows[self.rank[row[0]]] = rows.get(self.rank[row[0]], 0) + stack.abreast - 1
        return [(low, max(rows.values(), default=0)) for low, rows in zip(lowest, beside, strict=True)]

    def _parted(self, rows: int) -> list[int]:
        """Places of the main sequence at which columns of at most about so many rows begin.

        The first one is a row shorter: below it is the place of the zoom buttons.
        """
        crossed, extents = self.crossed, self.extents
        heads = [0]
        place = 1
        whole = rows
        while place < len(self.main):
            rows = whole - 1 if len(heads) == 1 and whole >= LEAST_SHORTENED else whole
            top = self.rank[self.main[heads[-1]]]
            if max(self.rank[self.main[place]], extents[place][0]) - top >= rows and place > heads[-1]:
                best = place
                if crossed[place]:
                    for other in range(place - 1, heads[-1] + max((place - heads[-1]) // 2, 0), -1):
                        if not crossed[other]:
                            best = other
                            break
                while self.main[best] in self.stack_of and best > heads[-1] + 1:
                    best -= 1  # never between the calls of one row
                heads.append(best)
                place = best + 1
                continue
            place += 1
        return heads

    def choices(self) -> list[tuple[float, list[int]]]:
        """(estimated zoom, places of heads) for every height that is tried."""
        self.crossed, self.extents = self._crossed(), self._extents()
        found = []
        seen = set()
        straight = (self._estimated([0]), [0])
        if straight[0] >= STRAIGHT_ZOOM or len(self.main) < 2:
            return [straight]
        for rows in range(FEWEST_ROWS, MOST_ROWS + 1):
            heads = self._parted(rows)
            key = tuple(heads)
            if key not in seen:
                seen.add(key)
                found.append((self._estimated(heads), heads))
        return found

    def _estimated(self, heads: Sequence[int]) -> float:
        across = -COLUMN_GAP
        along = 0.0
        for start, end in zip(heads, [*heads[1:], len(self.main)], strict=True):
            top = self.rank[self.main[start]]
            rows = max(low for low, _ in self.extents[start:end]) - top + 1
            along = max(along, rows * self.pitch_along - self.gap[self.along] + (CORNER_ROOM if start == 0 else 0.0))
            wide = 1 + max(beside for _, beside in self.extents[start:end])
            across += COLUMN_GAP + wide * self.pitch_across - self.gap[1 - self.along]
        return self._zoom(across, along + 2 * _DIP)

    def _zoom(self, across: float, along: float) -> float:
        room = self.request.room
        return min(1.0, room[1 - self.along] / max(across, 1.0), room[self.along] / max(along, 1.0))

    # -- the layout -------------------------------------------------------------------------------------------------

    def columns(self) -> Columns:
        if not self.names:
            empty = lay_out(
                LayoutRequest(Ancestry((), ()), direction=self.request.direction, spacing=self.request.spacing)
            )
            return Columns(empty, (), 1.0, (), self.abreast)
        if self.heads_given is not None:
            wanted = set(self.heads_given)
            heads = [place for place, card in enumerate(self.main) if place == 0 or self.names[card] in wanted]
            made = self._hung(self._wrapped(heads) if self.request.wraps else heads)
            if not self.request.wraps or made.zoom >= MUCH_SMALLER * LEAST_ZOOM:
                return made
            # As a run grows, cards are joined within their columns, until each column holds a card or two.
            self.request = self.request._replace(heads=None, extents=())
            anew = self._chosen()
            return anew if made.zoom < MUCH_SMALLER * anew.zoom else made
        return self._chosen()

    def _chosen(self) -> Columns:
        """The columns that give the largest zoom."""
        ranked = sorted(self.choices(), key=lambda choice: -choice[0])
        best: Columns | None = None
        for estimate, heads in ranked[:3]:
            if best is not None and estimate <= best.zoom:
                continue
            made = self._hung(heads)
            if best is None or made.zoom > best.zoom:
                best = made
        assert best is not None
        return best

    def _wrapped(self, heads: list[int]) -> list[int]:
        """The places of the heads, with the last column divided if it is longer than all others."""
        if len(heads) < 2:
            return heads
        longest = max(end - start for start, end in pairwise(heads))
        while len(self.main) - heads[-1] > longest:
            heads = [*heads, heads[-1] + longest]
        return heads

    def _hung(self, heads: Sequence[int]) -> Columns:
        """Lay out each column, and place the columns side by side."""
        column_of_place = np.searchsorted(np.array(heads), np.arange(len(self.main)), side="right") - 1
        members: list[list[int]] = [[] for _ in heads]
        for card, place in enumerate(self.home):
            members[int(column_of_place[place])].append(card)
        count = len(self.names)
        centers = np.zeros((count, 2))
        lanes = np.zeros(count, dtype=np.int32)
        ranks = np.zeros(count, dtype=np.int32)
        edges: list[tuple[int, int]] = []
        kinds: list[int] = []
        lines: list[Floats] = []
        inside: set[tuple[int, int]] = set()
        at = 0.0
        across = 1 - self.along
        half = [size / 2 for size in self.size]
        feet: list[float] = []
        extents: list[Extent] = []
        begins: list[float] = []
        for number, cards in enumerate(members):
            end = heads[number + 1] if number + 1 < len(heads) else len(self.main)
            last = self.main[end - 1]
            piece = self._column(cards, last, SEARCH_SHARE / len(members))
            places = {card: place for place, card in enumerate(cards)}
            shift = np.zeros(2)
            own = piece.centers[: len(cards)]
            low = float(own[:, across].min()) - half[across]
            kept = [
                (edge, cards[source], cards[target])
                for edge, (source, target) in enumerate(piece.edges.tolist())
                if source < len(cards) and target < len(cards) and cards[source] in self.parents[cards[target]]
            ]
            polylines = [piece.polyline(edge) for edge, _, _ in kept]
            low = min([low, *(float(line[:, across].min()) for line in polylines)])
            high = max(
                [float(own[:, across].max()) + half[across], *(float(line[:, across].max()) for line in polylines)]
            )
            main = float(own[places[self.main[heads[number]]], across])
            least = self.request.extents[number] if number < len(self.request.extents) else (0.0, 0.0)
            extent = max(main - low, least[0]), max(high - main, least[1])
            extents.append(extent)
            shift[across] = at + extent[0] - main
            shift[self.along] = -float(own[places[self.main[heads[number]]], self.along])
            centers[cards] = own + shift
            lanes[cards] = piece.lanes[: len(cards)]
            ranks[cards] = piece.ranks[: len(cards)]
            for (edge, source, target), line in zip(kept, polylines, strict=True):
                edges.append((source, target))
                kinds.append(int(piece.edge_kinds[edge]))
                lines.append(line + shift)
                inside.add((source, target))
            feet.append(float(centers[cards, self.along].max()) + half[self.along])
            begins.append(at)
            at += extent[0] + extent[1] + COLUMN_GAP
        lanes[self.main] = 0
        tops = float(centers[:, self.along].min()) - half[self.along]
        for card, parents in enumerate(self.parents):
            for parent in parents:
                if (parent, card) in inside:
                    continue
                edges.append((parent, card))
                start, goal = centers[parent].copy(), centers[card].copy()
                start[self.along] += half[self.along]
                goal[self.along] -= half[self.along]
                place = self.home[card]
                if self._is_beside(parent, card, column_of_place):
                    kinds.append(FORK_EDGE if card in self.stack_of else MERGE_EDGE)
                    lines.append(self._down_a_column(parent, card, start, goal, centers))
                elif self.main[place] == card and place and self.main[place - 1] == parent:
                    gutter = begins[int(column_of_place[place])] - COLUMN_GAP / 2
                    kinds.append(COLUMN_EDGE)
                    foot = feet[int(column_of_place[place]) - 1]
                    lines.append(self._between(start, goal, gutter, foot + _DIP, tops - _DIP))
                else:
                    kinds.append(STUB_EDGE)
                    lines.append(self._stubs(start, goal))
        order = sorted(range(len(edges)), key=lambda edge: (edges[edge][1], edges[edge][0]))
        lengths = [len(lines[edge]) for edge in order]
        points = np.concatenate([lines[edge] for edge in order]) if order else np.zeros((0, 2))
        spacing = self.request.spacing
        bounds = self._with_corner(bounds_of(centers, points, spacing), feet)
        layout = Layout(
            nodes=tuple(self.names),
            index={name: place for place, name in enumerate(self.names)},
            centers=centers,
            edges=np.array([edges[edge] for edge in order], dtype=np.int32).reshape(-1, 2),
            edge_points=points,
            edge_offsets=np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64))),
            edge_kinds=np.array([kinds[edge] for edge in order], dtype=np.uint8),
            lanes=lanes,
            ranks=ranks,
            bounds=bounds,
            direction=self.request.direction,
            spacing=spacing,
            crossings=None,
        )
        zoom = self._zoom(bounds[across + 2] - bounds[across], bounds[self.along + 2] - bounds[self.along])
        names = tuple(self.names[self.main[place]] for place in heads)
        return Columns(layout, names, zoom, tuple(extents), self.abreast)

    def _with_corner(self, bounds: Bounds, feet: Sequence[float]) -> Bounds:
        """The bounds; with several columns, including the room for the zoom buttons below the first one."""
        if len(feet) < 2 or self.along == 0:
            return bounds
        return (*bounds[:3], max(bounds[3], feet[0] + CORNER_ROOM))

    def _column(self, cards: list[int], last: int, share: float) -> Layout:
        """The layout of one column's cards; the lane below its last card is kept free if a branch leaves that card.

        `share` is the share of a search for fewer crossings that it may take.
        """
        places = {card: place for place, card in enumerate(cards)}
        parents = [tuple(places[parent] for parent in self.placed[card] if parent in places) for card in cards]
        nodes: list[Hashable] = [self.names[card] for card in cards]
        main: Hashable = self.names[last]
        if any(places[last] in above for above in parents):
            nodes.append(_PHANTOM)
            parents.append((places[last],))
            main = _PHANTOM
        request = LayoutRequest(
            Ancestry(nodes, parents), main=main, direction=self.request.direction, spacing=self.request.spacing,
            share=share,
        )  # fmt: skip
        return lay_out(request)

    def _is_beside(self, parent: int, card: int, column_of_place: NDArray[np.intp]) -> bool:
        """Whether a link of calls in rows runs beside them, in their column."""
        if parent not in self.stack_of and card not in self.stack_of:
            return False
        return bool(column_of_place[self.home[parent]] == column_of_place[self.home[card]])

    def _down_a_column(self, parent: int, card: int, start: Floats, goal: Floats, centers: Floats) -> Floats:
        """A link of calls in rows that the engine was not given; it runs past the other rows."""
        half = self.size[1 - self.along] / 2
        if card in self.stack_of:
            first = self.stack_of[card].cards[0]
            top = float(centers[first, self.along]) - self.size[self.along] / 2
            return line_in(start, goal, top, self.along, self.gap, half)
        return line_out(start, goal, self.along, self.gap, half)

    def _between(self, start: Floats, goal: Floats, gutter: float, foot: float, top: float) -> Floats:
        """The main line from the foot of a column to the head of the next."""
        points = np.array([start, start, start, goal, goal, goal])
        along, across = self.along, 1 - self.along
        points[1:3, along] = foot
        points[2:4, across] = gutter
        points[3:5, along] = top
        return points

    def _stubs(self, start: Floats, goal: Floats) -> Floats:
        """Any other link between columns: a short piece at either end."""
        points = np.array([start, start, goal, goal])
        points[1, self.along] += _STUB
        points[2, self.along] -= _STUB
        return points
