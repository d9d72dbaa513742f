"""The table of readers: content first, then the ending, and `.tine` says why a stranger is no run."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.core import FormatError, overview_of
from opentine_gui.core.files import storage
from opentine_gui.importers import readers
from opentine_gui.importers.readers import Reader
from opentine_gui.importers.reading import Reading
from tests.conftest import run_of

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
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, LINES))
    assert readers.reader_of("a.tine", b'{"type": "user"}').name == "lines"
    assert readers.reader_of("a.JSONL", b"\x00").name == "lines"
    assert readers.reader_of("a.jsonl", b'{\n  "format_version": 2').name == "tine"


def test_the_list_of_runs_shows_a_file_of_any_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"type": "user"}')
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, LINES))
    assert readers.read_overview_of(path) == overview_of(_lines(path).record)


def test_a_file_of_no_format_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(b"Dear reader")
    with pytest.raises(FormatError, match=r"letter\.txt"):
        readers.read_run(path)


def test_only_files_with_an_ending_of_the_table_are_listed() -> None:
    assert readers.is_run("a.tine")
    assert readers.is_run("A.TINE")
    assert not readers.is_run("a.tine.lock")
    assert not readers.is_run("tine")
