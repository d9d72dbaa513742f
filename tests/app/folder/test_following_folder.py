"""The list follows its folder: with real files, the real watch and real jobs, and with a clock that stands still."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from opentine_gui.app.application import make_session
from opentine_gui.app.folder.runs_folder import REST_OF_A_MEGABYTE, REST_SECONDS
from opentine_gui.app.session import Session
from opentine_gui.app.state.settings import Settings
from opentine_gui.app.system.jobs import Jobs
from tests.app.conftest import Bench

LIMIT = 30.0
"""Seconds after which what was waited for counts as missing."""
RECORDED = Path(__file__).parents[2] / "data" / "recordings" / "claude-code"
LOG = next((RECORDED / "2.1.197-a-plain").rglob("*.jsonl"))
OTHER_LOG = next((RECORDED / "2.1.197-b-parallel").rglob("*.jsonl"))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = make_session(jobs=Jobs(), settings=Settings(), environment={}, working_folder=tmp_path)
    yield made
    made.close()


def step_until(session: Session, condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + LIMIT
    while not condition():
        session.step()
        session.jobs.wait(0.02)
        assert time.monotonic() < end, what


def names(session: Session) -> list[str]:
    return sorted(row.path.name for row in session.runs.rows)


@pytest.mark.parametrize("opened", [True, False], ids=["a tab is open", "none is open"])
def test_logs_and_folders_that_come_and_go_are_listed_and_not(session: Session, tmp_path: Path, opened: bool) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in ("kept.jsonl", "deleted.jsonl"):
        shutil.copy(LOG, folder / name)
    session.invoke("file.open_folder", path=folder)
    if opened:
        session.invoke("file.open", path=folder / "kept.jsonl")
    step_until(session, lambda: len(names(session)) == 2 and not session.busy, "the folder listed")
    (folder / "deleted.jsonl").unlink()
    step_until(session, lambda: names(session) == ["kept.jsonl"], "the deleted log is gone")
    shutil.copy(OTHER_LOG, folder / "new.jsonl")
    step_until(session, lambda: names(session) == ["kept.jsonl", "new.jsonl"], "the new log is there")
    (folder / "deeper").mkdir()
    step_until(session, lambda: session.runs.below == (folder / "deeper",), "the new folder is there")
    (folder / "deeper").rmdir()
    step_until(session, lambda: session.runs.below == (), "the folder is gone")


def test_a_log_that_grows_is_read_again_after_a_rest_and_one_that_goes_is_gone_at_once(bench: Bench) -> None:
    log, whole = bench.folder / "log.jsonl", LOG.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(whole[:-3]))
    bench.do("file.open_folder", path=bench.folder)
    (before,) = bench.session.runs.rows
    log.write_bytes(b"".join(whole))
    bench.watch.post([log])
    bench.session.settle()
    assert bench.session.runs.rows == (before,), "it was read just now"
    bench.clock.now += REST_SECONDS + REST_OF_A_MEGABYTE * log.stat().st_size / 1e6 + 0.1
    bench.session.settle()
    (after,) = bench.session.runs.rows
    assert after.steps > before.steps
    log.write_bytes(b"".join(whole[:-1]))
    os.remove(log)
    bench.watch.post([log])
    bench.session.settle()
    assert bench.session.runs.rows == ()


def test_reload_lists_the_folder_again_whether_a_run_is_open_or_not(bench: Bench) -> None:
    shutil.copy(LOG, bench.folder / "first.jsonl")
    bench.do("file.open_folder", path=bench.folder)
    shutil.copy(OTHER_LOG, bench.folder / "second.jsonl")
    bench.do("file.reload")
    assert names(bench.session) == ["first.jsonl", "second.jsonl"]
    bench.do("file.open", path=bench.folder / "first.jsonl")
    (bench.folder / "second.jsonl").unlink()
    bench.do("file.reload")
    assert names(bench.session) == ["first.jsonl"]
