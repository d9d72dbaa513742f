"""What the files of new sessions have in common: ids that carry the time, times as text, records as lines."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from opentine_gui.core.errors import EditError
from opentine_gui.core.model import JsonObject
from opentine_gui.export.sessions.continuation import Continuation
from opentine_gui.importers.reading import Place

CLOSED = "This call had no result at the point where the session was forked."
"""The result given to a call that has none at the step that is continued."""
BEGINS_ANEW = "Nothing of the model's stands before this prompt: it begins a new session."


def timed_id(wish: Continuation) -> str:
    """A UUID of version 7 (RFC 9562): the time in milliseconds, then the random part of a UUID from the request."""
    time = f"{int(wish.now * 1000) & (1 << 48) - 1:012x}"
    return f"{time[:8]}-{time[8:]}-7{wish.new_id()[15:]}"


def time_of(wish: Continuation) -> str:
    """The time of the request as agents write it: 2026-01-31T12:00:00.000Z."""
    return datetime.fromtimestamp(wish.now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def lines_of(records: Iterable[JsonObject]) -> bytes:
    """Records as lines of JSON."""
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


def places_of(wish: Continuation) -> tuple[Place, ...]:
    """The places of the step's own records. EditError if it has none."""
    places = tuple(place for place in wish.reading.places.get(wish.step, ()) if place.length > 0)
    if not places:
        raise EditError("the session's file holds no record of this step")
    return places


def changed(path: Path) -> EditError:
    """The error for a source that is not what was read."""
    return EditError("the session's file has changed since it was read: open it again", path=path)


def prompt_words(prompt: str) -> tuple[str, ...]:
    """A prompt as arguments, with a separator before one that begins like an option."""
    return ("--", prompt) if prompt.startswith("-") else (prompt,) if prompt else ()


def closed_calls(count: int, instead: str = "an error result") -> list[str]:
    """A sentence about calls that had no result where the new session ends; nothing if there are none."""
    if not count:
        return []
    calls, place = ("call has", "its place") if count == 1 else ("calls have", "place of each")
    return [f"{count} {calls} no result at this point: {instead} is written in {place}."]
