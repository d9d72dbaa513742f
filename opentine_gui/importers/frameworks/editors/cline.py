"""Cline and Roo: the messages shown for a task (`ui_messages.json`), in the order of their times."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.reading import Place, Reading
from opentine_gui.importers.run_draft import RunDraft, StepDraft
from opentine_gui.importers.sources import documents
from opentine_gui.importers.sources.content import Call, Content
from opentine_gui.importers.sources.fields import (
    amount,
    figure,
    object_of,
    parsed,
    storable,
    text_of,
    unix_time,
    usage_of,
)
from opentine_gui.importers.sources.line import Line, first_prompt
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.parts import divide

PEOPLE = frozenset({"task", "user_feedback", "user_feedback_diff"})
CALLS = frozenset(
    {"tool", "command", "use_mcp_server", "browser_action", "browser_action_launch", "new_task", "use_subagents"}
)
RESULTS = {"command_output", "mcp_server_response", "browser_action_result"}
ERRORS = frozenset({"error", "api_req_failed", "mistake_limit_reached", "diff_error", "error_retry"})


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a list of messages with `ts` and `say` or `ask`."""
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:4096]
    return 0.9 if start.startswith(b"[") and b'"ts"' in start and (b'"say"' in start or b'"ask"' in start) else 0.0


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a task. TineError."""
    source = divide(path)[0]
    pace = Pace(progress, cancelled)
    whole = documents.read_text(source)
    draft = RunDraft()
    records = []
    for item in whole.items():
        draft.report.records += 1
        value = item.value()
        if isinstance(value, dict):
            records.append((figure(value.get("ts")) or 0, value, item.place(source)))
        else:
            draft.report.bad_lines += 1
    task = _Task(draft)
    for position, (_, value, place) in enumerate(sorted(records, key=lambda record: record[0])):
        if position % 200 == 0:
            pace.at(0.8 * position / len(records))
        task.take(value, place)
    task.close()
    if not draft.steps:
        raise FormatError("there are no messages in it", path=source)
    folder = source.parent.name if source.name == "ui_messages.json" else source.stem
    first = next(iter(draft.steps.values())).timestamp
    return draft.finish(
        run_id=run_id(folder, source.stem),
        created_at=first or 0.0,
        capture=origin("cline-messages", "", source, content=bytes(whole.content)),
        metadata={"agent": "Cline", "title": first_prompt(draft)},
        main=task.line.tips[-1] if task.line.tips else None,
        sources=(source,),
        pace=pace.part(0.8, 1),
    )


class _Task:
    """Takes the messages of a task. A request opens an answer; the texts and calls after it belong to the answer."""

    def __init__(self, draft: RunDraft) -> None:
        self.draft = draft
        self.line = Line(draft)
        self.answer: StepDraft | None = None
        self.content = Content()

    def take(self, value: JsonObject, place: Place) -> None:
        """Add a message; an incomplete one is superseded by a later one."""
        if value.get("partial") is True:
            self.draft.report.skip("partial messages")
            return
        kind = text_of(value.get("say")) or text_of(value.get("ask"))
        said, time = text_of(value.get("text")), unix_time(value.get("ts"))
        if kind in PEOPLE:
            self.close()
            images = value.get("images")
            content = Content(
                texts=[said], images=[image for image in images if text_of(image)] if isinstance(images, list) else []
            )
            self.line.person(content, time=time, place=place)
        elif kind == "api_req_started":
            self.close()
            self._open(object_of(parsed(said)), time, place)
        elif kind in ("text", "reasoning", "plan_mode_respond", "followup"):
            self._say(kind, said, time, place)
        elif kind in CALLS:
            self._call(kind, said, time, place)
        elif kind in RESULTS:
            step = self.line.last_waiting()
            if step is not None:
                step.outputs = {
                    "result": "\n".join(part for part in (text_of(step.outputs.get("result")), said) if part)
                }
                step.error = {}
                step.places.append(place)
        elif kind in ERRORS:
            self.close()
            step = self.line.add(StepKind.ERROR, time=time, place=place)
            step.error = {"type": kind, "message": said[:2000] or kind}
        elif kind == "completion_result" and said:
            self.close()
            self.line.add(StepKind.DONE, outputs={"text": said}, time=time, place=place)
        else:
            self.draft.report.skip(kind or "messages of no kind")

    def close(self) -> None:
        """Put the collected content of the open answer into its step."""
        if self.answer is not None:
            self.answer.outputs = self.content.said()
        self.answer, self.content = None, Content()

    def _open(self, request: JsonObject, time: float | None, place: Place | None) -> None:
        step = self.line.answer(Content(), model=text_of(request.get("model")), time=time, place=place)
        step.usage = usage_of(
            input=request.get("tokensIn"),
            output=request.get("tokensOut"),
            cache_read=request.get("cacheReads"),
            cache_write=request.get("cacheWrites"),
        )
        step.cost = amount(request.get("cost")) or 0.0
        if request.get("cancelReason"):
            step.error = {"type": "interrupted", "message": text_of(request["cancelReason"])}
        self.answer = step

    def _say(self, kind: str, said: str, time: float | None, place: Place) -> None:
        if self.answer is None:
            self._open({}, time, None)
        (self.content.thoughts if kind == "reasoning" else self.content.texts).append(said)
        if self.answer is not None:
            self.answer.places.append(place)

    def _call(self, kind: str, said: str, time: float | None, place: Place) -> None:
        if self.answer is None:
            self._open({}, time, None)
        given = parsed(said)
        named, arguments = kind, storable(given)
        if isinstance(given, dict):
            named = text_of(given.get("tool")) or text_of(given.get("toolName")) or kind
            arguments = {name: storable(item) for name, item in given.items() if name not in ("tool", "toolName")}
        elif kind == "command":
            arguments = {"command": said}
        last = self.line.last_waiting()
        if last is not None and last.inputs == {"name": named, "arguments": arguments}:
            last.places.append(place)  # asked and said: one call
            return
        call = Call(named, arguments)
        self.content.calls.append(call)
        step = self.line.call(call, time=time, place=place)
        if kind == "tool":  # the call itself says what a tool of the editor did
            step.error = {}
            content = object_of(given).get("content")
            step.outputs = {"result": content} if isinstance(content, str) else {}
