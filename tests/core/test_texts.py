"""A text in a file is the same text as in memory, whatever stands at the edges of the blocks it is searched in."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.generate import branching_run
from opentine_gui.core import FormatError, codec, storage, texts
from opentine_gui.core.texts import FileText, MemoryText

FEW_LETTERS = st.text("ab\n", max_size=60).map(str.encode)


@given(FEW_LETTERS, st.text("ab\n", min_size=1, max_size=6).map(str.encode), st.integers(0, 60), st.integers(0, 60))
def test_a_file_is_searched_as_memory_is(text: bytes, mark: bytes, start: int, stop: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "BLOCK", 7)
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
    assert layout == "compressed" or path.stat().st_size > codec.SMALLEST_SPLIT
    in_slices, whole = storage.read(path), codec.decode(path.read_bytes(), path=path)
    assert in_slices.graph.ids == whole.graph.ids
    assert in_slices.graph.parents == whole.graph.parents
    assert list(map(bytes, in_slices.graph.raws)) == list(map(bytes, whole.graph.raws))
    assert list(in_slices.graph.tokens) == list(whole.graph.tokens)
    assert in_slices.source == whole.source
    assert codec.encode(in_slices) == codec.encode(whole)
