"""Decodes step records to columns without building their payloads (docs/FORMAT.md, section 3.2)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from opentine_gui.core.errors import FormatError
from opentine_gui.core.graph.step_record import (
    COST_CODE,
    LARGEST_EXACT,
    LARGEST_TOKENS,
    Columns,
    Parents,
    count_usage,
    picked_in_parts,
)
from opentine_gui.core.model import V3_KINDS, CostState, JsonObject, StepKind, cost_of, short_id
from opentine_gui.core.progress import Pace

_KNOWN_CODE = COST_CODE[CostState.KNOWN]
_UNPRICED_CODE = COST_CODE[CostState.UNPRICED]
_MISSING_CODE = COST_CODE[CostState.NOT_RECORDED]

Count = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_EXACT)] | Annotated[float, msgspec.Meta(ge=0)]
Amount = Count | None


class _Object(msgspec.Struct, gc=False):
    """Any JSON object; its members are skipped, not built."""


class _Head(msgspec.Struct, gc=False):
    id: str
    kind: StepKind
    inputs: _Object | None
    outputs: _Object | None
    tool_info: _Object | None
    error: dict[str, msgspec.Raw] | None
    model_info: msgspec.Raw
    timestamp: int | float
    duration: Amount
    cost: Amount
    parent_ids: list[str] | None = None
    parent_id: Any = None
    usage: dict[str, Count] | None = None
    billing: JsonObject | None = None
    causal_ids: list[str] | None = None
    provider: Any = None
    v3_kind: Any = None


_heads = msgspec.json.Decoder(list[_Head])


class Heads:
    """Collects the heads (all but the payload) of step records in file order; `columns` can reorder them.

    Numbers are in arrays: reordering is random access, for which lists would miss the CPU cache. Fields that few steps
    have are kept in dicts by position.
    """

    __slots__ = (
        "_causal",
        "_costs",
        "_durations",
        "_failed",
        "_kinds",
        "_states",
        "_timestamps",
        "_tokens",
        "_v3_kinds",
    )

    def __init__(self) -> None:
        self._kinds: list[StepKind] = []
        self._costs = array("d")
        self._durations = array("d")
        self._timestamps = array("d")
        self._failed: list[int] = []
        self._states: dict[int, int] = {}
        self._tokens: dict[int, int] = {}
        self._causal: dict[int, tuple[str, ...]] = {}
        self._v3_kinds: dict[int, str] = {}

    def add_records(self, texts: Sequence[bytes | msgspec.Raw]) -> tuple[list[str], list[Parents]]:
        """Append the heads of minified step records; returns (ids, parents).

        FormatError names the step and the field.
        """
        if not texts:
            return [], []
        try:  # adding the brackets to the joined text would copy it twice
            *before, last = (b"[" + bytes(texts[0]), *texts[1:])
            heads = _heads.decode(b",".join((*before, bytes(last) + b"]")))
        except msgspec.ValidationError as error:
            raise _explain(texts, error) from error
        base = len(self._kinds)
        self._kinds += [head.kind for head in heads]
        try:
            self._costs.extend([head.cost or 0.0 for head in heads])
            self._durations.extend([head.duration or 0.0 for head in heads])
            self._timestamps.extend([head.timestamp for head in heads])
        except OverflowError as error:
            raise FormatError("a step's timestamp is too large", cause=error) from error
        special = [
            (position, head)
            for position, head in enumerate(heads, base)
            if head.usage or head.error or head.billing or head.causal_ids or head.v3_kind is not None
        ]
        for position, head in special:
            self._add_special(position, head)
        return (
            [head.id for head in heads],
            [
                names[0] if (names := head.parent_ids) is not None and len(names) == 1 else names or _only(head)
                for head in heads
            ],
        )

    def _add_special(self, position: int, head: _Head) -> None:
        """Store the fields that only some steps have: usage, error, billing, causal_ids, v3_kind."""
        usage = head.usage
        if usage:
            self._tokens[position] = min(count_usage(usage, head.id), LARGEST_TOKENS)
        if head.error:
            self._failed.append(position)
        if head.billing:
            self._costs[position], state = cost_of(head.cost, usage, head.billing)
            self._states[position] = COST_CODE[state]
        elif usage and not head.cost:
            self._states[position] = _UNPRICED_CODE
        if head.causal_ids:
            self._causal[position] = tuple(head.causal_ids)
        if head.v3_kind is not None:
            if isinstance(head.v3_kind, list | dict):
                raise FormatError(f"step {short_id(head.id)!r} has a v3_kind that is not a name")
            if head.v3_kind in V3_KINDS:
                self._v3_kinds[position] = head.v3_kind

    def columns(self, positions: Sequence[int] = (), places: Sequence[int] = (), pace: Pace | None = None) -> Columns:
        """The columns of all records, in the order added or with record `positions[i]` as entry i.

        `places` is the inverse: record i becomes entry `places[i]`. `pace` is called between batches.
        """
        pick = picked_in_parts(positions or range(len(self._kinds)), pace or Pace())
        costs = pick(self._costs, 0.25)
        found = Columns()
        found.kinds = pick(self._kinds, 0.5)
        found.costs = array("d", costs)
        found.durations = array("d", pick(self._durations, 0.75))
        found.timestamps = array("d", pick(self._timestamps, 1.0))
        found.cost_states = bytearray([_KNOWN_CODE if cost > 0 else _MISSING_CODE for cost in costs])
        found.failed = bytearray(len(costs))
        found.tokens = array("q", [-1]) * len(costs)
        where = places if positions else range(len(costs))
        for position in self._failed:
            found.failed[where[position]] = 1
        for position, state in self._states.items():
            found.cost_states[where[position]] = state
        for position, count in self._tokens.items():
            found.tokens[where[position]] = count
        found.causal = {where[position]: causes for position, causes in self._causal.items()}
        found.v3_kinds = {where[position]: kind for position, kind in self._v3_kinds.items()}
        return found


def _only(head: _Head) -> Parents:
    """The parent in `parent_id`, which counts only if `parent_ids` is absent or null."""
    parent = head.parent_id
    return parent if head.parent_ids is None and isinstance(parent, str) and parent else ()


def _explain(texts: Sequence[bytes | msgspec.Raw], error: msgspec.ValidationError) -> FormatError:
    """A FormatError that names the step whose record the batch decoder refused."""
    for text in texts:
        try:
            _heads.decode(b"[" + bytes(text) + b"]")
        except msgspec.ValidationError as single:
            reason, _, place = str(single).partition(" - at ")
            try:
                found = msgspec.json.decode(bytes(text)).get("id", "")
            except (msgspec.MsgspecError, AttributeError):
                found = ""
            owner = f"step {short_id(str(found))!r}" if found else "a step"
            field = place.strip("`").replace("$[0]", "step").replace("$[...]", "step")
            return FormatError(f"{owner} has a field of a wrong shape", place=field or None, cause=reason)
    return FormatError("a step has a field of a wrong shape", cause=error)
