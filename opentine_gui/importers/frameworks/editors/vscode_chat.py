"""Chats of Copilot in VS Code: a document, or the journal of its changes.

A request that is edited, or undone, drops the ones after it; the journal still has them, and they make a branch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from opentine_gui.core.errors import FormatError
from opentine_gui.core.files import storage
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.json_lines import LARGEST_LOG, read_lines
from opentine_gui.importers.reading import Place, Reading, Report
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources import documents
from opentine_gui.importers.sources.content import Call, Content, arguments_of, content_of
from opentine_gui.importers.sources.fields import object_of, objects_in, parsed, storable, text_of, unix_time
from opentine_gui.importers.sources.line import Line, first_prompt
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.outcomes import exit_failure
from opentine_gui.importers.sources.parts import divide

LONGEST_LIST = 100_000
DEEPEST = 64


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a chat: a document with requests, or a journal of one."""
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
    if not start.startswith(b"{"):
        return 0.0
    if b'"requesterUsername"' in head and b'"requests"' in head:
        return 0.9
    line = start.split(b"\n", 1)[0]
    begins = b'"kind":0' in line[:40].replace(b" ", b"") or b'"kind":0' in line[-40:].replace(b" ", b"")
    return (
        0.9 if begins and (b'"requests"' in line or b'"inputState"' in line or b'"responderUsername"' in line) else 0.0
    )


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a chat. TineError."""
    source = divide(path)[0]
    pace = Pace(progress, cancelled)
    draft = RunDraft()
    content = storage.read_bytes(source, limit=LARGEST_LOG)
    journal = _Journal()
    places: dict[str, list[Place]] = {}
    first = content.lstrip(b"\xef\xbb\xbf \r\n\t").split(b"\n", 1)[0]
    if b'"kind"' in first and _is_journal(first):
        for record in read_lines(source, content, draft.report, pace.part(0, 0.5)):
            for changed in journal.take(record.value, draft.report):
                places.setdefault(changed, []).append(record.place)
    else:
        mark = len(content) - len(content.removeprefix(documents.BYTE_ORDER_MARK))
        whole = documents.Text(content[mark:], mark)
        journal.state = object_of(whole.value())
        draft.report.records += len(objects_in(journal.state.get("requests")))
        members = whole.members()
        for item in members["requests"].items() if "requests" in members else ():
            places.setdefault(text_of(object_of(item.value()).get("requestId")), []).append(item.place(source))
    main = Line(draft, "main")
    ends: dict[int, list[str]] = {0: []}
    for number, request in enumerate(objects_in(journal.state.get("requests"))):
        _request(main, request, places)
        ends[number + 1] = list(main.tips)
    for number, (place, dropped) in enumerate(journal.dropped):
        line = Line(draft, f"dropped {number}", ends.get(place, []))
        for request in dropped:
            _request(line, request, places)
    if not draft.steps:
        raise FormatError("there are no requests in it", path=source)
    title = text_of(journal.state.get("customTitle")) or first_prompt(draft)
    return draft.finish(
        run_id=run_id(text_of(journal.state.get("sessionId")), source.stem),
        created_at=unix_time(journal.state.get("creationDate")) or 0.0,
        capture=origin("vscode-chat", str(storable(journal.state.get("version", ""))), source, content=content),
        metadata={"agent": text_of(journal.state.get("responderUsername")) or "GitHub Copilot", "title": title[:200]},
        main=main.tips[-1] if main.tips else None,
        sources=(source,),
        pace=pace.part(0.6, 1),
    )


def _is_journal(line: bytes) -> bool:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("kind") == 0 and "v" in value


class _Journal:
    """The document that a journal's changes add up to, and the requests that were dropped on the way."""

    def __init__(self) -> None:
        self.state: JsonObject = {}
        self.dropped: list[tuple[int, list[JsonObject]]] = []

    def take(self, change: JsonObject, report: Report) -> list[str]:
        """Apply a change: 0 the whole, 1 set at a path, 2 append at a path (from index `i` on), 3 delete at a path.

        Returns the ids of the requests that the change is about.
        """
        kind, value, way = change.get("kind"), change.get("v"), change.get("k")
        if kind == 0:
            self.state = object_of(value)
            return [text_of(request.get("requestId")) for request in objects_in(self.state.get("requests"))]
        if not isinstance(way, list) or not way or len(way) > DEEPEST or kind not in (1, 2, 3):
            report.skip(f"changes of kind {storable(kind)}"[:60])
            return []
        before = objects_in(self.state.get("requests"))
        owner = self._owner(way[:-1])
        if kind == 2:
            _append(owner, way[-1], value, change.get("i"))
        elif kind == 1:
            _put(owner, way[-1], value)
        else:
            _delete(owner, way[-1])
        if way[0] == "requests" and len(way) <= 2:
            self._keep(before)
        if way[0] != "requests" or kind == 3:
            return []
        if len(way) == 1:
            told = objects_in(value if isinstance(value, list) else [value])
        else:
            told = [_at(self.state.get("requests"), way[1])]
        return [text_of(request.get("requestId")) for request in told]

    def _keep(self, before: list[JsonObject]) -> None:
        """Keep the requests that the change removed, with the place of the first one."""
        known = {text_of(request.get("requestId")) for request in objects_in(self.state.get("requests"))}
        gone = [
            (place, request) for place, request in enumerate(before) if text_of(request.get("requestId")) not in known
        ]
        if gone and gone[0][1].get("requestId"):
            self.dropped.append((gone[0][0], [request for _, request in gone]))

    def _owner(self, way: list[Any]) -> Any:
        """The value at a path; missing objects are created. None if there is no such place."""
        at: Any = self.state
        for name in way:
            if isinstance(at, list):
                at = at[name] if isinstance(name, int) and 0 <= name < len(at) else None
            elif isinstance(at, dict):
                at = at.setdefault(str(name), {})
            else:
                return None
        return at


def _at(requests: Any, place: Any) -> JsonObject:
    """The request at a place of the list; an empty object if there is none."""
    there = isinstance(requests, list) and isinstance(place, int) and 0 <= place < len(requests)
    return object_of(requests[place]) if there else {}


def _append(owner: Any, name: Any, value: Any, start: Any) -> None:
    values = value if isinstance(value, list) else [value]
    there = owner.get(name) if isinstance(owner, dict) and isinstance(name, str) else None
    if isinstance(owner, list) and isinstance(name, int) and 0 <= name < len(owner):
        there = owner[name]
    there = there if isinstance(there, list) else []
    end = start if isinstance(start, int) and 0 <= start <= len(there) else len(there)
    _put(owner, name, [*there[:end], *values][:LONGEST_LIST])


def _put(owner: Any, name: Any, value: Any) -> None:
    if isinstance(owner, dict):
        owner[str(name)] = value
    elif isinstance(owner, list) and isinstance(name, int) and 0 <= name <= len(owner) < LONGEST_LIST:
        owner[name : name + 1] = [value]


def _delete(owner: Any, name: Any) -> None:
    if isinstance(owner, dict):
        owner.pop(str(name), None)
    elif isinstance(owner, list) and isinstance(name, int) and 0 <= name < len(owner):
        del owner[name:]


def _request(line: Line, request: JsonObject, places: Mapping[str, Sequence[Place]]) -> None:
    """Add the steps of a request and its response; all of them have the records about the request as their places."""
    made = len(line.draft.steps)
    time = unix_time(request.get("timestamp"))
    message = request.get("message")
    line.person(content_of(text_of(object_of(message).get("text")) or message), time=time)
    result = object_of(request.get("result"))
    about = object_of(result.get("metadata"))
    model = text_of(request.get("modelId")).removeprefix("copilot/")
    rounds = objects_in(about.get("toolCallRounds"))
    if rounds:
        _rounds(line, rounds, object_of(about.get("toolCallResults")), model)
    else:
        _parts(line, objects_in(request.get("response")), model)
    error = object_of(result.get("errorDetails"))
    if error:
        last = line.draft.steps[line.answer_key] if line.answer_key else line.draft.steps[line.tips[-1]]
        kind = "interrupted" if error.get("responseIsIncomplete") else text_of(error.get("code")) or "failed"
        last.error = {"type": kind, "message": text_of(error.get("message"))[:2000] or kind}
    for step in islice(line.draft.steps.values(), made, None):
        step.places = list(places.get(text_of(request.get("requestId")), ()))


def _rounds(line: Line, rounds: list[JsonObject], results: JsonObject, model: str) -> None:
    """Add answers with their calls, as the extension recorded them for itself."""
    for one in rounds:
        content = content_of(one.get("response"))
        content.thoughts += content_of(object_of(one.get("thinking")).get("text")).texts
        for call in objects_in(one.get("toolCalls")):
            named = Call(text_of(call.get("name")), arguments_of(call.get("arguments")), text_of(call.get("id")))
            content.calls.append(named)
        line.answer(content, model=model, time=unix_time(one.get("timestamp")))
        for made in content.calls:
            if made.id in results:
                found = object_of(results[made.id]).get("content", results[made.id])
                pieces = [
                    object_of(item).get("value", item) for item in (found if isinstance(found, list) else [found])
                ]
                line.result(made.id, {"result": "\n".join(_printed(piece) for piece in pieces)})


def _printed(piece: Any, depth: int = 0) -> str:
    """The text of a result: its own, or that of the tree of pieces of a prompt (`node`, `children`, `text`)."""
    if isinstance(piece, str) or depth > DEEPEST:
        return piece if isinstance(piece, str) else ""
    value = object_of(piece)
    inner = object_of(value.get("node")) or value
    if "text" in inner or "children" in inner:
        said = text_of(inner.get("text")) + "".join(
            _printed(child, depth + 1) for child in objects_in(inner.get("children"))
        )
        return f"\n{said}" if inner.get("lineBreakBefore") is True and depth else said
    return json.dumps(storable(piece)) if value else ""


def _parts(line: Line, parts: list[JsonObject], model: str) -> None:
    """Splits what is shown into answers: texts and thoughts, then calls; a text after calls begins the next answer."""
    content = Content()
    calls: dict[str, JsonObject] = {}

    def close() -> None:
        nonlocal content, calls
        if not (content.texts or content.thoughts or calls):
            return
        content.texts = ["".join(content.texts).strip()] if content.texts else []
        content.calls = [_shown_call(call) for call in calls.values()]
        line.answer(content, model=model)
        for call in calls.values():
            outputs, error = _shown_result(call)
            if call.get("isComplete") or outputs:
                line.result(text_of(call.get("toolCallId")), outputs, error=error)
        content, calls = Content(), {}

    for part in parts:
        kind = text_of(part.get("kind"))
        value = part.get("value", object_of(part.get("content")).get("value"))
        if kind == "toolInvocationSerialized":
            calls[text_of(part.get("toolCallId")) or str(len(calls))] = part
        elif kind == "thinking":
            said = content_of(value).text
            if said:
                if calls:
                    close()
                content.thoughts.append(said)
        elif kind in ("", "markdownContent") and isinstance(value, str):
            if calls and value.strip().strip("`"):
                close()
            if not calls:
                content.texts.append(value)
        elif kind == "inlineReference" and not calls:
            content.texts.append(text_of(part.get("name")) or _last_of(object_of(part.get("inlineReference"))))
    close()


def _last_of(reference: JsonObject) -> str:
    """The file's name in a reference."""
    place = object_of(reference.get("uri")) or object_of(object_of(reference.get("location")).get("uri")) or reference
    return text_of(reference.get("name")) or text_of(place.get("path")).rpartition("/")[2]


def _shown_call(part: JsonObject) -> Call:
    data = object_of(part.get("toolSpecificData"))
    command = object_of(data.get("commandLine"))
    arguments: JsonObject = {}
    if command:
        arguments = {"command": text_of(command.get("original")) or text_of(command.get("forDisplay"))}
    elif "rawInput" in data:
        arguments = {"input": storable(data["rawInput"])}
    else:
        said = part.get("pastTenseMessage", part.get("invocationMessage"))
        arguments = {"text": text_of(object_of(said).get("value")) or text_of(said)}
    return Call(text_of(part.get("toolId")), arguments, text_of(part.get("toolCallId")))


def _shown_result(part: JsonObject) -> tuple[JsonObject, JsonObject]:
    details = object_of(part.get("resultDetails"))
    found = [text_of(item.get("value")) for item in objects_in(details.get("output"))]
    state = object_of(object_of(part.get("toolSpecificData")).get("terminalCommandState"))
    output = object_of(object_of(part.get("toolSpecificData")).get("terminalCommandOutput"))
    printed = "\n".join(found) or text_of(output.get("text")) or text_of(parsed(details.get("result")))
    outputs: JsonObject = {"result": printed} if printed else {}
    if isinstance(state.get("exitCode"), int):
        outputs["exit_code"] = state["exitCode"]
        return outputs, exit_failure(state["exitCode"])
    if details.get("isError") is True:
        return outputs, {"type": "failed", "message": printed[:2000] or "failed"}
    refused = object_of(part.get("isConfirmed")).get("type") == 0 or part.get("isConfirmed") is False
    return outputs, {"type": "rejected", "message": "The person refused the call."} if refused else {}
