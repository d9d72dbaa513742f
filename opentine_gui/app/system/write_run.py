"""Writes a run to its file, one of our processes at a time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from opentine_gui.app.state.settings import data_folder
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.core import Cancelled, RunRecord, StorageError
from opentine_gui.core.files import storage
from opentine_gui.core.format.container import Storage

LONGEST_WAIT = 60.0
"""Seconds a save waits for another of our processes that writes the same file."""


class SaveResult(msgspec.Struct, frozen=True):
    """What a save wrote."""

    fingerprint: storage.Fingerprint | None
    digest: str
    record: RunRecord
    """The run as the file has it, with its new digest."""
    disk: int = 0
    """The number of the file system it was written to."""


def write_run(
    record: RunRecord,
    path: Path,
    progress: ReportProgress,
    cancelled: IsCancelled,
    compress: Storage | None = None,
    replaces: str | None = None,
) -> SaveResult:
    """Write a run atomically (in a job), one of our processes at a time.

    Cancelled if it was stopped, FileChanged if the file has other content than `replaces` (SHA-256, in hex); then
    nothing was written. The digest is that of the bytes written: the file may be someone else's by now.
    """
    digest, size = hashlib.sha256(), 0

    def record_piece(piece: bytes) -> None:
        nonlocal size
        if cancelled():
            raise Cancelled("saving was stopped")
        digest.update(piece)
        size += len(piece)

    with only_writer(path):
        _, kept = storage.write_and_keep(
            path,
            record,
            compress=compress,
            replaces=replaces,
            progress=progress,
            cancelled=cancelled,
            passed=record_piece,
        )
    fingerprint = storage.fingerprint(path)
    ours = fingerprint is not None and fingerprint.size == size
    return SaveResult(fingerprint if ours else None, digest.hexdigest(), kept, storage.disk_of(path))


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Hold this user's lock on a file while it is looked at, written and replaced. StorageError if another has it.

    Where no lock can be had at all (a data folder that cannot be written), the file is written without one: what is
    replaced is looked at in any case. A lock that cannot be released fails no save, for the file is written by then.
    """
    from filelock import FileLock, Timeout  # slow to import, so not at the start

    folder = data_folder() / "locks"
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
    lock = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / f"{name}.lock", timeout=LONGEST_WAIT)
        lock.acquire()
    except Timeout as error:
        raise StorageError("another window has been writing this file for a minute", path=path) from error
    except (OSError, NotImplementedError):  # the latter where the file system knows no locks
        lock = None
    try:
        yield
    finally:
        if lock is not None:
            with suppress(OSError):
                lock.release()
