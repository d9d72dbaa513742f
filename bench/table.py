"""Rows of the benchmark table: ours, the reference, the target and whether it is met; as text and as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any


class Sense(StrEnum):
    """How a target compares ours with its reference or limit."""

    FASTER = "times faster than the reference, at least"
    SHARE = "times the reference, at most"
    AT_MOST = "at most"


@dataclass(frozen=True)
class Target:
    """A target: how it compares, and its value."""

    sense: Sense
    value: float

    @property
    def text(self) -> str:
        """The target, short enough for a column."""
        number = f"{self.value:g}"
        return {Sense.FASTER: f">= {number}x", Sense.SHARE: f"<= {number} of it", Sense.AT_MOST: f"<= {number}"}[
            self.sense
        ]


def faster(times: float) -> Target:
    """At least so many times as fast as the reference."""
    return Target(Sense.FASTER, times)


def share(times: float) -> Target:
    """At most so many times the reference."""
    return Target(Sense.SHARE, times)


def at_most(value: float) -> Target:
    """At most so much, in the row's unit."""
    return Target(Sense.AT_MOST, value)


@dataclass(frozen=True)
class Row:
    """One measurement. `reference` is in the same unit and was taken in the same run; `note` adds conditions."""

    part: str
    what: str
    ours: float
    unit: str = "s"
    reference: float | None = None
    against: str = ""
    target: Target | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times faster ours is, or for a share how many times the reference it takes."""
        if not self.reference:
            return None
        if self.target is not None and self.target.sense is Sense.SHARE:
            return self.ours / self.reference
        return self.reference / self.ours if self.ours else None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without a target or without a reference to compare with."""
        if self.target is None:
            return None
        if self.target.sense is Sense.AT_MOST:
            return self.ours <= self.target.value
        if self.ratio is None:
            return None
        return self.ratio >= self.target.value if self.target.sense is Sense.FASTER else self.ratio <= self.target.value

    def document(self) -> dict[str, Any]:
        """The row as plain values."""
        return {**asdict(self), "target": self.target and self.target.text, "ratio": self.ratio, "met": self.met}


_HEADER = ("part", "what", "ours", "unit", "reference", "ratio", "target", "met", "against what, and notes")


def table(rows: Iterable[Row]) -> str:
    """The rows as aligned text."""
    lines = [_HEADER, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADER))]
    right = {2, 4, 5}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    ratio = row.ratio
    notes = "; ".join(text for text in (row.against, row.note) if text)
    met = {True: "yes", False: "NO", None: ""}[row.met]
    return (
        row.part,
        row.what,
        _number(row.ours),
        row.unit,
        "" if row.reference is None else _number(row.reference),
        "" if ratio is None else f"{ratio:.1f}x" if ratio >= 10 else f"{ratio:.2f}x",
        row.target.text if row.target else "",
        met,
        notes,
    )


def _number(value: float) -> str:
    if value == 0:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def write(path: Path, rows: Sequence[Row], *, seconds: float, versions: dict[str, str]) -> None:
    """Write the rows, the machine and the versions as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
        "processors": os.cpu_count(),
        "versions": versions,
        "seconds": round(seconds, 1),
        "rows": [row.document() for row in rows],
    }
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
