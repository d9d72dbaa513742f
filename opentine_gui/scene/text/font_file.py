"""Read what text measuring needs from a TrueType or OpenType file: advances by character, vertical metrics.

Advances are unhinted and unkerned, as the text renderer of Dear ImGui places glyphs.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from fontTools.misc import sstruct
from fontTools.ttLib import TTFont, TTLibError

# What fontTools lets out for a file that is not as it should be, besides its own TTLibError.
_BROKEN = (
    TTLibError, sstruct.Error, struct.error, ArithmeticError, AssertionError, AttributeError, EOFError, LookupError,
    TypeError, ValueError,
)  # fmt: skip
# fontTools tells of every oddity of a font it can read; nobody who reads a run can do anything about those.
logging.getLogger("fontTools").setLevel(logging.CRITICAL)


class FontFile(NamedTuple):
    """Metrics in font units: `advances` by code point, and `missing`, the advance of the box in place of all others."""

    units_per_em: int
    ascent: int
    descent: int
    cap_height: int
    advances: Mapping[int, int]
    missing: int

    def advance(self, code_point: int) -> int:
        """Return the advance of a character in font units; that of the missing-glyph box if the font lacks it."""
        return self.advances.get(code_point, self.missing)


def read_font(path: Path) -> FontFile:
    """Read a .ttf, .otf or the first font of a .ttc file; ValueError names the file and what is wrong with it."""
    with path.open("rb") as file:
        try:
            return _metrics(TTFont(file, fontNumber=0, lazy=True))
        except _BROKEN as cause:
            raise ValueError(f"{path} is not a usable TrueType or OpenType font: {cause!r}") from cause


def _metrics(font: TTFont) -> FontFile:
    # fontTools joins its tables by the names of glyphs. Made-up ones spare reading the font's own: 130 ms with CFF.
    names = [f"glyph{number:05}" for number in range(font["maxp"].numGlyphs)]
    font.setGlyphOrder(names)
    metrics = font["hmtx"].metrics
    last = metrics[names[-1]]
    advances = {code: metrics.get(name, last)[0] for code, name in (font.getBestCmap() or {}).items()}
    units = font["head"].unitsPerEm
    if not units:
        raise TTLibError("its em has no units")
    cap_height = getattr(font["OS/2"], "sCapHeight", 0) if "OS/2" in font else 0
    hhea = font["hhea"]
    return FontFile(units, hhea.ascent, -hhea.descent, cap_height or round(0.7 * units), advances, metrics[names[0]][0])
