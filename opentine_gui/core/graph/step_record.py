"""Step records to and from `Step`, and the columns a graph keeps of many (docs/FORMAT.md, section 3.2)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import msgspec

from opentine_gui.core.errors import FormatError, LimitError
from opentine_gui.core.format.canonical import canonical
from opentine_gui.core.format.checks import (
    MOST_NAMED,
    check_depth,
    check_encoding,
    check_keys_per_object,
    more_values,
)
from opentine_gui.core.graph.outcomes.masked_failure import is_failure
from opentine_gui.core.graph.outcomes.stopped import ended_by
from opentine_gui.core.graph.selection import Selection
from opentine_gui.core.model import (
    LARGEST_TOKENS,
    TOKEN_FIELDS,
    V3_KINDS,
    CostState,
    JsonObject,
    Step,
    StepKind,
    cost_of,
    short_id,
    token_count,
)

STEP_DEPTH = 3
"""Containers open around a step's record: the document, its graph, the map of steps."""
LARGEST_EXACT = 2**53 - 1
NO_TOKENS = -1
"""Entry of the token column where no usage is recorded."""
SHORTEST_LARGE = 3 * MOST_NAMED
"""A record of fewer bytes cannot name too many steps."""
COST_STATES = tuple(CostState)
COST_CODE = {state: code for code, state in enumerate(COST_STATES)}
_KNOWN_KEYS = frozenset(Step.__struct_fields__) - {"extra"} | {"parent_id"}

Parents = str | Sequence[str]
"""A single parent as a bare id, else a sequence of ids. Most steps have one, and a list for each would be costly."""


class Columns:
    """Figures of a graph's steps as parallel columns, one entry per step, without ids, parents and raw text."""

    __slots__ = (
        "causal",
        "cost_states",
        "costs",
        "durations",
        "failed",
        "kinds",
        "stopped",
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
        self.stopped: dict[int, str] = {}
        """Steps that a person ended, "refused" or "interrupted": those have not failed."""

    def add_step(self, step: Step) -> None:
        """Append an entry for a decoded step."""
        self.add(
            step.kind,
            step.v3_kind,
            step.timestamp,
            step.duration,
            step.cost,
            step.usage,
            step.billing,
            step.causal_ids,
            is_failure(step.kind, step.error, step.inputs, step.outputs),
            ended_by(step.error, step.inputs, step.outputs) if step.error else "",
        )

    def add(
        self,
        kind: StepKind,
        v3_kind: str | None,
        timestamp: float,
        duration: float,
        cost: float | None,
        usage: dict[str, int | float] | None,
        billing: JsonObject | None,
        causal_ids: tuple[str, ...],
        failed: bool,
        stopped: str = "",
    ) -> None:
        """Append an entry; `failed`: `is_failure` says so, `stopped`: how it ended if it did not fail."""
        if stopped:
            self.stopped[len(self.kinds)] = stopped
        if causal_ids:
            self.causal[len(self.kinds)] = causal_ids
        if v3_kind:
            self.v3_kinds[len(self.kinds)] = v3_kind
        self.kinds.append(kind)
        self.timestamps.append(timestamp)
        self.durations.append(duration)
        self.failed.append(failed and not stopped)
        count = token_count(usage) if usage else None
        self.tokens.append(NO_TOKENS if count is None else count)
        if not (usage or billing or cost):  # as for most steps
            self.costs.append(0.0)
            self.cost_states.append(COST_CODE[CostState.NOT_RECORDED])
            return
        counted, state = cost_of(cost, usage, billing)
        self.costs.append(counted)
        self.cost_states.append(COST_CODE[state])

    def replace(self, position: int, step: Step) -> None:
        """Replace the entry at `position` by that of `step`."""
        single = Columns()
        single.add_step(step)
        for name in ("kinds", "costs", "cost_states", "durations", "timestamps", "tokens", "failed"):
            getattr(self, name)[position] = getattr(single, name)[0]
        for name in _SPARSE_NAMES:
            known = getattr(self, name)
            known.pop(position, None)
            if 0 in getattr(single, name):
                known[position] = getattr(single, name)[0]

    def cut(self, count: int) -> None:
        """Remove all entries but the first `count`."""
        for name in _COLUMN_NAMES:
            del getattr(self, name)[count:]
        for sparse in (self.causal, self.v3_kinds, self.stopped):
            for position in [position for position in sparse if position >= count]:
                del sparse[position]

    def extend(self, more: Columns) -> None:
        """Append all entries of `more`."""
        base = len(self.kinds)
        for name in _COLUMN_NAMES:
            getattr(self, name).extend(getattr(more, name))
        for name in _SPARSE_NAMES:
            getattr(self, name).update({base + position: value for position, value in getattr(more, name).items()})

    def taken(self, chosen: Selection) -> Columns:
        """New columns with the chosen entries."""
        result = Columns()
        for name in _COLUMN_NAMES:
            setattr(result, name, chosen.of(getattr(self, name)))
        if self.causal or self.v3_kinds or self.stopped:
            where = dict(zip(chosen.positions, range(len(chosen.positions)), strict=True))
            for name in _SPARSE_NAMES:
                known = getattr(self, name)
                setattr(result, name, {where[old]: value for old, value in known.items() if old in where})
        return result


_SPARSE_NAMES = ("causal", "v3_kinds", "stopped")
"""What few steps have, in dicts by position."""
_COLUMN_NAMES = ("kinds", "costs", "cost_states", "durations", "timestamps", "tokens", "failed")


def count_usage(usage: dict[str, int | float], owner: str) -> int:
    """Tokens in a usage record (docs/FORMAT.md, section 3.6), at most `LARGEST_TOKENS`.

    FormatError for an unnamed or a fractional counter.
    """
    counted: int | float = 0
    total: int | float = 0
    for name, value in usage.items():
        if name in TOKEN_FIELDS:
            counted += value
        elif name == "total":
            total = value
        else:
            if not name:
                raise FormatError(f"step {short_id(owner)!r} has a usage counter without a name")
            continue
        if type(value) is float and not value.is_integer():
            raise FormatError(f"step {short_id(owner)!r} has a usage counter {name!r} that is not a whole number")
    return int(min(max(total, counted), LARGEST_TOKENS))


def decode_step(text: bytes | msgspec.Raw) -> Step:
    """The step in a stored record, with defaults filled in (docs/FORMAT.md, section 3.2). FormatError."""
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
    """The record to store for a step, as the package writes it: optional keys only if not empty."""
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
    check_step_size(text)
    return text


class _Named(msgspec.Struct, gc=False):
    """The lists of other steps in a record, undecoded."""

    parent_ids: msgspec.Raw = msgspec.Raw(b"")
    causal_ids: msgspec.Raw = msgspec.Raw(b"")


_named = msgspec.json.Decoder(_Named)


def check_step_size(text: bytes | msgspec.Raw) -> None:
    """LimitError when a minified record names too many steps, or has an object with too many keys in it."""
    if len(text) <= SHORTEST_LARGE:
        return
    named = _named.decode(text)
    if more_values(named.parent_ids, MOST_NAMED) or more_values(named.causal_ids, MOST_NAMED):
        raise LimitError(f"a step names more than {MOST_NAMED:,} other steps as its parents or causes")
    check_keys_per_object([text])
