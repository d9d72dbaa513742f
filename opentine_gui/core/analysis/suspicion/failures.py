"""What sort of failure a step records: refused, interrupted, unanswered, from outside, a failing check, or another."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any

import msgspec

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind
from opentine_gui.core.structure.call_roles import Call, Role, call_in

_REFUSED = re.compile(
    r"\b(reject(ed)?|refus(ed|al)|denied|declined|not (allowed|permitted|approved)|doesn't want to|disallowed)\b",
    re.IGNORECASE,
)
_PROGRAM = re.compile(r"(?:apply_)?patch (?:was )?(?:rejected|refused)\b", re.IGNORECASE)
"""What a tool says that did not take a patch; where a person did not, the text names the user."""
_INTERRUPTED = re.compile(r"\b(interrupt(ed)?|cancell?ed|aborted|stopped by (the )?user)\b", re.IGNORECASE)
_UNANSWERED = re.compile(r"\b(no[ _]result|unanswered|never answered|no answer)\b", re.IGNORECASE)
_OUTSIDE = re.compile(
    r"\b(rate[ _-]?limit(ed)?|overloaded|quota|too many requests|usage limit|credit balance|server error|bad gateway|"
    r"service unavailable|gateway time-?out|connection (error|reset|refused|closed)|network (error|is unreachable)|"
    r"socket hang up|api[ _]error|authentication[ _]error|invalid api key|econn\w+|enotfound|etimedout|"
    r"no space left|object file .* is empty|index file corrupt|status(?: code)?:? (429|5\d\d)|(429|50[0-4]|529)\b)",
    re.IGNORECASE,
)
_MESSAGE = 2_000
"""Characters of a message that are looked at."""


class Sort(StrEnum):
    """What sort of failure it is."""

    REFUSED = "refused"
    INTERRUPTED = "interrupted"
    UNANSWERED = "unanswered"
    OUTSIDE = "outside"
    CHECK = "check"
    OTHER = "other"


class Failed(msgspec.Struct, frozen=True):
    """A failing step: its sort, and its call (one without a tool for a step that is no call)."""

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
    """Whether a step failed: an error is recorded, or it is an error."""
    return bool(graph.failed[position]) or graph.kinds[position] is StepKind.ERROR


def failed(graph: Graph, position: int) -> Failed:
    """What a failing step records of its failure."""
    raw = graph.raws[position]
    step = _record.decode(raw)
    error = step.error if isinstance(step.error, dict) else {}
    call = call_in(raw) if graph.kinds[position] is StepKind.TOOL else NO_CALL
    named = _text(error.get("type"), error.get("code"), error.get("name"))
    said = _text(error.get("message"), error.get("reason"), error.get("detail"))
    if graph.kinds[position] is StepKind.ERROR:
        for part in (step.inputs, step.outputs):
            if isinstance(part, dict):
                said = f"{said} {_text(part.get('text'), part.get('message'), part.get('error'))}"
    return Failed(position, _sort(graph, position, named, said, call), call)


def _sort(graph: Graph, position: int, named: str, said: str, call: Call) -> Sort:
    is_call = graph.kinds[position] is StepKind.TOOL
    if _UNANSWERED.search(named) or _UNANSWERED.fullmatch(said.strip(" .")):
        return Sort.UNANSWERED
    # A tool's own words may hold any of these ("permission denied"): of a call the error's type decides, and a message
    # only where it says that a person refused.
    if _PROGRAM.match(said) and "user" not in said:  # a tool has its own reasons, such as an empty patch
        return Sort.OTHER
    if _REFUSED.search(named) or "doesn't want to" in said or "User rejected" in said or "user rejected" in said:
        return Sort.REFUSED
    if _INTERRUPTED.search(named) or said.startswith("[Request interrupted"):
        return Sort.INTERRUPTED
    if _OUTSIDE.search(named) or (not is_call and _OUTSIDE.search(said)):
        return Sort.OUTSIDE
    if not is_call and _INTERRUPTED.search(said):
        return Sort.INTERRUPTED
    return Sort.CHECK if is_call and call.role is Role.TEST else Sort.OTHER


def _text(*values: Any) -> str:
    return " ".join(str(value)[:_MESSAGE] for value in values if isinstance(value, str | int))
