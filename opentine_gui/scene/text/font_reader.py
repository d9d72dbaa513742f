"""Reads the metrics of TrueType and OpenType files with fontTools: fonts of the system, and the packaged faces once."""

from __future__ import annotations

import logging
import struct
from pathlib import Path

import numpy as np
from fontTools.misc import sstruct
from fontTools.ttLib import TTFont, TTLibError

from opentine_gui.scene.text.font_file import FontFile

# What fontTools raises for malformed files, besides its own TTLibError.
_BROKEN = (
    TTLibError, sstruct.Error, struct.error, ArithmeticError, AssertionError, AttributeError, EOFError, LookupError,
    TypeError, ValueError,
)  # fmt: skip
# fontTools logs every oddity of the fonts it reads, which users cannot do anything about.
logging.getLogger("fontTools").setLevel(logging.CRITICAL)


def read_font(path: Path) -> FontFile:
    """Read a .ttf, .otf or the first font of a .ttc file; ValueError names the file and what is wrong with it."""
    with path.open("rb") as file:
        try:
            return _read_metrics(TTFont(file, fontNumber=0, lazy=True))
        except _BROKEN as cause:
            raise ValueError(f"{path} is not a usable TrueType or OpenType font: {cause!r}") from cause


def _read_metrics(font: TTFont) -> FontFile:
    # fontTools joins its tables by glyph names. Invented names save reading the font's own: 130 ms with CFF.
    names = [f"glyph{number:05}" for number in range(font["maxp"].numGlyphs)]
    font.setGlyphOrder(names)
    hhea = font["hhea"]
    # Pairs of advance and side bearing; later glyphs have the last advance. Fonttools makes objects of them: 10 ms.
    widths = np.frombuffer(font.reader["hmtx"], ">u2", 2 * hhea.numberOfHMetrics)[::2].tolist()
    last = len(widths) - 1
    advances = {code: widths[min(int(name[5:]), last)] for code, name in (font.getBestCmap() or {}).items()}
    units = font["head"].unitsPerEm
    if not units:
        raise TTLibError("its em has no units")
    cap_height = getattr(font["OS/2"], "sCapHeight", 0) if "OS/2" in font else 0
    return FontFile(units, hhea.ascent, -hhea.descent, cap_height or round(0.7 * units), advances, widths[0])
