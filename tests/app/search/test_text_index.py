"""The index of a folder: with it a search finds what it finds without, and in doubt there is none."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opentine_gui.app.application import make_session
from opentine_gui.app.search import search_job, text_index
from opentine_gui.app.search.query import parse_query
from opentine_gui.app.search.scan_run import scan_run
from opentine_gui.app.search.search_job import fill_index
from opentine_gui.app.search.step_search import StepSearch
from opentine_gui.app.search.text_index import TextIndex
from opentine_gui.app.session import Session
from opentine_gui.core import Fingerprint, RunRecord, write
from opentine_gui.core.files.storage import fingerprint, read
from tests.app.conftest import Bench
from tests.conftest import run_of

TEXTS = ("apples and pears", "the ÄPFEL of “Öl”", "错误 in 名字", "a\nb\tc", 'say "no"', "🙏 thanks")


def never() -> bool:
    return False


def files_of(folder: Path) -> dict[Path, Fingerprint]:
    found = {path: fingerprint(path) for path in sorted(folder.glob("*.tine"))}
    return {path: print_ for path, print_ in found.items() if print_ is not None}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, text in enumerate(TEXTS):
        write(tmp_path / f"{number}.tine", run_of({text: "", "next": text}, run_id=f"run-{number}"))
    return tmp_path


def filled(folder: Path) -> TextIndex:
    index = TextIndex(folder)
    while fill_index(index, files_of(folder), never):
        pass
    assert index.usable and not index.missing(files_of(folder))
    return index


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_the_index_never_rules_out_a_run_in_which_something_is_found(folder: Path, data: st.DataObject) -> None:
    index = filled(folder)
    text = data.draw(st.sampled_from(TEXTS))
    start = data.draw(st.integers(0, len(text) - 1))
    wanted = text[start : data.draw(st.integers(start + 1, len(text)))]
    wanted = data.draw(st.sampled_from([wanted, wanted.upper(), wanted.swapcase()]))
    quoted = wanted.replace("\\", "\\\\").replace('"', '\\"')
    search = StepSearch(parse_query(f'text:"{quoted}"')) if wanted.strip() else StepSearch(parse_query("kind:think"))
    found = {path for path in files_of(folder) if any(scan_run(read(path), search))}
    ruled_out = index.ruled_out(files_of(folder), search.texts)
    index.close()
    assert not found & ruled_out
    if len(wanted) > 4:
        assert found | ruled_out == set(files_of(folder))


def test_a_changed_file_is_searched_until_it_is_indexed_again(folder: Path) -> None:
    index = filled(folder)
    assert folder / "0.tine" in index.ruled_out(files_of(folder), ["plums"])
    write(folder / "0.tine", run_of({"plums": ""}))
    files = files_of(folder)
    assert folder / "0.tine" not in index.ruled_out(files, ["plums"])
    assert index.missing(files) == [folder / "0.tine"]
    fill_index(index, files, never)
    assert folder / "0.tine" not in index.ruled_out(files, ["plums"])
    assert folder / "0.tine" in index.ruled_out(files, ["pears"])


@pytest.mark.parametrize("harm", ["damage", "version", "tables"])
def test_in_doubt_it_is_thrown_away_and_begun_anew(folder: Path, harm: str) -> None:
    index = filled(folder)
    index.close()
    if harm == "damage":
        index.path.write_bytes(b"this is no database" * 400)
    else:
        with sqlite3.connect(index.path) as connection:
            connection.execute("PRAGMA user_version=99" if harm == "version" else "DROP TABLE texts")
    again = TextIndex(folder)
    assert again.ruled_out(files_of(folder), ["plums"]) == frozenset()
    assert again.usable
    assert filled(folder).ruled_out(files_of(folder), ["plums"]) == set(files_of(folder))


def test_where_there_can_be_no_index_everything_is_searched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "_TABLES", "CREATE VIRTUAL TABLE texts USING fts99(text);")
    index = TextIndex(folder)
    for _ in range(2):
        assert not fill_index(index, files_of(folder), never)
        assert index.ruled_out(files_of(folder), ["plums"]) == frozenset()
    assert not index.usable


def test_a_full_index_takes_nothing_more(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "MOST_BYTES", 0)
    index = TextIndex(folder)
    assert not fill_index(index, files_of(folder), never)
    assert index.ruled_out(files_of(folder), ["plums"]) == frozenset()


def test_an_index_of_files_that_are_gone_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "one.tine"
    for number in range(100):
        write(path, run_of({f"text {number}": ""}))
        index = filled(tmp_path)
        index.close()
    with sqlite3.connect(index.path) as connection:
        [(most,)] = connection.execute("SELECT max(number) FROM files")
    assert most < 70


def test_the_session_searches_the_folder_through_the_index(
    bench: Bench, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = bench.session
    bench.do("file.open", path=folder)
    bench.do("search.folder")
    session.settle()
    session.step()
    session.settle()
    read_files: list[str] = []
    real = search_job.read_run

    def noted(path: Path, *, cancelled: Callable[[], bool]) -> object:
        read_files.append(path.name)
        return real(path, cancelled=cancelled)

    monkeypatch.setattr(search_job, "read_run", noted)
    bench.do("search.ask", text="ÖL”")
    assert [(run.name, run.steps) for run in session.search.runs if run.times] == [("1.tine", 1)]
    assert read_files == ["1.tine"]
    bench.do("search.ask", text="1")
    assert [run.name for run in session.search.runs if run.times] == ["1.tine"]
    assert read_files == ["1.tine"]


def test_a_file_that_could_not_be_read_is_never_ruled_out(folder: Path) -> None:
    (folder / "0.tine").write_text("{")
    index = filled(folder)
    assert index.ruled_out(files_of(folder), ["plums"]) == set(files_of(folder)) - {folder / "0.tine"}


def test_only_what_changed_is_searched_again(bench: Bench, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = bench.session
    bench.do("file.open", path=folder)
    bench.do("search.folder")
    bench.do("search.ask", text="next")
    assert (len(session.search.runs), session.search.steps) == (len(TEXTS), len(TEXTS))
    read_files: list[str] = []
    real = search_job.read_run

    def noted(path: Path, *, cancelled: Callable[[], bool]) -> object:
        read_files.append(path.name)
        return real(path, cancelled=cancelled)

    monkeypatch.setattr(search_job, "read_run", noted)
    write(folder / "3.tine", run_of({"next": "", "next one": "next"}, run_id="run-3"))
    session.runs.rescan_files(session, [folder / "3.tine"])
    session.settle()
    session.step()
    session.settle()
    assert session.search.steps == len(TEXTS) + 1
    assert set(read_files) == {"3.tine"}
    places = [run.path for run in session.search.runs]
    assert places == [row.path for row in session.runs.rows]


@pytest.mark.serial
def test_a_rare_word_takes_no_longer_in_a_folder_of_ten_times_as_many_runs(tmp_path: Path) -> None:
    few, many = [seconds_to_find_one(tmp_path / str(count), count) for count in (60, 600)]
    assert many < 4 * few


def seconds_to_find_one(folder: Path, count: int) -> float:
    """CPU seconds to find one of so many runs by a word that is in no other."""
    folder.mkdir()
    for number in range(count):
        write(folder / f"{number}.tine", run_of({f"text {number:04}": ""}, run_id=f"run-{number}"))
    session = make_session(working_folder=folder, environment={"OPENTINE_RUNS_DIR": str(folder)})
    session.runs.scan(session)
    until(session, lambda: len(session.runs.rows) == count)
    session.invoke("search.folder")
    until(session, lambda: session.search.on)
    best = min(asked(session, f"text {number:04}") for number in range(20, 40))
    session.close()
    return best


def until(session: Session, done: Callable[[], bool]) -> None:
    session.step()
    while session.busy or not done():
        session.jobs.wait(0.01)
        session.step()


def asked(session: Session, text: str) -> float:
    """CPU seconds for an answer from the folder's index."""
    begun = process_time()
    session.invoke("search.ask", text=f'"{text}"')
    until(session, lambda: not session.search.running)
    assert session.search.steps == 1
    return process_time() - begun


def test_a_search_does_not_wait_while_texts_are_put_together_to_be_added(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, texts_of, locked = TextIndex(folder), text_index._texts, []

    def noted(record: RunRecord) -> Iterator[str]:
        locked.append(index._lock.locked())  # type: ignore[attr-defined]
        return texts_of(record)

    monkeypatch.setattr(text_index, "_texts", noted)
    fill_index(index, files_of(folder), never)
    index.close()
    assert locked and not any(locked)
