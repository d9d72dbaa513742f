"""Hostile and broken files: they load as the package loads them, or give one TineError, in bounded time and memory."""

from __future__ import annotations

import json
import time
import tracemalloc
import zlib
from contextlib import suppress
from pathlib import Path

import pytest

from opentine_gui.core import LimitError, TineError, read, verify
from opentine_gui.core.files import legacy
from opentine_gui.core.files.reader import decode
from opentine_gui.core.format.container import MAGIC, write_uvarint

DATA = Path(__file__).parents[2] / "data" / "bad"
EXPECTED = json.loads((DATA / "expected.json").read_text())

WE_REFUSE = {
    "fv_0.tine": "the package takes version 0 with a graph for an old file and loads no steps at all",
}
WE_READ = {
    "leg_no_type_marker.tine": "0.1.0 itself and the articles write flat files without the marker",
    "leg_timestamp_iso.tine": "the articles show ISO times",
}


def outcome(path: Path) -> TineError | None:
    try:
        read(path)
    except TineError as error:
        return error
    return None


def test_every_expected_file_is_here() -> None:
    assert len(EXPECTED) == 600
    assert [name for name in EXPECTED if not (DATA / name).exists()] == []


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_file_loads_or_is_refused_as_the_package_does(name: str) -> None:
    package_reads = EXPECTED[name]["load"] == "ok"
    error = outcome(DATA / name)
    if name in WE_REFUSE:
        assert package_reads
        assert error is not None, WE_REFUSE[name]
    elif name in WE_READ:
        assert not package_reads
        assert error is None, WE_READ[name]
    else:
        assert (error is None) == package_reads, str(error)
    if error is not None:
        assert str(DATA / name) in str(error), "an error names its file"


@pytest.mark.parametrize("name", sorted(name for name, found in EXPECTED.items() if found["load"] == "ok"))
def test_digest_verdict_is_the_package_s(name: str) -> None:
    if name in WE_REFUSE:
        with pytest.raises(TineError):
            verify(DATA / name)
        return
    found = verify(DATA / name)
    said = EXPECTED[name]["verify"]
    reason = found.digest.reason
    assert said.startswith("ok") == (reason == "ok")
    if reason != "ok":
        assert reason.split(" .tine")[0] in said


def shell(**changes: bytes) -> bytes:
    parts = {
        "cache": b"{}",
        "created_at": b"1.5",
        "format_version": b"2",
        "graph": b'{"order":[],"steps":{}}',
        "manifest": b"{}",
        "metadata": b"{}",
        "policies": b"{}",
        "refs": b"{}",
        "run_id": b'"x"',
        "status": b'"running"',
        "transcript": b"[]",
    }
    parts.update(changes)
    return b"{" + b",".join(b'"%b":%b' % (key.encode(), value) for key, value in parts.items()) + b"}"


HEAVY = {
    "brackets": shell(cache=b'{"a":' + b"[" * 2_000_000 + b"]" * 2_000_000 + b"}"),
    "objects": shell(cache=b'{"a":' * 400_000 + b"1" + b"}" * 400_000),
    "many small lists": shell(transcript=b"[" + b"[]," * 1_300_000 + b"[]]"),
    "many keys": shell(metadata=b"{" + b",".join(b'"%d":0' % number for number in range(400_000)) + b"}"),
    "one long number": shell(metadata=b'{"a":' + b"7" * 4_000_000 + b"}"),
    "one long fraction": shell(metadata=b'{"a":0.' + b"7" * 4_000_000 + b"}"),
    "quotes": shell(metadata=b'{"a":"' + b'\\"' * 2_000_000 + b'"}'),
    "surrogates": shell(metadata=b'{"a":"' + b"\\ud83d\\ude00" * 300_000 + b'"}'),
    "half a pair after many": shell(metadata=b'{"a":"' + b"\\ud83d\\ude00" * 300_000 + b"\\ud83d" + b'"}'),
    "backslashes": shell(metadata=b'{"a":"\\ud83d' + b"\\\\" * 1_000_000 + b'"}'),
    "an unfinished text of quotes": shell(metadata=b'{"a":"' + b'\\"' * 1_000_000),
    "brackets in texts": shell(metadata=b'{"a":["' + b'","'.join([b"[[[{" * 200] * 2_000) + b'"]}'),
    "doubled keys in many objects": shell(transcript=b"[" + b",".join([b'{"\\u0061":1,"b":{"a":1}}'] * 100_000) + b"]"),
    "deep and long": shell(metadata=b'{"a":' * 500 + b'"' + b"x" * 4_000_000 + b'"' + b"}" * 500),
    "digits in a text": shell(metadata=b'{"a":"' + b"7" * 4_000_000 + b'"}'),
    "unfinished": shell()[:-1] + b"," * 4_000_000,
    "spaces": shell() + b" " * 4_000_000,
    "same key": shell(metadata=b"{" + b",".join([b'"a":0'] * 400_000) + b"}"),
}


@pytest.mark.serial
@pytest.mark.parametrize("name", sorted(HEAVY))
def test_heavy_hostile_text_is_read_or_refused_in_bounded_time_and_memory(name: str) -> None:
    data = HEAVY[name]
    started = time.process_time()
    with suppress(TineError):
        verify(decode(data))
    assert time.process_time() - started < 2.0
    tracemalloc.start()
    with suppress(TineError):
        decode(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * len(data) + 100 * 1024 * 1024


def test_nesting_is_allowed_up_to_512_containers_and_no_further() -> None:
    def nested(levels: int) -> bytes:
        return shell(metadata=b'{"a":' * (levels - 1) + b"1" + b"}" * (levels - 1))

    assert decode(nested(512)).run_id == "x"
    with pytest.raises(LimitError, match="512"):
        decode(nested(513))


def test_long_integers_are_refused_only_outside_texts_and_fractions() -> None:
    long = b"1" * 5000
    with pytest.raises(LimitError, match="4096"):
        decode(shell(metadata=b'{"a":%b}' % long))
    assert decode(shell(metadata=b'{"a":"%b"}' % long)).run_id == "x"
    assert decode(shell(metadata=b'{"a":0.%b}' % long)).run_id == "x"
    assert decode(shell(metadata=b'{"a":%b}' % (b"1" * 4096))).run_id == "x"


def test_a_compressed_bomb_is_refused_before_it_is_inflated() -> None:
    frame = zlib.compress(b" " * 10_000_000)
    bomb = MAGIC + b"\x01" + write_uvarint(240 * 1024 * 1024) + frame
    tracemalloc.start()
    try:
        with pytest.raises(LimitError, match="1000 times"):
            decode(bomb)
        assert tracemalloc.get_traced_memory()[1] < 1024 * 1024
    finally:
        tracemalloc.stop()


def test_a_stream_longer_than_declared_is_not_inflated_further() -> None:
    frame = zlib.compress(b" " * 50_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(TineError, match="longer"):
            decode(MAGIC + b"\x01" + write_uvarint(1000) + frame)
        assert tracemalloc.get_traced_memory()[1] < 1024 * 1024
    finally:
        tracemalloc.stop()


def test_steps_of_format_0_that_hold_nothing_are_addressed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    addressed: list[tuple[object, ...]] = []
    one = legacy.read_step_id
    monkeypatch.setattr(legacy, "read_step_id", lambda *given: addressed.append(given) or one(*given))
    empty = [*[{}] * 3000, *({"cost": number, "id": str(number)} for number in range(3000))]
    filled = [{"inputs": {"text": "a"}}, {"inputs": {"text": "b"}, "parent_id": "7"}]
    record = decode(json.dumps({"run_id": "r", "steps": empty + filled}, indent=4).encode())
    assert len(addressed) == len(record.graph) == 3
    assert record.graph.parents[-1] == (0,)
