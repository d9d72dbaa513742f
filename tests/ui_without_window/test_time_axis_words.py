"""The words below a time strip: a clock time in every stretch of work, the day where it changes, what is left out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from opentine_gui.scene.draw_list import Line, Text
from opentine_gui.scene.overviews.time_axis import ticks
from opentine_gui.scene.overviews.timeline import Timeline, bars, timeline
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.panels.time_strip.axis import NEAREST, Word, axis_words, draw_axis
from opentine_gui.ui.panels.time_strip.drawing import draw_bar_words, draw_names
from opentine_gui.ui.panels.time_strip.places import places_of
from opentine_gui.ui.toolkit.sheet import Pen
from opentine_gui.ui.toolkit.style import Style

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0
NINE = 1_770_022_800.0
"""9:00 UTC on 2 February 2026."""


def strip(*spans: tuple[float, float], parts: list[int] | None = None) -> Timeline:
    """Steps from and to, in seconds after nine."""
    line = timeline([NINE + end for _, end in spans], [end - begin for begin, end in spans], parts=parts)
    assert line is not None
    return line


def words(line: Timeline, width: float = 1_200.0) -> list[Word]:
    """The words, each letter of which is six pixels wide."""
    return axis_words(line, width, ticks(line, width, 84.0), lambda text, _face: 6.0 * len(text), 1.0)


def times(found: list[Word]) -> list[str]:
    return [word.text for word in found if word.tick is not None]


def test_every_stretch_between_pauses_has_a_clock_time() -> None:
    # work:  09:00-09:20     09:41-09:49     11:01-11:09     11:31-11:51
    spans = ((0, 20), (41, 49), (121, 129), (151, 171))
    found = words(strip(*((begin * MINUTE, end * MINUTE) for begin, end in spans)))
    assert [word.text for word in found if word.tick is None] == ["pause 21 min", "pause 1 h 12 min", "pause 22 min"]
    told = times(found)
    assert any("09:41" <= text <= "09:49" for text in told)
    assert any("11:01" <= text <= "11:09" for text in told)
    assert any("11:31" <= text <= "11:51" for text in told)


def test_pauses_are_named_in_short_where_a_time_needs_the_room() -> None:
    spans = [(number * 20 * MINUTE, number * 20 * MINUTE + 2 * MINUTE) for number in range(12)]
    roomy, narrow = words(strip(*spans), 2_400.0), words(strip(*spans), 1_000.0)
    assert "pause 18 min" in [word.text for word in roomy]
    assert "pause 18 min" not in [word.text for word in narrow]
    assert len(times(narrow)) == 12


@pytest.mark.parametrize("width", [200.0, 450.0, 900.0, 1_600.0])
@pytest.mark.parametrize("seed", range(6))
def test_no_words_overlap(seed: int, width: float) -> None:
    random = np.random.default_rng(seed)
    at, spans = 0.0, []
    for _ in range(14):
        at += float(random.choice([30.0, 400.0, 3_000.0, 40_000.0]))
        spans.append((at, at + float(random.choice([5.0, 100.0, 900.0]))))
        at = spans[-1][1]
    found = words(strip(*spans), width)
    assert found
    assert all(before.end <= after.x for before, after in pairwise(found))


def test_the_day_is_shown_where_it_changes_and_only_there() -> None:
    assert all(len(text) == 5 for text in times(words(strip((0, HOUR), (2 * HOUR, 3 * HOUR)))))
    found = times(words(strip((0, HOUR), (DAY, DAY + HOUR), (DAY + 2 * HOUR, DAY + 3 * HOUR))))
    assert [text[:8] for text in found if " Feb" in text] == ["2 Feb 09", "3 Feb 09"]
    found = times(words(strip((0, HOUR), (365 * DAY, 365 * DAY + HOUR))))
    assert [text[:10] for text in found if "Feb" in text] == ["2 Feb 2026", "2 Feb 2027"]


def test_a_last_stretch_too_narrow_for_its_time_says_it_at_the_edge() -> None:
    # work:  09:00-10:00     12:00-12:01
    found = words(strip((0, HOUR), (3 * HOUR, 3 * HOUR + 1.6 * MINUTE)), 1_000.0)
    last = found[-1]
    assert last.text == "12:00"
    assert last.end <= 1_000.0
    assert last.tick is not None
    assert last.x < last.tick


def test_the_own_steps_of_a_fork_are_a_part_of_their_own_and_no_pause() -> None:
    line = strip((0, HOUR), (2 * HOUR, 3 * HOUR), (367 * DAY, 367 * DAY + HOUR), parts=[0, 0, 1])
    assert [seconds for _, seconds in line.pauses] == [HOUR]
    assert len(line.forks) == 1
    assert [word.text for word in words(line) if word.tick is None] == ["pause 1 h", "fork"]
    assert line.work_between(NINE, NINE + 400 * DAY) == 3 * HOUR


def test_the_lines_of_many_pauses_stand_apart_and_are_no_curtain_over_the_steps() -> None:
    spans = [(number * 20 * MINUTE, number * 20 * MINUTE + 2 * MINUTE) for number in range(400)]
    pen, line = Pen(Style(DARK, FontMetrics(), 1.0), None), strip(*spans)
    at = places_of(1_200.0, 90.0, 1.0, 14.0, 1)
    draw_axis(pen, line, (), at)
    dashes = sorted({item.points[0][0] for item in pen.items if isinstance(item, Line)})
    assert NEAREST >= 10.0
    assert min(right - left for left, right in pairwise(dashes)) >= NEAREST - 1  # lines stand on whole pixels
    assert len(dashes) > 60


def test_long_bars_say_what_was_done_unless_others_lie_over_them() -> None:
    line = strip((0, 10 * MINUTE), (2 * MINUTE, 9 * MINUTE), (11 * MINUTE, 19 * MINUTE), (19.5 * MINUTE, 20 * MINUTE))
    at = places_of(1_200, 110, 1.0, 14.0, line.row_count)
    shown = [bar._replace(row=0) for bar in bars(line, int(at.width), np.zeros(4, dtype=np.int8), np.zeros(4))]
    pen = Pen(Style(DARK, FontMetrics(), 1.0), None)
    draw_bar_words(pen, shown, at, line, lambda step: f"work {step}")
    assert [item.text for item in pen.items if isinstance(item, Text)] == ["work 2"]


def test_the_main_agent_is_named_once_for_all_its_rows() -> None:
    at = places_of(1_200, 130, 1.0, 14.0, 4)
    for main_rows in (1, 2):
        pen = Pen(Style(DARK, FontMetrics(), 1.0), None)
        draw_names(pen, at, "main agent", main_rows, ("Review it", "Test it"), "")
        lines = [item for item in pen.items if isinstance(item, Line)]
        spans = [(line.points[0][1], line.points[-1][1]) for line in lines]
        assert len(spans) == main_rows - 1
        assert all(at.top <= y0 < at.top + at.pitch < y1 <= at.top + 2 * at.pitch for y0, y1 in spans)
        middles = {item.text: item.y for item in pen.items if isinstance(item, Text)}
        assert middles["Review it"] - middles["main agent"] == pytest.approx((main_rows + 1) / 2 * at.pitch, abs=1)
