"""Listing and reading a file, or refusing it, takes at most three times its unpacked size and 100 MB."""

from __future__ import annotations

import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from opentine_gui.core import LimitError, encode
from opentine_gui.core.files import storage
from opentine_gui.core.format.container import MAGIC, write_uvarint
from tests.conftest import run_of

SIZE = 6_000_000
CHILD = """
import sys
from opentine_gui.core import TineError
from opentine_gui.importers import readers
for look in (readers.read_overview_of, readers.read_run):
    try:
        look(sys.argv[1])
    except TineError:
        pass
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


def document(**parts: str) -> bytes:
    texts = {
        "cache": "{}", "created_at": "0", "format_version": "2", "graph": '{"order":[],"steps":{}}', "manifest": "{}",
        "metadata": "{}", "policies": "{}", "refs": "{}", "run_id": '"r"', "status": '"completed"', "transcript": "[]",
    }  # fmt: skip
    return ("{" + ",".join(f'"{key}":{text}' for key, text in {**texts, **parts}.items()) + "}").encode()


def repeated(unit: str, opened: str, closed: str) -> str:
    return opened + ",".join([unit] * (SIZE // (len(unit) + 1))) + closed


def numbered(value: str, size: int) -> str:
    return "{" + ",".join(f'"{number}":{value}' for number in range(size)) + "}"


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


@pytest.mark.serial
@pytest.mark.parametrize(("kind", "packed"), [*((kind, False) for kind in DENSE), ("numbers", True), ("cache", True)])
def test_a_dense_file_is_told_from_a_run_without_unfolding_it(kind: str, packed: bool, tmp_path: Path) -> None:
    text = DENSE[kind]()
    path = tmp_path / "run.tine"
    path.write_bytes(MAGIC + b"\1" + write_uvarint(len(text)) + zlib.compress(text, 1) if packed else text)
    said = subprocess.run([sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=True)
    assert int(said.stdout) * 1024 <= 3 * len(text) + 100_000_000


def test_what_a_reader_would_refuse_beside_the_steps_is_not_saved() -> None:
    record = run_of({"a": ""})
    fits = msgspec.structs.replace(record, metadata={**record.metadata, "x": [0] * 900_000})
    assert storage.reader.decode(encode(fits)).metadata["x"] == [0] * 900_000
    with pytest.raises(LimitError, match="beside its steps"):
        encode(msgspec.structs.replace(record, metadata={**record.metadata, "x": [0] * 1_100_000}))
