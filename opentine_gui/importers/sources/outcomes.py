"""How tool calls end, in the same words for every agent."""

from __future__ import annotations

from opentine_gui.core.model import JsonObject

NO_RESULT: JsonObject = {"type": "no_result", "message": "no result recorded"}
"""The error of a call that was never answered; copy it."""


def exit_failure(code: object, printed: str) -> JsonObject:
    """The error for a command's exit code; {} for 0, for none, and for 1 from a search that found nothing."""
    if not isinstance(code, int) or code in (0, -1) or (code == 1 and not printed.strip()):
        return {}
    return {"type": "failed", "message": f"exit code {code}"}
