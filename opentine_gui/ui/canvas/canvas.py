"""The graph on screen: draws what the camera sees, and passes pointer events to the session's tools.

The picture is built for a rectangle somewhat larger than the view and panned by one translation; it is rebuilt when the
view leaves that rectangle or anything in it changes. The cost depends on what is on screen only.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from operator import is_not

import dearpygui.dearpygui as dpg
import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.canvas.layouts import is_laid_out_again
from opentine_gui.app.canvas.previews import CanvasPreview, canvas_preview, pulled_links, refusals
from opentine_gui.app.canvas.proposals.current_proposal import current_proposal
from opentine_gui.app.document.camera.framing import camera_of_all
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.overlay import PALETTE
from opentine_gui.app.session import Session
from opentine_gui.app.state.pointer_state import PointerEvent
from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.detail_level import Level, folded_level, level_of_detail
from opentine_gui.scene.picture.build import build_carried, build_hovered
from opentine_gui.scene.picture.preview_layer import build_proposed, build_pulled
from opentine_gui.scene.picture.view import Carried, DrawnCards, SceneView, carry
from opentine_gui.scene.space.camera import Bounds, Camera, Viewport, shifted, view_rect
from opentine_gui.ui.canvas.card_colours import CardColours
from opentine_gui.ui.canvas.edge_signs import EdgeSigns, sign_at
from opentine_gui.ui.canvas.flag_presses import flag_under, press_flag
from opentine_gui.ui.canvas.graph_picture import MARGIN, ComingPicture, GraphPicture
from opentine_gui.ui.canvas.hints import Hints, pull_words
from opentine_gui.ui.canvas.layers import Built, Layer
from opentine_gui.ui.canvas.next_zoom import PictureKey
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.platform.pointer_shape import Shape
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import Tooltip

CANVAS = "Canvas"
NONE_REFUSED: Mapping[int, str] = {}


class Canvas:
    """The drawing area of the active document."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        self.session, self.style = session, style
        self.area = Area(0, 0, 10, 10)
        self.textures: dict[str, int] = {}
        self.painter = Painter(style, self.textures)
        self.window = int(
            dpg.add_child_window(parent=parent, border=False, no_scrollbar=True, no_scroll_with_mouse=True)
        )
        self.drawlist = int(dpg.add_drawlist(10, 10, parent=self.window))
        # The session works in design pixels; the layers convert them to pixels of this display.
        scaled = Painter(style, self.textures, style.scale)
        # From bottom to top: links of dragged cards, the graph, the card under the pointer, dragged and proposed cards.
        self._layers = tuple(Layer(self.drawlist, scaled) for _ in range(5))
        self.pulled, self.world, self.hovered_card, self.carried, self.proposed = self._layers
        self.hints = Hints(self.drawlist, style)
        self.stage = int(dpg.add_draw_node(parent=self.drawlist))
        self.tooltip = Tooltip(self.drawlist, style)
        self.viewport = Viewport(10.0, 10.0)
        """The canvas's size in design pixels, as the session uses it."""
        self.painted: Document | None = None
        self._shown = True
        self._flag: Flag | None = None
        self._flag_seen: tuple[Hashable, Flag | None] = (None, None)
        self.visible = self.steps = 0
        self.zoom = 1.0
        self.colours = CardColours(session)
        self.graph = GraphPicture(self.world, style, self.colours, self.textures, self._graph_view)
        self._lit: NDArray[np.uint8] | None = None
        self._draft_key: tuple[object, ...] = (None,) * 5
        self._draft = CanvasPreview()
        self._in_hand: tuple[object, object, Carried | None] = (None, None, None)
        self._drawn_cards: tuple[Hashable, DrawnCards] = (None, DrawnCards())
        self._level_seen: tuple[Hashable, Level] = (None, Level.CARD)
        self.signs, self._coming = EdgeSigns(session), ComingPicture()
        style.controls.call(self.window, CANVAS)
        style.controls.add(self.drawlist, self._parts)

    def _parts(self) -> list[Part]:
        return [Part(CANVAS, "canvas", Area(0, 0, self.area.width, self.area.height), content=True)]

    @property
    def drawn(self) -> int:
        """The number of primitives on the canvas."""
        return sum(layer.drawn for layer in self._layers)

    def keep_free(self, corner: tuple[float, float], foot: float) -> None:
        """Have first views keep clear of the lower right corner, where the map lies, and of the foot; design pixels."""
        self.viewport = Viewport(*self.viewport[:2], *corner, foot)

    def place(self, area: Area) -> None:
        """Fill this area of the window."""
        self.area = area
        self.viewport = Viewport(area.width / self.style.scale, area.height / self.style.scale, *self.viewport[2:])
        width, height = max(int(area.width), 1), max(int(area.height), 1)
        dpg.configure_item(self.window, pos=[int(area.x), int(area.y)], width=width, height=height)
        dpg.configure_item(self.drawlist, width=width, height=height)
        self.session.viewport = self.viewport
        for layer in self._layers:
            layer.forget()

    def show(self, visible: bool) -> None:
        """Show or hide the canvas; hidden, it keeps its picture."""
        if visible != self._shown:
            self._shown = visible
            dpg.configure_item(self.window, show=visible)

    def hovered(self) -> bool:
        """True when the pointer is over the canvas and nothing covers it there."""
        return bool(dpg.is_item_hovered(self.drawlist) or dpg.is_item_hovered(self.window))

    @property
    def pointer_shape(self) -> Shape:
        """The pointer's shape over the canvas: whether it can drag a card or the picture, or pull at an edge."""
        state, document = self.session.tools.state, self.session.active
        if self._flag is not None:
            return "hand"
        if state.cursor == "pull" and state.line is None:
            sideways = document is not None and document.direction.value == "left-to-right"
            return "left-right" if sideways else "up-down"
        return "arrow" if state.cursor in ("arrow", "box") else "hand"

    def handle(self, pointer: Pointer) -> None:
        """Pass the frame's pointer events to the tools, in design pixels of the canvas."""
        tools, scale = self.session.tools, self.style.scale
        over = self.hovered()
        for event in pointer.take("press", "release", "double", "wheel", "move"):
            if event.kind == "key" or (not over and not tools.busy):
                continue
            told = PointerEvent(
                kind=event.kind,
                x=(event.x - self.area.x) / scale,
                y=(event.y - self.area.y) / scale,
                button=event.button or "left",
                shift="Shift" in event.held,
                space="Space" in event.held,
                wheel=event.wheel,
            )
            flag = self._flag_under(told.x, told.y) if event.kind == "press" and told.button == "left" else None
            if flag is not None and flag.press is not None and not tools.busy:
                self.style.controls.act(self.drawlist, CANVAS, partial(press_flag, self.session, flag))
            elif event.kind == "press":
                self.style.controls.act(self.drawlist, CANVAS, partial(tools.handle, told))
            else:
                tools.handle(told)
        self._flag = None
        if over and not tools.busy:
            self._flag = self._flag_under((pointer.x - self.area.x) / scale, (pointer.y - self.area.y) / scale)
        elif not over and not tools.busy:
            tools.leave()

    def _flag_under(self, x: float, y: float) -> Flag | None:
        """The pressable flag under a point of the canvas."""
        sign = sign_at(self.hints.signs, x * self.style.scale, y * self.style.scale) if self.hints.signs else None
        if sign is not None:
            return sign
        document = self.session.active
        if document is None:
            return None
        picture = document.picture
        camera = picture.camera
        if camera is None or picture.scene_index is None or picture.flight is not None:
            return None
        if self.session.presentation is not None or self._level(document, camera) is not Level.CARD:
            return None
        key = (document.number, x, y, camera, picture.layout_revision, document.finding_marks.source)
        if self._flag_seen[0] != key:
            found = flag_under(document, camera, self.viewport, self.style.metrics, x, y)
            self._flag_seen = (key, found)
        return self._flag_seen[1]

    def sync(self) -> bool:
        """Bring the picture up to date; True while an animation is running."""
        document = self.session.active
        picture = document.picture if document is not None else None
        if document is None or picture is None or picture.scene_index is None:
            self._clear()
            return False
        camera = picture.camera or camera_of_all(picture, self.viewport)
        if picture.layout is None or not picture.layout.nodes or camera is None:
            self._clear()
            return False
        if picture.camera is None:
            picture.set_camera(camera)
        self._draw(document, camera)
        self.tooltip.set_text(self._words(document))
        return picture.flight is not None or self._coming.waits or self.graph.late

    def _words(self, document: Document) -> str:
        """Show the full content of the card under the pointer; nothing while it is dragged or the picture moves."""
        busy = self.session.tools.busy or self.session.presentation is not None
        if self._flag is not None and not busy:
            return self._flag.hint
        if not busy and (words := pull_words(self.session, document)):
            return words
        if document.picture.hovered is None or busy or document.picture.flight is not None:
            return ""
        face = document.face(document.picture.hovered)
        return "\n".join(line for line in (face.title, face.line, face.figures) if line)

    def _clear(self) -> None:
        if self.painted is not None:
            for layer in self._layers:
                layer.clear()
            self.hints.clear()
            self.tooltip.set_text("")
            self._forget_document()
        self.painted = None
        self.visible, self.steps = 0, 0

    def _forget_document(self) -> None:
        """Drop everything cached about a document, which may be closed and large."""
        self.graph.forget()
        self.colours.forget()
        self._draft_key, self._draft = (None,) * 5, CanvasPreview()
        self._in_hand = (None, None, None)
        self._drawn_cards = (None, DrawnCards())
        self._level_seen = (None, Level.CARD)
        self.signs.forget()

    def _draw(self, document: Document, camera: Camera) -> None:
        index = document.picture.scene_index
        assert index is not None
        state = self.session.tools.state
        draft, carried = self._drafted(document), self._carried(document)
        viewport = self.viewport
        rect = view_rect(camera, viewport)
        self._lit = self.colours.lit(document)
        self.colours.marks(document)
        looks = (document.number, document.picture.layout_revision, self.style.theme.name, self.colours.hot)
        rest = (
            *looks,
            document.content_revision - document.grown_revision,
            self._coming.selection(document.selection_revision, is_laid_out_again(self.session, document)),
            draft,
            carried,
            self.colours.lit_revision(document),
        )
        key = PictureKey(camera.zoom, rest)
        if self.graph.stale(key, rect):
            self.graph.draw(document, rect, self._level(document, camera), key)
        self.world.follow(camera, self.area)
        self._draw_hovered(document, camera, (*key, document.picture.hovered, *refusals(state.line).items()))
        self._draw_carried(document, camera, key)
        self._draw_proposed(
            document, camera, (*looks, camera.zoom, draft, state.line, state.offset if draft.ghosts else None)
        )
        self.painted = document
        self.visible, self.steps, self.zoom = len(index.visible(rect)), len(index.boxes), camera.zoom
        legend, signs = self._explains(document, viewport), self.signs.seen(document, camera, viewport)
        self.hints.sync(state, document, camera, viewport, self.area, legend=legend, signs=signs)

    def _explains(self, document: Document, viewport: Viewport) -> bool:
        """Whether the legend is shown: if cards are in the colours of kinds, and no tab is in the way."""
        if document.picture.camera is None or document.overlay is not None:
            return False
        if self.colours.hot is not None or self.session.presentation is not None:
            return False
        if self.hints.legend_covers(document, document.picture.camera, viewport):
            return False
        return self._level(document, document.picture.camera) is Level.CARD

    def _level(self, document: Document, camera: Camera) -> Level:
        """The level of detail; it does not depend on the margin, so that a pan after a zoom does not change it."""
        assert document.picture.scene_index is not None
        key = (document.number, document.picture.layout_revision, camera, self.viewport)
        if self._level_seen[0] != key:  # each layer asks once per frame
            seen = document.picture.scene_index.visible(view_rect(camera, self.viewport, MARGIN))
            found = level_of_detail(camera.zoom, len(seen))
            self._level_seen = (key, found if document.picture.fold is None else folded_level(camera.zoom, found))
        return self._level_seen[1]

    def _view(
        self,
        document: Document,
        zoom: float,
        rect: Bounds,
        *,
        hovered: int | None = None,
        level: Level | None = None,
    ) -> SceneView:
        """Everything a picture of a rectangle of this document depends on."""
        picture = document.picture
        layout, index, marks = picture.layout, picture.scene_index, self.colours.marks(document)
        assert layout is not None and index is not None
        overlay = document.shown_overlay
        steps = picture.fold.first_steps if picture.fold is not None else None
        by_role = overlay is not None or self.colours.hot is not None
        return SceneView(
            faces=self.colours.faces(document),
            layout=layout,
            index=index,
            zoom=zoom,
            rect=rect,
            theme=self.style.theme,
            metrics=self.style.metrics,
            kinds=marks.kinds if marks else None,
            failures=marks.failures if marks else None,
            palette=marks.roles if marks is not None and by_role else (),
            step_roles=marks.kinds if marks is not None and by_role else None,
            link_palette=PALETTE,
            link_roles=overlay.link_roles(layout, steps) if overlay is not None else None,
            strands=partial(overlay.strands, layout) if overlay is not None and steps is None else None,
            selection=document.selected_indices,
            lit=self._lit,
            hovered=hovered,
            dimmed=self._draft.dimmed,
            reasons=refusals(self.session.tools.state.line),
            carried=self._in_hand[2],
            drawn=self._cards_of((document.number, zoom, self.style.theme.name, self.colours.hot)),
            level=level,
            frames=picture.fold.groups_shown(document.faces.hides_secrets) if picture.fold is not None else (),
            late=picture.late_links,
        )

    def _graph_view(self, document: Document, zoom: float, rect: Bounds, level: Level) -> SceneView:
        return self._view(document, zoom, rect, level=level)

    def _cards_of(self, looks: Hashable) -> DrawnCards:
        """The cache of drawn cards for the current style."""
        if self._drawn_cards[0] != looks:
            self._drawn_cards = (looks, DrawnCards())
        return self._drawn_cards[1]

    def _draw_hovered(self, document: Document, camera: Camera, key: Hashable) -> None:
        """Paint the card under the pointer again, highlighted, over the unchanged picture."""
        index = document.picture.scene_index
        if document.picture.hovered is None or index is None or self._in_hand[2] is not None:
            self.hovered_card.clear()
            return
        if self.hovered_card.stale(key, view_rect(camera, self.viewport)):
            built = view_rect(camera, self.viewport, MARGIN)
            view = self._view(document, camera.zoom, built, hovered=document.picture.hovered)
            drawing = build_hovered(view, self._level(document, camera))
            self.hovered_card.show(Built(drawing, key, built, camera.zoom))
        self.hovered_card.follow(camera, self.area)

    def _carried(self, document: Document) -> Carried | None:
        """The dragged cards, found once per drag."""
        moved, layout = self.session.tools.state.moved, document.picture.layout
        if not moved or layout is None:
            self._in_hand = (None, None, None)
        elif self._in_hand[0] is not moved or self._in_hand[1] is not layout:
            self._in_hand = (moved, layout, carry(layout, moved))
        return self._in_hand[2]

    def _draw_carried(self, document: Document, camera: Camera, key: Hashable) -> None:
        """Move the dragged cards as one piece; redraw their links to other cards on every move."""
        carried, offset, index = self._in_hand[2], self.session.tools.state.offset, document.picture.scene_index
        if carried is None or index is None:
            self.carried.clear()
            self.pulled.clear()
            return
        rect, built = view_rect(camera, self.viewport), view_rect(camera, self.viewport, MARGIN)
        back = (-offset[0], -offset[1])
        if self.carried.stale(key, shifted(rect, *back)):
            level = self._level(document, camera)
            home = shifted(built, *back)
            drawing = build_carried(self._view(document, camera.zoom, home), carried, level)
            self.carried.show(Built(drawing, key, home, camera.zoom))
        self.carried.follow(camera, self.area, offset)
        if self.pulled.stale((key, offset), rect):
            drawing = build_pulled(self._view(document, camera.zoom, built), carried, offset)
            self.pulled.show(Built(drawing, (key, offset), built, camera.zoom))
        self.pulled.follow(camera, self.area)

    def _draw_proposed(self, document: Document, camera: Camera, key: Hashable) -> None:
        """Draw the link being pulled and proposed cards."""
        state = self.session.tools.state
        if state.line is None and not self._draft.ghosts:
            self.proposed.clear()
            return
        if self.proposed.stale(key, view_rect(camera, self.viewport)):
            built = view_rect(camera, self.viewport, MARGIN)
            view = self._view(document, camera.zoom, built)
            drawing = build_proposed(view, pulled_links(state.line), self._draft.ghosts, state.offset)
            self.proposed.show(Built(drawing, key, built, camera.zoom))
        self.proposed.follow(camera, self.area)

    def _drafted(self, document: Document) -> CanvasPreview:
        """What a gesture or a proposal dims or adds, rebuilt only when it changes."""
        session = self.session
        refused = session.tools.state.refused or NONE_REFUSED
        # Compare the objects themselves, which are kept: Python may reuse an id().
        key = (document.picture.layout, document.shown_overlay, session.proposal, session.presentation, refused)
        if any(map(is_not, key, self._draft_key)):
            self._draft_key = key
            self._draft = canvas_preview(document, refused, current_proposal(session), session.presentation)
        return self._draft
