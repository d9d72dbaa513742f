"""The facts of a call that the search for suspects needs, small enough to keep while a run grows."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from opentine_gui.core.graph.calls.call_roles import Call, Role, call_in
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.outcomes.masked_failure import hides_exit_code, says_passed

PROSE = (".md", ".txt", ".rst", ".adoc")
"""Endings of files whose edits need no check."""


class CallFacts(NamedTuple):
    """A call, with hashes of its arguments and of its answer.

    `unclear`: a check whose exit code is lost in a pipe, and whose output does not say how it ended.
    """

    call: Call
    asked: bytes
    answered: bytes
    unclear: bool = False


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
            call = call_in(raw)
            unclear = call.role is Role.TEST and _is_unclear(call, payload.outputs)
            here = known[identity] = CallFacts(call, _hash(bytes(payload.inputs)), _hash(answer), unclear)
        found[step] = here
    return found


def _is_unclear(call: Call, outputs: msgspec.Raw) -> bool:
    if not outputs or not hides_exit_code(call.command):
        return False
    try:
        return not says_passed(msgspec.json.decode(outputs))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return True


def _hash(content: bytes) -> bytes:
    return blake2b(content, digest_size=12).digest()
