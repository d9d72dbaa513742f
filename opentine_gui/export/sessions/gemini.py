"""Writes a new chat of Gemini CLI with a step and the messages before it, as the list was at that step.

`gemini --resume ID` finds a chat of the project's folder by the id in its first line (0.61.0). The program stores each
result of a call twice, in the call and as a message, and sends both when it resumes: here each is written once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from opentine_gui.core.errors import EditError, TineError
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
    time_of,
)
from opentine_gui.importers.gemini import messages as said
from opentine_gui.importers.gemini.reader import project_folder, records_in
from opentine_gui.importers.json_lines import Line
from opentine_gui.importers.reading import Report
from opentine_gui.importers.sources.fields import objects_in, text_of
from opentine_gui.importers.sources.packed import content_of

PROVED = ("0.61.0",)
REMOVAL = "Delete the session in Gemini's list of sessions (/resume, or gemini --delete-session), or delete the file."
NOT_SENT = ("info", "warning", "error")


def write(wish: Continuation) -> Handback:
    """The new chat and the command that goes on in it. EditError when the source has changed or holds too little."""
    places = places_of(wish)
    path = places[0].path
    try:
        lines = list(records_in(path, content_of(path), Report(), Pace()))
    except TineError as error:
        raise changed(path) from error
    at = [number for number, line in enumerate(lines) if line.place in places]
    if not at:
        raise changed(path)
    header = next((line.value for line in lines if "projectHash" in line.value), None)
    if header is None:
        raise EditError("this history was not written as a chat, so Gemini CLI cannot take it up", path=path)
    step = wish.reading.record.graph.step(wish.step)
    own = text_of(lines[at[0]].value.get("id"))
    messages = _list_at(lines[: at[0]] if wish.replaces else lines[: at[-1] + 1])
    end = next((number for number, message in enumerate(messages) if own and message.get("id") == own), None)
    if end is not None:
        del messages[end + 1 :]
    messages = list(_each_result_once(messages))
    folder = project_folder(path)
    where = Path(folder) if folder else None
    if not any(said.is_answer(message) for message in messages):
        return Handback("Gemini CLI", "", (), ("gemini",), where, (BEGINS_ANEW,), REMOVAL, saying=_saying)
    closed = 0 if wish.replaces else _close(messages, all_calls=step.kind != "tool")
    remarks = closed_calls(closed, "an error")
    if header.get("kind") == "subagent":
        remarks.append("The step is a sub-agent's: its conversation becomes a session of its own.")
    session = wish.new_id()
    time = time_of(wish)
    first: JsonObject = {"sessionId": session, "projectHash": header["projectHash"], "startTime": time}
    first |= {"lastUpdated": time, "kind": "main"}
    if "directories" in header:
        first["directories"] = header["directories"]
    name = f"session-{time[:16].replace(':', '-')}-{session[:8]}.jsonl"
    content = lines_of([first, *messages, {"$set": {"lastUpdated": time}}])
    words = ("gemini", "--resume", session)
    file = NewFile(_chat_folder(path) / name, content)
    return Handback("Gemini CLI", session, (file,), words, where, tuple(remarks), REMOVAL, saying=_saying)


def _saying(prompt: str) -> tuple[str, ...]:
    return (f"--prompt-interactive={prompt}",) if prompt else ()


def _list_at(lines: list[Line]) -> list[JsonObject]:
    """The list of messages after these records, by the program's own rules.

    When the program writes the list anew, answers in it lose the states of their calls: the answer as it was before is
    kept.
    """
    messages: list[JsonObject] = []
    answers: dict[str, JsonObject] = {}
    context: JsonObject | None = None
    for line in lines:
        record = line.value
        patch = record.get("$set")
        if isinstance(patch, dict):
            if isinstance(patch.get("messages"), list):
                messages = [
                    answers.get(text_of(message.get("id")), message) for message in objects_in(patch["messages"])
                ]
        elif "$rewindTo" in record:
            target = record["$rewindTo"]
            at = next((number for number, message in enumerate(messages) if message.get("id") == target), 0)
            del messages[at:]
        elif "type" in record:
            if said.is_answer(record) and text_of(record.get("id")):
                answers[text_of(record["id"])] = record
            known = next((n for n, message in enumerate(messages) if message.get("id") == record.get("id")), None)
            if known is None:
                messages.append(record)
            else:
                messages[known] = record
        context = context or next((message for message in messages if _is_context(message)), None)
    if context is not None and not any(_is_context(message) for message in messages):
        messages.insert(0, context)  # a rewind loses it
    return messages


def _each_result_once(messages: list[JsonObject]) -> Iterator[JsonObject]:
    """The messages that are sent; a result that a call already has is not repeated in a message of its own."""
    covered = {
        _bare(call.get("id"))
        for message in messages
        for call in objects_in(message.get("toolCalls"))
        if call.get("result")
    }
    sent: set[str] = set()
    for message in messages:
        parts = said.parts_of(message)
        if message.get("type") in NOT_SENT:
            continue
        if said.is_user(message) and said.has_results(parts):
            kept: list[JsonObject] = []
            for part in parts:
                response = part.get("functionResponse")
                if isinstance(response, dict):
                    identity = _bare(response.get("id"))
                    if identity in covered or identity in sent:
                        continue
                    sent.add(identity)
                elif "inlineData" in part and not kept:
                    continue  # the picture of a result that stands elsewhere
                kept.append(part)
            if kept:
                yield message | {"content": kept}
        elif message.get("toolCalls"):
            yield _with_own_results(message, parts)
        else:
            yield message


def _with_own_results(message: JsonObject, parts: list[JsonObject]) -> JsonObject:
    """An answer in which each call appears once, with its own result only."""
    calls = []
    for call in objects_in(message.get("toolCalls")):
        result = call.get("result")
        if isinstance(result, list):
            own = [
                part
                for part in objects_in(result)
                if not isinstance(part.get("functionResponse"), dict)
                or _bare(part["functionResponse"].get("id")) == _bare(call.get("id"))
            ]
            call = call | {"result": own}
        calls.append(call)
    found = message | {"toolCalls": calls}
    if any("functionCall" in part for part in parts):
        found["content"] = [part for part in parts if "functionCall" not in part and part.get("thought") is not True]
    return found


def _is_context(message: JsonObject) -> bool:
    """Whether the program itself added the message, to tell the model about its environment."""
    return said.is_user(message) and said.texts_in(said.parts_of(message)).startswith(said.CONTEXT)


def _close(messages: list[JsonObject], *, all_calls: bool) -> int:
    """Close the calls of the last answer that have no result, with one that says so; returns how many.

    `all_calls`: close every call, as the step comes before their results.
    """
    last = messages[-1]
    calls = objects_in(last.get("toolCalls")) if said.is_answer(last) else []
    closed = 0
    done: list[dict[str, Any]] = []
    for call in calls:
        if all_calls or not call.get("result"):
            answer = {"id": call.get("id"), "name": call.get("name"), "response": {"error": CLOSED}}
            call = call | {"result": [{"functionResponse": answer}], "status": "error"}
            closed += 1
        done.append(call)
    if closed:
        messages[-1] = last | {"toolCalls": done}
    return closed


def _chat_folder(path: Path) -> Path:
    """The folder of the project's chats: the folder of the source or, for the chat of a sub-agent, the one above."""
    for parent in list(path.absolute().parents)[:2]:
        if parent.name == "chats":
            return parent
    raise EditError("the file is in no folder of Gemini's chats, so the project that it is of is not known", path=path)


def _bare(identity: Any) -> str:
    """The id of a call as the model gave it; the program puts the tool's name before it."""
    return text_of(identity).rpartition("__")[2]
