"""Broken sessions of Codex, pi and Gemini: errors of ours or counted lines, never another exception."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opentine_gui.core.errors import TineError
from opentine_gui.core.format.checks import check_encoding
from opentine_gui.importers import codex, gemini, pi, readers
from opentine_gui.importers.reader import Read
from tests.importers.recordings import RECORDINGS

LONGEST = 4000
WRONG: st.SearchStrategy[Any] = st.sampled_from(
    [None, 1, -1.5, True, "", "x", [], {}, [None], {"type": "text"}, ["a", {"text": 1}], "\ud800", 10**30, 1e308]
)
READ: dict[str, Read] = {"codex": codex.read, "pi": pi.read, "gemini-cli": gemini.read}


def lines_of(agent: str) -> list[bytes]:
    """Records of the agent's recordings, those of the same shape once."""
    found: dict[str, bytes] = {}
    for path in sorted((RECORDINGS / agent).rglob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            if len(line) < LONGEST:
                found.setdefault(shape(msgspec.json.decode(line), 4), line)
    return list(found.values())


def shape(value: Any, depth: int) -> str:
    """The names in a record, and its types."""
    if not depth or not isinstance(value, dict):
        return value if isinstance(value, str) and len(value) < 24 else type(value).__name__
    deeper = ("type", "payload", "message")
    return ",".join(f"{name}:{shape(inner, depth - 1) if name in deeper else ''}" for name, inner in value.items())


LINES = {agent: lines_of(agent) for agent in READ}


def changed(line: bytes, path: list[int], value: Any) -> bytes:
    """A record with one field, found by walking down, replaced."""
    record = msgspec.json.decode(line)
    here: Any = record
    for depth, step in enumerate(path):
        names: list[Any] = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not names:
            break
        name = names[step % len(names)]
        if depth == len(path) - 1 or not isinstance(here[name], dict | list):
            here[name] = value
            break
        here = here[name]
    return json.dumps(record).encode()


MUTATION = st.tuples(
    st.integers(0, 10_000),
    st.sampled_from(["as it is", "change", "change", "cut", "twice", "glue", "byte"]),
    st.lists(st.integers(0, 40), min_size=1, max_size=5),
    WRONG,
)


@pytest.mark.parametrize("agent", READ)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutations=st.lists(MUTATION, min_size=1, max_size=30))
def test_mutated_lines_raise_nothing_but_errors_of_ours(
    tmp_path_factory: pytest.TempPathFactory, agent: str, mutations: list[tuple[int, str, list[int], Any]]
) -> None:
    content = LINES[agent][0] + b"\n"
    for number, how, path, value in mutations:
        line = LINES[agent][number % len(LINES[agent])]
        end = b"\n"
        if how == "change":
            line = changed(line, path, value)
        elif how == "cut":
            line = line[: len(line) * path[0] // 40]
        elif how == "twice":
            line = line + b"\n" + line
        elif how == "glue":
            end = b""
        elif how == "byte":
            at = len(line) * path[0] // 41
            line = line[:at] + b"\xff" + line[at + 1 :]
        content += line + end
    file = tmp_path_factory.getbasetemp() / f"{agent}.jsonl"
    file.write_bytes(content)
    try:
        reading = READ[agent](file)
    except TineError as error:
        said = str(error)
    else:
        assert reading.report is not None
        assert reading.report.records >= reading.report.bad_lines
        assert len([step.inputs for step in reading.record.graph]) > 0  # each can be read again
        return
    assert file.name in said


@pytest.mark.parametrize("agent", [*READ, "claude-code"])
def test_halves_of_surrogate_pairs_stay_out_of_every_step(tmp_path: Path, agent: str) -> None:
    source = max((RECORDINGS / agent).rglob("*-b-parallel/**/*.jsonl"), key=lambda path: path.stat().st_size)
    spoiled = re.sub(rb"(?<=[a-z]) (?=[a-z])", rb" \\ud83d ", source.read_bytes())  # such spaces stand in texts alone
    assert spoiled.count(b"\\ud83d") > 10
    file = tmp_path / source.name
    file.write_bytes(spoiled)
    for reading in (readers.read_source(file), readers.read_source(file, growing=readers.growing_at(file))):
        graph = reading.record.graph
        assert len(graph) == len(readers.read_source(source).record.graph)
        for position in range(len(graph)):
            check_encoding(graph.raw(position))
        assert sum("\ufffd" in str(step.inputs) + str(step.outputs) for step in graph) > 3


@pytest.mark.parametrize("agent", READ)
def test_a_session_cut_off_anywhere_reads_up_to_there(tmp_path: Path, agent: str) -> None:
    source = max((RECORDINGS / agent).rglob("*-b-parallel/**/*.jsonl"), key=lambda path: path.stat().st_size)
    content = source.read_bytes()
    whole = set(READ[agent](source).record.graph.ids)
    file = tmp_path / source.name
    lines = content.splitlines(keepends=True)
    for count in range(1, len(lines)):
        file.write_bytes(b"".join(lines[:count]) + lines[count][: len(lines[count]) // 2])
        try:
            reading = READ[agent](file)
        except TineError:
            continue
        assert reading.report is not None
        assert not reading.report.bad_lines
        growing = 1 + 3  # a response that is being written, and calls that wait
        assert len(set(reading.record.graph.ids) - whole) <= growing
    assert set(reading.record.graph.ids) <= whole
