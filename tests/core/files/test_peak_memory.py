"""Listing and reading a file, or refusing it, takes at most three times its unpacked size and 100 MB."""

from __future__ import annotations

import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest

from opentine_gui.core import FormatError, Graph, LimitError, StepKind, encode
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.files import storage
from opentine_gui.core.format.checks import FEWEST_KEYS_ALLOWED, MOST_NAMED
from opentine_gui.core.format.container import MAGIC, write_uvarint
from tests.conftest import run_of

SIZE = 6_000_000
SERVER = """
import os, sys
from opentine_gui.core import TineError
from opentine_gui.importers import readers
for path in sys.stdin:
    if os.fork() == 0:
        for look in (readers.read_overview_of, readers.read_run):
            try:
                look(path.rstrip())
            except TineError:
                pass
        with open("/proc/self/status") as status:
            print(next(line.split()[1] for line in status if line.startswith("VmHWM")), flush=True)
        os._exit(0)
    if os.wait()[1]:
        print("the reader died", flush=True)
"""
"""Looks at one file after the other, each in a process of its own, which is one that has just been started."""


@pytest.fixture(scope="module")
def peak() -> Iterator[Callable[[Path], int]]:
    """The most bytes that a process had in memory which listed and read a file."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        stdin, stdout = server.stdin, server.stdout
        assert stdin is not None and stdout is not None

        def of(path: Path) -> int:
            stdin.write(f"{path}\n")
            stdin.flush()
            return int(stdout.readline()) * 1024

        yield of
        stdin.close()
    keys.cache_clear()
    numbers.cache_clear()


def document(**parts: str) -> bytes:
    texts = {
        "cache": "{}", "created_at": "0", "format_version": "2", "graph": '{"order":[],"steps":{}}', "manifest": "{}",
        "metadata": "{}", "policies": "{}", "refs": "{}", "run_id": '"r"', "status": '"completed"', "transcript": "[]",
    }  # fmt: skip
    return ("{" + ",".join(f'"{key}":{text}' for key, text in {**texts, **parts}.items()) + "}").encode()


def repeated(unit: str, opened: str, closed: str) -> str:
    return opened + ",".join([unit] * (SIZE // (len(unit) + 1))) + closed


def numbered(value: str, size: int) -> str:
    return "{" + ",".join([f'"{number}":{value}' for number in range(size)]) + "}"


DENSE: dict[str, Callable[[], bytes]] = {
    "numbers": lambda: document(metadata=repeated("0", '{"x":[', "]}")),
    "lists": lambda: document(metadata=repeated("[]", '{"x":[', "]}")),
    "steps": lambda: document(graph='{"order":[],"steps":' + numbered("{}", SIZE // 12) + "}"),
    "cache": lambda: document(cache=numbered("{}", SIZE // 12)),
    "order": lambda: document(graph='{"order":' + repeated('"a"', "[", "]") + ',"steps":{}}'),
    "turns that are numbers": lambda: document(transcript=repeated("1000", "[", "]")),
    "a list in a step": lambda: document(cache='{"x":{"logits":' + repeated("-0.25", "[", "]") + "}}"),
    "millions of keys": lambda: document(metadata=numbered("     0", 4 * SIZE // 12)),
    "millions of numbers": lambda: document(metadata='{"x":[' + ",".join(["1.5"] * SIZE) + "]}"),
    "brackets": lambda: b"[" * SIZE,
    "commas in a text": lambda: document(metadata='{"x":"' + "[,:{" * (SIZE // 4) + '"}'),
    "texts": lambda: document(metadata=repeated('""', '{"x":[', "]}")),
}

WIDE = 2 * SIZE
"""Bytes of the files in which one value is wide."""


def step(inputs: str = "{}", beside: str = "") -> str:
    said = f'"cost":0,"duration":0,"error":{{}},"id":"a","inputs":{inputs},"kind":"think","model_info":0,{beside}'
    return f'{{"order":["a"],"steps":{{"a":{{{said}"outputs":{{}},"timestamp":0,"tool_info":{{}}}}}}}}'


@cache
def keys(value: str, width: int) -> str:
    """An object of `WIDE` bytes whose members take `width` bytes each."""
    return "{" + ",".join([f'"{number}":{value}'.ljust(width - 1) for number in range(WIDE // width)]) + "}"


def items(value: str, width: int) -> str:
    return "[" + ",".join([value.ljust(width - 1)] * (WIDE // width)) + "]"


DENSE |= {
    "keys of a step": lambda: document(graph=step(keys("0", 12))),
    "keys beside a step's": lambda: document(graph=step(beside=keys("0", 12)[1:-1] + ",")),
    "keys in the cache": lambda: document(cache='{"x":' + keys("0", 12) + "}"),
    "keys of a turn": lambda: document(transcript="[" + keys("0", 12) + "]"),
    "keys beside the steps": lambda: document(graph=keys("0", 12)[:-1] + ',"order":[],"steps":{}}'),
    "keys in a part beside the steps": lambda: document(graph='{"x":' + keys("0", 12) + ',"order":[],"steps":{}}'),
    "counters": lambda: document(graph=step(beside='"usage":' + keys("1", 12) + ",")),
    "bills": lambda: document(graph=step(beside='"billing":{"x":' + items("[1,2]", 17) + "},")),
    "objects in a step": lambda: document(graph=step('{"x":' + items('{"a":1}', 17) + "}")),
    "lists in a step": lambda: document(graph=step('{"x":' + items("[1,2]", 17) + "}")),
    "texts in a step": lambda: document(graph=step('{"x":' + items('1,""', 8) + "}")),
    "causes": lambda: document(graph=step(beside='"causal_ids":' + items('"b"', 5) + ",")),
    "parents": lambda: document(graph=step(beside='"parent_ids":' + items('"b"', 5) + ",")),
    "turns": lambda: document(transcript=items("{}", 12)),
    "what is no step": lambda: document(graph='{"order":[],"steps":' + keys("{}", 17) + "}"),
}


@pytest.mark.parametrize(("kind", "packed"), [*((kind, False) for kind in DENSE), ("numbers", True), ("cache", True)])
def test_a_dense_file_is_told_from_a_run_without_unfolding_it(
    kind: str, packed: bool, tmp_path: Path, peak: Callable[[Path], int]
) -> None:
    text = DENSE[kind]()
    path = tmp_path / "run.tine"
    path.write_bytes(MAGIC + b"\1" + write_uvarint(len(text)) + zlib.compress(text, 1) if packed else text)
    assert peak(path) <= 3 * len(text) + 100_000_000


def test_what_a_reader_would_refuse_beside_the_steps_is_not_saved() -> None:
    record = run_of({"a": ""})
    fits = msgspec.structs.replace(record, metadata={**record.metadata, "x": [0] * 900_000})
    assert storage.reader.decode(encode(fits)).metadata["x"] == [0] * 900_000
    with pytest.raises(LimitError, match="beside its steps"):
        encode(msgspec.structs.replace(record, metadata={**record.metadata, "x": [0] * 1_100_000}))


@cache
def numbers(count: int) -> dict[str, int]:
    return {str(number): 0 for number in range(count)}


@pytest.mark.parametrize(
    "where", ["inputs", "deep", "cache", "own keys of the cache", "transcript", "policies", "graph"]
)
def test_an_object_of_more_keys_than_a_reader_accepts_is_neither_made_nor_saved(where: str) -> None:
    def run(count: int) -> bytes:
        record = run_of({"a": ""})
        if where in ("inputs", "deep"):
            inputs = numbers(count) if where == "inputs" else {"x": [1, {"y": numbers(count)}]}
            made = new_step(StepKind.THINK, inputs, [], timestamp=1.0)
            return encode(msgspec.structs.replace(record, graph=Graph.of([made]), refs={}))
        part = {
            "cache": {"cache_text": msgspec.json.encode({"x": numbers(count)})},
            "own keys of the cache": {"cache_text": msgspec.json.encode(numbers(count))},
            "transcript": {"transcript_text": msgspec.json.encode([numbers(count)])},
            "policies": {"policies": numbers(count)},
            "graph": {"graph_extra": {"x": numbers(count)}},
        }[where]
        return encode(msgspec.structs.replace(record, **part))

    assert len(storage.reader.decode(run(FEWEST_KEYS_ALLOWED)).graph) == 1
    with pytest.raises(LimitError, match=r"200,000 keys|accepts 200,000"):
        run(FEWEST_KEYS_ALLOWED + 1)


def test_a_step_that_names_more_steps_than_a_reader_accepts_is_not_made() -> None:
    made = new_step(StepKind.THINK, {}, [], timestamp=1.0, causal_ids=["b"] * MOST_NAMED)
    Graph.of([made])
    with pytest.raises(LimitError, match="other steps"):
        Graph.of([msgspec.structs.replace(made, causal_ids=("b",) * (MOST_NAMED + 1))])


def test_what_may_have_many_keys_is_an_object_that_is_long_all_the_same() -> None:
    record = run_of({"a": ""})
    entries = {f"{number:064x}": {"value": "x" * 80} for number in range(FEWEST_KEYS_ALLOWED + 1000)}
    whole = encode(msgspec.structs.replace(record, cache_text=msgspec.json.encode(entries)))
    assert len(storage.reader.decode(whole).cache) == len(entries)


def test_a_key_given_twice_is_found_in_what_is_long() -> None:
    wide = ",".join(f'"\\u0041{number}":0' for number in range(40_000))
    assert storage.reader.decode(document(graph=step("{" + wide + "}"))).graph.step("a").inputs["A7"] == 0
    with_short = f'{{"x":[0,{{{wide}}},{{"a":1,"a":2}}]}}'
    for twice in (f'{{{wide},"A7":0}}', f'{{"x":[{{{wide},"A7":0}}]}}', with_short):
        with pytest.raises(FormatError, match="twice"):
            storage.reader.decode(document(graph=step(twice)))
