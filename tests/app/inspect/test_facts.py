"""Figures of a run as the inspector says them."""

from __future__ import annotations

from opentine_gui.app.inspect.facts import totals_figures
from opentine_gui.core import Totals


def test_sums_of_a_log_that_recorded_only_a_part_are_lower_bounds_and_times_are_not() -> None:
    sums = Totals(steps=2, cost=0.5, duration=3.0, tokens=900, tokens_recorded=2)
    plain = [figure.value for figure in totals_figures(sums)]
    assert [figure.value for figure in totals_figures(sums, at_least=True)] == [
        f"≥ {plain[0]}",
        plain[1],
        f"≥ {plain[2]}",
    ]
    assert totals_figures(Totals(), at_least=True) == totals_figures(Totals()), "what is not recorded has no bound"
