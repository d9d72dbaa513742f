"""Adds a step by hand to a run (docs/FORMAT.md, sections 5 and 11)."""

from __future__ import annotations

from opentine_gui.core.edit.merge import free_ref
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.errors import EditError
from opentine_gui.core.model import JsonObject, StepKind, short_id
from opentine_gui.core.record import RunRecord


def add_step(
    record: RunRecord,
    parent: str,
    *,
    inputs: JsonObject,
    now: float,
    kind: StepKind | str = StepKind.MODEL,
    outputs: JsonObject | None = None,
) -> tuple[RunRecord, str]:
    """(the run with one more step after `parent`, the new step's id); no model, cost or tokens are claimed for it.

    `parent` is a full id or a unique prefix; `now` is Unix seconds. `main` moves to the step if the main tip is its
    parent; otherwise the step gets the ref `step`, or `step-2` and so on if that is taken. EditError if the same step
    is there already, LookupFailure for an unknown parent, FormatError for content that cannot be stored.
    """
    identity = record.resolve(parent)
    step = new_step(kind, inputs, (identity,), timestamp=now, outputs=outputs)
    if step.id in record.graph:
        raise EditError(f"the same step is in the run already, as step {short_id(step.id)!r}")
    refs = {**record.refs, free_ref(record, (identity,), "step"): step.id}
    return record.with_graph(record.graph.with_steps([step]), refs=refs), step.id
