"""Runs and comparisons as plain JSON values, for `--json` and the JSON export."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from opentine_gui.core import (
    Comparison,
    CostState,
    FieldDifference,
    Figure,
    Figures,
    Overview,
    PathDifference,
    RunRecord,
    Totals,
)
from opentine_gui.core.comparison.step_difference import ABSENT
from opentine_gui.core.format.metadata import marks_in
from opentine_gui.describe.step_titles import title


def run_values(record: RunRecord, chosen: Collection[str] | None = None) -> dict[str, Any]:
    """The run as plain JSON values: seconds, US dollars, token counts; what was not recorded is null.

    With `chosen` (full ids) only those steps are listed; sums stay those of the whole run.
    """
    graph, totals = record.graph, record.totals
    inherited, own = record.inherited_totals, record.own_totals
    return {
        "run_id": record.run_id,
        "status": record.status.value,
        "format_version": record.format_version,
        "source_format": record.source_format,
        "container": record.container,
        "title": record.title,
        "created_at": record.created_at or None,
        "model": record.model_info,
        "tags": list(record.tags),
        "steps": [
            {
                "id": head.id,
                "kind": head.kind.value,
                "shown_kind": head.shown_kind,
                "parent_ids": list(graph.parent_ids(head.index)),
                **_figures(head.cost, head.cost_state, head.duration, head.tokens, head.timestamp),
                "failed": head.failed,
                "stopped": graph.stopped.get(head.index),
            }
            for head in graph.heads
            if chosen is None or head.id in chosen
        ],
        "roots": record.roots,
        "tips": record.tips,
        "refs": dict(record.refs),
        "totals": {
            **_sums(totals),
            "unpriced_steps": totals.unpriced,
            "cost_not_recorded_steps": totals.not_recorded,
            "stated_cost": totals.stated_cost,
            "stated_tokens": totals.stated_tokens,
            "at_least": bool(record.at_least),
            "inherited": _sums(inherited),
            "metrics_reset": record.metrics_reset,
            "own": _sums(own),
        },
        "forked_from": record.lineage.forked_from,
        "fork_point": record.lineage.fork_point,
        "merge": record.lineage.merge,
        "unverified_origins": marks_in(record.metadata),
    }


def overview_values(overview: Overview) -> dict[str, Any]:
    """A run's row in a list, as plain JSON values."""
    return {
        "run_id": overview.run_id,
        "status": overview.status,
        "created_at": overview.created_at or None,
        "model": overview.model,
        "tags": list(overview.tags),
        "totals": {
            **_sums(overview.totals),
            "stated_cost": overview.totals.stated_cost,
            "stated_tokens": overview.totals.stated_tokens,
            "at_least": overview.at_least,
        },
        "sources": list(overview.sources),
    }


def step_values(record: RunRecord, position: int) -> dict[str, Any]:
    """One complete step as plain JSON values: as in `run_values`, with its neighbours and everything recorded."""
    graph, step = record.graph, record.graph.step(position)
    return {
        "run_id": record.run_id,
        "position": position,
        "id": step.id,
        "kind": step.kind.value,
        "shown_kind": step.shown_kind,
        "title": title(step),
        "parent_ids": list(step.parent_ids),
        "child_ids": [graph.ids[child] for child in graph.children[position]],
        "causal_ids": list(step.causal_ids),
        "refs": [name for name, identity in record.refs.items() if identity == step.id],
        **_figures(step.counted_cost, step.cost_state, step.duration, step.tokens, step.timestamp),
        "failed": graph.head(position).failed,
        "stopped": graph.stopped.get(position),
        "model_info": step.model_info,
        "provider": step.provider,
        "usage": step.usage,
        "billing": step.billing,
        "tool_info": step.tool_info,
        "error": step.error,
        "inputs": step.inputs,
        "outputs": step.outputs,
        "extra": step.extra,
    }


def _figures(
    cost: float, state: CostState, duration: float, tokens: int | None, timestamp: float
) -> dict[str, float | str | None]:
    """The figures of a step in US dollars, seconds, tokens and Unix seconds."""
    known = state in (CostState.KNOWN, CostState.PARTIAL)
    return {
        "cost": cost if known else None,
        "cost_state": state.value,
        "duration": duration or None,
        "tokens": tokens,
        "timestamp": timestamp or None,
    }


def _sums(totals: Totals) -> dict[str, float | None]:
    """Sums over steps; null if no step has recorded the figure."""
    return {
        "steps": totals.steps,
        "cost": finite(totals.cost) if totals.cost_known else None,
        "duration": finite(totals.duration) or None,
        "tokens": totals.tokens if totals.tokens_recorded else None,
    }


def finite(figure: float | None) -> float | None:
    """The figure; None for an infinite sum, which JSON cannot express."""
    return figure if figure is not None and math.isfinite(figure) else None


def comparison_values(found: Comparison) -> dict[str, Any]:
    """The comparison as plain JSON values; full ids, US dollars, seconds, tokens; what was not recorded is null."""
    return {
        "common_ancestor": found.common_ancestor,
        "only_a": list(found.only_a),
        "only_b": list(found.only_b),
        "changed": [
            {
                "a": pair.a,
                "b": pair.b,
                "kind": pair.kind.value,
                "same_request": pair.same_request,
                "fields": [_field(field) for field in found.difference(pair)],
            }
            for pair in found.changed
        ],
        "moved": [{"a": pair.a, "b": pair.b} for pair in found.moved],
        "root_divergence": [
            {
                "parent": root.parent,
                "parents": list(root.parents),
                "a": root.a,
                "b": root.b,
                "kind": root.kind.value,
            }
            for root in found.root_divergences
        ],
        "drift_twins": [
            {"parents": list(twins.parents), "a": list(twins.a), "b": list(twins.b), "both": list(twins.both)}
            for twins in found.drift_twins
        ],
        "shared": len(found.shared),
        "totals": {name: _figure(getattr(found.figures, name)) for name in Figures.__struct_fields__},
    }


def _field(field: FieldDifference) -> dict[str, Any]:
    return {
        "name": field.name,
        "before": field.before,
        "after": field.after,
        "changed_keys": list(field.changed_keys),
        "paths": [_path(path) for path in field.paths],
        "paths_left_out": field.left_out,
    }


def _path(path: PathDifference) -> dict[str, Any]:
    entry: dict[str, Any] = {"path": list(path.path), "change": path.change.value}
    if path.before is not ABSENT:
        entry["before"] = path.before
    if path.after is not ABSENT:
        entry["after"] = path.after
    return entry


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "a": finite(figure.a),
        "b": finite(figure.b),
        "delta": finite(figure.delta),
        "a_at_least": figure.a_least,
        "b_at_least": figure.b_least,
    }
