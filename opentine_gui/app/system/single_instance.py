"""Single instance: a second start sends its files to the open window, over a local socket only this user can use.

The transport is `multiprocessing.connection`: a Unix socket, on Windows a named pipe. Only bytes are sent, never
`send` and `recv`, which pickle. The window first sends its process number; the caller sends "open" and absolute paths
(a path may end in #STEP), a zero byte before each, at most `LONGEST_MESSAGE` bytes; without a path it asks the window
to come to the front. The answer is "ok" or "no". Anything else has no effect.

Access is restricted by the socket's folder, which only this user can enter; on Windows by the default rights of a pipe,
which let others read but not write. An authentication key would be in that same folder and add nothing. The process
that holds the lock beside the socket is the window. The system releases the lock however the process ends, so what a
crashed process left is recognised and never prevents a start.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import socket
import stat
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from filelock import FileLock

NAME = "opentine-gui"
PIPES = "\\\\.\\pipe\\"
"""The beginning of every pipe's name on Windows."""

LONGEST_MESSAGE = 256 * 1024
LONGEST_ANSWER = 20
LONGEST_PATH = 8192
MOST_PATHS = 200
MOST_CALLERS = 8
"""Callers served at a time; further ones wait in the system's queue."""

HEARING_SECONDS = 2.0
"""Seconds a caller may take to send its message, and seconds it waits for the answer."""

PATIENCE_SECONDS = 0.25
"""Seconds a caller waits before it brings the window to the front: a minimised one looks up seldom."""

RETRY_SECONDS = 0.02
OPEN, ACCEPTED, REFUSED = b"open", b"ok", b"no"
Request = tuple[str, ...]
Wake = Callable[[int], None]
"""Brings the window of the process with this number to the front."""


def encode(paths: Sequence[str]) -> bytes:
    """The message that asks for these absolute paths. ValueError if it would be refused."""
    message = b"\0".join([OPEN, *map(os.fsencode, paths)])
    if decode(message) != tuple(paths):
        raise ValueError("these paths cannot be handed to the open window")
    return message


def decode(message: bytes) -> Request | None:
    """The paths a message asks for; None for anything that is not exactly such a message."""
    word, *names = message.split(b"\0", MOST_PATHS + 1)
    if len(message) > LONGEST_MESSAGE or word != OPEN or len(names) > MOST_PATHS:
        return None
    try:
        paths = tuple(map(os.fsdecode, names))
    except UnicodeDecodeError:
        return None
    return paths if all(os.path.isabs(path) and len(path) <= LONGEST_PATH for path in paths) else None


def address_and_lock(environment: Mapping[str, str], platform: str = sys.platform) -> tuple[str, Path] | None:
    """(address, lock file) for the display in the environment; None if no folder is safe.

    Each display has its own window.
    """
    folder = folder_of(environment)
    if folder is None:
        return None
    on_windows = platform == "win32"
    names = ("USERDOMAIN", "USERNAME", "SESSIONNAME") if on_windows else ("DISPLAY", "WAYLAND_DISPLAY")
    values = "\n".join(environment.get(name, "") for name in names)
    stem = f"{NAME}-{hashlib.sha256(values.encode(errors='surrogatepass')).hexdigest()[:12]}"
    return PIPES + stem if on_windows else str(folder / f"{stem}.socket"), folder / f"{stem}.lock"


def folder_of(environment: Mapping[str, str]) -> Path | None:
    """The folder for socket and lock: the user's runtime folder, else a temporary one; None if neither is safe."""
    given = environment.get("XDG_RUNTIME_DIR", "")
    if sys.platform != "win32" and given.startswith("/") and _is_private(Path(given)):
        return Path(given)
    import tempfile  # imports other modules, and is seldom needed

    if sys.platform == "win32":
        return Path(tempfile.gettempdir())  # the user's own
    own = Path(tempfile.gettempdir()) / f"{NAME}-{os.getuid()}"
    with contextlib.suppress(OSError):
        own.mkdir(mode=0o700)
    return own if _is_private(own) else None


def _is_private(folder: Path) -> bool:
    """Whether it is a real folder of this user that nobody else may enter."""
    with contextlib.suppress(OSError):
        status = folder.lstat()
        is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
        return is_own and not stat.S_IMODE(status.st_mode) & 0o077
    return False


def _lock(path: Path) -> FileLock:
    """Acquire the lock. TimeoutError if another process has it, OSError if there can be none."""
    from filelock import FileLock  # slow to import, so not at the start of every command

    lock = FileLock(path, mode=0o600, thread_local=False)  # the listening thread releases it
    lock.acquire(timeout=0)
    return lock


def claim_instance(environment: Mapping[str, str] = os.environ) -> InstanceServer | None:
    """Become the one window on this display; None if there is one already, or no safe place for the lock."""
    found = address_and_lock(environment)
    with contextlib.suppress(OSError, NotImplementedError):
        return InstanceServer(found[0], _lock(found[1])) if found is not None else None
    return None


class InstanceServer:
    """The window's side: asked once a frame for requests, without ever waiting.

    It starts to listen at the first `receive`, in a thread because accepting blocks; each caller is read in a thread of
    its own. Only the window's own thread answers, so a window that hangs accepts nothing.
    """

    def __init__(self, address: str, lock: FileLock, clock: Callable[[], float] = time.monotonic) -> None:
        self.address, self.clock = address, clock
        self._lock = lock
        self._closed = False
        self._wait: Callable[..., None] | None = None
        self._callers: dict[Connection, float] = {}
        self._heard: deque[tuple[Connection, Request | None]] = deque()

    def receive(self) -> list[Request]:
        """The requests that arrived since the last call, without waiting."""
        if self._wait is None:
            from opentine_gui.app.system.jobs import run_in_thread

            self._wait = run_in_thread(self._listen)
        requests: list[Request] = []
        while self._heard:
            caller, request = self._heard.popleft()
            with caller, contextlib.suppress(OSError):  # a caller that gave up has opened its own window
                caller.send_bytes(REFUSED if request is None else ACCEPTED)
                requests += [] if request is None else [request]
            del self._callers[caller]
        for caller, until in list(self._callers.items()):
            if self.clock() > until:
                _cut_off(caller)
        return requests

    def close(self) -> None:
        """Stop listening; only the empty lock file is left."""
        self._closed = True
        if self._wait is None:
            self._lock.release()
            return
        from multiprocessing.connection import Client

        with contextlib.suppress(OSError):
            Client(self.address).close()  # a last caller ends the accepting
        self._wait(HEARING_SECONDS)
        for caller in list(self._callers):
            _cut_off(caller)

    def _listen(self) -> None:
        """Accept callers until closed; release the lock at the end, or if the address cannot be used."""
        from multiprocessing.connection import Listener

        from opentine_gui.app.system.jobs import run_in_thread

        is_file = not self.address.startswith(PIPES)
        try:
            if is_file:  # we hold the lock, so an existing socket is a leftover
                Path(self.address).unlink(missing_ok=True)
            with Listener(self.address, backlog=MOST_CALLERS) as listener:
                if is_file:
                    Path(self.address).chmod(0o600)
                while not self._closed:
                    if len(self._callers) < MOST_CALLERS:
                        with contextlib.suppress(OSError):
                            caller = listener.accept()
                            self._callers[caller] = self.clock() + HEARING_SECONDS
                            run_in_thread(lambda caller=caller: self._hear(caller))  # type: ignore[misc]
                            continue
                    time.sleep(RETRY_SECONDS)  # until a caller is gone
        except OSError:
            pass  # a path too long for a socket, a full disk, a removed socket file
        finally:
            self._lock.release()

    def _hear(self, caller: Connection) -> None:
        """Read a caller's message; `receive` answers it."""
        request = None
        with contextlib.suppress(OSError, EOFError):
            caller.send_bytes(str(os.getpid()).encode())
            if caller.poll(HEARING_SECONDS):
                request = decode(caller.recv_bytes(LONGEST_MESSAGE))
        self._heard.append((caller, request))


def _cut_off(caller: Connection) -> None:
    """Stop reading an incomplete message. A Windows pipe has none: its messages arrive whole."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(caller.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)


def hand_over(paths: Sequence[str], wake: Wake, environment: Mapping[str, str] = os.environ) -> bool:
    """Ask the open window to open these absolute paths; False if there is none, or it does not answer.

    `wake` is called if the window has to be brought to the front from outside before it can answer.
    """
    from multiprocessing.connection import Client  # here, as importing takes a while and the thread's time is limited

    from opentine_gui.app.system.jobs import run_in_thread

    found = address_and_lock(environment)
    try:
        message = encode(paths)
    except ValueError:
        return False
    if found is None:
        return False
    address, lock_path = found
    answers: list[bytes] = []
    # Connecting and sending block for ever if the other process hangs, so that is not done in this thread.
    wait = run_in_thread(lambda: _ask(lambda: Client(address), lock_path, message, wake, answers))
    wait(HEARING_SECONDS + PATIENCE_SECONDS)
    return answers == [ACCEPTED]


def _ask(connect: Callable[[], Connection], lock_path: Path, message: bytes, wake: Wake, answers: list[bytes]) -> None:
    """Send the message and add the window's answer to `answers`, within `HEARING_SECONDS`."""
    end = time.monotonic() + HEARING_SECONDS
    while time.monotonic() < end:
        try:
            with connect() as window:
                if time.monotonic() < end:
                    window.send_bytes(message)
                if window.poll(max(0.0, end - time.monotonic())):
                    process = window.recv_bytes(LONGEST_ANSWER)
                    if not process.isdigit():
                        return
                    # On Windows only the process the user just started may bring a window to the front.
                    if sys.platform == "win32" or not window.poll(PATIENCE_SECONDS):
                        wake(int(process))
                    if window.poll(max(0.0, end - time.monotonic())):
                        answers.append(window.recv_bytes(LONGEST_ANSWER))
                return
        except EOFError:
            return
        except OSError as error:
            # Refused or missing while somebody holds the lock: the window is about to listen.
            if error.errno not in (errno.ECONNREFUSED, errno.ENOENT) or _is_free(lock_path):
                return
        time.sleep(RETRY_SECONDS)


def _is_free(lock_path: Path) -> bool:
    """Whether nobody holds the lock, so that there is no window to wait for."""
    try:
        _lock(lock_path).release()
    except TimeoutError:
        return False
    except (OSError, NotImplementedError):
        pass
    return True
