"""Hashes of a step's own content and request, independent of its parents; differences of two records of one id.

A step id covers the parents, so one early change gives every later step a new id. The hash of its own content does not:
it tells a changed step from the same work after a changed start.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from enum import IntFlag
from weakref import WeakKeyDictionary

import msgspec

from opentine_gui.core.errors import TineError
from opentine_gui.core.format.canonical import canonical_texts
from opentine_gui.core.graph.graph import Graph, Raw
from opentine_gui.core.graph.step_address import canonical_records
from opentine_gui.core.progress import Pace, batches, collector_paused

SMALLEST_COST = 1e-12
"""US dollars; costs that differ by no more count as equal, as in the package (docs/FORMAT.md, section 11)."""
_NULL = msgspec.Raw(b"null")
_EMPTY = b"{}"


class Contents(msgspec.Struct, gc=False):
    """Two SHA-256 hashes of one step, 32 bytes each: of its own content, and of its call (kind and inputs)."""

    own: bytes
    call: bytes


class Unlike(IntFlag):
    """Which groups of fields differ between two records of one step id."""

    NOTHING = 0
    CONTENT = 1
    COST = 2
    TIME = 4


class _Own(msgspec.Struct, gc=False):
    kind: msgspec.Raw
    inputs: msgspec.Raw
    outputs: msgspec.Raw
    model_info: msgspec.Raw
    tool_info: msgspec.Raw
    error: msgspec.Raw


class _Whole(_Own, gc=False):
    cost: msgspec.Raw
    duration: msgspec.Raw
    timestamp: msgspec.Raw
    usage: msgspec.Raw = _NULL
    billing: msgspec.Raw = _NULL


_own = msgspec.json.Decoder(list[_Own])
_whole = msgspec.json.Decoder(list[_Whole])
_known: WeakKeyDictionary[Graph, dict[int, Contents]] = WeakKeyDictionary()


def contents(graph: Graph, positions: Sequence[int], *, pace: Pace | None = None) -> list[Contents]:
    """The hashes of the steps at `positions`, over canonical text; cached as long as the graph lives.

    `pace` gets fractions from 0 to 1.
    """
    known = _known.setdefault(graph, {})
    missing = [position for position in positions if position not in known]
    if missing:
        pace = pace or Pace()
        with collector_paused():
            for part in batches([graph.raws[position] for position in missing]):
                chosen = missing[part]
                known.update(zip(chosen, _contents(graph, chosen), strict=True))
                pace.at((part.stop or 0) / len(missing))
    return [known[position] for position in positions]


def request_of(call: bytes, parent_ids: Sequence[str]) -> bytes:
    """The request hash for a call hash and parent ids."""
    return hashlib.sha256(call + "\0".join(parent_ids).encode()).digest()


def _contents(graph: Graph, positions: list[int]) -> list[Contents]:
    try:
        return [_hashes(step) for step in _own.decode(b"[" + b",".join(canonical_records(graph, positions)) + b"]")]
    except (TineError, msgspec.MsgspecError):
        return [_hashes_alone(graph.raws[position]) for position in positions]


def _hashes_alone(raw: Raw) -> Contents:
    """The hashes of one record, over its stored text if it has no canonical text."""
    try:
        return _hashes(_own.decode(b"[" + bytes(canonical_texts([raw])[0]) + b"]")[0])
    except (TineError, msgspec.MsgspecError):
        step = _own.decode(b"[" + bytes(raw) + b"]")[0]
        return _hashes(step)


def _hashes(step: _Own) -> Contents:
    call = b'{"inputs":%b,"kind":%b' % (_object(step.inputs), step.kind)
    own = b'%b,"outputs":%b,"model_info":%b,"tool_info":%b,"error":%b}' % (
        call,
        _object(step.outputs),
        step.model_info,
        _object(step.tool_info),
        _object(step.error),
    )
    return Contents(hashlib.sha256(own).digest(), hashlib.sha256(call).digest())


def _object(text: msgspec.Raw) -> bytes:
    """The text of an object field; null counts as the empty object (docs/FORMAT.md, section 3.2)."""
    plain = bytes(text)
    return _EMPTY if plain == b"null" else plain


def same_text(left: Raw, right: Raw) -> bool:
    """Whether two stored texts are the same bytes."""
    if left is right:
        return True
    return left == right if type(left) is type(right) else bytes(left) == bytes(right)


def unlike_records(
    left: Graph, right: Graph, pairs: Sequence[tuple[int, int]], *, pace: Pace | None = None
) -> dict[int, Unlike]:
    """How the records of steps with one id differ, by position in `left`; equal records are left out.

    `pairs` are positions in `left` and `right`. CONTENT stands for fields the id covers, parents included.
    """
    found: dict[int, Unlike] = {}
    pace = pace or Pace()
    other = [pair for pair in pairs if not same_text(left.raws[pair[0]], right.raws[pair[1]])]
    for part in batches([left.raws[position] for position, _ in other]):
        chosen = other[part]
        mine = _whole.decode(b"[" + b",".join([left.raws[position] for position, _ in chosen]) + b"]")
        yours = _whole.decode(b"[" + b",".join([right.raws[position] for _, position in chosen]) + b"]")
        for (here, there), one, two in zip(chosen, mine, yours, strict=True):
            difference = _unlike(one, two)
            if left.parent_ids(here) != right.parent_ids(there):
                difference |= Unlike.CONTENT
            if difference:
                found[here] = difference
        pace.at((part.stop or 0) / len(other))
    return found


def _unlike(one: _Whole, two: _Whole) -> Unlike:
    found = Unlike.NOTHING
    for name in _Own.__struct_fields__:
        if not _same_value(getattr(one, name), getattr(two, name), container=name not in ("kind", "model_info")):
            found |= Unlike.CONTENT
            break
    if (
        abs(_number(one.cost) - _number(two.cost)) > SMALLEST_COST
        or not _same_counts(one.usage, two.usage)
        or not _same_value(one.billing, two.billing, container=True)
    ):
        found |= Unlike.COST
    if _number(one.duration) != _number(two.duration) or _number(one.timestamp) != _number(two.timestamp):
        found |= Unlike.TIME
    return found


def _same_value(one: msgspec.Raw, two: msgspec.Raw, *, container: bool) -> bool:
    """Whether two JSON texts have the same canonical text (1 and 1.0 differ)."""
    if one == two:
        return True
    left, right = (_object(one), _object(two)) if container else (bytes(one), bytes(two))
    if left == right:
        return True
    try:
        left, right = map(bytes, canonical_texts([left, right]))
    except TineError:
        return False
    return left == right


def _same_counts(one: msgspec.Raw, two: msgspec.Raw) -> bool:
    """Whether two usage records are equal as numbers; 2 and 2.0 are (docs/FORMAT.md, section 3.6)."""
    return one == two or msgspec.json.decode(_object(one)) == msgspec.json.decode(_object(two))


def _number(text: msgspec.Raw) -> float:
    value = msgspec.json.decode(text)
    return float(value or 0.0)
