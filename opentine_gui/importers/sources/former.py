"""Former step ids, where a reader's rule changed which steps the same records become."""

from __future__ import annotations

from opentine_gui.core.model import StepKind
from opentine_gui.importers.reading import Place, Reading


def same_records(before: Reading, now: Reading) -> dict[str, str]:
    """Maps ids of steps in `before`, read by the older rule, to the steps that the same records became in `now`."""
    steps: dict[tuple[bool, Place], str] = {}
    for step in now.record.graph:
        for place in now.places.get(step.id, ()):
            steps.setdefault((step.kind is StepKind.TOOL, place), step.id)
    found = {}
    for step in before.record.graph:
        places = before.places.get(step.id, ())
        same = steps.get((step.kind is StepKind.TOOL, places[0])) if places else None
        if same is not None and same != step.id:
            found[step.id] = same
    return found
