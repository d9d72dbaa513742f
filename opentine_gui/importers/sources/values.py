"""Values of records that somebody else wrote: each comes out as the type that is asked for, or as nothing."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

LARGEST_WHOLE = 1 << 53
MILLISECONDS_FROM = 1e11
"""Numbers from here on count milliseconds, not seconds, since 1970."""


def text_of(value: Any) -> str:
    """The text, or "" when it is none."""
    return value if isinstance(value, str) else ""


def object_of(value: Any) -> dict[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def objects_in(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; whatever else is in it is left out."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def whole(value: Any) -> int | None:
    """A count, None when it is no whole number from 0 to 2**53."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST_WHOLE:
        return None  # so is NaN; an integer may be too large for a float
    return int(value) if value == int(value) else None


def amount(value: Any) -> float | None:
    """A number of zero or more, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def seconds(value: Any) -> float | None:
    """Unix seconds of an ISO time or of a number of seconds or milliseconds; None when it is neither."""
    number = amount(value)
    if number is not None:
        return number / 1000 if number >= MILLISECONDS_FROM else number
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def parsed(text: str) -> Any:
    """What a text of JSON holds; the text itself when it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text


def text_in(content: Any) -> str:
    """The text of a message's content: a text, or its parts with a `text`, each on lines of its own."""
    if isinstance(content, str):
        return content
    return "\n".join(text for part in objects_in(content) if (text := text_of(part.get("text"))))


def shown_path(path: Path) -> str:
    """The path with the home folder as ~, as a run's record of its source has it."""
    whole_path = path.absolute()
    try:
        return f"~/{whole_path.relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):  # it lies elsewhere, or the user has no home
        return str(whole_path)
