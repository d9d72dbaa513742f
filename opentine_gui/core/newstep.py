"""Makes a step from a caller's values, which are copied and checked before the id is computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from opentine_gui.core.canonical import canonical, step_id
from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import JsonObject, RunStatus, Step, StepKind
from opentine_gui.core.steprecord import LARGEST_EXACT, count_usage
from opentine_gui.core.strict import check_encoding


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
    """A step with its id (docs/FORMAT.md, section 5). FormatError for content or numbers that cannot be stored."""
    counters = {name: _amount(f"usage {name!r}", value, whole=True) for name, value in (usage or {}).items()}
    text = canonical({"i": inputs, "o": outputs or {}, "t": tool_info or {}, "e": error or {}, "b": billing or {}})
    check_encoding(text)
    content = msgspec.json.decode(text)
    if not all(isinstance(part, dict) for part in content.values()):
        raise FormatError("a step's inputs, outputs, tool_info, error and billing must be objects")
    step_kind = _kind(kind)
    identity = step_id(
        step_kind,
        content["i"],
        parent_ids=parent_ids,
        outputs=content["o"],
        model_info=model_info,
        tool_info=content["t"],
        error=content["e"],
    )
    count_usage(counters, identity)
    return Step(
        id=identity,
        parent_ids=tuple(parent_ids),
        kind=step_kind,
        inputs=content["i"],
        outputs=content["o"],
        model_info=model_info,
        tool_info=content["t"],
        error=content["e"],
        timestamp=timestamp,
        duration=float(_amount("duration", duration)),
        cost=float(_amount("cost", cost)),
        usage=counters,
        billing=content["b"],
        causal_ids=tuple(causal_ids),
        provider=provider,
        v3_kind=v3_kind,
    )


def _amount(name: str, value: Any, *, whole: bool = False) -> int | float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0 or (isinstance(value, int) and value > LARGEST_EXACT):
        raise FormatError(f"a step's {name} must be a finite number of zero or more")
    if whole and isinstance(value, float) and value.is_integer():
        return int(value)
    return value  # type: ignore[no-any-return]


def _kind(kind: StepKind | str) -> StepKind:
    try:
        return StepKind(kind)
    except ValueError as error:
        raise FormatError(f"{str(kind)[:40]!r} is not a kind of step") from error


def checked_status(status: RunStatus | str) -> RunStatus:
    """One of the four states. FormatError for anything else."""
    try:
        return RunStatus(status)
    except ValueError as error:
        raise FormatError(f"{str(status)[:40]!r} is not a status of a run") from error
