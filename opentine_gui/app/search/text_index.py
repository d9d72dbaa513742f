"""An index of the texts of a folder's runs, in the user's cache folder: which files may hold what is searched for.

It is a cache and only ever says where to look: a file it rules out has none of the needles, and what it does not know,
or knows in another version, is searched as if there were no index. In doubt (damage, another version, a full disk) it
is thrown away. Trigrams of folded text are stored, and no text. Used in jobs, never in a frame.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
import platformdirs

from opentine_gui.app.search.values import content_of, texts_in_record, texts_of
from opentine_gui.app.state.own_files import path_of, stored_path
from opentine_gui.app.state.settings import APPLICATION
from opentine_gui.app.system.jobs import new_lock
from opentine_gui.core import Fingerprint, RunRecord
from opentine_gui.core.graph.raw_search import fold

VERSION = 2
LEAST_LETTERS = 3
"""Characters of the shortest text an index can answer."""
MOST_BYTES = 512 * 1024 * 1024
"""Nothing is added to an index that has grown so large; what is not in it is searched without it."""
LARGEST_FILE = 32 * 1024 * 1024
"""Bytes; larger files are not indexed."""
MOST_FOLDERS = 8
MOST_TRIGRAMS = 24
STALE_SHARE, FEW_ENTRIES = 0.3, 64
"""With a larger share of entries of files that changed since, the index is begun anew, unless they are few."""
_TABLES = """
CREATE TABLE files(
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, size INTEGER, changed INTEGER, inode INTEGER,
    unread INTEGER);
CREATE VIRTUAL TABLE texts USING fts5(text, content='', detail=none, columnsize=0,
    tokenize='trigram case_sensitive 1');
"""


def cache_folder() -> Path:
    """The folder of the indexes."""
    return Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False)) / "search"


class _Entry(NamedTuple):
    """A file as the index knows it: its row, and whether it could not be read."""

    number: int
    print: Fingerprint
    unread: bool


class _Fresh(NamedTuple):
    """Which of some files the index knows as they are: by row, those it does not know, those that cannot be read."""

    files: Mapping[Path, Fingerprint]
    known: Mapping[str, _Entry]
    by_number: dict[int, Path]
    absent: list[Path]
    unread: list[Path]


class TextIndex:
    """The index of one folder. Every method may be called from any job; none raises, whatever happens to the file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        name = hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:32]
        self.path = cache_folder() / f"{name}.sqlite"
        self.usable = True
        """False once it turned out that there can be no index here: then everything is searched without one."""
        self._lock = new_lock()
        self._connection: sqlite3.Connection | None = None
        self._known: dict[str, _Entry] = {}
        self._fresh = _Fresh({}, {}, {}, [], [])
        self._thrown_away = False

    @classmethod
    def that_is_there(cls, folder: Path) -> TextIndex | None:
        """The index of a folder, if one was made before."""
        index = cls(folder)
        return index if os.path.exists(index.path) else None

    def missing(self, files: Mapping[Path, Fingerprint]) -> list[Path]:
        """The files that are not in the index as they are now, but could be; [] when nothing more can be added."""
        absent: list[Path] = []
        with self._open() as connection:
            if connection is not None and self._bytes(connection) <= MOST_BYTES:
                absent = self._fresh_of(files).absent
        return [path for path in absent if files[path].size <= LARGEST_FILE]

    def add(self, records: Iterable[tuple[Path, Fingerprint, RunRecord | None]]) -> None:
        """Put runs into the index, all or none; None for a file that cannot be read, which is never ruled out."""
        made = [  # before the lock is taken: a search, and what closes the index, does not wait for it
            (path, print_, None if record is None else _storable("\n".join(_texts(record))))
            for path, print_, record in records
        ]
        with self._open() as connection:
            if connection is None:
                return
            known = dict(self._known)
            with connection:
                for path, print_, text in made:
                    number = connection.execute(
                        "INSERT OR REPLACE INTO files(name, size, changed, inode, unread) VALUES(?, ?, ?, ?, ?)",
                        (stored_path(path.name), *print_, text is None),
                    ).lastrowid
                    connection.execute("INSERT INTO texts(rowid, text) VALUES(?, ?)", (number, text or ""))
                    known[path.name] = _Entry(int(number or 0), print_, text is None)
            self._known = known

    def may_hold(self, files: Mapping[Path, Fingerprint], needles: Sequence[str]) -> list[Path] | None:
        """The files that may hold all of these folded texts, in any order; None where no file can be ruled out.

        `files` must not change afterwards: what was worked out for it is kept for the next question.
        """
        wanted = _trigrams(needles)
        if not wanted:
            return None
        found: list[Path] | None = None
        with self._open() as connection:
            if connection is not None:
                fresh = self._fresh_of(files)
                asked = " AND ".join('"' + trigram.replace('"', '""') + '"' for trigram in wanted)
                rows = connection.execute("SELECT rowid FROM texts WHERE texts MATCH ?", (asked,)).fetchall()
                by_number = fresh.by_number
                found = [by_number[number] for (number,) in rows if number in by_number]
                found += [*fresh.absent, *fresh.unread]
        return found

    def ruled_out(self, files: Mapping[Path, Fingerprint], needles: Sequence[str]) -> frozenset[Path]:
        """The files of which the index knows that they do not hold all of these folded texts."""
        found = self.may_hold(files, needles)
        return frozenset() if found is None else frozenset(files).difference(found)

    def _fresh_of(self, files: Mapping[Path, Fingerprint]) -> _Fresh:
        """The files whose present version is in the index; worked out once for as long as nothing changes."""
        known = self._known
        if self._fresh.files is not files or self._fresh.known is not known:
            fresh = self._fresh = _Fresh(files, known, {}, [], [])
            for path, print_ in files.items():
                entry = known.get(path.name)
                if entry is None or entry.print != print_:
                    fresh.absent.append(path)
                elif entry.unread:
                    fresh.unread.append(path)
                else:
                    fresh.by_number[entry.number] = path
        return self._fresh

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._let_go()

    # --- the file ----------------------------------------------------------------------------------------------------

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        """The open index, locked; None if there can be none. An error inside throws the index away."""
        with self._lock:
            ready = self._get_ready()
            try:
                yield self._connection if ready else None
            except (sqlite3.Error, OSError) as error:
                self._went_wrong(error)

    def _get_ready(self) -> bool:
        """Open the index if it is not open; one that cannot be opened is begun anew, once."""
        while self.usable:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                    self._known = _read_known(self._connection)
                return True
            except (sqlite3.Error, OSError) as error:
                if not self._went_wrong(error):
                    return False
        return False

    def _went_wrong(self, error: Exception) -> bool:
        """Throw the index away, the second time for good. False, and it stays, if another window is writing."""
        self._let_go()
        if getattr(error, "sqlite_errorcode", 0) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return False
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        if not isinstance(error, _Stale):
            self.usable, self._thrown_away = not self._thrown_away, True
        return True

    def _connect(self) -> sqlite3.Connection:
        if not os.path.exists(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _prune(self.path.parent)
        connection = sqlite3.connect(self.path, timeout=0.2, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=OFF")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            with connection:
                connection.executescript(_TABLES)
                connection.execute(f"PRAGMA user_version={VERSION}")
        elif version != VERSION:
            connection.close()
            raise sqlite3.DatabaseError("another version")
        return connection

    @staticmethod
    def _bytes(connection: sqlite3.Connection) -> int:
        pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        return int(pages) * int(size)

    def _let_go(self) -> None:
        connection, self._connection, self._known = self._connection, None, {}
        self._fresh = _Fresh({}, {}, {}, [], [])
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()


class _Stale(sqlite3.DatabaseError):
    """Too much of the index describes old versions of files."""


def _read_known(connection: sqlite3.Connection) -> dict[str, _Entry]:
    rows = connection.execute("SELECT name, number, unread, size, changed, inode FROM files")
    known = {path_of(name): _Entry(number, Fingerprint(*print_), bool(no)) for name, number, no, *print_ in rows}
    made = max((entry.number for entry in known.values()), default=0)
    if made > FEW_ENTRIES and len(known) < made * (1 - STALE_SHARE):
        raise _Stale
    return known


def _texts(record: RunRecord) -> Iterator[str]:
    """Everything of a run that a search looks at, folded."""
    for raw in record.graph.raws:
        yield fold("\n".join(texts_of(raw)))
    yield fold("\n".join(record.graph.ids))
    yield fold("\n".join(texts_in_record({"run_id": record.run_id, **record.metadata})))
    with suppress(msgspec.MsgspecError, RecursionError):
        turns = msgspec.json.decode(record.transcript_text, type=list[msgspec.Raw])
        for turn in turns:
            yield fold("\n".join(texts_in_record(content_of(turn))))


def _trigrams(needles: Sequence[str]) -> list[str]:
    """Some of the pieces of three characters that every text with all needles has."""
    found: dict[str, None] = {}
    for needle in needles:
        for at in range(len(needle) - LEAST_LETTERS + 1):
            piece = needle[at : at + LEAST_LETTERS]
            if piece == _storable(piece) and "\0" not in piece:
                found[piece] = None
    return list(found)[:MOST_TRIGRAMS]


def _storable(text: str) -> str:
    """The text with what is no character, half of a surrogate pair, as "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _prune(folder: Path) -> None:
    """Delete the indexes used longest ago, so that with a new one there are `MOST_FOLDERS`."""
    with suppress(OSError):
        indexes = sorted(folder.glob("*.sqlite"), key=lambda path: path.stat().st_mtime)
        for old in indexes[: -MOST_FOLDERS + 1]:
            for suffix in ("", "-wal", "-shm"):
                old.with_name(old.name + suffix).unlink(missing_ok=True)
