"""Step ids from before an importer's rule changed: of the steps that the rule changed, and of their descendants."""

from __future__ import annotations

from collections.abc import Mapping

from opentine_gui.core.format.canonical import step_id
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import JsonObject


def former_ids(graph: Graph, once: Mapping[str, JsonObject]) -> dict[str, str]:
    """Maps the former ids of steps to their present ids; steps whose id is the same are left out.

    `once` maps the present id of each step that the rule changed to the former values of the changed fields: `kind`,
    `inputs`, `outputs`, `model_info`, `tool_info` or `error`. LookupFailure if `once` names a step not in the graph.
    """
    had: dict[str, str] = {}
    first = min((graph.index(identity) for identity in once), default=len(graph))
    for position in range(first, len(graph)):
        identity = graph.ids[position]
        parents = graph.parent_ids(identity)
        if identity not in once and had.keys().isdisjoint(parents):
            continue
        step = graph.step(position)
        was = once.get(identity, {})
        had[identity] = step_id(
            was.get("kind", step.kind),
            was.get("inputs", step.inputs),
            parent_ids=[had.get(parent, parent) for parent in parents],
            outputs=was.get("outputs", step.outputs),
            model_info=was.get("model_info", step.model_info),
            tool_info=was.get("tool_info", step.tool_info),
            error=was.get("error", step.error),
        )
    return {before: now for now, before in had.items() if before != now}
