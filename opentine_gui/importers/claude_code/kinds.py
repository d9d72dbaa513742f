"""What a line of a session log is: a prompt, a part of an answer, results, an interruption, or bookkeeping."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from opentine_gui.importers.claude_code.content import plain_text
from opentine_gui.importers.claude_code.records import Record


class Kind(Enum):
    """What a line counts as."""

    PROMPT = auto()
    COMMAND = auto()
    """A slash command: a prompt if its expansion follows, else handled without the model."""
    EXPANSION = auto()
    """Text that Claude Code adds in the user's name: the prompt that a slash command expands to, else a notice."""
    ANSWER = auto()
    RESULTS = auto()
    NOTICE = auto()
    """What reaches the model like a prompt but not from the user: news of a background task, another agent's message,
    the text of a skill, the words of a hook that did not let a turn end."""
    INTERRUPTION = auto()
    API_ERROR = auto()
    RETRY = auto()
    BOUNDARY = auto()
    SUMMARY = auto()
    TURN_END = auto()
    PASSED_OVER = auto()
    """Bookkeeping: its children count as children of its parent."""


COMMAND = ("<command-name>", "<command-message>")
NOTICES = ("<task-notification", "<teammate-message", "<agent-notification")
CONTINUED = "Continue from where you left off."
"""What Claude Code sends when an interrupted session is resumed."""
INTERRUPTED = "[Request interrupted"
NOT_TYPED = (
    "<local-command-",
    "<bash-",
    "<user-memory-input>",
    "Caveat:",
    "<system-reminder",
)
"""Beginnings of text that the log attributes to the user but Claude Code made."""
NO_ANSWER = "No response requested."
SYNTHETIC = "<synthetic>"
NOTICE_ORIGINS = ("task_notification", "task-notification", "teammate")
TURN_ENDS = ("turn_duration", "stop_hook_summary")


def kind_of(record: Record) -> Kind:
    """What a line with a `uuid` is."""
    if record.type == "assistant":
        return _kind_of_answer(record)
    if record.type == "user":
        return _kind_of_user(record)
    if record.type == "system":
        if record.subtype == "compact_boundary":
            return Kind.BOUNDARY
        if record.subtype == "api_error":
            return Kind.RETRY
        return Kind.TURN_END if record.subtype in TURN_ENDS else Kind.PASSED_OVER
    if record.type == "attachment" and record.attachment is not None and record.attachment.type == "queued_command":
        text = plain_text(record.blocks)
        if record.attachment.command_mode == "task-notification" or text.lstrip().startswith(NOTICES):
            return Kind.NOTICE
        return Kind.PROMPT if text.strip() else Kind.PASSED_OVER
    return Kind.PASSED_OVER


def _kind_of_answer(record: Record) -> Kind:
    if record.message is None:
        return Kind.PASSED_OVER
    if record.is_api_error_message:
        return Kind.API_ERROR
    if record.message.model == SYNTHETIC and plain_text(record.blocks).strip() in ("", NO_ANSWER):
        return Kind.PASSED_OVER
    return Kind.ANSWER


def _kind_of_user(record: Record) -> Kind:
    blocks = record.blocks
    if any(block.type == "tool_result" for block in blocks):
        return Kind.RESULTS
    if record.is_compact_summary:
        return Kind.SUMMARY
    if not blocks:
        return Kind.PASSED_OVER
    text = plain_text(blocks).lstrip()
    if text.startswith(NOTICES) or _origin(record) in NOTICE_ORIGINS:
        return Kind.NOTICE
    if record.is_meta:
        if record.source_tool_use_id:
            return Kind.NOTICE
        return Kind.PASSED_OVER if text.startswith((*NOT_TYPED, *COMMAND, CONTINUED)) else Kind.EXPANSION
    if text.startswith(INTERRUPTED):
        return Kind.INTERRUPTION
    if text.startswith(COMMAND):
        return Kind.COMMAND
    if text.startswith(NOT_TYPED):
        return Kind.PASSED_OVER
    return Kind.PROMPT


def _origin(record: Record) -> Any:
    """Where a prompt comes from, as newer versions say."""
    origin = record.origin
    if isinstance(origin, dict):
        origin = origin.get("kind")
    return origin if isinstance(origin, str) and origin != "human" else record.turn_origin
