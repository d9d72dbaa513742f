"""Steps that were added by hand to a run made from a log, and have not run.

Such a run is known by its person's turns, which no format of ours but that of logs tells apart. In a log no answer of a
model is without an outcome: one that never came makes no step, and one that was cut off says so.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.step_record import NO_TOKENS
from opentine_gui.core.model import StepKind

MOST_BY_HAND = 100
"""More steps without an outcome, one behind another, were not added by hand."""


class _Outputs(msgspec.Struct):
    """A step's outputs as they stand in its record: what they say is not asked, so it is not decoded."""

    outputs: msgspec.Raw = msgspec.Raw(b"{}")


def has_outcome(graph: Graph, position: int) -> bool:
    """Whether a step failed, took time or put something out."""
    ended = graph.failed[position] or graph.durations[position] or position in graph.stopped
    return bool(ended) or has_outputs(graph.raws[position])


def has_outputs(raw: bytes | msgspec.Raw) -> bool:
    """Whether the stored record of a step has outputs."""
    return bytes(msgspec.json.decode(raw, type=_Outputs).outputs).translate(None, b" \t\r\n") not in (b"{}", b"null")


def not_run_at(graph: Graph, tip: int) -> list[int]:
    """The steps added by hand at a tip, the last one first; [] where the log goes on to it.

    A call or a thought without an outcome counts only behind an answer without one: logs have such calls.
    """
    found: list[int] = []
    count = 0
    for position in _without_outcome(graph, tip):
        found.append(position)
        if graph.kinds[position] is StepKind.MODEL:
            count = len(found)
    return found[:count]


def steps_not_run(graph: Graph) -> frozenset[int]:
    """All steps of a run made from a log that were added by hand and have not run."""
    if not graph.v3_kinds:
        return frozenset()
    return frozenset(step for tip in graph.tips for step in not_run_at(graph, tip))


def _without_outcome(graph: Graph, tip: int) -> Iterator[int]:
    position = tip
    for _ in range(MOST_BY_HAND):
        if position in graph.v3_kinds or graph.tokens[position] != NO_TOKENS or has_outcome(graph, position):
            return
        yield position
        above = graph.parents[position]
        if len(above) != 1:
            return
        position = above[0]
