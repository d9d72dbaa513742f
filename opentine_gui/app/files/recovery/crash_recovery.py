"""Keeps a safety copy of every unsaved document in the user's data folder, and offers those of crashed sessions."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.side_stores.remembering import state_with
from opentine_gui.app.document.source import Source
from opentine_gui.app.document.tab_names import LONGEST_IN_NOTICE, short_title
from opentine_gui.app.files import opening
from opentine_gui.app.files.recovery.kept_texts import KeptTexts
from opentine_gui.app.files.recovery.putting_back import make_room
from opentine_gui.app.files.recovery.safety_copies import (
    CopyInfo,
    FoundFolder,
    Left,
    Recovered,
    holds_work,
    left_in,
    lock_of,
    read_folder,
    remove_copy,
    remove_folder,
    together,
)
from opentine_gui.app.folder.readable import is_foreign
from opentine_gui.app.state.own_files import path_of, stored_path
from opentine_gui.app.state.settings import data_folder
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import leaves_nothing, new_lock
from opentine_gui.core import RunRecord, TineError
from opentine_gui.core.files import storage
from opentine_gui.importers.sources.parts import divide
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from filelock import FileLock

    from opentine_gui.app.session import Session

UNKNOWN = "unknown"
"""Stands for the digest of a file whose content was not noted: it differs from every other."""

COPY_AFTER = 0.0625
"""Seconds from an edit to its safety copy; edits of one key press share one. The promise is 0.3 s in all."""
PICTURE_FIRST = 2.0
"""Seconds that a copy waits at most for the picture of the edit: written beside it, both would take twice as long."""

TYPED_AGAIN = "What was typed and not done is there again when you open the same form."
MOST_OFFERS = 3
"""Up to this many crashed sessions get a notice each; more share one."""
MOST_TITLES = 40

_WRITE_PRIORITY = 1
_LOOK_PRIORITY = 2


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
        self._found: dict[str, Left] = {}
        """What crashed sessions left, by the key of the notice that offers it."""
        self._held: dict[str, list[FileLock]] = {}
        """Locks of what is being read, deleted, or still needed by a document."""
        self._opened: dict[int, Path] = {}
        """Document number -> the copy it was opened from, kept until there is a newer one or none is needed."""
        self._forgotten: set[int] = set()
        """Documents that need no copy any more: a job still writing one deletes it."""
        self._wanted: dict[int, RunRecord] = {}
        """Document number -> the state that its copy is to hold: a job still writing an older one gives way."""
        self._writing: defaultdict[int, AbstractContextManager[object]] = defaultdict(partial(new_lock, reentrant=True))
        """By the numbers of documents: held while a copy is written, so that an older one cannot end last."""
        self._dropped: set[Path] = set()
        """Copies that documents were opened from, and that a job deletes."""
        self._texts = KeptTexts(session, self._own_folder, self._tidy)

    def tick(self) -> None:
        """Copy edits that are `COPY_AFTER` seconds old; first offer recovered work. Called in every `Session.step`."""
        if not self._offered:
            self._offered = True
            self._offer()
        now = self._session.clock()
        for document in self._session.documents:
            record, dirty = document.record, document.dirty
            if not dirty and document.number in self._kept:
                self.forget(document)
            elif record is None or not dirty or self._kept.get(document.number) is record:
                self._since.pop(document.number, None)
            elif self._is_due(document, now - self._since.setdefault(document.number, now)):
                del self._since[document.number]
                self._copy(document, record)
        self._texts.tick()

    def copy_all(self) -> None:
        """Begin a copy of every unsaved document that has none of its present state, however young the edit is.

        And of what is typed into a proposal.
        """
        self._texts.write_all()
        for document in self._session.documents:
            record = document.record
            if record is not None and document.dirty and self._kept.get(document.number) is not record:
                self._copy(document, record)

    def forget(self, document: Document) -> None:
        """Delete the copy of a document that is saved or closed."""
        self._forgotten.add(document.number)  # before the files are deleted, so that a job still writing sees it
        self._session.jobs.cancel(document.key("recover"))
        self._since.pop(document.number, None)
        self._kept.pop(document.number, None)
        self._wanted.pop(document.number, None)
        if self._folder is not None:
            self._remove(document.number, self._folder / f"{document.number}.tine")
        self._drop_origin(document.number)

    def _remove(self, number: int, copy: Path) -> None:
        """Delete a document's copy in a job, unless there is to be one again by then: a large file takes a while."""

        lock = self._writing[number]

        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
            with lock:
                if number in self._forgotten:
                    remove_copy(copy)

        key = f"recover:forget:{number}"
        self._session.jobs.submit(
            key, work, lambda _nothing: None, priority=_WRITE_PRIORITY, must_finish=True, quiet=True
        )

    def open(self, key: str) -> None:
        """Open every document a crashed session left as an unsaved one; its copy is kept until there is a newer one.

        They are read in a job. A copy that cannot be read is kept, too.
        """
        if not self._is_free(key) or not self._take(key):
            return
        folders, stores = [self._root / name for name in self._found[key].folders], self._session.side_stores

        def work(_progress: ReportProgress, cancelled: IsCancelled) -> list[FoundFolder]:
            return [read_folder(folder, stores, cancelled) for folder in folders]

        def done(found: list[FoundFolder]) -> None:
            for one in found:
                self._show_folder(one)
            self._session.notices.dismiss(f"recovered:{key}")
            if not self._is_used(key):
                self._release(key)

        def failed(error: Exception) -> None:
            self._release(key)
            self._session.notices.add("error", f"The recovered work cannot be opened: {error}", key=f"unreadable:{key}")

        name, stopped = f"recover:open:{key}", partial(self._release, key)
        self._session.jobs.submit(name, work, done, failed, title="Opening recovered work", stopped=stopped)

    def _show_folder(self, found: FoundFolder) -> None:
        """Open the documents that a session left, and have what was typed about them there again."""
        numbers: dict[int, int] = {}
        for one in found.copies:
            document = self._show(one)
            if document is not None and one.copy.stem.isdecimal():
                numbers[int(one.copy.stem)] = document.number
        for file, texts in found.lone:
            if file.stem.isdecimal():
                numbers[int(file.stem)] = opening.open_path(self._session, Path(path_of(texts.path))).number
        typed = [self._texts.recover(file, texts, numbers) for file, texts in found.texts]
        if any(typed):
            self._session.notices.add("info", TYPED_AGAIN, key="draft")

    def _show(self, one: Recovered) -> Document | None:
        """Open one document that was read."""
        info = one.info
        if one.error or one.kept is None or one.record is None:
            text = f"{clean(info.title, LONGEST_IN_NOTICE)} could not be recovered: {one.error}"
            where = f"The copy is kept at {one.copy}."
            self._session.notices.add("error", f"{text}. {where}", detail=where, key=f"unreadable:{one.copy}")
            return None
        sources = tuple(Path(path_of(path)) for path in info.sources)
        path = Path(path_of(info.path)) if info.path else None
        if path is not None and is_foreign(path):  # such a file is never written
            sources, path = (divide(path)[0], *sources), None
        elif path is not None and not make_room(self._session, path):  # there is other work in its tab
            sources, path = (path, *sources), None
        base = "" if path is None else info.base or UNKNOWN
        document = self._session.add_document(
            path=path,
            state=state_with(one.record, one.kept, base),
            source=Source(info.title, sources, tuple(info.source_runs), info.word),
        )
        self._opened[document.number] = one.copy
        document.on_disk.digest = base
        return document

    def titles(self, key: str) -> tuple[str, ...]:
        """The titles of what crashed sessions left."""
        return self._found[key].titles if key in self._found else ()

    def discard(self, key: str) -> None:
        """Delete what crashed sessions left, unless documents opened from it still need it."""
        if not self._is_free(key) or not self._take(key):
            return
        found = self._found.pop(key)
        self._release(key)
        for name in found.folders:
            remove_folder(self._root / name)
        self._session.notices.dismiss(f"recovered:{key}")

    def _is_free(self, key: str) -> bool:
        """Whether there is such work, and this window neither reads it nor shows it."""
        return key in self._found and key not in self._held and not self._is_used(key)

    def _is_used(self, key: str) -> bool:
        """Whether open documents still need a copy of these."""
        needed = (*self._opened.values(), *self._dropped, *self._texts.origins.values())
        return any(file.parent.name in self._found[key].folders for file in needed)

    def _take(self, key: str) -> bool:
        """Hold the locks of folders that are about to be read or deleted. False if another window has one."""
        held = [lock for name in self._found[key].folders if (lock := lock_of(self._root / name)) is not None]
        self._held[key] = [*self._held.get(key, ()), *held]
        if len(held) == len(self._found[key].folders):
            return True
        self._release(key)
        self._session.notices.add("info", "Another window is opening this recovered work.", key=f"recovered:{key}")
        return False

    def _release(self, key: str) -> None:
        for lock in self._held.pop(key, ()):
            lock.release()

    def close(self) -> None:
        """Release the locks; delete the folder if it holds no copy."""
        for key in list(self._held):
            self._release(key)
        if self._lock is not None:
            self._lock.release()
        if self._folder is not None and not holds_work(self._folder):
            remove_folder(self._folder)

    def _is_due(self, document: Document, age: float) -> bool:
        """Whether an edit of `age` seconds is to be copied now.

        Not while an earlier copy is still being written: a second writer could end before it and be overwritten.
        """
        jobs = self._session.jobs
        if age < COPY_AFTER or jobs.is_running(document.key("recover")):
            return False
        return age >= PICTURE_FIRST or not jobs.is_running(document.key("layout"))

    def _copy(self, document: Document, record: RunRecord) -> None:
        number, source = document.number, document.source
        info = CopyInfo(
            clean(document.title, 200),
            stored_path(str(document.path or "")),
            document.state.base if document.state is not None else "",
            [stored_path(str(path)) for path in source.paths] if source else [],
            list(source.run_ids) if source else [],
            source.word if source else "fork",
        )

        def failed(error: Exception) -> None:
            self._kept[number] = record  # tried; the next edit tries again
            reason = error.reason if isinstance(error, TineError) else str(error)
            text = f"A safety copy of {short_title(document)} could not be written: {reason}"
            self._session.notices.add("warning", text, detail=str(error), key="recovery")

        try:
            copy = self._own_folder() / f"{number}.tine"
        except OSError as error:  # filelock's Timeout is one, too
            failed(error)
            return
        self._forgotten.discard(number)
        self._wanted[number] = record

        def superseded() -> bool:
            return number in self._forgotten or self._wanted.get(number) is not record

        lock = self._writing[number]

        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
            with lock:
                try:
                    if superseded():
                        return
                    # In this order: a copy that is found knows which file it belongs to.
                    storage.write_bytes_atomic(copy.with_suffix(".json"), msgspec.json.encode(info))
                    storage.write(copy, record, overwrite=True, cancelled=superseded)
                finally:
                    if number in self._forgotten:
                        remove_copy(copy)

        def done(_nothing: None) -> None:
            self._kept[number] = record
            self._drop_origin(number)

        key = document.key("recover")
        self._session.jobs.submit(key, work, done, failed, priority=_WRITE_PRIORITY, must_finish=True)

    def _drop_origin(self, number: int) -> None:
        """Delete the copy a document was recovered from, and with the last one its folder."""
        copy = self._opened.pop(number, None)
        if copy is None:
            return

        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
            remove_copy(copy)

        def done(_nothing: None) -> None:
            self._dropped.discard(copy)
            self._tidy(copy.parent)

        self._dropped.add(copy)

        key = f"recover:drop:{number}"
        self._session.jobs.submit(key, work, done, priority=_WRITE_PRIORITY, must_finish=True, quiet=True)

    def _tidy(self, folder: Path) -> None:
        """Delete a folder of a crashed session if nothing is left in it."""
        if holds_work(folder):
            return
        remove_folder(folder)
        key = next((key for key, left in self._found.items() if folder.name in left.folders), "")
        if key and not self._is_used(key):
            self._found.pop(key)
            self._release(key)

    def _own_folder(self) -> Path:
        if self._folder is None:
            from filelock import FileLock  # slow to import, so not at the start

            folder = self._root / self._session.nonce()
            while os.path.lexists(folder):  # one that is offered, whose lock we hold
                folder = self._root / self._session.nonce()
            self._root.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(str(folder) + ".lock")
            self._lock.acquire(timeout=1.0)  # first: an empty folder without a lock was left by a session that crashed
            folder.mkdir(exist_ok=True)
            self._folder = folder
        return self._folder

    def _offer(self) -> None:
        """Look in a job for what crashed sessions left, and offer it."""
        root, own = self._root, lambda: self._folder

        def work(_progress: ReportProgress, cancelled: IsCancelled) -> list[Left]:
            return list(left_in(root, own, cancelled))

        def done(found: list[Left]) -> None:
            for left in found if len(found) <= MOST_OFFERS else [together(found)]:
                self._add_offer(left)

        self._session.jobs.submit("recover:look", work, done, priority=_LOOK_PRIORITY, stopped=leaves_nothing)

    def _add_offer(self, left: Left) -> None:
        key, titles = left.folders[0], left.titles
        self._found[key] = left
        what = titles[0] if len(titles) == 1 else f"{len(titles)} documents"
        whose = "" if len(left.folders) == 1 else f" of {len(left.folders)} sessions"
        self._session.notices.add(
            "warning",
            f"Recovered unsaved work: {what}{whose}",
            detail="\n".join(("A session did not end properly; what it had not saved was kept.", *titles[:MOST_TITLES]))
            + (f"\nand {more} more" if (more := len(titles) - MOST_TITLES) > 0 else ""),
            actions=(
                ("Open", "file.recover", {"key": key}),
                ("Discard", "file.discard_recovered", {"key": key}),
            ),
            key=f"recovered:{key}",
        )
