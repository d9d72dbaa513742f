"""Measures text without a window: advances of the packaged faces and of fallback fonts.

The packaged faces draw Latin, Greek, Cyrillic, symbols and emoji, and what is common in Chinese, Japanese and Korean if
the system has no font for it; other scripts need a font of the system.

Advances are unhinted and unkerned, as the text renderer of Dear ImGui places glyphs. Text is split by the faces that
have its letters, because Dear ImGui draws a text with one font. It is not shaped: Arabic letters stand unjoined, and
Arabic and Hebrew run from left to right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from opentine_gui.assets import asset_path
from opentine_gui.scene.text.clean import shortened_end
from opentine_gui.scene.text.font_file import METRICS_SUFFIX, FontFile, metrics_from

FACES = {
    "text": "fonts/Inter-Regular.otf",
    "title": "fonts/Inter-SemiBold.otf",
    "mono": "fonts/JetBrainsMono-Regular.ttf",
    "east asian": "fonts/NotoSans-EastAsian.ttf",
}
WIDEST_FACES = ("text", "mono")
"""Packaged faces that also hold emoji and symbols: they are tried before fonts of the system for characters that
another face lacks."""
LAST_FACE = "east asian"
"""The packaged face for characters that no font of the system has: a system font draws them in the user's language's
style."""


@lru_cache(maxsize=len(FACES))
def _read_packaged(face: str) -> FontFile:
    """The metrics of a packaged face, read once per process: every window, picture and page needs them."""
    return metrics_from(asset_path(FACES[face] + METRICS_SUFFIX).read_bytes())


class _Fonts(dict[str, FontFile]):
    """Font files by face, read on first use: fallback fonts are large and rarely needed."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        super().__init__()
        self._paths = paths

    def __missing__(self, face: str) -> FontFile:
        path = self._paths[face]
        if face in FACES and path == asset_path(FACES[face]):
            font = _read_packaged(face)
        else:
            from opentine_gui.scene.text.font_reader import read_font  # fontTools is slow to import

            font = read_font(path)
        self[face] = font
        return font


class _Advances(dict[str, float]):
    """Advances of a face in em by character; for a character it lacks, that of the face that draws it."""

    def __init__(self, metrics: FontMetrics, face: str) -> None:
        super().__init__()
        self._metrics, self._face = metrics, face

    def __missing__(self, char: str) -> float:
        font = self._metrics.font(self._metrics.face_of(char, self._face))
        advance = self[char] = font.advance(ord(char)) / font.units_per_em
        return advance


class FontMetrics:
    """Widths and heights of the packaged faces (`FACES`), and of fallback faces given under other names."""

    def __init__(self, paths: Mapping[str, Path] | Callable[[], Mapping[str, Path]] | None = None) -> None:
        """Use the packaged faces and `paths` by face name: other files for them, or fallbacks under new names.

        A function that finds fallbacks is called for the first letter that no packaged face has. Files are read on
        first use; then a packaged face that cannot be read raises ValueError, and such a fallback is left out.
        """
        self.paths: dict[str, Path] = {face: asset_path(name) for face, name in FACES.items()}
        self._find = paths if callable(paths) else None
        self._fonts = _Fonts(self.paths)
        self._advances: dict[str, _Advances] = {}
        self._fallbacks: list[str] = []
        self._owners: dict[tuple[str, str], str] = {}
        self._add_faces({} if paths is None or callable(paths) else paths)

    def _add_faces(self, paths: Mapping[str, Path]) -> None:
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

    def advances(self, text: str, face: str, size: float) -> list[float]:
        """Return the width of each character in pixels."""
        of = self._advances[face]
        return [of[char] * size for char in text]

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
        """Return whether the face can draw the character (the font's character map)."""
        return ord(char) in self._fonts[face].advances

    def face_of(self, char: str, face: str) -> str:
        """Return the face that draws a character of a text set in `face`: that face, else a fallback that can."""
        owner = self._owners.get((char, face))
        if owner is None:
            owner = self._owners[char, face] = self._find_owner(char, face)
        return owner

    def _find_owner(self, char: str, face: str) -> str:
        for packaged in (face, *WIDEST_FACES):
            if self.has_glyph(char, packaged):
                return packaged
        if self._find is not None:
            find, self._find = self._find, None
            self._add_faces(find())
        for fallback in list(self._fallbacks):
            try:
                if self.has_glyph(char, fallback):
                    return fallback
            except (OSError, ValueError):
                self._fallbacks.remove(fallback)
        return LAST_FACE if self.has_glyph(char, LAST_FACE) else face

    def face_for(self, text: str, face: str) -> str:
        """Return the one face that can draw most of a text set in `face`, for views that draw a line in one piece."""
        if text.isascii():
            return face
        text = "".join(text.split())
        owners = [owner for piece, owner in self.runs(text, face) for _ in piece]
        best = max(dict.fromkeys([face, *owners]), key=lambda name: self._count_glyphs(text, name))
        if self._count_glyphs(text, best) == len(text):
            return best
        return max((best, LAST_FACE), key=lambda name: self._count_glyphs(text, name))  # it has letters, CJK and emoji

    def _count_glyphs(self, text: str, face: str) -> int:
        return sum(self.has_glyph(char, face) for char in text)

    def runs(self, text: str, face: str) -> list[tuple[str, str]]:
        """Split a text into (piece, face), each piece drawn by one face; usually there is one.

        For renderers without glyph fallback (Dear ImGui draws a text with one font).
        """
        if text.isascii():
            return [(text, face)]
        return [("".join(piece), owner) for owner, piece in groupby(text, lambda char: self.face_of(char, face))]
