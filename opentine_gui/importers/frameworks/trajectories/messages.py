"""Lists of messages as chat APIs take them, and the lists of mini-swe-agent and SWE-agent, which add to them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import JsonObject, RunStatus, StepKind
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.json_lines import read_lines
from opentine_gui.importers.reading import Place, Reading
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources import documents
from opentine_gui.importers.sources.content import Call, call_of, content_of
from opentine_gui.importers.sources.fields import amount, figure, object_of, objects_in, text_of, unix_time, usage_of
from opentine_gui.importers.sources.line import Line, began, first_prompt
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.outcomes import exit_failure
from opentine_gui.importers.sources.parts import divide

_COMMAND = re.compile(r"```(?:mswea_bash_command|bash|sh)[^\S\n]*+\n(?:[^\S\n]*+\n)*+(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"<returncode>(-?\d{1,9})</returncode>")
_OUTPUT, _OUTPUT_END = "<output>", "</output>"
Record = tuple[JsonObject, Place | None]


_REQUEST = re.compile(rb'\{\s*"messages"\s*:\s*\[')
"""The beginning of what is sent to an API: an object whose first member is the list."""


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a list, or lines, of messages with role and content."""
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:4096]
    if start.startswith(b"[") and b'"role"' in start and b'"content"' in start:
        return 0.5
    if _REQUEST.match(start) and b'"role"' in start and b'"content"' in start:
        return 0.5
    line = start.split(b"\n", 1)[0]
    return 0.5 if line.startswith(b"{") and b'"role"' in line and b'"content"' in line else 0.0


def recognise_mini(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a document of mini-swe-agent.

    It has `info` with statistics, then `messages`.
    """
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
    if not start.startswith(b"{"):
        return 0.0
    return (
        0.9 if b'"trajectory_format"' in head or (b'"model_stats"' in start[:2000] and b"minisweagent" in head) else 0.0
    )


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a list or lines of messages. TineError."""
    source = divide(path)[0]
    pace = Pace(progress, cancelled)
    draft = RunDraft()
    whole = documents.read_text(source)
    content = bytes(whole.content)
    if content.lstrip()[:1] == b"[":
        items = whole.items()
        draft.report.records += len(items)
        records: list[Record] = [(object_of(item.value()), item.place(source)) for item in items]
    elif "messages" in (members := whole.members()):
        items = members["messages"].items()
        draft.report.records += len(items)
        records = [(object_of(item.value()), item.place(source)) for item in items]
    else:
        records = [(line.value, line.place) for line in read_lines(source, content, draft.report, pace.part(0, 0.3))]
    add_messages(Line(draft), records)
    return _finish(draft, source, content, {}, "messages", pace)


def read_mini(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a trajectory of mini-swe-agent. TineError."""
    source = divide(path)[0]
    draft = RunDraft()
    whole = documents.read_text(source)
    members = whole.members()
    info = object_of(members["info"].value()) if "info" in members else {}
    items = members["messages"].items() if "messages" in members else []
    draft.report.records += len(items)
    model = text_of(object_of(object_of(info.get("config")).get("model")).get("model_name"))
    add_messages(Line(draft), [(object_of(item.value()), item.place(source)) for item in items], model=model)
    return _finish(draft, source, bytes(whole.content), info, "mini-swe-agent", Pace(progress, cancelled))


def add_messages(line: Line, records: Iterable[Record], *, model: str = "") -> None:
    """Add the steps of messages. What a user says while calls wait for results is the results, in their order."""
    for message, place in records:
        role = text_of(message.get("role"))
        extra = object_of(message.get("extra"))
        time = unix_time(extra.get("timestamp", message.get("timestamp")))
        content = content_of(message.get("content"))
        if role in ("system", "developer"):
            line.policy({"system": content.text}, time=time, place=place)
        elif message.get("is_demo"):
            line.draft.report.skip("demonstrations")
        elif role == "assistant":
            thought = text_of(message.get("thought"))
            if thought and not content.texts:
                content.texts.append(thought)
            reasoning = text_of(message.get("reasoning_content"))
            if reasoning:
                content.thoughts.append(reasoning)
            content.calls += [call_of(call) for call in objects_in(message.get("tool_calls"))]
            content.calls = content.calls or _actions(message, extra, content.text)
            answer = object_of(extra.get("response"))
            step = line.answer(content, model=text_of(answer.get("model")) or model, time=time, place=place)
            step.cost = amount(extra.get("cost")) or 0.0
            step.usage = _usage(object_of(answer.get("usage")))
        elif role == "exit":
            _end(line, text_of(extra.get("exit_status")), text_of(extra.get("submission")) or content.text, place)
        elif role in ("tool", "function") or content.results:
            _results(line, message, place, time)
            if content.results and content.texts:
                line.person(content, time=time, place=place)
        elif role == "user" and line.waiting:
            outputs, error = _printed(content.text, extra)
            line.result("", outputs, error=error, time=time, place=place)
        elif role in ("user", "human"):
            line.person(content, time=time, place=place)
        else:
            line.draft.report.skip(f"role {role}" if role else "messages without a role")


def _results(line: Line, message: JsonObject, place: Place | None, time: float | None) -> None:
    """Close the calls that a message answers."""
    content = content_of(message.get("content"))
    if content.results:
        for one in content.results:
            error = {"type": "failed", "message": one.content.text[:2000]} if one.failed else None
            line.result(one.id, one.content.outcome(), error=error, time=time, place=place)
        return
    ids = message.get("tool_call_ids")
    identity = text_of(message.get("tool_call_id")) or (text_of(ids[0]) if isinstance(ids, list) and ids else "")
    extra = object_of(message.get("extra"))
    outputs, error = _printed(content.text.removeprefix("OBSERVATION:\n"), extra)
    if content.images:
        outputs["images"] = content.images
    line.result(identity, outputs, error=error, time=time, place=place)


def _actions(message: JsonObject, extra: JsonObject, said: str) -> list[Call]:
    """The commands of an answer without calls: listed beside it, as SWE-agent's action, or in its block of code."""
    actions = objects_in(extra.get("actions"))
    if actions:
        return [
            Call("bash", {"command": text_of(one.get("command"))}, text_of(one.get("tool_call_id"))) for one in actions
        ]
    command = text_of(message.get("action"))
    found = _COMMAND.search(said[:200_000])
    command = command or (found[1] if found else "")
    return [Call("bash", {"command": command})] if command.strip() else []


def _printed(said: str, extra: JsonObject) -> tuple[JsonObject, JsonObject]:
    """(outputs, error) of what a command printed."""
    code = figure(extra.get("returncode"))
    marked = _CODE.match(said[:200])
    output = text_of(extra.get("raw_output"))
    if marked:
        code = int(marked[1]) if code is None else code
        begin, end = said.find(_OUTPUT) + len(_OUTPUT), said.rfind(_OUTPUT_END)  # a command can print such marks, too
        output = output or (said[begin:end].removeprefix("\n") if len(_OUTPUT) <= begin <= end else "")
    elif not output:
        output = said
    outputs: JsonObject = {"result": output}
    failed = text_of(extra.get("exception_info"))
    if code is None:
        return outputs, {"type": "failed", "message": failed[:2000]} if failed else {}
    outputs["exit_code"] = int(code)
    return outputs, {"type": "failed", "message": failed[:2000]} if failed else exit_failure(int(code))


def _end(line: Line, status: str, submission: str, place: Place | None) -> None:
    """Add the end of a trajectory: what was submitted, or why nothing was."""
    if status.lower().startswith("submitted") or (submission and not status):
        if line.waiting and submission:
            line.result("", {"result": submission}, place=place)
        line.add(StepKind.DONE, outputs={"text": submission}, place=place)
    elif status:
        step = line.add(StepKind.ERROR, place=place)
        step.error = {"type": status[:200], "message": submission[:2000] or status}


def _usage(usage: JsonObject) -> dict[str, int | float]:
    return usage_of(
        input=usage.get("prompt_tokens", usage.get("input_tokens")),
        output=usage.get("completion_tokens", usage.get("output_tokens")),
        cache_read=object_of(usage.get("prompt_tokens_details")).get("cached_tokens"),
        reasoning=object_of(usage.get("completion_tokens_details")).get("reasoning_tokens"),
        input_has_cache=True,
        output_has_reasoning=True,
    )


def _finish(draft: RunDraft, source: Path, content: bytes, info: JsonObject, name: str, pace: Pace) -> Reading:
    if not draft.steps:
        raise FormatError("there are no messages in it", path=source)
    metadata: JsonObject = {"title": first_prompt(draft)}
    stats = object_of(info.get("model_stats"))
    if stats:
        metadata |= {"agent": "mini-swe-agent", "model_stats": stats}
    last = next(reversed(draft.steps.values()))
    return draft.finish(
        run_id=run_id(source.name.removesuffix(".json").removesuffix(".traj")),
        created_at=began(draft),
        capture=origin(name, text_of(info.get("mini_version")), source, content=content),
        metadata=metadata,
        status=RunStatus.FAILED if last.kind is StepKind.ERROR else RunStatus.COMPLETED,
        main=last.key,
        sources=(source,),
        pace=pace.part(0.5, 1),
    )
