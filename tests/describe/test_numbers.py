"""Numbers as people read them."""

from __future__ import annotations

import math
from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core import Totals
from opentine_gui.describe.numbers import (
    counted,
    format_bytes,
    format_cost,
    format_count,
    format_duration,
    format_time,
    format_tokens,
    rounded_time,
    total_cost,
)


@pytest.mark.parametrize(
    ("dollars", "text"),
    [
        (None, "not priced"), (0.0, "$0"), (0.002, "$0.0020"), (1e-7, "<$0.0001"), (0.99996, "$1.0000"), (3.2, "$3.20"),
        (1234.4, "$1,234"), (-0.026, "-$0.0260"), (5e12, "$5.0e+12"), (math.nan, "not recorded"),
        (math.inf, "> $1e+308"), (-math.inf, "< -$1e+308"),
    ],
)  # fmt: skip
def test_costs(dollars: float | None, text: str) -> None:
    assert format_cost(dollars) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "not recorded"), (0.0, "0.0 s"), (0.0001, "<1 ms"), (0.012, "12 ms"), (2.5, "2.5 s"), (9.97, "10 s"),
        (41.2, "41 s"), (59.7, "1 min 00 s"), (185, "3 min 05 s"), (7500, "2 h 05 min"), (353_000, "4 d 02 h"),
        (-0.9, "-0.9 s"), (1e21, "1.2e+16 d"), (math.nan, "not recorded"),
    ],
)  # fmt: skip
def test_durations(seconds: float | None, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (None, "not recorded"), (0, "0 tok"), (412, "412 tok"), (1912, "1.9k tok"), (99_960, "100k tok"),
        (999_600, "1.0M tok"), (2_100_000, "2.1M tok"), (10**30, "1.0e+30 tok"),
    ],
)  # fmt: skip
def test_tokens(tokens: int | None, text: str) -> None:
    assert format_tokens(tokens) == text


def test_counts_and_sizes() -> None:
    assert format_count(2114) == "2,114"
    assert counted(1, "step") == "1 step"
    assert counted(2114, "step") == "2,114 steps"
    assert [format_bytes(size) for size in (512, 48_000, 1_400_000, 2_000_000_000)] == [
        "512 B",
        "48 kB",
        "1.4 MB",
        "2.0 GB",
    ]


def test_times_are_told_in_the_zone_that_was_asked_for() -> None:
    assert format_time(83051.0) == "23:04:11"
    assert format_time(83051.0, timezone(timedelta(hours=2)), date=True) == "1970-01-02 01:04:11"
    assert format_time(0.0) == format_time(None) == "not recorded"
    assert format_time(1e18) == format_time(math.nan) == "not a date"


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_any_number_has_a_short_spelling(number: float) -> None:
    for spell in (format_cost, format_duration, format_tokens, format_time):
        assert 0 < len(spell(number)) <= 24


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        (Totals(steps=2, cost=0.5), "$0.5000"),
        (Totals(steps=2, cost=0.5, unpriced=1), "≥ $0.5000"),
        (Totals(steps=3, cost=math.inf, unpriced=1), "> $1e+308"),
        (Totals(steps=1, unpriced=1), "not priced"),
        (Totals(steps=1, not_recorded=1), "not recorded"),
    ],
)
def test_a_sum_of_costs_says_why_it_is_not_known(totals: Totals, expected: str) -> None:
    assert total_cost(totals) == expected


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (301.0, "5 min"), (3_041.0, "50 min"), (3_600.0, "1 h"), (7_300.0, "2 h 01 min"), (10_125.0, "2 h 48 min"),
        (90_000.0, "25 h"), (260_000.0, "3 days"),
    ],
)  # fmt: skip
def test_times_are_written_without_their_small_units(seconds: float, words: str) -> None:
    assert rounded_time(seconds) == words
