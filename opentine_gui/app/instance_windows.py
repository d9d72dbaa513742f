"""The door of the one window on Windows: a named pipe with a pipe's default rights, so others cannot write to it."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Mapping

from opentine_gui.app.instance import HEARING_SECONDS, LONGEST_MESSAGE, REFUSED, TAKEN, Request, Wake, decode

RETRY_SECONDS = 0.02
MOST_PIPES = 4
"""Ends of the pipe at a time: the one that listens, and served ones whose callers have not read their answer."""


def pipe_name(environment: Mapping[str, str]) -> str:
    """The pipe's name: one for each user and each session of theirs."""
    whose = "\n".join(environment.get(name, "") for name in ("USERDOMAIN", "USERNAME", "SESSIONNAME"))
    return rf"\\.\pipe\opentine-gui-{hashlib.sha256(whose.encode(errors='surrogatepass')).hexdigest()[:16]}"


if sys.platform == "win32":
    import _winapi
    import ctypes

    FIRST_INSTANCE, REJECT_REMOTE, OVERLAPPED = 0x00080000, 0x00000008, 0x40000000
    ERROR_PIPE_BUSY, ERROR_FILE_NOT_FOUND, ERROR_MORE_DATA = 231, 2, 234

    def open_door(environment: Mapping[str, str]) -> PipeDoor | None:
        """Make the pipe; None when another process has it."""
        try:
            return PipeDoor(pipe_name(environment))
        except OSError:
            return None

    class PipeDoor:
        """One caller at a time, heard without waiting. The system takes the pipe down when the process ends."""

        def __init__(self, name: str) -> None:
            """OSError when the pipe exists already."""
            self._name = name
            self._listen(FIRST_INSTANCE)

        def _listen(self, first: int = 0) -> None:
            self._pipe = _winapi.CreateNamedPipe(
                self._name,
                _winapi.PIPE_ACCESS_DUPLEX | OVERLAPPED | first,
                _winapi.PIPE_TYPE_MESSAGE | _winapi.PIPE_READMODE_MESSAGE | _winapi.PIPE_WAIT | REJECT_REMOTE,
                MOST_PIPES,
                LONGEST_MESSAGE,
                LONGEST_MESSAGE,
                0,
                _winapi.NULL,
            )
            self._pending = _winapi.ConnectNamedPipe(self._pipe, overlapped=True)
            self._reading = False
            self._until = 0.0

        def take(self) -> list[Request]:
            """The request that arrived since the last call, if any."""
            found: list[Request] = []
            if _winapi.WaitForSingleObject(self._pending.event, 0) != _winapi.WAIT_OBJECT_0:
                if self._reading and time.monotonic() > self._until:
                    self._pending.cancel()
                    self._next()
                return found
            try:
                _, error = self._pending.GetOverlappedResult(False)
                if not self._reading:
                    self._pending, _ = _winapi.ReadFile(self._pipe, LONGEST_MESSAGE, overlapped=True)
                    self._reading, self._until = True, time.monotonic() + HEARING_SECONDS
                    return found
                request = decode(self._pending.getbuffer() or b"") if error != ERROR_MORE_DATA else None
                answer, _ = _winapi.WriteFile(self._pipe, REFUSED if request is None else TAKEN, overlapped=True)
                _winapi.WaitForSingleObject(answer.event, 100)
                if request is not None:
                    found.append(request)
            except OSError:
                pass  # the caller went away: nothing was asked
            self._next()
            return found

        def _next(self) -> None:
            """Wait for the next caller, then hang up: the name is never free for somebody else to take."""
            served = self._pipe
            self._listen()
            _winapi.CloseHandle(served)

        def close(self) -> None:
            """Take the pipe down."""
            _winapi.CloseHandle(self._pipe)

    def hand_over(message: bytes, environment: Mapping[str, str], wake: Wake) -> bool:
        """Send the message to the open window; whether it was taken within `HEARING_SECONDS`."""
        end = time.monotonic() + HEARING_SECONDS
        while True:
            try:
                pipe = _winapi.CreateFile(
                    pipe_name(environment),
                    _winapi.GENERIC_READ | _winapi.GENERIC_WRITE,
                    0,
                    _winapi.NULL,
                    _winapi.OPEN_EXISTING,
                    OVERLAPPED,
                    _winapi.NULL,
                )
                break
            except OSError as error:
                if error.winerror != ERROR_PIPE_BUSY or time.monotonic() > end:
                    return False
            time.sleep(RETRY_SECONDS)
        try:
            sending, _ = _winapi.WriteFile(pipe, message, overlapped=True)
            if not _in_time(sending, end):
                return False
            process = ctypes.c_ulong()
            if ctypes.windll.kernel32.GetNamedPipeServerProcessId(ctypes.c_void_p(pipe), ctypes.byref(process)):
                # The start the user just made is the one that may put a window in front of others.
                wake(process.value)
            answer, _ = _winapi.ReadFile(pipe, len(TAKEN), overlapped=True)
            return _in_time(answer, end) and answer.getbuffer() == TAKEN
        except OSError:
            return False
        finally:
            _winapi.CloseHandle(pipe)

    def _in_time(pending: _winapi.Overlapped, end: float) -> bool:
        left = max(0, int((end - time.monotonic()) * 1000))
        if _winapi.WaitForSingleObject(pending.event, left) != _winapi.WAIT_OBJECT_0:
            pending.cancel()
            return False
        pending.GetOverlappedResult(False)
        return True
