"""Reads the fields of records that another program wrote: as the type a field should have, else as nothing."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import msgspec

from opentine_gui.core.model import JsonObject

LARGEST = 2**53 - 1
LONGEST_RESPONSE = 86_400.0
"""Seconds; lines of a log that are further apart say nothing about how long a response took."""
_PARSED_TEXT = 16 << 20
"""Most characters of JSON inside a text that are decoded."""


def object_of(value: object) -> JsonObject:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects_in(value: object) -> list[JsonObject]:
    """The objects in a list; none if it is not a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(value: object) -> str:
    """The value if it is text, else ""."""
    return value if isinstance(value, str) else ""


def text_in(content: object) -> str:
    """The text of a message's content: the content itself, or the `text` of its parts on separate lines."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):  # as most are
        return text_of(content[0].get("text"))
    texts = [text for part in objects_in(content) if (text := text_of(part.get("text")))]
    return texts[0] if len(texts) == 1 else "\n".join(texts)


def figure(value: object) -> int | float | None:
    """A finite number of zero or more that a step can hold, also from text; None for anything else."""
    if isinstance(value, str) and len(value) < 40:
        try:
            value = int(value) if value.strip().isdigit() else float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= LARGEST else None  # not NaN either; an integer may be too large for a float


def count(value: object) -> int | None:
    """A whole number of zero or more, fractions cut off; None for anything else. See `figure`."""
    if type(value) is int and 0 <= value <= LARGEST:  # as most are
        return value
    found = figure(value)
    return int(found) if found is not None else None


def amount(value: object) -> float | None:
    """Dollars or seconds, zero or more; None for anything else."""
    if type(value) is float and 0 <= value <= LARGEST:  # as most are
        return value
    found = figure(value)
    return float(found) if found is not None else None


def unix_time(value: object) -> float | None:
    """Unix seconds from ISO text or from seconds, milliseconds, microseconds or nanoseconds; None for anything else.

    The unit follows from the size, for dates from 1973 on. A text without a time zone is taken as UTC.
    """
    if isinstance(value, str) and value[4:5] == "-":  # an ISO date, the most common case
        return _iso_time(value)
    number = figure(value)
    if number is not None:
        number = float(number)
        for limit in (1e17, 1e14, 1e11):
            if number >= limit:
                return number / (limit / 1e8)
        return number if number > 0 else None
    if isinstance(value, str) and value.strip().isdecimal():  # nanoseconds as text are more than `figure` takes
        return int(value.strip()[:25]) / 1e9 if len(value.strip()) >= 17 else None
    if isinstance(value, int) and not isinstance(value, bool) and LARGEST < value < 10**20:
        return value / 1e9
    return _iso_time(value) if isinstance(value, str) else None


def _iso_time(value: str) -> float | None:
    if not 10 <= len(value) < 40:
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def between(start: float | None, end: float | None) -> float:
    """Seconds from start to end; 0.0 (not recorded) if one is unknown or they are in the wrong order."""
    return max(0.0, end - start) if start is not None and end is not None else 0.0


def response_seconds(start: float | None, end: float | None) -> float:
    """Seconds of a response from the times of log lines; 0.0 (not recorded) beyond `LONGEST_RESPONSE`."""
    taken = between(start, end)
    return taken if taken < LONGEST_RESPONSE else 0.0


def parsed(value: object) -> Any:
    """The object or list in a JSON text; any other value or text is returned as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[") or len(value) > _PARSED_TEXT:
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    try:
        found = json.loads(value, parse_constant=str)
    except (ValueError, RecursionError):
        return value
    return found


def as_json(value: Any) -> str:
    """A value as JSON text, as `storable` has it."""
    return json.dumps(storable(value), ensure_ascii=False)


def storable(value: Any, depth: int = 0) -> Any:
    """A value as JSON can hold it: bytes as base64, names as text, and numbers that JSON does not have as text."""
    if depth > 200:
        return "(nested deeper than 200 levels)"
    if isinstance(value, dict):
        return {
            name if isinstance(name, str) else str(name)[:200]: storable(item, depth + 1)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [storable(item, depth + 1) for item in value]
    if isinstance(value, bytes | bytearray | memoryview):
        return {"bytes": b64encode(value).decode()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**18:
        return str(value) if abs(value) < 10**4000 else "(a number of more than 4,000 digits)"
    if isinstance(value, str):
        return str(value) if value.isascii() else value.encode("utf-8", "replace").decode()
    return value if value is None or isinstance(value, bool | int | float) else str(value)[:1000]


def usage_of(
    *,
    input: object = None,
    output: object = None,
    cache_read: object = None,
    cache_write: object = None,
    reasoning: object = None,
    input_has_cache: bool = False,
    output_has_reasoning: bool = False,
) -> dict[str, int | float]:
    """Tokens in disjoint buckets; what was not recorded is left out.

    `input_has_cache`: the stated input includes what the cache read and wrote. `output_has_reasoning`: likewise.
    """
    found = {
        "input": count(input),
        "output": count(output),
        "cache_read": count(cache_read),
        "cache_write_5m": count(cache_write),
        "reasoning": count(reasoning),
    }
    if input_has_cache and found["input"] is not None:
        found["input"] = max(0, found["input"] - (found["cache_read"] or 0) - (found["cache_write_5m"] or 0))
    if output_has_reasoning and found["output"] is not None:
        found["output"] = max(0, found["output"] - (found["reasoning"] or 0))
    known: dict[str, int | float] = {name: value for name, value in found.items() if value is not None}
    return known if any(known.values()) else {}
