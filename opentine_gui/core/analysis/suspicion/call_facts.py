"""The facts of a call that the search for suspects needs, small enough to keep while a run grows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from enum import IntEnum
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from opentine_gui.core.analysis.suspicion.check_scope import all_passed, checks_of
from opentine_gui.core.graph.calls.call_roles import Call, Role, call_in
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.outcomes.masked_failure import hides_exit_code, printed_failure, says_passed
from opentine_gui.core.graph.outcomes.printed_verdict import printed_verdict

PROSE = (".md", ".txt", ".rst", ".adoc")
"""Endings of files whose edits need no check."""


_EXIT_CODES = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")
NO_CODE = -1
"""An exit code that stands for none."""


class Told(IntEnum):
    """What is known of how a check ended, in a log that does not say of a call that it failed."""

    RECORDED = 0
    """Its exit code is recorded, or it is no command that checks something."""
    FAILED = 1
    PASSED = 2
    NOTHING = 3
    """What it printed says neither."""


class CallFacts(NamedTuple):
    """A call, with hashes of its arguments and of its answer.

    `unclear`: a check whose exit code is lost in a pipe, or is that of another command (`Line.lost`), and whose output
    does not say that all of it passed. `says_failed`: it is that of another command, and the output says that it
    failed. `told` is looked for only in a log that does not flag calls that failed.
    """

    call: Call
    asked: bytes
    answered: bytes
    unclear: bool = False
    says_failed: bool = False
    told: Told | None = None


class _Payload(msgspec.Struct, gc=False):
    inputs: msgspec.Raw = msgspec.Raw(b"")
    outputs: msgspec.Raw = msgspec.Raw(b"")
    error: msgspec.Raw = msgspec.Raw(b"")
    tool_info: msgspec.Raw = msgspec.Raw(b"")


_payload = msgspec.json.Decoder(_Payload)


def call_facts(
    graph: Graph, steps: Iterable[int], known: MutableMapping[str, CallFacts] | None = None, *, flags: bool = True
) -> dict[int, CallFacts]:
    """The facts of tool steps by position; `known` holds those found before, by step id, and receives the new ones.

    Without `flags`, the log says of no call by itself that it failed: then what checks printed is looked at.
    """
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
        if here.told is None and not flags:
            known_end = graph.failed[step] or step in graph.stopped
            told = Told.RECORDED if known_end else _told(here.call, _payload.decode(graph.raws[step]))
            here = known[identity] = here._replace(told=told)
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
    if passed and not failed and len(line.all) > 1:
        passed = all_passed(line, printed_verdict([outputs, error]).passed)
    return failed or not passed, failed


def _told(call: Call, payload: _Payload) -> Told:
    """What is known of how the checks of a command ended, if neither a flag nor an exit code says it."""
    if not call.command or (call.role is not Role.TEST and "&&" not in call.command):
        return Told.RECORDED
    line = checks_of(call)
    if not line.all:
        return Told.RECORDED
    try:
        outputs, about = (msgspec.json.decode(part) if part else None for part in (payload.outputs, payload.tool_info))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Told.NOTHING
    if any(_has_exit_code(values) for values in (about, outputs)):
        return Told.RECORDED
    verdict = printed_verdict(outputs)
    if verdict.failed:
        return Told.FAILED
    return Told.PASSED if all_passed(line, verdict.passed) else Told.NOTHING


def _has_exit_code(values: Any) -> bool:
    if not isinstance(values, Mapping):
        return False
    codes = (values.get(key) for key in _EXIT_CODES)
    said = any(isinstance(code, int) and not isinstance(code, bool) and code != NO_CODE for code in codes)
    return said or _has_exit_code(values.get("result"))


def _hash(content: bytes) -> bytes:
    return blake2b(content, digest_size=12).digest()
