"""Tells steps that were stopped from steps that failed: refused or interrupted by a person, cancelled with a call
beside them, never answered, or a search that found nothing, which its program reports as exit code 1.

A call without a result did not necessarily fail: the answer that asked for it may have been cut off. A call's error is
the tool's own text, which may hold any of these words ("permission denied"), so its type decides; the message counts
only where it says that a person refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from opentine_gui.core.graph.calls.shell_line import command_of, deciding_command

REFUSED, INTERRUPTED, CANCELLED = "refused", "interrupted", "cancelled"
UNANSWERED, FOUND_NOTHING = "unanswered", "found nothing"
SEARCHING = ("grep", "egrep", "fgrep", "rg", "ag")
"""Programs that end with 1 if no line matches, and with 2 if anything is wrong."""
NAMES, MESSAGES = ("type", "code", "name"), ("message", "reason", "detail")
"""Members of an error that hold its type, and those that hold its message."""
_MESSAGE = 2_000
"""Most characters of a message that are examined."""
_LONGEST = 1 << 16
"""Most bytes of a member that is decoded: longer ones are program output."""
_LARGEST_CODE = 1 << 53
_REFUSED = re.compile(
    r"\b(reject(ed)?|refus(ed|al)|denied|declined|not (allowed|permitted|approved)|doesn't want to|disallowed)\b",
    re.IGNORECASE,
)
_BY_A_PERSON = re.compile(r"doesn't want to|[Uu]ser (?:rejected|denied|declined)|but you haven't granted it")
_PROGRAM = re.compile(r"(?:apply_)?patch (?:was )?(?:rejected|refused)\b", re.IGNORECASE)
"""What a tool reports when it rejects a patch itself; if a person rejected it, the text names the user."""
_INTERRUPTED = re.compile(r"\b(interrupt(ed)?|cancell?ed|aborted|stopped by (the )?user)\b", re.IGNORECASE)
_CANCELLED = re.compile(r"\s*(?:<tool_use_error>)?\s*Sibling tool call errored\.?\s*(?:</tool_use_error>)?\s*")
"""What Claude Code records of a call that it took back because one beside it had failed."""
_EXITED_WITH_1 = re.compile(
    r"\s*(?:\(no output\)\s*)?(?:error:?\s*)?(?:(?:the )?(?:command|process) )?(?:(?:exited|failed) with )?"
    r"(?:exit )?(?:code|status):? 1\.?\s*(?:\(no output\)\s*)?",
    re.IGNORECASE,
)
"""The whole message of a command that ended with 1 and printed nothing."""
_SILENT = re.compile(r"(?:\s|\(no output\)|\bNone\b)*")
_UNANSWERED = re.compile(r"\b(no[ _]result|unanswered|never answered|no answer)\b", re.IGNORECASE)


def stopped_by(error: Mapping[str, Any]) -> str:
    """ "refused" or "interrupted" for an error that is a person's doing, "cancelled" for one that follows from that of
    a call beside it, "unanswered" for one that only says that no result is recorded; "" for any other. Values may be
    raw JSON.
    """
    named = joined(error.get(name) for name in NAMES)
    return how_stopped(named, joined(error.get(name) for name in MESSAGES))


def ended_by(error: Mapping[str, Any], inputs: Any, outputs: Any) -> str:
    """As `stopped_by`, and also "found nothing" for a shell search that exited with 1 and printed nothing."""
    return stopped_by(error) or (
        FOUND_NOTHING if says_nothing_but_1(error) and is_silent_search(inputs, outputs) else ""
    )


def says_nothing_but_1(error: Mapping[str, Any]) -> bool:
    """Whether an error says that a command ended with 1, and nothing else."""
    return bool(_EXITED_WITH_1.fullmatch(joined(error.get(name) for name in MESSAGES)))


def is_silent_search(inputs: Any, outputs: Any) -> bool:
    """Whether a call ran a command line whose exit code a search decides, and printed nothing."""
    command = command_of(inputs)
    words = deciding_command(command) if command else []
    if not words or not (words[0].rsplit("/", 1)[-1] in SEARCHING or words[:2] == ["git", "grep"]):
        return False
    return all(_is_silent(value) for value in outputs.values()) if isinstance(outputs, Mapping) else not outputs


def _is_silent(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_silent, value.values()))
    if isinstance(value, list):
        return all(map(_is_silent, value))
    return not isinstance(value, str) or bool(_SILENT.fullmatch(value[:_MESSAGE]) or _EXITED_WITH_1.fullmatch(value))


def how_stopped(named: str, said: str) -> str:
    """As `stopped_by`, from the names and the messages of an error as text."""
    if _UNANSWERED.search(named):
        return UNANSWERED
    if is_unanswered(named, said) or is_by_the_program(said):
        return ""
    if _REFUSED.search(named) or _BY_A_PERSON.search(said):
        return REFUSED
    if _CANCELLED.fullmatch(said):
        return CANCELLED
    return INTERRUPTED if _INTERRUPTED.search(named) or said.startswith("[Request interrupted") else ""


def is_unanswered(named: str, said: str) -> bool:
    """Whether nothing answered a call."""
    return bool(_UNANSWERED.search(named) or _UNANSWERED.fullmatch(said.strip(" .")))


def is_by_the_program(said: str) -> bool:
    """Whether the tool itself refused, for instance an empty patch, and not a person."""
    return bool(_PROGRAM.match(said)) and "user" not in said


def says_interrupted(said: str) -> bool:
    """Whether text that does not come from a tool reports an interruption."""
    return bool(_INTERRUPTED.search(said))


def joined(values: Iterable[Any]) -> str:
    """The texts and short numbers among some values, the beginning of each; raw JSON is decoded if it is short."""
    plain = map(_plain, values)
    return " ".join(str(value)[:_MESSAGE] for value in plain if isinstance(value, str) or _is_code(value))


def _is_code(value: Any) -> bool:
    return isinstance(value, int) and abs(value) < _LARGEST_CODE


def _plain(value: Any) -> Any:
    if not isinstance(value, msgspec.Raw):
        return value
    if not 0 < len(value) <= _LONGEST:
        return None
    try:
        return msgspec.json.decode(value)
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError):  # reading the whole record says what is wrong
        return None
