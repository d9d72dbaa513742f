"""Watches a child process's system calls on files, and lets each one pass, fail or be the last.

Linux's seccomp hands the calls that a filter names to another process, which answers for the kernel
(seccomp_unotify(2)). So a real program meets real calls, in order, without a debugger and without a special privilege.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import select
import signal
import socket
import struct
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from tests.attack.campaign import in_short

_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ASK, _ALLOW = 0x7FC00000, 0x7FFF0000
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1
_NOTIFICATION, _ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")

# Numbers of <asm/unistd.h>; a machine lacks those calls that newer ones replaced.
_X86_64 = {
    "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "lseek": 8, "ioctl": 16,
    "pread64": 17, "pwrite64": 18, "readv": 19, "writev": 20, "access": 21, "sendfile": 40, "fcntl": 72, "flock": 73,
    "fsync": 74, "fdatasync": 75, "truncate": 76, "ftruncate": 77, "rename": 82, "mkdir": 83, "rmdir": 84, "creat": 85,
    "link": 86, "unlink": 87, "symlink": 88, "readlink": 89, "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93,
    "setxattr": 188, "fsetxattr": 190, "getxattr": 191, "listxattr": 194, "flistxattr": 196, "getdents64": 217,
    "utimensat": 280, "openat": 257, "mkdirat": 258, "fchownat": 260, "newfstatat": 262, "unlinkat": 263,
    "renameat": 264, "linkat": 265, "symlinkat": 266, "readlinkat": 267, "fchmodat": 268, "faccessat": 269,
    "fallocate": 285, "renameat2": 316, "copy_file_range": 326, "statx": 332, "faccessat2": 439,
}  # fmt: skip
_AARCH64 = {
    "setxattr": 5, "fsetxattr": 7, "getxattr": 8, "listxattr": 11, "flistxattr": 13, "fcntl": 25, "ioctl": 29,
    "flock": 32, "mkdirat": 34, "unlinkat": 35, "symlinkat": 36, "linkat": 37, "renameat": 38, "truncate": 45,
    "ftruncate": 46, "fallocate": 47, "faccessat": 48, "fchmod": 52, "fchmodat": 53, "fchownat": 54, "fchown": 55,
    "openat": 56, "close": 57, "getdents64": 61, "lseek": 62, "read": 63, "write": 64, "readv": 65, "writev": 66,
    "pread64": 67, "pwrite64": 68, "sendfile": 71, "readlinkat": 78, "newfstatat": 79, "fstat": 80, "fsync": 82,
    "fdatasync": 83, "utimensat": 88, "renameat2": 276, "copy_file_range": 285, "statx": 291, "faccessat2": 439,
}  # fmt: skip
_SECCOMP = {"x86_64": 317, "aarch64": 277}
NUMBERS = {"x86_64": _X86_64, "aarch64": _AARCH64}.get(platform.machine(), {})
NAMES = {number: name for name, number in NUMBERS.items()}

KILL = "kill"
Decide = Callable[[int, str], int | str]
"""(how many calls were before, name) -> 0 to let it pass, an errno to fail it with, or KILL."""


class Ended(NamedTuple):
    """How a watched child ended: what it said (None when it was killed), and the names of its calls in order."""

    said: str | None
    calls: tuple[str, ...]


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte), ("value", ctypes.c_uint))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(_Instruction)))


def _install_filter() -> int:
    """Have every named call of this thread from now on answered through the descriptor that is returned."""
    library = ctypes.CDLL(None, use_errno=True)
    names = sorted(NUMBERS.values())
    lines = [_Instruction(_LOAD, 0, 0, 0)]
    lines += [_Instruction(_JUMP_IF_EQUAL, len(names) - at, 0, number) for at, number in enumerate(names)]
    lines += [_Instruction(_RETURN, 0, 0, _ALLOW), _Instruction(_RETURN, 0, 0, _ASK)]
    program = _Program(len(lines), (_Instruction * len(lines))(*lines))
    if library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    listener: int = library.syscall(
        _SECCOMP[platform.machine()], _SET_MODE_FILTER, _NEW_LISTENER, ctypes.byref(program)
    )
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return listener


def can_watch() -> bool:
    """Whether this system lets a process answer for another one's calls."""
    if not sys.platform.startswith("linux") or not NUMBERS:
        return False
    try:
        return watch(lambda: lambda: "yes", lambda _number, _name: 0).said == "yes"
    except OSError:
        return False


def watch(ready: Callable[[], Callable[[], str]], decide: Decide) -> Ended:
    """Run `ready` in a child, then, watched, what it returned; `decide` answers each of its calls on files.

    What escapes the work as an exception is said as "traceback: …".
    """
    ours, theirs = socket.socketpair()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        ours.close()
        _be_watched(ready, theirs)
    theirs.close()
    with ours:
        try:
            text, descriptors, _, _ = socket.recv_fds(ours, 1 << 16, 1)
            if not descriptors:
                raise OSError(errno.ENOSYS, text.decode())
            try:
                return _answer(descriptors[0], ours, child, decide)
            finally:
                os.close(descriptors[0])
        finally:
            _end(child)


def _be_watched(ready: Callable[[], Callable[[], str]], theirs: socket.socket) -> None:
    try:
        work = ready()
        socket.send_fds(theirs, [b"f"], [_install_filter()])
        theirs.recv(1)
        try:
            said = work()
        except BaseException:  # noqa: BLE001 - this is what the attack looks for
            said = f"traceback: {in_short(traceback.format_exc())}"
        theirs.sendall(said.encode("utf-8", "backslashreplace"))
        theirs.shutdown(socket.SHUT_WR)
    except BaseException:  # noqa: BLE001 - the child must not go on as the parent
        with suppress(OSError):
            theirs.send(traceback.format_exc().encode())
    os._exit(0)


def _answer(listener: int, ours: socket.socket, child: int, decide: Decide) -> Ended:
    calls: list[str] = []
    said: list[bytes] = []
    ours.sendall(b"g")
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    poll.register(ours, select.POLLIN)
    while True:
        for descriptor, event in poll.poll():
            if descriptor == ours.fileno():
                piece = ours.recv(1 << 16)
                if not piece:
                    return Ended(b"".join(said).decode(), tuple(calls))
                said.append(piece)
            elif event & select.POLLIN:
                buffer = bytearray(_NOTIFICATION.size)
                try:
                    fcntl.ioctl(listener, _RECEIVE, buffer)
                except FileNotFoundError:  # the child died meanwhile
                    continue
                identity, _, _, number, *_ = _NOTIFICATION.unpack(buffer)
                name = NAMES[number]
                answer = decide(len(calls), name)
                calls.append(name)
                if answer == KILL:
                    os.kill(child, signal.SIGKILL)
                    return Ended(None, tuple(calls))
                code = -int(answer)
                try:
                    fcntl.ioctl(listener, _SEND, bytearray(_ANSWER.pack(identity, 0, code, 0 if code else _CONTINUE)))
                except FileNotFoundError:
                    continue


def _end(child: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(child, 0)
