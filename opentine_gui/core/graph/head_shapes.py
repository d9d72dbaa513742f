"""The shapes in which step records are decoded without building their payloads (docs/FORMAT.md, section 3.2)."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import msgspec

from opentine_gui.core.format.duplicate_keys import Members
from opentine_gui.core.graph.step_record import LARGEST_EXACT
from opentine_gui.core.model import JsonObject, StepKind

Count = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_EXACT)] | Annotated[float, msgspec.Meta(ge=0)]
Amount = Count | None


class AnyObject(msgspec.Struct, gc=False):
    """Any JSON object; its members are skipped, not built."""


class RecordShape(msgspec.Struct, gc=False):
    """A record's shape (docs/FORMAT.md, section 3.2), with every field checked."""

    id: str
    kind: StepKind
    inputs: AnyObject | None
    outputs: AnyObject | None
    tool_info: AnyObject | None
    error: AnyObject | None
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


class Ran(msgspec.Struct, gc=False):
    """The inputs and outputs of a step."""

    inputs: Any = None
    outputs: Any = None


ABSENT = msgspec.Raw(b"")
"""An optional field that is not there."""


class Billing(msgspec.Struct, gc=False):
    """The fields of a billing record that count (docs/FORMAT.md, section 3.6); the others are not built."""

    status: msgspec.Raw = ABSENT
    known_subtotal_usd: msgspec.Raw = ABSENT


class Head(msgspec.Struct, gc=False, kw_only=True, omit_defaults=True):
    """The same record with everything but strings and objects left as raw JSON, so that it can be encoded as it was.

    The fields are sorted as in a file: the decoder then finds each where it looks first.
    """

    billing: msgspec.Raw = ABSENT
    causal_ids: msgspec.Raw = ABSENT
    cost: msgspec.Raw
    duration: msgspec.Raw
    error: Members | None
    id: str
    inputs: Members | None
    kind: StepKind
    model_info: msgspec.Raw
    outputs: Members | None
    parent_id: msgspec.Raw = ABSENT
    parent_ids: list[str] | msgspec.UnsetType | None = msgspec.UNSET
    provider: msgspec.Raw = ABSENT
    timestamp: msgspec.Raw
    tool_info: Members | None
    usage: msgspec.Raw = ABSENT
    v3_kind: msgspec.Raw = ABSENT


class HeadColumns(NamedTuple):
    """Many heads, transposed: for each field a tuple with one entry a step."""

    billing: tuple[msgspec.Raw, ...]
    causal_ids: tuple[msgspec.Raw, ...]
    cost: tuple[msgspec.Raw, ...]
    duration: tuple[msgspec.Raw, ...]
    error: tuple[Members | None, ...]
    id: tuple[str, ...]
    inputs: tuple[Members | None, ...]
    kind: tuple[StepKind, ...]
    model_info: tuple[msgspec.Raw, ...]
    outputs: tuple[Members | None, ...]
    parent_id: tuple[msgspec.Raw, ...]
    parent_ids: tuple[list[str] | msgspec.UnsetType | None, ...]
    provider: tuple[msgspec.Raw, ...]
    timestamp: tuple[msgspec.Raw, ...]
    tool_info: tuple[Members | None, ...]
    usage: tuple[msgspec.Raw, ...]
    v3_kind: tuple[msgspec.Raw, ...]
