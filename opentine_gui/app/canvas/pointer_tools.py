"""The canvas tools: a state machine that turns pointer events into actions and says what to draw meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from opentine_gui.app.canvas.gestures import (
    Gesture,
    MiniMapDrag,
    MoveCards,
    Pan,
    PressedCard,
    PullLine,
    SelectBox,
)
from opentine_gui.app.state.pointer_state import Cursor, PointerEvent, ToolState
from opentine_gui.layout import Direction
from opentine_gui.scene.picture.link_hit import link_at
from opentine_gui.scene.space.camera import to_world

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session
    from opentine_gui.scene.space.scene_index import SceneIndex

ZOOM_A_NOTCH = 1.15
SIDEWAYS_A_NOTCH = 90.0
EDGE_PIXELS = 12.0
"""Thickness of the zone at a card's trailing edge from which a line is pulled, in pixels."""
BESIDE_PIXELS = 7.0
"""How far that zone reaches beyond the card, in pixels."""
LINK_PIXELS = 5.0
"""How near to a link a right press may be."""
SMALLEST_CARD = 14.0
"""Pixels: smaller cards have no such zone. The demo run, shown whole in a window of 1000 by 700, has cards of 15."""


class CanvasTools:
    """Turns pointer events into actions. `state` is what the canvas draws during a gesture."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._gesture: Gesture | None = None
        self.state = ToolState()

    @property
    def busy(self) -> bool:
        """True during a gesture: events outside the canvas belong to it as well."""
        return self._gesture is not None

    def handle(self, event: PointerEvent) -> None:
        """Process one event."""
        document = self._session.active
        if document is None or document.picture.layout is None or document.picture.camera is None:
            self.cancel()
            return
        if event.kind == "leave":
            self.leave()
            return
        if event.area == "minimap":
            self._minimap(event)
            return
        if event.kind == "wheel":
            self._wheel(event)
        elif event.kind == "press":
            self._press(document, event)
        elif event.kind == "move":
            self._move(document, event)
        elif event.kind == "release":
            self._release(document, event)
        elif event.kind == "double":
            self._double(document, event)

    def leave(self) -> None:
        """The pointer left the canvas: no card is hovered any more, but a gesture goes on."""
        document = self._session.active
        if document is not None and document.picture.hovered is not None:
            document.picture.hovered = None
            self._session.touch()
        self._show(replace(self.state, cursor="arrow", edge=None))

    def cancel(self) -> None:
        """Cancel the gesture without effect."""
        self._gesture = None
        self._show(ToolState())

    def follow(self, document: Document) -> None:
        """The document's picture has other cards: go on with those that were in hand, or cancel if they are gone."""
        if document is not self._session.active:
            return
        state = replace(self.state, edge=None, cursor="arrow" if self.state.cursor == "pull" else self.state.cursor)
        if self._gesture is not None:
            followed = self._gesture.followed(document, replace(self.state, edge=None))
            if followed is None:
                self.cancel()
                return
            state = followed
        self._show(state)

    # --- events ----------------------------------------------------------------------------------------------------

    def _press(self, document: Document, event: PointerEvent) -> None:
        if self._gesture is not None:  # a second button cancels it; so does the same one: its release was lost
            self.cancel()
            if event.button == "right":
                return
        if event.button == "middle" or (event.button == "left" and event.space):
            self._begin(Pan(event.x, event.y))
            return
        if event.button == "left" and document.picture.fold is not None:
            opening = document.picture.fold.opening_at(
                *self.world(document, event), document.picture.camera.zoom if document.picture.camera else 1.0
            )
            if opening is not None:
                self._session.invoke("fold.close", name=opening.name, steps=opening.steps)
                return
        hit = self.hit(document, event.x, event.y)
        if event.button == "right":
            self._context(document, event, hit)
            return
        edge = self.edge_at(document, event.x, event.y)
        if edge is not None and not event.shift:
            self._begin(PullLine(event.x, event.y, document, edge))
        elif hit is not None:
            self._begin(PressedCard(event.x, event.y, document, hit, event.shift))
        elif event.shift:
            self._begin(SelectBox(event.x, event.y, self.world(document, event)))
        else:
            self._begin(Pan(event.x, event.y, click_selects_none=True))

    def _move(self, document: Document, event: PointerEvent) -> None:
        gesture = self._gesture
        if gesture is None:
            self._hover(document, event)
            return
        world = self.world(document, event)
        if isinstance(gesture, PressedCard) and gesture.dragged(event.x, event.y):
            # Where several runs are shown, or a part of one, no card can be moved: a drag on a card pans, too.
            pan = Pan(gesture.x, gesture.y)
            fixed = document.members is not None or document.folding.is_local
            gesture = self._gesture = pan if fixed else self._move_cards(document, gesture)
        self._show(gesture.moved(self, document, event.x, event.y, world, self.state))

    def _release(self, document: Document, event: PointerEvent) -> None:
        gesture = self._gesture
        if gesture is None or event.button != gesture.button(event.button):
            return
        self._gesture = None
        gesture.released(self, document, event.x, event.y, self.world(document, event))
        self._show(ToolState())
        self._hover(document, event)

    def _double(self, document: Document, event: PointerEvent) -> None:
        hit = self.hit(document, event.x, event.y)
        if event.button == "left" and hit is not None:
            self._gesture = None
            self._show(ToolState())
            if document.picture.fold is not None and document.picture.fold.is_group(hit):
                self._session.invoke("fold.open", step=document.picture.step_id(hit))
                return
            self._session.invoke("inspect.read", step=document.picture.step_id(hit), reading=True)

    def _wheel(self, event: PointerEvent) -> None:
        if event.shift:
            self._session.invoke("view.pan", dx=event.wheel * SIDEWAYS_A_NOTCH, dy=0.0)
        else:
            self._session.invoke("view.zoom", factor=ZOOM_A_NOTCH**event.wheel, x=event.x, y=event.y)

    def _minimap(self, event: PointerEvent) -> None:
        if event.kind == "release":
            self._gesture = None
        elif event.kind == "wheel":
            self._session.invoke("view.zoom", factor=ZOOM_A_NOTCH**event.wheel)
        elif event.kind == "press" and event.button == "right":
            self._session.open_context_menu("minimap", event.x, event.y)
        elif event.world is not None and (
            (event.kind == "press" and event.button == "left")
            or (event.kind == "move" and isinstance(self._gesture, MiniMapDrag))
        ):
            self._gesture = MiniMapDrag(event.x, event.y)
            self._session.invoke("view.center", x=event.world[0], y=event.world[1])

    # --- hit testing ------------------------------------------------------------------------------------------------

    def world(self, document: Document, event: PointerEvent) -> tuple[float, float]:
        """The world point under an event."""
        if document.picture.camera is None:
            return (0.0, 0.0)
        return to_world(document.picture.camera, self._session.viewport, event.x, event.y)

    def hit(self, document: Document, x: float, y: float) -> int | None:
        """The card under a pixel of the canvas, or None."""
        if document.picture.camera is None or document.picture.scene_index is None:
            return None
        return _topmost(
            document, document.picture.scene_index, *to_world(document.picture.camera, self._session.viewport, x, y)
        )

    def edge_at(self, document: Document, x: float, y: float) -> int | None:
        """The card whose trailing edge (lower, or right in a left-to-right layout) lies under a pixel."""
        layout, camera, index = document.picture.layout, document.picture.camera, document.picture.scene_index
        if layout is None or camera is None or index is None:
            return None
        sideways = layout.direction is Direction.LEFT_TO_RIGHT
        thickness = layout.spacing.node_width if sideways else layout.spacing.node_height
        if thickness * camera.zoom < SMALLEST_CARD:
            return None
        world_x, world_y = to_world(camera, self._session.viewport, x, y)
        beside = BESIDE_PIXELS / camera.zoom
        card = _topmost(document, index, world_x, world_y)
        if card is None:
            card = index.hit(world_x - beside, world_y) if sideways else index.hit(world_x, world_y - beside)
        if card is None:
            return None
        center = layout.centers[card][0 if sideways else 1]
        inward = min(EDGE_PIXELS / camera.zoom, thickness * 0.3)
        edge = float(center) + thickness / 2
        return card if edge - inward <= (world_x if sideways else world_y) <= edge + beside else None

    def link_at(self, document: Document, x: float, y: float) -> tuple[int, int] | None:
        """The cards at both ends of the link under a pixel; None where links are too close together to be told."""
        layout, camera, index = document.picture.layout, document.picture.camera, document.picture.scene_index
        if layout is None or camera is None or index is None:
            return None
        if min(layout.spacing.node_width, layout.spacing.node_height) * camera.zoom < SMALLEST_CARD:
            return None
        world_x, world_y = to_world(camera, self._session.viewport, x, y)
        link = link_at(layout, index, world_x, world_y, LINK_PIXELS / camera.zoom)
        return None if link is None else (int(layout.edges[link][0]), int(layout.edges[link][1]))

    # --- effects ---------------------------------------------------------------------------------------------------

    def invoke(self, action_id: str, /, **arguments: object) -> None:
        """Hand an action to the session."""
        self._session.invoke(action_id, **arguments)

    def _begin(self, gesture: Gesture) -> None:
        self._gesture = gesture
        document = self._session.active
        if document is not None:
            self._show(gesture.begun(self, document, self.state))

    def _move_cards(self, document: Document, pressed: PressedCard) -> MoveCards:
        chosen = document.selected_indices
        if pressed.index not in chosen:
            self._session.invoke("select.step", step=document.picture.step_id(pressed.index))
            chosen = frozenset({pressed.index})
        return MoveCards(pressed.x, pressed.y, document, chosen)

    def _context(self, document: Document, event: PointerEvent, hit: int | None) -> None:
        if hit is None:
            link = self.link_at(document, event.x, event.y)
            if link is None:
                self._session.open_context_menu("canvas", event.x, event.y)
                return
            parent, child = document.picture.step_id(link[0]), document.picture.step_ids(link[1])[0]
            self._session.open_context_menu("edge", event.x, event.y, parent=parent, child=child)
            return
        step = document.picture.step_id(hit)
        if step not in document.selection:
            self._session.invoke("select.step", step=step)
        self._session.open_context_menu("step", event.x, event.y, step=step)

    def _hover(self, document: Document, event: PointerEvent) -> None:
        picture = document.picture
        edge = self.edge_at(document, event.x, event.y)
        hit = self.hit(document, event.x, event.y)
        if picture.fold is not None and picture.camera is not None:
            at = picture.fold.opening_at(*self.world(document, event), picture.camera.zoom)
            if at is not None:  # a tab is pressed, not the card under it
                picture.hovered = None
                self._show(replace(self.state, cursor="hand", edge=None))
                return
        hovered = hit if hit is not None else edge
        if hovered != picture.hovered:
            picture.hovered = hovered
            self._session.touch()
        cursor: Cursor = "pull" if edge is not None else "hand" if hit is not None else "arrow"
        self._show(replace(self.state, cursor=cursor, edge=edge))

    def _show(self, state: ToolState) -> None:
        if state != self.state:
            self.state = state
            self._session.touch()


def _topmost(document: Document, index: SceneIndex, x: float, y: float) -> int | None:
    """The topmost card at a world point: drift twins overlap each other."""
    overlay = document.shown_overlay
    sunk = overlay.dimmed or () if overlay is not None else ()
    return index.hit(x, y, document.selected_indices, sunk)
