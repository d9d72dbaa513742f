"""A text in a file is the same text as in memory, whatever stands at the edges of the blocks it is searched in."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.generate import branching_run
from opentine_gui.core import Cancelled, FormatError, LimitError, RunRecord
from opentine_gui.core.files import reader, slices, storage
from opentine_gui.core.format import text_source
from opentine_gui.core.format.text_source import FileText, MemoryText

FEW_LETTERS = st.text("ab\n", max_size=60).map(str.encode)


@given(FEW_LETTERS, st.text("ab\n", min_size=1, max_size=6).map(str.encode), st.integers(0, 60), st.integers(0, 60))
def test_a_file_is_searched_as_memory_is(text: bytes, mark: bytes, start: int, stop: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_source, "BLOCK", 7)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "text"
            path.write_bytes(text)
            with path.open("rb", buffering=0) as file:
                there, here = FileText(file, len(text)), MemoryText(text)
                stop = min(stop, len(text))
                assert there.find(mark, start, stop) == here.find(mark, start, stop)
                assert there.rfind(mark) == here.rfind(mark)
                assert there.whole() == text
                if start <= stop:
                    assert there.piece(start, stop) == here.piece(start, stop)


def test_a_file_that_became_shorter_says_so(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"short")
    with path.open("rb", buffering=0) as file, pytest.raises(FormatError, match="shorter"):
        FileText(file, 50).piece(0, 50)


@pytest.mark.parametrize("layout", ["its own", "minified", "compressed", "one huge step"])
def test_a_large_file_reads_the_same_in_slices_and_as_a_whole(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "run.tine"
    record = branching_run(3_000, payload=400)
    if layout == "one huge step":
        big = msgspec.structs.replace(record.graph.step(5), outputs={"text": "x\n" * 600_000})
        record = record.with_graph(record.graph.with_steps([big]))
    storage.write(path, record, compress="zlib" if layout == "compressed" else "plain")
    if layout == "minified":
        path.write_bytes(msgspec.json.format(path.read_bytes(), indent=-1))
    assert layout == "compressed" or path.stat().st_size > slices.SMALLEST_SPLIT
    in_slices, whole = storage.read(path), reader.decode(path.read_bytes(), path=path)
    assert in_slices.graph.ids == whole.graph.ids
    assert in_slices.graph.parents == whole.graph.parents
    assert list(map(bytes, in_slices.graph.raws)) == list(map(bytes, whole.graph.raws))
    assert list(in_slices.graph.tokens) == list(whole.graph.tokens)
    assert in_slices.source == whole.source
    assert reader.encode(in_slices) == reader.encode(whole)


def with_turns(count: int, words: str = "said and answered ") -> RunRecord:
    record = branching_run(60)
    turns = [
        {"role": "user", "step_id": record.graph.ids[n % 60], "content": f"{n} {words * 40}"} for n in range(count)
    ]
    return record.edited(transcript_text=msgspec.json.encode(turns))


def test_a_long_transcript_reads_the_same_in_slices_and_as_a_whole(tmp_path: Path) -> None:
    path = storage.write(tmp_path / "run.tine", with_turns(5_000))
    fractions: list[float] = []
    in_slices = storage.read(path, progress=fractions.append)
    assert len(fractions) > 10
    assert fractions == sorted(fractions)
    path.write_bytes(msgspec.json.format(path.read_bytes(), indent=-1))
    whole = storage.read(path)
    assert bytes(in_slices.transcript_text) == bytes(whole.transcript_text)
    assert in_slices.read_transcript() == whole.transcript
    assert reader.encode(in_slices) == reader.encode(whole)
    with pytest.raises(Cancelled):
        in_slices.read_transcript(cancelled=lambda: True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"\n    }\n  ]\n}", b"\n    },\n  ]\n}"),
        (b"\n    }\n  ]\n}", b"\n    },\n\n  ]\n}"),
        (b'\n    {\n      "content": "2500 ', b'\n    x{\n      "content": "2500 '),
        (b'\n    {\n      "content": "2500 ', b'\n    ,{\n      "content": "2500 '),
    ],
)
def test_a_long_transcript_that_is_not_json_is_refused(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = storage.write(tmp_path / "run.tine", with_turns(5_000))
    text = path.read_bytes()
    assert text.count(old) == 1
    path.write_bytes(text.replace(old, new))
    with pytest.raises(FormatError):
        storage.read(path)


def test_depth_and_surrogates_are_checked_in_a_long_transcript_too(tmp_path: Path) -> None:
    path = storage.write(tmp_path / "run.tine", with_turns(5_000))
    text = path.read_bytes()
    mark = b'"content": "4000 '
    path.write_bytes(text.replace(mark, b'"deep": ' + b"[" * 600 + b"]" * 600 + b", " + mark))
    with pytest.raises(LimitError, match="nests"):
        storage.read(path)
    path.write_bytes(text.replace(mark, mark + rb"\ud800 "))
    with pytest.raises(FormatError, match="surrogate"):
        storage.read(path)


def test_a_comma_behind_the_last_step_is_refused(tmp_path: Path) -> None:
    path = storage.write(tmp_path / "run.tine", branching_run(3_000))
    text = path.read_bytes()
    end = b"\n      }\n    }\n  },\n"
    assert text.count(end) == 1
    for comma in (b",", b",\n"):
        path.write_bytes(text.replace(end, end.replace(b"}", b"}" + comma, 1)))
        with pytest.raises(FormatError):
            storage.read(path)
