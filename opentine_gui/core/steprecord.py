"""A step's stored record (format section 3.2): to and from `Step`, and the light columns a graph keeps of many."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Annotated, Any, Literal

import msgspec

from opentine_gui.core.canonical import canonical
from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import TOKEN_FIELDS, V3_KINDS, CostState, JsonObject, Step, StepKind, cost_of, token_count
from opentine_gui.core.strict import check_depth, check_encoding

STEP_DEPTH = 3
"""Open containers around a step's record: the document, its graph, the map of steps."""
LARGEST_EXACT = 2**53 - 1
LARGEST_TOKENS = 2**63 - 1
COST_STATES = tuple(CostState)
_COST_CODE = {state: code for code, state in enumerate(COST_STATES)}
_KNOWN_CODE = _COST_CODE[CostState.KNOWN]
_UNPRICED_CODE = _COST_CODE[CostState.UNPRICED]
_MISSING_CODE = _COST_CODE[CostState.NOT_RECORDED]
_KNOWN_KEYS = frozenset(Step.__struct_fields__) - {"extra"} | {"parent_id"}

Count = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_EXACT)] | Annotated[float, msgspec.Meta(ge=0)]
Amount = Count | None
Kind = Literal["think", "tool", "model", "done", "error"]


Parents = str | Sequence[str]
"""The id of a step's only parent, or the ids of none or several: lists of one would be most of what a load touches."""


class _Object(msgspec.Struct, gc=False):
    """Any JSON object; its members are skipped without being built."""


class _Head(msgspec.Struct, gc=False):
    id: str
    kind: Kind
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


class Columns:
    """What a graph keeps of each step beside its id, parents and raw text; parallel columns, one entry a step."""

    __slots__ = (
        "causal",
        "cost_states",
        "costs",
        "durations",
        "failed",
        "kinds",
        "timestamps",
        "tokens",
        "v3_kinds",
    )

    def __init__(self) -> None:
        self.kinds: list[StepKind] = []
        self.v3_kinds: dict[int, str] = {}
        self.causal: dict[int, tuple[str, ...]] = {}
        self.costs = array("d")
        self.cost_states = bytearray()
        self.durations = array("d")
        self.timestamps = array("d")
        self.tokens = array("q")
        self.failed = bytearray()

    def add_records(self, texts: Sequence[bytes | msgspec.Raw]) -> tuple[list[str], list[Parents]]:
        """Append the heads of minified step records and give their (ids, parents).

        FormatError names the step and the field that is wrong.
        """
        try:
            heads = _heads.decode(b"[" + b",".join(texts) + b"]")
        except msgspec.ValidationError as error:
            raise _explain(texts, error) from error
        base = len(self.kinds)
        # A walk a column: the heads of one slice stay in the caches, and a comprehension appends at half the price.
        timestamps = [head.timestamp for head in heads]
        costs = [head.cost or 0.0 for head in heads]
        special = [
            (position, head)
            for position, head in enumerate(heads, base)
            if head.usage or head.billing or head.causal_ids or head.v3_kind is not None
        ]
        try:
            self.timestamps.extend(timestamps)
        except OverflowError as error:
            raise FormatError("a step's timestamp is too large", cause=error) from error
        self.kinds += [_KINDS[head.kind] for head in heads]
        self.durations.extend([head.duration or 0.0 for head in heads])
        self.costs.extend(costs)
        self.cost_states += bytes([_KNOWN_CODE if cost > 0 else _MISSING_CODE for cost in costs])
        self.failed += bytes([1 if head.error else 0 for head in heads])
        self.tokens.extend([-1] * len(heads))
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
        """What only some steps have: counters, billing, causes, a newer kind."""
        usage = head.usage
        if usage:
            self.tokens[position] = min(count_usage(usage, head.id), LARGEST_TOKENS)
        if head.billing:
            self._set_cost(position, head.cost, usage, head.billing)
        elif usage and not head.cost:
            self.cost_states[position] = _UNPRICED_CODE
        if head.causal_ids:
            self.causal[position] = tuple(head.causal_ids)
        if head.v3_kind is not None:
            if isinstance(head.v3_kind, list | dict):
                raise FormatError(f"step {head.id[:12]!r} has a v3_kind that is not a name")
            if head.v3_kind in V3_KINDS:
                self.v3_kinds[position] = head.v3_kind

    def _set_cost(
        self, position: int, cost: float | None, usage: dict[str, int | float] | None, billing: JsonObject | None
    ) -> None:
        self.costs[position], state = cost_of(cost, usage, billing)
        self.cost_states[position] = _COST_CODE[state]

    def add_step(self, step: Step) -> None:
        """Append the head of a step that is already decoded."""
        if step.causal_ids:
            self.causal[len(self.kinds)] = step.causal_ids
        if step.v3_kind:
            self.v3_kinds[len(self.kinds)] = step.v3_kind
        self.kinds.append(step.kind)
        self.timestamps.append(step.timestamp)
        self.durations.append(step.duration)
        self.failed.append(bool(step.error))
        count = token_count(step.usage)
        self.tokens.append(-1 if count is None else min(count, LARGEST_TOKENS))
        self.costs.append(0.0)
        self.cost_states.append(_MISSING_CODE)
        self._set_cost(len(self.kinds) - 1, step.cost, step.usage, step.billing)

    def replace(self, position: int, step: Step) -> None:
        """Put the head of `step` where the head of the step with the same id was."""
        single = Columns()
        single.add_step(step)
        for name in ("kinds", "costs", "cost_states", "durations", "timestamps", "tokens", "failed"):
            getattr(self, name)[position] = getattr(single, name)[0]
        self.causal.pop(position, None)
        self.v3_kinds.pop(position, None)
        if step.causal_ids:
            self.causal[position] = step.causal_ids
        if step.v3_kind:
            self.v3_kinds[position] = step.v3_kind

    def extend(self, more: Columns) -> None:
        """Append all entries of `more`."""
        base = len(self.kinds)
        for name in _COLUMN_NAMES:
            getattr(self, name).extend(getattr(more, name))
        self.causal.update({base + position: value for position, value in more.causal.items()})
        self.v3_kinds.update({base + position: value for position, value in more.v3_kinds.items()})

    def taken(self, positions: Sequence[int] | range) -> Columns:
        """New columns holding the entries at `positions`, in that order. A `range` from 0 is a quick copy."""
        result = Columns()
        if isinstance(positions, range) and positions.start == 0 and positions.step == 1:
            count = len(positions)
            for name in _COLUMN_NAMES:
                setattr(result, name, getattr(self, name)[:count])
            result.causal = {old: value for old, value in self.causal.items() if old < count}
            result.v3_kinds = {old: value for old, value in self.v3_kinds.items() if old < count}
            return result
        pick = picked(positions)
        for name in _COLUMN_NAMES:
            source = getattr(self, name)
            setattr(result, name, _like(source, pick(source)))
        if self.causal or self.v3_kinds:
            where = {position: new for new, position in enumerate(positions)}
            result.causal = {where[old]: value for old, value in self.causal.items() if old in where}
            result.v3_kinds = {where[old]: value for old, value in self.v3_kinds.items() if old in where}
        return result


_COLUMN_NAMES = ("kinds", "costs", "cost_states", "durations", "timestamps", "tokens", "failed")


def picked(positions: Sequence[int]) -> Callable[[Any], Sequence[Any]]:
    """A function that takes the entries at these positions out of a list, in their order, at the speed of C."""
    if len(positions) < 2:
        return lambda source: [source[position] for position in positions]
    return itemgetter(*positions)


def _like(source: Any, entries: Sequence[Any]) -> Any:
    if isinstance(source, array):
        return array(source.typecode, entries)
    return bytearray(entries) if isinstance(source, bytearray) else list(entries)


_KINDS = {kind.value: kind for kind in StepKind}


def _only(head: _Head) -> Parents:
    """The parent an older record names in another field; it counts when the newer one is not there."""
    parent = head.parent_id
    return parent if head.parent_ids is None and isinstance(parent, str) and parent else ()


def count_usage(usage: dict[str, int | float], owner: str) -> int:
    """Tokens of a usage record (format section 3.7). FormatError unless names are there and whole counters whole."""
    counted: int | float = 0
    total: int | float = 0
    for name, value in usage.items():
        if name in TOKEN_FIELDS:
            counted += value
        elif name == "total":
            total = value
        else:
            if not name:
                raise FormatError(f"step {owner[:12]!r} has a usage counter without a name")
            continue
        if type(value) is float and not value.is_integer():
            raise FormatError(f"step {owner[:12]!r} has a usage counter {name!r} that is not a whole number")
    return int(max(total, counted))


def _explain(texts: Sequence[bytes | msgspec.Raw], error: msgspec.ValidationError) -> FormatError:
    """Name the step whose record the batch decoder refused."""
    for text in texts:
        try:
            _heads.decode(b"[" + bytes(text) + b"]")
        except msgspec.ValidationError as single:
            reason, _, place = str(single).partition(" - at ")
            try:
                found = msgspec.json.decode(bytes(text)).get("id", "")
            except (msgspec.MsgspecError, AttributeError):
                found = ""
            owner = f"step {str(found)[:12]!r}" if found else "a step"
            field = place.strip("`").replace("$[0]", "step").replace("$[...]", "step")
            return FormatError(f"{owner} has a field of a wrong shape", place=field or None, cause=reason)
    return FormatError("a step has a field of a wrong shape", cause=error)


def decode_step(text: bytes | msgspec.Raw) -> Step:
    """The step a stored record spells, with the defaults a reader fills in (format section 3.2)."""
    try:
        record = msgspec.json.decode(bytes(text))
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FormatError("a step's content cannot be read", cause=error) from error
    return step_of(record)


def step_of(record: JsonObject) -> Step:
    """A `Step` from a checked record; unknown keys are kept in `extra`."""
    parent_ids = record.get("parent_ids")
    if parent_ids is None:
        parent = record.get("parent_id")
        parent_ids = [parent] if isinstance(parent, str) and parent else []
    provider = record.get("provider")
    v3_kind = record.get("v3_kind")
    cost = record["cost"]
    return Step(
        id=record["id"],
        parent_ids=tuple(parent_ids),
        kind=StepKind(record["kind"]),
        inputs=record["inputs"] or {},
        outputs=record["outputs"] or {},
        model_info=record["model_info"],
        tool_info=record["tool_info"] or {},
        error=record["error"] or {},
        timestamp=float(record["timestamp"]),
        duration=float(record["duration"] or 0.0),
        cost=None if cost is None else float(cost),
        usage=record.get("usage") or {},
        billing=record.get("billing") or {},
        causal_ids=tuple(record.get("causal_ids") or ()),
        provider=provider if isinstance(provider, str) else "",
        v3_kind=v3_kind if v3_kind in V3_KINDS else None,
        extra={key: value for key, value in record.items() if key not in _KNOWN_KEYS},
    )


def record_of(step: Step) -> JsonObject:
    """The record to store for a step, as the package writes it: optional keys only when they say something."""
    record: JsonObject = {
        **step.extra,
        "cost": step.cost,
        "duration": step.duration,
        "error": step.error,
        "id": step.id,
        "inputs": step.inputs,
        "kind": step.kind.value,
        "model_info": step.model_info,
        "outputs": step.outputs,
        "parent_ids": list(step.parent_ids),
        "timestamp": step.timestamp,
        "tool_info": step.tool_info,
    }
    for name in ("usage", "billing", "causal_ids", "provider", "v3_kind"):
        value = getattr(step, name)
        if value:
            record[name] = list(value) if isinstance(value, tuple) else value
    return record


def encode_step(step: Step) -> bytes:
    """A step's canonical record text. FormatError when the content cannot be stored."""
    text = canonical(record_of(step))
    check_encoding(text)
    check_depth([text], STEP_DEPTH)
    return text
