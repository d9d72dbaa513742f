"""Makes folded pictures: the first view that fits the canvas, and the picture of any state after it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import numpy as np

from opentine_gui.app.document.picture.fold_state import FoldState
from opentine_gui.app.document.picture.folded_run import CardIndex, FoldedRun, Ints
from opentine_gui.core import Graph
from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.cards import Cards, enclosed
from opentine_gui.core.structure.cone import is_outside
from opentine_gui.core.structure.first_view import View, first_views, is_long
from opentine_gui.core.structure.growing import grown
from opentine_gui.core.structure.openings import Openings
from opentine_gui.core.structure.structure import Structure
from opentine_gui.layout import Direction, Spacing
from opentine_gui.layout.adjust import with_room_above, with_room_for_frames
from opentine_gui.layout.batch.strands import longest_paths
from opentine_gui.layout.columns.columns import estimated_zoom, lay_out_columns
from opentine_gui.layout.columns.request import CORNER_ROOM, FOLDED_SPACING, Columns, ColumnsRequest
from opentine_gui.layout.folded_graph import folded_graph
from opentine_gui.scene.card.card_flags import FLAGS_BETWEEN
from opentine_gui.scene.picture.frames import FRAME_ROOM, tab_room
from opentine_gui.scene.space.camera import Viewport

LEAST_ZOOM = 0.6
"""The zoom at which the first view must fit the canvas."""
STRAIGHT_ZOOM, SHORT_ZOOM = 0.6, 0.4
"""Zooms that a short run needs: below the first it is wrapped into columns, one card per step; below the second its
steps are put into groups, as in a long run."""
TRIES_IN_ORDER = 4
"""Views tried one after the other if the estimate was too optimistic; after that the range left is halved each time."""
FOLDED_PADDING, STRAIGHT_PADDING = 24.0, 48.0
"""Pixels between a folded run and the canvas's edges, and the same of a run that is not folded."""
SMALLEST_ROOM = (320.0, 240.0)


class Room(NamedTuple):
    """What a picture is laid out for: the direction, and the canvas in design pixels."""

    direction: Direction
    viewport: Viewport

    @property
    def inner(self) -> tuple[float, float]:
        """The canvas without its edges, and without the foot of wide controls."""
        return (
            max(self.viewport.width - 2 * FOLDED_PADDING, SMALLEST_ROOM[0]),
            max(self.viewport.above_foot.height - 2 * FOLDED_PADDING, SMALLEST_ROOM[1]),
        )


MOST_UNFOLDED_CONE = 2_000
"""Most steps of a cone that is shown one card per step; a larger one is folded."""


def unfolded_state(structure: Structure) -> FoldState | None:
    """The state in which every step of a local view has a card; None if it has too many."""
    inside = [step for step in structure.order if not is_outside(structure.sides, step)]
    if len(inside) > MOST_UNFOLDED_CONE:
        return None
    ids = structure.graph.ids
    borders = enclosed(structure.lanes, {*inside, *structure.side_borders()})
    return FoldState(frozenset(ids[step] for step in borders), budget=len(inside))


def overflows(graph: Graph, room: Room) -> bool:
    """Whether the longest branch of a run, one card below the other, is too long to be read on the canvas whole."""
    along = 0 if room.direction is Direction.LEFT_TO_RIGHT else 1
    spacing = Spacing()
    size, gap = spacing[along], spacing[2 + along]
    cards = max(longest_paths(graph.parents), default=0) + 1
    return (cards * (size + gap) - gap) * STRAIGHT_ZOOM > room.viewport[along] - 2 * STRAIGHT_PADDING


def short_state(structure: Structure, room: Room) -> FoldState | None:
    """The state in which every step has a card, in columns; None if these do not fit the canvas at a readable size."""
    state = unfolded_state(structure)
    if state is None:
        return None
    made = lay_out_columns(_request(structure, map(structure.graph.positions.__getitem__, state.borders), room))
    return state if made.zoom >= SHORT_ZOOM else None


def first_state(
    structure: Structure,
    room: Room,
    shown: Iterable[str] = (),
    alone: Iterable[str] = (),
    *,
    pace: Pace | None = None,
) -> FoldState:
    """The first view of a run: as many cards as fit the canvas at a readable size.

    Steps that are `shown` have a card with the calls of their round, those `alone` one of their own.
    """
    graph = structure.graph
    positions = [graph.positions[step] for step in shown if step in graph]
    views = first_views(structure, positions, _borders_around(structure, alone), pace=pace)
    low, high = 0, len(views) - 1
    while low < high:  # the fullest view that fits; fewer cards fit better
        middle = (low + high + 1) // 2
        if estimated_zoom(_request(structure, views[middle].borders, room)) >= LEAST_ZOOM:
            low = middle
        else:
            high = middle - 1
    at, most, made = low, low, _laid_out(structure, views[low], room)
    least = 0  # the fullest view that is known to fit; the first one is taken whatever it needs
    while at > least and made.zoom < LEAST_ZOOM:
        most = at - 1
        at = most if low - most < TRIES_IN_ORDER else (least + most) // 2
        made = _laid_out(structure, views[at], room)
    while at < most:  # found by halving: fuller ones may fit as well
        middle = (at + most + 1) // 2
        fuller = _laid_out(structure, views[middle], room)
        if fuller.zoom >= LEAST_ZOOM:
            at, made = middle, fuller
        else:
            most = middle - 1
    heads = tuple(str(head) for head in made.heads)
    borders = frozenset(graph.ids[step] for step in views[at].borders)
    return FoldState(borders, heads, made.extents, abreast=made.abreast, budget=views[at].cards)


def _laid_out(structure: Structure, view: View, room: Room) -> Columns:
    return lay_out_columns(_request(structure, view.borders, room))


def grown_state(structure: Structure, state: FoldState, alone: Iterable[str] = ()) -> FoldState:
    """The state of a run that has changed: what is gone is dropped; if the run grew, the last card grows with it.

    The steps `alone` keep cards of their own: what came after the last step would be put on the card that it had.
    """
    positions, ids = structure.graph.positions, structure.graph.ids
    alone = [step for step in alone if step in positions]
    kept = state.kept(positions)
    opened = {one.name for one in kept.openings}.union(*(one.added for one in kept.openings))

    def at(steps: Iterable[str]) -> set[int]:
        return {positions[step] for step in steps if step in positions}

    between = enclosed(structure.lanes, _borders_around(structure, alone))  # a step that came may part sides
    borders, changed = grown(
        structure, at(kept.borders) | between, at((*opened, *alone)) | between, at(kept.heads or ()), state.budget
    )
    if changed or not between <= at(kept.borders):
        kept = msgspec.structs.replace(kept, borders=frozenset(ids[step] for step in borders))
    return state if kept == state else kept


def step_by_step_state(structure: Structure, state: FoldState, before: FoldedRun | None) -> FoldState | None:
    """The state of a short run that changed, where every step had a card `before` and has one still; else None.

    If steps are gone, as after undo, the columns are made anew, and come out as they were before the edit.
    """
    if before is None or len(before) != len(before.graph) or is_long(len(structure.graph)):
        return None
    now = unfolded_state(structure)
    if len(structure.graph) < len(before.graph):
        return now
    kept = state.kept(structure.graph.positions)
    return now and msgspec.structs.replace(kept, borders=now.borders, budget=now.budget)


def inherited_state(structure: Structure, state: FoldState, shown: Iterable[str]) -> FoldState:
    """The state of a run made of one with this state: it looks as that does, with `shown` on cards of their own."""
    positions, ids = structure.graph.positions, structure.graph.ids
    kept = state.kept(positions)
    borders = {positions[step] for step in kept.borders} | _borders_around(structure, shown)
    return msgspec.structs.replace(kept, borders=frozenset(ids[step] for step in enclosed(structure.lanes, borders)))


def _borders_around(structure: Structure, alone: Iterable[str]) -> set[int]:
    """The borders between the sides of a comparison, and those that leave the steps `alone` on their cards."""
    positions, openings = structure.graph.positions, Openings(structure)
    seen = [positions[step] for step in alone if step in positions and not is_outside(structure.sides, positions[step])]
    return set(structure.side_borders()).union(*map(openings.alone, seen))


def fold(
    structure: Structure, state: FoldState, room: Room, *, grows: bool = False, tagged: Iterable[str] = ()
) -> FoldedRun:
    """The folded run of a state. A state without heads gets those of the layout.

    Above the cards of `tagged` steps there is room for a flag beside those that hang below the card above.
    Of a run that `grows` the last column is wrapped when it is longer than the others, and all of them when they
    hold little.
    """
    cards, card_of = _cards(structure, state.borders)
    made = lay_out_columns(_request_of(structure, cards, card_of, room, state, grows))
    heads = tuple(str(head) for head in made.heads)
    if state.heads is None:
        state = msgspec.structs.replace(state, heads=heads, extents=made.extents, abreast=made.abreast)
    elif grows and heads != state.heads:
        extents = state.extents if heads[: len(state.heads)] == state.heads else made.extents  # they may be made anew
        state = msgspec.structs.replace(state, heads=heads, extents=extents)
    names = tuple(structure.graph.ids[card.name] for card in cards.cards)
    layout = dataclasses.replace(made.layout, index=CardIndex(structure.graph, card_of, names))
    folded = FoldedRun(structure, state, cards, card_of, layout)
    above = Counter(frame.cards[0] for frame in folded.frames)
    rooms = {card: tab_room(count) for card, count in above.items()}
    for step in tagged:
        card = int(card_of[structure.graph.positions[step]]) if step in structure.graph.positions else -1
        if card >= 0:
            rooms[card] = rooms.get(card, 0.0) + FLAGS_BETWEEN - FOLDED_SPACING.row_gap
    # There is nothing above the cards at which columns begin, all at one height.
    tops = layout.centers[:, 1]
    rooms = {card: units for card, units in rooms.items() if tops[card] > tops.min()}
    if not rooms and not folded.frames:
        return folded
    roomy = with_room_above(layout, rooms, made.begins, CORNER_ROOM)
    apart = with_room_for_frames(roomy, [frame.cards for frame in reversed(folded.frames)], FRAME_ROOM)
    return folded if apart is layout else FoldedRun(structure, state, cards, card_of, apart)


def _cards(structure: Structure, borders: Iterable[str]) -> tuple[Cards, Ints]:
    positions = structure.graph.positions
    return _shown(structure, Cards(structure.lanes, [positions[step] for step in borders if step in positions]))


def _shown(structure: Structure, cards: Cards) -> tuple[Cards, Ints]:
    """The cards that are shown, numbered, and the card of every step."""
    cards.cards = structure.visible(cards.cards)
    return cards, _card_of(structure, cards)


def _card_of(structure: Structure, cards: Cards) -> Ints:
    """The number of the card of every step, as `Cards.card_of`, in a tenth of its time; -1 outside a local view."""
    order = np.frombuffer(structure.order, dtype=np.int64)
    numbers = np.full(len(order), -1, dtype=np.int64)
    for number, card in enumerate(cards.cards):
        for start, end in cards.intervals(card):
            numbers[start:end] = number
    found = np.empty(len(order), dtype=np.int64)
    found[order] = numbers
    return found


def _request(structure: Structure, borders: Iterable[int], room: Room) -> ColumnsRequest:
    return _request_of(structure, *_shown(structure, Cards(structure.lanes, frozenset(borders))), room, None)


def _request_of(
    structure: Structure, cards: Cards, card_of: Ints, room: Room, state: FoldState | None, grows: bool = False
) -> ColumnsRequest:
    ids = structure.graph.ids
    names = [ids[card.name] for card in cards.cards]
    sources = np.frombuffer(structure.link_sources, dtype=np.int64)
    targets = np.frombuffer(structure.link_targets, dtype=np.int64)
    graph = folded_graph(names, card_of, sources, targets)
    main = names[int(card_of[structure.main])]
    heads, extents, abreast = (state.heads, state.extents, state.abreast) if state is not None else (None, (), 0)
    return ColumnsRequest(graph, main, room.inner, heads, room.direction, wraps=grows, extents=extents, abreast=abreast)
