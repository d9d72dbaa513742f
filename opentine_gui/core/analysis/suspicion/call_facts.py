"""The facts of a call that the search for suspects needs, small enough to keep while a run grows."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from opentine_gui.core.analysis.suspicion.check_scope import checks_of
from opentine_gui.core.graph.calls.call_roles import Call, Role, call_in
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.outcomes.masked_failure import hides_exit_code, printed_failure, says_passed

PROSE = (".md", ".txt", ".rst", ".adoc")
"""Endings of files whose edits need no check."""


class CallFacts(NamedTuple):
    """A call, with hashes of its arguments and of its answer.

    `unclear`: a check whose exit code is lost in a pipe, or is that of another command (`Line.lost`), and whose output
    does not say that all of it passed. `says_failed`: it is that of another command, and the output says that it
    failed.
    """

    call: Call
    asked: bytes
    answered: bytes
    unclear: bool = False
    says_failed: bool = False


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
            ended = _ended(call, payload) if call.role is Role.TEST else (False, False)
            here = known[identity] = CallFacts(call, _hash(bytes(payload.inputs)), _hash(answer), *ended)
        found[step] = here
    return found


def _ended(call: Call, payload: _Payload) -> tuple[bool, bool]:
    """(how a check ended is unclear, its output says that it failed where the exit code is that of another command)."""
    line = checks_of(call) if ";" in call.command or "\n" in call.command else None
    lost = line is not None and line.lost
    if not lost and not (payload.outputs and hides_exit_code(call.command)):
        return False, False
    try:
        outputs, error = (msgspec.json.decode(part) if part else None for part in (payload.outputs, payload.error))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return True, False
    passed = says_passed(outputs) or (lost and says_passed(error))
    if line is None or not lost:
        return not passed, False
    failed = bool(printed_failure(outputs) or printed_failure(error))
    return failed or not passed or len(line.all) > 1, failed


def _hash(content: bytes) -> bytes:
    return blake2b(content, digest_size=12).digest()
