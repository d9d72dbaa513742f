"""Read what text measuring needs from a TrueType or OpenType file: advances, character map, vertical metrics.

Only the tables head, hhea, hmtx, cmap and OS/2 (OpenType specification 1.9) are looked at. Advances are unhinted and
unkerned, as the text renderer of Dear ImGui places glyphs.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

LAST_CODE_POINT = 0x10FFFF


class Groups(Mapping[int, int]):
    """Code points to glyph numbers as a font has them: runs of both. A text asks for few of the thousands there are."""

    def __init__(self, starts: Sequence[int], ends: Sequence[int], glyphs: Sequence[int]) -> None:
        """Take over columns: first and last code point of each run, ascending, and the glyph of the first."""
        self._starts, self._ends, self._glyphs = starts, ends, glyphs

    def __getitem__(self, code_point: int) -> int:
        place = bisect_right(self._starts, code_point) - 1
        if place < 0 or code_point > self._ends[place]:
            raise KeyError(code_point)
        return self._glyphs[place] + code_point - self._starts[place]

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(map(range, self._starts, (end + 1 for end in self._ends)))

    def __len__(self) -> int:
        return sum(self._ends) - sum(self._starts) + len(self._ends)


class FontFile(NamedTuple):
    """Metrics in font units: `advances` by glyph number, `glyphs` from code point to glyph number."""

    units_per_em: int
    ascent: int
    descent: int
    cap_height: int
    advances: tuple[int, ...]
    glyphs: Mapping[int, int]

    def advance(self, code_point: int) -> int:
        """Return the advance of a character in font units; that of the missing-glyph box if the font lacks it."""
        glyph = self.glyphs.get(code_point, 0)
        return self.advances[min(glyph, len(self.advances) - 1)]


def read_font(path: Path) -> FontFile:
    """Read a .ttf, .otf or the first font of a .ttc file; ValueError names the file and what is wrong with it."""
    try:
        return _parse(path.read_bytes())
    except (struct.error, KeyError, IndexError) as cause:
        raise ValueError(f"{path} is not a usable TrueType or OpenType font: {cause!r}") from cause


def _parse(data: bytes) -> FontFile:
    start = struct.unpack_from(">I", data, 12)[0] if data[:4] == b"ttcf" else 0
    count = struct.unpack_from(">H", data, start + 4)[0]
    tables: dict[bytes, int] = {}
    for number in range(count):
        tag, _checksum, offset, _length = struct.unpack_from(">4sIII", data, start + 12 + 16 * number)
        tables[tag] = offset
    units = struct.unpack_from(">H", data, tables[b"head"] + 18)[0]
    ascent, descent = struct.unpack_from(">hh", data, tables[b"hhea"] + 4)
    metric_count = struct.unpack_from(">H", data, tables[b"hhea"] + 34)[0]
    pairs = struct.unpack_from(f">{2 * metric_count}H", data, tables[b"hmtx"])
    cap_height = round(0.7 * units)
    if b"OS/2" in tables and struct.unpack_from(">H", data, tables[b"OS/2"])[0] >= 2:
        cap_height = struct.unpack_from(">h", data, tables[b"OS/2"] + 88)[0] or cap_height
    return FontFile(units, ascent, -descent, cap_height, tuple(pairs[0::2]), _character_map(data, tables[b"cmap"]))


def _character_map(data: bytes, table: int) -> Mapping[int, int]:
    """The character map of Unicode: format 12 when the font has it, for it holds all that format 4 can."""
    count = struct.unpack_from(">H", data, table + 2)[0]
    places: dict[int, int] = {}
    for number in range(count):
        platform, _encoding, offset = struct.unpack_from(">HHI", data, table + 4 + 8 * number)
        if platform in (0, 3):
            places.setdefault(struct.unpack_from(">H", data, table + offset)[0], table + offset)
    if 12 in places:
        return _read_groups(data, places[12])
    return _read_segments(data, places[4]) if 4 in places else {}


def _read_segments(data: bytes, place: int) -> dict[int, int]:
    """Character map format 4: segments of the basic multilingual plane."""
    double = struct.unpack_from(">H", data, place + 6)[0]
    count = double // 2
    ends = struct.unpack_from(f">{count}H", data, place + 14)
    starts = struct.unpack_from(f">{count}H", data, place + 16 + double)
    deltas = struct.unpack_from(f">{count}H", data, place + 16 + 2 * double)
    ranges_at = place + 16 + 3 * double
    ranges = struct.unpack_from(f">{count}H", data, ranges_at)
    glyphs: dict[int, int] = {}
    for number, (start, end, delta, jump) in enumerate(zip(starts, ends, deltas, ranges, strict=True)):
        codes = range(start, min(end, 0xFFFE) + 1)
        if not jump:
            glyphs.update((code, code + delta & 0xFFFF) for code in codes if code + delta & 0xFFFF)
        elif codes:
            listed = struct.unpack_from(f">{len(codes)}H", data, ranges_at + 2 * number + jump)
            there = ((code, glyph + delta & 0xFFFF) for code, glyph in zip(codes, listed, strict=True) if glyph)
            glyphs.update((code, glyph) for code, glyph in there if glyph)
    return glyphs


def _read_groups(data: bytes, place: int) -> Groups:
    """Character map format 12: groups over all planes, which should ascend without touching."""
    count = min(struct.unpack_from(">I", data, place + 12)[0], 0x20000)
    values = struct.unpack_from(f">{3 * count}I", data, place + 16)
    starts, ends, glyphs = values[0::3], values[1::3], values[2::3]
    last = -1
    for start, end in zip(starts, ends, strict=True):
        if not last < start <= end <= LAST_CODE_POINT:
            return _put_right(starts, ends, glyphs)
        last = end
    return Groups(starts, ends, glyphs)


def _put_right(starts: Sequence[int], ends: Sequence[int], glyphs: Sequence[int]) -> Groups:
    """Groups of a font that is not as it should be: sorted, each without what lies in the one before or nowhere."""
    sound: list[tuple[int, int, int]] = []
    last = -1
    for start, end, glyph in sorted(zip(starts, ends, glyphs, strict=True)):
        first, end = max(start, last + 1), min(end, LAST_CODE_POINT)
        if first <= end:
            sound.append((first, end, glyph + first - start))
            last = end
    return Groups(*(tuple(column) for column in zip(*sound, strict=True))) if sound else Groups((), (), ())
