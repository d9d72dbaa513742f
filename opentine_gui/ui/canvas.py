"""The graph on screen: draws what the camera sees, and hands the pointer to the session's tools.

Built once for a rectangle somewhat larger than the view, the picture is panned by one translation; it is built again
when the view leaves that rectangle or anything in it changes. What it costs follows what is on screen.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from functools import partial

import dearpygui.dearpygui as dpg
import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.document import Document
from opentine_gui.app.drafts import Draft, draft_of
from opentine_gui.app.marks import Marks, marks_by_run, marks_of
from opentine_gui.app.overlay import PALETTE, Overlay
from opentine_gui.app.session import Session
from opentine_gui.app.tools import PointerEvent
from opentine_gui.core import RunRecord
from opentine_gui.scene.build import DENSITY_PICTURE, SceneView, build
from opentine_gui.scene.camera import Bounds, Camera, Viewport, to_screen, view_rect
from opentine_gui.scene.detail import Level, level_of_detail
from opentine_gui.scene.drawlist import DrawList, Picture, Rect, Text
from opentine_gui.scene.minimap import density_picture, density_size
from opentine_gui.ui.look import Look
from opentine_gui.ui.painter import Painter
from opentine_gui.ui.pointer import Pointer
from opentine_gui.ui.regions import Area

MARGIN = 240.0  # pixels built beyond each side of the view
DENSITY_MARGIN = 96.0  # the same for a density picture, which is quick to build and slow to paint
STILL = 0.15  # seconds without a camera move after which a density picture is painted sharp
EMPTY = DrawList(())


class Canvas:
    """One drawing area for whichever document is active."""

    def __init__(self, session: Session, look: Look, parent: int | str) -> None:
        self.session, self.look = session, look
        self.area = Area(0, 0, 10, 10)
        self.textures: dict[str, int] = {}
        self.painter = Painter(look, self.textures)
        self.window = int(
            dpg.add_child_window(parent=parent, border=False, no_scrollbar=True, no_scroll_with_mouse=True)
        )
        self.drawlist = int(dpg.add_drawlist(10, 10, parent=self.window))
        self.world = int(dpg.add_draw_node(parent=self.drawlist))
        self.overlay = int(dpg.add_draw_node(parent=self.drawlist))
        self.stage = int(dpg.add_draw_node(parent=self.drawlist))
        self.drawing = EMPTY
        self.painted: Document | None = None
        self.drawn = self.visible = self.steps = 0
        self.zoom = 1.0
        self._built_key: Hashable = None
        self._built_rect = (0.0, 0.0, 0.0, 0.0)
        self._overlay_key: Hashable = None
        self._marks: tuple[RunRecord, Overlay | None, Marks] | None = None
        self._density = DynamicPicture()
        self._coarse = False
        self._built_at = 0.0
        self._draft_key: Hashable = None
        self._drafted = Draft()

    @property
    def viewport(self) -> Viewport:
        return Viewport(self.area.width, self.area.height)

    def place(self, area: Area) -> None:
        """Fill this area of the window."""
        self.area = area
        width, height = max(int(area.width), 1), max(int(area.height), 1)
        dpg.configure_item(self.window, pos=[int(area.x), int(area.y)], width=width, height=height)
        dpg.configure_item(self.drawlist, width=width, height=height)
        self.session.viewport = self.viewport
        self._built_key = None

    def hovered(self) -> bool:
        """True when the pointer is over the canvas and nothing lies above it."""
        return bool(dpg.is_item_hovered(self.drawlist) or dpg.is_item_hovered(self.window))

    def handle(self, pointer: Pointer) -> None:
        """Give the frame's pointer events to the tools, in pixels of the canvas."""
        tools = self.session.tools
        over = self.hovered()
        for event in pointer.take("press", "release", "double", "wheel", "move"):
            if event.kind == "key" or (not over and not tools.busy):
                continue
            tools.handle(
                PointerEvent(
                    kind=event.kind,
                    x=event.x - self.area.x,
                    y=event.y - self.area.y,
                    button=event.button or "left",
                    shift=pointer.shift,
                    ctrl=pointer.ctrl,
                    space=pointer.space,
                    wheel=event.wheel,
                )
            )
        if not over and not tools.busy:
            tools.leave()

    def sync(self) -> bool:
        """Bring the picture up to date; True while it moves by itself."""
        document = self.session.active
        if document is None or document.layout is None or document.scene_index is None or not document.layout.nodes:
            self._clear()
            return False
        if document.camera is None:
            camera = document.fit_camera(self.viewport)
            if camera is None:
                self._clear()
                return False
            document.look(camera)
        camera = document.camera
        assert camera is not None
        self._draw(document, camera)
        return document.flight is not None or self._coarse

    def _clear(self) -> None:
        if self.painted is not None:
            self.painter.repaint(self.world, ())
            self.painter.repaint(self.overlay, ())
        self.painted, self._built_key, self._overlay_key = None, None, None
        self.drawing, self.drawn, self.visible, self.steps = EMPTY, 0, 0, 0

    def marks(self, document: Document) -> Marks | None:
        """Colour codes and failures of the graph on show; read once a run."""
        record = document.layout_record or document.record
        if record is None:
            return None
        overlay = document.shown_overlay
        if self._marks is None or self._marks[0] is not record or self._marks[1] is not overlay:
            marks = marks_of(record.graph) if overlay is None else marks_by_run(overlay)
            self._marks = (record, overlay, marks)
        return self._marks[2]

    def _draw(self, document: Document, camera: Camera) -> None:
        index = document.scene_index
        assert index is not None
        tools = self.session.tools
        rect = view_rect(camera, self.viewport)
        key = (
            document.number,
            document.layout_revision,
            document.content_revision,
            document.selection_revision,
            document.hovered,
            camera.zoom,
            self.look.theme.name,
            tools.scene_key,
            id(self.session.proposal),
            id(self.session.presentation),
        )
        now = time.monotonic()
        if key != self._built_key or not _inside(rect, self._built_rect):
            self._build(document, camera)
            self._built_key, self._built_at = key, now
        elif self._coarse and now - self._built_at > STILL:
            self._build(document, camera, sharpness=1.0)
        origin = self.drawing.origin
        x = self.area.width / 2 - camera.x * camera.zoom + origin[0]
        y = self.area.height / 2 - camera.y * camera.zoom + origin[1]
        dpg.apply_transform(self.world, dpg.create_translation_matrix((round(x), round(y))))
        self.painted = document
        self.visible, self.steps, self.zoom = len(index.visible(rect)), len(index.boxes), camera.zoom
        self._draw_overlay(document, camera)

    def _build(self, document: Document, camera: Camera, *, sharpness: float = 0.5) -> None:
        """Build the picture for the view and its margin, and paint it."""
        built = view_rect(camera, self.viewport, MARGIN)
        assert document.scene_index is not None
        if level_of_detail(camera.zoom, len(document.scene_index.visible(built))) is Level.DENSITY:
            built = view_rect(camera, self.viewport, DENSITY_MARGIN)
        state = self.session.tools.state
        marks = self.marks(document)
        layout = document.layout
        assert layout is not None
        draft, overlay = self._draft(document), document.shown_overlay
        view = SceneView(
            faces=document.face,
            layout=layout,
            index=document.scene_index,
            zoom=camera.zoom,
            rect=built,
            theme=self.look.theme,
            metrics=self.look.metrics,
            kinds=marks.kinds if marks else None,
            failures=marks.failures if marks else None,
            palette=PALETTE if overlay is not None else (),
            step_roles=overlay.step_roles if overlay is not None else None,
            link_roles=overlay.link_roles(layout) if overlay is not None else None,
            strands=partial(overlay.strands, layout) if overlay is not None else None,
            selection=document.selected_indices,
            hovered=document.hovered,
            dimmed=draft.dimmed,
            reasons=draft.reasons or {},
            links=draft.links,
            ghosts=draft.ghosts,
            moved=state.moved,
            offset=state.offset,
        )
        self.drawing = build(view)
        density = any(isinstance(item, Picture) for item in self.drawing.items)
        if density:
            self._paint_density(document, built, density_size(built, camera.zoom, sharpness=sharpness), marks)
        self._coarse = density and sharpness < 1.0
        self.drawn = self.painter.repaint(self.world, self.drawing.items)
        self._built_rect = built

    def _draft(self, document: Document) -> Draft:
        """What is only proposed; made anew when the gesture or the proposal changes, not at every frame."""
        session = self.session
        key = (
            document.number,
            document.layout_revision,
            id(document.shown_overlay),
            session.tools.scene_key,
            id(session.proposal),
            id(session.presentation),
        )
        if key != self._draft_key:
            self._draft_key = key
            self._drafted = draft_of(
                document, self.session.tools.state, self.session.proposal, self.session.presentation
            )
        return self._drafted

    def _paint_density(self, document: Document, rect: Bounds, size: tuple[int, int], marks: Marks | None) -> None:
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
            self.look.theme,
            marks.roles,
        )
        self.textures[DENSITY_PICTURE] = self._density.show(pixels)

    def _draw_overlay(self, document: Document, camera: Camera) -> None:
        """Selection box and the sentence that says what letting go will do."""
        state = self.session.tools.state
        key = (state.box, state.hint, state.line, camera if state.box else None)
        if key == self._overlay_key:
            return
        self._overlay_key = key
        items: list[object] = []
        theme, look = self.look.theme, self.look
        if state.box is not None:
            x0, y0 = to_screen(camera, self.viewport, state.box[0], state.box[1])
            x1, y1 = to_screen(camera, self.viewport, state.box[2], state.box[3])
            left, right, top, bottom = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
            items.append(Rect(left, top, right, bottom, (*theme.accent[:3], 28), theme.accent, 2, 1.0))
        if state.hint:
            em = look.size(13)
            width = look.width(state.hint, "text", em) + look.size(28)
            height = look.size(34)
            left, top = (self.area.width - width) / 2, self.area.height - height - look.size(18)
            items.append(Rect(left, top, left + width, top + height, theme.raised, theme.hairline, look.size(8), 1.0))
            line = look.metrics.centered_top(top + height / 2, "text", em)
            items.append(Text(left + look.size(14), line, state.hint, "text", em, theme.text))
        self.painter.repaint(self.overlay, items)


class DynamicPicture:
    """A texture that is made anew when its size changes and refilled when only its content does."""

    def __init__(self) -> None:
        self._registry = int(dpg.add_texture_registry())
        self._texture = 0
        self._size = (0, 0)
        self._pixels: NDArray[np.float32] | None = None

    def show(self, pixels: NDArray[np.float32]) -> int:
        """Put an (h, w, 4) picture on the graphics card; answers the texture item."""
        height, width = pixels.shape[:2]
        flat = np.ascontiguousarray(pixels, dtype=np.float32).reshape(-1)
        self._pixels = flat  # the toolkit reads this memory at every frame
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


def _inside(inner: Bounds, outer: Bounds) -> bool:
    return inner[0] >= outer[0] and inner[1] >= outer[1] and inner[2] <= outer[2] and inner[3] <= outer[3]
