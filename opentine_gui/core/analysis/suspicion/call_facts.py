"""The facts of a call that the search for suspects needs, small enough to keep while a run grows."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.structure.call_roles import Call, call_in


class CallFacts(NamedTuple):
    """A call, with hashes of its arguments and of its answer."""

    call: Call
    asked: bytes
    answered: bytes


class _Payload(msgspec.Struct, gc=False):
    inputs: msgspec.Raw = msgspec.Raw(b"")
    outputs: msgspec.Raw = msgspec.Raw(b"")
    error: msgspec.Raw = msgspec.Raw(b"")


_payload = msgspec.json.Decoder(_Payload)


def call_facts(
    graph: Graph, steps: Iterable[int], known: MutableMapping[str, CallFacts] | None = None
) -> dict[int, CallFacts]:
    """The facts of tool steps by position; `known` holds those found before, by step id, and receives the new ones."""
    known = {} if known is None else known
    found = {}
    for step in steps:
        identity = graph.ids[step]
        here = known.get(identity)
        if here is None:
            raw = graph.raws[step]
            payload = _payload.decode(raw)
            answer = bytes(payload.outputs) + bytes(payload.error)
            here = known[identity] = CallFacts(call_in(raw), _hash(bytes(payload.inputs)), _hash(answer))
        found[step] = here
    return found


def _hash(content: bytes) -> bytes:
    return blake2b(content, digest_size=12).digest()
