"""One window: the message, the place, the lock, and callers that mean no good."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app import instance, instance_unix
from opentine_gui.app.instance import LONGEST_MESSAGE, MOST_CALLERS, REFUSED, TAKEN, decode, encode
from opentine_gui.app.instance_unix import UnixDoor, folder_of, hand_over, open_door, places
from opentine_gui.app.instance_windows import pipe_name

PATHS = ("/home/a/run.tine", "/home/a/sp ace/b.tine#0ab1", "/home/ä/走.tine", "/home/a/\udcff.tine")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A session of its own: a runtime folder and a display."""
    folder = tmp_path / "r"
    folder.mkdir(mode=0o700)
    return {"XDG_RUNTIME_DIR": str(folder), "DISPLAY": ":77"}


@pytest.fixture
def door(environment: dict[str, str]) -> Iterator[UnixDoor]:
    """The door of an open window."""
    opened = open_door(environment)
    assert opened is not None
    yield opened
    opened.close()


def call(door: UnixDoor, data: bytes, *, hang_up: bool = True) -> socket.socket:
    """Connect and say something; what is answered can be read from the socket."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(5)
    connection.connect(str(door.path))
    connection.sendall(data)
    if hang_up:
        connection.shutdown(socket.SHUT_WR)
    return connection


def no_wake(process: int) -> None:
    """Nobody has to be woken."""
    raise AssertionError(f"process {process} was to be woken")


def taken_while(door: UnixDoor, work: Callable[[], object]) -> tuple[object, list[tuple[str, ...]]]:
    """(what `work` answers in a thread, what the door took meanwhile)."""
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(work()))
    thread.start()
    requests = []
    while thread.is_alive():
        requests += door.take()
        thread.join(0.001)
    return answers[0], requests + door.take()


def test_a_message_says_the_paths_it_was_made_of() -> None:
    assert decode(encode(PATHS)) == PATHS
    assert decode(encode([])) == ()


@given(
    st.lists(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=50), max_size=20)
)
def test_any_possible_names_survive_the_message(names: list[str]) -> None:
    paths = tuple("/" + name for name in names)
    assert decode(encode(paths)) == paths


@given(st.one_of(st.binary(max_size=300), st.text(max_size=80).map(lambda text: json.dumps([text]).encode() + b"\n")))
def test_what_is_no_message_asks_for_nothing_and_what_is_one_names_absolute_paths(data: bytes) -> None:
    request = decode(data)
    assert request is None or all(os.path.isabs(path) and "\0" not in path for path in request)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\n",
        b'["/a.tine"]',  # no end
        b'{"open": "/a.tine"}\n',
        b'"/a.tine"\n',
        b'["a.tine"]\n',
        b'["../a.tine"]\n',
        b'[""]\n',
        b"[1]\n",
        b"[null]\n",
        b'[["/a.tine"]]\n',
        b'["/a\\u0000b"]\n',
        b'["/a\\ud800b"]\n',
        '["/ä"]\n'.encode(),
        b"[" * 100_000 + b"\n",
        b'["/' + b"a" * 9000 + b'"]\n',
        json.dumps(["/a"] * 201).encode() + b"\n",
        b" " * LONGEST_MESSAGE + b"[]\n",
    ],
    ids=range(18),
)
def test_a_hostile_message_is_refused_and_opens_nothing(message: bytes, door: UnixDoor) -> None:
    assert decode(message) is None
    connection = call(door, message[: LONGEST_MESSAGE // 2] if len(message) > LONGEST_MESSAGE else message)
    assert door.take() == []
    with connection:
        assert connection.recv(10) == REFUSED
    answer, requests = taken_while(door, lambda: hand_over_to(door, ["/still.tine"]))
    assert (answer, requests) == (True, [("/still.tine",)])


def hand_over_to(door: UnixDoor, paths: list[str]) -> bool:
    """Hand paths to a door as the program does, by the environment that leads to it."""
    return hand_over(encode(paths), {"XDG_RUNTIME_DIR": str(door.path.parent), "DISPLAY": ":77"}, no_wake)


def test_a_message_without_end_is_cut_off_at_the_limit(door: UnixDoor) -> None:
    connection = call(door, b"", hang_up=False)
    connection.setblocking(False)
    sent = 0
    for _ in range(10_000):
        try:
            sent += connection.send(b"x" * 65536)
        except BlockingIOError:
            assert door.take() == []
        except OSError:
            break
    connection.close()
    assert LONGEST_MESSAGE < sent < 4 * LONGEST_MESSAGE


def test_a_message_that_comes_in_pieces_is_put_together(door: UnixDoor) -> None:
    message = encode(PATHS)
    with call(door, message[:7], hang_up=False) as connection:
        assert door.take() == []
        connection.sendall(message[7:])
        assert door.take() == [PATHS]
        assert connection.recv(10) == TAKEN


def test_callers_who_say_nothing_are_cut_off_and_do_not_keep_others_out(door: UnixDoor) -> None:
    moment = 100.0
    door.clock = lambda: moment
    silent = [call(door, b"", hang_up=False) for _ in range(MOST_CALLERS)]
    assert door.take() == []
    with call(door, encode(["/late.tine"])) as late:
        assert door.take() == []  # heard only when there is room
        moment += instance.HEARING_SECONDS + 0.1
        assert door.take() == []
        assert door.take() == [("/late.tine",)]
        assert late.recv(10) == TAKEN
    for connection in silent:
        connection.close()


def test_a_second_start_hands_its_paths_over(door: UnixDoor, environment: dict[str, str]) -> None:
    assert open_door(environment) is None
    answer, requests = taken_while(door, lambda: hand_over(encode(PATHS), environment, no_wake))
    assert (answer, requests) == (True, [PATHS])


def test_with_no_window_open_nothing_is_waited_for(environment: dict[str, str]) -> None:
    began = time.monotonic()
    assert hand_over(encode(PATHS), environment, no_wake) is False
    assert time.monotonic() - began < instance.HEARING_SECONDS / 2


def test_a_window_that_does_not_answer_is_given_up(
    door: UnixDoor, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instance_unix, "HEARING_SECONDS", 0.05)
    monkeypatch.setattr(instance_unix, "PATIENCE_SECONDS", 0.01)
    woken: list[int] = []
    assert hand_over(encode(PATHS), environment, woken.append) is False
    assert woken == [os.getpid()]


def test_a_window_that_sleeps_in_its_toolkit_is_woken_and_then_answers(
    door: UnixDoor, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instance_unix, "PATIENCE_SECONDS", 0.01)
    taken: list[tuple[str, ...]] = []
    assert hand_over(encode(PATHS), environment, lambda _process: taken.extend(door.take())) is True
    assert taken == [PATHS]


def test_each_display_has_a_window_of_its_own(door: UnixDoor, environment: dict[str, str]) -> None:
    other = open_door(environment | {"DISPLAY": ":78"})
    assert other is not None and other.path != door.path
    other.close()


def test_closing_makes_room_for_the_next(door: UnixDoor, environment: dict[str, str]) -> None:
    door.close()
    assert not door.path.exists()
    following = open_door(environment)
    assert following is not None
    following.close()


def test_a_socket_nobody_listens_to_is_no_obstacle(environment: dict[str, str]) -> None:
    found = places(environment)
    assert found is not None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stale:
        stale.bind(str(found[0]))
    assert found[0].exists() and hand_over(encode(PATHS), environment, no_wake) is False
    opened = open_door(environment)
    assert opened is not None
    opened.close()


def test_a_killed_window_is_no_obstacle(environment: dict[str, str]) -> None:
    script = (
        "from opentine_gui.app import instance; d = instance.open_door(); print(d is not None, flush=True); input()"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    with program:
        assert program.stdout is not None and program.stdout.readline() == b"True\n"
        assert open_door(environment) is None
        program.send_signal(signal.SIGKILL)
    found = places(environment)
    assert found is not None and found[0].exists()
    opened = open_door(environment)
    assert opened is not None
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
    assert folder_of({}) is None and open_door({}) is None


def test_a_place_too_long_for_a_socket_gives_a_window_without_a_door(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir(mode=0o700)
    assert open_door({"XDG_RUNTIME_DIR": str(folder)}) is None
    assert hand_over(encode(PATHS), {"XDG_RUNTIME_DIR": str(folder)}, no_wake) is False


def test_the_socket_and_the_lock_belong_to_the_user_alone(door: UnixDoor) -> None:
    modes = {path.name: path.stat().st_mode & 0o777 for path in door.path.parent.iterdir()}
    assert set(modes.values()) == {0o600} and len(modes) == 2


def test_a_pipe_on_windows_is_named_after_user_and_session() -> None:
    ann = {"USERDOMAIN": "PC", "USERNAME": "Ann", "SESSIONNAME": "Console"}
    assert pipe_name(ann).startswith("\\\\.\\pipe\\opentine-gui-")
    assert len({pipe_name(ann), pipe_name(ann | {"USERNAME": "Bo"}), pipe_name(ann | {"SESSIONNAME": "RDP"})}) == 3
