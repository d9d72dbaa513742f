"""Where OpenHands keeps a conversation: a folder, an archive of folders, a file of lines; and which are there."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from opentine_gui.core.errors import FormatError, StorageError
from opentine_gui.core.files import storage
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace
from opentine_gui.importers.json_lines import LARGEST_LOG, read_lines
from opentine_gui.importers.reading import Place, Report
from opentine_gui.importers.sources import archives
from opentine_gui.importers.sources.documents import decode
from opentine_gui.importers.sources.fields import object_of, text_of, unix_time
from opentine_gui.importers.sources.head import HEAD
from opentine_gui.importers.sources.parts import Part, choose, divide

STATE = "base_state.json"
META = "meta.json"
EVENT_FILE = re.compile(r"event-(\d{5,12})-([0-9a-fA-F-]{8,64})\.json\Z")
CONVERSATION_FOLDER = re.compile(rb"[0-9a-f]{32}\Z|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
MOST_EVENTS = 200_000
LARGEST_EVENT = 16 << 20
FILES_BETWEEN = 64
MOST_BESIDE = 300
"""Most states of other conversations that are searched for what a fork copied."""


class Event(NamedTuple):
    """An event as it was recorded, and its place where it has one."""

    value: JsonObject
    place: Place | None


class Conversation(NamedTuple):
    """A conversation: its folder's name, `base_state.json`, the server's `meta.json`, events in their order."""

    name: str
    state: JsonObject
    meta: JsonObject
    events: list[Event]

    @property
    def title(self) -> str:
        """The title that was given, else the first words of the person."""
        given = text_of(self.meta.get("title")) or text_of(object_of(self.state.get("tags")).get("title"))
        return given or next((said for event in self.events if (said := _prompt(event.value))), "")


class _File(NamedTuple):
    """A file of a conversation, in a folder or an archive."""

    conversation: str
    name: str
    size: int
    read: Any
    place: Place | None
    state: tuple[int, int, int] | None = None
    """Size, time and inode of a file in a folder: it is read again when these change."""


class KnownFiles:
    """Contents of the files of a folder that were read before: events are written once, so only new files are read.

    `bytes_read` counts the bytes of the files that were read in all.
    """

    def __init__(self) -> None:
        self.bytes_read = 0
        self._values: dict[Path, tuple[tuple[int, int, int], JsonObject]] = {}

    def value_of(self, file: _File, report: Report) -> JsonObject:
        """The object in a file, cached until its size, time or inode changes; {} is not cached."""
        path = file.place.path if file.place is not None else None
        known = self._values.get(path) if path is not None else None
        if known is not None and known[0] == file.state:
            report.records += 1
            return known[1]
        self.bytes_read += file.size
        value = _decoded(file, report)
        if value and path is not None and file.state is not None:
            self._values[path] = (file.state, value)
        return value

    def forget_others(self, files: list[_File]) -> None:
        """Drop the cached contents of all files but these."""
        here = {file.place.path for file in files if file.place is not None}
        for path in self._values.keys() - here:
            del self._values[path]


def conversation_folder(path: Path) -> Path:
    """The folder of a conversation that was named by one of its files or its folder of events."""
    folder = path if path.is_dir() else path.parent
    return folder.parent if folder.name == "events" and (folder.parent / STATE).is_file() else folder


def parts_of(path: Path) -> list[Part]:
    """The conversations in a folder of them or an archive, oldest first; none for a single one.

    Only the states and the first events are read.
    """
    if not holds_several(path):
        return []
    with _files(path) as files:
        found: dict[str, list[_File]] = {}
        for file in files:
            found.setdefault(file.conversation, []).append(file)
        if len(found) == 1 and "" in found:
            return []
        return sorted((_part(name, some) for name, some in found.items()), key=lambda part: (part.time or 0, part.id))


def holds_several(path: Path) -> bool:
    """Whether a source is a folder or an archive, in which there can be several conversations."""
    return path.is_dir() or bool(archives.names_in(storage.read_head(path, HEAD)))


def read_conversation(
    path: Path, part: str, report: Report, pace: Pace, known: KnownFiles | None = None
) -> Conversation:
    """A conversation; `part` is its folder's name where there are several. `known` was read before. TineError."""
    if path.name != STATE and not holds_several(path):
        return _read_lines(path, report, pace)
    with _files(path) as files:
        mine = [file for file in files if file.conversation == part]
        if known is not None:
            known.forget_others(mine)
        return _read(part, mine, report, pace, known or KnownFiles())


def states_beside(path: Path, part: str) -> list[JsonObject]:
    """The states of other conversations in the same folder or archive: they name the models of copied responses."""
    if path.name == STATE or path.is_dir():
        folder = conversation_folder(path)
        around = folder if part else folder.parent
        own = part or folder.name
        beside = [Path(entry.path) / STATE for entry in _entries(around) if entry.is_dir(follow_symlinks=False)]
        files = [
            _File(path.parent.name, STATE, path.stat().st_size, lambda path=path: storage.read_bytes(path), None)
            for path in beside[:MOST_BESIDE]
            if path.is_file() and not path.is_symlink() and path.parent.name != own
        ]
        return [_decoded(file, Report()) for file in files]
    if not holds_several(path):
        return []
    with archives.opened(path) as members:
        files = [file for file in map(_archived, members) if file.name == STATE and file.conversation != part]
        return [_decoded(file, Report()) for file in files[:MOST_BESIDE]]


def family_of(path: Path) -> list[Path]:
    """The conversations beside one that have an event in common with it, which a fork leaves: by names alone."""
    source, part = divide(path)
    if not source.is_dir() and source.name != STATE:
        return []
    folder = conversation_folder(source)
    several = parts_of(source)
    if several:
        folder = folder / choose(several, part, source).id
    own = _event_names(folder)
    around = folder.parent
    if not own or not around.is_dir():
        return []
    beside = [Path(entry.path) for entry in _entries(around) if entry.is_dir(follow_symlinks=False)]
    return sorted(other for other in beside[:MOST_BESIDE] if other.name != folder.name and own & _event_names(other))


def _event_names(folder: Path) -> set[str]:
    events = folder / "events"
    if not events.is_dir() or events.is_symlink():
        return set()
    return {entry.name for entry in _entries(events) if EVENT_FILE.fullmatch(entry.name)}


def _read_lines(path: Path, report: Report, pace: Pace) -> Conversation:
    content = storage.read_bytes(path, limit=LARGEST_LOG)
    if EVENT_FILE.fullmatch(path.name):
        return Conversation(path.stem, {}, {}, [Event(object_of(decode(content)), Place(path, 0, len(content)))])
    events = [Event(line.value, line.place) for line in read_lines(path, content, report, pace)]
    return Conversation(path.stem, {}, {}, events)


def _read(name: str, files: list[_File], report: Report, pace: Pace, known: KnownFiles) -> Conversation:
    state: JsonObject = {}
    meta: JsonObject = {}
    numbered: list[tuple[int, Event]] = []
    for position, file in enumerate(files):
        if position % FILES_BETWEEN == 0:
            pace.at(position / len(files))
        found = EVENT_FILE.fullmatch(file.name)
        if not found and file.name not in (STATE, META):
            continue
        value = known.value_of(file, report)
        if found and value:
            numbered.append((int(found[1]), Event(value, file.place)))
        elif file.name == STATE:
            state = value
        elif file.name == META:
            meta = value
    numbered.sort(key=lambda pair: pair[0])
    return Conversation(name, state, meta, [event for _, event in numbered])


def _decoded(file: _File, report: Report) -> JsonObject:
    """The object in a file; one that is damaged, or still being written, is counted."""
    report.records += 1
    if file.size > LARGEST_EVENT:
        report.bad_lines += 1
        report.remark(f"A record of {file.size / 1e6:.0f} MB was not read.")
        return {}
    try:
        value = decode(file.read())
    except FormatError:
        value = None
    if not isinstance(value, dict):
        report.bad_lines += 1
        return {}
    return value


@contextmanager
def _files(path: Path) -> Iterator[list[_File]]:
    """The files of all conversations in a folder or an archive."""
    if path.is_file() and path.name != STATE:
        with archives.opened(path) as members:
            yield [_archived(member) for member in members]
    else:
        yield list(_in_folder(conversation_folder(path)))


def _archived(member: archives.Member) -> _File:
    steps = member.name.split("/")
    folders = [step for step in steps[:-1] if step not in ("events", "", ".")]
    return _File(folders[-1] if folders else "", steps[-1], member.size, member.read, member.place)


def _in_folder(folder: Path) -> Iterator[_File]:
    if (folder / STATE).is_file() or (folder / "events").is_dir():
        yield from _conversation_files("", folder)
        return
    for entry in _entries(folder):
        inner = Path(entry.path)
        if entry.is_dir(follow_symlinks=False) and (inner / STATE).is_file():
            yield from _conversation_files(entry.name, inner)


def _conversation_files(name: str, folder: Path) -> Iterator[_File]:
    """State, meta and events of a conversation; links are not followed."""
    events = folder / "events"
    listed = [*_entries(folder), *(_entries(events) if events.is_dir() and not events.is_symlink() else ())]
    for entry in listed:
        if not entry.is_file(follow_symlinks=False):
            continue
        if entry.name in (STATE, META) or EVENT_FILE.fullmatch(entry.name):
            path = Path(entry.path)
            status = entry.stat(follow_symlinks=False)
            state = status.st_size, status.st_mtime_ns, status.st_ino
            place = Place(path, 0, status.st_size)
            yield _File(name, entry.name, state[0], lambda path=path: storage.read_bytes(path), place, state)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [entry for entry, _ in zip(entries, range(MOST_EVENTS), strict=False)]
    except OSError as error:
        raise StorageError("the folder cannot be listed", path=folder, cause=error.strerror) from error


def _part(name: str, files: list[_File]) -> Part:
    """A conversation of several: the title from its state or its first events."""
    events = sorted((file for file in files if EVENT_FILE.fullmatch(file.name)), key=lambda file: file.name)
    small = [file for file in files if file.name in (STATE, META)]
    ends = [*events[:4], *events[-1:]]
    conversation = _read(name, [*small, *ends], Report(), Pace(), KnownFiles())
    times = [unix_time(event.value.get("timestamp")) for event in conversation.events]
    return Part(name, conversation.title, max((time for time in times if time is not None), default=None), len(events))


def _prompt(event: JsonObject) -> str:
    if event.get("source") != "user":
        return ""
    content = object_of(event.get("llm_message")).get("content")
    first = object_of(content[0]) if isinstance(content, list) and content else {}
    return text_of(first.get("text")) or text_of(content) or text_of(object_of(event.get("args")).get("content"))


def is_event(head: bytes) -> bool:
    """Whether the first line of a file, or the whole of it, is an event of the SDK."""
    line = head.lstrip(b"\xef\xbb\xbf \r\n\t").split(b"\n", 1)[0]
    if not line.startswith(b"{"):
        return False
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return b'"kind":' in line and b'Event"' in line and b'"llm_' in line
    kind = value.get("kind")
    known = isinstance(kind, str) and (kind.endswith("Event") or kind in ("UserRejectObservation", "Condensation"))
    return known and isinstance(value.get("id"), str) and "source" in value
