"""The layer that shows the graph: painted anew, scaled until the next zoom's picture is complete, or as densities."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from opentine_gui.app.document.document import Document
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.overviews.density import density_picture, density_size
from opentine_gui.scene.picture.build import DENSITY_PICTURE, build
from opentine_gui.scene.picture.view import SceneView
from opentine_gui.scene.space.camera import Bounds, widened
from opentine_gui.ui.canvas.card_colours import CardColours
from opentine_gui.ui.canvas.dynamic_picture import DynamicPicture
from opentine_gui.ui.canvas.layers import Built, Layer
from opentine_gui.ui.canvas.next_zoom import DETAILED, NextZoom, PictureKey, Wanted
from opentine_gui.ui.toolkit.style import Style

MARGIN = 80.0  # pixels built beyond each side of the view; they cost time in every frame although nobody sees them
BRIEF_MARGIN = 24.0  # the same right after a change of zoom, when the next frame has another picture
DENSITY_MARGIN = 96.0  # the same for a density picture, which is quick to build and slow to paint
STILL = 0.15  # seconds without camera movement before a density picture is painted at full resolution

MOST_WAITED = 3
"""Frames for which a selection waits for the picture it goes with."""

ViewOf = Callable[[Document, float, Bounds, Level], SceneView]
"""What a picture of a document is made of, at a zoom, for a rectangle of the world and a level of detail."""


class GraphPicture:
    """Decides when and how the graph is painted on its layer."""

    def __init__(
        self, layer: Layer, style: Style, colours: CardColours, textures: dict[str, int], view_of: ViewOf
    ) -> None:
        self._layer, self._style, self._colours = layer, style, colours
        self._textures, self._view_of = textures, view_of
        self._next_zoom = NextZoom(layer)
        self._density = DynamicPicture()
        self.late = self._coarse = False
        """`late`: whether the picture shown still has to be replaced, although nothing changes."""
        self._built_at = self._built_zoom = 0.0

    def forget(self) -> None:
        """Let go of the picture that is being made, and of its document."""
        self._next_zoom.give_up()
        self.late = self._coarse = False

    def stale(self, key: PictureKey, rect: Bounds) -> bool:
        """Whether something is to be painted for this key and rectangle of the world."""
        return self._layer.stale(key, rect) or (self._coarse and time.monotonic() - self._built_at > STILL)

    def draw(self, document: Document, rect: Bounds, level: Level, key: PictureKey) -> None:
        """Paint the graph for a rectangle of the world, or go on with it; what is painted depends on `key`."""
        if not self._layer.stale(key, rect):
            self._build(document, rect, level, key, sharpness=1.0)
        elif level in DETAILED and self._next_zoom.stands_in(key, rect):
            self._zoom(document, rect, level, key)
        else:
            self._build(document, rect, level, key)
        self._built_at = time.monotonic()
        self.late = self._coarse or self._layer.shown.key != key

    def _zoom(self, document: Document, rect: Bounds, level: Level, key: PictureKey) -> None:
        """Go on with the picture at another zoom, which the one that is shown stands in for."""
        if not self._next_zoom.makes(key.rest):
            view = self._view_of(document, key.zoom, widened(rect, BRIEF_MARGIN / key.zoom), level)
            self._next_zoom.begin(Wanted(view, key, self._basis(document, key.zoom)))
        if self._next_zoom.go_on():
            self._built_zoom = key.zoom

    def _build(
        self, document: Document, rect: Bounds, level: Level, key: PictureKey, *, sharpness: float = 0.5
    ) -> None:
        """Build and paint the graph within a rectangle and a margin around it."""
        density, zoom = level is Level.DENSITY, key.zoom
        margin = DENSITY_MARGIN if density else MARGIN if zoom == self._built_zoom else BRIEF_MARGIN
        self._built_zoom = zoom
        wide = widened(rect, margin / zoom)
        drawing = build(self._view_of(document, zoom, wide, level))
        if density:
            self._paint_density(document, wide, density_size(wide, zoom * self._style.scale, sharpness=sharpness))
        self._coarse = density and sharpness < 1.0
        basis = None if density else self._basis(document, zoom)
        self._next_zoom.give_up()
        self._layer.show(Built(drawing, key, wide, zoom, basis))

    def _basis(self, document: Document, zoom: float) -> Hashable:
        return (document.number, zoom, self._style.theme.name)

    def _paint_density(self, document: Document, rect: Bounds, size: tuple[int, int]) -> None:
        layout, marks = document.picture.layout, self._colours.marks(document)
        assert marks is not None and layout is not None
        spacing = layout.spacing
        pixels = density_picture(
            layout.centers,
            (spacing.node_width, spacing.node_height),
            marks.kinds,
            marks.failures,
            rect,
            size,
            self._style.theme,
            marks.roles,
        )
        self._textures[DENSITY_PICTURE] = self._density.show(pixels)


class ComingPicture:
    """Which selection to paint while another picture is on its way: what opens a group selects a step, too."""

    def __init__(self) -> None:
        self._painted: Hashable = None
        self._waited = 0

    def selection(self, selected: Hashable, coming: bool) -> Hashable:
        """The selection to paint: the one before for a few frames while a picture is `coming`."""
        if coming and selected != self._painted and self._waited < MOST_WAITED:
            self._waited += 1
            return self._painted
        self._waited, self._painted = 0, selected
        return selected

    @property
    def waits(self) -> bool:
        """Whether a selection is not painted yet."""
        return self._waited > 0
