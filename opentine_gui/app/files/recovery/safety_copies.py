"""Safety copies on the disk: each a `.tine` file and a sidecar, in a folder of the running session that owns them.

Each running session owns a folder and holds its lock; a folder whose lock is free was left by a session that crashed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from opentine_gui.app.document.side_stores.remembering import remembered
from opentine_gui.app.files.recovery.typed_texts import SUFFIX, TypedTexts, read_typed
from opentine_gui.app.system.job import IsCancelled
from opentine_gui.core import RunRecord, TineError
from opentine_gui.core.files import storage

if TYPE_CHECKING:
    from filelock import FileLock

    from opentine_gui.app.document.side_stores import Remembered, SideStores

LARGEST_SIDECAR = 1 << 20


class CopyInfo(msgspec.Struct):
    """The sidecar of a safety copy: what is needed to open it as the same document."""

    title: str
    path: str = ""
    base: str = ""
    """SHA-256 of the file the edits were made from: a save must not replace what somebody wrote meanwhile."""
    sources: list[str] = []
    source_runs: list[str] = []
    word: str = "fork"


class Left(NamedTuple):
    """Folders of crashed sessions that are offered together, and the titles of the copies in them."""

    folders: tuple[str, ...]
    titles: tuple[str, ...]


class FoundFolder(NamedTuple):
    """What was read in a folder that a crashed session left; `texts` are those of its copies as well."""

    copies: list[Recovered]
    texts: list[tuple[Path, TypedTexts]]
    lone: list[tuple[Path, TypedTexts]]


class Recovered(NamedTuple):
    """A copy that was read, or why it could not be."""

    copy: Path
    info: CopyInfo
    record: RunRecord | None = None
    kept: Remembered | None = None
    error: str = ""


def together(found: list[Left]) -> Left:
    """What several crashed sessions left, as one offer."""
    return Left(tuple(name for left in found for name in left.folders), tuple(t for left in found for t in left.titles))


def left_in(root: Path, own: Callable[[], Path | None], cancelled: IsCancelled) -> Iterator[Left]:
    """What crashed sessions left, one at a time (in a job); no lock is kept, and empty folders are removed.

    A link is not followed: what it leads to is not ours.
    """
    try:
        with os.scandir(root) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return
    for name in names:
        folder = root / name
        if cancelled() or folder == own():
            continue
        lock = lock_of(folder)
        if lock is None:
            continue
        try:
            titles = (*(info.title for _, info in copies_in(folder)), *(t.title for _, t in lone_texts(folder)))
            if not titles:
                remove_folder(folder)
        finally:
            lock.release()
        if titles:
            yield Left((name,), titles)


def read_folder(folder: Path, stores: SideStores, cancelled: IsCancelled) -> FoundFolder:
    """Read all that a crashed session left (in a job)."""
    copies = [read_copy(copy, info, stores, cancelled) for copy, info in copies_in(folder)]
    return FoundFolder(copies, list(read_typed(folder)), list(lone_texts(folder)))


def read_copy(copy: Path, info: CopyInfo, stores: SideStores, cancelled: IsCancelled) -> Recovered:
    """Read a copy, with what is remembered about its run; a copy that cannot be read says why."""
    try:
        record = storage.read(copy, cancelled=cancelled)
        return Recovered(copy, info, record, remembered(stores, record))
    except TineError as error:
        return Recovered(copy, info, error=error.reason)
    except OSError as error:
        return Recovered(copy, info, error=error.strerror or str(error))


def lone_texts(folder: Path) -> Iterator[tuple[Path, TypedTexts]]:
    """What was typed about documents that have no copy, for they were saved: their files are read instead."""
    for file, texts in read_typed(folder):
        if texts.path and texts.drafts and not file.with_suffix(".tine").exists():
            yield file, texts


def holds_work(folder: Path) -> bool:
    """Whether there is anything in a folder that can be recovered."""
    return any(folder.glob("*.tine")) or any(folder.glob(f"*{SUFFIX}"))


def lock_of(folder: Path) -> FileLock | None:
    """The lock of a session's folder, held; None where a running session has it."""
    from filelock import FileLock, Timeout  # slow to import, so not at the start

    lock = FileLock(str(folder) + ".lock")
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError):
        return None
    return lock


def remove_copy(copy: Path) -> None:
    """Delete a copy that is not needed. One that cannot be deleted stays, and is offered again at the next start."""
    for suffix in (".tine", ".json"):
        with suppress(OSError):
            copy.with_suffix(suffix).unlink()


def remove_typed(file: Path) -> None:
    """Delete what was typed and is not needed. A file that cannot be deleted stays."""
    with suppress(OSError):
        file.unlink(missing_ok=True)


def remove_folder(folder: Path) -> None:
    """Delete a recovery folder with our own files in it, and no others; never what a link leads to."""
    with suppress(OSError):
        if os.path.islink(folder):
            return
        for suffix in ("*.tine", "*.json", f"*{SUFFIX}"):
            for file in folder.glob(suffix):
                file.unlink()
        folder.rmdir()
        folder.with_name(folder.name + ".lock").unlink(missing_ok=True)


def copies_in(folder: Path) -> Iterator[tuple[Path, CopyInfo]]:
    """The copies in a folder, with what is known of each."""
    for copy in sorted(folder.glob("*.tine")):
        if copy.is_symlink():
            continue
        try:
            sidecar = storage.read_bytes(copy.with_suffix(".json"), limit=LARGEST_SIDECAR)
            info = msgspec.json.decode(sidecar, type=CopyInfo)
        except (TineError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            info = CopyInfo(copy.stem)
        yield copy, info
