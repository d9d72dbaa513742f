"""The records of a step as its source has them: the bytes or rows at its places, read again, with their places."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from opentine_gui.app.inspect.reading import reader
from opentine_gui.core.errors import TineError
from opentine_gui.describe.numbers import counted
from opentine_gui.importers.reading import Place
from opentine_gui.importers.sources.packed import piece_of
from opentine_gui.scene.text.clean import clean

MOST_RECORDS = 200
LONGEST = 4 << 20
"""Bytes of a record that are read."""


def source_sections(places: Sequence[Place]) -> tuple[reader.Section, ...]:
    """A section for each record of a step, headed by file and offset; a sentence for what cannot be read (in a job)."""
    found = [_section(place) for place in places[:MOST_RECORDS]]
    if len(places) > MOST_RECORDS:
        found.append(reader.Section(f"{counted(len(places) - MOST_RECORDS, 'more record')} not shown.", role="faint"))
    return tuple(found) or (
        reader.Section("No bytes stand for this step alone: it was put together from several records."),
    )


def _rows(place: Place) -> reader.Section:
    """The rows of a database."""
    from opentine_gui.importers.frameworks.rows import rows_at  # in a job: no window has to wait for a reader

    heading = f"{clean(place.path.name, 120)}, table {place.table}"
    try:
        found = rows_at(place)
    except TineError as error:
        gone = "It is not there any more." if not os.path.exists(place.path) else str(error)
        return reader.Section(f"{place.path}: {gone}", heading, role="bad")
    if not found:
        return reader.Section("The row is not there any more: it was deleted since it was read.", heading, role="bad")
    return reader.Section(found[0] if len(found) == 1 else found, heading, note=counted(len(found), "row"), opened=True)


def _section(place: Place) -> reader.Section:
    if place.table:
        return _rows(place)
    heading = f"{clean(place.path.name, 120)}, offset {place.offset:,}"
    if place.length <= 0:
        value: Any = f"This step was put together from {clean(place.path.name, 120)} as a whole."
        return reader.Section(value, clean(place.path.name, 120), role="faint")
    note = f"{place.length:,} bytes"
    try:
        data = piece_of(place.path, place.offset, min(place.length, LONGEST))
    except TineError as error:
        gone = "It is not there any more." if not os.path.exists(place.path) else str(error)
        return reader.Section(f"{place.path}: {gone}", heading, role="bad")
    if len(data) < min(place.length, LONGEST):
        return reader.Section(
            "The source was cut or replaced since it was read: nothing stands here now.", heading, role="bad"
        )
    try:
        return reader.Section(msgspec.json.decode(data), heading, note=note, opened=True)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        text = data.decode("utf-8", "replace")
    if place.length > LONGEST:
        return reader.Section(text, heading, note=f"the first {LONGEST:,} of {place.length:,} bytes", opened=True)
    if place.path.name.endswith((".jsonl", ".json")):
        said = "The source was changed since it was read: what stands at this place is no whole record."
        return reader.Section(f"{said}\n\n{text}", heading, role="bad")
    return reader.Section(text, heading, note=note, opened=True)


def source_path(path: Path) -> str:
    """A path as the user knows it, with the home folder as ~."""
    home = os.path.expanduser("~")
    text = str(path)
    return clean(f"~{text[len(home) :]}" if home != "/" and text.startswith(home + os.sep) else text, 600)
