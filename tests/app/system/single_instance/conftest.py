"""An open window that listens for second starts, and callers of all kinds."""

from __future__ import annotations

import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Client, Connection
from pathlib import Path

import pytest

from opentine_gui.app.system.single_instance import (
    InstanceServer,
    claim_instance,
    hand_over,
)

PATHS = ("/home/a/run.tine", "/home/a/sp ace/b.tine#0ab1", "/home/ä/走.tine", "/home/a/\udcff.tine")
LONGEST_SECONDS = 20.0


Requests = list[tuple[str, ...]]


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """A desktop session of its own: a runtime folder and a display.

    The folder's name is short, as that of a real one: the address of a socket has room for 107 bytes.
    """
    with tempfile.TemporaryDirectory(prefix="r") as folder:
        yield {"XDG_RUNTIME_DIR": folder, "DISPLAY": ":77"}


@pytest.fixture
def door(environment: dict[str, str]) -> Iterator[InstanceServer]:
    """The server of an open window, listening."""
    opened = claim_instance(environment)
    assert opened is not None
    listen(opened)
    yield opened
    opened.close()


def listen(door: InstanceServer) -> None:
    """Start listening, and wait until callers can connect."""
    until(lambda: door.receive() == [] and Path(door.address).exists() and mode(door.address) == 0o600)


def mode(path: str | Path) -> int:
    """The permissions of a file."""
    return Path(path).stat().st_mode & 0o777


def until(condition: Callable[[], object]) -> None:
    """Wait for a condition that another thread or process makes true."""
    end = time.monotonic() + LONGEST_SECONDS
    while not condition():
        assert time.monotonic() < end
        threading.Event().wait(0.001)


def call(door: InstanceServer, message: bytes) -> Connection:
    """Connect and send a message."""
    connection = Client(door.address)
    connection.send_bytes(message)
    return connection


def call_raw(door: InstanceServer, data: bytes) -> socket.socket:
    """Connect and send raw bytes, which need not be a message of the transport."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(LONGEST_SECONDS)
    connection.connect(door.address)
    connection.sendall(data)
    return connection


def answer(door: InstanceServer, connection: Connection | socket.socket) -> tuple[bytes, Requests]:
    """(the window's answer to a caller, b"" if it hung up; the requests received meanwhile)."""
    if isinstance(connection, socket.socket):
        connection = Connection(connection.detach())
    requests: Requests = []
    said = []
    with connection:
        try:
            while len(said) < 2:
                until(lambda: requests.extend(door.receive()) or connection.poll())
                said.append(connection.recv_bytes())
        except (EOFError, ConnectionError):
            said.append(b"")
    return said[-1], requests


def no_wake(process: int) -> None:
    """Nobody has to be woken."""
    raise AssertionError(f"process {process} was to be woken")


def taken_while(door: InstanceServer, work: Callable[[], object]) -> tuple[object, Requests]:
    """(the result of `work` in a thread, the requests received meanwhile)."""
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(work()))
    thread.start()
    requests = []
    while thread.is_alive():
        requests += door.receive()
        thread.join(0.001)
    return answers[0], requests + door.receive()


def is_usable(door: InstanceServer, environment: dict[str, str]) -> bool:
    """Whether a second start can still hand over its paths."""
    found = taken_while(door, lambda: hand_over(["/still.tine"], no_wake, environment))
    return found == (True, [("/still.tine",)])
