"""Finds the steps that failed, and those at which a run forks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from opentine_gui.core import Graph
from opentine_gui.core.graph.outcomes.failures import failures_in


class NotableSteps:
    """Failures and forks of one graph, as positions in traversal order. Found once, as menus ask in every frame."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @property
    def failures(self) -> tuple[int, ...]:
        """Steps that failed, as `failures_in` finds them."""
        return failures_in(self.graph)

    @cached_property
    def stopped(self) -> Mapping[str, int]:
        """How many steps were "refused", "interrupted" and "unanswered"."""
        return Counter(self.graph.stopped.values())

    @cached_property
    def forks(self) -> tuple[int, ...]:
        """Steps with more than one child."""
        return tuple(i for i, children in enumerate(self.graph.children) if len(children) > 1)
