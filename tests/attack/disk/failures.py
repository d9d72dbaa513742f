"""Fails each system call of a save in turn, as a full, broken or read-only disk does, and looks at what was said."""

from __future__ import annotations

import errno
import resource
import shutil
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.attack.campaign import Attack, Campaign
from tests.attack.disk.kills import calls_of
from tests.attack.disk.system_calls import can_watch, watch
from tests.attack.disk.workloads import NEW_BYTES, WORKLOADS

WRITING = {
    *(
        "write",
        "writev",
        "pwrite64",
        "fsync",
        "fdatasync",
        "ftruncate",
        "fallocate",
        "copy_file_range",
        "creat",
        "open",
    ),
    *("openat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "mkdir", "mkdirat"),
    *("setxattr", "fsetxattr"),
}
"""Calls that fail when there is no room."""
INTERRUPTED = {
    *(
        "read",
        "write",
        "readv",
        "writev",
        "pread64",
        "pwrite64",
        "open",
        "openat",
        "flock",
        "fcntl",
        "fsync",
        "ftruncate",
    ),
}
SHORTEST = 512
"""Bytes between two sizes at which a disk is full in the middle of a write."""


def errors_of(name: str) -> list[int]:
    """The errors a call is failed with."""
    errors = [errno.EIO, errno.EACCES, errno.EROFS]
    if name in WRITING:
        errors.append(errno.ENOSPC)
    if name in INTERRUPTED:
        errors.append(errno.EINTR)
    if name == "renameat2":
        errors += [errno.ENOSYS, errno.EINVAL]
    if name in ("openat", "open"):
        errors += [errno.EMFILE, errno.ESTALE]
    return errors


def run(campaign: Campaign) -> None:
    """Each workload with each call failing with each error; then with room for so many bytes only."""
    if not can_watch():
        campaign.notes.append("this system does not let a process answer for another one's calls")
        return
    cases: list[tuple[int, int, int, str]] = []
    for number, workload in enumerate(WORKLOADS):
        calls = calls_of(workload, campaign.folder / f"whole-{number}")
        cases += [(number, at, error, name) for at, name in enumerate(calls) for error in errors_of(name)]
    cases += [(0, size, 0, "room") for size in range(0, len(NEW_BYTES), SHORTEST)]
    for number, at, error, name in campaign.shuffled(cases):
        workload = WORKLOADS[number]
        folder = campaign.folder / str(campaign.tries)
        folder.mkdir()
        if error:
            ended = watch(partial(workload.ready, folder), partial(_failing, at, error))
            what = f"{name} (call {at}) fails with {errno.errorcode[error]}"
        else:
            ended = watch(partial(_with_room, at, folder), lambda _number, _name: 0)
            what = f"room for {at:,} bytes"
        wrong = workload.check(folder, ended.said)
        if wrong:
            campaign.found(f"{workload.name}, {what}: {wrong}")
        shutil.rmtree(folder)
    campaign.measured(campaign.tries, "calls failed")


def _failing(at: int, error: int, number: int, _name: str) -> int:
    return error if number == at else 0


def _with_room(size: int, folder: Path) -> Callable[[], str]:
    """The first workload, where a file may have so many bytes and no more: a write ends in the middle."""
    work = WORKLOADS[0].ready(folder)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    return work


ATTACK = Attack("fail", "no torn file; 'saved' and 'failed' are true", run, 1.0, 0)
