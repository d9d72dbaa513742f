"""Reads the files of a session and of its sub-agents: records by uuid and by conversation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from opentine_gui.core.errors import Cancelled, FormatError, TineError
from opentine_gui.core.files import storage
from opentine_gui.core.progress import Pace
from opentine_gui.importers.claude_code.recognise import ABOUT_THE_SESSION
from opentine_gui.importers.claude_code.records import DECODER, NOTHING, Record, details_of, progress_of
from opentine_gui.importers.json_lines import LARGEST_LOG, read_records, value_of
from opentine_gui.importers.reading import Place, Report
from opentine_gui.importers.sources.fields import unix_time

MOST_SUBAGENTS = 2000
_AGENT_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(slots=True)
class SubAgent:
    """The conversation of a sub-agent. `call` is the id of the call that started it, if the log says so."""

    agent: str
    call: str = ""
    kind: str = ""
    description: str = ""
    workflow: str = ""
    records: list[Record] = field(default_factory=list)


class Queued(NamedTuple):
    """A prompt that was typed while the agent worked; `time` in Unix seconds."""

    text: str
    time: float
    place: Place


@dataclass(slots=True)
class Facts:
    """What lines without a uuid say about the session. `last_prompt` is (uuid of the tip, place in order).

    `taken` are queued prompts that went to the model while it worked; versions before 2.1 record them nowhere else.
    """

    custom_title: str = ""
    made_title: str = ""
    summaries: dict[str, str] = field(default_factory=dict)
    last_prompt: tuple[str, int] | None = None
    costs: dict[Any, float] = field(default_factory=dict)
    requests: dict[str, Place] = field(default_factory=dict)
    waiting: list[Queued] = field(default_factory=list)
    taken: list[Queued] = field(default_factory=list)


@dataclass(slots=True)
class Log:
    """A session as read: records in reading order, all by uuid, and the conversations of its sub-agents."""

    path: Path
    report: Report
    records: list[Record] = field(default_factory=list)
    by_uuid: dict[str, Record] = field(default_factory=dict)
    sub_agents: dict[str, SubAgent] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)
    sources: list[Path] = field(default_factory=list)
    is_subagent: bool = False
    told: set[str] = field(default_factory=set)
    """The progress lines from which records of sub-agents were taken."""
    origins: list[Record] = field(default_factory=list)
    """Records that may say which session this one was forked from."""
    contents: dict[Path, bytes] = field(default_factory=dict)
    """The bytes of the files, where the log was read as a whole."""

    def line(self, place: Place) -> bytes:
        """The bytes of a record, as they were read."""
        return self.contents[place.path][place.offset : place.offset + place.length]


def read_log(path: Path, report: Report, pace: Pace, beginning: bytes | None = None) -> Log:
    """The session in a file, or in its `beginning`, with its sub-agents, from the files beside it.

    FormatError when no line is a record.
    """
    log = Log(path, report, sources=[path])
    if beginning is None:
        content = log.contents[path] = storage.read_bytes(path, limit=LARGEST_LOG)
    else:
        content = beginning
    reported: dict[str, list[Record]] = {}
    tellers: dict[str, list[str]] = {}
    for record in records_in(log, path, content, pace):
        if record.type == "progress" and (progress := progress_of(record)) is not None:
            agent = progress.agent_id or ""
            if _take_progress(record, agent, progress.message, reported):
                tellers.setdefault(agent, []).append(record.uuid or "")
            record.data = NOTHING
    if not log.records and not ABOUT_THE_SESSION.intersection(report.skipped):  # it may have only begun
        raise FormatError("no line of it is a record of a session", path=path)
    talk = [record for record in log.records if record.type in ("user", "assistant")]
    log.is_subagent = bool(talk) and all(record.is_sidechain for record in talk)
    if not log.is_subagent:
        _divide(log)
        _read_files(log)
        for agent, records in reported.items():
            if agent not in log.sub_agents:
                _take_sub_agent(log, SubAgent(agent, call=records[0].parent_tool_use_id or ""), records)
                log.told.update(tellers[agent])
    set_times(log.records)
    return log


def records_in(log: Log, path: Path, content: bytes, pace: Pace | None, offset: int = 0) -> Iterable[Record]:
    """The linked records of a file; what the other records say goes to `log.facts`.

    `content` begins at `offset` in the file.
    """
    for record, place in read_records(path, content, DECODER, log.report, pace, offset):
        record.place = place
        if record.uuid is None:
            _note(log, record, place)
        elif record.uuid in log.by_uuid:
            log.report.folded += 1
        else:
            _add(log, record)
            yield record


def _add(log: Log, record: Record) -> None:
    record.number = len(log.records)
    record.time = unix_time(record.timestamp)
    record.timestamp = None
    before = log.records[-1] if log.records else record
    # Strings that lines repeat are shared, which saves much memory in a large log.
    if record.cwd == before.cwd:
        record.cwd = before.cwd
    if record.session_id == before.session_id:
        record.session_id = before.session_id
    if record.version == before.version:
        record.version = before.version
    if record.git_branch == before.git_branch:
        record.git_branch = before.git_branch
    if record.prompt_id == before.prompt_id:
        record.prompt_id = before.prompt_id
    above = log.by_uuid.get(record.parent_uuid or "")
    if above is not None:
        record.parent_uuid = above.uuid
    if record.forked_from is not None or record.request_session_id:
        log.origins.append(record)
    log.records.append(record)
    log.by_uuid[record.uuid or ""] = record


def _note(log: Log, record: Record, place: Place) -> None:
    facts = log.facts
    log.report.skip(record.kind_name)
    if record.type == "custom-title" and record.custom_title:
        facts.custom_title = record.custom_title
    elif record.type == "ai-title" and record.ai_title:
        facts.made_title = record.ai_title
    elif record.type == "summary" and record.summary and record.leaf_uuid:
        facts.summaries[record.leaf_uuid] = record.summary
    elif record.type == "last-prompt" and record.leaf_uuid:
        facts.last_prompt = (record.leaf_uuid, len(log.records))
    elif record.type == "cost-state" and record.total_cost_usd is not None:
        facts.costs[str(record.start_time)] = record.total_cost_usd
    elif record.type == "api-request" and record.id:
        facts.requests[record.id] = place
    elif record.type == "queue-operation":
        _note_queue(facts, record, place)


def _note_queue(facts: Facts, record: Record, place: Place) -> None:
    time = unix_time(record.timestamp)
    if record.operation == "enqueue" and isinstance(record.content, str) and time is not None:
        facts.waiting.append(Queued(record.content, time, place))
    elif record.operation in ("dequeue", "remove") and facts.waiting:
        first = facts.waiting.pop(0)
        if record.operation == "remove" and time is not None:
            facts.taken.append(first._replace(time=time))


def _take_progress(outer: Record, agent: str, inner: Record | None, reported: dict[str, list[Record]]) -> bool:
    """Take a sub-agent's record from a progress line and link it to the one before: such records have no links.

    False if there is none, or it was there already.
    """
    if inner is None or inner.type not in ("user", "assistant"):
        return False
    known = reported.setdefault(agent, [])
    uuid = inner.uuid or f"{agent}:{len(known)}"
    if any(record.uuid == uuid for record in known[-4:]):
        return False
    inner.uuid, inner.parent_uuid = uuid, known[-1].uuid if known else None
    inner.place, inner.is_sidechain, inner.agent_id = outer.place, True, agent
    inner.timestamp = inner.timestamp or outer.timestamp
    inner.parent_tool_use_id = outer.parent_tool_use_id
    known.append(inner)
    return True


def _take_sub_agent(log: Log, sub_agent: SubAgent, records: Iterable[Record]) -> None:
    """Add a sub-agent with records that are not in the log yet."""
    log.sub_agents[sub_agent.agent] = sub_agent
    for record in records:
        if record.uuid not in log.by_uuid:
            _add(log, record)
            record.sub_agent = sub_agent.agent
            sub_agent.records.append(record)


def _divide(log: Log) -> None:
    """Separate the sub-agents whose records are among the session's (up to 2.0): a conversation for each root."""
    for record in log.records:
        if not record.is_sidechain:
            continue
        agent = record.agent_id or ""
        if not agent:
            above = log.by_uuid.get(record.parent_uuid or "")
            agent = above.sub_agent if above is not None and above.sub_agent else f"inline:{record.uuid}"
        record.sub_agent = agent
        log.sub_agents.setdefault(agent, SubAgent(agent)).records.append(record)


def _read_files(log: Log) -> None:
    """Read the sub-agents that have files of their own: beside the session, or in its folder `subagents`."""
    files: dict[str, Path] = {}
    if found := files_within(log.path):
        if len(found) > MOST_SUBAGENTS:
            log.report.remark(f"Of {len(found):,} files of sub-agents {MOST_SUBAGENTS:,} were read.")
        files = {file.stem.removeprefix("agent-"): file for file in found[:MOST_SUBAGENTS]}
    for record in log.records:
        if record.type == "user":
            agent = details_of(record).agent_id
            if isinstance(agent, str) and agent not in files and _AGENT_ID.fullmatch(agent):
                beside = log.path.parent / f"agent-{agent}.jsonl"
                if beside.is_file():
                    files[agent] = beside
    for agent, file in files.items():
        if agent not in log.sub_agents:
            _read_file(log, agent, file)


def files_within(path: Path) -> list[Path]:
    """The files of sub-agents in the folder of a session."""
    folder = path.with_suffix("") / "subagents"
    if not folder.is_dir():
        return []
    return sorted([*folder.glob("agent-*.jsonl"), *folder.glob("workflows/*/agent-*.jsonl")])


def _read_file(log: Log, agent: str, file: Path) -> None:
    sub_agent = SubAgent(agent)
    try:
        content = storage.read_bytes(file, limit=LARGEST_LOG)
        sub_agent.call, sub_agent.kind, sub_agent.description = _about(file.with_suffix(".meta.json"))
    except Cancelled:
        raise
    except TineError as error:
        log.report.remark(f"The file of a sub-agent cannot be read: {error}")
        return
    if file.parent.parent.name == "workflows":
        sub_agent.workflow = file.parent.name
    log.sources.append(file)
    if log.contents:
        log.contents[file] = content
    log.sub_agents[agent] = sub_agent
    for record in records_in(log, file, content, None):
        record.sub_agent = agent
        sub_agent.records.append(record)


def _about(file: Path) -> tuple[str, str, str]:
    """(call, kind, description) from the file beside a sub-agent's file; empty if there is none."""
    if not file.is_file():
        return ("", "", "")
    value = value_of(storage.read_bytes(file, limit=1 << 20))
    said = [value.get(name) if isinstance(value, dict) else None for name in ("toolUseId", "agentType", "description")]
    call, kind, description = (text if isinstance(text, str) else "" for text in said)
    return call, kind, description


def set_times(records: Iterable[Record], last: float | None = None) -> None:
    """Give each record without a time the time of the record before it; the first one gets `last`."""
    for record in records:
        last = record.time = last if record.time is None else record.time
