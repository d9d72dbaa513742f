"""What the steps of a sub-agent took together: no log states it of the sub-agent itself."""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.core import Totals
from opentine_gui.core.graph.totals import totals_of
from opentine_gui.core.structure.structure import Structure
from opentine_gui.core.structure.work_times import worked
from opentine_gui.describe.numbers import counted, format_cost, format_duration, format_tokens


class AgentSums(NamedTuple):
    """The sums of a sub-agent's own steps, those of sub-agents that it started included; seconds in which it worked."""

    totals: Totals
    seconds: float
    at_least: bool = False
    """Whether the log recorded a part of each count only."""

    @property
    def words(self) -> str:
        """What is recorded of them: "30 own steps · worked 31 min · 45k tok · $0.12"; its card also has its call."""
        totals = self.totals
        parts = [counted(totals.steps, "own step")]
        if self.seconds > 0:
            parts.append(f"worked {format_duration(self.seconds)}")
        if totals.tokens_recorded:
            parts.append(("≥ " if self.at_least else "") + format_tokens(totals.tokens))
        if totals.cost_known:
            parts.append(("≥ " if totals.unpriced or self.at_least else "") + format_cost(totals.cost))
        return " · ".join(parts)


def sums_in(structure: Structure, place: int, *, at_least: bool = False) -> AgentSums | None:
    """The sums of the sub-agent that begins at a step; None if its steps stand on no line of their own."""
    lane = structure.lanes.lane_of(place)
    steps = structure.lanes.order[lane.start : lane.end]
    if lane.entry != place or len(steps) < 2:
        return None
    return AgentSums(totals_of(structure.graph, steps), worked(structure.graph, structure.work, steps), at_least)
