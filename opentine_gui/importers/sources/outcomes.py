"""How tool calls end, in the same words for every agent."""

from __future__ import annotations

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.run_draft import RunDraft, StepDraft

NO_RESULT: JsonObject = {"type": "no_result", "message": "no result recorded"}
"""The error of a call that was never answered; copy it."""


def exit_failure(code: object) -> JsonObject:
    """The error for a command's exit code; {} for 0 and for none.

    A search that found nothing ends with 1 as well: `core.graph.outcomes.stopped` tells it by its command.
    """
    if not isinstance(code, int) or code in (0, -1):
        return {}
    return {"type": "failed", "message": f"exit code {code}"}


def note_silent_failure(draft: RunDraft, step: StepDraft) -> None:
    """Keep the former id of a command that printed nothing and ended with 1: it once counted as no failure."""
    result = step.outputs.get("result")
    if step.error == exit_failure(1) and not (isinstance(result, str) and result.strip()):
        draft.once(step.key, {"error": {}}, rule=2)
