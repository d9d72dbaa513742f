"""One window: a second start hands its files to the window that is open, over a local socket only this user can use.

The transport is `multiprocessing.connection`: a Unix socket, on Windows a named pipe. Only its bytes are used, never
its `send` and `recv`, which pickle. The window says its process number at once; the caller says "open" and absolute
paths (a path may end in #STEP), a zero byte before each, at most `LONGEST_MESSAGE` bytes; without a path it asks the
window to show itself. The answer is "ok" or "no". Anything else does nothing.

What keeps others out is the socket's folder, which only this user can enter; on Windows the rights a pipe has by
default, which let others read but not write. A key for the handshake would lie in that same folder and add nothing.
Who holds the lock beside the socket is the window. The system takes it back when the process ends in any way: so what
a dead process left behind is told from a window that lives, and never stands in the way of a start.
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
"""What the name of every pipe on Windows begins with."""

LONGEST_MESSAGE = 256 * 1024
LONGEST_ANSWER = 20
LONGEST_PATH = 8192
MOST_PATHS = 200
MOST_CALLERS = 8
"""Callers heard at a time; further ones wait in the system's queue."""

HEARING_SECONDS = 2.0
"""How long a caller may take to say what it wants; a caller waits as long for the answer."""

PATIENCE_SECONDS = 0.25
"""How long a caller waits before it brings the window forward: a minimised one sleeps in its toolkit until then."""

RETRY_SECONDS = 0.02
OPEN, ACCEPTED, REFUSED = b"open", b"ok", b"no"
Request = tuple[str, ...]
Wake = Callable[[int], None]
"""Brings the window of the process with this number forward."""


def encode(paths: Sequence[str]) -> bytes:
    """The message that asks for these absolute paths. ValueError when it would be refused."""
    message = b"\0".join([OPEN, *map(os.fsencode, paths)])
    if decode(message) != tuple(paths):
        raise ValueError("these paths cannot be handed to the open window")
    return message


def decode(message: bytes) -> Request | None:
    """The paths a message asks for; None for everything that is not exactly such a message."""
    word, *names = message.split(b"\0", MOST_PATHS + 1)
    if len(message) > LONGEST_MESSAGE or word != OPEN or len(names) > MOST_PATHS:
        return None
    try:
        paths = tuple(map(os.fsdecode, names))
    except UnicodeDecodeError:
        return None
    return paths if all(os.path.isabs(path) and len(path) <= LONGEST_PATH for path in paths) else None


def address_and_lock(environment: Mapping[str, str], platform: str = sys.platform) -> tuple[str, Path] | None:
    """(address, lock) for the display the environment names: a window on another screen is another window."""
    folder = folder_of(environment)
    if folder is None:
        return None
    on_windows = platform == "win32"
    names = ("USERDOMAIN", "USERNAME", "SESSIONNAME") if on_windows else ("DISPLAY", "WAYLAND_DISPLAY")
    values = "\n".join(environment.get(name, "") for name in names)
    stem = f"{NAME}-{hashlib.sha256(values.encode(errors='surrogatepass')).hexdigest()[:12]}"
    return PIPES + stem if on_windows else str(folder / f"{stem}.socket"), folder / f"{stem}.lock"


def folder_of(environment: Mapping[str, str]) -> Path | None:
    """The folder for socket and lock: the session's runtime folder, else one of our own; None when none is safe."""
    given = environment.get("XDG_RUNTIME_DIR", "")
    if sys.platform != "win32" and given.startswith("/") and _is_private(Path(given)):
        return Path(given)
    import tempfile  # brings other modules, and is seldom needed

    if sys.platform == "win32":
        return Path(tempfile.gettempdir())  # the user's own
    own = Path(tempfile.gettempdir()) / f"{NAME}-{os.getuid()}"
    with contextlib.suppress(OSError):
        own.mkdir(mode=0o700)
    return own if _is_private(own) else None


def _is_private(folder: Path) -> bool:
    """Whether it is a real folder of this user's that nobody else may enter."""
    with contextlib.suppress(OSError):
        status = folder.lstat()
        is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
        return is_own and not stat.S_IMODE(status.st_mode) & 0o077
    return False


def _lock(path: Path) -> FileLock:
    """The lock, held by this process now. TimeoutError when another has it, OSError where there can be none."""
    from filelock import FileLock  # not at the start of every command: it is not cheap to import

    lock = FileLock(path, mode=0o600, thread_local=False)  # the thread that listens lets go of it
    lock.acquire(timeout=0)
    return lock


def claim_instance(environment: Mapping[str, str] = os.environ) -> InstanceServer | None:
    """Become the one window on this display: None when there is one already, or when no safe place for it was found."""
    found = address_and_lock(environment)
    with contextlib.suppress(OSError, NotImplementedError):
        return InstanceServer(found[0], _lock(found[1])) if found is not None else None
    return None


class InstanceServer:
    """The side that stays open: the window asks it once a frame whether anybody called, and never waits for one.

    It listens from the first time it is asked, in a thread, for accepting waits without end; each caller is heard in
    one of its own. Only the window's own thread answers: one that hangs takes nothing.
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
            with caller, contextlib.suppress(OSError):  # one who gave up has opened a window of its own
                caller.send_bytes(REFUSED if request is None else ACCEPTED)
                requests += [] if request is None else [request]
            del self._callers[caller]
        for caller, until in list(self._callers.items()):
            if self.clock() > until:
                _cut_off(caller)
        return requests

    def close(self) -> None:
        """Stop hearing, and leave nothing behind but the lock's empty file."""
        self._closed = True
        if self._wait is None:
            self._lock.release()
            return
        from multiprocessing.connection import Client

        with contextlib.suppress(OSError):
            Client(self.address).close()  # accepting ends with a last caller
        self._wait(HEARING_SECONDS)
        for caller in list(self._callers):
            _cut_off(caller)

    def _listen(self) -> None:
        """Let callers in until the door is closed; a place that cannot be used is left to others."""
        from multiprocessing.connection import Listener

        from opentine_gui.app.system.jobs import run_in_thread

        is_file = not self.address.startswith(PIPES)
        try:
            if is_file:  # with the lock in our hands one that is there belongs to nobody any more
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
                    time.sleep(RETRY_SECONDS)  # until there is room again
        except OSError:
            pass  # a path too long for a socket, a full disk, a socket file somebody removed
        finally:
            self._lock.release()

    def _hear(self, caller: Connection) -> None:
        """Read what a caller says; `receive` answers it."""
        request = None
        with contextlib.suppress(OSError, EOFError):
            caller.send_bytes(str(os.getpid()).encode())
            if caller.poll(HEARING_SECONDS):
                request = decode(caller.recv_bytes(LONGEST_MESSAGE))
        self._heard.append((caller, request))


def _cut_off(caller: Connection) -> None:
    """End the reading of a message that does not come to its end. A pipe has no such: its messages come whole."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(caller.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)


def hand_over(paths: Sequence[str], wake: Wake, environment: Mapping[str, str] = os.environ) -> bool:
    """Ask the window that is open to open these absolute paths; False when there is none, or none that answers.

    `wake` is called when the window has to be brought forward from outside before it can answer.
    """
    from multiprocessing.connection import Client  # here, for it takes a while and the thread has none to lose

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
    # Connecting and sending wait without end for a process that stands still, so that is not done in this thread.
    wait = run_in_thread(lambda: _ask(lambda: Client(address), lock_path, message, wake, answers))
    wait(HEARING_SECONDS + PATIENCE_SECONDS)
    return answers == [ACCEPTED]


def _ask(connect: Callable[[], Connection], lock_path: Path, message: bytes, wake: Wake, answers: list[bytes]) -> None:
    """Send the message and add the window's answer to `answers`, unless it takes longer than `HEARING_SECONDS`."""
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
                    # On Windows only the start the user just made may put a window in front of others.
                    if sys.platform == "win32" or not window.poll(PATIENCE_SECONDS):
                        wake(int(process))
                    if window.poll(max(0.0, end - time.monotonic())):
                        answers.append(window.recv_bytes(LONGEST_ANSWER))
                return
        except EOFError:
            return
        except OSError as error:
            # Refused or missing while somebody holds the lock: a window that is just about to listen.
            if error.errno not in (errno.ECONNREFUSED, errno.ENOENT) or _is_free(lock_path):
                return
        time.sleep(RETRY_SECONDS)


def _is_free(lock_path: Path) -> bool:
    """Whether nobody holds the lock: then there is no window to wait for."""
    try:
        _lock(lock_path).release()
    except TimeoutError:
        return False
    except (OSError, NotImplementedError):
        pass
    return True
