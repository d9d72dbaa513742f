"""The graph on screen: draws what the camera sees, and passes pointer events to the session's tools.

The picture is built for a rectangle somewhat larger than the view and panned by one translation; it is rebuilt when the
view leaves that rectangle or anything in it changes. The cost depends on what is on screen only.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import partial

import dearpygui.dearpygui as dpg
import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.canvas.previews import CanvasPreview, canvas_preview, pulled_links, refusals
from opentine_gui.app.canvas.proposals import current_proposal
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.app.document.picture.step_colours import (
    StepColours,
    colours_by_heat,
    colours_by_kind,
    colours_by_run,
    colours_of_cards,
)
from opentine_gui.app.inspect.analysis.heat_rows import codes_of, heat_of, roles_of
from opentine_gui.app.inspect.analysis.lit_steps import LitSteps, lit_steps
from opentine_gui.app.session import Session
from opentine_gui.app.state.pointer_state import PointerEvent
from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.heat import Heat
from opentine_gui.scene.cards import CardFace
from opentine_gui.scene.detail_level import Level, folded_level, level_of_detail
from opentine_gui.scene.draw_list import Rect, Text
from opentine_gui.scene.overviews.density import density_picture, density_size
from opentine_gui.scene.picture.build import DENSITY_PICTURE, build, build_carried, build_hovered
from opentine_gui.scene.picture.preview_layer import build_proposed, build_pulled
from opentine_gui.scene.picture.view import Carried, DrawnCards, SceneView, carry
from opentine_gui.scene.space.camera import Bounds, Camera, Viewport, shifted, to_screen, view_rect
from opentine_gui.ui.canvas.layers import Layer
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.platform.pointer_shape import Shape
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import Tooltip

MARGIN = 240.0  # pixels built beyond each side of the view
ZOOMED_MARGIN = 24.0  # the same right after the zoom changed, as it may change again in the next frame
DENSITY_MARGIN = 96.0  # the same for a density picture, which is fast to build and slow to paint
CANVAS = "Canvas"
NONE_REFUSED: Mapping[int, str] = {}
STILL = 0.15  # seconds without a camera move until a density picture is painted in full resolution


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
        # The session calculates in design pixels; the layers convert them to pixels of this display.
        scaled = Painter(style, self.textures, style.scale)
        # From bottom to top: links of dragged cards, the graph, the card under the pointer, dragged and proposed cards.
        self._layers = tuple(Layer(self.drawlist, scaled) for _ in range(5))
        self.pulled, self.world, self.hovered_card, self.carried, self.proposed = self._layers
        self.overlay = int(dpg.add_draw_node(parent=self.drawlist))
        self.stage = int(dpg.add_draw_node(parent=self.drawlist))
        self.tooltip = Tooltip(self.drawlist, style)
        self.painted: Document | None = None
        self._shown = True
        self.visible = self.steps = 0
        self.zoom = 1.0
        self._overlay_key: Hashable = None
        self._marks: tuple[RunRecord, Overlay | None, StepColours] | None = None
        self._marks_of_cards: tuple[object, StepColours] | None = None
        self._heat: tuple[Heat, FoldedRun | None, StepColours] | None = None
        self._density = DynamicPicture()
        self._lit: NDArray[np.uint8] | None = None
        self._coarse = False
        self._built_at = self._built_zoom = 0.0
        self._draft_key: tuple[object, ...] = (None,) * 5
        self._draft = CanvasPreview()
        self._in_hand: tuple[object, object, Carried | None] = (None, None, None)
        self._drawn_cards: tuple[Hashable, DrawnCards] = (None, DrawnCards())
        self._level_seen: tuple[Hashable, Level] = (None, Level.CARD)
        style.controls.call(self.window, CANVAS)
        style.controls.add(self.drawlist, self._parts)

    def _parts(self) -> list[Part]:
        return [Part(CANVAS, "canvas", Area(0, 0, self.area.width, self.area.height), content=True)]

    @property
    def drawn(self) -> int:
        """The number of primitives on the canvas."""
        return sum(layer.drawn for layer in self._layers)

    @property
    def viewport(self) -> Viewport:
        """The canvas's size in design pixels, as the session uses it."""
        return Viewport(self.area.width / self.style.scale, self.area.height / self.style.scale)

    def place(self, area: Area) -> None:
        """Fill this area of the window."""
        self.area = area
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
        """What the pointer over the canvas says: a card or the picture to take hold of, an edge to pull at."""
        state, document = self.session.tools.state, self.session.active
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
            if event.kind == "press":
                self.style.controls.act(self.drawlist, CANVAS, partial(tools.handle, told))
            else:
                tools.handle(told)
        if not over and not tools.busy:
            tools.leave()

    def sync(self) -> bool:
        """Bring the picture up to date; True while an animation goes on."""
        document = self.session.active
        if document is None or document.layout is None or document.scene_index is None or not document.layout.nodes:
            self._clear()
            return False
        if document.camera is None:
            camera = document.fit_camera(self.viewport)
            if camera is None:
                self._clear()
                return False
            document.set_camera(camera)
        camera = document.camera
        assert camera is not None
        self._draw(document, camera)
        self.tooltip.set_text(self._words(document))
        return document.flight is not None or self._coarse

    def _words(self, document: Document) -> str:
        """The whole content of the card under the pointer; nothing while it is being dragged or the picture moves."""
        busy = self.session.tools.busy or self.session.presentation is not None
        if document.hovered is None or busy or document.flight is not None:
            return ""
        face = document.face(document.hovered)
        return "\n".join(line for line in (face.title, face.line, face.figures) if line)

    def _clear(self) -> None:
        if self.painted is not None:
            for layer in self._layers:
                layer.clear()
            self.painter.repaint(self.overlay, ())
            self.tooltip.set_text("")
            self._forget_document()
        self.painted, self._overlay_key = None, None
        self.visible, self.steps = 0, 0

    def _forget_document(self) -> None:
        """Drop what is cached about a document: it may be closed and large."""
        self._marks = self._marks_of_cards = self._heat = None
        self._draft_key, self._draft = (None,) * 5, CanvasPreview()
        self._in_hand = (None, None, None)
        self._drawn_cards = (None, DrawnCards())
        self._level_seen = (None, Level.CARD)

    def marks(self, document: Document) -> StepColours | None:
        """Colour codes and failures of the shown graph, read once per run."""
        record = document.layout_record or document.record
        if record is None:
            return None
        hot = heat_of(self.session, document)
        fold = document.fold if document.fold is not None and document.fold.graph is record.graph else None
        if hot is not None and len(hot.levels) == len(record.graph):
            if self._heat is None or self._heat[0] is not hot or self._heat[1] is not fold:
                colours = colours_by_heat(codes_of(hot), roles_of(hot), fold, named=bool(hot.names))
                self._heat = (hot, fold, colours)
            return self._heat[2]
        self._heat = None
        overlay = document.shown_overlay
        if self._marks is None or self._marks[0] is not record or self._marks[1] is not overlay:
            marks = colours_by_kind(record.graph) if overlay is None else colours_by_run(overlay)
            self._marks = (record, overlay, marks)
            self._marks_of_cards = None
        if fold is None:
            return self._marks[2]
        if self._marks_of_cards is None or self._marks_of_cards[0] is not fold:
            self._marks_of_cards = (fold, colours_of_cards(self._marks[2], fold, by_run=overlay is not None))
        return self._marks_of_cards[1]

    def _hot_face(self, document: Document, index: int) -> CardFace:
        """The face of a card in the colour of its heat."""
        face, heat = document.face(index), self._heat
        if heat is None or index >= len(heat[2].kinds) or not heat[2].kinds[index]:
            return face
        return replace(face, heat=heat[2].roles[heat[2].kinds[index]])

    def lit(self, document: Document) -> NDArray[np.uint8] | None:
        """The cards of the shown picture that are lit, as a column of 0 and 1; None for none."""
        found = self._lit_steps(document)
        if found is None:
            return None
        lit = np.frombuffer(found.steps, dtype=np.uint8)
        return lit if document.fold is None else document.fold.lit(lit)

    def lit_revision(self, document: Document) -> tuple[int, ...] | None:
        """Changes with what is lit."""
        found = self._lit_steps(document)
        return found.revision if found is not None else None

    def _lit_steps(self, document: Document) -> LitSteps | None:
        shown = document.layout_record or document.record
        return lit_steps(self.session, document, shown.graph) if shown is not None else None

    def _draw(self, document: Document, camera: Camera) -> None:
        index = document.scene_index
        assert index is not None
        state = self.session.tools.state
        draft, carried = self._drafted(document), self._carried(document)
        rect = view_rect(camera, self.viewport)
        self._lit = self.lit(document)
        marks = self.marks(document)
        heat = id(marks) if self._heat is not None else 0
        looks = (document.number, document.layout_revision, camera.zoom, self.style.theme.name, heat)
        key = (
            *looks,
            document.content_revision,
            document.selection_revision,
            draft,
            carried,
            self.lit_revision(document),
        )
        now = time.monotonic()
        if self.world.stale(key, rect):
            self._build(document, camera, key)
            self._built_at = now
        elif self._coarse and now - self._built_at > STILL:
            self._build(document, camera, key, sharpness=1.0)
        self.world.follow(camera, self.area)
        self._draw_hovered(document, camera, (*key, document.hovered, *refusals(state.line).items()))
        self._draw_carried(document, camera, key)
        self._draw_proposed(document, camera, (*looks, draft, state.line, state.offset if draft.ghosts else None))
        self.painted = document
        self.visible, self.steps, self.zoom = len(index.visible(rect)), len(index.boxes), camera.zoom
        self._draw_overlay(document, camera)

    def _level(self, document: Document, camera: Camera) -> Level:
        """The level of detail; it does not depend on the margin, so that a pan after a zoom does not change it."""
        assert document.scene_index is not None
        key = (document.number, document.layout_revision, camera, self.viewport)
        if self._level_seen[0] != key:  # asked once for each layer in a frame
            seen = document.scene_index.visible(view_rect(camera, self.viewport, MARGIN))
            found = level_of_detail(camera.zoom, len(seen))
            self._level_seen = (key, found if document.fold is None else folded_level(camera.zoom, found))
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
        layout, index, marks = document.layout, document.scene_index, self.marks(document)
        assert layout is not None and index is not None
        overlay = document.shown_overlay
        steps = document.fold.first_steps if document.fold is not None else None
        by_role = overlay is not None or self._heat is not None
        return SceneView(
            faces=document.face if self._heat is None else partial(self._hot_face, document),
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
            link_roles=overlay.link_roles(layout, steps) if overlay is not None else None,
            strands=partial(overlay.strands, layout) if overlay is not None and steps is None else None,
            selection=document.selected_indices,
            lit=self._lit,
            hovered=hovered,
            dimmed=self._draft.dimmed,
            reasons=refusals(self.session.tools.state.line),
            carried=self._in_hand[2],
            drawn=self._cards_of((document.number, zoom, self.style.theme.name, self._heat and id(self._heat[2]))),
            level=level,
            frames=document.fold.open_groups if document.fold is not None else (),
        )

    def _cards_of(self, looks: Hashable) -> DrawnCards:
        """The cache of drawn cards for the current style."""
        if self._drawn_cards[0] != looks:
            self._drawn_cards = (looks, DrawnCards())
        return self._drawn_cards[1]

    def _build(self, document: Document, camera: Camera, key: Hashable, *, sharpness: float = 0.5) -> None:
        """Build and paint the graph within the view and its margin."""
        level = self._level(document, camera)
        if level is Level.DENSITY:
            margin = DENSITY_MARGIN
        else:
            margin = MARGIN if camera.zoom == self._built_zoom else ZOOMED_MARGIN
        self._built_zoom = camera.zoom
        built = view_rect(camera, self.viewport, margin)
        drawing = build(self._view(document, camera.zoom, built, level=level))
        density = level is Level.DENSITY
        if density:
            marks = self.marks(document)
            self._paint_density(
                document, built, density_size(built, camera.zoom * self.style.scale, sharpness=sharpness), marks
            )
        self._coarse = density and sharpness < 1.0
        basis = None if density else (document.number, camera.zoom, drawing.origin, self.style.theme.name)
        self.world.show(drawing, key, built, basis)

    def _draw_hovered(self, document: Document, camera: Camera, key: Hashable) -> None:
        """Paint the card under the pointer once more, highlighted, over the unchanged picture."""
        index = document.scene_index
        if document.hovered is None or index is None or self._in_hand[2] is not None:
            self.hovered_card.clear()
            return
        if self.hovered_card.stale(key, view_rect(camera, self.viewport)):
            built = view_rect(camera, self.viewport, MARGIN)
            view = self._view(document, camera.zoom, built, hovered=document.hovered)
            self.hovered_card.show(build_hovered(view, self._level(document, camera)), key, built)
        self.hovered_card.follow(camera, self.area)

    def _carried(self, document: Document) -> Carried | None:
        """The dragged cards, found once per drag."""
        moved, layout = self.session.tools.state.moved, document.layout
        if not moved or layout is None:
            self._in_hand = (None, None, None)
        elif self._in_hand[0] is not moved or self._in_hand[1] is not layout:
            self._in_hand = (moved, layout, carry(layout, moved))
        return self._in_hand[2]

    def _draw_carried(self, document: Document, camera: Camera, key: Hashable) -> None:
        """Move the dragged cards as one piece; redraw their links to other cards at every move."""
        carried, offset, index = self._in_hand[2], self.session.tools.state.offset, document.scene_index
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
            self.carried.show(drawing, key, home)
        self.carried.follow(camera, self.area, offset)
        if self.pulled.stale((key, offset), rect):
            drawing = build_pulled(self._view(document, camera.zoom, built), carried, offset)
            self.pulled.show(drawing, (key, offset), built)
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
            self.proposed.show(drawing, key, built)
        self.proposed.follow(camera, self.area)

    def _drafted(self, document: Document) -> CanvasPreview:
        """What a gesture or a proposal dims or adds; rebuilt only when it changes."""
        session = self.session
        refused = session.tools.state.refused or NONE_REFUSED
        # Compare the objects themselves, which are kept: Python may reuse an id().
        key = (document.layout, document.shown_overlay, session.proposal, session.presentation, refused)
        if any(new is not old for new, old in zip(key, self._draft_key, strict=True)):
            self._draft_key = key
            self._draft = canvas_preview(document, refused, current_proposal(session), session.presentation)
        return self._draft

    def _paint_density(
        self, document: Document, rect: Bounds, size: tuple[int, int], marks: StepColours | None
    ) -> None:
        layout = document.layout
        assert marks is not None and layout is not None
        spacing = layout.spacing
        pixels = density_picture(
            layout.centers,
            (spacing.node_width, spacing.node_height),
            marks.kinds,
            marks.failures,
            rect,
            size,
            self.style.theme,
            marks.roles,
        )
        self.textures[DENSITY_PICTURE] = self._density.show(pixels)

    def _draw_overlay(self, document: Document, camera: Camera) -> None:
        """Draw the selection box and the sentence that says what releasing the button will do."""
        state = self.session.tools.state
        key = (state.box, state.hint, state.line, camera if state.box else None)
        if key == self._overlay_key:
            return
        self._overlay_key = key
        items: list[object] = []
        theme, style = self.style.theme, self.style
        if state.box is not None:
            x0, y0 = to_screen(camera, self.viewport, state.box[0], state.box[1])
            x1, y1 = to_screen(camera, self.viewport, state.box[2], state.box[3])
            left, right, top, bottom = (style.size(at) for at in (*sorted((x0, x1)), *sorted((y0, y1))))
            items.append(Rect(left, top, right, bottom, (*theme.accent[:3], 28), theme.accent, 2, 1.0))
        if state.hint:
            em = style.size(13)
            width = style.width(state.hint, "text", em) + style.size(28)
            height = style.size(34)
            left, top = (self.area.width - width) / 2, self.area.height - height - style.size(18)
            items.append(Rect(left, top, left + width, top + height, theme.raised, theme.hairline, style.size(8), 1.0))
            line = style.metrics.centered_top(top + height / 2, "text", em)
            items.append(Text(left + style.size(14), line, state.hint, "text", em, theme.text))
        self.painter.repaint(self.overlay, items)


class DynamicPicture:
    """A texture, recreated when its size changes and refilled when only its content does."""

    def __init__(self) -> None:
        self._registry = int(dpg.add_texture_registry())
        self._texture = 0
        self._size = (0, 0)
        self._pixels: NDArray[np.float32] | None = None

    def show(self, pixels: NDArray[np.float32]) -> int:
        """Upload an (h, w, 4) picture; returns the texture item."""
        height, width = pixels.shape[:2]
        flat = np.ascontiguousarray(pixels, dtype=np.float32).reshape(-1)
        self._pixels = flat  # Dear PyGui reads this memory in every frame
        if (width, height) != self._size:
            if self._texture:
                dpg.delete_item(self._texture)
            self._texture = int(
                dpg.add_raw_texture(width, height, flat, format=dpg.mvFormat_Float_rgba, parent=self._registry)
            )
            self._size = (width, height)
        else:
            dpg.set_value(self._texture, flat)
        return self._texture
