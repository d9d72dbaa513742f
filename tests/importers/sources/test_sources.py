"""Sources that hold several runs, folders and databases: how they are named, and that nothing is written to them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from opentine_gui.core import FormatError, TineError
from opentine_gui.core.errors import Cancelled
from opentine_gui.core.format.container import MAXIMUM_SIZE
from opentine_gui.importers import readers
from opentine_gui.importers.sources import fields, sqlite
from opentine_gui.importers.sources.documents import read_text
from opentine_gui.importers.sources.head import head_of, names_in_folder, tables_in
from opentine_gui.importers.sources.parts import Part, choose, divide, part_path

RECORDINGS = Path("tests/data/recordings")


def database(path: Path, *, rows: int = 1) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE session (id TEXT)")
    connection.executemany("INSERT INTO session VALUES (?)", [(str(number),) for number in range(rows)])
    connection.commit()
    connection.close()
    return path


def test_a_part_is_named_after_a_hash_of_a_file_that_exists(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.touch()
    assert divide(part_path(path, "ses_1")) == (path, "ses_1")
    assert divide(path) == (path, "")
    assert divide(tmp_path / "gone#1.tine") == (tmp_path / "gone#1.tine", "")
    odd = tmp_path / "a.db#1"
    odd.touch()
    assert divide(odd) == (odd, "")


def test_the_newest_part_is_read_unless_one_is_named() -> None:
    parts = [Part("a", time=2.0), Part("b", time=5.0), Part("c")]
    assert choose(parts, "", Path("x")).id == "b"
    assert choose(parts, "c", Path("x")).id == "c"
    with pytest.raises(FormatError, match="no part 'd'"):
        choose(parts, "d", Path("x"))
    with pytest.raises(FormatError, match="no run"):
        choose([], "", Path("x"))


def test_a_folder_shows_its_names_and_a_database_its_tables(tmp_path: Path) -> None:
    (tmp_path / "base_state.json").touch()
    assert names_in_folder(head_of(tmp_path)) == {b"base_state.json", b""}
    assert tables_in(head_of(database(tmp_path / "x"))) == {b"session", b""}
    assert names_in_folder(b"{}") is None


def test_a_database_is_neither_written_nor_locked_nor_given_files_beside_it(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db")
    before = path.read_bytes()
    with sqlite.opened(path) as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("DELETE FROM session")
    with pytest.raises(FormatError), sqlite.opened(path) as connection:
        connection.execute("DELETE FROM session")
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.db"]


def test_a_database_that_is_being_written_is_read_as_far_as_it_was_committed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("CREATE TABLE session (id TEXT)")
    writer.execute("INSERT INTO session VALUES ('a')")
    with sqlite.opened(path) as connection:
        assert connection.execute("SELECT id FROM session").fetchall() == [("a",)]
    writer.close()


WRITER = """
import os, signal, sqlite3, sys
path, ends = sys.argv[1:]
connection = sqlite3.connect(path, isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL" if ends != "journal" else "PRAGMA journal_mode = DELETE")
connection.execute("CREATE TABLE of_the_writer (number INTEGER)")
if ends == "journal":
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("BEGIN IMMEDIATE")
connection.executemany("INSERT INTO of_the_writer VALUES (?)", [(number,) for number in range(5000)])
print("written", flush=True)
if ends != "lives":
    os.kill(os.getpid(), signal.SIGKILL)
sys.stdin.read()
"""
"""Leaves its newest rows in a log (or a transaction half done in a journal), and lives on or dies."""


@pytest.mark.parametrize("ends", ["lives", "dies", "copied", "journal"])
@pytest.mark.parametrize("program", ["langgraph", "opencode", "openai-agents", "of no format"])
def test_nothing_beside_a_database_in_use_is_written(tmp_path: Path, program: str, ends: str) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    path = folder / "a.db"
    found = [one for one in sorted(RECORDINGS.rglob("*")) if one.suffix in (".db", ".sqlite") and program in str(one)]
    if found:
        path.write_bytes(found[0].read_bytes())
    else:
        database(path)
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), ends], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"written\n"
        if ends != "lives":
            writer.wait()
        if ends == "copied":  # as from a backup: the log without its index
            path.with_name("a.db-shm").unlink()
        before = _content(folder)
        with sqlite.opened(path) as connection:
            written = connection.execute("SELECT count(*) FROM of_the_writer").fetchone()[0]
        assert written == (0 if ends == "journal" else 5000)
        with suppress(TineError):
            readers.read_overview_of(path)
        with suppress(TineError):
            readers.parts_of(path)
        if found:
            assert len(readers.read_source(path).record.graph)
        assert _content(folder) == before


def _content(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    entries = sorted(folder.iterdir())
    found = {one.name: (one.read_bytes(), one.stat().st_mtime_ns, one.stat().st_size) for one in entries}
    return {**found, ".": (b"", folder.stat().st_mtime_ns, 0)}


def test_a_linked_database_is_read_with_its_log(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    path = tmp_path / "theirs" / "a.db"
    subprocess.run([sys.executable, "-c", WRITER, str(path), "dies"], check=False, stdout=subprocess.DEVNULL)
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with sqlite.opened(link) as connection:
        assert connection.execute("SELECT count(*) FROM of_the_writer").fetchone() == (5000,)


def test_a_database_that_is_written_while_it_is_read_without_a_lock_is_not_taken_for_whole(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db")

    def read() -> None:
        with sqlite.opened(path) as connection:
            connection.execute("SELECT id FROM session").fetchall()
            path.write_bytes(path.read_bytes() + bytes(4096))

    with pytest.raises(FormatError, match="another program wrote"):
        read()


def test_a_damaged_database_is_an_error_with_its_path_and_a_long_query_can_be_stopped(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", rows=400)
    with pytest.raises(Cancelled), sqlite.opened(path, lambda: True) as connection:
        connection.execute("SELECT count(*) FROM session a, session b, session c").fetchall()
    path.write_bytes(sqlite.MAGIC + b"\xff" * 5000)
    with pytest.raises(FormatError, match=r"a\.db"), sqlite.opened(path) as connection:
        sqlite.table_names(connection)


def test_a_schema_that_is_not_text_is_a_clear_error(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db")
    content = path.read_bytes()
    place = content.index(b"CREATE TABLE session")
    path.write_bytes(content[:place] + b"\xfe\xff" * 10 + content[place + 20 :])
    with pytest.raises(FormatError, match="cannot be read"), sqlite.opened(path) as connection:
        connection.execute("SELECT * FROM session").fetchall()


@pytest.mark.parametrize("value", [10**400, -(10**400), float("nan"), float("inf"), -1, True, "9" * 400])
def test_numbers_that_no_step_can_hold_are_none(value: object) -> None:
    assert fields.amount(value) is None
    assert fields.figure(value) is None
    assert fields.count(value) is None


def test_a_trace_may_be_as_large_as_a_log(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.touch()
    os.truncate(path, MAXIMUM_SIZE + 1)
    assert len(read_text(path).content) == MAXIMUM_SIZE + 1
