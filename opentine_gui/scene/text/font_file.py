"""The metrics of a font file, and how those of the packaged faces are kept beside them (`packaging/fonts.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import NamedTuple

import msgspec

METRICS_SUFFIX = ".metrics.json"
"""Added to a packaged face's name: to read its metrics from the font itself takes 40 ms at every start."""


class FontFile(NamedTuple):
    """Metrics of a font in font units: `advances` by code point; `missing` is the advance of the missing-glyph box."""

    units_per_em: int
    ascent: int
    descent: int
    cap_height: int
    advances: Mapping[int, int]
    missing: int

    def advance(self, code_point: int) -> int:
        """Return the advance of a character in font units; that of the missing-glyph box if the font lacks it."""
        return self.advances.get(code_point, self.missing)


class _Kept(msgspec.Struct):
    """A font file's metrics as they are kept; `runs` are (first code point, last code point, their advance)."""

    units_per_em: int
    ascent: int
    descent: int
    cap_height: int
    missing: int
    runs: list[tuple[int, int, int]]


def metrics_from(kept: bytes) -> FontFile:
    """What `kept_metrics` wrote. ValueError (msgspec's) for anything else."""
    font = msgspec.json.decode(kept, type=_Kept)
    advances: dict[int, int] = {}
    for first, last, advance in font.runs:
        if first == last:
            advances[first] = advance
        else:
            advances.update(dict.fromkeys(range(first, last + 1), advance))
    return FontFile(font.units_per_em, font.ascent, font.descent, font.cap_height, advances, font.missing)


def kept_metrics(font: FontFile) -> bytes:
    """A font's metrics as JSON with a run of characters of one width a line."""
    codes = sorted(font.advances)
    runs = []
    for (_, advance), found in groupby(enumerate(codes), lambda at: (at[1] - at[0], font.advances[at[1]])):
        run = [code for _, code in found]
        runs.append((run[0], run[-1], advance))
    kept = _Kept(font.units_per_em, font.ascent, font.descent, font.cap_height, font.missing, [])
    lines = ",\n".join(msgspec.json.encode(run).decode() for run in runs)
    return msgspec.json.encode(kept)[: -len("[]}")] + f"[\n{lines}\n]}}\n".encode()
