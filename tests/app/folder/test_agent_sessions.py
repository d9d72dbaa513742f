"""The list of agents' sessions: rows at once, what they hold behind, nothing read twice."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from opentine_gui.app.folder import agent_sessions
from opentine_gui.app.folder.agent_sessions import SHOWN_FIRST
from opentine_gui.core.files import storage
from opentine_gui.importers import readers
from opentine_gui.importers.agents import listing
from tests.app.conftest import Bench
from tests.app.files.tiny_sessions import TINY, chain


@pytest.fixture
def folder(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))
    folder = bench.session.agent_sessions.places.home / ".claude" / "projects" / "-home-dev"
    folder.mkdir(parents=True)
    for number in range(SHOWN_FIRST + 3):
        path = folder / f"{number}.jsonl"
        path.write_bytes(chain("ab"))
        os.utime(path, (1000 + number, 1000 + number))
    (folder / "notes.jsonl").write_bytes(b"no session")
    return folder


def look(bench: Bench) -> None:
    bench.session.agent_sessions.look(bench.session)
    bench.session.settle()


def test_sessions_are_listed_newest_first_and_filled_in(bench: Bench, folder: Path) -> None:
    look(bench)
    sessions = bench.session.agent_sessions
    assert [row.path.name for row in sessions.rows][:2] == [f"{SHOWN_FIRST + 2}.jsonl", f"{SHOWN_FIRST + 1}.jsonl"]
    assert len(sessions.rows) == SHOWN_FIRST + 3
    assert len(sessions.shown("claude")) == SHOWN_FIRST
    assert [row.held is not None and row.held.steps for row in sessions.shown("claude")] == [2] * SHOWN_FIRST
    assert sessions.rows[-1].held is None
    bench.do("sessions.all", agent="claude")
    assert len(sessions.shown("claude")) == SHOWN_FIRST + 3
    assert sessions.rows[-1].held is not None
    bench.do("sessions.fold", agent="claude")
    assert sessions.shown("claude") == ()


def test_a_kept_session_of_an_agent_that_is_not_known_is_listed_under_its_name(bench: Bench, folder: Path) -> None:
    look(bench)
    sessions = bench.session.agent_sessions
    sessions.rows = (msgspec.structs.replace(sessions.rows[0], agent="later-agent"),)
    assert [(name, title) for name, title, _ in sessions.by_agent] == [("later-agent", "later-agent")]


def test_showing_more_while_rows_are_filled_in_leaves_none_of_them_unfilled(bench: Bench, folder: Path) -> None:
    sessions = bench.session.agent_sessions
    sessions.look(bench.session)
    bench.jobs.hold = True
    bench.step()
    assert "sessions:fill" in [job.key for job in bench.jobs.held]
    bench.session.invoke("sessions.all", agent="claude")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert [row.path.name for row in sessions.rows if row.held is None] == []


def test_only_what_changed_is_looked_at_again(bench: Bench, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look(bench)
    opened: list[str] = []
    read_head = storage.read_head

    def noted(path: str | Path, size: int) -> bytes:
        opened.append(Path(path).name)
        return read_head(path, size)

    monkeypatch.setattr(storage, "read_head", noted)
    revision = bench.session.agent_sessions.revision
    look(bench)
    assert opened == []
    assert bench.session.agent_sessions.revision == revision
    (folder / "0.jsonl").write_bytes(chain("abc"))
    look(bench)
    assert set(opened) == {"0.jsonl"}
    assert bench.session.agent_sessions.rows[0].path.name == "0.jsonl"


def test_the_folders_are_looked_at_now_and_then(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[object] = []
    monkeypatch.setattr(
        "opentine_gui.app.folder.agent_sessions.found_sessions", lambda places: looks.append(places) or []
    )
    assert listing.found_sessions is not None
    sessions = bench.session.agent_sessions
    for now in (100.0, 101.0, 120.0):
        sessions.look_now_and_then(bench.session, now)
        bench.session.settle()
    assert len(looks) == 2


def test_what_holds_a_session_is_kept_in_the_index_of_its_folder(
    bench: Bench, folder: Path, second_bench: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(bench)
    read: list[object] = []
    monkeypatch.setattr("opentine_gui.app.folder.agent_sessions.summarise", lambda *given: read.append(given))
    other = second_bench()  # type: ignore[operator]
    look(other)
    assert other.session.agent_sessions.rows[0].held is not None
    assert read == []


def test_a_session_that_grows_keeps_what_was_read_and_is_read_again_once_it_rests(
    bench: Bench, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, grown = folder / f"{SHOWN_FIRST + 2}.jsonl", bench.session.now()
    look(bench)
    sessions, read = bench.session.agent_sessions, []
    summarise = agent_sessions.summarise
    monkeypatch.setattr(agent_sessions, "summarise", lambda *given: read.append(given[0]) or summarise(*given))
    for length in (3, 4, 5):
        path.write_bytes(chain("abcde"[:length]))
        os.utime(path, (grown + length, grown + length))
        look(bench)
        assert sessions.rows[0].path == path
        assert sessions.rows[0].held is not None and sessions.rows[0].held.steps == 2
    assert read == []
    monkeypatch.setattr(bench.session, "now", lambda: grown + 5 + agent_sessions.RESTED_SECONDS)
    look(bench)
    look(bench)
    assert read == [path]
    assert sessions.rows[0].held is not None and sessions.rows[0].held.steps == 5
    assert {key[0] for key in sessions._asked} <= {row.path for row in sessions.rows}
    assert len(sessions._asked) == SHOWN_FIRST
