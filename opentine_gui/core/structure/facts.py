"""What folding knows of each step: its role, what it is about, whether it speaks, and sums over the order of steps."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any
from zlib import crc32

import msgspec

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.call_roles import Role, call_in

HUMAN, SUBAGENT, COMPACTION, CALL, SAYING, OTHER = range(6)
"""What a step is to folding; `CALL` is a tool call, `SAYING` a decision: think, model, done, error."""
NO_ROLE = 255
BETWEEN = 512
"""Steps between two looks at progress and cancelling."""
_SAID = ("text", "content", "answer", "response", "message", "output_text")


class _Outputs(msgspec.Struct, gc=False):
    text: Any = None
    content: Any = None
    answer: Any = None
    response: Any = None
    message: Any = None
    output_text: Any = None


class _Inputs(msgspec.Struct, gc=False):
    text: Any = None
    trigger: Any = None


class _Said(msgspec.Struct, gc=False):
    outputs: _Outputs | None = None
    inputs: _Inputs | None = None


class _Summed(msgspec.Struct, gc=False):
    summary: Any = None


class _Compacted(msgspec.Struct, gc=False):
    outputs: _Summed | None = None
    inputs: _Inputs | None = None


_said = msgspec.json.Decoder(_Said)
_compacted = msgspec.json.Decoder(_Compacted)


class Facts:
    """Columns of facts about steps, by position.

    `sorts[i]` is one of `HUMAN` … `OTHER`; `roles[i]` a `Role` or `NO_ROLE`; `abouts[i]` what a call is about, as
    "tool about"; `calls[i]` a hash of the call's kind and inputs; `speaks[i]` 1 where the agent says something;
    `ties[i]` a hash of the step in 0 … 0.5.
    """

    __slots__ = ("abouts", "calls", "failed", "graph", "roles", "sorts", "speaks", "ties")

    def __init__(self, graph: Graph, pace: Pace | None = None, known: Facts | None = None) -> None:
        """Read the facts of a graph; those of steps it shares with an earlier one are taken from `known`."""
        self.graph = graph
        count = len(graph)
        self.sorts = bytearray(count)
        self.roles = bytearray([NO_ROLE]) * count
        self.abouts: list[str] = [""] * count
        self.calls = array("L", [0]) * count
        self.speaks = bytearray(count)
        self.ties = array("d", [0.0]) * count
        self.failed = bytearray(
            [bool(failed or kind is StepKind.ERROR) for failed, kind in zip(graph.failed, graph.kinds, strict=True)]
        )
        start = 0
        if known is not None:
            limit = min(count, len(known.graph))
            while start < limit and graph.raws[start] is known.graph.raws[start]:
                start += 1
            for name in ("sorts", "roles", "abouts", "calls", "speaks", "ties"):
                getattr(self, name)[:start] = getattr(known, name)[:start]
        for step in range(start, count):
            if pace is not None and step % BETWEEN == 0:
                pace.at(step / count)
            self._read(step)

    def _read(self, step: int) -> None:
        graph = self.graph
        kind = graph.kinds[step]
        named = graph.v3_kinds.get(step)
        self.ties[step] = (crc32(graph.ids[step].encode()) & 0xFFFF) / 0x20000
        if named == "human":
            self.sorts[step] = HUMAN
        elif named == "subagent":
            self.sorts[step] = SUBAGENT
        elif named is not None:
            self.sorts[step] = OTHER
        elif kind is StepKind.TOOL:
            raw = graph.raws[step]
            call = call_in(raw)
            self.sorts[step] = CALL
            self.roles[step] = call.role
            self.abouts[step] = f"{call.tool} {call.about}"
            self.calls[step] = crc32(f"{call.tool} {call.command or call.path or call.about}".encode(errors="replace"))
        else:
            self.sorts[step] = SAYING
            if kind is StepKind.THINK:
                if _is_compaction(graph.raws[step]):
                    self.sorts[step] = COMPACTION
            else:
                self.speaks[step] = _speaks(graph.raws[step])


def _speaks(raw: bytes | msgspec.Raw) -> bool:
    try:
        found = _said.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return False
    if found.inputs is not None and _is_text(found.inputs.text):
        return True
    outputs = found.outputs
    return outputs is not None and any(_is_text(getattr(outputs, name)) for name in _SAID)


def _is_text(value: Any) -> bool:
    return (isinstance(value, str) and bool(value[:4000].strip())) or (isinstance(value, list) and bool(value))


def _is_compaction(raw: bytes | msgspec.Raw) -> bool:
    try:
        found = _compacted.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return (found.inputs is not None and found.inputs.trigger is not None) or (
        found.outputs is not None and found.outputs.summary is not None
    )


class Sums:
    """Prefix sums over the order of steps: entry i counts the steps before place i."""

    __slots__ = ("failed", "humans", "subagents", "weight")

    def __init__(self, facts: Facts, order: Sequence[int], is_tip: Callable[[int], bool]) -> None:
        """`is_tip` says of a step whether it is the tip of a side lane."""
        sorts, failed = facts.sorts, facts.failed
        extra = (5.0, 5.0, 2.0, 0.0, 0.0, 0.0)
        weights = []
        before = False
        for step in order:
            weight = 1.0 + extra[sorts[step]]
            if failed[step]:
                weight += 0.5 if before else 2.5
            before = bool(failed[step])
            if is_tip(step):
                weight += 2.0
            weights.append(weight)
        self.weight = array("d", accumulate(weights, initial=0.0))
        self.failed = array("l", accumulate((failed[step] for step in order), initial=0))
        self.humans = array("l", accumulate((sorts[step] == HUMAN for step in order), initial=0))
        self.subagents = array("l", accumulate((sorts[step] == SUBAGENT for step in order), initial=0))


ROLES = len(Role)
