"""Changes a step that nothing comes after: another step takes its place (docs/FORMAT.md, section 5)."""

from __future__ import annotations

from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.errors import EditError
from opentine_gui.core.model import JsonObject, StepKind, short_id
from opentine_gui.core.record import RunRecord


def change_step(
    record: RunRecord,
    step: str,
    *,
    inputs: JsonObject,
    now: float,
    kind: StepKind | str | None = None,
    outputs: JsonObject | None = None,
) -> tuple[RunRecord, str]:
    """(the run with a step of other content in place of `step`, the new step's id); the refs to it follow.

    `step` is a full id or a unique prefix; `kind` None keeps its kind; `now` is Unix seconds. It has the parents, model
    and tool of the step it replaces, and claims no cost, time or tokens. The run itself is returned if nothing changes.
    EditError if steps come after it, if it is a merge, which the run's record names, or if the same step is there
    already; LookupFailure for an unknown step, FormatError for content that cannot be stored.
    """
    graph = record.graph
    identity = record.resolve(step)
    place = graph.index(identity)
    if graph.children_of(place):
        raise EditError(f"steps come after step {short_id(identity)!r}: only a fork can change it")
    if len(graph.parents[place]) > 1:
        raise EditError(f"step {short_id(identity)!r} is a merge: only a fork can change it")
    original = graph.step(identity)
    changed = new_step(
        kind or original.kind,
        inputs,
        original.parent_ids,
        timestamp=now,
        outputs=outputs,
        model_info=original.model_info,
        tool_info=original.tool_info,
        provider=original.provider,
        v3_kind=original.v3_kind if kind in (None, original.kind) else None,
    )
    if changed.id == identity:
        return record, identity
    if changed.id in graph:
        raise EditError(f"the same step is in the run already, as step {short_id(changed.id)!r}")
    others = graph.subset([position for position in range(len(graph)) if position != place])
    refs = {name: changed.id if target == identity else target for name, target in record.refs.items()}
    return record.with_graph(others.with_steps([changed]), refs=refs), changed.id
