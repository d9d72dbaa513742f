"""The attack's own tools: they see every call, and would notice a broken promise."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attack.campaign import Campaign, in_short
from tests.attack.disk import kills, workloads
from tests.attack.disk.system_calls import KILL, can_watch, watch
from tests.attack.disk.workloads import NEW_BYTES, OLD_BYTES, Workload

needs_watching = pytest.mark.skipif(not sys.platform.startswith("linux") or not can_watch(), reason="needs seccomp")


def writing(path: Path) -> Callable[[], Callable[[], str]]:
    def work() -> str:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
        try:
            os.write(descriptor, b"whole")
        except OSError as error:
            return errno.errorcode[error.errno or 0]
        finally:
            os.close(descriptor)
        return "written"

    return lambda: work


@needs_watching
def test_every_call_on_a_file_is_seen_and_may_pass_fail_or_be_the_last(tmp_path: Path) -> None:
    path = tmp_path / "file"
    ended = watch(writing(path), lambda _number, _name: 0)
    assert ended == ("written", ("openat", "write", "close"))
    assert path.read_bytes() == b"whole"
    path.unlink()
    assert watch(writing(path), lambda number, _name: errno.ENOSPC if number == 1 else 0).said == "ENOSPC"
    assert watch(writing(path), lambda _number, name: KILL if name == "write" else 0).said is None
    assert path.read_bytes() == b""


@needs_watching
def test_a_save_that_writes_in_place_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ready(folder: Path) -> Callable[[], str]:
        (folder / "run.tine").write_bytes(OLD_BYTES)

        def work() -> str:
            with (folder / "run.tine").open("wb", buffering=0) as file:
                file.write(NEW_BYTES[:1000])
                file.write(NEW_BYTES[1000:])
            return "saved"

        return work

    def check(folder: Path, said: str | None) -> str:
        return workloads._content_check(folder, said, OLD_BYTES, NEW_BYTES)

    monkeypatch.setattr(kills, "WORKLOADS", (Workload("in place", ready, check),))
    campaign = Campaign(tmp_path, seed=1, full=0)
    kills.run(campaign)
    assert [finding for finding in campaign.findings if "torn: 1,000 bytes" in finding]


def test_the_same_seed_takes_the_same_order(tmp_path: Path) -> None:
    orders = [list(Campaign(tmp_path, seed, full=0).shuffled(range(50))) for seed in (7, 7, 8)]
    assert orders[0] == orders[1] != orders[2]


def test_a_traceback_is_told_by_its_last_line_and_its_last_place_of_ours() -> None:
    trace = (
        'Traceback:\n  File "/x/opentine_gui/core/run.py", line 3, in work\n  File "/lib/os.py", line 1\nOSError: no\n'
    )
    assert in_short(trace) == "OSError: no (/core/run.py, line 3, in work)"
