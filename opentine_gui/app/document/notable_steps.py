"""Finds the steps that failed, and those at which a run forks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from itertools import compress, repeat
from operator import is_, or_
from weakref import WeakKeyDictionary

from opentine_gui.core import Graph, StepKind

_failures: WeakKeyDictionary[Graph, tuple[int, ...]] = WeakKeyDictionary()


def failures_in(graph: Graph) -> tuple[int, ...]:
    """The positions of the steps that failed: error steps, and steps with a recorded error, but for those that were
    stopped. Found once for a graph.
    """
    known = _failures.get(graph)
    if known is None:
        errors = map(is_, graph.kinds, repeat(StepKind.ERROR))
        known = tuple(compress(range(len(graph)), map(or_, errors, graph.failed)))
        if graph.stopped:
            known = tuple([step for step in known if step not in graph.stopped])
        _failures[graph] = known
    return known


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
