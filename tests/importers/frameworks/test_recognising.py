"""Every recording is read by the reader of its own format, and no beginning of a file makes a reader fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.importers.readers import READERS, SURE, reader_for
from opentine_gui.importers.sources.head import FOLDER, TABLES, head_of
from opentine_gui.importers.sources.sqlite import MAGIC
from tests.importers.model_side import RECORDINGS

SOURCES = {
    "openhands": "openhands/*/conversations",
    "langgraph": "langgraph/*/checkpoints.sqlite",
    "opencode": "opencode/*/home/.local/share/opencode/opencode.db",
    "otel": "otel-genai/*/traces*",
    "openai-agents": "openai-agents/*/traces.jsonl",
    "openai-agents-session": "openai-agents/*/session.db",
    "inspect": "inspect-ai/*/20*",
    "mini-swe-agent": "mini-swe-agent/*/run.traj.json",
}
FOUND = [(name, path) for name, pattern in SOURCES.items() for path in sorted(RECORDINGS.glob(pattern))]
BEGINNINGS = [head_of(path)[:2000] for _, path in FOUND]
MARKS = [
    b"{",
    b"[",
    b"[[",
    b'{"kind":',
    b'"role"',
    b"PK\x03\x04",
    b"\x1f\x8b",
    MAGIC + TABLES,
    FOLDER,
    b"\xef\xbb\xbf",
    b"\n",
]


@pytest.mark.parametrize(("name", "path"), FOUND, ids=[str(path.relative_to(RECORDINGS)) for _, path in FOUND])
def test_a_recording_is_recognised_by_its_content_and_by_one_reader_most_of_all(name: str, path: Path) -> None:
    assert reader_for(path).name == name
    sure = sorted((reader.recognise(head_of(path)) for reader in READERS), reverse=True)
    assert sure[0] >= SURE
    assert sure[0] > sure[1]


@given(st.lists(st.binary(max_size=20) | st.sampled_from(MARKS) | st.sampled_from(BEGINNINGS), max_size=4), st.data())
@settings(max_examples=150)
def test_no_beginning_makes_a_reader_fail(pieces: list[bytes], data: st.DataObject) -> None:
    head = b"".join(pieces)
    cut = head[: data.draw(st.integers(0, len(head)))]
    for reader in READERS:
        assert 0.0 <= reader.recognise(cut) <= 1.0
