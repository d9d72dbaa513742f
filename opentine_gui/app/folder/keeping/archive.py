"""The archive of kept sessions: a folder with packs of lines, each line once, and a page for every session.

`packs/*.pack` are blocks of lines (`blocks`), which never change. `sessions/*.json` says of each file of a session
which lines it is made of, and its SHA-256. A pack is on the disk before a page names its lines, and both are written
atomically, so that a process that is killed leaves lines that nothing names yet, and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from opentine_gui.app.folder.keeping import blocks
from opentine_gui.app.folder.keeping.blocks import Block
from opentine_gui.app.state.own_files import path_of
from opentine_gui.core.errors import FormatError, StorageError, TineError
from opentine_gui.core.files import storage
from opentine_gui.core.files.atomic_write import write_pieces_atomic
from opentine_gui.core.progress import Pace

FORMAT = 1
PACKS, PAGES, ENDING = "packs", "sessions", ".pack"
MARK = "opentine-gui-kept-sessions.json"
"""The file by which a folder is known as an archive."""
FULL_BLOCK = 8 << 20
"""Bytes of lines that make a block."""
SMALL_PACK, MOST_SMALL = 1 << 20, 32
"""Packs of fewer bytes are joined when there are more of them."""
BLOCKS_OPEN = 6
LEAST_FREE = 512 << 20
"""Bytes that stay free on the disk: nothing is kept beyond."""

LOCK = "lock"
_TRIES = 3
"""Attempts to find a block: a window that keeps sessions joins packs meanwhile, and readers hold no lock."""
Runs = list[Annotated[list[int], msgspec.Meta(min_length=3, max_length=3)]]


class KeptFile(msgspec.Struct, frozen=True):
    """A file of a session: its path below the session's root (`stored_path`), and the lines it is made of.

    `runs` are [block, first line, lines], in order; `modified` is in nanoseconds.
    """

    path: str
    size: int
    modified: int
    digest: str
    runs: Runs


class Page(msgspec.Struct, frozen=True):
    """A session that is kept. `root` is the agent's folder, `source` the path that is opened, below it.

    `key` names the page. `names` and `mentions` are ids in the file's name and in its first line. `replaced` counts
    the pages of a source that was written anew, not just longer: those before stay.
    """

    key: str
    agent: str
    root: str
    source: str
    title: str
    folder: str
    changed: float
    files: tuple[KeptFile, ...]
    names: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    replaced: int = 0
    format: int = FORMAT

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(file.size for file in self.files)


class Size(msgspec.Struct, frozen=True):
    """The size of an archive: bytes on the disk, sessions, and the bytes of their files."""

    packed: int = 0
    sessions: int = 0
    whole: int = 0


class Archive:
    """The archive in a folder. Used by one process at a time, which holds its lock (`locked`)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: OrderedDict[int, tuple[bytes, list[int]]] = OrderedDict()
        self._where: dict[int, tuple[Path, Block]] = {}
        self.lines: dict[bytes, tuple[int, int]] = {}
        """Digest -> (block, line), once `load_lines` was called."""

    def pages(self) -> dict[str, Page]:
        """Every session by its key; a page that cannot be read is left out."""
        found: dict[str, Page] = {}
        for path in _inside(self.folder / PAGES, ".json"):
            try:
                page = msgspec.json.decode(storage.read_bytes(path), type=Page)
            except (TineError, msgspec.DecodeError, UnicodeDecodeError):
                continue
            if page.format == FORMAT and page.key == path.stem:
                found[page.key] = page
        return found

    def size(self, pages: dict[str, Page]) -> Size:
        """The size of the archive, given its pages."""
        own = [*_inside(self.folder / PACKS, ENDING), *_inside(self.folder / PAGES, ".json")]
        sizes = (found.size for path in own if (found := storage.fingerprint(path)) is not None)
        return Size(sum(sizes), len(pages), sum(page.size for page in pages.values()))

    def prepare(self) -> None:
        """Make its folders. StorageError when they cannot be made, or something else lies there."""
        mark = self.folder / MARK
        if not mark.exists():
            storage.write_bytes_atomic(mark, msgspec.json.encode({"format": FORMAT}) + b"\n", make_folders=True)
        for name in (PACKS, PAGES):
            try:
                (self.folder / name).mkdir(mode=0o700, exist_ok=True)
            except OSError as error:
                raise StorageError("the folder cannot be made", path=self.folder, cause=error.strerror) from error

    def refuse_full_disk(self) -> None:
        """StorageError where keeping more would fill the disk."""
        free = shutil.disk_usage(self.folder).free
        if free < LEAST_FREE:
            raise StorageError("no more is kept: the disk is almost full", path=self.folder)

    def load_lines(self, pace: Pace | None = None) -> None:
        """Learn which lines there are. A pack that is damaged gives none: its lines are kept once more."""
        pace = pace or Pace()
        self._find_blocks()
        for place, (number, (path, block)) in enumerate(self._where.items()):
            pace.at(place / len(self._where))
            for position, digest in enumerate(blocks.digests_of(_reader(path), block)):
                self.lines.setdefault(digest, (number, position))

    def next_number(self) -> int:
        """A number that no block has."""
        return max(self._where, default=0) + 1

    def write_block(self, number: int, lines: list[bytes], digests: list[bytes]) -> None:
        """Write a pack of one block, fsynced. StorageError if it is there already, or cannot be written."""
        path = self.folder / PACKS / f"{number:010d}{ENDING}"
        data = blocks.encode_block(number, lines, digests)
        storage.write_bytes_atomic(path, data, overwrite=False)
        self._where[number] = (path, next(blocks.blocks_in(_reader(path), len(data))))

    def write_page(self, page: Page) -> None:
        """Write what is known of a session, fsynced, in place of what was known before. StorageError if that fails."""
        storage.write_bytes_atomic(self.folder / PAGES / f"{page.key}.json", msgspec.json.encode(page) + b"\n")

    def content(self, file: KeptFile) -> Iterator[bytes]:
        """A file's bytes in pieces. TineError where they are not what was kept."""
        found = hashlib.sha256()
        for number, first, count in file.runs:
            text, starts = self._block(number)
            if not 0 <= first <= first + count < len(starts):
                raise FormatError("a kept session names lines that are not there", path=self.folder)
            piece = text[starts[first] : starts[first + count]]
            found.update(piece)
            yield piece
        if found.hexdigest() != file.digest:
            raise FormatError("a kept session is not what it was: its archive is damaged", path=self.folder)

    def restore(self, page: Page, target: Path) -> None:
        """Write a session's files below a folder; those that are there already, byte for byte, stay. TineError."""
        for file in page.files:
            path = target / path_of(file.path)
            if not path.resolve().is_relative_to(target.resolve()):
                raise FormatError("a kept session names a file outside of its folder", path=self.folder)
            if storage.is_unchanged(path, file.digest):
                continue
            write_pieces_atomic(path, self.content(file), make_folders=True)

    def join_small(self) -> None:
        """Put the blocks of many small packs into one pack; blocks that stand in two packs are the same."""
        paths = list(_inside(self.folder / PACKS, ENDING))
        sizes = {path: found.size for path in paths if (found := storage.fingerprint(path)) is not None}
        small = [path for path, size in sizes.items() if size < SMALL_PACK]
        if len(small) <= MOST_SMALL:
            return
        taken = {path.name for path in paths}
        names = (f"{small[0].stem[:10]}-{small[-1].stem[:10]}-{count}{ENDING}" for count in range(len(paths) + 1))
        target = small[0].with_name(next(name for name in names if name not in taken))
        write_pieces_atomic(target, (storage.read_bytes(path) for path in small), overwrite=False)
        for path in small:
            storage.remove(path)
        self._open.clear()
        self._where.clear()

    def remove(self) -> None:
        """Remove all that was kept, and the folder if nothing else is in it. StorageError if it is no archive."""
        if not (self.folder / MARK).exists():
            raise StorageError("this folder is no archive of kept sessions, so nothing of it is removed",
                               path=self.folder)  # fmt: skip
        for path in [*_inside(self.folder / PAGES, ".json"), *_inside(self.folder / PACKS, ENDING)]:
            storage.remove(path)  # pages first: none of them names a line that is gone
        storage.remove(self.folder / MARK)
        storage.remove(self.folder / LOCK)
        for folder in (self.folder / PACKS, self.folder / PAGES, self.folder):
            storage.remove_empty_folder(folder)
        self._open.clear()
        self._where.clear()
        self.lines.clear()

    def _find_blocks(self) -> None:
        self._where.clear()
        for path in _inside(self.folder / PACKS, ENDING):
            found = storage.fingerprint(path)
            try:
                for block in blocks.blocks_in(_reader(path), found.size if found is not None else 0):
                    self._where[block.number] = (path, block)
            except TineError:
                continue  # the sessions that need it say so

    def _block(self, number: int) -> tuple[bytes, list[int]]:
        """A block's lines and where each begins, with the end of the last one."""
        if number in self._open:
            self._open.move_to_end(number)
            return self._open[number]
        for _ in range(_TRIES):
            if number not in self._where:
                self._find_blocks()
            if number in self._where:
                try:
                    return self._read_block(number)
                except TineError:
                    self._where.clear()  # another process may have put it into another pack since
        raise FormatError("a pack of kept sessions is missing or damaged", path=self.folder / PACKS)

    def _read_block(self, number: int) -> tuple[bytes, list[int]]:
        path, block = self._where[number]
        starts = [0]
        for length in blocks.lengths_of(_reader(path), block):
            starts.append(starts[-1] + length)
        text = blocks.lines_of(_reader(path), block)
        self._open[number] = text, starts
        if len(self._open) > BLOCKS_OPEN:
            self._open.popitem(last=False)
        return text, starts


def _inside(folder: Path, ending: str) -> list[Path]:
    """The files of a folder with an ending, by name; none where there is no folder."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [folder / name for name in names if name.endswith(ending) and not name.startswith(".")]


def _reader(path: Path) -> blocks.Read:
    return lambda offset, length: storage.read_piece(path, offset, length)
