"""Sessions of other programs in which whatever is said is one text, read as they are opened."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from opentine_gui.core import TineError
from opentine_gui.importers import readers
from tests.attack.files.importer_lines import samples
from tests.attack.slow.told_run import PIECE

LARGEST = 40_000
_SPACE = re.compile(r"[ \n]")
Replace = Callable[[str], str]


@cache
def recorded() -> dict[str, tuple[str, bytes, int]]:
    """(name, content, number of texts in it) by format: of the recordings that are JSON and short, the longest."""
    found: dict[str, tuple[str, bytes, int]] = {}
    for form, name, data in sorted(samples(), key=lambda sample: len(sample[2])):
        if data[:1] in b"[{" and (len(data) <= LARGEST or form not in found):
            counted: list[str] = []
            _with_texts(data, lambda text, counted=counted: counted.append(text) or text)
            found[form] = name, data, len(counted)
    return found


def targets() -> dict[str, Callable[[str], object]]:
    """What reads a text as each of these programs records it, where it is still known with a long text in it."""
    found: dict[str, Callable[[str], object]] = {}
    for form, (_, _, count) in recorded().items():
        with suppress(TineError):
            if count:
                read(form, "a " * PIECE)
                found[f"read {form}"] = partial(read, form)
    return found


def read(form: str, text: str) -> None:
    """Read such a session; of a long text as many as there are pieces of it, as a format is known by its beginning."""
    name, data, count = recorded()[form]
    piece = text[:PIECE]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(_with_texts(data, lambda _text: piece))
        for _ in range(max(1, len(text) // (PIECE * count))):
            readers.read_source(path)


def _with_texts(data: bytes, replace: Replace) -> bytes:
    try:
        return _dumped(_replaced(json.loads(data), replace))
    except ValueError:  # a line each
        return b"".join(_dumped(_replaced(json.loads(line), replace)) + b"\n" for line in data.splitlines() if line)


def _dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _replaced(value: Any, replace: Replace) -> Any:
    """A value in which other texts stand where somebody says something: names and times have no space in them.

    What is JSON in a text, as arguments often are, stays JSON.
    """
    if isinstance(value, dict):
        return {key: _replaced(item, replace) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, replace) for item in value]
    if not isinstance(value, str) or not _SPACE.search(value.strip()):
        return value
    if value[:1] in "{[":
        try:
            return _dumped(_replaced(json.loads(value), replace)).decode()
        except ValueError:
            pass
    return replace(value)
