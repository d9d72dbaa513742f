"""Calls that delegate work to a sub-agent: its task, what it reported, and whether a call only starts it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from opentine_gui.core import Step
from opentine_gui.core.graph.calls.call_roles import ARGUMENT_KEYS
from opentine_gui.describe.payload_text import first_text, has_text

CALLS = ("Task", "Agent", "task")
FETCHED = ("task_id", "agentId", "agent_id")
"""Arguments that name the sub-agent whose report a call fetches."""
_STARTED = re.compile(r"Async agent launched\b[^\n]{0,80}\n\s{0,20}agentId:\s?([\w-]{1,64})")
"""Claude Code's answer when a sub-agent continues in the background; its report is fetched later."""
_REPORT = re.compile(r"^--- RESULT ---\n", re.MULTILINE)
_LONGEST = 200_000
"""Most characters of a report that are kept, from its end."""


def task_of_call(step: Step, name: str) -> str:
    """The task of a call that a sub-agent answers, as recorded; "" if the call does not describe it."""
    if name not in CALLS:
        return ""
    said = arguments_of(step).get("description")
    return said if has_text(said) else ""


def started_by(step: Step) -> str:
    """The id of the sub-agent that a call started without waiting for it; "" if it waited."""
    result = step.outputs.get("result")
    found = _STARTED.match(result[:400]) if isinstance(result, str) else None
    return found[1] if found else ""


def fetched_by(step: Step) -> tuple[str, str]:
    """(a sub-agent's id, its report as recorded) for a call that fetched a report; ("", "") for others."""
    given = arguments_of(step)
    identity = next((given[key] for key in FETCHED if isinstance(given.get(key), str)), "")
    text = first_text(step.outputs)[-_LONGEST:] if identity else ""
    parts = _REPORT.split(text, maxsplit=1)
    return (identity, parts[1].removesuffix("</output>")) if len(parts) > 1 else ("", "")


def arguments_of(step: Step) -> Mapping[str, Any]:
    """The arguments of a call by name; empty if they are not an object."""
    given: Any = next((step.inputs[key] for key in ARGUMENT_KEYS if step.inputs.get(key)), None)
    return given if isinstance(given, Mapping) else {}
