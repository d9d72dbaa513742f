"""The tool and the role of every call of a run, as columns."""

from __future__ import annotations

from array import array
from enum import IntEnum

import msgspec

from opentine_gui.core.graph.calls.call_roles import Role, call_in
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind
from opentine_gui.core.progress import Pace

_SLICE = 500


class Phase(IntEnum):
    """What a stretch of work is for (after Graphectory, arXiv 2512.02393: find, change, check)."""

    NONE = 0
    FIND = 1
    CHANGE = 2
    CHECK = 3


_PHASES = {
    Role.LOOK: Phase.FIND,
    Role.EDIT: Phase.CHANGE,
    Role.TEST: Phase.CHECK,
    Role.RUN: Phase.CHECK,
}


class CallTable(msgspec.Struct, frozen=True):
    """For each step `phases` (codes of `Phase`) and `tool_of`, an index into `tools`; -1 for what is not a call."""

    phases: bytes
    tools: tuple[str, ...]
    tool_of: array[int]


def call_table(graph: Graph, pace: Pace | None = None, known: CallTable | None = None, kept: int = 0) -> CallTable:
    """The calls of a run. A tool without a recorded name is called "".

    `known` is the table of an earlier state of the run with the same first `kept` steps.
    """
    pace = pace or Pace()
    phases = bytearray(len(graph))
    tool_of = array("i", [-1]) * len(graph)
    tools: dict[str, int] = {}
    if known is not None and kept:
        phases[:kept], tool_of[:kept] = known.phases[:kept], known.tool_of[:kept]
        used = known.tools[: max(tool_of[:kept]) + 1]  # tools are numbered in order of appearance
        tools = {name: number for number, name in enumerate(used)}
    else:
        kept = 0
    for step in range(kept, len(graph)):
        if step % _SLICE == 0:
            pace.at(step / len(phases))
        if graph.kinds[step] is StepKind.TOOL:
            call = call_in(graph.raws[step])
            phases[step] = _PHASES.get(call.role, Phase.NONE)
            tool_of[step] = tools.setdefault(call.tool, len(tools))
    return CallTable(bytes(phases), tuple(tools), tool_of)
