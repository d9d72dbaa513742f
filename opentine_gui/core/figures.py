"""Sums of two runs or two steps side by side, honest about what was not recorded."""

from __future__ import annotations

import msgspec

from opentine_gui.core.record import Totals

ROUNDING = 1e-12
"""How much of a sum may come from adding the same amounts in another order."""


class Figure(msgspec.Struct, frozen=True):
    """One sum on both sides; None is "not recorded". `a_least`, `b_least`: a part is missing, it is at least that."""

    a: float | None
    b: float | None
    a_least: bool = False
    b_least: bool = False

    @property
    def delta(self) -> float | None:
        """`b` less `a`, or None when one of them was not recorded; what only rounding left over is 0."""
        if self.a is None or self.b is None:
            return None
        delta = self.b - self.a
        return delta if abs(delta) > ROUNDING * max(abs(self.a), abs(self.b)) else 0.0

    @property
    def exact(self) -> bool:
        """Whether both sides are complete, so that the delta is exact."""
        return self.delta is not None and not (self.a_least or self.b_least)


class Figures(msgspec.Struct, frozen=True):
    """Both sides in numbers: steps, US dollars, seconds, tokens."""

    steps: Figure
    cost: Figure
    duration: Figure
    tokens: Figure


def figures_between(a: Totals, b: Totals) -> Figures:
    """Two sums side by side. A duration of 0 over all steps was not recorded; a cost with unpriced steps is a part."""
    return Figures(
        steps=Figure(a.steps, b.steps),
        cost=Figure(a.cost if a.cost_known else None, b.cost if b.cost_known else None, a.unpriced > 0, b.unpriced > 0),
        duration=Figure(a.duration or None, b.duration or None),
        tokens=Figure(a.tokens if a.tokens_recorded else None, b.tokens if b.tokens_recorded else None),
    )
