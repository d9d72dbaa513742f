"""Sorts failures: refused, interrupted, cancelled, unanswered, from outside, a failing check, or another."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any

import msgspec

from opentine_gui.core.graph.calls.call_roles import Call, Role, call_in, call_of
from opentine_gui.core.graph.graph import LARGE_STEP, Graph
from opentine_gui.core.graph.outcomes.stopped import (
    FOUND_NOTHING,
    MESSAGES,
    NAMES,
    how_stopped,
    is_by_the_program,
    is_unanswered,
    joined,
    says_interrupted,
)
from opentine_gui.core.model import Step, StepKind

_OUTSIDE = re.compile(
    r"\b(rate[ _-]?limit(ed)?|overloaded|quota|too many requests|usage limit|credit balance|server error|bad gateway|"
    r"service unavailable|gateway time-?out|connection (error|reset|refused|closed)|network (error|is unreachable)|"
    r"socket hang up|api[ _]error|authentication[ _]error|invalid api key|econn\w+|enotfound|etimedout|"
    r"no space left|object file .* is empty|index file corrupt|status(?: code)?:? (429|5\d\d)|(429|50[0-4]|529)\b)",
    re.IGNORECASE,
)


class Sort(StrEnum):
    """What sort of failure it is."""

    REFUSED = "refused"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"
    UNANSWERED = "unanswered"
    OUTSIDE = "outside"
    CHECK = "check"
    OTHER = "other"


class Failed(msgspec.Struct, frozen=True):
    """A failing step: its sort, and its call (one without a tool if the step is not a call)."""

    position: int
    sort: Sort
    call: Call


class _Record(msgspec.Struct, gc=False):
    error: Any = None
    outputs: Any = None
    inputs: Any = None


_record = msgspec.json.Decoder(_Record)
NO_CALL = Call("", Role.RUN, "")


def has_failed(graph: Graph, position: int) -> bool:
    """Whether a step failed to do what it should: it records or is an error, or was stopped; not a fruitless search."""
    if graph.stopped.get(position) == FOUND_NOTHING:
        return False
    return bool(graph.failed[position]) or position in graph.stopped or graph.kinds[position] is StepKind.ERROR


def failed(graph: Graph, position: int) -> Failed:
    """What a failing step records about its failure. FormatError or MsgspecError when its content is broken."""
    raw, is_call = graph.raws[position], graph.kinds[position] is StepKind.TOOL
    step: Step | _Record
    if len(raw) >= LARGE_STEP:  # cached since the file was read; cards ask for it within a frame
        step = graph.step(position)
        call = call_of(step.inputs, step.tool_info) if is_call else NO_CALL
    else:
        step = _record.decode(raw)
        call = call_in(raw) if is_call else NO_CALL
    return Failed(position, _sort(graph, position, step, call), call)


def sort_of(graph: Graph, position: int, step: Step) -> Sort:
    """The sort of a failing step that is decoded already; a failing check is not told from another failure."""
    return _sort(graph, position, step, NO_CALL)


def _sort(graph: Graph, position: int, step: Step | _Record, call: Call) -> Sort:
    is_call = graph.kinds[position] is StepKind.TOOL
    error = step.error if isinstance(step.error, dict) else {}
    named = joined(map(error.get, NAMES))
    said = joined(map(error.get, MESSAGES))
    if graph.kinds[position] is StepKind.ERROR:
        for part in (step.inputs, step.outputs):
            if isinstance(part, dict):
                said = f"{said} {joined(map(part.get, ('text', 'message', 'error')))}"
    if is_unanswered(named, said):
        return Sort.UNANSWERED
    if is_by_the_program(said):
        return Sort.OTHER
    stopped = how_stopped(named, said)
    if stopped:
        return Sort(stopped)
    if _OUTSIDE.search(named) or (not is_call and _OUTSIDE.search(said)):
        return Sort.OUTSIDE
    if not is_call and says_interrupted(said):
        return Sort.INTERRUPTED
    return Sort.CHECK if is_call and call.role is Role.TEST else Sort.OTHER
