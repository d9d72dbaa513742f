"""The table of readers: content first, then the ending, and `.tine` says why a stranger is no run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.session_lines import codex_lines, gemini_lines
from opentine_gui.core import FormatError, overview_of
from opentine_gui.core.files import storage
from opentine_gui.export import export, request_of
from opentine_gui.importers import json_lines, readers, run_draft
from opentine_gui.importers.reader import Reader
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.sources.state import state_of
from tests.conftest import run_of
from tests.importers.recordings import RECORDINGS

CORPUS = Path(__file__).parents[1] / "data" / "corpus"


def _lines(path: object, **_options: object) -> Reading:
    return Reading(run_of({"a": ""}))


LINES = Reader("lines", (".jsonl",), lambda head: 0.8 if head.startswith(b'{"type"') else 0.0, _lines)


@pytest.mark.parametrize(
    "path", sorted(CORPUS.rglob("linear*.tine")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_tine_files_of_every_release_are_recognised_by_their_content(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(readers.HEAD)
    if b"format_version" in head or head.startswith(b"TINEZ1"):
        assert readers.reader_of("anything.bin", head).name == "tine"
    assert readers.read_run(path).graph.ids == storage.read(path).graph.ids


def test_the_content_goes_before_the_ending_and_the_ending_before_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "READERS", (readers.TINE, LINES))
    assert readers.reader_of("a.tine", b'{"type": "user"}').name == "lines"
    assert readers.reader_of("a.JSONL", b"\x00").name == "lines"
    assert readers.reader_of("a.jsonl", b'{\n  "format_version": 2').name == "tine"


def test_the_list_of_runs_shows_a_file_of_any_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"type": "user"}')
    monkeypatch.setattr(readers, "READERS", (readers.TINE, LINES))
    shown, record = readers.read_overview_of(path), _lines(path).record
    assert replace(shown, title="") == overview_of(record)
    assert shown.title == record.title


def test_a_file_of_no_format_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(b"Dear reader")
    with pytest.raises(FormatError, match=r"letter\.txt: its format is not known"):
        readers.read_run(path)
    for name, content in (("run.tine", b"Dear reader"), ("run.json", b'{"format_version": 2}')):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FormatError) as caught:
            readers.read_run(tmp_path / name)
        assert readers.UNKNOWN not in str(caught.value), "what is wrong with a file of ours is said"


def test_only_files_with_an_ending_of_the_table_are_listed() -> None:
    assert readers.is_run("a.tine")
    assert readers.is_run("A.TINE")
    assert not readers.is_run("a.tine.lock")
    assert not readers.is_run("tine")


def test_a_shared_ending_says_nothing_and_a_file_is_listed_for_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = LINES._replace(name="other", recognise=lambda head: 0.6 if b"other" in head else 0.0)
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, LINES, other))
    assert readers.reader_of("a.jsonl", b"nothing known").name == "tine"
    contents = {
        "a.jsonl": b'{"type": 1}',
        "b.jsonl": b"other",
        "c.jsonl": b"letter",
        "d.txt": b'{"type": 1}',
        "e.tine": b"",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    assert [name for name in contents if readers.is_recognised(tmp_path / name)] == ["a.jsonl", "b.jsonl", "e.tine"]
    assert not readers.is_recognised(tmp_path / "missing.jsonl")


def test_an_export_as_json_that_lies_beside_runs_is_none_of_them(tmp_path: Path) -> None:
    record = run_of({"a": ""})
    (tmp_path / "run.json").write_bytes(export(request_of([record]), "json"))
    storage.write(tmp_path / "run.tine", record)
    assert not readers.is_recognised(tmp_path / "run.json")
    assert readers.is_recognised(tmp_path / "run.tine")
    assert readers.TINE.recognise((tmp_path / "run.tine").read_bytes()) > readers.SURE


def test_lines_of_json_that_tell_of_a_format_version_are_no_tine_file() -> None:
    lines = b'{"type": "user", "result": {"format_version": 2, "x": "format_version"}}\n{"type": "user"}\n'
    assert readers.TINE.recognise(lines) == 0
    assert readers.TINE.recognise(b'{"format_version": 2}\n') > readers.SURE


def test_a_source_changes_with_its_files_and_with_what_a_folder_or_a_database_gets(tmp_path: Path) -> None:
    folder, database = tmp_path / "events", tmp_path / "a.db"
    folder.mkdir()
    database.write_bytes(b"DB")
    states = {state_of([folder, database])}
    (folder / "1.json").write_bytes(b"{}")
    states.add(state_of([folder, database]))
    (tmp_path / "a.db-wal").write_bytes(b"rows")
    states.add(state_of([folder, database]))
    database.unlink()
    states.add(state_of([folder, database]))
    assert len(states) == 4
    assert state_of([folder]) == state_of([folder, folder])


@pytest.mark.parametrize("name", ["session.jsonl", "run.tine", "chat.json"])
def test_a_file_without_a_byte_is_said_to_be_empty(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    with pytest.raises(FormatError, match="the file is empty"):
        readers.read_source(tmp_path / name)


def test_progress_never_goes_back_for_a_sub_agents_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "LINES_BETWEEN", 1)
    monkeypatch.setattr(run_draft, "STEPS_BETWEEN", 1)
    sources = (RECORDINGS / "codex" / "0.169.0-f-subagent").rglob("rollout-*.jsonl")
    told: list[float] = []
    reading = readers.read_source(max(sources, key=lambda path: path.stat().st_size), progress=told.append)
    assert len(reading.sources) > 2, "it has several sub-agents"
    assert told == sorted(told)
    assert told[-1] <= 1.0


@pytest.mark.parametrize(("name", "lines"), [("rollout.jsonl", codex_lines), ("session-x.jsonl", gemini_lines)])
def test_progress_takes_no_leap_in_a_session_without_sub_agents(
    tmp_path: Path, name: str, lines: Callable[[int], Iterable[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_lines, "LINES_BETWEEN", 1)
    monkeypatch.setattr(run_draft, "STEPS_BETWEEN", 1)
    (tmp_path / name).write_bytes(b"".join(lines(1_000_000)))
    told: list[float] = []
    readers.read_source(tmp_path / name, progress=told.append)
    assert max(second - first for first, second in itertools.pairwise([0.0, *told, 1.0])) < 0.1
