"""Tokens: what a response says it used, in disjoint buckets, and whether the log is plausible."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opentine_gui.importers.claude_code.records import Record
from opentine_gui.importers.json_lines import value_of

FEWEST_RESPONSES = 20
MOST_CHARACTERS_A_TOKEN = 8.0
"""2.5 to 6 is normal. Versions 2.1.12 to 2.1.42 kept the counts of the first event of a stream: 4 to 500."""
LARGEST = 2**53 - 1


def usage_of(records: Iterable[Record]) -> dict[str, int | float]:
    """The usage of the line with the most output tokens, as a whole: lines of one response repeat it while it grows."""
    best: dict[str, Any] = {}
    most = -1
    last = b""
    for record in records:
        raw = bytes(record.message.usage) if record.message is not None else b""
        if not raw or raw == last:
            continue
        last = raw
        usage = value_of(raw)
        if isinstance(usage, dict) and (count := _count(usage.get("output_tokens"))) is not None and count > most:
            best, most = usage, count
    if not best:
        return {}
    counters: dict[str, int | float] = {}
    for name, field in (
        ("input", "input_tokens"),
        ("output", "output_tokens"),
        ("cache_read", "cache_read_input_tokens"),
    ):
        if (count := _count(best.get(field))) is not None:
            counters[name] = count
    written = best.get("cache_creation")
    long = _count(written.get("ephemeral_1h_input_tokens")) if isinstance(written, dict) else None
    short = _count(written.get("ephemeral_5m_input_tokens")) if isinstance(written, dict) else None
    if long is None and short is None:
        short = _count(best.get("cache_creation_input_tokens"))
    for name, found in (("cache_write_5m", short), ("cache_write_1h", long)):
        if found is not None:
            counters[name] = found
    return counters


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST else None


def doubt(characters: int, tokens: int, responses: int) -> str:
    """Why the token sums of a session are lower bounds; "" when nothing speaks against them."""
    if responses < FEWEST_RESPONSES or characters <= MOST_CHARACTERS_A_TOKEN * tokens:
        return ""
    ratio = f"{characters / tokens:.0f}" if tokens else "no"
    tail = "characters for each output token" if tokens else "output tokens at all"
    return (
        f"Token counts and costs are at least what is shown: the log has {ratio} {tail} in {responses} responses, "
        "so it recorded only the beginning of each."
    )
