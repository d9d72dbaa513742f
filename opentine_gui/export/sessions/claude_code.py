"""Writes a new session file of Claude Code with a step and all it builds on, from the source's own lines.

What `claude --resume` needs was found by leaving fields out (versions 2.1.197 and 2.1.330): it looks a session up by
file name in the folder of the working directory, takes the last leaf of the file as the tip, and silently drops calls
of a batch whose results are not there. Lines keep their uuids, as in forks that the program makes itself.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from opentine_gui.core.errors import EditError
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace
from opentine_gui.export.sessions.continuation import Continuation, Handback, NewFile
from opentine_gui.export.sessions.written import CLOSED, closed_calls, lines_of, prompt_words, time_of
from opentine_gui.importers.claude_code.kinds import Kind
from opentine_gui.importers.claude_code.log import Log, SubAgent, read_log
from opentine_gui.importers.claude_code.records import Record
from opentine_gui.importers.claude_code.session import live_tip
from opentine_gui.importers.claude_code.threads import Call, Response, Threads
from opentine_gui.importers.json_lines import value_of
from opentine_gui.importers.reading import Place, Report
from opentine_gui.scene.text.clean import ELLIPSIS, whole_words

PROVED = ("2.1.197", "2.1.330", "2.1.332")
REMOVAL = "Delete the file, or let Claude Code delete it after 30 days (cleanupPeriodDays)."
LONGEST_TITLE = 80
FORKED = "Fork: "
LONGEST_PROMPT = 200
COPIED = ("userType", "entrypoint", "cwd", "version", "gitBranch")
OF_A_SUBAGENT = ("agentId", "attributionAgent", "sourceToolAssistantUUID")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9]")
_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]*")


def write(wish: Continuation) -> Handback:
    """The new session and the command that goes on in it; at the live tip the agent's own fork, and no file.

    EditError when the source has changed or holds too little.
    """
    source = wish.reading.sources[0]
    log = read_log(source, Report(), Pace())
    threads = Threads(log)
    records = _records_of(wish, log)
    tip = _tip(wish, threads, records)
    folder = _working_folder(log, records)
    if tip is None:
        said = "Nothing stands before this prompt: it begins a new session."
        return Handback("Claude Code", "", (), ("claude",), folder, (said,), REMOVAL, saying=prompt_words)
    kept = _Kept(threads, tip)
    session = wish.new_id()
    if _is_at_the_door(log, threads, tip, kept):
        source_session = log.path.stem
        door = ("claude", "--resume", source_session, "--fork-session", "--session-id", session)
        return Handback("Claude Code", session, (), door, folder, (), REMOVAL, saying=prompt_words)
    lines, leaf = kept.lines(session, wish)
    title = f"{FORKED}{wish.reading.record.title.removeprefix(FORKED)}"  # in front: lists cut the ends of names
    tail = [
        {"type": "last-prompt", "lastPrompt": kept.last_prompt, "leafUuid": leaf, "sessionId": session},
        {"type": "custom-title", "customTitle": _cut(title), "sessionId": session},
    ]
    place = _session_folder(wish, log, folder)
    files = [NewFile(place / f"{session}.jsonl", lines_of([*lines, *tail]))]
    files += _files_of_subagents(log, kept, place / session / "subagents", session)
    remarks = closed_calls(kept.closed)
    if not kept.is_promoted and any(_is_inline(log, sub_agent) for sub_agent in log.sub_agents.values()):
        remarks.append("What sub-agents did themselves is left out: it stands among the session's own lines.")
    if kept.is_promoted:
        remarks.append("The step is a sub-agent's: its conversation becomes a session of its own.")
    words = ("claude", "--resume", session)
    return Handback("Claude Code", session, tuple(files), words, folder, tuple(remarks), REMOVAL, saying=prompt_words)


def _is_at_the_door(log: Log, threads: Threads, tip: Record, kept: _Kept) -> bool:
    """Whether the agent's own fork begins exactly here: at the live tip of a session that is in the agent's folder.

    It cannot fork anywhere else in a terminal: `--resume-session-at` only works without one (`-p`).
    """
    live = live_tip(log, threads)
    if not _ID.fullmatch(log.path.stem):  # a file's name becomes a word of the command, and must not be an option
        return False
    if live is None or kept.has_open_calls or kept.is_promoted or log.path.parent.parent.name != "projects":
        return False
    return bool(live.uuid == tip.uuid or threads.keys_at(live.uuid) == threads.keys_at(tip.uuid))


def _records_of(wish: Continuation, log: Log) -> list[Record]:
    """The step's own records, found again in the source as it is now."""
    by_place = {
        (record.place.path, record.place.offset, record.place.length): record for record in log.records if record.place
    }
    places = wish.reading.places.get(wish.step, ())
    found = [record for place in places if (record := by_place.get((place.path, place.offset, place.length)))]
    if not found:
        raise EditError("the session's file has changed since it was read: open it again")
    if any(record.sub_agent and _line_of(log, record).get("type") == "progress" for record in found):
        raise EditError("this sub-agent left no file of its own, so it cannot be continued")
    return found


def _tip(wish: Continuation, threads: Threads, records: list[Record]) -> Record | None:
    """The record that the new session ends with; None for its beginning."""
    first, last = records[0], records[-1]
    if wish.replaces:
        above = first.parent_uuid or first.logical_parent_uuid
        return threads.log.by_uuid.get(above) if above is not None else None
    kinds = [threads.kinds[record.uuid or ""] for record in records]
    if kinds[0] is Kind.ANSWER:
        answers = [record for record, kind in zip(records, kinds, strict=True) if kind is Kind.ANSWER]
        response = threads.response_of(answers[0])
        is_call = len(answers) < len(records) and Kind.RESULTS in kinds
        if is_call or len(answers) < len(response.records) or wish.reading.record.graph.step(wish.step).kind == "tool":
            results = [call.result[0] for call in response.calls if call.result is not None]
            return max(results, key=lambda record: record.number, default=response.records[-1])
        return response.records[-1]
    return last


class _Kept:
    """The records that a new session holds."""

    def __init__(self, threads: Threads, tip: Record) -> None:
        self.threads = threads
        self.tip = tip
        self.closed = 0
        self.is_promoted = bool(tip.sub_agent) or bool(tip.is_sidechain)
        self.last_prompt = ""
        self.records: dict[str, Record] = {}
        self.calls: list[Call] = []
        self._missing: list[Call] = []
        self._climb()
        self._complete()
        self._add_sub_agents()

    def _climb(self) -> None:
        """Add the chain above the tip; the boundary of a compaction names what it replaced."""
        uuid: str | None = self.tip.uuid
        while uuid is not None and uuid not in self.records:
            record = self.threads.log.by_uuid.get(uuid)
            if record is None:
                break
            self.records[uuid] = record
            uuid = self.threads.above(record)

    def _complete(self) -> None:
        """Complete responses with all results of their calls: the chain alone holds only one result of a batch.

        A response at the tip has no results yet: what follows it is left out.
        """
        with_results = self.threads.kinds[self.tip.uuid or ""] is not Kind.ANSWER
        responses = {}
        for record in self.records.values():
            if self.threads.kinds[record.uuid or ""] is Kind.ANSWER:
                response = self.threads.response_of(record)
                responses[response.key] = response
        own = self._own_response()
        chain = set(self.records)
        answered = {block.tool_use_id for record in self.records.values() for block in record.blocks}
        for response in responses.values():
            if any(record.uuid in chain for record in response.records):  # else the chain has a copy of its lines
                for record in response.records:
                    self.records.setdefault(record.uuid or "", record)
            for call in response.calls:
                if response is own and (call.result is None or not with_results):
                    self._missing.append(call)
                elif call.block.id in answered:
                    self.calls.append(call)
                elif call.result is not None:  # else the agent continued without it, and does so again
                    self.records.setdefault(call.result[0].uuid or "", call.result[0])
                    self.calls.append(call)

    def _add_sub_agents(self) -> None:
        """Add the progress lines that tell of the sub-agents of kept calls: the chain runs through a few by chance."""
        log = self.threads.log
        by_place = {_start(log.by_uuid[uuid]): uuid for uuid in log.told}
        known = {call.block.id for call in self.calls}
        waiting = [sub_agent for sub_agent in log.sub_agents.values() if sub_agent.call in known]
        while waiting:
            sub_agent = waiting.pop()
            own = {block.id for record in sub_agent.records for block in record.blocks if block.id} - known
            known |= own  # a sub-agent may have sub-agents of its own
            waiting += [other for other in log.sub_agents.values() if other.call in own]
            for record in sub_agent.records:
                uuid = by_place.get(_start(record))
                if uuid is not None:
                    self.records.setdefault(uuid, log.by_uuid[uuid])

    @property
    def has_open_calls(self) -> bool:
        """Whether calls of the tip's own batch have no result."""
        return bool(self._missing)

    def _own_response(self) -> Response | None:
        """The response that the tip is a part of, or whose result it is."""
        if self.threads.kinds[self.tip.uuid or ""] is Kind.ANSWER:
            return self.threads.response_of(self.tip)
        ids = [block.tool_use_id or "" for block in self.tip.blocks if block.type == "tool_result"]
        return next((self.threads.calls[identity].response for identity in ids if identity in self.threads.calls), None)

    def _ordered(self) -> list[Record]:
        """Parents before children, else as in the file; the last leaf of a file is where a resume goes on."""
        placed: set[str] = set()
        order: list[Record] = []
        for first in sorted(self.records.values(), key=lambda record: record.number):
            waiting = [first]
            climbed: set[str] = set()
            while waiting:
                record = waiting[-1]
                uuid = record.uuid or ""
                above = self.threads.above(record) or ""
                if above in self.records and above not in placed and above not in climbed and uuid not in placed:
                    climbed.add(uuid)
                    waiting.append(self.records[above])
                    continue
                waiting.pop()
                if uuid not in placed:
                    placed.add(uuid)
                    order.append(record)
        return order

    def lines(self, session: str, wish: Continuation) -> tuple[list[JsonObject], str]:
        """(the lines of the new session, the uuid of its tip)."""
        lines = []
        for record in self._ordered():
            line = _line_of(self.threads.log, record)
            line["sessionId"] = session
            line["forkedFrom"] = {"sessionId": record.session_id, "messageUuid": record.uuid}
            if self.is_promoted:
                line["isSidechain"] = False
                for name in OF_A_SUBAGENT[:2]:
                    line.pop(name, None)
            lines.append(line)
            if self.threads.kinds[record.uuid or ""] is Kind.PROMPT:
                self.last_prompt = _prompt_text(line)
        leaf = self.tip.uuid or ""
        stubs = self._stubs(session, wish)
        if stubs:
            leaf = stubs[-1]["uuid"]
        elif self.threads.kinds[leaf] is Kind.RESULTS:
            leaf = [line["uuid"] for line in lines if self.threads.kinds[line["uuid"]] is Kind.RESULTS][-1]
        lines += stubs
        lines.sort(key=lambda line: bool(line["uuid"] == leaf))
        return lines, leaf

    def _stubs(self, session: str, wish: Continuation) -> list[JsonObject]:
        """Results for calls that have none, one below the other, so that the tip lies below all of them."""
        stubs: list[JsonObject] = []
        for call in self._missing:
            line = _line_of(self.threads.log, call.record)
            above = self.tip.uuid if self.threads.kinds[self.tip.uuid or ""] is not Kind.ANSWER else call.record.uuid
            block = {"type": "tool_result", "content": CLOSED, "is_error": True, "tool_use_id": call.block.id}
            stubs.append(
                {
                    "parentUuid": stubs[-1]["uuid"] if stubs else above,
                    "isSidechain": False,
                    "type": "user",
                    "message": {"role": "user", "content": [block]},
                    "uuid": wish.new_id(),
                    "timestamp": line.get(
                        "timestamp", time_of(wish)
                    ),  # else the call would seem to have taken until now
                    "toolUseResult": f"Error: {CLOSED}",
                    "sourceToolAssistantUUID": call.record.uuid,
                    **{name: line[name] for name in COPIED if name in line},
                    "sessionId": session,
                }
            )
        self.closed = len(stubs)
        return stubs


def _start(record: Record) -> tuple[Path, int] | None:
    """Where the line begins that a record was read from."""
    return (record.place.path, record.place.offset) if record.place is not None else None


def _line_of(log: Log, record: Record) -> JsonObject:
    """The record as decoded from its line. EditError if it cannot be read again."""
    place = record.place
    value = value_of(log.line(place)) if place is not None else None
    if not isinstance(value, dict):
        raise EditError("a record of the session cannot be read again", path=log.path)
    return value


def _prompt_text(line: JsonObject) -> str:
    message: Any = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        content = "".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return content[:LONGEST_PROMPT] if isinstance(content, str) else ""


def _cut(title: str) -> str:
    """A title as the agent's lists have room for it: whole words, and a sign that there were more."""
    if len(title) <= LONGEST_TITLE:
        return title
    return whole_words(title, LONGEST_TITLE - 1).rstrip(f" {ELLIPSIS}") + ELLIPSIS


def _working_folder(log: Log, records: list[Record]) -> Path | None:
    """Where the agent worked: Claude Code finds sessions by that folder."""
    found = next((record.cwd for record in reversed(records) if record.cwd), None)
    found = found or next((record.cwd for record in log.records if record.cwd), None)
    return Path(found) if found else None


def _session_folder(wish: Continuation, log: Log, folder: Path | None) -> Path:
    """The folder for the new session: beside its source or, for a log from elsewhere, where Claude Code looks."""
    if log.path.parent.parent.name == "projects":
        return log.path.parent
    parents = log.path.parents  # projects/<folder>/<session>/subagents/agent-<id>.jsonl
    if log.is_subagent and len(parents) > 3 and parents[3].name == "projects":
        return parents[2]
    if folder is None:
        raise EditError("the session does not say in which folder the agent worked")
    config = wish.config or wish.home / ".claude"
    return config / "projects" / _NOT_IN_A_NAME.sub("-", str(folder))


def _files_of_subagents(log: Log, kept: _Kept, folder: Path, session: str) -> list[NewFile]:
    """Copies of the files of sub-agents whose calls are kept, so that the agent can still talk to them."""
    if kept.is_promoted:
        return []
    calls = {call.block.id for call in kept.calls}
    files = []
    for sub_agent in log.sub_agents.values():
        source = _file_of(sub_agent)
        if sub_agent.call not in calls or source is None:
            continue
        lines = [_line_of(log, record) | {"sessionId": session} for record in sub_agent.records]
        about = {"agentType": sub_agent.kind, "description": sub_agent.description, "toolUseId": sub_agent.call}
        files.append(NewFile(folder / source.name, lines_of(lines)))
        files.append(NewFile(folder / f"{source.stem}.meta.json", msgspec.json.encode(about)))
    return files


def _is_inline(log: Log, sub_agent: SubAgent) -> bool:
    """Whether a sub-agent's lines stand among the session's own, as up to version 2.0."""
    return any(
        record.place is not None and record.place.path == log.path and record.type != "progress" and not log.told
        for record in sub_agent.records[:1]
    )


def _file_of(sub_agent: SubAgent) -> Path | None:
    place: Place | None = sub_agent.records[0].place if sub_agent.records else None
    return place.path if place is not None and place.path.name == f"agent-{sub_agent.agent}.jsonl" else None
