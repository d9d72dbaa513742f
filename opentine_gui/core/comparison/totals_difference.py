"""Sums of two runs or steps side by side; a figure that was not recorded is None, never 0."""

from __future__ import annotations

import msgspec

from opentine_gui.core.graph.totals import Totals

ROUNDING = 1e-12
"""Relative difference below which two sums count as equal: adding in another order can differ by that much."""


class Figure(msgspec.Struct, frozen=True):
    """One figure on both sides; None means not recorded. `a_least`, `b_least`: the figure is a lower bound."""

    a: float | None
    b: float | None
    a_least: bool = False
    b_least: bool = False

    @property
    def delta(self) -> float | None:
        """`b` minus `a`, or None if one was not recorded; a difference within `ROUNDING` is 0."""
        if self.a is None or self.b is None:
            return None
        delta = self.b - self.a
        return delta if abs(delta) > ROUNDING * max(abs(self.a), abs(self.b)) else 0.0

    @property
    def exact(self) -> bool:
        """Whether both sides are complete, so that the delta is exact."""
        return self.delta is not None and not (self.a_least or self.b_least)


class Figures(msgspec.Struct, frozen=True):
    """The figures of two sides: steps, cost in US dollars, duration in seconds, tokens."""

    steps: Figure
    cost: Figure
    duration: Figure
    tokens: Figure


def figures_between(a: Totals, b: Totals, *, at_least: tuple[bool, bool] = (False, False)) -> Figures:
    """Two totals side by side. A total duration of 0 is not recorded; a cost with unpriced steps is a lower bound.

    `at_least`: on which side the log recorded only a part of each count, so that cost and tokens are lower bounds.
    """
    return Figures(
        steps=Figure(a.steps, b.steps),
        cost=Figure(a.known_cost, b.known_cost, a.cost_is_least or at_least[0], b.cost_is_least or at_least[1]),
        duration=Figure(a.duration or None, b.duration or None),
        tokens=Figure(a.known_tokens, b.known_tokens, *at_least),
    )
