"""What folding knows about each step: its role, what it is about, whether it speaks; and sums over the step order."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence, Set
from itertools import accumulate
from typing import Any, NamedTuple
from zlib import crc32

import msgspec
from msgspec.structs import astuple

from opentine_gui.core.graph.calls.call_roles import Role, calls_in, decoded_each
from opentine_gui.core.graph.equal_ends import common_beginning
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.outcomes.stopped import FOUND_NOTHING
from opentine_gui.core.model import StepKind
from opentine_gui.core.progress import Pace

HUMAN, SUBAGENT, COMPACTION, CALL, SAYING, OTHER = range(6)
"""What a step is to folding; `CALL` is a tool call, `SAYING` a decision: think, model, done, error."""
NO_ROLE = 255
BETWEEN = 512
"""Steps between two checks for progress and cancelling."""


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


_said = msgspec.json.Decoder(list[_Said])
_compacted = msgspec.json.Decoder(list[_Compacted])
_READ = ("sorts", "roles", "abouts", "calls", "speaks")
"""The columns that are read from the records of steps."""
_SORTS = {"human": HUMAN, "subagent": SUBAGENT}


class Facts:
    """Columns of facts about steps, by position.

    `sorts[i]` is one of `HUMAN` … `OTHER`; `roles[i]` a `Role` or `NO_ROLE`; `abouts[i]` what a call is about, as
    "tool about"; `calls[i]` a hash of the call's kind and inputs; `speaks[i]` 1 where the agent says something;
    `failed[i]` 1 where something went wrong or was stopped: either way the work changes direction there;
    `ties[i]` a hash of the step, from 0 to 0.5. The first `same` steps are those of the earlier state that was given.
    """

    __slots__ = ("abouts", "calls", "failed", "graph", "roles", "same", "sorts", "speaks", "ties")

    def __init__(self, graph: Graph, pace: Pace | None = None, known: Facts | None = None) -> None:
        """Read the facts of a graph; for steps it shares with that of `known` they are copied."""
        self.graph = graph
        count = len(graph)
        self.sorts = bytearray(count)
        self.roles = bytearray([NO_ROLE]) * count
        self.abouts: list[str] = [""] * count
        self.calls = array("L", [0]) * count
        self.speaks = bytearray(count)
        start = self.same = common_beginning(known.graph.raws, graph.raws) if known is not None else 0
        ids, failed, kinds = graph.ids[start:], graph.failed[start:], graph.kinds[start:]
        self.ties = array("d", [(crc & 0xFFFF) / 0x20000 for crc in map(crc32, map(str.encode, ids))])
        error = StepKind.ERROR  # looking a member up in the class takes as long as all the rest here
        self.failed = bytearray([bool(has or kind is error) for has, kind in zip(failed, kinds, strict=True)])
        if known is not None:
            self.ties, self.failed = known.ties[:start] + self.ties, known.failed[:start] + self.failed
            for name in _READ:
                getattr(self, name)[:start] = getattr(known, name)[:start]
        for step, how in graph.stopped.items():
            self.failed[step] = how != FOUND_NOTHING
        rest = self._taken_over(known, range(start, count)) if known is not None else range(start, count)
        for begin in range(0, len(rest), BETWEEN):
            if pace is not None:
                pace.at((start + begin) / count)
            self._read(rest[begin : begin + BETWEEN])

    def _taken_over(self, known: Facts, steps: Sequence[int]) -> Sequence[int]:
        """Copy the facts of steps that `known` has at other positions, as in a fork; returns the other steps."""
        ids, raws = self.graph.ids, self.graph.raws
        positions, their_raws = known.graph.positions, known.graph.raws
        taken: list[tuple[int, int]] = []
        rest: list[int] = []
        for step in steps:
            place = positions.get(ids[step])
            if place is not None and their_raws[place] is raws[step]:
                taken.append((step, place))
            else:
                rest.append(step)
        for name in _READ:
            own, theirs = getattr(self, name), getattr(known, name)
            for step, place in taken:
                own[step] = theirs[place]
        return rest

    def _read(self, steps: Sequence[int]) -> None:
        graph, sorts, abouts = self.graph, self.sorts, self.abouts
        of_kind: dict[StepKind, list[int]] = {kind: [] for kind in StepKind}
        v3_kinds, kinds = graph.v3_kinds, graph.kinds
        for step in steps:
            if step in v3_kinds:
                sorts[step] = _SORTS.get(v3_kinds[step], OTHER)
            else:
                of_kind[kinds[step]].append(step)
        for kind, those in of_kind.items():
            raws = [graph.raws[step] for step in those]
            if kind is StepKind.TOOL:
                roles, calls = self.roles, self.calls
                for step, (tool, role, about, path, command) in zip(those, calls_in(raws), strict=True):
                    sorts[step] = CALL
                    roles[step] = role
                    abouts[step] = f"{tool} {about}"
                    calls[step] = crc32(f"{tool} {command or path or about}".encode(errors="replace"))
            elif kind is StepKind.THINK:
                thoughts = decoded_each(raws, _compacted)
                for step, thought in zip(those, thoughts, strict=True):
                    sorts[step] = COMPACTION if _is_compaction(thought) else SAYING
            else:
                answers = decoded_each(raws, _said)
                for step, said in zip(those, answers, strict=True):
                    sorts[step] = SAYING
                    self.speaks[step] = _speaks(said)


def _speaks(found: _Said | None) -> bool:
    if found is None:
        return False
    if found.inputs is not None and _is_text(found.inputs.text):
        return True
    if found.outputs is not None:
        for value in astuple(found.outputs):
            if value and _is_text(value):
                return True
    return False


def _is_text(value: Any) -> bool:
    return (isinstance(value, str) and bool(value[:4000].strip())) or (isinstance(value, list) and bool(value))


def _is_compaction(found: _Compacted | None) -> bool:
    if found is None:
        return False
    return (found.inputs is not None and found.inputs.trigger is not None) or (
        found.outputs is not None and found.outputs.summary is not None
    )


class Sums:
    """Prefix sums over the step order: entry i counts the steps before place i."""

    __slots__ = ("failed", "humans", "subagents", "weight")

    def __init__(
        self, facts: Facts, order: Sequence[int], tips: Set[int], known: Sums | None = None, kept: int = 0
    ) -> None:
        """`tips` are the tips of side lanes. `known` are the sums of an order with the same first `kept` steps."""
        rest = order[kept:]
        sorts = bytes(map(facts.sorts.__getitem__, rest))
        failed = bytes(map(facts.failed.__getitem__, rest))
        above = bytes([facts.failed[order[kept - 1]] if kept else 0]) + failed
        base = (6.0, 6.0, 3.0, 1.0, 1.0, 1.0)
        weights = [
            base[sort] + (0.0 if not now else 0.5 if before else 2.5)
            for sort, now, before in zip(sorts, failed, above, strict=False)
        ]
        for place, step in enumerate(rest):
            if step in tips:
                weights[place] += 2.0
        self.weight: array[float] = _summed("d", known.weight if known else None, kept, weights)
        self.failed: array[int] = _summed("l", known.failed if known else None, kept, failed)
        self.humans: array[int] = _summed("l", known.humans if known else None, kept, map(HUMAN.__eq__, sorts))
        self.subagents: array[int] = _summed("l", known.subagents if known else None, kept, map(SUBAGENT.__eq__, sorts))


def _summed(code: str, known: array[Any] | None, kept: int, values: Iterable[Any]) -> array[Any]:
    """Prefix sums that continue the first `kept` known ones."""
    begun: array[Any] = known[:kept] if known is not None else array(code)
    begun.extend(accumulate(values, initial=known[kept] if known is not None else 0))
    return begun


_SHIFTS = range(0, len(Role) * 32, 32)
"""Counts of calls by role are one number with 32 bits for each role: added and compared in one go."""
_ONE = [1 << shift for shift in _SHIFTS]
_COUNT = (1 << 32) - 1
_LOOK, _SAVE, _PLAN = int(Role.LOOK), int(Role.SAVE), int(Role.PLAN)  # looked up once, not for every step


class RolesOfRound(NamedTuple):
    """What the calls of a round are for: their counts by role, and where in the round they are."""

    counts: int
    calls: tuple[int, ...]
    only_looks: bool
    saves: bool
    plans: bool


def roles_in(roles: bytes) -> RolesOfRound:
    """Of the roles of a round's steps; `NO_ROLE` for those that are no calls."""
    calls = tuple([at for at, role in enumerate(roles) if role != NO_ROLE])
    counts = sum([_ONE[roles[at]] for at in calls])
    return RolesOfRound(counts, calls, roles.count(_LOOK) == len(calls), _SAVE in roles, _PLAN in roles)


def shares_of(counts: int) -> list[float]:
    """The shares of the roles in some counts of calls, which are not 0."""
    each = [counts >> shift & _COUNT for shift in _SHIFTS]
    whole = sum(each)
    return [count / whole for count in each]
