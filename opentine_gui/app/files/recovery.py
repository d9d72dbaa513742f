"""Crash recovery: a safety copy of every unsaved document, kept in the user's data folder until it is saved.

Each running session owns a folder and holds its lock; a folder whose lock is free was left by a session that crashed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from opentine_gui.app.document.document import Document, Source
from opentine_gui.app.files import opening
from opentine_gui.app.state.settings import data_folder
from opentine_gui.app.state.stored_paths import path_of, stored_path
from opentine_gui.app.system.jobs import IsCancelled, ReportProgress
from opentine_gui.core import RunRecord, TineError
from opentine_gui.core.files import storage
from opentine_gui.importers.sources.parts import divide
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from filelock import FileLock

    from opentine_gui.app.session import Session

UNKNOWN = "unknown"
"""Stands for the digest of a file whose content was not noted: it differs from every other."""

COPY_AFTER = 0.25
"""Seconds from an edit to the safety copy of it."""

_WRITE_PRIORITY = 1


class CopyInfo(msgspec.Struct):
    """The sidecar of a safety copy: what is needed to open it as the same document."""

    title: str
    path: str = ""
    base: str = ""
    """SHA-256 of the file the edits were made from: a save must not replace what somebody wrote meanwhile."""
    sources: list[str] = []
    source_runs: list[str] = []
    word: str = "fork"


class CrashRecovery:
    """Keeps safety copies of unsaved documents and offers those a crashed session left."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._root = data_folder() / "recovery"
        self._folder: Path | None = None
        self._lock: FileLock | None = None
        self._kept: dict[int, RunRecord] = {}
        self._since: dict[int, float] = {}
        self._offered = False
        self._found: dict[str, FileLock] = {}
        self._opened: dict[int, Path] = {}
        """Document number -> the copy it was opened from, kept until there is a newer one or none is needed."""
        self._forgotten: set[int] = set()
        """Documents that need no copy any more: a job still writing one deletes it."""

    def tick(self) -> None:
        """Copy edits that are `COPY_AFTER` seconds old; at the start offer recovered work. Called in every step."""
        if not self._offered:
            self._offered = True
            self._offer()
        now = self._session.clock()
        for document in self._session.documents:
            record = document.record
            if not document.dirty and document.number in self._kept:
                self.forget(document)
            elif record is None or not document.dirty or self._kept.get(document.number) is record:
                self._since.pop(document.number, None)
            elif now - self._since.setdefault(document.number, now) >= COPY_AFTER and not self._is_copying(document):
                del self._since[document.number]
                self._copy(document, record)

    def copy_all(self) -> None:
        """Begin a copy of every unsaved document that has none of its present state, however young the edit is."""
        for document in self._session.documents:
            record = document.record
            if record is not None and document.dirty and self._kept.get(document.number) is not record:
                self._copy(document, record)

    def forget(self, document: Document) -> None:
        """Delete the copy of a document that is saved or closed."""
        self._forgotten.add(document.number)  # before the files are deleted, so that a job still writing sees it
        self._session.jobs.cancel(f"recover:{document.number}")
        self._since.pop(document.number, None)
        self._kept.pop(document.number, None)
        if self._folder is not None:
            _remove_copy(self._folder / f"{document.number}.tine")
        self._drop_origin(document.number)

    def open(self, key: str) -> None:
        """Open every document a crashed session left as an unsaved one; its copy is kept until there is a newer one.

        A copy that cannot be read is kept, too.
        """
        if key not in self._found:
            return
        for copy, info in _copies_in(self._root / key):
            if copy in self._opened.values():
                continue
            try:
                record = storage.read(copy)
            except (TineError, OSError) as error:
                text = f"{info.title} could not be recovered: {error}. The copy is kept at {copy}."
                self._session.notices.add("error", text, key=f"unreadable:{copy}")
                continue
            kept = opening.remembered(self._session.side_stores, record)
            sources = tuple(Path(path_of(path)) for path in info.sources)
            path = Path(path_of(info.path)) if info.path else None
            if path is not None and opening.is_foreign(path):  # such a file is never written
                sources, path = (divide(path)[0], *sources), None
            document = self._session.add_document(
                path=path,
                state=opening.state_with(record, kept),
                source=Source(info.title, sources, tuple(info.source_runs), info.word),
            )
            self._opened[document.number] = copy
            if document.path is not None:
                document.content_digest = info.base or UNKNOWN
        self._session.notices.dismiss(f"recovered:{key}")

    def titles(self, key: str) -> tuple[str, ...]:
        """The titles of what a crashed session left."""
        return tuple(info.title for _, info in _copies_in(self._root / key)) if key in self._found else ()

    def discard(self, key: str) -> None:
        """Delete what a crashed session left, unless documents opened from it still need it."""
        if any(copy.parent.name == key for copy in self._opened.values()):
            return
        lock = self._found.pop(key, None)
        if lock is None:
            return
        lock.release()
        _remove(self._root / key)
        self._session.notices.dismiss(f"recovered:{key}")

    def close(self) -> None:
        """Release the locks; delete the folder if it holds no copy."""
        for lock in self._found.values():
            lock.release()
        if self._lock is not None:
            self._lock.release()
        if self._folder is not None and not any(self._folder.glob("*.tine")):
            _remove(self._folder)

    def _is_copying(self, document: Document) -> bool:
        """Whether an earlier copy is still being written: a second writer could end before it and be overwritten."""
        return self._session.jobs.is_running(f"recover:{document.number}")

    def _copy(self, document: Document, record: RunRecord) -> None:
        folder = self._own_folder()
        source = document.source
        info = CopyInfo(
            clean(document.title, 200),
            stored_path(str(document.path or "")),
            document.content_digest,
            [stored_path(str(path)) for path in source.paths] if source else [],
            list(source.run_ids) if source else [],
            source.word if source else "fork",
        )
        number = document.number

        copy = folder / f"{number}.tine"
        self._forgotten.discard(number)

        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
            try:
                storage.write(copy, record, overwrite=True, cancelled=lambda: number in self._forgotten)
                storage.write_bytes_atomic(copy.with_suffix(".json"), msgspec.json.encode(info))
            finally:
                if number in self._forgotten:
                    _remove_copy(copy)

        def done(_nothing: None) -> None:
            self._kept[number] = record
            self._drop_origin(number)

        def failed(error: Exception) -> None:
            self._kept[number] = record  # tried; the next edit tries again
            text = f"A safety copy of {info.title} could not be written: {error}"
            self._session.notices.add("warning", text, key="recovery")

        self._session.jobs.submit(f"recover:{number}", work, done, failed, priority=_WRITE_PRIORITY, must_finish=True)

    def _drop_origin(self, number: int) -> None:
        """Delete the copy a document was recovered from, and with the last one its folder."""
        copy = self._opened.pop(number, None)
        if copy is None:
            return
        _remove_copy(copy)
        if not any(copy.parent.glob("*.tine")):
            self.discard(copy.parent.name)

    def _own_folder(self) -> Path:
        if self._folder is None:
            from filelock import FileLock  # slow to import, so not at the start

            folder = self._root / self._session.nonce()
            while os.path.lexists(folder):  # one that is offered, whose lock we hold
                folder = self._root / self._session.nonce()
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(str(folder) + ".lock")
            self._lock.acquire(timeout=1.0)
            self._folder = folder
        return self._folder

    def _offer(self) -> None:
        if not os.path.isdir(self._root):
            return
        from filelock import FileLock, Timeout

        for folder in sorted(path for path in self._root.iterdir() if os.path.isdir(path) and path != self._folder):
            lock = FileLock(str(folder) + ".lock")
            try:
                lock.acquire(timeout=0)
            except (Timeout, OSError):
                continue
            titles = [info.title for _, info in _copies_in(folder)]
            if not titles:
                lock.release()
                _remove(folder)
                continue
            self._found[folder.name] = lock
            what = titles[0] if len(titles) == 1 else f"{len(titles)} documents"
            self._session.notices.add(
                "warning",
                f"Recovered {what}: unsaved work of a session that did not end properly.",
                detail="\n".join(titles),
                actions=(
                    ("Open", "file.recover", {"key": folder.name}),
                    ("Discard", "file.discard_recovered", {"key": folder.name}),
                ),
                key=f"recovered:{folder.name}",
            )


def _remove_copy(copy: Path) -> None:
    for suffix in (".tine", ".json"):
        copy.with_suffix(suffix).unlink(missing_ok=True)


def _remove(folder: Path) -> None:
    """Delete a recovery folder with our own files in it, and no others."""
    with suppress(OSError):
        for suffix in ("*.tine", "*.json"):
            for file in folder.glob(suffix):
                file.unlink()
        folder.rmdir()
        folder.with_name(folder.name + ".lock").unlink(missing_ok=True)


def _copies_in(folder: Path) -> Iterator[tuple[Path, CopyInfo]]:
    for copy in sorted(folder.glob("*.tine")):
        try:
            info = msgspec.json.decode(copy.with_suffix(".json").read_bytes(), type=CopyInfo)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            info = CopyInfo(copy.stem)
        yield copy, info
