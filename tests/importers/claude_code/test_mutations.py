"""Broken session logs: never an exception but the project's own, and what is not understood is counted."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opentine_gui.core.errors import FormatError, TineError
from opentine_gui.importers.claude_code import read, recognise
from tests.importers.ground_truth import RECORDINGS

SOURCES = sorted(RECORDINGS.glob("claude-code/*/home/.claude/projects/*/*.jsonl"))
LINES = [line for path in SOURCES for line in path.read_bytes().splitlines()]
SHORT = [line for line in LINES if len(line) < 3000]
WRONG = st.sampled_from([None, 1, -1.5, True, "", "x", [], {}, [None], {"type": "text"}, "\ud800", 10**30])


def changed(line: bytes, path: list[int], value: object) -> bytes:
    """A record with one field, found by walking down, replaced."""
    record = msgspec.json.decode(line)
    here, names = record, []
    for step in path:
        names = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not names:
            break
        name = names[step % len(names)]
        if not isinstance(here[name], dict | list) or step == path[-1]:
            here[name] = value
            break
        here = here[name]

    return json.dumps(record).encode()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(SHORT) - 1),
            st.sampled_from(["as it is", "change", "cut", "twice", "glue", "byte"]),
            st.lists(st.integers(0, 40), min_size=1, max_size=4),
            WRONG,
        ),
        min_size=1,
        max_size=25,
    )
)
def test_mutated_lines_raise_nothing_but_errors_of_ours(tmp_path_factory, mutations):
    content = b""
    for number, how, path, value in mutations:
        line = SHORT[number]
        if how == "change":
            line = changed(line, path, value)
        elif how == "cut":
            line = line[: len(line) * path[0] // 40]
        elif how == "byte":
            place = len(line) * path[0] // 41
            line = line[:place] + b"\xff" + line[place + 1 :]
        content += line * (2 if how == "twice" else 1) + (b"" if how == "glue" else b"\n")
    file = tmp_path_factory.mktemp("mutated") / "session.jsonl"
    file.write_bytes(content)
    recognise(content)
    try:
        reading = read(file)
    except TineError:
        return
    graph = reading.record.graph
    assert set(reading.places) == set(graph.ids)
    for places in reading.places.values():
        for place in places:
            assert content[place.offset : place.offset + place.length].strip()
    assert reading.report.steps == len(graph)


def test_what_is_not_understood_is_counted_and_the_rest_is_read(tmp_path: Path):
    source = SOURCES[0].read_bytes()
    file = tmp_path / "session.jsonl"
    file.write_bytes(b'{"type":"user","uuid":7}\nnot json\n' + source + b'{"type":"assistant","uuid":"cut')
    whole, broken = read(SOURCES[0]), read(file)
    assert broken.report.bad_lines == 2
    assert broken.record.graph.ids == whole.record.graph.ids


def test_a_file_without_a_record_is_refused_with_its_name(tmp_path: Path):
    file = tmp_path / "session.jsonl"
    file.write_bytes(b'{"type":"weather","sessionId":"a"}\n')
    with pytest.raises(FormatError, match=r"session\.jsonl"):
        read(file)


def test_a_session_that_has_only_begun_is_a_run_without_steps(tmp_path: Path):
    file = tmp_path / "session.jsonl"
    file.write_bytes(b'{"type":"mode","sessionId":"a"}\n{"type":"file-history-snapshot"}\n')
    reading = read(file)
    assert len(reading.record.graph) == 0
    assert reading.record.status == "running"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parts[-6]}-{path.stem[:4]}")
def test_every_recording_is_recognised_by_its_head(path):
    assert recognise(path.read_bytes()[: 1 << 16]) >= 0.7
    assert recognise(path.read_bytes()[:2000]) >= 0.6


@pytest.mark.parametrize(
    "head",
    [
        b'{"type":"session_meta","payload":{}}\n',
        b'{"uuid":"a","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[]}}\n',
        b'{"type":"session","id":"a","cwd":"/x"}\n',
        b"",
        b"[1]",
        b"\x00\x01",
    ],
)
def test_other_logs_are_not(head):
    assert recognise(head) == 0.0
