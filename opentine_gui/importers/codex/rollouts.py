"""Codex's files: names, headers, and how to find in the same home a file that another one names.

A rollout is `rollout-<time>-<thread>[_<rollout>].jsonl`, plain or with zstd. Its id is the last UUID of the name; a
later file of the same thread has one of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from opentine_gui.core.errors import TineError
from opentine_gui.core.progress import Pace
from opentine_gui.importers.json_lines import Line, read_lines
from opentine_gui.importers.reading import Report
from opentine_gui.importers.sources.fields import count, object_of, text_of
from opentine_gui.importers.sources.packed import content_of

FOLDERS = ("sessions", "archived_sessions")
"""The only folders of a home that are searched for other rollouts."""
MOST_FILES = 200_000
LARGEST_HEADER = 4 << 20
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_NAME = re.compile(rf"rollout-(\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d)-({_UUID})(?:_({_UUID}))?\.jsonl(?:\.zst)?")


class RolloutName(NamedTuple):
    """What a file's name says. `time` sorts as text."""

    time: str
    thread: str
    rollout: str


class Base(NamedTuple):
    """What a rollout continues: the records of `rollout` with an ordinal below `end`; `offset` in bytes, 0 unknown."""

    rollout: str
    end: int
    offset: int


@dataclass(frozen=True, slots=True)
class Rollout:
    """A file in memory: its bytes, unpacked, and the payload of its first `session_meta`."""

    path: Path
    id: str
    content: bytes
    meta: dict[str, Any]

    @property
    def thread(self) -> str:
        """The id of the thread that the file belongs to."""
        return text_of(self.meta.get("id")) or self.id

    @property
    def base(self) -> Base | None:
        """The rollout that this one continues; None if it continues none."""
        found = object_of(self.meta.get("history_base"))
        name = text_of(found.get("thread_id"))
        end = count(found.get("end_ordinal_exclusive"))
        if not name or end is None:
            return None
        return Base(name, end, count(found.get("end_byte_offset")) or 0)

    def lines(self, report: Report, pace: Pace) -> Iterator[Line]:
        """The records in file order, decoded one by one."""
        return read_lines(self.path, self.content, report, pace)


def name_of(path: Path) -> RolloutName | None:
    """What the file's name says, None for a name that Codex would not give."""
    match = _NAME.fullmatch(path.name)
    return RolloutName(match[1], match[2].lower(), (match[3] or match[2]).lower()) if match else None


def load(path: Path, beginning: bytes | None = None) -> Rollout:
    """A rollout with its bytes, or with its `beginning`. TineError when it cannot be read or unpacked."""
    content = content_of(path) if beginning is None else beginning
    meta: dict[str, Any] = {}
    first = content[: content.find(b"\n", 0, LARGEST_HEADER) + 1] or content[:LARGEST_HEADER]
    for line in read_lines(path, first, Report()):
        if line.value.get("type") == "session_meta":
            meta = object_of(line.value.get("payload"))
    name = name_of(path)
    return Rollout(path, name.rollout if name else text_of(meta.get("id")) or path.name, content, meta)


def parent_thread(meta: dict[str, Any]) -> str:
    """The thread that started this one as a sub-agent; "" if a person started it."""
    source = meta.get("source")
    spawn = object_of(object_of(object_of(source).get("subagent")).get("thread_spawn"))
    return text_of(meta.get("parent_thread_id")) or text_of(spawn.get("parent_thread_id"))


class Home:
    """The rollouts beside one: all files of its home's session folders, or of its own folder when there is no home."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files: dict[str, Path] | None = None
        self._threads: dict[str, list[Path]] = {}

    def rollout(self, identity: str) -> Path | None:
        """The file of a rollout; None when there is none in this home."""
        self._list()
        return (self._files or {}).get(identity.lower())

    def of_thread(self, thread: str) -> list[Path]:
        """The files of a thread, in the order of their names."""
        self._list()
        return self._threads.get(thread.lower(), [])

    def all(self) -> list[Path]:
        """Every rollout, in the order of their names."""
        self._list()
        return sorted((self._files or {}).values(), key=lambda path: path.name)

    def _list(self) -> None:
        """List the rollouts once; plain files take precedence over packed ones, and `sessions` over the archive."""
        if self._files is not None:
            return
        self._files = {}
        for path in sorted(self._candidates(), key=lambda path: (path.suffix == ".zst", "archived" in str(path))):
            name = name_of(path)
            if name is not None and name.rollout not in self._files:
                self._files[name.rollout] = path
                self._threads.setdefault(name.thread, []).append(path)
        for paths in self._threads.values():
            paths.sort(key=lambda path: path.name)

    def _candidates(self) -> Iterator[Path]:
        path = self._path.absolute()
        home = next((parent.parent for parent in path.parents if parent.name in FOLDERS), None)
        places = [home / folder for folder in FOLDERS] if home else [path.parent]
        seen = 0
        for place in places:
            for folder, folders, names in os.walk(place, followlinks=False):
                if home is None:
                    folders.clear()
                for name in names:
                    seen += 1
                    found = Path(folder, name)
                    if seen > MOST_FILES:
                        return
                    if name.startswith("rollout-") and not found.is_symlink():
                        yield found


def chain_of(rollout: Rollout, home: Home, known: dict[str, Rollout], report: Report) -> None:
    """Load the bases of a rollout into `known`, oldest last; report what is missing or forms a cycle."""
    seen = {rollout.id}
    known.setdefault(rollout.id, rollout)
    while rollout.base is not None:
        name, _end, offset = rollout.base
        if name in seen:
            report.remark("Files that name each other as the beginning: the cycle was broken.")
            return
        if len(seen) > 32:
            report.remark("More than 32 files stand before this one; those further back were not read.")
            return
        seen.add(name)
        if name not in known:
            path = home.rollout(name)
            if path is None:
                report.remark(f"The beginning is in another file, which is not here: rollout {name[:40]}.")
                return
            try:
                known[name] = load(path)
            except TineError as error:
                report.remark(f"The file with the beginning could not be read: {error}")
                return
        base = known[name]
        if offset and not (offset <= len(base.content) and base.content[offset - 1 : offset] == b"\n"):
            report.remark("The place where the file with the beginning was left is not at the end of a line.")
        rollout = base
