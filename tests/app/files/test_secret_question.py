"""A session with what looks like a secret is saved or exported only after a question; a `.tine` file without one."""

from __future__ import annotations

import pytest

from opentine_gui.app.files.secret_question import SHOW
from opentine_gui.app.state.prompts import Confirm
from opentine_gui.importers import readers
from tests.app.conftest import Bench
from tests.app.files.tiny_sessions import TINY, step
from tests.conftest import run_of

KEY = "sk-ant-" + "Abc123Def456Ghi789Jkl012"


@pytest.fixture
def bench_with_key(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))
    (bench.folder / "session.jsonl").write_bytes(step("ask") + step(f"use {KEY}", "ask"))
    bench.open("session.jsonl")
    return bench


def questions(bench: Bench) -> list[str]:
    return [asked.title for asked in bench.prompter.asked if isinstance(asked, Confirm)]


def test_the_search_is_a_job_however_short_the_session_is(bench_with_key: Bench) -> None:
    bench = bench_with_key
    bench.jobs.hold = True
    bench.session.invoke("file.save_as", path=bench.folder / "kept.tine")
    bench.step()
    assert [job.title for job in bench.jobs.held if not job.cancelled] == ["Looking for secrets"]
    assert questions(bench) == []
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert questions(bench) == ["Save what looks like a secret?"]


def test_saving_and_exporting_ask_and_can_be_left(bench_with_key: Bench) -> None:
    bench = bench_with_key
    target = bench.folder / "kept.tine"
    bench.do("file.save", (target,), "Cancel")
    assert not target.exists()
    bench.do("file.save", (target,), SHOW)
    assert not target.exists()
    assert len(bench.active.selection) == 1
    picture = bench.folder / "kept.md"
    bench.do("file.export", "Cancel", path=picture, part="all")
    assert not picture.exists()
    bench.do("file.save", (target,), "Save anyway")
    assert target.exists()
    assert questions(bench) == ["Save what looks like a secret?"] * 2 + [
        "Export what looks like a secret?",
        "Save what looks like a secret?",
    ]
    assert all(KEY not in asked.text for asked in bench.prompter.asked if isinstance(asked, Confirm))


def test_a_tine_file_is_saved_without_the_question(bench: Bench) -> None:
    bench.open("run.tine", run_of({KEY: ""}))
    bench.do("file.save_as", path=bench.folder / "other.tine")
    assert questions(bench) == []
