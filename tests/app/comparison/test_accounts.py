"""What came of two compared runs: while it is worked out, and after that was stopped or failed."""

from __future__ import annotations

import pytest

from opentine_gui.app.comparison.comparison_view import figure_rows, subject_of
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.inspect import outcome
from opentine_gui.app.inspect.outcome import accounts_of, no_accounts
from tests.app.conftest import Bench
from tests.core.analysis.call_runs import Recording

KNOWN = "| Last check | not checked | not checked |"


@pytest.fixture
def waiting(bench: Bench) -> Bench:
    """Two runs in which a file is edited, compared; the job that looks through them waits."""
    for name in ("left", "right"):
        run = Recording()
        run.ask(f"mend it {name}")
        run.call("Edit", {"file_path": "/w/a.py", "old_string": "a", "new_string": name}, "ok")
        bench.open(f"{name}.tine", run.record(run_id=name))
    bench.do("compare.open")
    bench.jobs.hold = True
    assert accounts_of(bench.session, bench.active) is None
    return bench


def shown(bench: Bench) -> list[str]:
    """What the table of the runs says of A's last check, and of the files that A edited."""
    overlay, subject = bench.active.overlay, subject_of(bench.active)
    assert isinstance(overlay, Overlay) and subject is not None
    accounts = accounts_of(bench.session, bench.active)
    rows = {row.label: row for row in figure_rows(overlay, subject, accounts, instead=no_accounts(bench.active))}
    return [rows["Last check"].a, rows["Files edited"].a]


def release(bench: Bench) -> None:
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()


def test_what_came_of_the_runs_is_being_checked_and_then_shown(waiting: Bench) -> None:
    assert shown(waiting) == ["checking…", "checking…"]
    release(waiting)
    assert shown(waiting) == ["not checked", "1"]


def test_once_that_was_stopped_nothing_is_said_to_be_checked(waiting: Bench) -> None:
    (key,) = [job.key for job in waiting.session.jobs.running() if job.key.startswith("accounts")]
    waiting.session.invoke("job.cancel", key=key)
    waiting.session.step()
    assert shown(waiting) == ["not worked out", "not worked out"]
    waiting.jobs.hold = False
    waiting.do("compare.copy_markdown")
    waiting.session.settle()
    assert KNOWN in waiting.copied[-1], "for a text that stays it is looked up again"


def test_once_that_failed_nothing_is_said_to_be_checked(waiting: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object) -> None:
        raise ValueError("no")

    monkeypatch.setattr(outcome, "account_of", broken)
    release(waiting)
    assert shown(waiting) == ["not worked out", "not worked out"]
    assert len(waiting.notices("warning")) == 1


def test_what_is_copied_waits_for_what_came_of_the_runs(waiting: Bench) -> None:
    waiting.session.invoke("compare.copy_markdown")
    waiting.session.step()
    assert waiting.copied == []
    release(waiting)
    (text,) = waiting.copied
    assert KNOWN in text and "| Files edited | 1 | 1 | same |" in text
    assert waiting.notices()[-1] == "Copied the comparison as Markdown."
