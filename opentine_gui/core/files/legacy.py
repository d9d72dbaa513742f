"""Migrates older documents: format 0, the articles' flat array, format 1 (docs/FORMAT.md, sections 2 and 8)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from opentine_gui.core.errors import FormatError
from opentine_gui.core.format.canonical import read_step_id
from opentine_gui.core.format.source import SourceFormat
from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.core.record import MAIN

TOOL = "opentine-gui"


def is_flat(document: JsonObject) -> bool:
    """Whether a document is flat: format 0, or the array in the articles."""
    return (
        document.get("format_version") is None
        and isinstance(document.get("steps"), list)
        and "graph" not in document
        and document.get("type", "Run") == "Run"
    )


def migrate_flat(document: JsonObject) -> tuple[JsonObject, dict[str, str], SourceFormat]:
    """(format 2 document, new ids by old id, source format). FormatError if a field has the wrong type."""
    records: dict[str, JsonObject] = {}
    order: list[str] = []
    renamed: dict[str, str] = {}
    article = document.get("type") != "Run"
    addressed = _Addresses()
    for number, step in enumerate(document["steps"]):
        if not isinstance(step, dict):
            continue
        place = f"steps[{number}]"
        article = article or isinstance(step.get("timestamp"), str)
        record = _migrate_step(step, renamed, place, addressed)
        identity = record["id"]
        old = step.get("id")
        if isinstance(old, str):
            renamed[old] = identity
        elif old is not None and not isinstance(old, int | float):
            raise FormatError("a step's id is not text", place=place)
        if identity not in records:
            order.append(identity)
        records[identity] = record
    metadata = document.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise FormatError("the metadata is not an object", place="metadata")
    metadata = {key: value for key, value in metadata.items() if key != "integrity"}
    for key in ("model_info", "system_prompt", "user_prompt"):
        given = document.get(key, "")
        metadata.setdefault(key, given if isinstance(given, str) else "")
    metadata["migration"] = [
        {"from": 0, "to": 1, "tool": TOOL, "note": "article-flat-import" if article else "0.1.0-linear-import"}
    ]
    migrated = {
        "run_id": document.get("id") or document.get("run_id"),
        "created_at": _seconds(document.get("created_at"), "created_at"),
        "status": document.get("status", "completed"),
        "format_version": 1,
        "graph": {"order": order, "steps": records},
        "refs": {MAIN: order[-1] if order else ""},
        "metadata": metadata,
        "transcript": document.get("transcript", []),
        "manifest": document.get("manifest", {}),
        "policies": document.get("policies", {}),
        "cache": document.get("cache", {}),
    }
    return migrate_1(migrated), renamed, "article" if article else "0"


def migrate_1(document: JsonObject) -> JsonObject:
    """Migrate format 1 to 2: new version and migration note, without digest and signature, which covered format 1."""
    metadata = {key: value for key, value in document["metadata"].items() if key != "integrity"}
    notes = metadata.get("migration")
    metadata["migration"] = [*(notes if isinstance(notes, list) else []), {"from": 1, "to": 2, "tool": TOOL}]
    return {**document, "format_version": 2, "metadata": metadata}


class _Addresses:
    """The content addresses of a document's steps; steps without inputs and outputs share a cached address.

    Millions of empty steps fit in a file: hashing each of 495,000 steps `{}` in 6 MB took 13 s.
    """

    def __init__(self) -> None:
        self._empty: dict[tuple[str, str, str], str] = {}

    def of(self, record: JsonObject, above: str) -> str:
        """The address of a record, whose parent is `above`, if that is not ""."""
        kind, inputs, outputs, model = record["kind"], record["inputs"], record["outputs"], record["model_info"]
        if inputs or outputs or not isinstance(model, str):
            return read_step_id(kind, inputs, record["parent_ids"], outputs, model)
        known = self._empty.get((kind, above, model))
        if known is None:
            known = read_step_id(kind, inputs, record["parent_ids"], outputs, model)
            self._empty[(kind, above, model)] = known
        return known


_KINDS = frozenset(kind.value for kind in StepKind)


def _migrate_step(step: JsonObject, renamed: dict[str, str], place: str, addressed: _Addresses) -> JsonObject:
    kind = step.get("kind", "think")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise FormatError(f"a step has the unknown kind {str(kind)[:40]!r}", place=place)
    parent = step.get("parent_id")
    above = renamed.get(parent) if isinstance(parent, str) else None
    inputs, outputs = step.get("inputs") or {}, step.get("outputs") or {}
    if not isinstance(inputs, dict) or not isinstance(outputs, dict):
        raise FormatError("a step's inputs and outputs must be objects", place=place)
    record: JsonObject = {
        "kind": kind,
        "inputs": inputs,
        "outputs": outputs,
        "model_info": step.get("model_info", ""),
        "tool_info": {},
        "error": {},
        "parent_ids": [above] if above else [],
        "timestamp": _seconds(step.get("timestamp"), place, ".timestamp"),
        "duration": _number(step.get("duration"), place, ".duration"),
        "cost": _number(step.get("cost"), place, ".cost"),
    }
    record["id"] = addressed.of(record, above or "")
    return record


def _number(value: Any, place: str, field: str = "") -> float:
    try:
        return float(value or 0)
    except (TypeError, ValueError, OverflowError) as error:
        raise FormatError("a number is missing", place=place + field, cause=error) from error


def _seconds(value: Any, place: str, field: str = "") -> float:
    """Unix seconds of a number or an ISO 8601 text; UTC if the text has no zone."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            pass
        try:
            moment = datetime.fromisoformat(value)
        except ValueError as error:
            raise FormatError("a time is neither a number nor an ISO time", place=place + field, cause=error) from error
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return _number(value, place, field)
