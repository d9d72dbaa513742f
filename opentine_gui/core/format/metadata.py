"""What a run says of itself in its metadata: its tags, and what it was forked, merged or imported from.

The metadata may hold anything: a value of another type than the one named here counts as none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from opentine_gui.core.model import JsonObject

UNVERIFIED = "unverified"
"""The key in the metadata under which a run says which runs it was made from that did not verify."""
MOST_MARKS = 50
"""The largest number of such runs that are noted."""


class Lineage(msgspec.Struct, frozen=True):
    """The origin of a run: the fork or merge in its metadata."""

    forked_from: str | None = None
    fork_point: str | None = None
    fork: JsonObject | None = None
    merge: JsonObject | None = None


def lineage_of(metadata: JsonObject) -> Lineage:
    """The fork and merge records in the metadata."""
    fork, merge = metadata.get("fork"), metadata.get("merge")
    return Lineage(
        forked_from=text_of(metadata.get("forked_from")) or None,
        fork_point=text_of(metadata.get("fork_point")) or None,
        fork=fork if isinstance(fork, dict) else None,
        merge=merge if isinstance(merge, dict) else None,
    )


def is_import(metadata: JsonObject) -> bool:
    """Whether a run's metadata say that it was made from another program's log."""
    capture = metadata.get("capture")
    return isinstance(capture, dict) and capture.get("method") == "transcript-import"


def import_format(metadata: JsonObject) -> str:
    """The format of the log that a run was made from, as its importer calls it; "" for any other run."""
    capture = metadata.get("capture")
    return text_of(capture.get("source_format")) if is_import(metadata) and isinstance(capture, dict) else ""


def at_least_in(metadata: JsonObject) -> str:
    """Why sums of tokens and costs are lower bounds, as the importer of a log found; "" when they hold."""
    capture = metadata.get("capture")
    return text_of(capture.get("at_least")) if isinstance(capture, dict) else ""


def marks_in(metadata: JsonObject) -> list[JsonObject]:
    """What the metadata says of runs it was made from that did not verify; other values than objects are left out."""
    marks = metadata.get(UNVERIFIED)
    return [mark for mark in marks if isinstance(mark, dict)] if isinstance(marks, list) else []


def set_marks(metadata: JsonObject, marks: Iterable[JsonObject]) -> None:
    """Write the marks into the metadata, each once; without any the metadata stays as it is."""
    kept: list[JsonObject] = []
    for mark in marks:
        if mark not in kept and len(kept) < MOST_MARKS:
            kept.append(mark)
    if kept:
        metadata[UNVERIFIED] = kept


def source_run_ids(metadata: JsonObject) -> tuple[str, ...]:
    """Ids of the runs it was forked or merged from, according to its metadata, each once."""
    found = [text_of(metadata.get("forked_from"))]
    merge = metadata.get("merge")
    sources = merge.get("sources") if isinstance(merge, dict) else None
    for source in sources if isinstance(sources, list) else ():
        if isinstance(source, dict):
            found.append(text_of(source.get("run_id")))
    return tuple(dict.fromkeys([run_id for run_id in found if run_id]))


def normalised_tags(tags: Any) -> list[str]:
    """Tags stripped, lower-cased and sorted, without empty ones and duplicates (docs/FORMAT.md, section 3.3)."""
    if isinstance(tags, str):
        tags = [tags]
    if not isinstance(tags, list | tuple | set | frozenset):
        return []
    cleaned = {tag.strip().lower() for tag in tags if isinstance(tag, str)}
    return sorted(cleaned - {""})


def text_of(value: Any) -> str:
    """The value if it is text, else ""."""
    return value if isinstance(value, str) else ""
