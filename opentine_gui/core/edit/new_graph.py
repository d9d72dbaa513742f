"""Makes a graph of new steps in one pass: each payload is encoded once, for the id and for the record alike."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import count
from json import JSONEncoder, encoder
from math import inf, isfinite
from typing import Any

import msgspec

from opentine_gui.core.edit.new_step import OUTSIDE_A_STEP, amount, seconds
from opentine_gui.core.errors import FormatError, LimitError
from opentine_gui.core.format.canonical import check_names, quote
from opentine_gui.core.format.checks import check_depth, check_digits, check_pairs
from opentine_gui.core.graph.graph import CANONICAL, Graph, Raw
from opentine_gui.core.graph.outcomes.masked_failure import is_failure
from opentine_gui.core.graph.outcomes.stopped import ended_by
from opentine_gui.core.graph.selection import Selection
from opentine_gui.core.graph.step_record import LARGEST_EXACT, Columns, check_step_size, count_usage
from opentine_gui.core.model import V3_KINDS, JsonObject, StepKind

_encode = JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, default=repr).encode
_make_encoder = getattr(encoder, "c_make_encoder", None)
_quote_ascii = msgspec.json.Encoder().encode
_pieces_of = _make_encoder and _make_encoder(None, repr, quote, None, ":", ",", True, False, False)
"""The C encoder, made once where this Python has one: `_encode` makes it anew for each of a step's short values."""


class NewGraph:
    """Collects new steps, parents before children; `graph()` gives them as they were added.

    The same steps as from `new_step` and `Graph.with_steps`, in a fraction of the time: nothing is copied, so the
    caller's values may be dropped as soon as `add` returns.
    """

    def __init__(self, *, names_are_text: bool = False, texts_are_whole: bool = False) -> None:
        """`names_are_text`: all contents come from JSON, so every key in them is text.

        `texts_are_whole`: they come from a decoder that refuses lone surrogates, as msgspec's does.
        """
        self._check_names = not names_are_text
        self._check_pairs = not texts_are_whole
        self.ids: list[str] = []
        self._index: dict[str, int] = {}
        self._parents: list[tuple[int, ...]] = []
        self._raws: list[Raw] = []
        self._columns = Columns()
        self._repeats: dict[str, int] = {}

    def add(
        self,
        kind: StepKind,
        inputs: JsonObject,
        parents: Sequence[int],
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
    ) -> int:
        """Add a step on the steps at the positions `parents`; returns its position.

        A step that is there already is added again with `tool_info.nth` = 2, 3 and so on: it happened again. Raises
        as `new_step` does.
        """
        if v3_kind is not None and v3_kind not in V3_KINDS:
            raise FormatError(f"{str(v3_kind)[:40]!r} is not an event kind of format 3")
        if self._check_names:
            check_names([inputs, outputs, model_info])
        ids = self.ids
        inside: list[bytes] = []
        model = quote(model_info) if type(model_info) is str else _unchecked(model_info)
        above = '","'.join([ids[parent] for parent in parents])
        between = f',"kind":"{kind.value}","model_info":{model},"outputs":'
        below = f',"parent_ids":["{above}"]' if above else ',"parent_ids":[]'
        parts = [b'"inputs":']
        _add_object(inputs, parts, inside)
        parts.append(between.encode("ascii"))
        _add_object(outputs or {}, parts, inside)
        parts.append(below.encode("ascii"))
        core = b"".join(parts)
        encoded = _encoded if self._check_names else _unchecked
        said = encoded(error) if error else "{}"
        identity, tool = self._free_id(said, core, tool_info or {})
        timestamp = timestamp if type(timestamp) is float and isfinite(timestamp) else seconds(timestamp)
        duration = (
            duration if type(duration) is float and 0.0 <= duration < inf else float(amount("duration", duration))
        )
        cost = cost if type(cost) is float and 0.0 <= cost < inf else float(amount("cost", cost))
        # All members, sorted, without optional ones that are empty: the record that `record_of` gives.
        before = after = source = ""
        counters: dict[str, int | float] = {}
        if usage:
            counters = {
                name: value if type(value) is int and 0 <= value <= LARGEST_EXACT else _counter(name, value)
                for name, value in usage.items()
            }
            count_usage(counters, identity)
            after = f',"usage":{_unchecked(counters)}'
        if billing:
            before = f'"billing":{encoded(billing)},'
        if causal_ids:
            before += f'"causal_ids":{_unchecked(list(causal_ids))},'
        if v3_kind:
            after += f',"v3_kind":"{v3_kind}"'
        if provider:
            source = f'"provider":{_encoded(provider)},'
        begin = f'{{{before}"cost":{cost!r},"duration":{duration!r},"error":{said},"id":"{identity}",'
        end = f',{source}"timestamp":{timestamp!r},"tool_info":{tool}{after}}}'
        raw = b"".join((begin.encode("ascii"), core, end.encode("ascii")))
        if self._check_pairs and b"\\ud" in raw:  # as the encoder escapes what may be a lone surrogate
            check_pairs(raw)
        check_digits(raw)
        if inside:
            check_depth(inside, OUTSIDE_A_STEP + 2)
        if error or tool_info or billing or type(model_info) is not str:
            check_depth([text.encode("ascii") for text in (said, tool, before, model)], OUTSIDE_A_STEP + 1)
        check_step_size(raw)
        position = len(ids)
        ids.append(identity)
        self._index[identity] = position
        self._parents.append(tuple(parents))
        self._columns.add(
            kind, v3_kind, timestamp, duration, cost, counters, billing, tuple(causal_ids),
            is_failure(kind, error, inputs, outputs), ended_by(error, inputs, outputs) if error else "",
        )  # fmt: skip
        self._raws.append(raw)
        return position

    def _free_id(self, error: str, core: bytes, tool_info: JsonObject) -> tuple[str, str]:
        """(a free id for the content, its `tool_info` as text), numbered if the same step was added before."""
        text = _text(tool_info) if tool_info else "{}"
        first = identity = _identity(error, core, text)
        if first in self._index:
            for nth in count(self._repeats.get(first, 1) + 1):
                text = _text({**tool_info, "nth": nth})
                identity = _identity(error, core, text)
                if identity not in self._index:
                    self._repeats[first] = nth
                    break
        return identity, text

    def cut(self, count: int) -> None:
        """Remove all steps but the first `count`."""
        for identity in self.ids[count:]:
            del self._index[identity]
        del self.ids[count:], self._parents[count:], self._raws[count:]
        self._columns.cut(count)
        self._repeats.clear()  # it only says where to begin counting

    def raw(self, position: int) -> Raw:
        """The record of a step."""
        return self._raws[position]

    def copy(self) -> NewGraph:
        """The same steps, to make a graph of while more is added here; the records are shared."""
        other = NewGraph(names_are_text=not self._check_names, texts_are_whole=not self._check_pairs)
        other.ids, other._index = self.ids.copy(), self._index.copy()
        other._parents, other._raws = self._parents.copy(), self._raws.copy()
        other._columns = self._columns.taken(Selection(range(len(self.ids))))
        return other

    def graph(self) -> Graph:
        """All steps; nothing may be added afterwards."""
        proved = bytearray([CANONICAL]) * len(self.ids)
        return Graph(self.ids, self._parents, self._raws, self._columns, self._index, proved)


def _identity(error: str, core: bytes, tool_info: str) -> str:
    """The digest of the canonical text that `core.format.canonical.step_id` makes, from its parts."""
    digest = sha256(f'{{"error":{error},'.encode("ascii"))
    digest.update(core)
    digest.update(f',"tool_info":{tool_info}}}'.encode("ascii"))
    return digest.hexdigest()


def _add_object(value: JsonObject, parts: list[bytes], inside: list[bytes]) -> None:
    """Add the canonical text of an object to `parts`, and to `inside` those of its members that can hold others.

    msgspec spells ASCII as canonical JSON does, but for one character, and several times as fast.
    """
    begun = len(parts)
    comma = b"{"
    try:
        for name in sorted(value):
            item = value[name]
            if type(item) is not str:
                text = _unchecked(item).encode("ascii")
                inside.append(text)
            elif item.isascii() and "\x7f" not in item:
                text = _quote_ascii(item)
            else:
                text = quote(item).encode("ascii")
            parts += (comma, quote(name).encode("ascii"), b":", text)
            comma = b","
    except TypeError:  # a key that is not text
        text = _unchecked(value).encode("ascii")
        inside.append(text)
        parts[begun:] = [text]
        return
    parts.append(b"{}" if comma == b"{" else b"}")


def _counter(name: str, value: Any) -> int | float:
    return amount(f"usage {name!r}", value, whole=True)


def _text(value: JsonObject | None) -> str:
    """As `_encoded`, of an object; None is an empty one."""
    return _encoded(value) if value else "{}"


def _encoded(value: Any) -> str:
    check_names(value)
    return _unchecked(value)


def _unchecked(value: Any) -> str:
    """The canonical text of a part. FormatError for what is not JSON, LimitError for what is nested too deeply."""
    try:
        return "".join(_pieces_of(value, 0)) if _pieces_of is not None else _encode(value)
    except RecursionError as error:
        raise LimitError("the value is nested too deeply to be written") from error
    except (ValueError, TypeError) as error:
        raise FormatError("the value cannot be written as JSON", cause=error) from error
