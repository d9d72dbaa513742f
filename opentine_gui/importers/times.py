"""Times as agents write them."""

from __future__ import annotations

from datetime import UTC, datetime


def unix_time(text: object) -> float | None:
    """Unix seconds of an ISO 8601 time, taken as UTC where it names no zone; None for anything else."""
    if not isinstance(text, str):
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
