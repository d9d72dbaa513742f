"""Steps that were stopped rather than failed, counted in words; time that a person took."""

from __future__ import annotations

from collections.abc import Mapping

from opentine_gui.core import Step, StepKind
from opentine_gui.core.graph.calls.call_roles import call_of
from opentine_gui.core.graph.outcomes.stopped import (
    CANCELLED,
    FOUND_NOTHING,
    INTERRUPTED,
    REFUSED,
    UNANSWERED,
    stopped_by,
)
from opentine_gui.core.structure.work_times import LONG, asks_a_person, changes_one_file
from opentine_gui.describe.failures.failure import failure_of
from opentine_gui.describe.numbers import format_count

NONE_RECORDED = "no failures recorded"
"""Said of a run none of whose steps is recorded as failed: a log need not say how each call ended."""
NO_FAILURES = "Stopped or without a result"
"""The heading for all steps that were stopped."""
STOPPED = {
    REFUSED: "refused",
    INTERRUPTED: "interrupted",
    CANCELLED: "cancelled",
    UNANSWERED: "no result",
    FOUND_NOTHING: "found nothing",
}
"""The words for `Graph.stopped`, in the order in which they are counted."""


def stopped_words(counts: Mapping[str, int]) -> str:
    """How many steps were stopped in which way, as "2 refused, 3 interrupted"; "" for none."""
    return ", ".join(f"{format_count(counts[how])} {word}" for how, word in STOPPED.items() if counts.get(how))


def tried_words(step: Step, *, writes: bool = False) -> str:
    """What is said of the change that a call asked for, or of the text it `writes`, if it did not make it; else "".

    A failed call made none, but one that was interrupted or has no result may have. A call without outputs, such as one
    that was edited in a fork, is not known to have run at all.
    """
    what, outcome = ("write", "not written") if writes else ("change", "not applied")
    if failure_of(step) is not None:
        unknown = stopped_by(step.error) in (INTERRUPTED, UNANSWERED)
        return f"Tried to {what}, {'outcome not recorded' if unknown else outcome}"
    return "" if step.outputs else f"To {what}, outcome not recorded"


def wait_words(step: Step) -> str:
    """Why the time of a call is no work, or probably none; "" where it is."""
    if step.kind is not StepKind.TOOL:
        return ""
    if stopped_by(step.error) == REFUSED:
        return "waiting for a person, who refused it: no work"
    call = call_of(step.inputs, step.tool_info)
    if step.duration < LONG:
        return ""
    if asks_a_person(call):
        return "waiting for a person's answer: no work"
    return (
        "probably waiting for somebody to allow it: a change to a file takes a moment" if changes_one_file(call) else ""
    )
