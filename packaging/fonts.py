"""Writes the packaged faces: Inter and JetBrains Mono with the emoji and symbols of Noto added to them.

    .venv/bin/python packaging/fonts.py FOLDER

FOLDER holds the fonts as their makers publish them: Inter-Regular.otf, Inter-SemiBold.otf (Inter 3.19),
JetBrainsMono-Regular.ttf (2.304), and of the npm packages @expo-google-fonts/noto-emoji, -noto-sans-symbols,
-noto-sans-symbols-2 and -noto-sans-math NotoEmoji_400Regular.ttf, NotoSansSymbols_400Regular.ttf,
NotoSansSymbols2_400Regular.ttf and NotoSansMath_400Regular.ttf. The result is committed; all are under the SIL Open
Font License without reserved names.

The glyphs are added to the faces, because Dear PyGui draws a text box, a menu or a button with one font: with separate
fonts a prompt that holds one emoji would show either its letters or the emoji. The semibold face stays as it is: it
only draws titles, which are split by font.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fontTools.misc.transform import Transform
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

FONTS = Path(__file__).parents[1] / "opentine_gui" / "assets" / "fonts"
EMOJI = "NotoEmoji_400Regular.ttf"
SYMBOLS = ("NotoSansSymbols2_400Regular.ttf", "NotoSansSymbols_400Regular.ttf", "NotoSansMath_400Regular.ttf")
# Unicode blocks: punctuation to arrows, operators, technical, box drawing to dingbats, Braille (which terminals draw
# progress with), further arrows, letters of mathematics, enclosed letters, and all pictographs.
WANTED = (
    (0x2010, 0x28FF), (0x2900, 0x297F), (0x2B00, 0x2BFF), (0x1D400, 0x1D7FF), (0x1F100, 0x1F6FF), (0x1F7E0, 0x1F7FF),
    (0x1F900, 0x1F9FF), (0x1FA70, 0x1FAFF), (0xFFFD, 0xFFFD),
)  # fmt: skip
DRAWN_WITH_LINES = (0x2500, 0x259F)
"""Box drawing and blocks: from the mono face."""


def main(folder: Path) -> None:
    """Write the faces that take glyphs into the package, and copy the one that does not."""
    write(folder, "Inter-Regular.otf", others=("JetBrainsMono-Regular.ttf",))
    write(folder, "JetBrainsMono-Regular.ttf", others=("Inter-Regular.otf",), cell=600)
    (FONTS / "Inter-SemiBold.otf").write_bytes((folder / "Inter-SemiBold.otf").read_bytes())


def write(folder: Path, name: str, others: tuple[str, ...], cell: int = 0) -> None:
    """Write one face; with `cell`, the advance of its characters, added glyphs take one cell or, if wide, two."""
    font = TTFont(folder / name)
    units, taken = font["head"].unitsPerEm, set(font.getBestCmap())
    sources = {source: TTFont(folder / source) for source in (EMOJI, *SYMBOLS, *others)}
    owners = {code: source for code, source in owned(sources) if code not in taken}
    order = list(font.getGlyphOrder())
    for code, source in sorted(owners.items()):
        of = sources[source]
        glyphs, glyph = of.getGlyphSet(), of.getBestCmap()[code]
        scale = units / of["head"].unitsPerEm
        advance = round(of["hmtx"][glyph][0] * scale)
        move = 0.0
        if cell:
            bounds = BoundsPen(glyphs)
            glyphs[glyph].draw(bounds)
            room = cell * (2 if is_wide(code) else 1)
            left, right = (bounds.bounds[0] * scale, bounds.bounds[2] * scale) if bounds.bounds else (0, advance)
            smaller = min(1.0, room / max(advance if advance <= 1.3 * room else right - left, 1))
            scale, move = scale * smaller, (room - (left + right) * smaller) / 2
            advance = room
        add(font, f"u{code:05X}.noto", code, glyphs[glyph], glyphs, Transform(scale, 0, 0, scale, move, 0), advance)
        order.append(f"u{code:05X}.noto")
    font.setGlyphOrder(order)
    for table in ("GSUB", "GPOS", "GDEF", "DSIG", "kern"):  # text is not shaped
        if table in font:
            del font[table]
    font["post"].formatType = 3.0
    font["name"].setName("With symbols and emoji of the Noto fonts added for opentine-gui.", 10, 3, 1, 0x409)
    font.save(FONTS / name)
    print(f"{name}: {len(owners)} glyphs added, {(FONTS / name).stat().st_size:,} bytes")


def owned(sources: dict[str, TTFont]) -> Iterator[tuple[int, str]]:
    """(code point, name of the font to take it from); pictures from the emoji face, signs from those of symbols."""
    maps = {name: font.getBestCmap() for name, font in sources.items()}
    for low, high in WANTED:
        for code in range(low, high + 1):
            if unicodedata.category(chr(code)) in ("Cf", "Cn", "Zs", "Zl", "Zp"):
                continue
            order = [name for name in sources if name != EMOJI]
            order.insert(0 if is_wide(code) else len(SYMBOLS), EMOJI)
            if DRAWN_WITH_LINES[0] <= code <= DRAWN_WITH_LINES[1]:
                order.reverse()
            owner = next((name for name in order if code in maps[name]), None)
            if owner is not None:
                yield code, owner


def is_wide(code: int) -> bool:
    """Whether the character takes two cells, as emoji do that are pictures by default."""
    return unicodedata.east_asian_width(chr(code)) in "WF"


def add(font: TTFont, name: str, code: int, glyph: Any, glyphs: Any, place: Transform, advance: int) -> None:
    """Add a glyph of another font: outlines become those of this font's kind, hints are left behind."""
    outline = DecomposingRecordingPen(glyphs)
    glyph.draw(outline)
    if "CFF " in font:
        top = font["CFF "].cff.topDictIndex[0]
        pen = T2CharStringPen(advance, None)
        outline.replay(TransformPen(pen, place))
        drawn = pen.getCharString(private=top.Private, globalSubrs=font["CFF "].cff.GlobalSubrs)
        strings = top.CharStrings
        strings.charStrings[name] = len(strings.charStringsIndex)
        strings.charStringsIndex.append(drawn)
        top.charset.append(name)
    else:
        pen = TTGlyphPen(None)
        outline.replay(TransformPen(Cu2QuPen(pen, 1.0), place))
        font["glyf"].glyphs[name] = pen.glyph()
        font["glyf"].glyphOrder.append(name)
    font["hmtx"][name] = (advance, 0)
    for table in font["cmap"].tables:
        if table.format == 12 or (table.format == 4 and code < 0x10000):
            table.cmap[code] = name


if __name__ == "__main__":
    main(Path(sys.argv[1]))
