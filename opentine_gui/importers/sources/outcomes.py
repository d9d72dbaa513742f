"""How tool calls end, in the same words for every agent."""

from __future__ import annotations

import re

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.run_draft import RunDraft, StepDraft

NO_RESULT: JsonObject = {"type": "no_result", "message": "no result recorded"}
"""The error of a call that was never answered; copy it."""
LONGEST_NOT_FOUND = 2_000
_NOT_FOUND = re.compile(r"(?:/[\w/]{1,40}/)?(?:ba|da|k|z)?sh: (?:(?:line )?\d+: )?\S.{0,200}: (?:command )?not found")
"""A line of a shell that found no such command."""


def exit_failure(code: object) -> JsonObject:
    """The error for a command's exit code; {} for 0 and for none.

    A search that found nothing ends with 1 as well: `core.graph.outcomes.stopped` tells it by its command.
    """
    if not isinstance(code, int) or code in (0, -1):
        return {}
    return {"type": "failed", "message": f"exit code {code}"}


def not_found(printed: object) -> str:
    """What a shell printed instead of running a command that is not there, if it printed nothing else; "" otherwise.

    For logs in which a command has no exit code.
    """
    if not isinstance(printed, str) or len(printed) > LONGEST_NOT_FOUND:
        return ""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return lines[0] if lines and all(map(_NOT_FOUND.fullmatch, lines)) else ""


def note_silent_failure(draft: RunDraft, step: StepDraft) -> None:
    """Keep the former id of a command that printed nothing and ended with 1: it once counted as no failure."""
    result = step.outputs.get("result")
    if step.error == exit_failure(1) and not (isinstance(result, str) and result.strip()):
        draft.once(step.key, {"error": {}}, rule=2)
