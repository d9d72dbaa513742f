"""A fork of an agent's session that was saved and is opened again goes on in the agent as on the day it was made."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from opentine_gui.app.files.going_on.forked_session import is_of_agent
from opentine_gui.app.files.going_on.run_command import CommandProposal
from opentine_gui.app.files.recovery.crash_recovery import COPY_AFTER
from opentine_gui.app.files.saving import suggested_name
from opentine_gui.app.state.settings import load_settings, save_settings
from tests.app.conftest import Bench
from tests.app.files.continued_sessions import RECORDED, models, proposed
from tests.app.files.recovery.crashes import crashed, offer

TRACES = RECORDED.parents[2] / "otel-genai" / "1.45.2-b-tools" / "traces.jsonl"


@pytest.fixture
def source(bench: Bench) -> Path:
    """A recorded session, forked at its first answer; the fork is saved, and both are closed."""
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED, home, dirs_exist_ok=True)
    (path,) = (home / ".claude" / "projects").rglob("*.jsonl")
    bench.do("file.open", path=path)
    bench.do("run.fork", step=models(bench)[0])
    bench.do("proposal.accept")
    bench.do("file.save_as", path=bench.folder / "fork.tine")
    bench.do("file.close")
    bench.do("file.close")
    assert not bench.session.documents
    return path


def tip(bench: Bench) -> str:
    return bench.record.graph.ids[-1]


def test_a_fork_that_was_saved_and_is_opened_again_goes_on_in_the_agent(bench: Bench, source: Path) -> None:
    before = source.read_bytes()
    fork = bench.open("fork.tine")
    assert is_of_agent(bench.session, fork)
    bench.do("continue.propose", step=tip(bench))
    assert len(bench.session.documents) == 1, "the session itself is read, not opened"
    handback = proposed(bench).handback
    assert handback is not None
    assert handback.command == ("claude", "--resume", handback.session)
    bench.do("proposal.accept")
    (file,) = handback.files
    assert file.path.parent == source.parent
    assert source.read_bytes() == before


def test_so_does_a_fork_that_is_made_of_it_then(bench: Bench, source: Path) -> None:
    bench.open("fork.tine")
    bench.do("run.fork", step=bench.record.graph.ids[0])
    bench.do("proposal.accept")
    bench.do("continue.propose", step=tip(bench))
    assert proposed(bench).handback is not None
    bench.do("proposal.cancel")
    bench.do("file.save_as", path=bench.folder / "fork-2.tine")
    bench.do("file.close")
    bench.do("file.close")
    bench.open("fork-2.tine")
    bench.do("continue.propose", step=tip(bench))
    assert proposed(bench).handback is not None


def test_where_nothing_is_remembered_the_session_is_found_by_the_run_it_is(bench: Bench, source: Path) -> None:
    bench.session.settings.forked_sessions = {}
    fork = bench.open("fork.tine")
    assert not is_of_agent(bench.session, fork)
    bench.do("file.open", path=source)
    bench.do("file.open", path=bench.folder / "fork.tine")
    bench.do("continue.propose", step=tip(bench))
    assert proposed(bench).handback is not None


def test_a_fork_that_a_crash_left_knows_the_session_it_was_made_of(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    home = first.session.agent_sessions.places.home
    shutil.copytree(RECORDED, home, dirs_exist_ok=True)
    (path,) = (home / ".claude" / "projects").rglob("*.jsonl")
    first.do("file.open", path=path)
    first.do("run.fork", step=models(first)[0])
    first.do("proposal.accept")
    first.clock.now += COPY_AFTER
    first.session.settle()
    crashed(first)
    second = second_bench()
    second.do("file.recover", key=offer(second)[1]["Open"]["key"])
    assert second.session.runs.folder is None and len(second.session.documents) == 1
    assert is_of_agent(second.session, second.active)
    second.do("continue.propose", step=tip(second))
    assert proposed(second).handback is not None


def test_a_session_that_is_gone_is_named_and_a_command_proposed_instead(bench: Bench, source: Path) -> None:
    source.rename(source.with_name("elsewhere"))
    bench.open("fork.tine")
    bench.do("continue.propose", step=tip(bench))
    assert isinstance(bench.session.proposal, CommandProposal)
    (said,) = bench.notices("warning")
    assert "was forked from cannot be read" in said
    assert source.name in said


def test_a_fork_of_a_log_that_no_agent_goes_on_with_is_continued_with_a_command(bench: Bench) -> None:
    log = bench.folder / "traces.jsonl"
    shutil.copy(TRACES, log)
    bench.do("file.open", path=log)
    bench.do("run.fork", step=bench.record.graph.ids[0])
    bench.do("proposal.accept")
    bench.do("file.save_as", path=bench.folder / "fork.tine")
    assert bench.session.settings.forked_sessions == {}
    bench.do("file.close")
    bench.do("file.open", path=log)
    bench.do("file.open", path=bench.folder / "fork.tine")
    assert not is_of_agent(bench.session, bench.active), "although its log is open beside it"
    bench.do("continue.propose", step=tip(bench))
    assert isinstance(bench.session.proposal, CommandProposal)
    assert bench.notices("warning") == []


def test_where_sessions_are_is_kept_with_the_settings_and_only_the_last_are(bench: Bench, source: Path) -> None:
    settings = bench.session.settings
    for number in range(600):
        settings.remember_forked_session(f"run-{number}", source)
    assert len(settings.forked_sessions) == 500
    assert "run-599" in settings.forked_sessions
    assert "run-0" not in settings.forked_sessions
    save_settings(settings, bench.folder)
    assert load_settings(bench.folder).forked_sessions == settings.forked_sessions


def test_its_file_is_named_after_the_words_of_the_session_not_after_the_number_of_its_log(
    bench: Bench, source: Path
) -> None:
    bench.do("file.open", path=source)
    words = bench.active.title
    bench.do("run.fork", step=models(bench)[0])
    bench.do("proposal.accept")
    name = suggested_name(bench.active, bench.folder)
    assert name.startswith("Fork of " + words.split()[0])
    assert source.stem not in name
