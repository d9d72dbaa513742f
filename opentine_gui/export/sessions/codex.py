"""Writes a new rollout of Codex with a step and all it builds on, from the records of its thread.

What `codex resume` needs was found by leaving fields out (versions 0.74, 0.128 and 0.169): a file name with the id of
the header, a header with that id, and the items. Its database finds an unknown file by itself. If the id in a file's
header is not the one in its name, Codex continues under the header's: both are new here, so that nothing is written to
the source's thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from opentine_gui.core.errors import TineError
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace
from opentine_gui.export.sessions.continuation import Continuation, Handback, NewFile
from opentine_gui.export.sessions.written import (
    BEGINS_ANEW,
    CLOSED,
    changed,
    closed_calls,
    lines_of,
    places_of,
    prompt_words,
    time_of,
    timed_id,
)
from opentine_gui.importers.codex.content import said_in
from opentine_gui.importers.codex.rollouts import Home, Rollout, chain_of, load, parent_thread
from opentine_gui.importers.reading import Place, Report
from opentine_gui.importers.sources.fields import count, object_of, text_of

PROVED = ("0.74.0", "0.128.0", "0.169.0", "0.171.0")
REMOVAL = "Archive the session in Codex, or delete the file."
OF_A_SUBAGENT = ("parent_thread_id", "agent_nickname", "agent_role", "agent_path")
OPENS_A_TURN = ("task_started", "thread_settings_applied", "turn_started")
ENDS_A_TURN = ("task_complete", "turn_complete", "turn_aborted")
_OUTPUTS = {"custom_tool_call": "custom_tool_call_output"}
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Entry(NamedTuple):
    """A record of the thread's history, and its place in the file."""

    record: JsonObject
    place: Place

    @property
    def payload(self) -> JsonObject:
        return object_of(self.record.get("payload"))

    @property
    def item(self) -> str:
        """The type of an item, "" for other records."""
        return text_of(self.payload.get("type")) if self.record.get("type") == "response_item" else ""

    @property
    def call(self) -> str:
        """The id of the call that an item is or answers, "" where it says none."""
        return text_of(self.payload.get("call_id"))

    @property
    def event(self) -> str:
        """The type of an event, "" for other records."""
        return text_of(self.payload.get("type")) if self.record.get("type") == "event_msg" else ""


def write(wish: Continuation) -> Handback:
    """The new rollout and the command that goes on in it. EditError when the source has changed or holds too little."""
    places = places_of(wish)
    rollout = _rollout_of(places)
    promoted = bool(parent_thread(rollout.meta))
    history = _without_rolled_back(_history(rollout), places[-1])
    kept = _kept(wish, history, places)
    folder = text_of(rollout.meta.get("cwd"))
    where = Path(folder) if folder else None
    if not any(_is_answer(entry) for entry in kept):
        return Handback("Codex", "", (), ("codex",), where, (BEGINS_ANEW,), REMOVAL, saying=prompt_words)
    session = timed_id(wish)
    closing = [] if wish.replaces else _closing(kept, time_of(wish))
    stubs = sum(text_of(record["payload"].get("type")).endswith("_output") for record in closing)
    remarks = closed_calls(stubs, "a sentence that says so")
    if promoted:
        remarks.append("The step is a sub-agent's: its conversation becomes a session of its own.")
    records = [_header(wish, rollout, session, promoted=promoted), *(_own(entry, session) for entry in kept), *closing]
    then = datetime.fromtimestamp(wish.now, UTC)
    home = wish.config or wish.home / ".codex"
    name = f"rollout-{then:%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
    file = NewFile(home / "sessions" / f"{then:%Y/%m/%d}" / name, lines_of(_numbered(records, history)))
    words = ("codex", "resume", session)
    return Handback("Codex", session, (file,), words, where, tuple(remarks), REMOVAL, saying=prompt_words)


def _rollout_of(places: tuple[Place, ...]) -> Rollout:
    try:
        return load(places[0].path)
    except TineError as error:
        raise changed(places[0].path) from error


def _history(rollout: Rollout) -> list[Entry]:
    """The records of a rollout, after those of the rollouts it continues, each up to where it was continued."""
    known: dict[str, Rollout] = {}
    report = Report()
    chain_of(rollout, Home(rollout.path), known, report)
    parts: list[tuple[Rollout, int | None]] = [(rollout, None)]
    while (base := parts[-1][0].base) is not None and base.rollout in known and len(parts) <= len(known):
        parts.append((known[base.rollout], base.end))
    entries: list[Entry] = []
    for part, end in reversed(parts):
        for line in part.lines(report, Pace()):
            ordinal = count(line.value.get("ordinal"))
            if end is not None and ordinal is not None and ordinal >= end:
                break
            entries.append(Entry(line.value, line.place))
    return entries


def _without_rolled_back(history: list[Entry], until: Place) -> list[Entry]:
    """The records without turns that were rolled back before `until`; a turn that holds the step itself is kept."""
    kept: list[Entry] = []
    prompts: list[int] = []
    for entry in history:
        if entry.event == "thread_rolled_back":
            turns = count(entry.payload.get("num_turns")) or 0
            start = prompts[-turns] if 0 < turns <= len(prompts) else len(kept)
            if any(found.place == until for found in kept[start:]):
                return kept
            del kept[start:]
            prompts = [number for number in prompts if number < start]
            continue
        if _is_prompt(entry):
            prompts.append(len(kept))
        kept.append(entry)
    return kept


def _kept(wish: Continuation, history: list[Entry], places: tuple[Place, ...]) -> list[Entry]:
    """The records up to the step: with all results of its batch, or without the step itself where it is replaced."""
    positions = {entry.place: number for number, entry in enumerate(history)}
    own = [positions[place] for place in places if place in positions]
    if not own:
        raise changed(places[0].path)
    if wish.replaces:
        end = min(own)
        while end > 0 and _opens_a_turn(history[end - 1]):
            end -= 1
        return history[:end]
    step = wish.reading.record.graph.step(wish.step)
    if step.kind == "tool":
        end = _end_of_batch(wish, history, positions)
    elif step.outputs.get("tool_calls"):
        end = max(number for number in own if not history[number].item.endswith("_output"))
        end = max((number for number in own if history[number].item.endswith("_call")), default=end)
    else:
        end = _end_of_turn(history, max(own))
        rests_on = [place for parent in step.parent_ids for place in wish.reading.places.get(parent, ())]
        results = [positions[place] for place in rests_on if place in positions and history[positions[place]].item]
        end = max([end, *results])
    return history[: end + 1]


def _end_of_batch(wish: Continuation, history: list[Entry], positions: dict[Place, int]) -> int:
    """The last result of the batch that a call belongs to, or the last of its calls."""
    response = wish.reading.record.graph.step(wish.step).parent_ids[0]
    calls = [positions[place] for place in wish.reading.places.get(response, ()) if place in positions]
    ids = {history[number].call for number in calls if history[number].item.endswith("_call")}
    results = [
        number
        for number in range(min(calls, default=0), len(history))
        if history[number].item.endswith("_output") and history[number].call in ids
    ]
    return max([*results, *(number for number in calls if history[number].item)], default=len(history) - 1)


def _end_of_turn(history: list[Entry], end: int) -> int:
    """The end of the turn whose last step this is, so that no turn is left open."""
    for number in range(end + 1, len(history)):
        entry = history[number]
        if entry.item or entry.record.get("type") in ("compacted", "turn_context") or entry.event in OPENS_A_TURN:
            return end
        if entry.event in ENDS_A_TURN:
            return number
    return end


def _opens_a_turn(entry: Entry) -> bool:
    """Whether a record only prepares the turn of the prompt that comes after it."""
    if entry.record.get("type") in ("turn_context", "world_state"):
        return True
    return entry.event in OPENS_A_TURN or (entry.item == "message" and entry.payload.get("role") == "developer")


def _closing(kept: list[Entry], time: str) -> list[JsonObject]:
    """Results for the calls at the end that have none, and the end of an open turn.

    They get the time of the last kept record, or the calls would seem to have run until today; `time` if that has none.
    """
    time = text_of(kept[-1].record.get("timestamp")) or time if kept else time
    answered = {entry.call for entry in kept if entry.item.endswith("_output")}
    last = next((n for n in range(len(kept) - 1, -1, -1) if _is_prompt(kept[n])), 0)
    closing: list[JsonObject] = []
    for entry in kept[last:]:
        kind, call = entry.item, entry.call
        if kind in ("function_call", "custom_tool_call", "local_shell_call") and call and call not in answered:
            output = _OUTPUTS.get(kind, "function_call_output")
            payload = {"type": output, "call_id": call, "output": CLOSED}
            closing.append({"timestamp": time, "type": "response_item", "payload": payload})
    turn = ""
    for entry in kept:
        if entry.event in ("task_started", "turn_started"):
            turn = text_of(entry.payload.get("turn_id"))
        elif entry.event in ENDS_A_TURN:
            turn = ""
    if turn:
        payload = {"type": "turn_aborted", "turn_id": turn, "reason": "interrupted"}
        closing.append({"timestamp": time, "type": "event_msg", "payload": payload})
    return closing


def _header(wish: Continuation, rollout: Rollout, session: str, *, promoted: bool) -> JsonObject:
    meta = dict(rollout.meta)
    meta |= {"id": session, "timestamp": time_of(wish), "forked_from_id": rollout.thread}
    if "session_id" in meta:
        meta["session_id"] = session
    if "context_window" in meta:
        meta["context_window"] = {"window_id": timed_id(wish)}
    for name in ("history_base", "forked_from_ordinal_exclusive", *(OF_A_SUBAGENT if promoted else ())):
        meta.pop(name, None)
    if promoted:
        meta |= {"source": "cli", "thread_source": "user"}
    return {"timestamp": time_of(wish), "type": "session_meta", "payload": meta}


def _own(entry: Entry, session: str) -> JsonObject:
    """The record, as one of the new thread."""
    record = dict(entry.record)
    if record.get("type") in ("event_msg", "token_usage_record"):
        given = {
            name: session for name in ("thread_id", "session_id") if _ID.fullmatch(text_of(entry.payload.get(name)))
        }
        record["payload"] = entry.payload | given
    return record


def _numbered(records: list[JsonObject], history: list[Entry]) -> Iterator[JsonObject]:
    """The records without other headers; numbered from 0 if all of the source's are, as paginated history needs it."""
    numbers = all(count(entry.record.get("ordinal")) is not None for entry in history)
    ordinal = 0
    for place, record in enumerate(records):
        if place and record.get("type") == "session_meta":
            continue
        found: dict[str, Any] = {"timestamp": record.get("timestamp")}
        if numbers:
            found["ordinal"] = ordinal
        found |= {name: record[name] for name in ("type", "payload", "metadata") if name in record}
        if not place and not numbers:
            found["payload"] = {name: value for name, value in found["payload"].items() if name != "history_mode"}
        ordinal += 1
        yield found


def _is_answer(entry: Entry) -> bool:
    return entry.item.endswith("_call") or (entry.item == "message" and entry.payload.get("role") == "assistant")


def _is_prompt(entry: Entry) -> bool:
    if entry.item != "message" or entry.payload.get("role") != "user":
        return False
    said = said_in(entry.payload)
    return bool(said.prompt or said.images)
