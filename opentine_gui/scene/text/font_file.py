"""The metrics of a font file, and how those of the packaged faces are kept beside them (`packaging/fonts.py`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import groupby
from typing import NamedTuple

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


def metrics_from(kept: bytes) -> FontFile:
    """What `kept_metrics` wrote. ValueError, KeyError or TypeError for anything else."""
    font = json.loads(kept)
    advances: dict[int, int] = {}
    for first, last, advance in font.pop("runs"):
        if first == last:
            advances[first] = advance
        else:
            advances.update(dict.fromkeys(range(first, last + 1), advance))
    return FontFile(advances=advances, **font)


def kept_metrics(font: FontFile) -> bytes:
    """A font's metrics as JSON with a run of characters of one width a line: first and last code point, advance."""
    codes = sorted(font.advances)
    runs = []
    for (_, advance), found in groupby(enumerate(codes), lambda at: (at[1] - at[0], font.advances[at[1]])):
        run = [code for _, code in found]
        runs.append((run[0], run[-1], advance))
    figures = {name: value for name, value in font._asdict().items() if name != "advances"}
    lines = ",\n".join(json.dumps(run, separators=(",", ":")) for run in runs)
    return f'{json.dumps(figures)[:-1]}, "runs": [\n{lines}\n]}}\n'.encode()
