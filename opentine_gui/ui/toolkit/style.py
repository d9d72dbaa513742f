"""The style that all views share: the theme's colours, the fonts and the display scale."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import dearpygui.dearpygui as dpg

from opentine_gui.scene.text.clean import LONGEST_DRAWN, shortened_end, shortened_middle
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.line_break import wrapped
from opentine_gui.scene.theme import Theme
from opentine_gui.ui.toolkit.controls import Controls

FACE_SIZES = {"text": 13.0, "title": 13.5, "mono": 12.0}  # em sizes in design pixels

FONT_SAMPLE = 20_000
"""Only the first so many characters of a text decide its font."""


@dataclass
class Veil:
    """Whether what looks like a secret is hidden in all that is drawn, as while something is presented."""

    on: bool = False


class BoxWithKeys(Protocol):
    """A text box whose view acts on some of the keys that are pressed in it."""

    def look(self) -> None:
        """Find out whether the box took the keys of the last frame."""

    @property
    def gets_keys(self) -> bool:
        """Whether the keys of this frame were pressed in it."""

    @property
    def catches(self) -> bool:
        """Whether keys must be given to `catch`."""

    def catch(self, chord: str) -> bool:
        """Take a key that the box could not take itself."""

    def press(self, chord: str) -> bool:
        """Act on a key; False if it means nothing to the view, or the box took it."""


@dataclass
class Style:
    """Theme, fonts and scale. `size(n)` converts design pixels to pixels of this display."""

    theme: Theme
    metrics: FontMetrics
    scale: float = 1.0
    fonts: dict[str, int] = field(default_factory=dict)
    text_inputs: set[int] = field(default_factory=set)
    typing_boxes: list[BoxWithKeys] = field(default_factory=list)
    """Boxes whose view acts on keys pressed in them, in the order in which they were made."""
    controls: Controls = field(default_factory=Controls)
    veil: Veil = field(default_factory=Veil)
    """Shared with the larger style of a slide."""
    registry: int = 0
    tooltip_theme: int = 0
    """The theme item of tooltips, made with the first one."""
    front: int | None = None
    """The dialog or menu that gets every press."""
    hushed: bool = False
    """Whether tooltips wait for the pointer to move: a key was pressed since it did."""
    explained: set[int] = field(default_factory=set)
    """The tooltips of Dear PyGui's own widgets, which show themselves."""

    def size(self, design_pixels: float) -> float:
        return design_pixels * self.scale

    def whole(self, design_pixels: float) -> int:
        return round(design_pixels * self.scale)

    def font(self, face: str) -> int:
        """Dear PyGui's font for a face; a font for another script is loaded when a text first needs it."""
        font = self.fonts.get(face)
        if font is None:
            path, height = self.metrics.paths[face], self.line_height(face)
            font = self.fonts[face] = int(dpg.add_font(str(path), height, parent=self.registry))
        return font

    def line_height(self, face: str) -> int:
        """Height in pixels of a line of Dear PyGui's font for a face."""
        return round(self.metrics.line_height(face, self.size(FACE_SIZES.get(face, 13.0))))

    def box_face(self, text: str, face: str) -> str:
        """The face that covers most of a text in a box: Dear PyGui draws all of it with one font."""
        return self.metrics.face_for(text[:FONT_SAMPLE], face)

    def set_font(self, item: int, text: str, face: str = "text") -> None:
        """Give a text box the font for its text."""
        dpg.bind_item_font(item, self.font(self.box_face(text, face)))

    def width(self, text: str, face: str, size: float) -> float:
        """Width in pixels of `text` at `size` pixels; no more of it is measured than can be drawn."""
        return self.metrics.width(text[:LONGEST_DRAWN], face, size)

    def said(self, text: str) -> str:
        """`text` as it may be shown now: every text goes through here before it is measured, broken or elided, for a
        secret that was cut in two has no form to know it by.
        """
        return text if not self.veil.on else _without_secrets(text)

    def shortened(self, text: str, room: float, face: str, size: float, *, middle: bool = False) -> str:
        """`text` as it may be shown now, elided at its end, or in its middle, to at most `room` pixels."""
        shorten = shortened_middle if middle else shortened_end
        return shorten(self.said(text), room, face, size, self.metrics)

    def hush(self, hushed: bool) -> None:
        """Set whether tooltips wait for the pointer to move."""
        if hushed != self.hushed:
            self.hushed = hushed
            gone = [tooltip for tooltip in self.explained if not dpg.does_item_exist(tooltip)]
            self.explained.difference_update(gone)  # in place: a larger style of a slide shares the set
            for tooltip in self.explained:
                dpg.configure_item(tooltip, show=not hushed)

    def hushes(self, tooltip: int) -> bool:
        """Whether a tooltip must not be shown now: after a key, and behind a dialog or a menu."""
        if self.hushed or self.front is None or not dpg.does_item_exist(self.front):
            return self.hushed
        item: int | str = tooltip
        while item and item != self.front:
            item = dpg.get_item_parent(item) or 0
        return not item

    def text_focused(self) -> bool:
        """True while a text box has the keyboard, and with it the editing keys."""
        return any(dpg.does_item_exist(item) and dpg.is_item_focused(item) for item in self.text_inputs)


@lru_cache(maxsize=4096)
def _without_secrets(text: str) -> str:
    from opentine_gui.core.analysis.hidden_secrets import hide_cut  # not above: nothing is hidden at the start

    return hide_cut(text).text if len(text) > 3 else text


def wrap(text: str, width: float, style: Style, *, face: str = "text", size: float = 13.0, most: int = 0) -> list[str]:
    """Break text, as it may be shown now, into lines of at most `width` pixels.

    They break at spaces or, where a word is too long, inside it.
    `size` is an em size in design pixels. Beyond `most` lines (0: any number) the last one is elided.
    """
    return wrapped(style.said(text), width, face, style.size(size), style.metrics, most or None)


def load_fonts(style: Style, like: Style | None = None) -> None:
    """Load the three bundled fonts at the display's scale and make the text font the default.

    Those of another style of this scale are taken over: Dear PyGui never frees a font.
    """
    if like is not None and like.scale == style.scale:
        style.registry, style.fonts = like.registry, like.fonts
        return
    style.registry = int(dpg.add_font_registry())
    for face in FACE_SIZES:
        style.font(face)
    dpg.bind_font(style.fonts["text"])
