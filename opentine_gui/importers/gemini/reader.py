"""Reads a chat of Gemini CLI with its sub-agents: lines of patches, the older one document, or a plain history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from opentine_gui.core.errors import FormatError, TineError
from opentine_gui.core.files import storage
from opentine_gui.core.progress import Pace, Progress, Stop, UncountedParts, collector_paused
from opentine_gui.importers.gemini.conversation import Agent, Conversation
from opentine_gui.importers.json_lines import BYTE_ORDER_MARK, Line, read_lines
from opentine_gui.importers.reading import Place, Reading, Report
from opentine_gui.importers.run_draft import RunDraft, capture_of, status_at
from opentine_gui.importers.sources.fields import object_of, text_of, unix_time
from opentine_gui.importers.sources.origin import shown_path
from opentine_gui.importers.sources.outcomes import NO_RESULT
from opentine_gui.importers.sources.packed import content_of

DEEPEST = 16
MOST_AGENTS = 2_000
READ, AGENTS_READ = 0.7, 0.9
"""Progress once the session is read, and at most once its sub-agents are."""
_HEADER = re.compile(rb'\{\s*"sessionId"\s*:')
_SESSION, _PROJECT = re.compile(rb'"sessionId"\s*:\s*"'), re.compile(rb'"projectHash"\s*:\s*"')
_HISTORY = re.compile(rb'\[\s*\{\s*"(?:role"\s*:\s*"(?:user|model)"\s*,\s*"parts"\s*:|parts"\s*:\s*\[)')
_AGENT = re.compile(r"[A-Za-z0-9_-]{1,128}")


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a chat of Gemini CLI."""
    start = head.removeprefix(BYTE_ORDER_MARK).lstrip()[:8192]
    if _HEADER.match(start) and b'"projectHash"' in start:
        return 0.9
    first = start.split(b"\n", 1)[0] if start[1:2] not in b"\r\n" else start
    if start.startswith(b"{") and _SESSION.search(first) and _PROJECT.search(first):
        return 0.7
    return 0.7 if _HISTORY.match(start) else 0.0


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The chat in a file, with the sub-agents beside it. TineError when it cannot be read or holds no message."""
    pace = Pace(progress, cancelled)
    with collector_paused():
        return Chat(Path(path), pace).reading()


class Chat:
    """One reading: the chat and its sub-agents."""

    def __init__(self, path: Path, pace: Pace, draft: RunDraft | None = None) -> None:
        self.path = path
        self.pace, self.agents = pace, UncountedParts(pace, READ, AGENTS_READ)
        self.draft = draft or RunDraft(texts_are_whole=True)
        self.sources = [path]

    def reading(self) -> Reading:
        content = content_of(self.path)
        main = Conversation(self.draft, "")
        self._take(main, self.path, content, self.pace.part(0.0, READ))
        front = self.close(main)
        main.known.clear()  # frees what the steps do not need before they are made
        main.list.clear()
        return self.finish(main, front, content)

    def close(self, main: Conversation) -> list[str]:
        """Add the sub-agents; returns the keys of the chat's last steps. FormatError if there are no steps."""
        session = text_of(main.header.get("sessionId"))
        self._agents(main, session)
        if not self.draft.steps:
            raise FormatError("it holds no message of a Gemini chat", path=self.path)
        front = main.front
        for key in front:
            if self.draft.steps[key].error == NO_RESULT:
                self.draft.steps[key].error = {}  # it may still be running
        return front

    def finish(self, main: Conversation, front: list[str], content: bytes | tuple[str, int]) -> Reading:
        """The reading. `content` are the bytes of the file, or their sha256 and number."""
        session = text_of(main.header.get("sessionId"))
        metadata: dict[str, Any] = {}
        for name, value in (("title", main.title), ("user_prompt", main.first_prompt), ("model_info", main.model)):
            if value:
                metadata[name] = value
        if folder := project_folder(self.path):
            metadata["cwd"] = folder
        end = self.draft.steps[front[-1]] if front else None
        times = [step.timestamp for step in self.draft.steps.values() if step.timestamp is not None]
        return self.draft.finish(
            run_id=session or self.path.stem,
            created_at=unix_time(main.header.get("startTime")) or min(times, default=0.0),
            capture=capture_of("gemini-cli", "", shown_path(self.path), "gemini", content),
            metadata=metadata,
            status=status_at(end),
            main=front[-1] if front else None,
            sources=self.sources,
            pace=self.agents.rest(),
        )

    def _take(self, conversation: Conversation, path: Path, content: bytes, pace: Pace) -> None:
        for line in records_in(path, content, self.draft.report, pace):
            conversation.take(line.value, line.place)

    def _agents(self, main: Conversation, session: str) -> None:
        """The files of sub-agents, in the folder of their parent's session; their last steps join at the calls."""
        waiting: list[tuple[Agent, str, int]] = [(agent, session, 1) for agent in main.agents]
        seen: set[str] = set()
        while waiting and len(seen) < MOST_AGENTS:
            agent, parent, depth = waiting.pop(0)
            if agent.id in seen or depth > DEEPEST:
                continue
            seen.add(agent.id)
            path = self._agent_file(agent, parent, session)
            if path is None:
                self.draft.report.remark("The file of a sub-agent is not here: only its call and its answer are shown.")
                continue
            try:
                content = content_of(path)
            except TineError as error:
                self.draft.report.remark(f"A sub-agent's file could not be read: {error}")
                continue
            conversation = Conversation(self.draft, agent.id, agent)
            self._take(conversation, path, content, self.agents.next())
            self.sources.append(path)
            if conversation.front != [agent.response] and agent.step in self.draft.steps:
                step = self.draft.steps[agent.step]
                step.parents = [*step.parents, *conversation.front]
            waiting += [(other, agent.id, depth + 1) for other in conversation.agents]

    def _agent_file(self, agent: Agent, parent: str, session: str) -> Path | None:
        """`<folder of the chat>/<session of the parent>/<agent>.jsonl`; None if missing, or the id is no plain name."""
        if not _AGENT.fullmatch(agent.id):
            return None
        for owner in (parent, session):
            if _AGENT.fullmatch(owner):
                path = self.path.parent / owner / f"{agent.id}.jsonl"
                if path.is_file() and not path.is_symlink():
                    return path
        return None


def records_in(path: Path, content: bytes, report: Report, pace: Pace) -> Iterator[Line]:
    """The records of a chat in order: lines as they are, of a document its header and its messages."""
    return read_lines(path, content, report, pace) if is_lines(content) else _document(path, content, report)


def _document(path: Path, content: bytes, report: Report) -> Iterator[Line]:
    """The header and the messages of one document, with their places: each is found by its own bytes."""
    text = content.removeprefix(BYTE_ORDER_MARK)
    header: dict[str, Any] = {}
    try:
        if text.lstrip().startswith(b"["):
            items = msgspec.json.decode(text, type=list[msgspec.Raw])
        else:
            whole = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
            items = msgspec.json.decode(whole.get("messages", b"[]"), type=list[msgspec.Raw])
            header = {name: msgspec.json.decode(whole[name]) for name in whole if name != "messages"}
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise FormatError("the document is not complete JSON", path=path, cause=error) from error
    if header:
        header.pop("type", None)
        yield Line({"sessionId": "", **header}, Place(path, 0, 0))
    at = 0
    for item in items:
        raw = bytes(item)
        at = max(content.find(raw, at), 0)
        report.records += 1
        try:
            value = msgspec.json.decode(raw)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield Line(value, Place(path, at, len(raw)))
        else:
            report.bad_lines += 1
        at += len(raw)


def project_folder(path: Path) -> str:
    """The folder that a chat is of, from `.project_root` beside its `chats`; "" when that is not there."""
    for parent in list(path.absolute().parents)[:3]:
        if parent.name == "chats":
            try:
                return storage.read_head(parent.parent / ".project_root", 4096).decode().strip()
            except (TineError, UnicodeError):
                return ""
    return ""


def is_lines(content: bytes) -> bool:
    """Whether the file is JSON lines: its first line is a complete object."""
    text = content.removeprefix(BYTE_ORDER_MARK).lstrip()
    end = text.find(b"\n")
    first = text if end < 0 else text[:end]  # splitting would copy the rest, maybe most of a GB
    if not first.startswith(b"{"):
        return False
    try:
        return "messages" not in object_of(msgspec.json.decode(first))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        if end >= 0 and text[end + 1 : end + 2] == b"{":  # two records on one line, and others below it
            return True
        return b'"messages"' not in first and first.strip() != b"{"
