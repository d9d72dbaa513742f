"""Sessions that end like a crash, and the offer of what they left."""

from __future__ import annotations

import json
from pathlib import Path

from opentine_gui.app.files.recovery.crash_recovery import COPY_AFTER
from opentine_gui.app.state.settings import data_folder
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "a"}


def copies() -> list[Path]:
    return sorted((data_folder() / "recovery").rglob("*.tine"))


def fork_and_wait(bench: Bench) -> None:
    """Open an unsaved fork and let the time pass after which it is copied."""
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), title="Precious", accept=True)
    bench.session.settle()
    assert copies() == []
    bench.clock.now += COPY_AFTER
    bench.session.settle()


def crashed(bench: Bench) -> None:
    """End a session like a crash: the operating system releases its locks, and nothing else happens."""
    recovery = bench.session.recovery
    lock = recovery._lock
    assert lock is not None
    lock.release(force=True)


def offer(bench: Bench) -> tuple[str, dict[str, dict[str, object]]]:
    bench.session.settle()
    notice = bench.session.notices.list()[-1]
    return notice.text, {label: {"id": action_id, **arguments} for label, action_id, arguments in notice.actions}


def leave_behind(name: str, title: str) -> Path:
    """A folder as a crashed session leaves it."""
    folder = data_folder() / "recovery" / name
    folder.mkdir(parents=True)
    storage.write(folder / "1.tine", run_of(TREE))
    (folder / "1.json").write_text(json.dumps({"title": title}))
    return folder
