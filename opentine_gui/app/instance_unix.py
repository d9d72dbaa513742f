"""The door of the one window on Linux and macOS: a socket file in a folder only this user can enter."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import socket
import stat
import struct
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from opentine_gui.app.instance import (
    HEARING_SECONDS,
    LONGEST_MESSAGE,
    MOST_CALLERS,
    PATIENCE_SECONDS,
    REFUSED,
    TAKEN,
    Request,
    Wake,
    decode,
)

NAME = "opentine-gui"
RETRY_SECONDS = 0.02
CHUNK = 65536


def folder_of(environment: Mapping[str, str]) -> Path | None:
    """The folder for the socket: the session's runtime folder, else one of our own; None when none is safe."""
    given = environment.get("XDG_RUNTIME_DIR", "")
    if given.startswith("/") and _is_private(Path(given)):
        return Path(given)
    import tempfile  # brings other modules, and is seldom needed

    own = Path(tempfile.gettempdir()) / f"{NAME}-{os.getuid()}"
    with contextlib.suppress(OSError):
        own.mkdir(mode=0o700)
    return own if _is_private(own) else None


def _is_private(folder: Path) -> bool:
    """Whether it is a real folder of this user's that nobody else may enter."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & 0o077


def places(environment: Mapping[str, str]) -> tuple[Path, Path] | None:
    """(socket, lock) for the display the environment names: a window on another screen is another window."""
    folder = folder_of(environment)
    if folder is None:
        return None
    display = f"{environment.get('DISPLAY', '')}\n{environment.get('WAYLAND_DISPLAY', '')}"
    stem = f"{NAME}-{hashlib.sha256(display.encode(errors='surrogateescape')).hexdigest()[:12]}"
    return folder / f"{stem}.socket", folder / f"{stem}.lock"


def open_door(environment: Mapping[str, str]) -> UnixDoor | None:
    """Take the lock and listen; None when another process has it or the place cannot be used."""
    found = places(environment)
    if found is None:
        return None
    path, lock_path = found
    lock = FileLock(lock_path, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError, NotImplementedError):
        return None
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # With the lock in our hands a socket file that is there belongs to nobody any more.
        path.unlink(missing_ok=True)
        listening.bind(str(path))
        path.chmod(0o600)
        listening.listen(MOST_CALLERS)
        listening.setblocking(False)
    except OSError:  # a path too long for a socket, a full disk: a window of its own is better than none
        listening.close()
        lock.release()
        return None
    return UnixDoor(path, listening, lock)


class Caller(msgspec.Struct, eq=False):
    """A connection that is being heard: what it said so far, and until when it may go on."""

    connection: socket.socket
    until: float
    said: bytearray = msgspec.field(default_factory=bytearray)


class UnixDoor:
    """Hears callers without ever waiting for one."""

    def __init__(
        self, path: Path, listening: socket.socket, lock: FileLock, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.path, self.clock = path, clock
        self._listening, self._lock = listening, lock
        self._callers: list[Caller] = []

    def take(self) -> list[Request]:
        """The requests that arrived since the last call."""
        while len(self._callers) < MOST_CALLERS:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                break
            connection.setblocking(False)
            if is_own(connection):
                self._callers.append(Caller(connection, self.clock() + HEARING_SECONDS))
            else:
                connection.close()
        heard = [self._hear(caller) for caller in list(self._callers)]
        return [request for request in heard if request is not None]

    def _hear(self, caller: Caller) -> Request | None:
        """Read what a caller said meanwhile; its request once it is complete."""
        ended = False
        while not ended and len(caller.said) <= LONGEST_MESSAGE and not caller.said.endswith(b"\n"):
            try:
                piece = caller.connection.recv(CHUNK)
            except BlockingIOError:
                break
            except OSError:
                ended = True
            else:
                caller.said += piece
                ended = not piece
        complete = caller.said.endswith(b"\n")
        if not (complete or ended or len(caller.said) > LONGEST_MESSAGE or self.clock() > caller.until):
            return None
        request = decode(bytes(caller.said)) if complete else None
        with contextlib.suppress(OSError):
            caller.connection.send(REFUSED if request is None else TAKEN)
        caller.connection.close()
        self._callers.remove(caller)
        return request

    def close(self) -> None:
        """Stop hearing, and leave nothing behind but the lock's empty file."""
        for caller in self._callers:
            caller.connection.close()
        self._callers.clear()
        self._listening.close()
        self.path.unlink(missing_ok=True)
        self._lock.release()


def process_behind(connection: socket.socket) -> int | None:
    """The number of the process that opened the door, where the system tells (Linux)."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    try:
        return int(struct.unpack_from("i", connection.getsockopt(socket.SOL_SOCKET, option, 12))[0]) or None
    except (OSError, struct.error):
        return None


def is_own(connection: socket.socket) -> bool:
    """Whether the process at the other end belongs to this user, as far as the system tells."""
    # (option level, option, bytes of the answer, its beginning): ucred is process, user, group; xucred version, user.
    peer = (socket.SOL_SOCKET, getattr(socket, "SO_PEERCRED", 0), 12, "2i")
    asked = {"linux": peer, "darwin": (0, 1, 76, "2I")}.get(sys.platform)
    if asked is None:
        return True  # the folder's rights stand alone where the system does not tell
    level, option, size, form = asked
    try:
        answer = connection.getsockopt(level, option, size)
        return bool(struct.unpack_from(form, answer)[1] == os.getuid())
    except (OSError, struct.error):
        return False


def hand_over(message: bytes, environment: Mapping[str, str], wake: Wake) -> bool:
    """Send the message to the window of this display; whether it was taken within `HEARING_SECONDS`."""
    found = places(environment)
    if found is None:
        return False
    end = time.monotonic() + HEARING_SECONDS
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(max(0.01, end - time.monotonic()))
            try:
                connection.connect(str(found[0]))
                if not is_own(connection):
                    return False
                connection.sendall(message)
                connection.settimeout(PATIENCE_SECONDS)
                try:
                    answer = _line(connection)
                except TimeoutError:
                    process = process_behind(connection)
                    if process is not None:
                        wake(process)
                    connection.settimeout(max(0.01, end - time.monotonic()))
                    answer = _line(connection)
                return answer == TAKEN
            except OSError as error:
                # Refused or missing while somebody holds the lock: a window that is just about to listen.
                if error.errno not in (errno.ECONNREFUSED, errno.ENOENT) or time.monotonic() >= end:
                    return False
        if _is_free(found[1]):
            return False
        time.sleep(RETRY_SECONDS)


def _line(connection: socket.socket) -> bytes:
    answer = b""
    while not answer.endswith(b"\n") and len(answer) < len(TAKEN):
        piece = connection.recv(len(TAKEN))
        if not piece:
            break
        answer += piece
    return answer


def _is_free(lock_path: Path) -> bool:
    """Whether nobody holds the lock: then there is no window to wait for."""
    lock = FileLock(lock_path, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    except (OSError, NotImplementedError):
        return True
    lock.release()
    return True
