"""The request that led to an answer, which newer versions keep in the log; assembled only on demand.

`api-request` lines hold hashes: the first `keep` messages of the request `base`, then `tail`. Each message sent is in
an `api-request-blob`, except the model's answers, which are in the session's own lines: each is the answer to the
request whose messages come before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from opentine_gui.core.files import storage
from opentine_gui.importers.json_lines import LARGEST_LOG, read_records, value_of
from opentine_gui.importers.reading import Reading, Report

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
    lists = _Lists(found.requests)
    tip = lists.of(identity)
    answered = {lists.of(other): other for other in found.answers if other in found.requests}
    messages: list[Any] = []
    for before, name in lists.members(tip):
        blob = found.blobs.get(name)
        messages.append(value_of(blob) if blob is not None else _answer(found, answered.get(before, "")))
    shape = value_of(found.shapes.get(line.shape_hash or "", NOTHING))
    shape = shape if isinstance(shape, dict) else {}
    return Request(line.digest or "", value_of(line.params), shape.get("system"), shape.get("tools"), messages)


class _Lists:
    """The hash lists of requests, as a tree: lists share beginnings, so a list is a node of the tree.

    Stored separately, they would take space quadratic in a session's length.
    """

    def __init__(self, requests: dict[str, _Line]) -> None:
        self._requests = requests
        self._places: dict[str, int] = {}
        self._above, self._hashes, self._lengths = [0], [""], [0]
        self._below: dict[tuple[int, str], int] = {}

    def of(self, identity: str) -> int:
        """The place of a request's list; equal lists have the same one."""
        chain: list[str] = []
        current: str | None = identity
        seen: set[str] = set()
        while current in self._requests and current not in self._places and current not in seen:
            chain.append(current)
            seen.add(current)
            current = self._requests[current].base
        place = self._places.get(current or "", 0)
        for name in reversed(chain):
            line = self._requests[name]
            while self._lengths[place] > max(0, line.keep):
                place = self._above[place]
            for hashed in line.tail:
                place = self._next(place, hashed)
            self._places[name] = place
        return self._places.get(identity, 0)

    def members(self, place: int) -> list[tuple[int, str]]:
        """(the place of the list before it, hash) of each member of a list, in order."""
        found = []
        while place:
            found.append((self._above[place], self._hashes[place]))
            place = self._above[place]
        return found[::-1]

    def _next(self, place: int, hashed: str) -> int:
        """The place of a list with one more hash."""
        below = self._below.get((place, hashed))
        if below is None:
            below = self._below[place, hashed] = len(self._above)
            self._above.append(place)
            self._hashes.append(hashed)
            self._lengths.append(self._lengths[place] + 1)
        return below


def _answer(found: _Requests, identity: str) -> Any:
    """The answer to a request, from the session's lines; None where it is not in this file."""
    content: list[Any] = []
    for raw in found.answers.get(identity, ()):
        message = value_of(raw)
        if isinstance(message, dict) and isinstance(message.get("content"), list):
            content += message["content"]
    return {"role": "assistant", "content": content} if content else None
