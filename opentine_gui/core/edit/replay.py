"""Replays a run from its record alone: calls nothing, and names the first request without a recorded answer.

The new run is that of the package's cached replay (docs/FORMAT.md, section 10): a fork with a fixed intent and no
nonce, so that replaying twice gives the same id. The package accepts every recorded step as it is. Here each request is
first looked up by content address: in the step itself, whose id covers the request and its answer, and, for a tool
call, in the replay cache, whose key covers the request (docs/FORMAT.md, section 3.5). The key of a model's request also
covers the tools' schemas, which no file records, so its answer can only be that of its step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from opentine_gui.core.edit.fork import fork
from opentine_gui.core.errors import EditError, ReplayMiss, shown
from opentine_gui.core.format.canonical import canonical, sha256_hex
from opentine_gui.core.graph.step_address import StepVerdict, check_graph_ids
from opentine_gui.core.model import REDACTION_MARKER, JsonObject, RunStatus, Step, StepKind, checked_status, short_id
from opentine_gui.core.record import RunRecord, check_records

CACHE_MODE = "cache"
_TOOL_CALL = "tool.call"
_REQUESTS = (StepKind.TOOL, StepKind.MODEL)
_EMPTY_ANSWER = {"text": ""}
"""What the package records in the inputs of a model step when the model said nothing and called no tool."""
_MARKER = REDACTION_MARKER.encode()


def replay(
    record: RunRecord,
    *,
    now: float,
    mode: str = CACHE_MODE,
    from_step: str | None = None,
    status: RunStatus | str | None = None,
) -> RunRecord:
    """A new run of `from_step` and all it depends on, every answer taken from the record; ids, costs and times stay.

    `from_step` is a full id, unique prefix or ref; by default the main tip. `now` is Unix seconds.
    `status` is the source's unless given, as in `tine replay`; the package's `Agent.replay` says "completed".
    ReplayMiss names the first step whose answer the record does not hold. EditError for an empty run and for any other
    mode: the package's "rerun" calls models and tools. LookupFailure for an unknown step.
    """
    check_records(record)
    given: Any = mode
    if not isinstance(given, str) or given != CACHE_MODE:
        raise EditError(f"a run is replayed from its record (mode {CACHE_MODE!r}); {shown(mode)} is not supported")
    point = record.main_tip if from_step is None else record.resolve(from_step)
    if point is None:
        raise EditError("a run without recorded steps cannot be replayed")
    retained = record.graph.closure([record.graph.index(point)])
    check_answers(record, retained)
    child = fork(record, point, now=now, nonce="", intent={"replay": CACHE_MODE})
    mark = {"mode": CACHE_MODE, "reused_steps": len(child.graph), "source_run": record.run_id}
    return child.edited(
        metadata={**child.metadata, "replay": mark},
        status=record.status if status is None else checked_status(status),
    )


def check_answers(record: RunRecord, positions: Sequence[int]) -> None:
    """Look up the answer of every step at `positions`. ReplayMiss names the first one the record does not answer.

    Accepted as they are: redacted steps, because the package computes ids before it redacts, and steps whose id is not
    of this format. Steps of kinds other than tool and model are not requests, nor are those with a `v3_kind`. A
    repeated tool call may have any of its recorded answers, because the cache holds only the last.
    """
    graph = record.graph
    cache = record.cache if bytes(record.cache_text) != b"{}" else {}
    answers = _tool_answers(map(graph.step, range(len(graph))), cache) if cache else {}
    for position, verdict in zip(positions, check_graph_ids(graph, positions), strict=True):
        if verdict is StepVerdict.MISMATCH:
            raise _miss(graph.step(position), "its content is not what its id stands for")
        if graph.kinds[position] not in _REQUESTS or position in graph.v3_kinds:
            continue
        step = graph.step(position)
        key = request_key(step) if cache else None
        if key is not None and key in cache:
            if not _holds(cache[key], key, answers[key]):
                raise _miss(step, "the cache's entry for its request does not hold the answer that was recorded")
        elif not (step.outputs or step.error or step.inputs == _EMPTY_ANSWER):
            raise _miss(step, "no answer to it is recorded")


def request_key(step: Step) -> str | None:
    """The key under which the replay cache holds a tool step's answer, 64 hex characters; None for other steps."""
    name = step.inputs.get("name")
    if step.kind is not StepKind.TOOL or not isinstance(name, str):
        return None
    payload = {"arguments": step.inputs.get("arguments", {}), "name": name}
    return sha256_hex(canonical({"kind": _TOOL_CALL, "payload": payload}))


def _tool_answers(steps: Iterable[Step], cache: JsonObject) -> dict[str, list[bytes]]:
    """The canonical texts of the answers recorded for each tool call that the cache has an entry for."""
    answers: dict[str, list[bytes]] = {}
    for step in steps:
        key = request_key(step)
        if key is not None and key in cache:
            recorded = answers.setdefault(key, [])
            if step.outputs:
                recorded.append(canonical(step.outputs))
    return answers


def _holds(entry: Any, key: str, answers: list[bytes]) -> bool:
    """Whether a cache entry has this key and holds a recorded answer, as far as redaction lets us see."""
    if not isinstance(entry, dict) or entry.get("kind") != _TOOL_CALL or not isinstance(entry.get("value"), dict):
        return False
    if entry.get("key") not in (key, REDACTION_MARKER):  # the first releases redacted whatever is called a key
        return False
    value = canonical(entry["value"])
    redacted = any(_MARKER in text for text in (value, *answers))
    return redacted or not answers or value in answers


def _miss(step: Step, why: str) -> ReplayMiss:
    return ReplayMiss(f"step {short_id(step.id)!r} ({step.kind.value}) would miss: {why}", step=step.id)
