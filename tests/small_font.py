"""Writes small font files, for tests of how letters find their font."""

from __future__ import annotations

from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen


def small_font(path: Path, letters: str) -> Path:
    """Write a TrueType font in which each of these letters is a square of one em; returns `path`."""
    names = [".notdef", *(f"u{ord(letter):X}" for letter in dict.fromkeys(letters))]
    pen = TTGlyphPen(None)
    pen.moveTo((100, 0))
    for corner in ((100, 800), (900, 800), (900, 0)):
        pen.lineTo(corner)
    pen.closePath()
    square = pen.glyph()
    font = FontBuilder(1000)
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord(letter): f"u{ord(letter):X}" for letter in letters})
    font.setupGlyf(dict.fromkeys(names, square))
    font.setupHorizontalMetrics(dict.fromkeys(names, (1000, 100)))
    font.setupHorizontalHeader(ascent=900, descent=-200)
    font.setupOS2(sTypoAscender=900, sTypoDescender=-200, usWinAscent=900, usWinDescent=200)
    font.setupNameTable({"familyName": "Small", "styleName": "Regular"})
    font.setupPost()
    font.save(path)
    return path
