"""Writes the packaged faces: Inter and JetBrains Mono with the emoji and symbols of Noto, and a face for East Asia.

Their metrics are written beside them, which the program reads at each start.

    .venv/bin/python packaging/fonts.py FOLDER

FOLDER holds the fonts as their makers publish them: Inter-Regular.otf, Inter-SemiBold.otf (Inter 3.19),
JetBrainsMono-Regular.ttf (2.304), and of the npm packages @expo-google-fonts/noto-emoji, -noto-sans-symbols,
-noto-sans-symbols-2 and -noto-sans-math NotoEmoji_400Regular.ttf, NotoSansSymbols_400Regular.ttf,
NotoSansSymbols2_400Regular.ttf and NotoSansMath_400Regular.ttf, and of -noto-sans-sc and -noto-sans-kr
NotoSansSC_400Regular.ttf and NotoSansKR_400Regular.ttf. The result is committed; all are under the SIL Open Font
License, and no file keeps a reserved name.

The glyphs are added to the faces, because Dear PyGui draws a text box, a menu or a button with one font: with separate
fonts a prompt that holds one emoji would show either its letters or the emoji. The semibold face stays as it is: it
only draws titles, which are split by font. The characters of East Asia are a file of their own, with Latin letters:
5 MB that only a text that needs them has to read, and only where the system has no font for them.
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
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

from opentine_gui.assets import asset_path
from opentine_gui.scene.text.font_file import METRICS_SUFFIX, kept_metrics
from opentine_gui.scene.text.font_metrics import FACES
from opentine_gui.scene.text.font_reader import read_font

FONTS = Path(__file__).parents[1] / "opentine_gui" / "assets" / "fonts"
EMOJI = "NotoEmoji_400Regular.ttf"
SYMBOLS = ("NotoSansSymbols2_400Regular.ttf", "NotoSansSymbols_400Regular.ttf", "NotoSansMath_400Regular.ttf")
# Unicode blocks: punctuation to arrows, operators, technical, box drawing to dingbats, Braille (which terminals draw
# progress with), further arrows, letters of mathematics, enclosed letters, and all pictographs.
WANTED = (
    (0x2010, 0x28FF), (0x2900, 0x297F), (0x2B00, 0x2BFF), (0x1D400, 0x1D7FF), (0x1F100, 0x1F6FF), (0x1F7E0, 0x1F7FF),
    (0x1F900, 0x1F9FF), (0x1FA70, 0x1FAFF), (0xFFFD, 0xFFFD),
)  # fmt: skip
EAST_ASIAN = (
    ("gb2312", range(0xA1, 0xF8)), ("big5", range(0xA1, 0xC7)), ("euc_jp", range(0xA1, 0xD0)),
    ("euc_kr", range(0xA1, 0xC9)),
)  # fmt: skip
"""The first bytes, in their old encodings, of the characters in common use: GB 2312, Big5 and JIS X 0208 to the end of
their first levels, and the syllables of KS X 1001."""
MATHEMATICAL = (0x1D400, 0x1D7FF)
"""Letters of mathematics, which the face for East Asia leaves out."""
DRAWN_WITH_LINES = (0x2500, 0x259F)
"""Box drawing and blocks: from the mono face."""


def main(folder: Path) -> None:
    """Write the faces that take glyphs into the package, and copy the one that does not."""
    write(folder, "Inter-Regular.otf", others=("JetBrainsMono-Regular.ttf",))
    write(folder, "JetBrainsMono-Regular.ttf", others=("Inter-Regular.otf",), cell=600)
    (FONTS / "Inter-SemiBold.otf").write_bytes((folder / "Inter-SemiBold.otf").read_bytes())
    write_east_asian(folder)
    write_metrics()


def write_metrics() -> None:
    """Keep the metrics of every packaged face beside it."""
    for name in FACES.values():
        path = asset_path(name)
        path.with_name(path.name + METRICS_SUFFIX).write_bytes(kept_metrics(read_font(path)))


def write_east_asian(folder: Path) -> None:
    """Write the face with Chinese characters, kana and Hangul in common use, the Latin letters of the same font, and
    emoji and signs, since a text box has one font for all of its text.
    """
    wanted = set(range(0x20, 0x7F)).union(range(0xA1, 0x180), *(characters(*part) for part in EAST_ASIAN))
    font, korean = TTFont(folder / "NotoSansSC_400Regular.ttf"), TTFont(folder / "NotoSansKR_400Regular.ttf")
    subset(font, wanted)
    glyphs, of = korean.getGlyphSet(), korean.getBestCmap()
    order = list(font.getGlyphOrder())
    for code in sorted(wanted.intersection(of).difference(font.getBestCmap())):
        name = f"u{code:05X}.korean"
        add(font, name, code, glyphs[of[code]], glyphs, Transform(), korean["hmtx"][of[code]][0])
        order.append(name)
    sources = {source: TTFont(folder / source) for source in (EMOJI, *SYMBOLS)}
    taken = font.getBestCmap()
    beyond = CmapSubtable.newSubtable(12)  # emoji have no place in a table of two-byte characters
    beyond.platformID, beyond.platEncID, beyond.language, beyond.cmap = 3, 10, 0, dict(taken)
    font["cmap"].tables.append(beyond)
    for code, source in owned(sources):
        if code in taken or MATHEMATICAL[0] <= code <= MATHEMATICAL[1]:
            continue
        signs, glyph = sources[source].getGlyphSet(), sources[source].getBestCmap()[code]
        scale = font["head"].unitsPerEm / sources[source]["head"].unitsPerEm
        advance = round(sources[source]["hmtx"][glyph][0] * scale)
        add(font, f"u{code:05X}.noto", code, signs[glyph], signs, Transform(scale, 0, 0, scale, 0, 0), advance)
        order.append(f"u{code:05X}.noto")
    font.setGlyphOrder(order)
    font["post"].formatType = 3.0
    font.save(FONTS / "NotoSans-EastAsian.ttf")
    count, size = len(font.getBestCmap()), (FONTS / "NotoSans-EastAsian.ttf").stat().st_size
    print(f"NotoSans-EastAsian.ttf: {count:,} characters, {size:,} bytes")


def characters(encoding: str, first_bytes: range) -> set[int]:
    """The code points of the two-byte characters of an encoding that begin with these bytes."""
    pairs = (bytes((first, second)) for first in first_bytes for second in range(0x40, 0xFF))
    return {ord(char) for pair in pairs for char in pair.decode(encoding, "ignore") if len(char) == 1}


def subset(font: TTFont, codes: set[int]) -> None:
    """Keep the glyphs of these code points and what every font needs; no hints, and text is not shaped."""
    options = Options()
    options.hinting, options.layout_features, options.notdef_outline = False, [], True
    options.drop_tables += ["vhea", "vmtx", "BASE", "GDEF", "GPOS", "GSUB", "STAT", "gasp", "prep"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)


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
