"""A conversation that is being written reads as the whole does, and only what is new is read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from opentine_gui.importers.frameworks.openhands.reader import GrowingConversation, read
from opentine_gui.importers.readers import growing_at
from tests.importers.growing_sessions import outcome, said
from tests.importers.model_side import RECORDINGS

CONVERSATIONS = sorted((RECORDINGS / "openhands").glob("*/conversations/*"))


def events_of(folder: Path) -> list[Path]:
    return sorted((folder / "events").glob("event-*.json"))


@pytest.mark.parametrize("recorded", CONVERSATIONS, ids=lambda folder: f"{folder.parents[1].name}-{folder.name[:6]}")
def test_a_conversation_that_grows_event_by_event_reads_as_the_whole_does(recorded: Path, tmp_path: Path) -> None:
    shutil.copytree(recorded.parent, tmp_path / "conversations")
    folder = tmp_path / "conversations" / recorded.name
    for event in events_of(folder):
        event.unlink()
    growing = GrowingConversation(folder)
    assert outcome(growing.read) == outcome(lambda: read(folder))
    for event in events_of(recorded):
        before = growing.known.bytes_read
        shutil.copy(event, folder / "events")
        assert said(growing.read()) == said(read(folder)), event.name
        assert growing.known.bytes_read - before == event.stat().st_size
    before = growing.known.bytes_read
    growing.read()
    assert growing.known.bytes_read == before


def test_what_is_replaced_half_written_or_gone_is_read_as_it_is_now(tmp_path: Path) -> None:
    folder = tmp_path / "conversation"
    shutil.copytree(CONVERSATIONS[0], folder)
    growing = growing_at(folder)
    assert isinstance(growing, GrowingConversation)
    growing.read()
    state = folder / "base_state.json"
    (tmp_path / "new").write_text(json.dumps({**json.loads(state.read_text()), "execution_status": "paused"}))
    (tmp_path / "new").replace(state)
    before = growing.known.bytes_read
    assert said(growing.read()) == said(read(folder))
    assert growing.known.bytes_read - before == state.stat().st_size
    last = events_of(folder)[-1]
    content = last.read_bytes()
    for written in (content[:100], content[:-1], content):
        last.write_bytes(written)
        assert said(growing.read()) == said(read(folder))
    last.unlink()
    assert said(growing.read()) == said(read(folder))
