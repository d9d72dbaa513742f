"""The minimap: the whole graph and the view's rectangle in a corner, for navigation."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

import dearpygui.dearpygui as dpg
import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.picture.step_colours import StepColours
from opentine_gui.app.files.following import BETWEEN_LOOKS, is_growing
from opentine_gui.app.session import Session
from opentine_gui.app.state.pointer_state import PointerEvent
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.scene.draw_list import Picture, Rect
from opentine_gui.scene.overviews.density import MinimapImage
from opentine_gui.scene.space.camera import view_rect
from opentine_gui.ui.canvas.canvas import Canvas
from opentine_gui.ui.canvas.dynamic_picture import DynamicPicture
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.widget_theme import child_window_theme

WIDTH, HEIGHT, MARGIN, PADDING = 208.0, 148.0, 16.0, 8.0
SHARE, WIDTH_STEP = 0.26, 16
"""The largest share of a narrow canvas that it takes, so that the middle is free for a plain run; and the steps in
pixels in which its width changes, as each width needs another picture."""
FEW, NEARLY = 200, 0.85
"""Of so many cards at most, this part in view is nearly everything."""
MARK = 3.0


class Minimap:
    """Shows the active document unless it is nearly all in view, or would lie over what is selected or was opened.

    Clicks, drags and the wheel go to the session's tools.
    """

    def __init__(self, session: Session, style: Style, canvas: Canvas, parent: int | str) -> None:
        self.session, self.style, self.canvas = session, style, canvas
        self.width, self.height = style.whole(WIDTH), style.whole(HEIGHT)
        self._wide = self.width
        self.window = int(
            dpg.add_child_window(
                parent=parent,
                width=self.width,
                height=self.height,
                border=False,
                no_scrollbar=True,
                no_scroll_with_mouse=True,
                show=False,
            )
        )
        dpg.bind_item_theme(self.window, child_window_theme(style, (0, 0, 0, 0)))
        self.drawlist = int(dpg.add_drawlist(self.width, self.height, parent=self.window))
        self.node = int(dpg.add_draw_node(parent=self.drawlist))
        self.textures: dict[str, int] = {}
        self.painter = Painter(style, self.textures)
        self.image: MinimapImage | None = None
        self._picture = DynamicPicture()
        self._image_key: tuple[object, ...] = ()
        self._drawn_key: Hashable = None
        self.area = Area(0, 0, 0, 0)
        self._made_at = 0.0
        self._held = False
        self._shown = self._wanted = False
        style.controls.call(self.window, "Minimap")
        style.controls.add(self.drawlist, self._parts)

    def _parts(self) -> list[Part]:
        return [Part("Minimap", "map", Area(0, 0, self.width, self.height), "Click or drag to move the view")]

    def sync(self, pointer: Pointer, canvas_area: Area, visible: bool) -> None:
        """Follow the canvas and the document, and take the pointer events on the map."""
        document = self.session.active
        visible = (
            visible
            and document is not None
            and document.picture.layout is not None
            and bool(document.picture.layout.nodes)
        )
        widest = self.style.whole(WIDTH)
        visible = visible and canvas_area.width > 2.2 * widest and canvas_area.height > 2.2 * self.height
        self._wanted = visible
        self._wide = min(widest, int(canvas_area.width * SHARE) // WIDTH_STEP * WIDTH_STEP) if visible else self._wide
        if visible and document is not None and not self._held:
            visible = not self._sees_nearly_everything(document) and not self._would_cover_selected(document)
        if self._shown != visible:
            self._shown = visible
            dpg.configure_item(self.window, show=visible)
        if not visible or document is None or document.picture.layout is None:
            self._held = False
            return
        self._fit()
        margin = self.style.size(MARGIN)
        self.area = Area(
            canvas_area.x + canvas_area.width - self.width - margin,
            canvas_area.y + canvas_area.height - self.height - margin,
            self.width,
            self.height,
        )
        place = [int(self.area.x), int(self.area.y)]
        if dpg.get_item_pos(self.window) != place:
            dpg.configure_item(self.window, pos=place)
        self._paint()
        self._handle(pointer)

    @property
    def covers(self) -> float:
        """Its height above the canvas's lower edge in pixels, once something is out of view."""
        return self.height + 2 * self.style.size(MARGIN) if self._wanted else 0.0

    @property
    def covers_now(self) -> float:
        """The same while it is shown, else 0."""
        return self.covers if self._shown else 0.0

    @property
    def corner(self) -> tuple[float, float]:
        """The size in design pixels of the corner it occupies, once something is out of view."""
        return (self._wide / self.style.scale + 2 * MARGIN, HEIGHT + 2 * MARGIN) if self._wanted else (0.0, 0.0)

    def _fit(self) -> None:
        """Take the width that is available."""
        if self._wide == self.width:
            return
        self.width = self._wide
        self._image_key, self._drawn_key = (), None
        dpg.configure_item(self.window, width=self.width)
        dpg.configure_item(self.drawlist, width=self.width)

    def _sees_nearly_everything(self, document: Document) -> bool:
        """Whether the camera has all cards in view, or of few all but the odd one, where it is or is flying to.

        A map of what is in view anyway would only lie over some of it.
        """
        layout, camera = document.picture.layout, document.picture.camera_goal
        if layout is None or camera is None:
            return True
        x0, y0, x1, y1 = layout.bounds
        left, top, right, bottom = view_rect(camera, self.session.viewport)
        if left <= x0 and top <= y0 and x1 <= right and y1 <= bottom:
            return True
        if len(layout.centers) > FEW:  # asked in every frame: what is out of view costs nothing
            return False
        x, y = layout.centers.T
        inside = (left < x) & (x < right) & (top < y) & (y < bottom)
        return int(inside.sum()) >= NEARLY * len(inside)

    def _would_cover_selected(self, document: Document) -> bool:
        """Whether the map would lie over the selected card or another one of the group that was opened around it."""
        picture, primary = document.picture, document.selection.primary
        layout, camera, card = picture.layout, picture.camera_goal, document.selected_group
        if card is None and primary is not None:
            card = picture.index_of(primary)
        if card is None or layout is None or camera is None or card >= len(layout.centers):
            return False
        frames = picture.fold.frames if picture.fold is not None else ()
        around = next((frame.cards for frame in reversed(frames) if card in frame.cards), ())
        cards = [card, *around[:FEW]]
        viewport, zoom = self.session.viewport, camera.zoom
        x, y = ((layout.centers[cards] - (camera.x, camera.y)) * zoom).T
        x, y = x + viewport.width / 2, y + viewport.height / 2
        half_width, half_height = layout.spacing.node_width / 2 * zoom, layout.spacing.node_height / 2 * zoom
        wide, high = self.corner
        beside = (viewport.width - wide + MARGIN < x + half_width) & (x - half_width < viewport.width)
        below = (viewport.height - high + MARGIN < y + half_height) & (y - half_height < viewport.height)
        return bool((beside & below).any())

    def _paint(self) -> None:
        document = self.session.active
        if document is None or document.picture.layout is None:
            return
        marks = self.canvas.colours.marks(document)
        if marks is None:
            return
        padding = self.style.size(PADDING)
        key = (document.number, document.picture.layout_revision, marks, self.style.theme.name)
        sliding = document.picture.card_slide is not None and key[:1] == self._image_key[:1]
        if key != self._image_key and not sliding and not self._held_back(document):
            # One picture once the cards have come to rest, none while they move.
            if key[:1] != self._image_key[:1]:
                self.image = None
                self.painter.repaint(self.node, ())
            self._image_key, self._made_at = key, self.session.clock()
            size = (round(self.width - 2 * padding), round(self.height - 2 * padding))
            self._make(document, marks, size, key)
        if self.image is None or document.picture.camera is None:
            return
        view = self.image.view_rectangle(document.picture.camera, self.session.viewport)
        lit = self.canvas.colours.lit(document)
        found = self.canvas.colours.lit_revision(document)
        drawn = (tuple(round(value, 1) for value in view), key, found)
        if drawn == self._drawn_key:
            return
        self._drawn_key = drawn
        width, height = self.image.size
        x0, y0, x1, y1 = (value + padding for value in view)
        theme = self.style.theme
        items = [
            Rect(0, 0, self.width - 1, self.height - 1, theme.panel, theme.hairline, self.style.size(8), 1.0),
            Picture("minimap", padding, padding, padding + width, padding + height),
            *self._found(document, lit, padding),
            Rect(x0, y0, x1, y1, (*theme.accent[:3], 20), theme.accent, 2.0, 1.0),
        ]
        self.painter.repaint(self.node, items)

    def _held_back(self, document: Document) -> bool:
        """Whether the existing picture will do for a while, because the run is growing all the time."""
        if document.number != (self._image_key or (0,))[0] or not is_growing(self.session, document):
            return False
        return self.session.clock() - self._made_at < BETWEEN_LOOKS

    def _found(self, document: Document, lit: NDArray[np.uint8] | None, padding: float) -> list[Rect]:
        """Marks for the steps found by the search, one for all at the same place."""
        layout, image = document.picture.layout, self.image
        if lit is None or layout is None or image is None:
            return []
        x, y = image.to_map(layout.centers[lit == 1, 0], layout.centers[lit == 1, 1])
        size = self.style.whole(MARK)
        cells = np.unique(np.stack((x // size, y // size), axis=1).astype(np.int64), axis=0) * size + round(padding)
        accent = self.style.theme.accent
        return [Rect(left, top, left + size - 1, top + size - 1, accent) for left, top in cells.tolist()]

    def _make(self, document: Document, marks: StepColours, size: tuple[int, int], key: tuple[object, ...]) -> None:
        """Make the picture; for a large graph in a job, with the previous picture shown meanwhile."""
        layout, theme = document.picture.layout, self.style.theme
        assert layout is not None

        def made() -> MinimapImage:
            return MinimapImage(layout, marks.kinds, marks.failures, size, theme, marks.roles)

        def done(image: MinimapImage) -> None:
            if key == self._image_key:
                self.image, self._drawn_key = image, None
                self.textures["minimap"] = self._picture.show(image.pixels)
                self.session.touch()

        self.session.jobs.compute("minimap", made, done, steps=len(layout.nodes), stopped=leaves_nothing)

    def _handle(self, pointer: Pointer) -> None:
        over = dpg.is_item_hovered(self.drawlist) or dpg.is_item_hovered(self.window)
        if not self._held and (not over or self.session.tools.busy):
            return  # a gesture that began on the canvas belongs to it, wherever the pointer goes
        padding = self.style.size(PADDING)
        for event in pointer.take("press", "release", "double", "wheel", "move"):
            if event.kind == "key" or event.kind == "double":
                continue
            world = None
            if self.image is not None:
                world = self.image.to_world(event.x - self.area.x - padding, event.y - self.area.y - padding)
            if event.kind == "press":
                self._held = True
            elif event.kind == "release":
                self._held = False
            told = PointerEvent(
                event.kind, button=event.button or "left", wheel=event.wheel, area="minimap", world=world
            )
            if event.kind == "press":
                self.style.controls.act(self.drawlist, "Minimap", partial(self.session.tools.handle, told))
            else:
                self.session.tools.handle(told)
