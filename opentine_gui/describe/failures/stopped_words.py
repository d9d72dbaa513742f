"""Steps that were stopped rather than failed, counted in words."""

from __future__ import annotations

from collections.abc import Mapping

from opentine_gui.core.graph.outcomes.stopped import CANCELLED, FOUND_NOTHING, INTERRUPTED, REFUSED, UNANSWERED
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
