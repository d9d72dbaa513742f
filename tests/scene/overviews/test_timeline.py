"""The time strip: rows of parallel work, shortened pauses, and a bounded number of bars."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from opentine_gui.core.analysis.call_table import Phase
from opentine_gui.core.structure.work_times import possible_lengths
from opentine_gui.scene.overviews.time_axis import MOST_TICKS, stretches, ticks
from opentine_gui.scene.overviews.timeline import MOST_ROWS, NARROWEST, bars, step_at, timeline, zoomed

T0 = 1_770_000_000.0


def line_of(*spans: tuple[float, float]):  # type: ignore[no-untyped-def]
    """A timeline of (start, end) pairs in seconds after T0."""
    made = timeline([T0 + end for _, end in spans], [end - start for start, end in spans])
    assert made is not None
    return made


def test_a_bar_ends_when_its_step_was_recorded() -> None:
    # seconds: 0    5    10
    #          |-0--|-1--|
    line = line_of((0, 5), (5, 10))
    assert line.first == T0
    assert line.last == T0 + 10
    assert np.allclose(line.starts, [0.0, 0.5])
    assert np.allclose(line.ends, [0.5, 1.0])
    assert line.row_count == 1


def test_parallel_work_stands_in_rows_below_each_other() -> None:
    # row 0: |---0------|
    # row 1:   |-1--|-3-|
    # row 2:   |-2-|
    line = line_of((0, 10), (2, 6), (2, 5), (6, 9))
    rows = dict(zip(line.steps.tolist(), line.rows.tolist(), strict=True))
    assert rows[0] == 0
    assert {rows[1], rows[2]} == {1, 2}
    assert rows[3] in (1, 2)
    assert line.row_count == 3


def test_nothing_recorded_gives_no_timeline() -> None:
    assert timeline([], []) is None
    assert timeline([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]) is None
    assert timeline([T0], [1.0]) is None
    assert timeline([T0, T0], [0.0, 0.0]) is None


def test_steps_without_a_time_are_left_out() -> None:
    line = timeline([T0 + 1, 0.0, T0 + 3], [1.0, 1.0, 1.0])
    assert line is not None
    assert sorted(line.steps.tolist()) == [0, 2]


def test_a_night_between_two_sessions_does_not_squeeze_the_work() -> None:
    night = 10 * 3600.0
    line = line_of((0, 100), (100, 200), (night, night + 100))
    assert len(line.pauses) == 1
    assert line.pauses[0][1] == night - 200
    widths = line.ends - line.starts
    assert widths.min() > 0.25


def test_a_short_wait_keeps_its_true_width() -> None:
    line = line_of((0, 10), (15, 20))
    assert line.pauses == ()
    assert np.allclose(line.starts, [0.0, 0.75])


def test_few_steps_get_a_bar_each() -> None:
    line = line_of((0, 5), (5, 10))
    found = bars(line, 100, [1, 2], [0, 1])
    assert [(bar.step, bar.kind, bar.failed) for bar in found] == [(0, 1, False), (1, 2, True)]


def test_one_failure_among_many_steps_keeps_its_column() -> None:
    count = 20_000
    failed = np.zeros(count, dtype=np.uint8)
    failed[12_345] = 1
    line = timeline(T0 + np.arange(count) + 1.0, np.full(count, 0.9))
    assert line is not None
    found = bars(line, 800, np.zeros(count, dtype=np.int64), failed)
    assert [(bar.step, bar.x1 - bar.x0) for bar in found if bar.failed] == [(12_345, NARROWEST)]


def test_a_short_failure_is_drawn_over_what_follows_and_is_what_a_press_finds() -> None:
    width, failed = 100, [0, 1, 0]
    line = line_of((0, 50), (50, 50.1), (50.1, 100))
    found = bars(line, width, [0, 0, 0], failed)
    last = found[-1]
    assert (last.step, last.failed, last.x1 - last.x0) == (1, True, NARROWEST)
    middle = (last.x0 + last.x1) / 2 / width
    assert step_at(line, middle, last.row, 4 / width, width, failed) == 1
    assert step_at(line, middle, last.row, 4 / width, width) == 2, "the one drawn last, if none failed"


# In milliseconds: a recorded time of today resolves no finer than 0.24 microseconds.
spans = st.lists(
    st.tuples(st.integers(0, 1_000_000), st.integers(0, 300_000)).map(
        lambda pair: (pair[0] / 1000, (pair[0] + pair[1]) / 1000)
    ),
    min_size=2,
    max_size=60,
)


@given(spans, st.integers(1, 300))
def test_bars_stay_in_the_strip_and_never_outnumber_its_columns(pairs: list[tuple[float, float]], width: int) -> None:
    line = timeline([T0 + end for _, end in pairs], [end - start for start, end in pairs])
    if line is None:
        return
    assert line.row_count <= MOST_ROWS
    assert line.rows.max() < line.row_count
    assert line.starts.min() >= -1e-9
    assert line.ends.max() <= 1 + 1e-9
    found = bars(line, width, [n % 9 for n in range(len(pairs))], [0] * len(pairs))
    for row in range(line.row_count):
        inside = [bar for bar in found if bar.row == row]
        assert len(inside) <= width
        assert all(bar.x0 >= 0 and bar.x1 <= width for bar in inside)


@given(spans)
@example([(0.0, 0.001), (0.0, 0.0), (902.73, 999.809)])
def test_bars_of_one_row_do_not_overlap_unless_all_rows_are_taken(pairs: list[tuple[float, float]]) -> None:
    line = timeline([T0 + end for _, end in pairs], [end - start for start, end in pairs])
    if line is None:
        return
    for row in range(MOST_ROWS - 1):
        members = np.flatnonzero(line.rows == row)
        members = members[np.argsort(line.starts[members], kind="stable")]
        assert np.all(line.starts[members][1:] >= line.ends[members][:-1] - 1e-5)


def test_the_step_under_the_pointer_is_found_by_its_bar() -> None:
    line = line_of((0, 10), (2, 6))
    assert step_at(line, 0.05, None, 0.0) == 0
    assert step_at(line, 0.4, 1, 0.0) == 1
    assert step_at(line, 0.9, 1, 0.0) is None
    assert step_at(line, 0.9, 1, 0.5) == 1


def test_a_press_on_a_bar_of_the_least_width_finds_its_step_and_not_the_next() -> None:
    width = 100
    line = line_of((0, 0.1), (4, 4.1), (8, 100))  # drawn from 0 to 3 and from 4 to 7
    for bar in bars(line, width, [0, 0, 0], [False] * 3):
        for share in (0.02, 0.5, 0.98):
            x = bar.x0 + share * (bar.x1 - bar.x0)
            assert step_at(line, x / width, bar.row, 4 / width, width) == bar.step
    assert step_at(line, 3.6 / width, 0, 4 / width, width) == 1  # between two, the nearer


def test_waiting_of_more_than_five_minutes_is_left_out_however_long_the_work_is() -> None:
    hour = 3600.0
    line = line_of((0, 5 * hour), (5 * hour + 400, 10 * hour), (10 * hour + 200, 11 * hour))
    assert [seconds for _, seconds in line.pauses] == [400.0]


def test_each_sub_agent_keeps_to_a_row_below_those_of_the_main_agent() -> None:
    # main  |-0-|           |-5-|
    # agent     |-1-||-3-|
    # agent      |-2-||-4-|
    spans = [(0, 4), (4, 8), (5, 9), (8, 12), (9, 13), (14, 18)]
    agents = [-1, 1, 2, 1, 2, -1]
    line = timeline([T0 + end for _, end in spans], [end - begin for begin, end in spans], agents)
    assert line is not None
    rows = dict(zip(line.steps.tolist(), line.rows.tolist(), strict=True))
    assert line.agent_row == 1
    assert rows == {0: 0, 1: 1, 2: 2, 3: 1, 4: 2, 5: 0}


@given(st.lists(st.tuples(st.floats(0, 5_000), st.floats(0, 900)), min_size=2, max_size=30), st.floats(0, 0.8))
def test_a_zoomed_strip_shows_the_same_times_at_the_places_moved(
    spans: list[tuple[float, float]], begin: float
) -> None:
    line = timeline([T0 + end + length for end, length in spans], [length for _, length in spans])
    if line is None:
        return
    part = zoomed(line, begin, begin + 0.2)
    assert set(part.steps.tolist()) <= set(line.steps.tolist())
    assert np.all((part.starts >= 0) & (part.ends <= 1) & (part.starts <= part.ends))
    assert abs(float(part.time_at(0.5)) - float(line.time_at(begin + 0.1))) < 1e-3
    assert zoomed(line, 0.0, 1.0) is line


@given(st.lists(st.tuples(st.floats(0, 90_000), st.floats(0, 900)), min_size=2, max_size=30), st.integers(50, 2_000))
def test_times_on_the_axis_are_round_and_apart(spans: list[tuple[float, float]], width: int) -> None:
    line = timeline([T0 + end + length for end, length in spans], [length for _, length in spans])
    if line is None:
        return
    found = ticks(line, width, 80.0)
    assert len(found) <= MOST_TICKS
    assert all(later.x - before.x >= 80.0 for before, later in itertools.pairwise(found))
    assert all(0 <= tick.x <= width and tick.seconds == int(tick.seconds) for tick in found)


def test_a_stretch_is_for_what_most_of_its_calls_are_for() -> None:
    line = line_of((0, 10), (10, 20), (20, 30), (1_000, 1_010))
    found = stretches(line, 100, [Phase.FIND, Phase.FIND, Phase.CHANGE, Phase.CHECK])
    assert [stretch.phase for stretch in found] == [Phase.FIND, Phase.CHANGE, Phase.CHECK]
    assert found[0].x1 == found[1].x0
    assert found[1].x1 < found[2].x0  # waiting is for nothing
    assert stretches(line, 100, [0, 0, 0, 0]) == []


def test_nothing_is_drawn_where_a_row_of_a_crowded_strip_is_empty() -> None:
    spans = [(number, number + 0.5) for number in range(100)]
    agents = [1 if number == 50 else -1 for number in range(100)]
    line = timeline([T0 + end for _, end in spans], [end - begin for begin, end in spans], agents)
    assert line is not None
    kinds = np.full(100, 2, dtype=np.uint8)
    row = [bar for bar in bars(line, 100, kinds, np.zeros(100, dtype=bool)) if bar.row == 1]
    assert [(bar.step, bar.x1 - bar.x0 <= 2) for bar in row] == [(50, True)]


def test_no_bar_begins_before_what_it_rests_on_began() -> None:
    """The call of a sub-agent in the background has the time of its whole work, but was answered at once."""
    ends, lengths = [T0 + 10, T0 + 12, T0 + 900], [4.0, 600.0, 880.0]
    parents = [(), (0,), (1,)]
    cut = possible_lengths(ends, lengths, parents)
    assert cut.tolist() == [4.0, 6.0, 880.0]  # the second is cut to the beginning of the first, the third stays
    assert possible_lengths([0.0, T0], [5.0, 5.0], [(), (0,)]).tolist() == [5.0, 5.0]  # nothing is known of a parent
    assert possible_lengths([T0 + 50, T0], [1.0, 20.0], [(), (0,)]).tolist() == [1.0, 0.0]  # of another clock
