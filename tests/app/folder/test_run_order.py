"""The orders of the list of runs: names as people count them."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from opentine_gui.app.folder.run_order import in_order
from opentine_gui.app.folder.run_rows import RunSummary, family_order, in_natural_order


def rows(*names: str) -> list[RunSummary]:
    return [RunSummary(Path(f"/runs/{name}.tine"), run_id=name, title=name, created_at=1.0) for name in names]


@pytest.mark.parametrize("order", ["name", "steps", "family"])
def test_the_second_attempt_stands_before_the_tenth(order: str) -> None:
    for shuffled in permutations(("attempt 2", "attempt 10", "attempt 1", "Attempt 3")):
        listed = rows(*shuffled)
        found = family_order(listed) if order == "family" else in_order(listed, order, {})
        assert [row.title for row in found] == ["attempt 1", "attempt 2", "Attempt 3", "attempt 10"]


@pytest.mark.parametrize(
    ("order", "known"),
    [
        ("begun", {"created_at": 2.0}), ("failures", {"failures": 2}), ("cost", {"cost": 2.0}),
        ("duration", {"duration": 2.0}), ("steps", {"steps": 2}),
    ],
)  # fmt: skip
def test_what_is_not_recorded_stands_last_and_is_not_0(order: str, known: dict[str, float]) -> None:
    ((field, high),) = known.items()
    unknown = RunSummary(Path("a.tine"), title="a", unreadable="torn")
    zero = RunSummary(Path("b.tine"), title="b", cost=0.0, failures=0, created_at=1.0, duration=1.0)
    nan = replace(
        zero, path=Path("0.tine"), title="0", cost=float("nan"), created_at=float("nan"), duration=float("nan")
    )
    most = replace(zero, path=Path("c.tine"), title="c", **{field: high})
    found = [row.title for row in in_order([unknown, nan, zero, most], order, {})]
    assert (found[0], found[-1]) == ("c", "a")
    assert found.index("b") < found.index("a")
    if isinstance(high, float):
        assert found == ["c", "b", "0", "a"]


@given(st.lists(st.text(alphabet="aB01９٣ -", max_size=12), max_size=6), st.integers(0, 10**18), st.integers(0, 10**18))
def test_any_names_can_be_sorted_and_numbers_stand_by_their_size(names: list[str], one: int, other: int) -> None:
    sorted(names, key=in_natural_order)
    assert (in_natural_order(f"run {one}") < in_natural_order(f"run {other}")) is (one < other)
