"""A second start: it hands its files to the open window, which is found by its address and its lock."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Listener
from pathlib import Path

import pytest

from opentine_gui.app.system import single_instance
from opentine_gui.app.system.single_instance import (
    ACCEPTED,
    MOST_CALLERS,
    REFUSED,
    InstanceServer,
    address_and_lock,
    claim_instance,
    encode,
    folder_of,
    hand_over,
)
from tests.app.system.single_instance.conftest import (
    PATHS,
    Requests,
    answer,
    call,
    call_raw,
    is_usable,
    mode,
    no_wake,
    taken_while,
    until,
)


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
        cwd=Path(__file__).parents[4],
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
