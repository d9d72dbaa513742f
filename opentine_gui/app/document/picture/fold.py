"""Makes folded pictures: the first view that fits the canvas, and the picture of any state after it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import numpy as np

from opentine_gui.app.document.picture.fold_state import FoldState
from opentine_gui.app.document.picture.folded_run import CardIndex, FoldedRun, Ints
from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.cards import Cards
from opentine_gui.core.structure.first_view import first_views
from opentine_gui.core.structure.growing import grown
from opentine_gui.core.structure.structure import Structure
from opentine_gui.layout import Direction
from opentine_gui.layout.columns import ColumnsRequest, estimated_zoom, lay_out_columns
from opentine_gui.layout.folded_graph import folded_graph
from opentine_gui.scene.space.camera import Viewport

LEAST_ZOOM = 0.6
"""The zoom at which the first view must fit the canvas."""
FOLDED_PADDING = 24.0
"""Pixels between a folded run and the canvas's edges."""
SMALLEST_ROOM = (320.0, 240.0)


class Room(NamedTuple):
    """What a picture is laid out for: the direction, and the canvas in design pixels."""

    direction: Direction
    viewport: Viewport

    @property
    def inner(self) -> tuple[float, float]:
        """The canvas without its edges."""
        return (
            max(self.viewport.width - 2 * FOLDED_PADDING, SMALLEST_ROOM[0]),
            max(self.viewport.height - 2 * FOLDED_PADDING, SMALLEST_ROOM[1]),
        )


def first_state(structure: Structure, room: Room, shown: Iterable[str] = (), pace: Pace | None = None) -> FoldState:
    """The first view of a run: as many cards as fit the canvas at a readable size; steps `shown` have cards."""
    graph = structure.graph
    positions = [graph.positions[step] for step in shown if step in graph]
    views = first_views(structure, positions, structure.side_borders(), pace=pace)
    low, high = 0, len(views) - 1
    while low < high:  # the fullest view that fits; fewer cards fit better
        middle = (low + high + 1) // 2
        if estimated_zoom(_request(structure, views[middle].borders, room)) >= LEAST_ZOOM:
            low = middle
        else:
            high = middle - 1
    while True:
        borders = views[low].borders
        made = lay_out_columns(_request(structure, borders, room))
        if made.zoom >= LEAST_ZOOM or low == 0:
            heads = tuple(str(head) for head in made.heads)
            return FoldState(
                frozenset(graph.ids[step] for step in borders), heads, made.extents, budget=views[low].cards
            )
        low -= 1


def grown_state(structure: Structure, state: FoldState) -> FoldState:
    """The state of a run that has changed: what is gone is dropped; of one that grew the last card grows with it."""
    positions, ids = structure.graph.positions, structure.graph.ids
    kept = state.kept(positions)
    opened = {one.name for one in kept.openings}.union(*(one.added for one in kept.openings))

    def at(steps: Iterable[str]) -> set[int]:
        return {positions[step] for step in steps if step in positions}

    borders, changed = grown(structure, at(kept.borders), at(opened), at(kept.heads or ()), state.budget)
    if changed:
        kept = msgspec.structs.replace(kept, borders=frozenset(ids[step] for step in borders))
    return state if kept == state else kept


def fold(structure: Structure, state: FoldState, room: Room, *, grows: bool = False) -> FoldedRun:
    """The folded run of a state. A state without heads gets those of the layout.

    Of a run that `grows` the last column is wrapped when it is longer than the others.
    """
    cards, card_of = _cards(structure, state.borders)
    made = lay_out_columns(_request_of(structure, cards, card_of, room, state, grows))
    heads = tuple(str(head) for head in made.heads)
    if state.heads is None:
        state = msgspec.structs.replace(state, heads=heads, extents=made.extents)
    elif grows and heads != state.heads:
        state = msgspec.structs.replace(state, heads=heads)
    names = tuple(structure.graph.ids[card.name] for card in cards.cards)
    layout = dataclasses.replace(made.layout, index=CardIndex(structure.graph, card_of, names))
    return FoldedRun(structure, state, cards, card_of, layout)


def _cards(structure: Structure, borders: Iterable[str]) -> tuple[Cards, Ints]:
    positions = structure.graph.positions
    cards = Cards(structure.lanes, [positions[step] for step in borders if step in positions])
    return cards, _card_of(structure, cards)


def _card_of(structure: Structure, cards: Cards) -> Ints:
    """The number of the card of every step, as `Cards.card_of`, in a tenth of its time."""
    order = np.frombuffer(structure.order, dtype=np.int64)
    numbers = np.empty(len(order), dtype=np.int64)
    for number, card in enumerate(cards.cards):
        for start, end in cards.intervals(card):
            numbers[start:end] = number
    found = np.empty(len(order), dtype=np.int64)
    found[order] = numbers
    return found


def _request(structure: Structure, borders: Iterable[int], room: Room) -> ColumnsRequest:
    cards = Cards(structure.lanes, frozenset(borders))
    return _request_of(structure, cards, _card_of(structure, cards), room, None)


def _request_of(
    structure: Structure, cards: Cards, card_of: Ints, room: Room, state: FoldState | None, grows: bool = False
) -> ColumnsRequest:
    ids = structure.graph.ids
    names = [ids[card.name] for card in cards.cards]
    sources = np.frombuffer(structure.link_sources, dtype=np.int64)
    targets = np.frombuffer(structure.link_targets, dtype=np.int64)
    graph = folded_graph(names, card_of, sources, targets)
    main = names[int(card_of[structure.main])]
    heads, extents = (state.heads, state.extents) if state is not None else (None, ())
    return ColumnsRequest(graph, main, room.inner, heads, room.direction, wraps=grows, extents=extents)
