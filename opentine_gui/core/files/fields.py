"""Type checks of a document's top-level fields, on reading and before writing (docs/FORMAT.md, section 3)."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from opentine_gui.core.errors import FormatError
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import JsonObject, RunStatus

NEWEST_VERSION = 2
KNOWN_KEYS = frozenset(
    (
        "cache",
        "created_at",
        "draft",
        "format_version",
        "graph",
        "manifest",
        "metadata",
        "policies",
        "refs",
        "run_id",
        "status",
        "transcript",
    )
)
_PROMPTS = ("model_info", "system_prompt", "user_prompt")


def version_of(top: dict[str, msgspec.Raw]) -> int | None:
    """The format version, 1 or 2; None for a document without one. FormatError for other versions."""
    value = msgspec.json.decode(top["format_version"]) if "format_version" in top else None
    if value is None:
        return None
    if type(value) is int and value in (1, NEWEST_VERSION):
        return value
    newer = "; a newer opentine wrote it" if type(value) is int and value > NEWEST_VERSION else ""
    raise FormatError(
        f"the format version is {str(value)[:40]}, this reader knows 1 and 2{newer}", place="format_version"
    )


def require_all(top: dict[str, msgspec.Raw]) -> None:
    """FormatError if one of the eleven required keys is missing."""
    for key in sorted(KNOWN_KEYS - {"draft"}):
        if key not in top:
            raise FormatError(f"the document has no {key}", place=key)


def value_of(raw: msgspec.Raw, place: str, shape: type) -> Any:
    """The decoded value, which must be an instance of `shape`. FormatError."""
    value = msgspec.json.decode(raw)
    if not isinstance(value, shape):
        raise FormatError(f"the {place} has a wrong shape", place=place)
    return value


def run_id_of(raw: msgspec.Raw) -> str:
    """The decoded run id: a string that is not empty. FormatError."""
    return checked_run_id(msgspec.json.decode(raw))


def checked_run_id(value: Any) -> str:
    """The run id if it can be stored. FormatError."""
    if not isinstance(value, str):
        raise FormatError("the run_id has a wrong shape", place="run_id")
    if not value:
        raise FormatError("the run id is empty", place="run_id")
    return value


def status_of(raw: msgspec.Raw) -> RunStatus:
    """The decoded run status. FormatError."""
    value = msgspec.json.decode(raw)
    if not isinstance(value, str) or value not in RunStatus.__members__.values():
        states = ", ".join(RunStatus)
        raise FormatError(f"the status {str(value)[:40]!r} is not one of {states}", place="status")
    return RunStatus(value)


def time_of(raw: msgspec.Raw) -> int | float:
    """The decoded time in Unix seconds, as the int or float it is. FormatError unless it is a finite number."""
    return checked_time(msgspec.json.decode(raw))


def checked_time(value: Any) -> int | float:
    """The time of creation if it can be stored: a finite number. FormatError."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise FormatError("the time of creation is not a number", place="created_at")
    try:
        finite = math.isfinite(value)
    except OverflowError as error:
        raise FormatError("the time of creation is too large", place="created_at") from error
    if not finite:
        raise FormatError("the time of creation is not a finite number", place="created_at")
    return value


def checked_object(value: Any, place: str) -> JsonObject:
    """The value if it is a dict. FormatError."""
    if not isinstance(value, dict):
        raise FormatError(f"the {place} has a wrong shape", place=place)
    return value


def checked_refs(refs: JsonObject, graph: Graph) -> dict[str, str]:
    """The refs if every target is a step of the graph or "". FormatError."""
    for name, target in refs.items():
        if not isinstance(target, str) or (target and target not in graph):
            raise FormatError(f"the ref {name[:40]!r} points to no step of the run", place="refs")
    return refs


def check_texts(metadata: JsonObject, manifest: JsonObject) -> None:
    """FormatError if a prompt, a tag or the model's name is not a string (docs/FORMAT.md, sections 3.3 and 3.4)."""
    for key in _PROMPTS:
        if not isinstance(metadata.get(key, ""), str):
            raise FormatError(f"the {key} is not text", place=f"metadata.{key}")
    tags = metadata.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise FormatError("the tags are not a list of texts", place="metadata.tags")
    model = manifest.get("model")
    if model is not None and (not isinstance(model, dict) or not isinstance(model.get("name", ""), str)):
        raise FormatError("the model is not an object with a name that is text", place="manifest.model")
