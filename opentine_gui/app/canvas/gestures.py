"""The pointer gestures, one class each: what happens while a button is held down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from opentine_gui.app.state.commands import Point
from opentine_gui.app.state.pointer_state import PulledLine, ToolState

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document

DRAG_PIXELS = 4.0
"""A press that moves less than this is a click."""

SAME_STEP = "A step cannot be merged with itself."
RESTS_ON = "One of the two already rests on the other, so there is nothing to merge."


class GestureHost(Protocol):
    """What gestures use of the canvas tools that started them."""

    def hit(self, document: Document, x: float, y: float) -> int | None:
        """The card under a pixel of the canvas, or None."""

    def invoke(self, action_id: str, /, **arguments: object) -> None:
        """Hand an action to the session."""


class Gesture:
    """A gesture; it started with a press at the pixel `x`, `y`."""

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y
        self.far = False

    def dragged(self, x: float, y: float) -> bool:
        """True as soon as the pointer has moved far enough to make it a drag; stays True."""
        self.far = self.far or abs(x - self.x) > DRAG_PIXELS or abs(y - self.y) > DRAG_PIXELS
        return self.far

    def button(self, released: str) -> str:
        """The button whose release ends it, given the one released: any but the right one."""
        return "left" if released == "right" else released

    def begun(self, _tools: GestureHost, _document: Document, state: ToolState) -> ToolState:
        """The tool state when it starts."""
        return state

    def moved(
        self, _tools: GestureHost, _document: Document, _x: float, _y: float, _world: Point, state: ToolState
    ) -> ToolState:
        """The tool state after a pointer move."""
        return state

    def followed(self, _document: Document, state: ToolState) -> ToolState | None:
        """The tool state in a picture with other cards, among which its own are found again; None if they are gone."""
        return state

    def released(self, _tools: GestureHost, _document: Document, _x: float, _y: float, _world: Point) -> None:
        """The button was released."""


def card_called(document: Document, name: str) -> int | None:
    """The card that `ShownPicture.pin_of` calls this, in the picture as it is now; None if there is none.

    A picture may get other cards while a button is held down: a group opens, a session grows, an edit is undone.
    """
    name = document.present_id(name)
    card = document.picture.index_of(name)
    return card if card is not None and document.picture.pin_of(card) == name else None


class Pan(Gesture):
    """Pans the picture; without movement it is a click on the background."""

    def __init__(self, x: float, y: float, *, click_selects_none: bool = False) -> None:
        super().__init__(x, y)
        self.click_selects_none = click_selects_none
        self.last: Point | None = None

    def moved(
        self, tools: GestureHost, _document: Document, x: float, y: float, _world: Point, state: ToolState
    ) -> ToolState:
        """Pan by the pointer's way since the last event."""
        if not self.dragged(x, y):
            return state
        last_x, last_y = self.last or (self.x, self.y)
        self.last = (x, y)
        if (x, y) != (last_x, last_y):
            tools.invoke("view.pan", dx=x - last_x, dy=y - last_y)
        return replace(state, cursor="grab", edge=None)

    def released(self, tools: GestureHost, _document: Document, x: float, y: float, _world: Point) -> None:
        """Clear the selection after a click on the background."""
        if self.click_selects_none and not self.dragged(x, y):
            tools.invoke("select.none")


class SelectBox(Gesture):
    """Draws a box from a world point; every card it touches is added to the selection."""

    def __init__(self, x: float, y: float, start: Point) -> None:
        super().__init__(x, y)
        self.start = start

    def moved(
        self, _tools: GestureHost, _document: Document, x: float, y: float, world: Point, state: ToolState
    ) -> ToolState:
        """Draw the box."""
        return replace(state, box=(*self.start, *world), cursor="box") if self.dragged(x, y) else state

    def released(self, tools: GestureHost, _document: Document, x: float, y: float, world: Point) -> None:
        """Select the cards it touches."""
        if self.dragged(x, y):
            tools.invoke("select.box", rect=(*self.start, *world), add=True)


class PressedCard(Gesture):
    """A press on a card: a click selects it, a drag becomes `MoveCards`."""

    def __init__(self, x: float, y: float, document: Document, index: int, shift: bool) -> None:
        super().__init__(x, y)
        self.index, self.shift = index, shift
        self.name = document.picture.pin_of(index)

    def followed(self, document: Document, state: ToolState) -> ToolState | None:
        """Find the card again."""
        card = card_called(document, self.name)
        self.index = card if card is not None else -1
        return state if card is not None else None

    def released(self, tools: GestureHost, document: Document, _x: float, _y: float, _world: Point) -> None:
        """Select the card, or with Shift add it to the selection or remove it."""
        step = document.picture.step_id(self.index)
        tools.invoke("select.add" if self.shift else "select.step", step=step)


class MoveCards(Gesture):
    """Moves cards: only drawn elsewhere while it lasts, one undoable edit when it ends."""

    def __init__(self, x: float, y: float, document: Document, cards: frozenset[int]) -> None:
        super().__init__(x, y)
        self.names = tuple([document.picture.pin_of(card) for card in sorted(cards)])
        self._take(document, cards)

    def _take(self, document: Document, cards: frozenset[int]) -> None:
        """Take these cards, and those that come along because their group does and get no place of their own."""
        fold = document.picture.fold
        self.chosen = cards if fold is None else cards | fold.carried_with(cards)
        self.carried = self.chosen - cards

    def followed(self, document: Document, state: ToolState) -> ToolState | None:
        """Find the cards again; one that is gone, or is held by another card now, ends it."""
        cards = [card_called(document, name) for name in self.names]
        if None in cards:
            return None
        self._take(document, frozenset(card for card in cards if card is not None))
        return replace(state, moved=self.chosen) if state.moved else state

    def offset(self, document: Document, x: float, y: float) -> Point:
        """The way of the cards from their place, in world units."""
        zoom = document.picture.camera.zoom if document.picture.camera else 1.0
        return ((x - self.x) / zoom, (y - self.y) / zoom)

    def moved(
        self, _tools: GestureHost, document: Document, x: float, y: float, _world: Point, state: ToolState
    ) -> ToolState:
        """Draw the cards where they would be put."""
        return replace(state, moved=self.chosen, offset=self.offset(document, x, y), cursor="move", edge=None)

    def released(self, tools: GestureHost, document: Document, x: float, y: float, _world: Point) -> None:
        """Move all of them in one command."""
        dx, dy = self.offset(document, x, y)
        layout = document.picture.layout
        if layout is None or (dx, dy) == (0.0, 0.0):
            return
        placed = document.state.placed(document.direction, document.is_folded) if document.state is not None else {}
        pins = {
            document.picture.pin_of(index): (float(layout.centers[index][0]) + dx, float(layout.centers[index][1]) + dy)
            for index in sorted(self.chosen)
            if index not in self.carried or document.picture.pin_of(index) in placed
        }
        tools.invoke("canvas.move_steps", pins=pins)


class PullLine(Gesture):
    """Pulls a line out of a card's trailing edge: dropped on the background it forks, on another card it merges."""

    def __init__(self, x: float, y: float, document: Document, source: int) -> None:
        super().__init__(x, y)
        self.source, self.name = source, document.picture.pin_of(source)
        self.reasons: Mapping[int, str] = {}

    def followed(self, document: Document, state: ToolState) -> ToolState | None:
        """Find the card again, and those the line cannot be dropped on; it ends nowhere until the pointer moves."""
        source = card_called(document, self.name)
        if source is None:
            return None
        self.source, line = source, state.line
        self._find_refused(document)
        if line is None:
            return state
        return replace(state, line=PulledLine(source, line.point), refused=self.reasons, hint="")

    def begun(self, _tools: GestureHost, document: Document, state: ToolState) -> ToolState:
        """Find the cards the line cannot be dropped on."""
        self._find_refused(document)
        return replace(state, cursor="pull")

    def _find_refused(self, document: Document) -> None:
        """Those are the step itself, its ancestors and descendants."""
        record = document.picture.record
        if record is not None:
            graph, fold = record.graph, document.picture.fold
            source = self.source if fold is None else fold.shown_step(self.source)
            related = {*graph.closure([source], causal=False), *graph.descendants([source])}
            if fold is not None:  # a line ends at the step that a group ends with
                related = {card for card in range(len(fold)) if fold.shown_step(card) in related}
            self.reasons = {index: SAME_STEP if index == self.source else RESTS_ON for index in related}

    def moved(
        self, tools: GestureHost, document: Document, x: float, y: float, world: Point, state: ToolState
    ) -> ToolState:
        """Draw the line and a hint of what releasing the button does."""
        if not self.dragged(x, y):
            return state
        target = tools.hit(document, x, y)
        refusal = self.reasons.get(target, "") if target is not None else ""
        hint = refusal or ("Fork from here" if target is None else "Merge these two")
        line = PulledLine(self.source, world, target, refusal)
        return replace(state, line=line, refused=self.reasons, hint=hint, cursor="pull", edge=None)

    def released(self, tools: GestureHost, document: Document, x: float, y: float, _world: Point) -> None:
        """Propose the fork or the merge, which says why if it is refused. A click selects the card."""
        step = document.picture.step_id(self.source)
        if not self.dragged(x, y):
            tools.invoke("select.step", step=step)
            return
        target = tools.hit(document, x, y)
        if target is None:
            tools.invoke("run.fork", step=step)
        elif target == self.source:
            return
        else:
            tools.invoke("run.merge", steps=(step, document.picture.step_id(target)))


class MiniMapDrag(Gesture):
    """Drags the view on the minimap."""
