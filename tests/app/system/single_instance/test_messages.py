"""Messages of second starts: what one says, and hostile ones, which open nothing."""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import struct
import threading
from collections.abc import Callable
from multiprocessing.connection import Client, Listener
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.system import single_instance
from opentine_gui.app.system.single_instance import (
    ACCEPTED,
    LONGEST_MESSAGE,
    REFUSED,
    InstanceServer,
    address_and_lock,
    decode,
    encode,
    hand_over,
)
from tests.app.system.single_instance.conftest import (
    LONGEST_SECONDS,
    PATHS,
    answer,
    call,
    call_raw,
    is_usable,
    no_wake,
    taken_while,
    until,
)


def test_a_message_says_the_paths_it_was_made_of() -> None:
    assert decode(encode(PATHS)) == PATHS
    assert decode(encode([])) == ()


@pytest.mark.parametrize(
    "path", ["", "a.tine", "/a\0b", "/a\0/b", "/a\ud800", "/" + "a" * single_instance.LONGEST_PATH], ids=range(6)
)
def test_what_is_not_a_possible_path_is_not_asked_for(
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
def test_what_is_not_a_message_asks_for_nothing_and_what_is_one_names_absolute_paths(data: bytes) -> None:
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
