"""What the rows of a time strip are called where more sub-agents were at work than there are rows."""

from __future__ import annotations

import pytest

from opentine_gui.core import StepKind
from opentine_gui.ui.panels.time_strip.strip_run import made_of
from tests.core.analysis.call_runs import START, Recording


def side_by_side(count: int, *, apart: float = 0.0) -> Recording:
    """Sub-agents that begin `apart` seconds after one another and work for forty seconds each."""
    run = Recording()
    asked = run.ask("Review it", timestamp=START)
    ends = []
    for number in range(count):
        begin = START + 1 + apart * number
        run.add(StepKind.MODEL, {"text": f"Review {number}"}, after=[asked], v3_kind="subagent", timestamp=begin)
        ends.append(run.call("Read", {"file_path": "a"}, "x", timestamp=begin + 40, duration=30.0))
    run.say("All of them", after=[asked, *ends], timestamp=START + 100 + apart * count)
    return run


@pytest.mark.parametrize(
    ("count", "names"),
    [
        (2, ("Review 0", "Review 1")),
        (4, ("Review 0", "Review 1", "Review 2", "Review 3")),
        (6, ("Review 0", "Review 1", "Review 2", "Review 3", "Review 4", "Review 5")),
        (8, ("Review 0", "Review 1", "Review 2", "Review 3", "Review 4", "3 more sub-agents")),
    ],
)
def test_sub_agents_that_share_the_last_row_are_more_than_those_above(count: int, names: tuple[str, ...]) -> None:
    assert made_of(side_by_side(count).record()).row_names == names


def test_a_first_row_of_several_that_followed_one_another_says_how_many() -> None:
    assert made_of(side_by_side(3, apart=60.0).record()).row_names == ("3 sub-agents",)
