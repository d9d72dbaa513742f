"""The request behind an answer, which newer versions keep in the log: put together only when somebody asks for it.

`api-request` lines hold hashes: the first `keep` messages of the request `base`, then `tail`. A message that was sent
stands in an `api-request-blob`; an answer of the model has no blob, for it stands in the session's own lines: it is the
answer to the request whose messages are those before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from opentine_gui.core.files import storage
from opentine_gui.importers.json_lines import LARGEST_LOG, read_records, value_of
from opentine_gui.importers.reading import Reading, Report

MOST_BASES = 100_000
NOTHING = msgspec.Raw()


class Request(NamedTuple):
    """What was sent for an answer, in the form of the Messages API; `digest` and `params` as the log has them."""

    digest: str
    params: Any
    system: Any
    tools: Any
    messages: list[Any]


class _Line(msgspec.Struct, gc=False):
    type: str = ""
    id: str | None = None
    hash: str | None = None
    base: str | None = None
    keep: int = 0
    tail: list[str] = []
    request_ref: str | None = msgspec.field(default=None, name="requestRef")
    shape_hash: str | None = msgspec.field(default=None, name="shapeHash")
    digest: str | None = msgspec.field(default=None, name="requestDigest")
    params: msgspec.Raw = NOTHING
    shape: msgspec.Raw = NOTHING
    message: msgspec.Raw = NOTHING


_decoder = msgspec.json.Decoder(_Line)


@dataclass(slots=True)
class _Requests:
    """The lines of a log that requests are made of, by id and by hash."""

    requests: dict[str, _Line] = field(default_factory=dict)
    blobs: dict[str, msgspec.Raw] = field(default_factory=dict)
    shapes: dict[str, msgspec.Raw] = field(default_factory=dict)
    answers: dict[str, list[msgspec.Raw]] = field(default_factory=dict)


def request_of(reading: Reading, step: str) -> Request | None:
    """What was sent for the step with this id; None where the log does not say. TineError when it cannot be read."""
    for place in reading.places.get(step, ()):
        content = storage.read_bytes(place.path, limit=LARGEST_LOG)
        line = value_of(content[place.offset : place.offset + place.length])
        if isinstance(line, dict) and line.get("type") == "api-request" and isinstance(line.get("id"), str):
            return _put_together(_collect(place.path, content), line["id"])
    return None


def _collect(path: Path, content: bytes) -> _Requests:
    found = _Requests()
    for line, _place in read_records(path, content, _decoder, Report()):
        if line.type == "api-request" and line.id:
            found.requests[line.id] = line
        elif line.type == "api-request-blob" and line.hash:
            found.blobs[line.hash] = line.message
        elif line.type == "api-request-shape" and line.shape_hash:
            found.shapes[line.shape_hash] = line.shape
        elif line.type == "assistant" and line.request_ref:
            found.answers.setdefault(line.request_ref, []).append(line.message)
    return found


def _put_together(found: _Requests, identity: str) -> Request | None:
    line = found.requests.get(identity)
    if line is None:
        return None
    hashes = _hashes(found, identity)
    answered = {tuple(_hashes(found, other)): other for other in found.answers if other in found.requests}
    messages: list[Any] = []
    for number, name in enumerate(hashes):
        blob = found.blobs.get(name)
        if blob is not None:
            messages.append(value_of(blob))
        else:
            messages.append(_answer(found, answered.get(tuple(hashes[:number]), "")))
    shape = value_of(found.shapes.get(line.shape_hash or "", NOTHING))
    shape = shape if isinstance(shape, dict) else {}
    return Request(line.digest or "", value_of(line.params), shape.get("system"), shape.get("tools"), messages)


def _hashes(found: _Requests, identity: str) -> list[str]:
    """The hashes of all messages of a request."""
    parts: list[tuple[list[str], int]] = []
    seen: set[str] = set()
    current: str | None = identity
    while current is not None and current not in seen and len(seen) < MOST_BASES:
        seen.add(current)
        line = found.requests.get(current)
        if line is None:
            break
        parts.append((line.tail, line.keep))
        current = line.base
    hashes: list[str] = []
    for tail, keep in reversed(parts):
        hashes = hashes[: max(0, keep)] + tail
    return hashes


def _answer(found: _Requests, identity: str) -> Any:
    """The answer to a request, from the session's lines; None where it is not in this file."""
    content: list[Any] = []
    for raw in found.answers.get(identity, ()):
        message = value_of(raw)
        if isinstance(message, dict) and isinstance(message.get("content"), list):
            content += message["content"]
    return {"role": "assistant", "content": content} if content else None
