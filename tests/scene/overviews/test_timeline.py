"""The time strip: rows of parallel work, shortened pauses, and a bounded number of bars."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.scene.overviews.timeline import MOST_ROWS, bars, step_at, timeline

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
    assert [bar.step for bar in found if bar.failed] == [12_345]


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
