"""The edges between the panels and the canvas, which are dragged to resize them; a double click takes that back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opentine_gui.app.session import Session
from opentine_gui.app.state.settings import Settings
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.platform.pointer_shape import Shape
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.regions import Area, Regions, fitted, room_for_panels
from opentine_gui.ui.toolkit.style import Style

NARROWEST = 160.0
"""Least width of a side, in design pixels."""
LOWEST, LEFT_BELOW = 76.0, 120.0
"""Least heights of a panel and of the panel that takes the rest of a side, in design pixels."""
LOW, LOW_STRIP = 600.0, 44.0
"""Design pixels: with less than the first above the strips, a form gets all of a strip but the second."""
LOWEST_STRIP, HIGHEST_STRIP = 32.0, 0.4
"""Heights of a panel below the canvas: the least in design pixels, the largest as a share of the window's."""
GRIP = 3.0
STILL = 2.0
"""Pixels that a pressed edge may be moved before it follows."""
HINT = "Drag to resize; double-click for the usual size"


class Splitter(NamedTuple):
    """An edge; `name` is the side or the panel that it resizes."""

    name: str
    title: str
    area: Area
    shape: Shape


class Splitters:
    """Every edge on screen, and the one that is being dragged."""

    def __init__(self, session: Session, style: Style, root: int) -> None:
        self.session, self.style, self._root = session, style, root
        self.edges: list[Splitter] = []
        self.dragged: Splitter | None = None
        self.covered = ""
        """The edge that a view lies over now, by name."""
        self._bottoms: dict[str, tuple[float, float]] = {}
        """Where a panel is held while its edge is dragged, and whether the edge lies below (1) or above it (-1)."""
        self._widths = {"left": 0.0, "right": 0.0}
        """How wide the sides are shown, in design pixels: less than the user wants where the window is narrow."""
        self._pressed = (0.0, 0.0)
        self._moves = self._form = False
        style.controls.add(root, self._parts)

    def heights(self, panels: Sequence[tuple[str, float | None]], room: float) -> list[float | None]:
        """The heights in pixels of the panels of a side: those the user gave, as far as the others keep theirs.

        `panels` are names and what they want, `room` is the height of the side.
        """
        style, given = self.style, self.session.settings.panel_heights
        if not given:
            return [wanted for _, wanted in panels]
        chosen = [wanted is not None and name in given for name, wanted in panels]
        heights = [
            max(style.size(given[name]), style.size(LOWEST)) if own else wanted
            for (name, wanted), own in zip(panels, chosen, strict=True)
        ]
        below = style.size(LEFT_BELOW)
        others = sum(below if tall is None else tall for tall, own in zip(heights, chosen, strict=True) if not own)
        most = max(room - (others or below), style.size(LOWEST) * sum(chosen))
        fitting = iter(fitted([tall for tall, own in zip(heights, chosen, strict=True) if own], most))
        return [next(fitting) if own else tall for tall, own in zip(heights, chosen, strict=True)]

    def strips(
        self, panels: Sequence[tuple[str, Panel, float | None]], room: float, *, form: bool
    ) -> list[tuple[str, Panel, float]]:
        """The panels below the canvas that have something to show, with their heights in pixels.

        In a low window they give way to a `form` between them and the canvas.
        """
        self._form = form
        given = self.session.settings.panel_heights
        strips = [
            (name, panel, self.strip_height(name, wanted, room) if name in given else wanted)
            for name, panel, wanted in panels
            if wanted
        ]
        if form and room - sum(height for _, _, height in strips) < self.style.size(LOW):
            low = self.style.size(LOW_STRIP)
            strips = [(name, panel, min(high, low) if panel.resizable else high) for name, panel, high in strips]
        return strips

    def strip_height(self, name: str, wanted: float | None, room: float) -> float:
        """The height in pixels of a panel below the canvas; one that has nothing to show stays away."""
        chosen = self.session.settings.panel_heights.get(name)
        if not wanted or chosen is None:
            return wanted or 0.0
        return min(max(self.style.size(chosen), self.style.size(LOWEST_STRIP)), room * HIGHEST_STRIP)

    def place(self, regions: Regions, panels: Sequence[tuple[str, Area]], strips: Sequence[tuple[str, Area]]) -> None:
        """Note the edges: of the sides, below these panels, and above these strips."""
        grip = self.style.size(GRIP)
        sides = (
            ("left", "Left edge of the canvas", regions.left_edge),
            ("right", "Right edge of the canvas", regions.right_edge),
        )
        self.edges = [Splitter(name, title, area, "left-right") for name, title, area in sides if area.width > 0]
        self._widths = {"left": regions.left.width / self.style.scale, "right": regions.right.width / self.style.scale}
        self._bottoms = {}
        for name, (x, y, width, height) in panels:
            edge = Area(x, y + height - grip, width, 2 * grip)
            self.edges.append(Splitter(name, f"Lower edge of {name}", edge, "up-down"))
            self._bottoms[name] = (y, 1.0)
        for name, (x, y, width, height) in strips:
            edge = Area(x, y - grip, width, 2 * grip)
            self.edges.append(Splitter(name, f"Upper edge of {name}", edge, "up-down"))
            self._bottoms[name] = (y + height, -1.0)

    def under(self, x: float, y: float) -> Splitter | None:
        """The edge at a pixel."""
        return next((edge for edge in self._shown if edge.area.contains(x, y)), None)

    def handle(self, pointer: Pointer, size: tuple[float, float]) -> None:
        """Begin, follow or end a drag; the window has `size` in pixels."""
        for event in pointer.events:
            if event.button != "left" or event.kind not in ("press", "double"):
                continue
            edge = None if pointer.covered else self.under(event.x, event.y)
            if edge is not None and event.kind == "double":
                self._reset(edge.name)
            elif edge is not None and self.dragged is None:
                self.dragged, self._pressed, self._moves = edge, (event.x, event.y), False
                self.style.controls.act(self._root, edge.title, lambda: None)
        if self.dragged is None:
            return
        pressed = any(event.kind == "press" for event in pointer.take("press", "double", "move", "release"))
        if not pointer.left_down and not pressed:
            self.dragged = None
            return
        x, y = self._pressed
        self._moves = self._moves or max(abs(pointer.x - x), abs(pointer.y - y)) > STILL
        if self._moves:
            self._resize(self.dragged.name, pointer, size)

    def _resize(self, name: str, pointer: Pointer, size: tuple[float, float]) -> None:
        settings, scale = self.session.settings, self.style.scale
        room = room_for_panels(size[0], scale, chosen=not self._form) / scale
        left, right = self._widths["left"], self._widths["right"]
        # The other side stays as it is shown: where the window is too narrow it would grow into what gets free.
        if name == "left":
            wide, self.session.view.inspector_wide = self.session.view.inspector_wide, False
            shown = round(right) if wide else min(settings.right_width, round(right))
            settings.right_width = shown or settings.right_width
            settings.left_width = round(max(min(pointer.x / scale, room - right), NARROWEST))
        elif name == "right":
            settings.left_width = min(settings.left_width, round(left)) or settings.left_width
            settings.right_width = round(max(min((size[0] - pointer.x) / scale, room - left), NARROWEST))
            self.session.view.inspector_wide = False
        else:
            from_edge, way = self._bottoms[name]
            height = (pointer.y - from_edge) * way / scale
            settings.panel_heights = {**settings.panel_heights, name: round(max(height, LOWEST_STRIP))}

    def _reset(self, name: str) -> None:
        settings, usual = self.session.settings, Settings()
        if name == "left":
            settings.left_width = usual.left_width
        elif name == "right":
            settings.right_width = usual.right_width
        else:
            settings.panel_heights = {panel: tall for panel, tall in settings.panel_heights.items() if panel != name}

    def _parts(self) -> list[Part]:
        return [Part(edge.title, "splitter", edge.area, HINT, above=True) for edge in self._shown]

    @property
    def _shown(self) -> list[Splitter]:
        return [edge for edge in self.edges if edge.name != self.covered]
