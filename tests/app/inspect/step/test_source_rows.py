"""What a step's records are where its source is a database, or a document that was put together from changes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from opentine_gui.app.inspect.reading.reader import Section
from opentine_gui.app.inspect.step.source_records import source_sections
from opentine_gui.core import Step
from opentine_gui.importers.readers import parts_of, read_source
from opentine_gui.importers.sources.parts import part_path
from tests.importers.ground_truth import RECORDINGS

DATABASES = sorted(
    path
    for kind in ("opencode", "langgraph", "openai-agents")
    for path in (RECORDINGS / kind).rglob("*")
    if path.suffix in (".db", ".sqlite")
)


def said_by(step: Step) -> list[str]:
    """Texts that the records of a step have to hold."""
    own = ("The state was edited", "The graph was started")  # our own words, where nobody said anything
    found = [step.outputs.get("result"), step.outputs.get("text"), step.inputs.get("text")]
    return [text for text in found if isinstance(text, str) and text and "\n" not in text and not text.startswith(own)]


def texts_in(value: Any) -> list[str]:
    """All texts in a value, those in the rows' JSON included."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in texts_in(item)]


@pytest.mark.parametrize("path", DATABASES, ids=lambda path: path.parent.name)
def test_every_step_shows_the_rows_that_hold_what_it_says(path: Path) -> None:
    for part in parts_of(path):
        reading = read_source(part_path(path, part.id))
        for step in reading.record.graph:
            sections = source_sections(reading.places.get(step.id, ()))
            assert all(section.role != "bad" and "No bytes" not in str(section.value) for section in sections), step
            texts = [text for section in sections for text in texts_in(section.value)]
            for said in said_by(step):
                assert any(said in text for text in texts), (said, step.kind)


def test_a_row_that_was_deleted_is_said_to_be_gone(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    source = next(one for one in DATABASES if "openai-agents" in one.parts)
    shutil.copy(source, path)
    reading = read_source(path)
    first = reading.record.graph.ids[0]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM agent_messages")
        connection.commit()
    (section,) = source_sections(reading.places[first])
    assert section.role == "bad"
    assert "deleted" in str(section.value)
    path.unlink()
    (section,) = source_sections(reading.places[first])
    assert "not there any more" in str(section.value)


def _request(name: str, *response: str) -> dict[str, Any]:
    return {"requestId": name, "message": {"text": name}, "response": [{"value": text} for text in response]}


def test_a_step_of_a_chat_shows_the_changes_that_tell_of_its_request(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    changes = [
        {"kind": 0, "v": {"sessionId": "s", "responderUsername": "c", "requests": [_request("one", "1")]}},
        {"kind": 2, "k": ["requests"], "v": [_request("two")]},
        {"kind": 1, "k": ["requests", 1, "response"], "v": [{"value": "of two"}]},
        {"kind": 1, "k": ["customTitle"], "v": "a title"},
    ]
    path.write_text("".join(json.dumps(change) + "\n" for change in changes))
    reading = read_source(path)
    shown = {
        str(step.inputs.get("text") or step.outputs.get("text")): _values(reading.places[step.id])
        for step in reading.record.graph
    }
    assert shown == {"one": changes[:1], "1": changes[:1], "two": changes[1:3], "of two": changes[1:3]}


def test_a_step_of_a_chat_in_one_document_shows_its_request(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    requests = [_request("one", "1"), _request("two", "2")]
    document = {"requesterUsername": "me", "responderUsername": "c", "sessionId": "s", "requests": requests}
    path.write_bytes(b"\xef\xbb\xbf" + msgspec.json.encode(document))
    reading = read_source(path)
    assert [_values(reading.places[step.id]) for step in reading.record.graph] == [
        [requests[0]], [requests[0]], [requests[1]], [requests[1]],
    ]  # fmt: skip


def _values(places: Any) -> list[Any]:
    sections: tuple[Section, ...] = source_sections(places)
    return [section.value for section in sections]
