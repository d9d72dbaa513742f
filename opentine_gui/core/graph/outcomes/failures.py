"""The steps of a run that failed, which every count of failures means."""

from __future__ import annotations

from itertools import compress, repeat
from operator import is_, or_
from weakref import WeakKeyDictionary

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind

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
