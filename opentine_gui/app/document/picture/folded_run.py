"""A folded run as it is shown: cards that hold steps, between the run and its picture.

The picture's layout knows cards by the id of their first step, and finds the card of any step by its id, so that what
asks for "the card of this step" (search, links, proposals, presentations) needs no word about groups.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.document.picture.fold_state import FoldState, Opening
from opentine_gui.app.document.picture.unchanged_cards import UnchangedCards
from opentine_gui.core import Graph
from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.cards import Card, Cards
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.groups.group_face import group_face
from opentine_gui.layout import Layout
from opentine_gui.layout.adjust import with_pins
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.picture.frames import FRAME_ROOM, NESTED_ROOM, TAB_ROOM, tab_box
from opentine_gui.scene.picture.view import OpenGroup

Ints = NDArray[np.int64]

UNTITLED = "Opened group"
MOST_COVERED = 0.25
"""The part of a card that another one may cover where it was put, for the place to be used in a run that is opened."""


class Frame(NamedTuple):
    """An open group on the canvas: its opening, the cards in it, and the steps it has now, which may be more."""

    opening: Opening
    cards: tuple[int, ...]
    steps: int


class CardIndex(Mapping[Any, int]):
    """Step id -> the number of the card that holds the step. Iterates over the cards' names alone."""

    def __init__(self, graph: Graph, card_of: Ints, names: tuple[str, ...]) -> None:
        self._positions, self._card_of, self._names = graph.positions, card_of, names

    def __getitem__(self, step: Any) -> int:
        card = int(self._card_of[self._positions[step]])
        if card < 0:
            raise KeyError(step)
        return card

    def __iter__(self) -> Iterator[Any]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, step: object) -> bool:
        position = self._positions.get(step)  # type: ignore[call-overload]
        return position is not None and self._card_of[position] >= 0


def late_links(layout: Layout, pairs: Container[int]) -> frozenset[int]:
    """The links of a layout between pairs of nodes, spelled `source * nodes + target`."""
    count = len(layout.nodes)
    return frozenset(
        link for link, (source, target) in enumerate(layout.edges.tolist()) if source * count + target in pairs
    )


class FoldedRun:
    """The cards of a fold state and their layout; never changes. Cards are numbered in the order of steps."""

    def __init__(
        self,
        structure: Structure,
        state: FoldState,
        cards: Cards,
        card_of: Ints,
        layout: Layout,
        home: Layout | None = None,
        faces: dict[Card, CardFace] | None = None,
    ) -> None:
        """`home` is the layout without what the user moved; by default that is `layout`. `faces` are those made."""
        self.structure, self.state, self.cards, self.card_of, self.layout = structure, state, cards, card_of, layout
        self.home = layout if home is None else home
        self.faces: dict[Card, CardFace] = {} if faces is None else faces
        """The faces of groups, as far as they were asked for."""

    def group_face(self, number: int) -> CardFace:
        """The face of a group, without notes and findings about its steps; made once."""
        card = self.card(number)
        face = self.faces.get(card)
        if face is None:
            face = self.faces[card] = group_face(self.structure, card, self.steps(number))
        return face

    def glyphs(self) -> frozenset[str]:
        """The kinds whose glyphs are on the cards, of groups as far as their faces are made."""
        graph = self.graph
        found = {face.kind for face in self.faces.values()}
        for number, card in enumerate(self.cards.cards):
            if not self.is_group(number):
                kind = graph.v3_kinds.get(card.name) or graph.kinds[card.name].value
                found.add("stopped" if kind == "error" and card.name in graph.stopped else kind)
        if any(face.group is not None and face.group.answered for face in self.faces.values()):
            found.add("model")  # the agent's colour says whose work it is
        return frozenset(found)

    def make_faces(self, before: FoldedRun | None, pace: Pace) -> None:
        """Make the faces of all groups, so that no frame has to; those of another state of this fold are reused."""
        pace.at(0.0)
        _ = self.structure.work  # which the flags of cards ask for
        if before is not None and before.structure is self.structure:
            self.faces.update(before.faces)
        for number in range(len(self)):
            pace.at(0.2 + 0.8 * number / len(self))
            if self.is_group(number):
                self.group_face(number)

    def follow_faces(self, before: FoldedRun, pace: Pace) -> None:
        """For a run that changed since `before`, make the faces that `before` had; those that say the same are kept."""
        _ = self.structure.work  # which the flags of cards ask for
        made = {card.name: card for card in before.faces}
        unchanged = UnchangedCards((before.structure, before.cards), (self.structure, self.cards))
        for number, card in enumerate(self.cards.cards):
            known = made.get(card.name)
            if known is None or card.size < 2:
                continue
            if unchanged.same(known, card):
                self.faces[card] = before.faces[known]
            else:
                self.group_face(number)
            pace.at(number / len(self))

    def with_pins(self, pins: Mapping[str, tuple[float, float]]) -> FoldedRun:
        """The same with cards at the user's places, by the ids of their first steps; itself when nothing moves.

        An open group stands where its card was put, and the cards in it where they were put themselves.
        """
        if not pins and self.layout is self.home:
            return self
        home, ids = self.home, self.graph.ids
        numbers = {ids[card.name]: number for number, card in enumerate(self.cards.cards)}
        places: dict[Any, tuple[float, float]] = {}
        for frame in self.frames:
            first = numbers.get(frame.opening.name)
            if first is not None and frame.opening.name in pins:
                shift = np.array(pins[frame.opening.name]) - home.centers[first]
                for card in frame.cards:
                    x, y = (home.centers[card] + shift).tolist()
                    places[home.nodes[card]] = (x, y)
        places |= {home.nodes[numbers[step]]: point for step, point in pins.items() if step in numbers}
        layout = with_pins(home, places)
        if layout is self.layout:
            return self
        return FoldedRun(self.structure, self.state, self.cards, self.card_of, layout, home, self.faces)

    def covering(self, pins: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
        """Those of the user's places at which a card would cover another one, its own group aside."""
        home, placed = self.home, self.with_pins(pins).layout.centers
        size = np.array([home.spacing.node_width, home.spacing.node_height])
        numbers = {self.graph.ids[card.name]: number for number, card in enumerate(self.cards.cards)}
        found = {}
        for step, point in pins.items():
            if step in numbers:
                beside = np.maximum(1.0 - np.abs(placed - placed[numbers[step]]) / size, 0.0).prod(axis=1)
                beside[list(self.carried_with([numbers[step]]))] = 0.0
                if beside.max(initial=0.0) > MOST_COVERED:
                    found[step] = point
        return found

    def carried_with(self, cards: Iterable[int]) -> frozenset[int]:
        """Cards, and with the first card of an open group all others in it: it holds the group's place."""
        found = set(cards)
        for frame in self.frames:
            if any(self.graph.ids[self.card(card).name] == frame.opening.name for card in found):
                found.update(frame.cards)
        return frozenset(found)

    @property
    def graph(self) -> Graph:
        """The graph of the run."""
        return self.structure.graph

    @property
    def is_local(self) -> bool:
        """Whether only the cone of some steps is shown."""
        return bool(self.structure.seeds)

    def __len__(self) -> int:
        return len(self.cards.cards)

    def card(self, number: int) -> Card:
        """One card."""
        return self.cards.cards[number]

    def steps(self, number: int) -> list[int]:
        """The steps of a card in the order of steps, those of absorbed branches left out."""
        order = self.structure.lanes.order
        return [step for start, end in self.card(number).parts for step in order[start:end]]

    def all_steps(self, number: int) -> list[int]:
        """The steps of a card, those of absorbed branches last."""
        return list(self.cards.steps(self.card(number)))

    def is_group(self, number: int) -> bool:
        """Whether a card holds several steps."""
        return self.card(number).size > 1

    def shown_step(self, number: int) -> int:
        """The step a click on a card selects: the only one, or the one a group ends with, where it would go on."""
        card = self.card(number)
        if card.sort in ("span", "lane") and card.stop > card.first:
            return self.structure.lanes.lanes[card.lane].elements[card.stop - 1]
        _, end = card.parts[-1]
        return self.structure.lanes.order[end - 1]

    @cached_property
    def first_steps(self) -> Ints:
        """The position of each card's first step."""
        return np.array([card.name for card in self.cards.cards], dtype=np.int64)

    @cached_property
    def late_links(self) -> frozenset[int]:
        """The links of the layout that stand for nothing but asynchronous joins."""
        late = self.structure.late
        if not late:
            return frozenset()
        count = len(self)
        pairs = {int(self.card_of[parent]) * count + int(self.card_of[step]) for parent, step in late}
        sources = np.frombuffer(self.structure.link_sources, dtype=np.int64)
        targets = np.frombuffer(self.structure.link_targets, dtype=np.int64)
        links = self.card_of[sources] * count + self.card_of[targets]
        for link in np.flatnonzero(np.isin(links, list(pairs))).tolist():
            if (int(sources[link]), int(targets[link])) not in late:
                pairs.discard(int(links[link]))
        return late_links(self.layout, pairs)

    def holding(self, steps: Ints) -> Ints:
        """The cards, ascending, that hold one of some steps."""
        cards, held = self.card_of[steps], np.zeros(len(self), dtype=bool)
        held[cards[cards >= 0]] = True
        return np.flatnonzero(held)

    def lit(self, steps: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The cards that hold one of the steps with a 1."""
        found = np.zeros(len(self), dtype=np.uint8)
        found[self.holding(np.flatnonzero(steps))] = 1
        return found

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """The open groups with the cards in them, outer ones before the groups opened in them."""
        found = []
        for opening in self.state.openings:
            inside, steps = self._inside(opening)
            if len(inside) > 1:
                found.append(Frame(opening, inside, steps))
        return tuple(sorted(found, key=lambda frame: -len(frame.cards)))

    @cached_property
    def open_groups(self) -> tuple[OpenGroup, ...]:
        """The frames around open groups, for the picture; inner ones are drawn nearer to their cards."""
        found = []
        centers, spacing = self.layout.centers, self.layout.spacing
        for depth, frame in enumerate(self.frames):
            nested = sum(set(frame.cards) > set(other.cards) for other in self.frames[depth + 1 :])
            room = FRAME_ROOM + NESTED_ROOM * min(nested, 3)
            # The tabs of groups that begin at one card stand one above the other.
            tabs = sum(other.cards[0] == frame.cards[0] for other in self.frames[depth + 1 :])
            low, high = centers[list(frame.cards)].min(axis=0), centers[list(frame.cards)].max(axis=0)
            half_width, half_height = spacing.node_width / 2 + room, spacing.node_height / 2 + room
            bounds = (
                float(low[0]) - half_width,
                float(low[1]) - half_height - TAB_ROOM * tabs,
                float(high[0]) + half_width,
                float(high[1]) + half_height,
            )
            found.append(OpenGroup(bounds, frame.opening.title, frame.steps))
        return tuple(found)

    def groups_shown(self, hides: bool) -> tuple[OpenGroup, ...]:
        """`open_groups`; where secrets are hidden without their titles, which may be of words that were cut in two."""
        groups = self.open_groups
        return groups if not hides else tuple(group._replace(title=UNTITLED) for group in groups)

    def opening_at(self, x: float, y: float, zoom: float) -> Opening | None:
        """The open group whose tab lies at a world point, or None."""
        for frame, group in zip(reversed(self.frames), reversed(self.open_groups), strict=True):
            left, top, right, bottom = tab_box(group, zoom)
            if left <= x <= right and top <= y <= bottom:
                return frame.opening
        return None

    def _inside(self, opening: Opening) -> tuple[tuple[int, ...], int]:
        """The cards that stand where a group stood before it was opened, and how many steps it would have now."""
        positions, place = self.graph.positions, self.structure.lanes.place
        if opening.name not in positions:
            return (), 0
        gone = [one for one in self.state.openings if one is opening or self._follows(one, opening)]
        borders = self.state.borders.difference(*(one.added for one in gone))
        before = Cards(self.structure.lanes, [positions[step] for step in borders if step in positions])
        name = positions[opening.name]
        at = place[name]
        for card in before.cards:
            intervals = before.intervals(card)
            if any(start <= at < end for start, end in intervals):
                inside = [
                    number
                    for number, other in enumerate(self.cards.cards)
                    if any(start <= place[other.name] < end for start, end in intervals)
                ]
                return tuple(inside), card.size
        return (), 0

    def _follows(self, one: Opening, other: Opening) -> bool:
        openings = self.state.openings
        return openings.index(one) > openings.index(other)

    def openings_inside(self, opening: Opening) -> list[Opening]:
        """An opening and those made inside it later: what is taken back together."""
        inside = {self.card(number).name for number in self._inside(opening)[0]}
        positions = self.graph.positions
        return [
            one
            for one in self.state.openings
            if one is opening or (self._follows(one, opening) and positions.get(one.name) in inside)
        ]

    def trail(self, number: int) -> tuple[Opening, ...]:
        """The open groups around a card, the outermost first."""
        return tuple(frame.opening for frame in self.frames if number in frame.cards)
