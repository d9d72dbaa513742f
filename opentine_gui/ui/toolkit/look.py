"""How everything looks: the theme's colours, the faces and the display scale, in one value that every view shares."""

from __future__ import annotations

from dataclasses import dataclass, field

import dearpygui.dearpygui as dpg

from opentine_gui.scene.text.clean import shortened_end
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import Theme

FACE_SIZES = {"text": 13.0, "title": 13.5, "mono": 12.0}  # em sizes in pixels at scale 1

MOST_SUITED = 20_000
"""Letters of a text that decide which font it gets."""


@dataclass
class Look:
    """Theme, fonts and scale. `size(n)` turns design pixels into pixels of this display."""

    theme: Theme
    metrics: FontMetrics
    scale: float = 1.0
    fonts: dict[str, int] = field(default_factory=dict)
    text_inputs: set[int] = field(default_factory=set)
    registry: int = 0

    def size(self, design_pixels: float) -> float:
        return design_pixels * self.scale

    def whole(self, design_pixels: float) -> int:
        return round(design_pixels * self.scale)

    def font(self, face: str) -> int:
        """The toolkit's font for a face; one for another script is loaded when the first text needs it."""
        font = self.fonts.get(face)
        if font is None:
            height = round(self.metrics.line_height(face, self.size(FACE_SIZES.get(face, 13.0))))
            font = self.fonts[face] = int(dpg.add_font(str(self.metrics.paths[face]), height, parent=self.registry))
        return font

    def suit(self, item: int, text: str, face: str = "text") -> None:
        """Give a text box the font that draws most of `text`: the toolkit draws all of it with one."""
        dpg.bind_item_font(item, self.font(self.metrics.face_for(text[:MOST_SUITED], face)))

    def width(self, text: str, face: str, size: float) -> float:
        """Width in pixels of `text` at `size` pixels."""
        return self.metrics.width(text, face, size)

    def metrics_shortened(self, text: str, room: float, face: str, size: float) -> str:
        """`text` elided at its end so that it is at most `room` pixels wide."""
        return shortened_end(text, room, face, size, self.metrics)

    def text_focused(self) -> bool:
        """True while a text box has the keyboard: its keys are its own then."""
        return any(dpg.does_item_exist(item) and dpg.is_item_focused(item) for item in self.text_inputs)


def load_fonts(look: Look) -> None:
    """Load the three packaged faces at the look's scale and bind the text face to everything."""
    look.registry = int(dpg.add_font_registry())
    for face in FACE_SIZES:
        look.font(face)
    dpg.bind_font(look.fonts["text"])
