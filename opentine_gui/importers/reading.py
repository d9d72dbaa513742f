"""What a reader returns: the run, the places of each step's records in the source, and what was not understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from opentine_gui.core import RunRecord


class Place(NamedTuple):
    """Bytes of a source: `length` bytes from `offset` in the file `path`; or rows of a database.

    These are the rows of `table` in which columns have the values of `row`; table and columns are named by the reader.
    """

    path: Path
    offset: int
    length: int
    table: str = ""
    row: tuple[tuple[str, str | int], ...] = ()


def row_at(path: Path, table: str, **columns: str | int) -> Place:
    """The place of rows of a database, by the values of some columns."""
    return Place(path, 0, 0, table, tuple(columns.items()))


@dataclass(slots=True)
class Report:
    """The outcome of reading a source: counts for `metadata.capture`, and sentences for the user.

    `skipped` counts records that make no step by type; `bad_lines` those that could not be decoded; `folded` those that
    became part of another record's step.
    """

    records: int = 0
    steps: int = 0
    folded: int = 0
    bad_lines: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    at_least: str = ""
    """Why sums of tokens and costs are lower bounds, in a sentence; "" when the counts are plausible."""
    stated: dict[str, float | int] = field(default_factory=dict)
    """What the source states of the whole run and of none of its steps: `cost_usd`, `tokens`."""

    def state(self, cost: float | None, *tokens: int | None) -> None:
        """Note what the whole run cost in US dollars, and the tokens of its parts; nothing for what is not stated."""
        counted = sum(count for count in tokens if count is not None)
        self.stated = ({"cost_usd": cost} if cost else {}) | ({"tokens": counted} if counted else {})

    def skip(self, kind: str) -> None:
        """Count a record of a type that makes no step."""
        self.skipped[kind] = self.skipped.get(kind, 0) + 1

    def remark(self, sentence: str) -> None:
        """Add a sentence about the whole source once: a missing file, a broken cycle, sums that are lower bounds."""
        if sentence not in self.remarks:
            self.remarks.append(sentence)


@dataclass(frozen=True, slots=True)
class Reading:
    """A run read from a source. `places` has the records of each step that has any, by step id, in reading order.

    `sources` are the files the run was made from, the one that was asked for first; `report` is None for `.tine` files.
    `former` maps ids that steps had before a rule of the reader changed to their present ids: notes and positions kept
    under the old ids belong to the new ones.
    """

    record: RunRecord
    places: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    sources: tuple[Path, ...] = ()
    report: Report | None = None
    former: Mapping[str, str] = field(default_factory=dict)
