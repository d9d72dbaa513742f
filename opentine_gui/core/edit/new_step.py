"""Makes a step from a caller's values, which are copied and checked before the id is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from opentine_gui.core.errors import FormatError, shown
from opentine_gui.core.format.canonical import canonical, check_ids, check_names, step_id, step_kind
from opentine_gui.core.format.checks import check_depth, check_digits, check_encoding, check_keys_per_object
from opentine_gui.core.graph.step_record import LARGEST_EXACT, count_usage
from opentine_gui.core.model import V3_KINDS, JsonObject, Step, StepKind, is_number

OUTSIDE_A_STEP = 3
"""Containers of a document that are open around a step: the document, `graph` and `steps`."""


def new_step(
    kind: StepKind | str,
    inputs: JsonObject,
    parent_ids: Sequence[str],
    *,
    timestamp: float,
    outputs: JsonObject | None = None,
    model_info: Any = "",
    tool_info: JsonObject | None = None,
    error: JsonObject | None = None,
    duration: float = 0.0,
    cost: float = 0.0,
    usage: dict[str, int | float] | None = None,
    billing: JsonObject | None = None,
    causal_ids: Sequence[str] = (),
    provider: str = "",
    v3_kind: str | None = None,
) -> Step:
    """A step with its content address (docs/FORMAT.md, section 5).

    FormatError for what cannot be stored, LimitError for what no reader would accept.
    """
    parts = {"i": inputs, "o": outputs or {}, "t": tool_info or {}, "e": error or {}, "b": billing or {}}
    parts["u"] = usage or {}
    if not all(isinstance(part, dict) for part in parts.values()):
        raise FormatError("a step's inputs, outputs, tool_info, error, usage and billing must be objects")
    parts["m"] = model_info
    check_names(parts)
    counters = {name: amount(f"usage {name!r}", value, whole=True) for name, value in parts.pop("u").items()}
    text = canonical(parts)
    check_encoding(text)
    check_digits(text)
    check_depth([text], OUTSIDE_A_STEP)
    check_keys_per_object([text])
    content = msgspec.json.decode(text)
    kind = step_kind(kind)
    event: Any = v3_kind
    if event is not None and (not isinstance(event, str) or event not in V3_KINDS):
        raise FormatError(f"{shown(v3_kind)} is not an event kind of format 3")
    if not isinstance(provider, str):
        raise FormatError("a step's provider must be text")
    check_encoding(canonical(provider))
    check_ids(causal_ids, "causal_ids")
    identity = step_id(
        kind,
        content["i"],
        parent_ids=parent_ids,
        outputs=content["o"],
        model_info=content["m"],
        tool_info=content["t"],
        error=content["e"],
    )
    count_usage(counters, identity)
    return Step(
        id=identity,
        parent_ids=tuple(parent_ids),
        kind=kind,
        inputs=content["i"],
        outputs=content["o"],
        model_info=content["m"],
        tool_info=content["t"],
        error=content["e"],
        timestamp=seconds(timestamp),
        duration=float(amount("duration", duration)),
        cost=float(amount("cost", cost)),
        usage=counters,
        billing=content["b"],
        causal_ids=tuple(causal_ids),
        provider=provider,
        v3_kind=v3_kind,
    )


def amount(name: str, value: Any, *, whole: bool = False) -> int | float:
    """A figure of a step if it can be stored: finite and not negative. FormatError."""
    if type(value) is int and 0 <= value <= LARGEST_EXACT:
        return value
    if not is_number(value) or value < 0 or (isinstance(value, int) and value > LARGEST_EXACT):
        raise FormatError(f"a step's {name} must be a finite number of zero or more")
    if whole and isinstance(value, float) and value <= LARGEST_EXACT and value.is_integer():
        return int(value)
    return value  # type: ignore[no-any-return]


def seconds(value: Any) -> float:
    """A time of a step if it can be stored: finite. FormatError."""
    if not is_number(value):
        raise FormatError("a time must be a finite number of seconds since 1970")
    return float(value)
