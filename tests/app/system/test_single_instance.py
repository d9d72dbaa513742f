"""Single instance: the message, the address, the lock, and hostile callers."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.system import single_instance
from opentine_gui.app.system.single_instance import (
    ACCEPTED,
    LONGEST_MESSAGE,
    MOST_CALLERS,
    REFUSED,
    InstanceServer,
    address_and_lock,
    claim_instance,
    decode,
    encode,
    folder_of,
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


def test_a_message_says_the_paths_it_was_made_of() -> None:
    assert decode(encode(PATHS)) == PATHS
    assert decode(encode([])) == ()


@pytest.mark.parametrize(
    "path", ["", "a.tine", "/a\0b", "/a\0/b", "/a\ud800", "/" + "a" * single_instance.LONGEST_PATH], ids=range(6)
)
def test_what_is_no_possible_path_is_not_asked_for(
    path: str, door: InstanceServer, environment: dict[str, str]
) -> None:
    with pytest.raises(ValueError):
        encode([path])
    assert taken_while(door, lambda: hand_over([path], no_wake, environment)) == (False, [])


@given(
    st.lists(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=50), max_size=20)
)
def test_any_possible_names_survive_the_message(names: list[str]) -> None:
    paths = tuple("/" + name for name in names)
    assert decode(encode(paths)) == paths


@given(
    st.one_of(
        st.binary(max_size=300), st.lists(st.binary(max_size=20)).map(lambda names: b"\0".join([b"open", *names]))
    )
)
def test_what_is_no_message_asks_for_nothing_and_what_is_one_names_absolute_paths(data: bytes) -> None:
    request = decode(data)
    assert request is None or all(os.path.isabs(path) and "\0" not in path for path in request)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\n",
        b"\0",
        b"open\n",
        b"open\0",
        b"open /a.tine",
        b"OPEN\0/a.tine",
        b"\0/a.tine",
        b"/a.tine",
        b"open\0a.tine",
        b"open\0../a.tine",
        b"open\0/a.tine\0",
        b"open\0/a.tine\0\0/b.tine",
        b"open\0/a.tine\0b.tine",
        b"open\0/" + b"a" * 9000,
        b"\0".join([b"open", *[b"/a"] * 201]),
        b"open\0" + b"\0" * 200_000,
        b"open" + b"\0/a" * LONGEST_MESSAGE,
        b'["/a.tine"]',
        b"[" * 100_000,
        b"GET / HTTP/1.1\r\n\r\n",
        bytes(range(256)) * 16,
    ],
    ids=range(22),
)
def test_a_hostile_message_is_refused_and_opens_nothing(
    message: bytes, door: InstanceServer, environment: dict[str, str]
) -> None:
    assert decode(message) is None
    if len(message) <= LONGEST_MESSAGE:  # a longer one is not even read: see below
        assert answer(door, call(door, message)) == (REFUSED, [])
    assert is_usable(door, environment)


class Trap:
    """An object whose pickle creates a file when it is loaded."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return os.mkdir, (str(self.place),)


def test_a_pickle_is_refused_and_nothing_of_it_is_executed(
    door: InstanceServer, environment: dict[str, str], tmp_path: Path
) -> None:
    place = tmp_path / "sprung"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert answer(door, call(door, pickle.dumps(Trap(place), protocol))) == (REFUSED, [])
    sender = Client(door.address)
    sender.send(Trap(place))
    assert answer(door, sender) == (REFUSED, [])
    assert not place.exists() and is_usable(door, environment)
    pickle.loads(pickle.dumps(Trap(place)))
    assert place.exists()  # the pickle does this when it is loaded


@pytest.mark.parametrize(
    "answering", [pickle.dumps(Trap(Path("/nowhere/sprung"))), b"", b"x" * 100_000, b"-1", b"no", b"9" * 21]
)
def test_a_second_start_believes_no_window_that_talks_nonsense(
    answering: bytes, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single_instance, "HEARING_SECONDS", 0.2)
    found = address_and_lock(environment)
    assert found is not None
    with Listener(found[0]) as listener:
        results: list[object] = []
        thread = threading.Thread(target=lambda: results.append(hand_over(PATHS, no_wake, environment)))
        thread.start()
        with listener.accept() as caller:
            with contextlib.suppress(OSError):  # a start that hung up at its length
                caller.send_bytes(answering)
            thread.join(LONGEST_SECONDS)
    assert results == [False]


@pytest.mark.parametrize(
    "header",
    [struct.pack("!i", LONGEST_MESSAGE + 1), struct.pack("!i", 0x7FFFFFFF), struct.pack("!iQ", -1, 2**63)],
    ids=["one byte more", "2 GB", "8 EB"],
)
def test_a_message_announced_as_too_long_is_refused_before_it_is_read(
    header: bytes, door: InstanceServer, environment: dict[str, str]
) -> None:
    assert answer(door, call_raw(door, header)) == (REFUSED, [])
    assert is_usable(door, environment)


@pytest.mark.parametrize("data", [b"\n", b"\xff" * 4, b"\x80\0\0\0", b"\xff" * 12, b'["/a.tine"]\n'], ids=range(5))
def test_garbage_that_ends_before_it_is_a_message_opens_nothing(
    data: bytes, door: InstanceServer, environment: dict[str, str]
) -> None:
    connection = call_raw(door, data)
    connection.shutdown(socket.SHUT_WR)
    assert answer(door, connection) == (REFUSED, [])
    assert is_usable(door, environment)


def test_a_message_without_end_is_cut_off_at_the_limit(door: InstanceServer) -> None:
    connection = call_raw(door, struct.pack("!i", LONGEST_MESSAGE + 1))
    sent = 0
    with connection:
        connection.setblocking(False)
        for _ in range(10_000):
            try:
                sent += connection.send(b"x" * 65536)
            except BlockingIOError:
                assert door.receive() == []
            except OSError:
                break
    assert sent < 4 * LONGEST_MESSAGE


def test_a_message_as_long_as_may_be_is_taken(door: InstanceServer, environment: dict[str, str]) -> None:
    paths = ["/" + "a" * 1200] * single_instance.MOST_PATHS
    assert LONGEST_MESSAGE * 0.9 < len(encode(paths)) <= LONGEST_MESSAGE
    assert taken_while(door, lambda: hand_over(paths, no_wake, environment)) == (True, [tuple(paths)])


def test_a_message_that_comes_in_pieces_is_put_together(door: InstanceServer) -> None:
    message = struct.pack("!i", len(encode(PATHS))) + encode(PATHS)
    connection = call_raw(door, message[:7])
    until(lambda: door.receive() or len(door._callers) == 1)
    connection.sendall(message[7:])
    assert answer(door, connection) == (ACCEPTED, [PATHS])


@pytest.mark.parametrize("said", [b"", b"\0", struct.pack("!i", 1000) + b'["/half'], ids=["nothing", "a byte", "half"])
def test_callers_who_do_not_go_on_are_cut_off_and_do_not_keep_others_out(said: bytes, door: InstanceServer) -> None:
    moment = 100.0
    door.clock = lambda: moment
    silent = [call_raw(door, said) for _ in range(MOST_CALLERS)]
    until(lambda: door.receive() or len(door._callers) == MOST_CALLERS)
    late = call(door, encode(["/late.tine"]))
    assert not late.poll(0.1)  # served only when a place is free
    moment += single_instance.HEARING_SECONDS + 0.1
    assert answer(door, late) == (ACCEPTED, [("/late.tine",)])
    for connection in silent:
        assert answer(door, connection)[0] in (REFUSED, b"")


def test_a_caller_who_says_nothing_is_hung_up_on(door: InstanceServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_instance, "HEARING_SECONDS", 0.05)
    said, requests = answer(door, call_raw(door, b""))
    assert said in (REFUSED, b"") and requests == []


def test_a_caller_who_gave_up_gets_no_document_here_as_it_opened_a_window_of_its_own(
    door: InstanceServer, environment: dict[str, str]
) -> None:
    connection = call(door, encode(PATHS))
    until(lambda: door._heard)
    connection.close()
    assert door.receive() == []
    assert is_usable(door, environment)


def test_a_second_start_hands_its_paths_over(door: InstanceServer, environment: dict[str, str]) -> None:
    assert claim_instance(environment) is None
    assert taken_while(door, lambda: hand_over(PATHS, no_wake, environment)) == (True, [PATHS])


def test_with_no_window_open_nothing_is_waited_for(environment: dict[str, str]) -> None:
    began = time.monotonic()
    assert hand_over(PATHS, no_wake, environment) is False
    assert time.monotonic() - began < single_instance.HEARING_SECONDS / 2


def test_a_window_that_is_about_to_listen_is_waited_for(environment: dict[str, str]) -> None:
    opened = claim_instance(environment)
    assert opened is not None
    assert not Path(opened.address).exists()
    assert taken_while(opened, lambda: hand_over(PATHS, no_wake, environment)) == (True, [PATHS])
    opened.close()


def test_a_window_that_does_not_answer_is_given_up(
    door: InstanceServer, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single_instance, "HEARING_SECONDS", 0.3)
    monkeypatch.setattr(single_instance, "PATIENCE_SECONDS", 0.01)
    woken: list[int] = []
    assert hand_over(PATHS, woken.append, environment) is False
    assert woken == [os.getpid()]


def test_a_process_that_stands_still_with_a_full_queue_is_given_up(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single_instance, "HEARING_SECONDS", 0.1)
    monkeypatch.setattr(single_instance, "PATIENCE_SECONDS", 0.01)
    found = address_and_lock(environment)
    assert found is not None
    with Listener(found[0], backlog=1):
        waiting = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(3)]
        for connection in waiting:  # nobody accepts; the last one finds the queue full
            connection.setblocking(False)
            connection.connect_ex(found[0])
        began = time.monotonic()
        assert hand_over(PATHS, no_wake, environment) is False
        assert time.monotonic() - began < 2.0
    for connection in waiting:
        connection.close()


def test_a_window_that_sleeps_in_its_toolkit_is_woken_and_then_answers(
    door: InstanceServer, environment: dict[str, str]
) -> None:
    taken: Requests = []
    assert hand_over(PATHS, lambda _process: until(lambda: taken.extend(door.receive()) or taken), environment) is True
    assert taken == [PATHS]


def test_each_display_has_a_window_of_its_own(door: InstanceServer, environment: dict[str, str]) -> None:
    other = claim_instance(environment | {"DISPLAY": ":78"})
    assert other is not None and other.address != door.address
    other.close()


def test_closing_makes_room_for_the_next(door: InstanceServer, environment: dict[str, str]) -> None:
    silent = call_raw(door, b"")
    door.close()
    assert not Path(door.address).exists()
    following = claim_instance(environment)
    assert following is not None
    following.close()
    silent.close()


def test_a_socket_nobody_listens_to_is_no_obstacle(environment: dict[str, str]) -> None:
    found = address_and_lock(environment)
    assert found is not None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stale:
        stale.bind(found[0])
    assert Path(found[0]).exists() and hand_over(PATHS, no_wake, environment) is False
    opened = claim_instance(environment)
    assert opened is not None
    assert is_usable(opened, environment)
    opened.close()


def test_a_killed_window_is_no_obstacle(environment: dict[str, str]) -> None:
    script = """
from opentine_gui.app.system import single_instance
door = single_instance.claim_instance()
while True:
    for request in door.receive():
        print(*request, flush=True)
"""
    program = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    found = address_and_lock(environment)
    assert found is not None
    with program:
        until(lambda: Path(found[0]).exists())
        assert claim_instance(environment) is None
        assert hand_over(["/a.tine"], no_wake, environment) is True
        assert program.stdout is not None and program.stdout.readline() == b"/a.tine\n"
        program.send_signal(signal.SIGKILL)
    assert Path(found[0]).exists() and hand_over(PATHS, no_wake, environment) is False
    opened = claim_instance(environment)
    assert opened is not None
    assert is_usable(opened, environment)
    opened.close()


def test_only_a_folder_that_is_private_to_the_user_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    open_to_all, real = tmp_path / "open", tmp_path / "real"
    open_to_all.mkdir(mode=0o755)
    real.mkdir(mode=0o700)
    link = tmp_path / "link"
    link.symlink_to(real)
    own = tmp_path / f"opentine-gui-{os.getuid()}"
    for folder in (open_to_all, link, tmp_path / "missing"):
        assert folder_of({"XDG_RUNTIME_DIR": str(folder)}) == own
    assert own.stat().st_mode & 0o777 == 0o700
    assert folder_of({"XDG_RUNTIME_DIR": str(real)}) == real
    own.chmod(0o777)
    assert folder_of({}) is None and claim_instance({}) is None


def test_a_place_too_long_for_a_socket_gives_every_start_a_window_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir(mode=0o700)
    environment = {"XDG_RUNTIME_DIR": str(folder)}
    first = claim_instance(environment)
    assert first is not None and first.receive() == []
    began = time.monotonic()
    assert hand_over(PATHS, no_wake, environment) is False
    assert time.monotonic() - began < single_instance.HEARING_SECONDS / 2
    second: list[InstanceServer] = []
    until(lambda: second.extend(filter(None, [claim_instance(environment)])) or second)
    assert first.receive() == []
    for door in (first, *second):
        door.close()


def test_the_socket_and_the_lock_belong_to_the_user_alone(door: InstanceServer) -> None:
    modes = {path.name: mode(path) for path in Path(door.address).parent.iterdir()}
    assert set(modes.values()) == {0o600} and len(modes) == 2


def test_on_windows_pipe_and_lock_are_named_after_user_and_session() -> None:
    ann = {"USERDOMAIN": "PC", "USERNAME": "Ann", "SESSIONNAME": "Console"}
    found = [address_and_lock(who, "win32") for who in (ann, ann | {"USERNAME": "Bo"}, ann | {"SESSIONNAME": "RDP"})]
    named = {(name, lock.name) for name, lock in filter(None, found)}
    assert len(named) == 3 and len({lock for _, lock in named}) == 3
    assert all(name.startswith("\\\\.\\pipe\\opentine-gui-") for name, _ in named)
    assert address_and_lock(ann, "win32") == address_and_lock(ann | {"DISPLAY": ":1"}, "win32")
