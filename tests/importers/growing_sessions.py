"""Compares readings, and reads a file that grows line by line in two ways: as it grows, and whole each time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from opentine_gui.core.errors import TineError
from opentine_gui.importers.reading import Reading

COLUMNS = ("kinds", "costs", "cost_states", "durations", "timestamps", "tokens", "failed", "causal", "v3_kinds")


class Growing(Protocol):
    """What reads one source again and again."""

    def read(self) -> Reading:
        """The source as it is now."""


def said(reading: Reading) -> dict[str, Any]:
    """All that a reading says, to be compared."""
    record, graph = reading.record, reading.record.graph
    return {
        "ids": list(graph.ids),
        "parents": list(graph.parents),
        "records": [bytes(raw) for raw in graph.raws],
        **{name: getattr(graph.columns, name) for name in COLUMNS},
        "refs": record.refs,
        "metadata": record.metadata,
        "status": record.status,
        "about": (record.run_id, record.created_at, record.title),
        "places": dict(reading.places),
        "sources": reading.sources,
        "report": reading.report,
    }


def outcome(read: Callable[[], Reading]) -> object:
    """What a reading says, or that there is none."""
    try:
        return said(read())
    except TineError as error:
        return type(error)


def check_growth(path: Path, growing: Growing, whole: Callable[[], Reading], first: int = 0) -> None:
    """Write a file again line by line, from its first `first` lines on; both ways of reading say the same each time."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:first]))
    for number, line in enumerate(lines[first:], first):
        with path.open("ab") as file:
            file.write(line)
        expected, found = outcome(whole), outcome(growing.read)
        if found != expected and isinstance(found, dict) and isinstance(expected, dict):
            different = [name for name in expected if found[name] != expected[name]]
            raise AssertionError(f"{path.name}, line {number + 1} of {len(lines)}: {different} differ")
        assert found == expected, f"{path.name}, line {number + 1} of {len(lines)}"
