"""Step kinds, run statuses, steps, and what is known about a step's cost; all immutable."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from enum import StrEnum
from math import inf, isfinite
from typing import Any

import msgspec

from opentine_gui.core.errors import FormatError, shown

JsonObject = dict[str, Any]

TOKEN_FIELDS = frozenset(("input", "output", "cache_read", "cache_write_5m", "cache_write_1h", "reasoning"))
V3_KINDS = ("human", "subagent", "policy", "approval")
REDACTION_MARKER = "[REDACTED]"
SHORT_ID_LENGTH = 12
LARGEST_TOKENS = 2**63 - 1
"""Upper bound of a sum of tokens: counters may be floats, whose sum can be infinite."""


_TEXT, _COUNTERS = frozenset((str,)), frozenset((int, float))


class StepKind(StrEnum):
    """The kind of a step (docs/FORMAT.md, section 3.2)."""

    THINK = "think"
    TOOL = "tool"
    MODEL = "model"
    DONE = "done"
    ERROR = "error"
    # the spellings of the package's documentation
    think = THINK
    tool = TOOL
    model = MODEL
    done = DONE
    error = ERROR


SHOWN_KINDS = (*dict.fromkeys(kind.value for kind in StepKind), *V3_KINDS)
"""Every kind a step can be shown as, the one list of them; a kind's code in arrays is its place here.

A new kind needs a colour (`Theme`), a glyph and a title for a step without text; tests name what is missing.
"""


class RunStatus(StrEnum):
    """The status of a run (docs/FORMAT.md, section 3.1)."""

    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    # the spellings of the package's documentation
    running = RUNNING
    paused = PAUSED
    completed = COMPLETED
    failed = FAILED


def checked_status(status: Any) -> RunStatus:
    """One of the four states. FormatError for anything else."""
    try:
        return RunStatus(status if isinstance(status, str) else "")  # an enum spells out what it refuses
    except ValueError as error:
        raise FormatError(f"{shown(status)} is not a status of a run") from error


class CostState(StrEnum):
    """How much is known about a step's cost."""

    KNOWN = "known"
    PARTIAL = "partial"
    UNPRICED = "unpriced"
    NOT_RECORDED = "not recorded"


class Step(msgspec.Struct, frozen=True, eq=True):
    """One recorded step (docs/FORMAT.md, section 3.2). Times are Unix seconds, durations seconds, cost US dollars."""

    id: str
    parent_ids: tuple[str, ...]
    kind: StepKind
    inputs: JsonObject
    outputs: JsonObject = {}
    model_info: Any = ""
    tool_info: JsonObject = {}
    error: JsonObject = {}
    timestamp: float = 0.0
    duration: float = 0.0
    cost: float | None = 0.0
    usage: dict[str, int | float] = {}
    billing: JsonObject = {}
    causal_ids: tuple[str, ...] = ()
    provider: str = ""
    v3_kind: str | None = None
    extra: JsonObject = {}

    def __post_init__(self) -> None:
        """FormatError for a field of another type; what is in the objects is checked where they are stored."""
        if not (  # as in nearly every step: this is asked of each that is decoded
            type(self.id) is str
            and type(self.kind) is StepKind
            and type(self.parent_ids) is tuple
            and type(self.causal_ids) is tuple
            and _TEXT.issuperset(map(type, self.parent_ids + self.causal_ids))
            and type(self.inputs) is dict
            and type(self.outputs) is dict
            and type(self.tool_info) is dict
            and type(self.error) is dict
            and type(self.extra) is dict
            and type(self.billing) is dict
            and type(self.usage) is dict
            and _COUNTERS.issuperset(map(type, self.usage.values()))
            and max(self.usage.values(), default=0) <= LARGEST_TOKENS
            and type(self.timestamp) is float
            and type(self.duration) is float
            and (type(self.cost) is float or self.cost is None)
            and type(self.provider) is str
            and self.v3_kind is None
        ):
            self._check_fields()

    def _check_fields(self) -> None:
        check_type(self, "id", str, "text")
        check_type(self, "kind", StepKind, "a kind of step")
        for name in ("parent_ids", "causal_ids"):
            check_type(self, name, tuple, "a tuple of ids")
            check_all(self, name, str, "an id")
        check_objects(self, "inputs", "outputs", "tool_info", "error", "extra", "billing", "usage")
        cost = 0.0 if self.cost is None else self.cost
        numbers = (("timestamp", self.timestamp), ("duration", self.duration), ("cost", cost), *self.usage.items())
        for name, value in numbers:
            if not is_number(value):
                raise FormatError(f"{shown(value)} is not a finite number", place=name)
        check_type(self, "provider", str, "text")
        event: Any = self.v3_kind
        if event is not None and (not isinstance(event, str) or event not in V3_KINDS):
            raise FormatError(f"{shown(event)} is not an event kind of format 3", place="v3_kind")

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def parent_id(self) -> str | None:
        """The last parent, or None for a root (the package's singular view of `parent_ids`)."""
        return self.parent_ids[-1] if self.parent_ids else None

    @property
    def shown_kind(self) -> str:
        """The kind to show: `v3_kind` if there is one, else `kind`."""
        return self.v3_kind or self.kind._value_  # asked of every step several times; `value` takes four times as long

    @property
    def short_id(self) -> str:
        """The id as people read it, see `short_id`."""
        return short_id(self.id)

    @property
    def tokens(self) -> int | None:
        """Tokens used (docs/FORMAT.md, section 3.6), or None when no usage was recorded."""
        return token_count(self.usage)

    @property
    def counted_cost(self) -> float:
        """US dollars this step adds to the run's total (docs/FORMAT.md, section 3.6)."""
        return cost_of(self.cost, self.usage, self.billing)[0]

    @property
    def cost_state(self) -> CostState:
        """Whether the cost is known, partly known, unpriced or not recorded."""
        return cost_of(self.cost, self.usage, self.billing)[1]

    @property
    def known_cost(self) -> float | None:
        """US dollars, or None if the file does not give a cost."""
        cost, state = cost_of(self.cost, self.usage, self.billing)
        return cost if state in (CostState.KNOWN, CostState.PARTIAL) else None


class StepHead(msgspec.Struct, frozen=True, gc=False):
    """The figures of a step that a graph view needs, without its payload."""

    index: int
    id: str
    kind: StepKind
    shown_kind: str
    timestamp: float
    duration: float
    cost: float
    cost_state: CostState
    tokens: int | None
    failed: bool


def short_id(value: str) -> str:
    """The first twelve characters of an id after its last colon: ids from a repository are `event:sha256:<hex>`.

    FormatError if the id is not text.
    """
    try:
        return (value.rpartition(":")[2] or value)[:SHORT_ID_LENGTH]
    except (AttributeError, TypeError):
        raise FormatError(f"{shown(value)} is not an id: an id is text") from None


def id_begins_with(value: str, prefix: str) -> bool:
    """Whether an id, or its part after the last colon, begins with `prefix`."""
    return value.startswith(prefix) or value.rpartition(":")[2].startswith(prefix)


def token_count(usage: dict[str, int | float] | None) -> int | None:
    """max(total, sum of the other token counters), at most `LARGEST_TOKENS`; None without usage.

    docs/FORMAT.md, section 3.6.
    """
    if not usage:
        return None
    counted: int | float = 0
    for name, value in usage.items():
        if name in TOKEN_FIELDS:
            counted += value
    return int(min(max(usage.get("total", 0), counted), LARGEST_TOKENS))


def subtotal_of(billing: JsonObject | None) -> Decimal | None:
    """`billing.known_subtotal_usd` as a decimal, or None if it is absent or not a finite number >= 0."""
    value = billing.get("known_subtotal_usd") if billing else None
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return None
    try:
        amount = Decimal(str(value))
        usable = amount.is_finite() and amount >= 0 and float(amount) < float("inf")
    except (InvalidOperation, ValueError, OverflowError):
        return None
    return amount if usable else None


def cost_of(
    cost: float | None, usage: dict[str, int | float] | None, billing: JsonObject | None
) -> tuple[float, CostState]:
    """(US dollars to add to totals, how much is known) by the rules of docs/FORMAT.md, section 3.6."""
    stated = billing.get("known_subtotal_usd") if billing else None
    if type(stated) is float and 0.0 <= stated < inf:  # as logs state it; through its spelling it would be the same
        amount: Decimal | float | None = stated
    else:
        amount = subtotal_of(billing) if billing else None
    counted = float(amount) if amount is not None else float(cost or 0.0)
    status = billing.get("status") if billing else None
    if status == "partial":
        return counted, CostState.PARTIAL
    if status == "unknown":
        return counted, CostState.PARTIAL if counted > 0 else CostState.UNPRICED
    if counted > 0 or status in ("complete", "unmetered") or amount is not None:
        return counted, CostState.KNOWN
    return counted, CostState.UNPRICED if usage else CostState.NOT_RECORDED


def is_number(value: Any) -> bool:
    """Whether a value is a finite number that a float can hold."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return isfinite(value)
    except OverflowError:
        return False


def check_objects(value: object, *names: str) -> None:
    """FormatError unless these attributes are dicts whose keys are text."""
    for name in names:
        found = getattr(value, name)
        if not isinstance(found, dict):
            raise FormatError(f"{shown(found)} is no object", place=name)
        if not _TEXT.issuperset(map(type, found)):
            odd = next((key for key in found if not isinstance(key, str)), "")
            if isinstance(odd, str):
                continue
            raise FormatError(f"{shown(odd)} is the key of an object, and a key must be text", place=name)


def check_type(value: object, name: str, wanted: type[Any] | tuple[type[Any], ...], what: str) -> None:
    """FormatError unless this attribute is of a type, which the sentence calls `what`."""
    found = getattr(value, name)
    if not isinstance(found, wanted):
        raise FormatError(f"{shown(found)} is not {what}", place=name)


def check_all(value: object, name: str, wanted: type[Any], what: str) -> None:
    """FormatError unless everything in this attribute, a tuple or the values of an object, is of a type."""
    found = getattr(value, name)
    items = found.values() if isinstance(found, dict) else found
    if {wanted}.issuperset(map(type, items)):
        return
    for item in items:
        if not isinstance(item, wanted):
            raise FormatError(f"{shown(item)} is not {what}", place=name)
