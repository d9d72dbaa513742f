"""Which files on a machine are sessions, what they are called, and which one is the latest of a folder."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.command_line.parser import arguments
from opentine_gui.importers import readers
from opentine_gui.importers.agents import listing
from opentine_gui.importers.agents.headline import LONGEST, Headline, headline_of
from opentine_gui.importers.agents.listing import found_sessions, latest_session, looked_at
from opentine_gui.importers.agents.table import AGENTS, Places, agent_named, dashed
from opentine_gui.importers.reader import Reader
from opentine_gui.importers.reading import Reading
from tests.conftest import run_of

RECORDINGS = Path(__file__).parents[2] / "data" / "recordings"
CLAUDE = [
    {"type": "mode", "mode": "normal"},
    {"type": "user", "isMeta": True, "message": {"content": "not this"}, "cwd": "/home/dev/project"},
    {"type": "user", "message": {"content": "<command-name>/clear</command-name>"}},
    {"type": "user", "message": {"content": [{"type": "text", "text": "Fix  the\nlogin"}]}},
]
CODEX = [
    {"type": "session_meta", "payload": {"cwd": "/home/dev/project"}},
    {"type": "response_item", "payload": {"role": "user", "content": [{"text": "<environment_context>"}]}},
    {"type": "response_item", "payload": {"role": "user", "content": [{"text": "First question"}]}},
]
PI = [
    {"type": "session", "version": 3, "cwd": "/home/dev/project"},
    {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": "First question"}]}},
]
GEMINI = [
    {"sessionId": "x", "projectHash": "y"},
    {"type": "user", "content": [{"text": "<session_context>"}]},
    {"type": "user", "content": [{"text": "Ask a helper"}]},
]


def lines(records: list[dict[str, object]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_of_too_many_sessions_the_newest_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_SESSIONS", 3)
    project = tmp_path / ".claude" / "projects" / "-home-dev-project"
    project.mkdir(parents=True)
    for number in range(9):
        path = project / f"{number:08}-0000-4000-8000-000000000000.jsonl"
        path.write_bytes(lines(CLAUDE))
        os.utime(path, (1_000_000 + number * 7 % 9,) * 2)
    assert [session.changed for session in found_sessions(Places({}, tmp_path))] == [1_000_008, 1_000_007, 1_000_006]


def test_a_chat_that_resuming_began_is_called_after_what_it_resumes(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini" / "tmp" / "project" / "chats"
    chats.mkdir(parents=True)
    (chats / "session-2026-11-23T14-24-4d016eb4.jsonl").write_bytes(lines(GEMINI))
    (chats / "session-2026-11-23T14-25-4d016eb4.jsonl").write_bytes(lines(GEMINI[:2]))
    (chats / "session-2026-11-23T14-26-00000000.jsonl").write_bytes(lines(GEMINI[:2]))
    places = Places({}, tmp_path)
    found = {}
    for session in found_sessions(places):
        [one] = looked_at(session)
        assert one.headline is not None
        found[one.path.name[19:24]] = one.headline.title
    assert found == {"14-24": "Ask a helper", "14-25": "Resumed: Ask a helper", "14-26": ""}


@pytest.mark.parametrize(
    ("records", "title", "folder"),
    [
        (CLAUDE, "Fix the login", "/home/dev/project"),
        (CODEX, "First question", "/home/dev/project"),
        (PI, "First question", "/home/dev/project"),
        (GEMINI, "Ask a helper", ""),
        ([{"type": "user.message", "data": {"content": "Hello"}}], "Hello", ""),
    ],
)
def test_a_session_is_called_after_the_first_prompt_somebody_typed(
    records: list[dict[str, object]], title: str, folder: str
) -> None:
    assert headline_of(lines(records)) == Headline(title, folder)


def test_a_title_that_was_given_goes_before_the_prompt_also_at_the_end() -> None:
    named = {"type": "custom-title", "customTitle": "Login work"}
    assert headline_of(lines(CLAUDE), b"cut off}\n" + lines([named])).title == "Login work"
    assert headline_of(lines([*PI, {"type": "session_info", "name": "Named"}])).title == "Named"


@given(st.binary(max_size=400), st.binary(max_size=100))
def test_no_bytes_break_a_headline(head: bytes, tail: bytes) -> None:
    found = headline_of(head, tail)
    assert len(found.title) <= LONGEST


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A home with sessions of three agents, and files that are none."""
    files = {
        ".claude/projects/-home-dev-project/a.jsonl": lines(CLAUDE),
        ".claude/projects/-home-dev-project/agent-1.jsonl": lines(CLAUDE),
        ".claude/projects/-home-dev-project/a/subagents/agent-2.jsonl": lines(CLAUDE),
        ".claude/history.jsonl": lines(CLAUDE),
        ".codex/sessions/2026/11/21/rollout-1.jsonl": lines(CODEX),
        ".codex/auth.json": b"{}",
        "pi-elsewhere/--home-dev-project--/1.jsonl": lines(PI),
        ".gemini/tmp/project/chats/session-1.jsonl": lines(GEMINI),
        ".gemini/tmp/project/.project_root": b"/home/dev/project",
        ".gemini/oauth_creds.json": b"{}",
    }
    for number, (name, content) in enumerate(files.items()):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (1000 + number, 1000 + number))
    return Places({"PI_CODING_AGENT_SESSION_DIR": str(tmp_path / "pi-elsewhere")}, tmp_path, "linux")


@pytest.fixture
def all_lines_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(
        "lines",
        (".jsonl",),
        lambda head: float(head.startswith(b"{")),
        lambda _path, **_how: Reading(run_of({"a": ""})),
    )
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, reader))


def test_sessions_are_found_by_name_in_the_agents_own_folders_alone(places: Places) -> None:
    found = found_sessions(places)
    assert [(session.agent, session.path.name) for session in found] == [
        ("gemini", "session-1.jsonl"),
        ("pi", "1.jsonl"),
        ("codex", "rollout-1.jsonl"),
        ("claude", "a.jsonl"),
    ]


def test_what_no_reader_recognises_is_not_listed(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "READERS", (readers.TINE,))
    assert [found for session in found_sessions(places) for found in looked_at(session)] == []


@pytest.mark.usefixtures("all_lines_read")
def test_the_latest_session_of_a_folder_is_that_of_any_agent_or_of_one(places: Places) -> None:
    here = Path("/home/dev/project")
    latest = latest_session(here, places)
    assert latest is not None
    assert latest.headline == Headline("Ask a helper", "/home/dev/project")
    claude = agent_named("claude")
    assert claude is not None
    latest = latest_session(here, places, [claude])
    assert latest is not None
    assert latest.path.name == "a.jsonl"
    assert latest_session(Path("/elsewhere"), places) is None


def test_the_latest_session_in_a_database_is_the_newest_of_the_folder(tmp_path: Path) -> None:
    [recorded] = (RECORDINGS / "opencode" / "1.18.33-a-plain").rglob("opencode.db")
    path = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(recorded.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(session)")]
        [row] = connection.execute(f"SELECT {', '.join(names)} FROM session")
        connection.execute("DELETE FROM session")
        for identity, folder, time in (
            ("ses_a", "/w/here", 1000),
            ("ses_b", "/w/here", 3000),
            ("ses_c", "/w/else", 4000),
        ):
            copy = dict(zip(names, row, strict=True))
            copy |= {"id": identity, "directory": folder, "time_updated": 1_700_000_000_000 + time, "slug": identity}
            connection.execute(f"INSERT INTO session VALUES ({', '.join('?' * len(names))})", list(copy.values()))
    places = Places({}, tmp_path, "linux")
    latest = latest_session(Path("/w/here"), places)
    assert latest is not None
    assert latest.path.name.endswith("#ses_b")
    assert latest_session(Path("/w/nowhere"), places) is None


def test_claude_codes_names_of_folders() -> None:
    assert dashed(Path("/home/dev/my.project_1")) == "-home-dev-my-project-1"


def test_the_command_line_names_every_agent() -> None:
    assert tuple(agent.name for agent in AGENTS) == arguments.AGENTS
