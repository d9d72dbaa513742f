"""How wide text is: advances of the packaged faces and of fallback fonts, without a window.

Text is split by the faces that have its letters, because Dear ImGui draws a text with one font. It is not shaped:
Arabic letters stand unjoined, and Arabic and Hebrew run from left to right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path

from opentine_gui.assets import asset_path
from opentine_gui.scene.text.clean import shortened_end
from opentine_gui.scene.text.font_file import FontFile, read_font

FACES = {
    "text": "fonts/Inter-Regular.otf",
    "title": "fonts/Inter-SemiBold.otf",
    "mono": "fonts/JetBrainsMono-Regular.ttf",
}


class _Fonts(dict[str, FontFile]):
    """Font files by face, read when first asked for: fallback fonts are large and seldom needed."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        super().__init__()
        self._paths = paths

    def __missing__(self, face: str) -> FontFile:
        font = self[face] = read_font(self._paths[face])
        return font


class _Advances(dict[str, float]):
    """Advances of a face in em by character; a character it lacks has that of the face that draws it instead."""

    def __init__(self, metrics: FontMetrics, face: str) -> None:
        super().__init__()
        self._metrics, self._face = metrics, face

    def __missing__(self, char: str) -> float:
        font = self._metrics.font(self._metrics.face_of(char, self._face))
        advance = self[char] = font.advance(ord(char)) / font.units_per_em
        return advance


class FontMetrics:
    """Widths and heights of the faces "text", "title" and "mono", and of fallback faces given under other names."""

    def __init__(self, paths: Mapping[str, Path] | Callable[[], Mapping[str, Path]] | None = None) -> None:
        """Take the packaged faces, and `paths` by face name: other files for them, or fallbacks under new names.

        A function that finds fallbacks is called when a letter is met that no packaged face has. Files are read when
        first needed. A packaged face that cannot be read raises ValueError then; a fallback is left out.
        """
        self.paths: dict[str, Path] = {face: asset_path(name) for face, name in FACES.items()}
        self._find = paths if callable(paths) else None
        self._fonts = _Fonts(self.paths)
        self._advances: dict[str, _Advances] = {}
        self._fallbacks: list[str] = []
        self._owners: dict[tuple[str, str], str] = {}
        self._take({} if paths is None or callable(paths) else paths)

    def _take(self, paths: Mapping[str, Path]) -> None:
        self.paths.update(paths)
        self._fallbacks = [face for face in self.paths if face not in FACES]
        for face in self.paths:
            self._advances.setdefault(face, _Advances(self, face))

    def font(self, face: str) -> FontFile:
        """Return the metrics of one face's file."""
        return self._fonts[face]

    def width(self, text: str, face: str, size: float) -> float:
        """Return the width of one line of text in pixels at an em size in pixels, drawn as `runs` splits it."""
        return sum(map(self._advances[face].__getitem__, text)) * size

    def line_height(self, face: str, size: float) -> float:
        """Return ascent plus descent in pixels: the height of a line box."""
        font = self._fonts[face]
        return (font.ascent + font.descent) * size / font.units_per_em

    def ascent(self, face: str, size: float) -> float:
        """Return the distance from the top of the line box to the baseline in pixels."""
        font = self._fonts[face]
        return font.ascent * size / font.units_per_em

    def centered_top(self, center: float, face: str, size: float) -> float:
        """Return the top of the line box whose capitals are centred on the height `center`."""
        font = self._fonts[face]
        return center - (font.ascent - font.cap_height / 2) * size / font.units_per_em

    def shortened_end(self, text: str, width: float, face: str, size: float) -> str:
        """Return `text` elided at its end to at most `width` pixels."""
        return shortened_end(text, width, face, size, self)

    def has_glyph(self, char: str, face: str) -> bool:
        """Say whether the face can draw the character (the font's character map)."""
        return ord(char) in self._fonts[face].advances

    def face_of(self, char: str, face: str) -> str:
        """Return the face that draws a character of a text set in `face`: itself, else a fallback that can."""
        owner = self._owners.get((char, face))
        if owner is None:
            owner = self._owners[char, face] = self._find_owner(char, face)
        return owner

    def _find_owner(self, char: str, face: str) -> str:
        if self.has_glyph(char, face):
            return face
        if self._find is not None:
            find, self._find = self._find, None
            self._take(find())
        for fallback in list(self._fallbacks):
            try:
                if self.has_glyph(char, fallback):
                    return fallback
            except (OSError, ValueError):
                self._fallbacks.remove(fallback)
        return face

    def face_for(self, text: str, face: str) -> str:
        """Return the one face that draws most of a text set in `face`; for views that draw a line in one piece."""
        if text.isascii():
            return face
        owners = [owner for piece, owner in self.runs(text, face) for _ in piece]
        return max(dict.fromkeys([face, *owners]), key=lambda name: self._drawn(text, name))

    def _drawn(self, text: str, face: str) -> int:
        return sum(self.has_glyph(char, face) for char in text)

    def runs(self, text: str, face: str) -> list[tuple[str, str]]:
        """Split a text into (piece, face) where one face can draw the piece.

        For renderers without glyph fallback (Dear ImGui serves one text with one font). Usually there is one run.
        """
        if text.isascii():
            return [(text, face)]
        return [("".join(piece), owner) for owner, piece in groupby(text, lambda char: self.face_of(char, face))]
