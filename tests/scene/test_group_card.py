"""What a card of several steps says stays clear of its strip of bars, at every zoom at which it is read."""

from __future__ import annotations

import pytest

from opentine_gui.scene.cards import CardFace, draw_card
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.draw_list import Rect, Text
from opentine_gui.scene.group_strip import Bar, Group
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK

METRICS = FontMetrics()
DESCENT = 0.45
"""Of the em, from the middle of a line to the foot of its letters that hang below it."""


@pytest.mark.parametrize("zoom", [0.6, 0.65, 0.74, 0.8, 1.0, 1.4])
@pytest.mark.parametrize("found", ["", "Two critical issues that should be mended"])
def test_the_quiet_lines_do_not_touch_the_strip(zoom: float, found: str) -> None:
    quiet = "read 7 · edited 2 files"
    bars = tuple(Bar("tool", 1.0) for _ in range(12))
    face = CardFace(
        kind="model",
        title="Review the hook chaining and the quality of its code at length",
        line=quiet,
        group=Group(31, bars, found=found),
    )
    wide, high = 220 * zoom, 80 * zoom
    items = draw_card(face, 0.0, 0.0, wide, high, zoom, Level.CARD, DARK, METRICS)
    bar = DARK.role("tool")
    strip = min(item.y0 for item in items if isinstance(item, Rect) and item.fill == bar)
    lines = [item for item in items if isinstance(item, Text) and item.text[:4] in ("read", "→ Tw", quiet[:4])]
    assert lines, "there is room for one of them"
    for line in lines:
        middle = line.y + METRICS.line_height(line.face, line.size) / 2
        assert middle + DESCENT * line.size <= strip, (line.text, zoom)
