"""The lines of a pi session as a tree of entries: header, ids, parents; a session of version 1 is a plain row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opentine_gui.core.progress import Pace
from opentine_gui.importers.json_lines import Line, read_lines
from opentine_gui.importers.reading import Place, Report
from opentine_gui.importers.sources.fields import object_of, text_of, unix_time

_HEADER = re.compile(rb'"type"\s*:\s*"session"')


@dataclass(slots=True)
class Entry:
    """A line of the tree. `order` is its place in the file, from 0."""

    id: str
    parent: str | None
    type: str
    value: dict[str, Any]
    place: Place
    order: int
    message: dict[str, Any] = field(init=False)
    """The message of a `message` entry, else an empty object."""
    role: str = field(init=False)
    """Who wrote the message, "" for other entries."""

    time: float | None = field(init=False)
    """When it was written."""

    def __post_init__(self) -> None:
        self.message = object_of(self.value.get("message"))
        self.role = text_of(self.message.get("role"))
        self.time = unix_time(self.value.get("timestamp"))


@dataclass(slots=True)
class Session:
    """A session in memory: its header, and its entries by id in file order."""

    path: Path
    header: dict[str, Any] = field(default_factory=dict)
    header_place: Place | None = None
    entries: dict[str, Entry] = field(default_factory=dict)
    lines: int = 0
    last: str | None = None
    """The entry of the last line that had one."""

    def take(self, lines: Iterable[Line], report: Report) -> list[Entry]:
        """The entries of the next lines. An id that occurs twice keeps its first entry; the second is counted."""
        found = []
        for order, line in enumerate(lines, self.lines):
            self.lines = order + 1
            value = line.value
            kind = text_of(value.get("type"))
            if kind == "session":
                if self.header_place is None:
                    self.header, self.header_place = value, line.place
                report.folded += 1
                continue
            identity = text_of(value.get("id"))
            parent: str | None = text_of(value.get("parentId")) or None
            if not identity:  # version 1: a row without ids
                identity, parent = f"line {order}", self.last
            if identity in self.entries:
                report.skip("an id that was there before")
                continue
            found.append(Entry(identity, parent, kind, value, line.place, order))
            self.entries[identity] = found[-1]
            self.last = identity
        return found


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a session of pi."""
    first = head.lstrip(b"\xef\xbb\xbf \r\n").split(b"\n", 1)[0][:4096]
    if not first.startswith(b"{") or _HEADER.search(first) is None:
        return 0.0
    return 0.9 if b'"cwd"' in first else 0.3


def load(path: Path, pieces: Iterable[bytes], report: Report, pace: Pace, size: int = 0) -> Session:
    """The session in a file of about `size` bytes, which come in pieces that end where lines do."""
    session, offset = Session(path), 0
    for piece in pieces:
        end = offset + len(piece)
        whole = max(size, end, 1)
        session.take(read_lines(path, piece, report, None, offset), report)
        pace.at(end / whole)
        offset = end
    return session


def earlier_session(session: Session) -> str:
    """The path of the session that this one was forked from, as it was written; "" when it was not."""
    header = session.header
    return text_of(header.get("parentSession")) or text_of(header.get("branchedFrom"))
