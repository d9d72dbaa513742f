"""Whether a file is a session log of Claude Code, from how it begins."""

from __future__ import annotations

from typing import Any

import msgspec

from opentine_gui.importers.json_lines import BYTE_ORDER_MARK

LINES = 64
ABOUT_THE_SESSION = frozenset(
    (
        "summary",
        "ai-title",
        "custom-title",
        "last-prompt",
        "permission-mode",
        "mode",
        "file-history-snapshot",
        "queue-operation",
        "agent-name",
        "agent-setting",
        "pr-link",
        "tag",
        "worktree-state",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "cost-state",
        "tools-used",
        "atis-latch",
    )
)
"""Types of lines without a uuid with which a session can begin."""
CHAIN = ("user", "assistant", "system", "attachment", "progress")


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a session log of Claude Code.

    Its first lines are linked by uuid and hold messages of Anthropic's API; Qwen Code's have `parts` in them.
    """
    found = 0.0
    for line in head.removeprefix(BYTE_ORDER_MARK).split(b"\n")[:LINES]:
        record = _object(line)
        if record is None:
            continue
        kind = record.get("type")
        if not isinstance(kind, str):
            continue
        if kind in CHAIN and "uuid" in record and ("parentUuid" in record or "sessionId" in record):
            message = record.get("message")
            if isinstance(message, dict):
                return 0.95 if "parts" not in message else 0.0
            found = max(found, 0.8)
        elif kind in ABOUT_THE_SESSION and (
            "sessionId" in record or "leafUuid" in record or kind.startswith(("file-history", "api-"))
        ):
            found = max(found, 0.7)
    return found or _cut(head)


def _cut(head: bytes) -> float:
    """As `recognise`, for a first line longer than the head: the names in it decide."""
    if b"\n" in head or not head.lstrip(BYTE_ORDER_MARK).startswith(b"{"):
        return 0.0
    return 0.6 if all(name in head for name in (b'"parentUuid"', b'"sessionId"', b'"isSidechain"')) else 0.0


def _object(line: bytes) -> dict[str, Any] | None:
    if not line.startswith(b"{"):
        return None
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
