"""Looks through a folder for runs, in jobs: which files are new or changed, and the rows made from them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from opentine_gui.app.folder.folder_index import IndexEntry, write_index
from opentine_gui.app.folder.run_query import search_text
from opentine_gui.app.folder.run_rows import RunSummary, arrange_rows, in_natural_order, summarise, summary_of
from opentine_gui.app.system.job import IsCancelled
from opentine_gui.core import Fingerprint, RunRecord
from opentine_gui.core.files.storage import plain_fingerprint
from opentine_gui.importers import readers

if TYPE_CHECKING:
    from opentine_gui.app.state.commands import DocumentState

SLICE_SECONDS = 0.4
"""Seconds for which files are read before the list is updated."""

LARGE_FILE_BYTES = 4 * 1024 * 1024
"""Larger files are read after all others, and after everything an open document waits for."""

MOST_BELOW = 200
"""Folders in the listed one that are named."""

OF_TOOLS = frozenset({"__pycache__", "node_modules"})
"""Folders that programs make beside runs, and in which nobody looks for any."""


class KnownFile(Protocol):
    """What the list needs to know of the file of an open document."""

    @property
    def fingerprint(self) -> Fingerprint | None:
        """Its fingerprint when it was last read or saved."""


class OpenRun(Protocol):
    """What the list needs to know of an open document."""

    @property
    def path(self) -> Path | None:
        """The file it was read from."""

    @property
    def saved_state(self) -> DocumentState | None:
        """The state last read or saved."""

    @property
    def on_disk(self) -> KnownFile:
        """What is known of its file."""

    @property
    def loading(self) -> object | None:
        """Not None while the file is being read."""


class ScanResult(msgspec.Struct, frozen=True):
    """The state of a scan: known files with their rows, files still to be read, rows to show."""

    known: dict[Path, IndexEntry]
    unread: tuple[tuple[Path, Fingerprint], ...] = ()
    changed: bool = False
    problem: str = ""
    below: tuple[Path, ...] | None = None
    """The folders in the folder; None where only files were looked at."""
    rows: tuple[RunSummary, ...] = ()
    texts: tuple[str, ...] = ()
    read: tuple[tuple[Path, Fingerprint], ...] = ()
    """Files that were read last."""
    later: frozenset[Path] = frozenset()
    """Files that changed so soon after they were read that this waits."""

    @property
    def only_large(self) -> bool:
        """True if only large files are left to read."""
        return bool(self.unread) and self.unread[0][1].size > LARGE_FILE_BYTES


class OpenFiles(msgspec.Struct, frozen=True):
    """Files of open documents: what was read of them, and those being read now."""

    records: dict[Path, tuple[Fingerprint | None, RunRecord]]
    under_way: frozenset[Path]

    @classmethod
    def of(cls, documents: Sequence[OpenRun]) -> OpenFiles:
        records: dict[Path, tuple[Fingerprint | None, RunRecord]] = {}
        for document in documents:
            if document.path is not None and document.saved_state is not None:
                records[document.path] = (document.on_disk.fingerprint, document.saved_state.record)
        under_way = [d.path for d in documents if d.path is not None and d.loading is not None]
        return cls(records, frozenset(under_way))


def without_open(found: ScanResult, opened: OpenFiles) -> ScanResult:
    """Make the rows of open documents from what was read; leave out files being read, which come later (in a job)."""
    known = dict(found.known)
    unread: list[tuple[Path, Fingerprint]] = []
    for path, fingerprint in found.unread:
        read, record = opened.records.get(path, (None, None))
        if record is not None and read == fingerprint:
            known[path] = IndexEntry(fingerprint, summary_of(path, record))
        elif path not in opened.under_way:
            unread.append((path, fingerprint))
    unread.sort(key=lambda pair: pair[1].size > LARGE_FILE_BYTES)
    return replace(found, known=known, unread=tuple(unread))


def without_resting(found: ScanResult, resting: frozenset[Path]) -> ScanResult:
    """Leave out logs that were read just before (in a job)."""
    later = frozenset([path for path, _ in found.unread if path in resting and path in found.known])
    return replace(found, unread=tuple([pair for pair in found.unread if pair[0] not in later]), later=later)


def is_of_tools(name: str) -> bool:
    """Whether a folder of this name is hidden, or one that programs make beside runs."""
    return name.startswith(".") or name in OF_TOOLS


def whole_folder(folder: Path, before: Mapping[Path, IndexEntry]) -> ScanResult:
    """Scan the folder: files that are known and unchanged, and files to be read (in a job)."""
    present: list[tuple[Path, Fingerprint]] = []
    below: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if readers.may_be_run(entry.name):
                    fingerprint = plain_fingerprint(entry)
                    if fingerprint is not None:
                        present.append((folder / entry.name, fingerprint))
                elif not is_of_tools(entry.name) and entry.is_dir(follow_symlinks=False):
                    below.append(entry.name)
    except OSError as error:
        return ScanResult({}, problem=f"{folder} cannot be listed: {error.strerror}", below=())
    present.sort()
    folders = tuple([folder / name for name in sorted(below, key=in_natural_order)[:MOST_BELOW]])
    known = {path: before[path] for path, _ in present if path in before}
    unread = tuple([pair for pair in present if pair[0] not in known or known[pair[0]].fingerprint != pair[1]])
    return ScanResult(known, unread, bool(unread) or len(known) != len(before), below=folders)


def scan_files(before: Mapping[Path, IndexEntry], paths: Iterable[Path]) -> ScanResult:
    """Scan only these files (in a job)."""
    known = dict(before)
    unread: list[tuple[Path, Fingerprint]] = []
    for path in sorted(paths):
        fingerprint = plain_fingerprint(path)
        if fingerprint is None:
            known.pop(path, None)
        elif path not in known or known[path].fingerprint != fingerprint:
            unread.append((path, fingerprint))
    return ScanResult(known, tuple(unread), bool(unread) or len(known) != len(before))


def read_files(folder: Path, found: ScanResult, before: Sequence[RunSummary], cancelled: IsCancelled) -> ScanResult:
    """Read files for a while, at least one; after the last one write the index (in a job)."""
    known = dict(found.known)
    end = time.perf_counter() + SLICE_SECONDS
    done = 0
    for path, fingerprint in found.unread:
        if done and fingerprint.size > LARGE_FILE_BYTES:
            break  # each in a job of its own
        known[path] = IndexEntry(fingerprint, summarise(path, cancelled) if readers.is_recognised(path) else None)
        done += 1
        if cancelled() or time.perf_counter() >= end:
            break
    left = found.unread[done:]
    if found.changed and not left and not cancelled():
        write_index(folder, known)
    return with_rows(replace(found, known=known, unread=left, read=found.unread[:done]), before)


def with_rows(found: ScanResult, before: Sequence[RunSummary]) -> ScanResult:
    rows = arrange_rows(before, [known.row for known in found.known.values() if known.row is not None])
    return replace(found, rows=rows, texts=tuple([search_text(row) for row in rows]))
