"""Decodes step records to columns without building their payloads (docs/FORMAT.md, section 3.2)."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from itertools import chain, compress
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import astuple

from opentine_gui.core.errors import FormatError
from opentine_gui.core.format.duplicate_keys import (
    Members,
    Text,
    check_own_keys,
    lossless,
    spelled_as,
    values_in_order,
)
from opentine_gui.core.graph.head_shapes import ABSENT, Amount, Billing, Count, Head, HeadColumns, Ran, RecordShape
from opentine_gui.core.graph.outcomes.masked_failure import masked_failure
from opentine_gui.core.graph.outcomes.stopped import FOUND_NOTHING, is_silent_search, says_nothing_but_1, stopped_by
from opentine_gui.core.graph.selection import picked_in_parts
from opentine_gui.core.graph.step_record import (
    COST_CODE,
    NO_TOKENS,
    Columns,
    Parents,
    count_usage,
)
from opentine_gui.core.model import V3_KINDS, CostState, StepKind, cost_of, short_id
from opentine_gui.core.progress import Pace

_KNOWN_CODE = COST_CODE[CostState.KNOWN]
_UNPRICED_CODE = COST_CODE[CostState.UNPRICED]
_MISSING_CODE = COST_CODE[CostState.NOT_RECORDED]

_ran = msgspec.json.Decoder(Ran)
_PIPE = re.compile(rb"\|")
_LONGEST_WORD = 1 << 16
"""Most bytes of a value that is decoded here; numbers and words with a meaning are shorter."""
_SPELLED = ("model_info", "billing", "causal_ids", "parent_id", "provider", "usage", "v3_kind")
"""Fields that are kept as they are spelled, and may hold containers."""
_MOST_STRUCTURE = 1 + 2 * len(Head.__struct_fields__) + 2 * 5
"""Structural characters of a record: its own braces, colons and commas, and the brackets of four objects and a list."""
_records = msgspec.json.Decoder(list[RecordShape])
_heads = msgspec.json.Decoder(list[Head])
_heads_by_id = msgspec.json.Decoder(dict[str, Head])
_members = msgspec.json.Decoder(Members)
_times = msgspec.json.Decoder(list[int | float])
_amounts = msgspec.json.Decoder(list[Amount])
_usages = msgspec.json.Decoder(list[dict[str, Count] | None])
_billings = msgspec.json.Decoder(list[Billing | None])
_BILLING = Billing.__struct_fields__
_causes = msgspec.json.Decoder(list[list[str] | None])


class Unchecked(NamedTuple):
    """The texts in records that `check_values` must still check: deeper values, or whole records if keys may repeat.

    `structure`: structural characters of the records outside these texts. `tidy`: whether what is outside them is known
    to be tidy (`format.duplicate_keys`).
    """

    texts: Sequence[Text]
    structure: int
    tidy: bool


class Taken(NamedTuple):
    """Records of an object, in its order: their keys in it, the ids they give themselves, their parents and texts."""

    keys: list[str]
    ids: Sequence[str]
    parents: list[Parents]
    raws: Sequence[Text]
    unchecked: Unchecked


class Heads:
    """Collects the heads (all but the payload) of step records in file order; `columns` can reorder them.

    Fields that few steps have are kept in dicts by position.
    """

    __slots__ = (
        "_causal",
        "_costs",
        "_doubtful",
        "_durations",
        "_failed",
        "_kinds",
        "_piped",
        "_states",
        "_stopped",
        "_timestamps",
        "_tokens",
        "_v3_kinds",
    )

    def __init__(self) -> None:
        self._kinds: list[StepKind] = []
        self._costs: list[int | float] = []
        self._durations: list[int | float] = []
        self._timestamps: list[int | float] = []
        self._failed: list[int] = []
        self._states: dict[int, int] = {}
        self._tokens: dict[int, int] = {}
        self._causal: dict[int, tuple[str, ...]] = {}
        self._v3_kinds: dict[int, str] = {}
        self._stopped: dict[int, str] = {}
        self._doubtful: list[int] = []
        """Failed steps that may be searches that found nothing: what they ran is looked at with their records."""
        self._piped: list[int] = []
        """Calls without an error that may have run a check in a pipe, which hides its exit code; looked at as well."""

    def add_records(self, texts: Sequence[Text]) -> None:
        """Append the heads of minified step records. FormatError names the step and the field that is wrong."""
        if texts:
            try:
                self._add(_heads.decode(b"[" + b",".join(texts) + b"]"))
            except msgspec.ValidationError as error:
                raise _explain(texts, error) from error
            self._judge(texts)

    def add_members(self, text: bytes) -> Taken:
        """Append the heads of the records in a minified object. Errors are those of `add_records`, and DuplicateKey."""
        try:
            by_id = _heads_by_id.decode(text)
            heads = list(by_id.values())
            columns, tidy = self._add(heads)
        except msgspec.ValidationError as error:
            raise _explain([*_members.decode(text).values()], error) from error
        parents = [
            names[0] if names and len(names) == 1 else names or _older_parent(heads[place])
            for place, names in enumerate(columns.parent_ids)
        ]
        raws: Sequence[Text] | None = values_in_order(by_id, text)
        if raws is not None:
            unchecked = _inside(columns, tidy)
        else:
            members = _members.decode(text)
            raws = list(members.values())
            if lossless(by_id, text):
                unchecked = _inside(columns, False)
            else:
                check_own_keys(text, members)
                unchecked = Unchecked(raws, 0, False)
        self._judge(raws)
        return Taken(list(by_id), columns.id, parents, raws, unchecked)

    def _judge(self, texts: Sequence[Text]) -> None:
        """Look at what doubtful steps ran and printed; `texts` are the records added last.

        A search that found nothing is stopped, not failed, and a check in a pipe failed if its output says so.
        """
        base = len(self._kinds) - len(texts)
        for position in self._doubtful:
            ran = _what_ran(texts[position - base])
            if ran is not None and is_silent_search(ran.inputs, ran.outputs):
                self._stopped[position] = FOUND_NOTHING
            else:
                self._failed.append(position)
        for position in self._piped:
            ran = _what_ran(texts[position - base])
            if ran is not None and masked_failure(ran.inputs, ran.outputs):
                self._failed.append(position)
        self._doubtful.clear()
        self._piped.clear()

    def _add(self, heads: list[Head]) -> tuple[HeadColumns, bool]:
        """Append heads; returns (their columns, whether their figures are spelled as in canonical JSON)."""
        columns = HeadColumns._make(zip(*map(astuple, heads), strict=True))
        costs, tidy_costs = _figures(columns.cost, _amounts)
        durations, tidy_durations = _figures(columns.duration, _amounts)
        times, tidy_times = _figures(columns.timestamp, _times)
        base = len(self._kinds)
        self._kinds += columns.kind
        self._costs += [cost or 0.0 for cost in costs]
        self._durations += [duration or 0.0 for duration in durations]
        self._timestamps += times
        for place in compress(range(len(heads)), columns.error):
            stopped = stopped_by(columns.error[place] or {})
            if stopped:
                self._stopped[base + place] = stopped
            elif says_nothing_but_1(columns.error[place] or {}):
                self._doubtful.append(base + place)
            else:
                self._failed.append(base + place)
        calls = compress(range(len(heads)), map(StepKind.TOOL.__eq__, columns.kind))
        for place in calls:
            inputs = columns.inputs[place]
            if inputs and not columns.error[place] and any(map(_PIPE.search, inputs.values())):
                self._piped.append(base + place)
        self._add_special(base, columns)
        return columns, tidy_costs and tidy_durations and tidy_times

    def _add_special(self, base: int, columns: HeadColumns) -> None:
        """Append what few steps have: counters, billing, causes, a newer kind. `base`: position of the first step."""
        usages = _decoded(columns.usage, _usages)
        for place, usage in usages.items():
            if usage:
                self._tokens[base + place] = count_usage(usage, columns.id[place])
                if not self._costs[base + place]:
                    self._states[base + place] = _UNPRICED_CODE
        for place, billing in _decoded(columns.billing, _billings).items():
            if billing is not None:
                said = {name: _short(value) for name, value in zip(_BILLING, astuple(billing), strict=True)}
                self._costs[base + place], state = cost_of(self._costs[base + place], usages.get(place), said)
                self._states[base + place] = COST_CODE[state]
        for place, causes in _decoded(columns.causal_ids, _causes).items():
            if causes:
                self._causal[base + place] = tuple(causes)
        for place in compress(range(len(columns.v3_kind)), columns.v3_kind):
            v3_kind = _short(columns.v3_kind[place])
            if isinstance(v3_kind, list | dict):
                raise FormatError(f"step {short_id(columns.id[place])!r} has a v3_kind that is not a name")
            if v3_kind in V3_KINDS:
                self._v3_kinds[base + place] = v3_kind

    def columns(self, positions: Sequence[int] = (), places: Sequence[int] = (), pace: Pace | None = None) -> Columns:
        """The columns of all records, in the order added or with record `positions[i]` as entry i.

        `places` is the inverse: record i becomes entry `places[i]`. `pace` is called between batches. FormatError for a
        timestamp too large for a float.
        """
        pick = picked_in_parts(positions or range(len(self._kinds)), pace or Pace())
        costs = pick(self._costs, 0.25)
        found = Columns()
        found.kinds = pick(self._kinds, 0.5)
        found.costs = array("d", costs)
        found.durations = array("d", pick(self._durations, 0.75))
        try:
            found.timestamps = array("d", pick(self._timestamps, 1.0))
        except OverflowError as error:
            raise FormatError("a step's timestamp is too large", cause=error) from error
        found.cost_states = bytearray([_KNOWN_CODE if cost > 0 else _MISSING_CODE for cost in costs])
        found.failed = bytearray(len(costs))
        found.tokens = array("q", [NO_TOKENS]) * len(costs)
        where = places if positions else range(len(costs))
        for position in self._failed:
            found.failed[where[position]] = 1
        for position, state in self._states.items():
            found.cost_states[where[position]] = state
        for position, count in self._tokens.items():
            found.tokens[where[position]] = count
        found.causal = {where[position]: causes for position, causes in self._causal.items()}
        found.v3_kinds = {where[position]: kind for position, kind in self._v3_kinds.items()}
        found.stopped = {where[position]: how for position, how in self._stopped.items()}
        return found


def _what_ran(text: Text) -> Ran | None:
    """The inputs and outputs of a record; None if they cannot be decoded: reading the step says what is wrong."""
    try:
        return _ran.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _short(text: msgspec.Raw) -> Any:
    """The value of a short text, or an empty value of the same type: long ones are not examined."""
    if not text:
        return None
    if len(text) <= _LONGEST_WORD:
        return msgspec.json.decode(text)
    return {b"[": [], b"{": {}}.get(bytes(memoryview(text)[:1]), "")


def _listed(texts: Sequence[msgspec.Raw]) -> bytes:
    return b"[" + b",".join(texts) + b"]"


def _given(column: Sequence[msgspec.Raw]) -> list[msgspec.Raw]:
    """The recorded values of an optional field; most fields have none, which is checked first because it is fast."""
    return [] if column.count(ABSENT) == len(column) else [*filter(None, column)]


def _decoded(column: Sequence[msgspec.Raw], decoder: msgspec.json.Decoder[list[Any]]) -> dict[int, Any]:
    """The decoded values of an optional field where it is recorded, by place."""
    given = _given(column)
    if not given:
        return {}
    return dict(zip(compress(range(len(column)), column), decoder.decode(_listed(given)), strict=True))


def _figures(column: Sequence[msgspec.Raw], decoder: msgspec.json.Decoder[list[Any]]) -> tuple[list[Any], bool]:
    """(the numbers of a required field, whether they are spelled as in canonical JSON)."""
    text = _listed(column)
    values = decoder.decode(text)
    return values, spelled_as(values, text)


def _older_parent(head: Head) -> Parents:
    """The parent in the older field `parent_id`, which counts when `parent_ids` is missing or null."""
    if head.parent_ids is not None and head.parent_ids is not msgspec.UNSET:
        return ()
    is_text = bytes(memoryview(head.parent_id)[:1]) == b'"'
    parent = msgspec.json.decode(head.parent_id) if is_text else None
    return parent if isinstance(parent, str) and parent else ()


def _inside(columns: HeadColumns, tidy: bool) -> Unchecked:
    """What is left to check in records whose own keys, and those of their required objects, are known not to repeat."""
    values: list[Text] = []
    for objects in (columns.inputs, columns.outputs, columns.tool_info, columns.error):
        values += chain.from_iterable(map(dict.values, filter(None, objects)))
    parents = sum([len(names) for names in columns.parent_ids if names])
    structure = len(columns.id) * _MOST_STRUCTURE + 2 * len(values) + parents
    for name in _SPELLED:
        values += _given(getattr(columns, name))
    return Unchecked(values, structure, tidy)


def _explain(texts: Sequence[bytes | msgspec.Raw], error: msgspec.ValidationError) -> FormatError:
    """A FormatError that names the step whose record the batch decoder refused."""
    for text in texts:
        try:
            _records.decode(b"[" + bytes(text) + b"]")
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
