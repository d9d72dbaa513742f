"""The orders in which the list of runs can stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path

from msgspec.structs import replace

from opentine_gui.app.folder.run_rows import RunSummary, in_natural_order, status_of
from opentine_gui.core import Fingerprint

ORDERS = {
    "family": "By family",
    "changed": "Changed last",
    "name": "Name",
    "begun": "Begun last",
    "status": "Status",
    "failures": "Most failures",
    "cost": "Highest cost",
    "duration": "Longest",
    "steps": "Most steps",
}
"""What the orders are called; the first is the family tree."""
SHORT = {**{order: order for order in ORDERS}, "duration": "time"}
"""What they are called in the heading of the list."""

_FAILED_FIRST = ("failed", "error", "interrupted", "running")


def changed_at(row: RunSummary, files: Mapping[Path, Fingerprint]) -> float:
    """When the file of a row was changed, in Unix seconds; 0 if that is not known."""
    known = files.get(row.path)
    return known.modified_ns / 1e9 if known is not None else 0.0


def figure_of(row: RunSummary, order: str) -> float | None:
    """The figure by which an order sorts a row; None where it is not recorded, which is not 0."""
    match order:
        case "begun":
            return row.created_at or None
        case "failures":
            return row.failures
        case "cost":
            return row.cost
        case "duration":
            return row.duration or None
        case _:
            return None if row.unreadable else row.steps


def _highest_first(figure: float | None) -> tuple[bool, float]:
    unknown = figure is None or isnan(figure)
    return (unknown, 0.0 if figure is None or unknown else -figure)


def in_order(rows: Sequence[RunSummary], order: str, files: Mapping[Path, Fingerprint]) -> Sequence[RunSummary]:
    """The rows of the family tree in another order: all side by side then, as a fork may be far from its source."""
    if order not in ORDERS or order == "family":
        return rows

    def name(row: RunSummary) -> tuple[object, ...]:
        return (in_natural_order(row.title or row.path.stem), row.path.name)

    def key(row: RunSummary) -> tuple[object, ...]:
        if order == "changed":
            return (-changed_at(row, files), *name(row))
        if order == "status":
            status = "cannot be read" if row.unreadable else status_of(row)
            rank = _FAILED_FIRST.index(status) if status in _FAILED_FIRST else len(_FAILED_FIRST)
            return (rank, status, *name(row))
        return name(row) if order == "name" else (*_highest_first(figure_of(row, order)), *name(row))

    return [replace(row, depth=0) if row.depth else row for row in sorted(rows, key=key)]
