"""Going on in OpenCode, which takes a session in by a command of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.app.conftest import Bench
from tests.app.files.continued_sessions import RECORDED, models, proposed, put_in

OPENCODE = """#!/usr/bin/env python3
import json, sqlite3, sys, os
document = json.load(open(sys.argv[2]))
if document["info"]["title"].startswith("refuse"):
    sys.exit("Error: no such thing")
database = sqlite3.connect(os.environ["DATABASE"])
info = document["info"]
database.execute(
    "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated)"
    " VALUES (?, 'global', 'x', ?, ?, ?, 1, 9e15)", (info["id"], info["directory"], info["title"], info["version"]))
for message in document["messages"]:
    own = message["info"]
    database.execute("INSERT INTO message VALUES (?, ?, 1, 1, ?)", (own["id"], info["id"], json.dumps(own)))
    for part in message["parts"]:
        row = (part["id"], own["id"], info["id"], json.dumps(part))
        database.execute("INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)", row)
database.commit()
"""


@pytest.fixture
def opencode(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recorded session of OpenCode, open in front, and a stand-in for the program that takes sessions in."""
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED.parents[2] / "opencode" / "1.18.33-b-parallel" / "home", home, dirs_exist_ok=True)
    program = bench.folder / "opencode"
    program.write_text(OPENCODE)
    program.chmod(0o700)
    database = home / ".local" / "share" / "opencode" / "opencode.db"
    monkeypatch.setattr(bench.session.terminals, "find", lambda _word: str(program))
    places = bench.session.agent_sessions.places
    environment = {"DATABASE": str(database), "PATH": "/usr/bin:/bin"}
    monkeypatch.setattr(bench.session.agent_sessions, "places", places._replace(environment=environment))
    bench.do("file.open", path=database)
    return database


def test_opencode_takes_the_session_in_by_its_own_import_which_was_shown(bench: Bench, opencode: Path) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    proposal = proposed(bench)
    handback = proposal.handback
    assert handback is not None
    (file,) = handback.files
    assert handback.takes_in == ("opencode", "import", str(file.path))
    assert "runs opencode import" in proposal.sentence
    bench.do("continue.copy")
    assert bench.copied[-1].endswith(f"opencode import {file.path} && opencode --session {handback.session}")
    assert "Copied the command, which works once the session is written." in bench.notices("info")
    assert not file.path.exists()
    put_in(handback, bench.folder)
    steps = len(bench.record.graph)
    bench.do("proposal.accept")
    assert str(bench.active.path) == f"{opencode}#{handback.session}"
    assert bench.active.live.follows
    assert 0 < len(bench.record.graph) < steps
    assert not file.path.exists()
    bench.do("continue.undo")
    assert f"opencode session delete {handback.session}" in bench.notices("error")[-1]


def test_where_opencode_refuses_nothing_is_left_and_its_reason_is_reported(bench: Bench, opencode: Path) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    handback = proposed(bench).handback
    assert handback is not None
    (file,) = handback.files
    object.__setattr__(handback, "files", (file._replace(content=b"{"),))
    bench.do("proposal.accept")
    assert "did not take the session in" in bench.notices("error")[-1]
    assert not file.path.exists()
    assert bench.session.handed_back == []


def test_without_opencode_on_this_machine_the_file_and_both_commands_are_there(
    bench: Bench, opencode: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.session.terminals, "find", lambda _word: None)
    bench.do("continue.propose", step=models(bench)[0])
    handback = proposed(bench).handback
    assert handback is not None
    bench.do("proposal.accept")
    (file,) = handback.files
    assert file.path.read_bytes() == file.content
    assert any("opencode import" in text for text in bench.notices("good"))
    bench.do("continue.undo")
    assert not file.path.exists()
