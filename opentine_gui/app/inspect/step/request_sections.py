"""What was sent for an answer, in full if the log keeps requests, and how it differs from the previous request."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from opentine_gui.app.document.origin import Origin
from opentine_gui.app.inspect.reading import reader
from opentine_gui.app.inspect.step.request_difference import FORMATS
from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.requests import is_request, request_before
from opentine_gui.core.comparison.text_difference import unified
from opentine_gui.core.errors import TineError
from opentine_gui.core.graph.graph import Graph
from opentine_gui.describe.numbers import counted, format_tokens
from opentine_gui.importers.reading import Reading
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.importers.claude_code.requests import Request

MOST_MESSAGES = 200
LONGEST = 4_000
"""Lines of each request that are compared."""


def request_sections(origin: Origin, record: RunRecord, step: str) -> tuple[reader.Section, ...]:
    """The request of a step and what is new in it; for a response without one, a sentence (in a job).

    Nothing for a step that is not a response.
    """
    graph = record.graph
    if step not in graph:
        return ()
    position = graph.index(step)
    if not is_request(graph, position):
        return ()
    try:
        request = _request(origin, record, step)
        if request is None:
            return (reader.Section(_not_kept(graph, position), "Request", role="faint"),)
        before = _before(origin, record, position)
    except TineError as error:
        return (reader.Section(str(error), "Request", role="bad"),)
    return (*_difference(before, request), *_whole(request))


def _request(origin: Origin, record: RunRecord, step: str) -> Request | None:
    from opentine_gui.importers.claude_code.requests import request_of  # in a job: no window has to wait for a reader

    return request_of(Reading(record, origin.places), step) if origin.format in FORMATS else None


def _not_kept(graph: Graph, position: int) -> str:
    """What is known about a request that the log does not keep."""
    usage = graph.step(position).usage
    fill = sum(usage.get(name, 0) for name in ("input", "cache_read", "cache_write_5m", "cache_write_1h"))
    said = "The log does not keep what was sent for this answer; the Conversation tab has what led to it."
    return f"{said} It was {format_tokens(fill)}, as the usage says." if fill else said


def _before(origin: Origin, record: RunRecord, position: int) -> Request | None:
    """The request of the nearest response above, of the same agent."""
    before = request_before(record.graph, position)
    return _request(origin, record, record.graph.ids[before]) if before is not None else None


def _difference(before: Request | None, now: Request) -> tuple[reader.Section, ...]:
    if before is None:
        return ()
    kept = 0
    for one, other in zip(before.messages, now.messages, strict=False):
        if one != other:
            break
        kept += 1
    gone, come = len(before.messages) - kept, len(now.messages) - kept
    note = f"{counted(kept, 'message')} kept, {gone:,} dropped, {come:,} added"
    lines = _changes(before.messages[kept:], now.messages[kept:], "the request before", "this request")
    found = [reader.Section(lines, "Since the request before", "diff", note, opened=True)]
    for name, one, other in (("system", before.system, now.system), ("tools", before.tools, now.tools)):
        if one != other:
            lines = _changes([one], [other], f"{name} before", f"{name} now")
            found.append(reader.Section(lines, f"Changed: {name}", "diff", opened=False))
    return tuple(found)


def _changes(before: Sequence[Any], now: Sequence[Any], old: str, new: str) -> str:
    """How some messages became others, as a unified diff; "" if they are the same."""
    lines = unified("\n".join(_lines(before)), "\n".join(_lines(now)))
    return "\n".join([f"--- {old}", f"+++ {new}", *lines]) if lines else ""


def _lines(values: Sequence[Any]) -> list[str]:
    """Messages as lines: texts as they are, everything else as JSON."""
    found: list[str] = []
    for value in values:
        content = value.get("content") if isinstance(value, dict) else value
        if isinstance(value, dict) and "role" in value:
            found.append(f"[{clean(str(value['role']), 40)}]")
        for part in content if isinstance(content, list) else [content]:
            text = part.get("text") if isinstance(part, dict) else part
            if not isinstance(text, str):
                text = json.dumps(part, ensure_ascii=False, indent=1)
            found += text.split("\n")
        if len(found) > LONGEST:
            break
    return found[:LONGEST]


def _whole(request: Request) -> tuple[reader.Section, ...]:
    count = len(request.messages)
    found = [reader.Section(request.params, "Request as it was sent", note=counted(count, "message"), opened=False)]
    if request.system:
        found.append(reader.Section(request.system, "System prompt", opened=False))
    if request.tools:
        found.append(reader.Section(request.tools, "Tools", note=f"{len(request.tools):,}", opened=False))
    first = max(count - MOST_MESSAGES, 0)
    for number, message in enumerate(request.messages[first:], first + 1):
        role = message.get("role") if isinstance(message, dict) else None
        said = message.get("content") if isinstance(message, dict) else "not in this file"
        found.append(reader.Section(said, f"{number}  {clean(str(role or 'answer'), 40)}", opened=False))
    return tuple(found)
