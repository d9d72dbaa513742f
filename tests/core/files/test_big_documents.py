"""Documents read in slices: the same result as when read whole, whatever the layout, and linear growth."""

from __future__ import annotations

import gc
import json
import time
import tracemalloc
import weakref
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from bench.generate import agent_run, branching_run, linear_run
from opentine_gui.core import Cancelled, FormatError, RunRecord, read, verify, write
from opentine_gui.core.files import reader
from opentine_gui.core.files.slices import SMALLEST_SPLIT
from opentine_gui.core.format.checks import DuplicateKey

COUNT = 4000


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return branching_run(COUNT)


@pytest.fixture(scope="module")
def text(record: RunRecord) -> bytes:
    text = reader.encode(record)
    assert len(text) > SMALLEST_SPLIT
    return text


@pytest.fixture(scope="module")
def huge() -> bytes:
    text = reader.encode(linear_run(COUNT, payload=1600))
    assert len(text) > 8 * 1024 * 1024
    return text


def same(left: RunRecord, right: RunRecord) -> bool:
    return (
        left.graph.ids == right.graph.ids
        and left.graph.parents == right.graph.parents
        and left.graph.costs == right.graph.costs
        and left.graph.tokens == right.graph.tokens
        and left.graph.kinds == right.graph.kinds
        and left.refs == right.refs
    )


def test_slices_give_what_the_whole_gives(record: RunRecord, text: bytes) -> None:
    fractions: list[float] = []
    sliced = reader.decode(text, progress=fractions.append)
    assert len(fractions) > 8
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    whole = reader.decode(msgspec.json.format(text, indent=-1))
    assert same(sliced, record)
    assert same(whole, record)
    assert reader.encode(sliced) == reader.encode(whole) == text
    assert verify(sliced).ok
    assert verify(whole).ok


@pytest.mark.parametrize(
    "relayout",
    [
        lambda value: json.dumps(value, indent=2),
        lambda value: json.dumps(value, indent=4, sort_keys=True),
        lambda value: json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).replace("\n", "\r\n"),
        lambda value: json.dumps(value, indent=2, sort_keys=True).replace("\n      }", "\n      \n      }"),
        lambda value: json.dumps(value, indent=2, sort_keys=True).replace('"inputs": {', '"inputs": {\n      '),
    ],
)
def test_other_layouts_of_the_same_document_read_the_same(
    relayout: Callable[[object], str], record: RunRecord, text: bytes
) -> None:
    again = reader.decode(relayout(json.loads(text)).encode())
    assert same(again, record)
    assert reader.encode(again) == text


def test_a_decoy_of_the_steps_in_another_place_is_not_taken_for_them(text: bytes, record: RunRecord) -> None:
    value = json.loads(text)
    decoy = {"graph": {"steps": {"x": {"id": "x"}}}, "manifest": {}}
    value["cache"] = decoy
    value["extra"] = decoy
    value["transcript"] = [decoy]
    body = json.dumps(value, indent=2, sort_keys=True)
    for opening in ('\n    "graph": {', '\n      "graph": {'):
        body = body.replace(opening, '\n  "graph": {')
    body = body.replace('\n      "steps": {\n', '\n    "steps": {\n')
    again = reader.decode(body.encode())
    assert same(again, record)
    assert again.cache == decoy


def test_reading_stops_between_slices_when_asked(text: bytes) -> None:
    asked = iter([False] * 3 + [True] * 100)
    with pytest.raises(Cancelled):
        reader.decode(text, cancelled=lambda: next(asked))


@pytest.mark.serial
def test_no_slice_of_the_work_takes_long(huge: bytes) -> None:
    times: list[float] = []
    reader.decode(huge, progress=lambda _: times.append(time.thread_time()))
    longest = max(after - before for before, after in pairwise(times))
    assert longest < 0.4 * (times[-1] - times[0])


def test_a_broken_step_in_a_big_document_is_named(huge: bytes) -> None:
    value = json.loads(huge)
    identity = value["graph"]["order"][COUNT // 2]
    value["graph"]["steps"][identity]["cost"] = -1
    with pytest.raises(FormatError, match=identity[:12]):
        reader.decode(json.dumps(value, indent=2, sort_keys=True).encode(), path="big.tine")


def test_a_step_stored_twice_is_refused(huge: bytes) -> None:
    start = huge.index(b'\n    "steps": {\n') + len(b'\n    "steps": {')
    end = huge.index(b"\n      },\n", start) + len(b"\n      },")
    twice = huge[:end] + huge[start:end] + huge[end:]
    with pytest.raises(DuplicateKey):
        reader.decode(twice)
    close = b'\n    }\n  },\n  "manifest"'
    with pytest.raises(DuplicateKey):
        reader.decode(huge.replace(close, b"," + huge[start : end - 1] + close))


@pytest.fixture(scope="module", params=[5, 3_000, 9_000], ids=["small", "in slices", "above 8 MB"])
def real_text(request: pytest.FixtureRequest) -> bytes:
    return reader.encode(agent_run(request.param))


@pytest.mark.parametrize(
    ("key", "again"),
    [
        ('"cost": ', '"cost": '),  # of a step
        ('"number": ', '"number": '),  # in its inputs
        ('"role": ', '"role": '),  # deeper
        ('"number": ', '"n\\u0075mber": '),  # in another spelling
        ('"step_id": ', '"step_id": '),  # in the transcript
        ('"provenance": ', '"provenance": '),  # in the cache
        ('"resume": ', '"resume": '),  # in the manifest
        ('"status": ', '"status": '),  # of the document
        ('"order": ', '"order": '),  # of the graph
    ],
)
@pytest.mark.parametrize("layout", ["the package's", "minified"])
def test_a_key_given_twice_is_refused_at_every_size(real_text: bytes, key: str, again: str, layout: str) -> None:
    assert real_text.count(key.encode()) > 0
    place = real_text.rindex(key.encode())
    doubled = real_text[:place] + again.encode() + b"7, " + real_text[place:]
    if layout == "minified":
        doubled = msgspec.json.format(doubled, indent=-1)
    with pytest.raises(DuplicateKey, match=key.split('"')[1]):
        reader.decode(doubled)


def test_a_member_before_the_graph_may_have_steps_of_its_own(text: bytes, record: RunRecord, tmp_path: Path) -> None:
    value = json.loads(text)
    value["cache"] = {"steps": {"x": {"id": "x"}}, "graph": {"steps": {"y": {"id": "y"}}}}
    body = json.dumps(value, indent=2, sort_keys=True).encode()
    assert body.index(b'\n    "steps": {\n') < body.index(b'\n  "graph": {\n')
    told: list[float] = []
    again = reader.decode(body, progress=told.append)
    assert same(again, record)
    assert again.cache == value["cache"]
    assert len(told) > 8, "read as a whole"
    path = tmp_path / "run.tine"
    path.write_bytes(body)
    assert same(read(path), record)


@pytest.mark.parametrize("first", ["transcript", "metadata", "manifest", "status"])
def test_members_may_stand_in_any_order(text: bytes, record: RunRecord, first: str) -> None:
    value = json.loads(text)
    value["metadata"]["steps"] = {"graph": {"steps": {"x": {}}}}
    value = {first: value[first], "graph": value["graph"], **value}
    assert same(reader.decode(json.dumps(value, indent=2).encode()), record)


def test_a_number_too_large_is_refused_at_every_size(real_text: bytes) -> None:
    for number in (b"1e999", b"-1E+400", b"1" * 400 + b".5"):
        with pytest.raises(FormatError, match="number"):
            reader.decode(real_text.replace(b'"number": ', b'"large": [%b], "number": ' % number, 1))
    integer = reader.decode(real_text.replace(b'"number": ', b'"large": [%b], "number": ' % (b"1" * 400), 1))
    assert len(integer.graph)


def test_real_text_reads_the_same_in_slices_and_as_a_whole(real_text: bytes) -> None:
    sliced, whole = reader.decode(real_text), reader.decode(msgspec.json.format(real_text, indent=-1))
    assert same(sliced, whole)
    assert reader.encode(sliced) == reader.encode(whole) == real_text
    assert verify(sliced).ok


def test_an_open_document_takes_at_most_three_times_its_file(tmp_path: Path) -> None:
    path = write(tmp_path / "run.tine", linear_run(COUNT))
    size = path.stat().st_size
    tracemalloc.start()
    try:
        opened = read(path)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(opened.graph) == COUNT
    assert held < 3 * size
    assert peak < 4 * size + 100 * 1024 * 1024


def test_a_document_is_freed_by_reference_count(text: bytes) -> None:
    """The application sets large documents aside from the garbage collector, so none may hold a circle."""
    document = reader.decode(text)
    gone = weakref.ref(document.graph)
    gc.collect()
    gc.disable()
    try:
        verify(document)
        document.graph.step(0)
        del document
        assert gone() is None
    finally:
        gc.enable()
