"""A session that is read on while it is written says what reading it whole says, and costs what is new."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path

import pytest

from bench.session_lines import session_lines
from opentine_gui.importers import claude_code, codex, gemini, pi
from opentine_gui.importers.growing.claude_code import GrowingSession
from opentine_gui.importers.growing.codex import GrowingRollout
from opentine_gui.importers.growing.gemini import GrowingChat
from opentine_gui.importers.growing.pi import GrowingTree
from opentine_gui.importers.reading import Reading
from tests.importers.growing_sessions import Growing, check_growth, outcome, said

RECORDINGS = Path(__file__).parents[1] / "data" / "recordings"
AGENTS: dict[str, tuple[Callable[[Path], Growing], Callable[[Path], Reading]]] = {
    "claude-code": (GrowingSession, claude_code.read),
    "codex": (GrowingRollout, codex.read),
    "gemini-cli": (GrowingChat, gemini.read),
    "pi": (GrowingTree, pi.read),
}
SESSIONS = sorted(
    path.relative_to(RECORDINGS)
    for agent in AGENTS
    for path in (RECORDINGS / agent).rglob("*.jsonl")
    if "subagents" not in path.parts
)


def copied(session: Path, folder: Path) -> tuple[Path, Callable[[Path], Growing], Callable[[], Reading]]:
    """A session with all that was recorded beside it, what reads it on, and what reads it whole."""
    agent, case, *rest = session.parts
    shutil.copytree(RECORDINGS / agent / case, folder / "recorded")
    path = folder.joinpath("recorded", *rest)
    grow, read = AGENTS[agent]
    return path, grow, lambda: read(path)


@pytest.mark.parametrize("session", SESSIONS, ids=str)
def test_a_session_that_grows_line_by_line_reads_as_the_whole_does(session: Path, tmp_path: Path) -> None:
    path, grow, whole = copied(session, tmp_path)
    check_growth(path, grow(path), whole)


@pytest.mark.parametrize("session", SESSIONS, ids=str)
def test_from_every_line_on_the_rest_is_read_as_the_whole_is(session: Path, tmp_path: Path) -> None:
    path, grow, read = copied(session, tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    whole = outcome(read)
    for place in range(len(lines)):
        growing = grow(path)
        path.write_bytes(b"".join(lines[:place]))
        outcome(growing.read)
        with path.open("ab") as file:
            file.write(b"".join(lines[place:]))
        assert outcome(growing.read) == whole, place


def test_a_line_that_is_cut_off_is_read_when_the_rest_of_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = list(islice(session_lines(200_000), 40))
    path.write_bytes(b"".join(lines))
    growing = GrowingSession(path)
    growing.read()
    more = next(islice(session_lines(200_000), 40, None))
    for piece in (more[:100], more[100:-1], more[-1:]):
        with path.open("ab") as file:
            file.write(piece)
        assert said(growing.read()) == said(claude_code.read(path))


def test_a_session_that_is_cut_or_replaced_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = list(islice(session_lines(400_000), 60))
    path.write_bytes(b"".join(lines))
    growing = GrowingSession(path)
    growing.read()
    path.write_bytes(b"".join(lines[:30]))
    assert said(growing.read()) == said(claude_code.read(path))
    path.write_bytes(b"".join(lines[5:60]))
    assert said(growing.read()) == said(claude_code.read(path))
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"".join(lines[:50]) + lines[55])
    other.replace(path)
    assert said(growing.read()) == said(claude_code.read(path))
    path.unlink()
    assert isinstance(outcome(growing.read), type)


def work_of_an_append(path: Path, steps: int) -> tuple[float, float]:
    """(lines decoded, steps made) for one line that is appended to a session of so many steps, on average."""
    lines = session_lines(steps * 6_300)
    with path.open("wb") as file:
        for number, line in enumerate(lines):
            file.write(line)
            if number >= 2 * steps - 60:
                break
    growing = GrowingSession(path)
    found = len(growing.read().record.graph)
    assert found == pytest.approx(steps, rel=0.1)
    before = growing.lines, growing.draft.made
    for line in islice(lines, 50):
        with path.open("ab") as file:
            file.write(line)
        growing.read()
    return (growing.lines - before[0]) / 50, (growing.draft.made - before[1]) / 50


def test_the_work_of_an_append_does_not_grow_with_the_session(tmp_path: Path) -> None:
    short, long = work_of_an_append(tmp_path / "short.jsonl", 1_000), work_of_an_append(tmp_path / "long.jsonl", 10_000)
    assert max(*short, *long) < 12
    assert long[0] < 2 * short[0]
    assert long[1] < 2 * short[1]


def pi_lines(turns: int) -> list[bytes]:
    """A session of pi: of each turn a prompt, an answer with two calls, their results, and what was said in the end."""
    lines = [b'{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}\n']
    above = ""

    def entry(identity: str, message: Mapping[str, object]) -> None:
        nonlocal above
        value = {"type": "message", "id": identity, "parentId": above or None, "timestamp": "2026-01-01T00:00:00Z"}
        lines.append(json.dumps({**value, "message": message}).encode() + b"\n")
        above = identity

    for turn in range(turns):
        entry(f"u{turn}", {"role": "user", "content": f"prompt {turn}"})
        calls = [{"type": "toolCall", "id": f"c{turn}{part}", "name": "bash", "arguments": {}} for part in "ab"]
        entry(f"a{turn}", {"role": "assistant", "content": calls, "stopReason": "toolUse"})
        for part in "ab":
            result = {"role": "toolResult", "toolCallId": f"c{turn}{part}", "content": f"result {turn}{part}"}
            entry(f"r{turn}{part}", result)
        said = {"type": "text", "text": f"done {turn}"}
        entry(f"d{turn}", {"role": "assistant", "content": [said], "stopReason": "stop"})
    return lines


@pytest.mark.parametrize("turns", [100, 1_000])
def test_an_entry_of_pi_costs_the_same_however_long_its_session_is(turns: int, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = pi_lines(turns + 10)
    path.write_bytes(b"".join(lines[:-50]))
    growing = GrowingTree(path)
    growing.read()
    before = growing.lines, growing.draft.made
    for line in lines[-50:]:
        with path.open("ab") as file:
            file.write(line)
        growing.read()
    assert said(growing.read()) == said(pi.read(path))
    assert (growing.lines - before[0]) / 50 < 5
    assert (growing.draft.made - before[1]) / 50 < 5


def test_a_result_of_pi_that_comes_long_after_its_call_has_all_read_again(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = pi_lines(3)
    late = next(place for place, line in enumerate(lines) if b'"r0b"' in line)
    path.write_bytes(b"".join([*lines[:late], *lines[late + 1 :]]).replace(b'"parentId": "r0b"', b'"parentId": "r0a"'))
    growing = GrowingTree(path)
    growing.read()
    with path.open("ab") as file:
        file.write(lines[late])
    assert said(growing.read()) == said(pi.read(path))
