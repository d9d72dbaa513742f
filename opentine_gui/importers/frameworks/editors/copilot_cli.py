"""GitHub Copilot's command line: a log of events, in which each one's parent is just the line before."""

from __future__ import annotations

import json
from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.files import storage
from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.json_lines import LARGEST_LOG, read_lines
from opentine_gui.importers.json_lines import Line as Record
from opentine_gui.importers.reading import Place, Reading
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources.content import Call, content_of, without_elements
from opentine_gui.importers.sources.fields import count, object_of, objects_in, storable, text_of, unix_time
from opentine_gui.importers.sources.line import Line, began, first_prompt
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.parts import divide

_IN_PART = (
    "Of an answer only the tokens that were written are recorded, not those that were read: sums are lower bounds."
)
_ADDED = ("current_datetime", "reminder", "system_reminder")
"""Elements that the program adds to what was typed."""


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a session of Copilot's command line.

    Lines of `{type, data, id, parentId, timestamp}`, the first of which begins a session.
    """
    line = head.lstrip(b"\xef\xbb\xbf \r\n\t").split(b"\n", 1)[0]
    if not (line.startswith(b"{") and b'"parentId"' in line and b'"data"' in line):
        return 0.0
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return 0.0
    return 0.9 if isinstance(value, dict) and "." in text_of(value.get("type")) and "id" in value else 0.0


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a session. TineError."""
    source = divide(path)[0]
    pace = Pace(progress, cancelled)
    draft = RunDraft()
    content = storage.read_bytes(source, limit=LARGEST_LOG)
    session = _Session(draft)
    for record in read_lines(source, content, draft.report, pace.part(0, 0.6)):
        session.take(record)
    if not draft.steps:
        raise FormatError("there are no messages in it", path=source)
    about = session.about
    title = first_prompt(draft)
    metadata: JsonObject = {"agent": "Copilot CLI"} | ({"title": title} if title else {})
    folder = text_of(object_of(about.get("context")).get("cwd"))
    metadata |= ({"cwd": folder} if folder else {}) | ({"usage": session.sums} if session.sums else {})
    if session.sums:
        draft.report.remark(
            "Tokens that were read are known as a sum of the session only; steps have what was written."
        )
        draft.report.state(None, session.tokens)
    if any(step.usage for step in draft.steps.values()):
        draft.report.at_least = _IN_PART
    return draft.finish(
        run_id=run_id(text_of(about.get("sessionId")), source.stem),
        created_at=unix_time(about.get("startTime")) or began(draft),
        capture=origin("copilot-events", text_of(about.get("copilotVersion")), source, content=content),
        metadata=metadata,
        main=session.main.tips[-1] if session.main.tips else None,
        sources=(source,),
        pace=pace.part(0.6, 1),
    )


class _Session:
    """Takes the events of a session; sub-agents have lines of their own."""

    def __init__(self, draft: RunDraft) -> None:
        self.draft = draft
        self.main = Line(draft, "main")
        self.lines: dict[str, Line] = {"": self.main}
        self.about: JsonObject = {}
        self.sums: JsonObject = {}
        self.tokens = 0
        """Tokens read and written, as the session states them when it ends: the most, if it does so more than once."""
        self.model = ""
        self.system = ""
        self.prompted = False

    def take(self, record: Record) -> None:
        """Add what an event says."""
        kind, data = text_of(record.value.get("type")), object_of(record.value.get("data"))
        time, place = unix_time(record.value.get("timestamp")), record.place
        line = self._line(text_of(data.get("parentToolCallId")))
        if kind == "session.start":
            self.about = data
        elif kind == "session.model_change":
            self.model = text_of(data.get("newModel")) or self.model
        elif kind == "session.shutdown":
            self.sums = object_of(storable(object_of(data.get("modelMetrics"))))
            self.tokens = max(self.tokens, _tokens_in(self.sums))
        elif kind == "system.message":
            if data.get("content") == self.system:
                self.draft.report.folded += 1
                return
            self.system = text_of(data.get("content"))
            line.policy({"system": self.system}, time=time, place=place)
        elif kind == "user.message":
            self._prompt(line, data, time, place)
        elif kind == "assistant.message":
            self._answer(line, data, record)
        elif kind == "tool.execution_start":
            self._start(line, data, record)
        elif kind == "tool.execution_complete":
            self._complete(line, data, record)
        elif kind in ("session.error", "abort", "session.abort"):
            step = line.add(StepKind.ERROR, time=time, place=place)
            message = text_of(data.get("message")) or text_of(data.get("reason"))
            named = "interrupted" if kind.endswith("abort") else text_of(data.get("errorType")) or "error"
            step.error = {"type": named, "message": message or named}
        elif kind == "session.compaction_complete":
            step = line.add(StepKind.THINK, {"trigger": "compaction"}, time=time, place=place)
            step.outputs = {"summary": text_of(data.get("summaryContent")) or text_of(data.get("summary"))}
        else:
            self.draft.report.skip(kind or "lines without a type")

    def _prompt(self, line: Line, data: JsonObject, time: float | None, place: Place) -> None:
        """Add what a person said. After the first, words without any that were typed are the program's own."""
        attached = objects_in(data.get("attachments"))
        typed = text_of(data.get("content"))
        content = content_of(typed or _typed(text_of(data.get("transformedContent"))))
        if data.get("content") == "" and not attached and self.prompted:
            line.policy({"text": content.text}, time=time, place=place)
            return
        self.prompted = True
        step = line.person(content, time=time, place=place)
        names = [text_of(one.get("displayName")) or text_of(one.get("path")) for one in attached]
        if any(names):
            step.inputs["files"] = names

    def _line(self, call: str) -> Line:
        """The line of the sub-agent that a call started, which begins under the answer with that call."""
        if call not in self.lines:
            step = next((line.calls[call] for line in self.lines.values() if call in line.calls), None)
            own = Line(self.draft, f"agent {call}", step.parents if step is not None else self.main.tips)
            given = object_of(step.inputs.get("arguments")) if step is not None else {}
            inputs = {
                "prompt": text_of(given.get("prompt")),
                "agent": text_of(given.get("agent_type")) or text_of(given.get("name")),
            }
            own.add(StepKind.MODEL, inputs, v3_kind="subagent", time=step.timestamp if step is not None else None)
            self.lines[call] = own
        return self.lines[call]

    def _answer(self, line: Line, data: JsonObject, record: Record) -> None:
        content = content_of(data.get("content"))
        content.thoughts += content_of(data.get("reasoningText")).texts
        for call in objects_in(data.get("toolRequests")):
            content.calls.append(
                Call(text_of(call.get("name")), storable(call.get("arguments")), text_of(call.get("toolCallId")))
            )
        time = unix_time(record.value.get("timestamp"))
        step = line.answer(content, model=text_of(data.get("model")) or self.model, time=time, place=record.place)
        written = count(data.get("outputTokens"))
        if written:
            step.usage = {"output": written}

    def _start(self, line: Line, data: JsonObject, record: Record) -> None:
        identity = text_of(data.get("toolCallId"))
        time = unix_time(record.value.get("timestamp"))
        step = line.calls.get(identity)
        if step is None:
            step = line.call(Call(text_of(data.get("toolName")), storable(data.get("arguments")), identity), time=time)
        step.timestamp = time or step.timestamp
        step.places.append(record.place)

    def _complete(self, line: Line, data: JsonObject, record: Record) -> None:
        result = object_of(data.get("result"))
        error = object_of(data.get("error"))
        message = text_of(error.get("message"))
        outputs = content_of(result.get("content")).outcome() if result else {"result": message}
        failure = None
        if data.get("success") is False:
            refused = text_of(error.get("code")) in ("rejected", "denied")
            failure = {"type": "rejected" if refused else "failed", "message": message[:2000] or "failed"}
        identity = text_of(data.get("toolCallId"))
        step = line.result(
            identity, outputs, error=failure, time=unix_time(record.value.get("timestamp")), place=record.place
        )
        inner = self.lines.get(identity)
        if step is not None and inner is not None and inner is not line:
            step.parents = list(dict.fromkeys([*step.parents, *inner.tips]))


def _tokens_in(sums: JsonObject) -> int:
    """The tokens that were read, those from a cache included, and written by all models of a session."""
    counts = [object_of(object_of(model).get("usage")) for model in sums.values()]
    return sum((count(one.get("inputTokens")) or 0) + (count(one.get("outputTokens")) or 0) for one in counts)


def _typed(sent: str) -> str:
    """The typed part of a prompt, without what the program added."""
    for name in _ADDED:
        sent = without_elements(sent, name)
    return sent.strip()
