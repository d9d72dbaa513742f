"""Fails each system call of a save in turn, as a full, broken or read-only disk does, and looks at what was said."""

from __future__ import annotations

import errno
import resource
import shutil
import signal

from tests.attack.campaign import Attack, Campaign
from tests.attack.disk.kills import calls_of
from tests.attack.disk.system_calls import can_watch, watch
from tests.attack.disk.workloads import NEW_BYTES, WORKLOADS

WRITING = frozenset(
    [
        "write",
        "writev",
        "pwrite64",
        "fsync",
        "fdatasync",
        "ftruncate",
        "rename",
        "renameat",
        "renameat2",
        "link",
        "linkat",
        "mkdir",
        "mkdirat",
        "creat",
        "open",
        "openat",
        "fallocate",
        "copy_file_range",
        "symlink",
        "symlinkat",
        "fsetxattr",
        "setxattr",
    ]
)
"""Calls that fail when there is no room."""
INTERRUPTED = frozenset(
    [
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
    ]
)
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
            ended = watch(
                lambda workload=workload, folder=folder: workload.ready(folder),
                lambda count, _name, at=at, error=error: error if count == at else 0,
            )
            what = f"{name} (call {at}) fails with {errno.errorcode[error]}"
        else:

            def with_room(size: int = at, folder: object = folder) -> object:
                work = WORKLOADS[0].ready(folder)  # type: ignore[arg-type]
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
                return work

            ended = watch(with_room, lambda _number, _name: 0)  # type: ignore[arg-type]
            what = f"room for {at:,} bytes"
        wrong = workload.check(folder, ended.said)
        if wrong:
            campaign.found(f"{workload.name}, {what}: {wrong}")
        shutil.rmtree(folder)
    campaign.measured(campaign.tries, "calls failed")


ATTACK = Attack("fail", "no torn file; 'saved' and 'failed' are true", run, 1.0, 0)
