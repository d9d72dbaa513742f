"""Takes sessions into the archive, line by line, only what is new in each; the sources are only read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from opentine_gui.app.folder.keeping.archive import FULL_BLOCK, Archive, KeptFile, Page, Runs
from opentine_gui.app.folder.keeping.blocks import digest_of
from opentine_gui.app.folder.keeping.units import Seen, Unit, ids_of, look
from opentine_gui.app.state.own_files import path_of, stored_path
from opentine_gui.core.errors import Cancelled, TineError
from opentine_gui.core.files import storage
from opentine_gui.core.progress import Pace
from opentine_gui.importers.agents.headline import Headline

PIECE = 4 << 20
LONGEST_LINE = 16 << 20
"""Bytes; a longer line is kept in parts."""
REST = 60.0
"""Seconds for which a session that is kept already must rest before it is taken again."""
LONGEST_WAIT = 600.0
"""Seconds after which one that never rests is taken all the same."""


class Taken(msgspec.Struct, frozen=True):
    """The result of `take`: the pages written; how many sessions could not be read, and why the last one."""

    pages: tuple[Page, ...] = ()
    failed: int = 0
    problem: str = ""


def is_due(unit: Unit, page: Page | None, now: float) -> bool:
    """Whether a session has what the archive does not have, and is at rest or was not taken for a while."""
    if page is None:
        return True
    kept = {file.path: file for file in page.files}
    newest = 0
    for seen in unit.files:
        known = kept.get(_relative(seen.path, unit.root))
        if known is not None and (known.size, known.modified) == (seen.size, seen.modified):
            continue
        newest = max(newest, seen.modified)
        if known is not None and seen.modified - known.modified >= LONGEST_WAIT * 1e9:
            return True
    return bool(newest) and now - newest / 1e9 >= REST


def take(
    archive: Archive,
    units: Iterable[Unit],
    pages: dict[str, Page],
    headline: Callable[[Unit], Headline],
    pace: Pace,
) -> Taken:
    """Keep sessions, each line that the archive does not have. Stopped through `pace`: what is whole is kept.

    StorageError when the archive cannot be written; a source that cannot be read is left for the next time.
    """
    waiting = list(units)
    total = sum(seen.size for unit in waiting for seen in unit.files) or 1
    taking = _Taking(archive, pace, total)
    failed, problem = 0, ""
    try:
        for unit in waiting:
            archive.refuse_full_disk()
            try:
                taking.session(unit, pages.get(unit.key), headline)
            except _SourceError as error:
                failed, problem = failed + 1, str(error)
    except Cancelled:
        pass
    taking.flush()
    archive.join_small()
    return Taken(tuple(taking.written), failed, problem)


class _SourceError(Exception):
    """A source that cannot be read, or changed while it was."""


class _Taking:
    """Lines on their way into a block, and the pages that wait for it."""

    def __init__(self, archive: Archive, pace: Pace, total: int) -> None:
        self.archive = archive
        self.pace = pace
        self.total = total
        self.done = 0
        self.written: list[Page] = []
        self.lines: list[bytes] = []
        self.digests: list[bytes] = []
        self.size = 0
        self.number = archive.next_number()
        self.waiting: list[Page] = []

    def session(self, unit: Unit, before: Page | None, headline: Callable[[Unit], Headline]) -> None:
        """Take a session; its page is written with the block that has its last line."""
        known = {file.path: file for file in before.files} if before is not None else {}
        files: list[KeptFile] = []
        replaced = False
        for seen in unit.files:
            name = _relative(seen.path, unit.root)
            old = known.pop(name, None)
            if old is not None and (old.size, old.modified) == (seen.size, seen.modified):
                files.append(old)
                self.done += seen.size
                continue
            file, goes_on = self._file(seen, name, old)
            files.append(file)
            replaced = replaced or not goes_on
        names, mentions = ids_of(unit.session.path)
        said = headline(unit)
        count = before.replaced if before is not None else 0
        if before is not None and replaced:
            count += 1  # lines that were kept are gone from the source: that state stays, as a page of its own
            self.waiting.append(msgspec.structs.replace(before, key=f"{before.key}-{count}"))
        files += known.values()  # files that the agent removed while the session goes on
        self.waiting.append(
            Page(
                unit.key,
                unit.session.agent,
                stored_path(str(unit.root)),
                stored_path(_relative(unit.session.path, unit.root)),
                said.title or (before.title if before is not None else ""),
                said.folder or (before.folder if before is not None else ""),
                max(seen.modified for seen in unit.files) / 1e9,
                tuple(files),
                names,
                mentions,
                count,
            )
        )

    def _file(self, seen: Seen, name: str, old: KeptFile | None) -> tuple[KeptFile, bool]:
        """(a file's lines, whether it continues what was kept of it); every file that is not a log of lines does."""
        whole = hashlib.sha256()
        before = hashlib.sha256()
        left = old.size if old is not None else 0
        runs: Runs = []
        size = 0
        for line in self._lines_of(seen):
            whole.update(line)
            size += len(line)
            if left:
                before.update(line[:left])
                left -= min(left, len(line))
            self._add(runs, line)
        now = look(seen.path)
        if size != seen.size or now is None or now.inode != seen.inode or now.size < seen.size:
            raise _SourceError(f"{seen.path.name} changed while it was read")
        goes_on = old is None or seen.path.suffix != ".jsonl" or (left == 0 and before.hexdigest() == old.digest)
        return KeptFile(name, size, seen.modified, whole.hexdigest(), runs), goes_on

    def _lines_of(self, seen: Seen) -> Iterator[bytes]:
        rest = b""
        offset = 0
        while offset < seen.size:
            try:
                piece = storage.read_piece(seen.path, offset, min(PIECE, seen.size - offset))
            except TineError as error:
                raise _SourceError(str(error)) from error
            if not piece:
                break
            offset += len(piece)
            self.done += len(piece)
            self.pace.at(min(self.done / self.total, 1.0))
            rest += piece
            lines = rest.splitlines(keepends=True) if b"\r" not in rest else _cut(rest)
            rest = lines.pop() if not lines[-1].endswith(b"\n") else b""
            yield from lines
            if len(rest) > LONGEST_LINE:
                yield rest
                rest = b""
        if rest:
            yield rest

    def _add(self, runs: Runs, line: bytes) -> None:
        digest = digest_of(line)
        where = self.archive.lines.get(digest)
        if where is None:
            where = self.number, len(self.lines)
            self.archive.lines[digest] = where
            self.lines.append(line)
            self.digests.append(digest)
            self.size += len(line)
            if self.size >= FULL_BLOCK:
                self._write_block()
        number, position = where
        if runs and runs[-1][0] == number and runs[-1][1] + runs[-1][2] == position:
            runs[-1][2] += 1
        else:
            runs.append([number, position, 1])

    def _write_block(self) -> None:
        if self.lines:
            self.archive.write_block(self.number, self.lines, self.digests)
            self.lines, self.digests, self.size = [], [], 0
            self.number += 1
        # A page that waits rests on lines of this block and of those before: all are on the disk now.
        for page in self.waiting:
            self.archive.write_page(page)
            self.written.append(page)
        self.waiting = []

    def flush(self) -> None:
        """Write what is left."""
        self._write_block()


def _cut(text: bytes) -> list[bytes]:
    """Lines that end in a line feed alone: `splitlines` takes a carriage return for an end, too."""
    return [line + b"\n" for line in text.split(b"\n")[:-1]] + ([last] if (last := text.rpartition(b"\n")[2]) else [])


def _relative(path: Path, root: Path) -> str:
    return stored_path(os.path.relpath(path, root))


def page_path(page: Page) -> Path:
    """Where the source of a kept session was."""
    return Path(path_of(page.root)) / path_of(page.source)
