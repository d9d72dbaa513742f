"""The index of a folder: a cache that saves reading and can be missing at any time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from opentine_gui.app.folder import folder_index, folder_scan, runs_folder
from opentine_gui.app.folder.folder_index import cache_folder, read_index, write_index
from opentine_gui.app.system.job import IsCancelled
from tests.app.conftest import Bench
from tests.conftest import run_of


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files read for their rows, in order."""
    names: list[str] = []
    real = runs_folder.summarise

    def noted(path: Path, cancelled: IsCancelled) -> runs_folder.RunSummary:
        names.append(path.name)
        return real(path, cancelled)

    monkeypatch.setattr(folder_scan, "summarise", noted)
    return names


def fill(bench: Bench, count: int = 4) -> None:
    """Runs in the folder, one of them a fork of the first, and a file that is no run."""
    for number in range(count):
        record = run_of({"a": "", "b": "a"}, run_id=f"run {number}")
        if number == 1:
            record = record.edited(metadata={**record.metadata, "forked_from": "run 0", "tags": ["kept"]})
        bench.write(f"{number}.tine", record)
    (bench.folder / "bad.tine").write_bytes(b"nonsense")


def index_file() -> Path:
    (found,) = cache_folder().glob("*.index")
    return found


def test_the_next_session_shows_the_same_rows_and_reads_no_file(
    bench: Bench, second_bench: Callable[[], Bench], read: list[str]
) -> None:
    fill(bench)
    bench.do("file.open_folder", path=bench.folder)
    assert len(read) == 5
    before = sorted(os.listdir(bench.folder))
    again = second_bench()
    again.do("file.open_folder", path=bench.folder)
    assert len(read) == 5
    assert again.session.runs.rows == bench.session.runs.rows
    assert [row.depth for row in again.session.runs.rows if row.run_id == "run 1"] == [1]
    assert sorted(os.listdir(bench.folder)) == before  # nothing of ours is in the user's folder


def test_only_files_of_another_size_time_or_inode_are_read_by_the_next_session(
    bench: Bench, second_bench: Callable[[], Bench], read: list[str]
) -> None:
    fill(bench, 6)
    bench.do("file.open_folder", path=bench.folder)
    read.clear()
    bench.write("0.tine", run_of({"a": ""}, run_id="shorter"))
    os.utime(bench.folder / "2.tine", ns=(1, 1))
    (bench.folder / "3.tine").unlink()
    status = (bench.folder / "4.tine").stat()
    copy = bench.folder / "copy"
    copy.write_bytes((bench.folder / "4.tine").read_bytes())
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
    copy.replace(bench.folder / "4.tine")  # same size and time, another file
    again = second_bench()
    again.do("file.open_folder", path=bench.folder)
    assert sorted(read) == ["0.tine", "2.tine", "4.tine"]
    assert {row.title for row in again.session.runs.rows} == {"0", "1", "2", "4", "5", "bad"}


@pytest.mark.parametrize("damage", ["cut", "nonsense", "version", "folder", "empty", "large"])
def test_an_index_that_cannot_be_used_is_as_if_it_were_not_there(
    bench: Bench, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(bench)
    bench.do("file.open_folder", path=bench.folder)
    path = index_file()
    data = path.read_bytes()
    assert len(read_index(bench.folder)) == 5
    if damage == "large":
        monkeypatch.setattr(folder_index, "LARGEST", len(data) - 1)
    else:
        version, folder, entries = msgspec.msgpack.decode(data)
        path.write_bytes(
            {
                "cut": data[:-3],
                "nonsense": b"\xff" * 40,
                "version": msgspec.msgpack.encode([version + 1, folder, entries]),
                "folder": msgspec.msgpack.encode([version, folder + "/other", entries]),
                "empty": b"",
            }[damage]
        )
    assert read_index(bench.folder) == {}


def test_a_name_that_leads_out_of_the_folder_is_left_out(bench: Bench) -> None:
    fill(bench, 1)
    bench.do("file.open_folder", path=bench.folder)
    path = index_file()
    version, folder, entries = msgspec.msgpack.decode(path.read_bytes())
    entries[0][0] = "../elsewhere.tine"
    path.write_bytes(msgspec.msgpack.encode([version, folder, entries]))
    assert [file.name for file in read_index(bench.folder)] == ["bad.tine"]


def test_indexes_and_their_entries_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_index, "MOST_FOLDERS", 3)
    monkeypatch.setattr(folder_index, "MOST_FILES", 2)
    known = {
        tmp_path / f"{number}.tine": folder_index.IndexEntry(
            folder_index.Fingerprint(1, 2, 3), runs_folder.RunSummary(tmp_path / f"{number}.tine")
        )
        for number in range(5)
    }
    folders = [tmp_path / f"folder {number}" for number in range(5)]
    for number, folder in enumerate(folders):
        write_index(folder, {folder / path.name: found for path, found in known.items()})
        newest = max(cache_folder().glob("*.index"), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, ns=(number + 1, number + 1))
    assert [len(read_index(folder)) for folder in folders] == [0, 0, 2, 2, 2]


def test_a_cache_folder_that_cannot_be_written_costs_nothing_but_time(bench: Bench, home: Path) -> None:
    (home / "cache").write_text("a file where the folder should be")
    fill(bench)
    bench.do("file.open_folder", path=bench.folder)
    assert len(bench.session.runs.rows) == 5
    assert bench.session.runs.problem == ""
