"""OpenCode's messages as steps.

An answer's `parentID` is the person's message, not the answer before: messages follow each other by their ids. A
session started by a `task` call begins at the answer that made the call, and its last steps are parents of the call.
"""

from __future__ import annotations

from collections.abc import Callable

from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.importers.frameworks.opencode.sessions import Message, Session
from opentine_gui.importers.run_draft import RunDraft, StepDraft
from opentine_gui.importers.sources.content import Call
from opentine_gui.importers.sources.fields import (
    amount,
    between,
    figure,
    object_of,
    objects_in,
    storable,
    text_of,
    unix_time,
    usage_of,
)
from opentine_gui.importers.sources.outcomes import NO_RESULT, exit_failure, note_silent_failure

DEEPEST = 12
LINES_OF_ABORT = "User aborted the command"
SILENT = frozenset({"step-start", "step-finish", "snapshot", "patch", "compaction"})
Find = Callable[[str], Session | None]


class Conversation:
    """Makes the steps of a session and of the sub-agents that it started."""

    def __init__(self, draft: RunDraft, find: Find, pace: Pace) -> None:
        self.draft = draft
        self.find = find
        self.pace = pace
        self.inner: dict[str, tuple[Session, int, list[str]]] = {}
        """Sub-agents' sessions: which of their messages come next, and their last steps."""
        self.seen: set[str] = set()
        self.compacting: set[str] = set()
        """The messages that ask for a summary."""
        self.last_of: dict[str, list[str]] = {}
        """The tips after each message."""

    def grow(self, session: Session) -> list[str]:
        """Add a session's steps; the keys of its last ones."""
        self.seen.add(session.id)
        tips: list[str] = []
        for position, message in enumerate(session.messages):
            if position % 50 == 0:
                self.pace.at(position / len(session.messages))
            tips = self._add(f"{session.id} {position}", message, tips, 0)
        return tips

    def before(self, session: Session, message: str) -> list[str]:
        """The tips right before a message, for a session that was reverted to there."""
        tips: list[str] = []
        for one in session.messages:
            if one.id == message:
                return tips
            tips = self.last_of.get(one.id, tips)
        return tips

    def _add(self, key: str, message: Message, tips: list[str], depth: int) -> list[str]:
        if message.is_prompt:
            found = self._prompt(key, message, tips)
        elif message.info.get("summary") is not True and message.info.get("mode") != "compaction":
            found = self._answer(key, message, tips, depth)
        elif self._replaces(message):
            found = self._summary(key, message, tips)
        else:
            found = self._answer(key, message, tips, depth)
            said = {"summary": "\n".join(_texts(message.parts, "text"))}
            once = {"kind": StepKind.THINK, "inputs": {"trigger": "compaction"}, "outputs": said, "error": {}}
            self.draft.once(key, {**once, "tool_info": {}})
        self.last_of[message.id] = found
        return found

    def _prompt(self, key: str, message: Message, tips: list[str]) -> list[str]:
        if any(part.get("type") == "compaction" for part in message.parts):
            self.compacting.add(message.id)
            self.draft.report.folded += 1
            return tips
        step = self._step(key, StepKind.MODEL, tips, message)
        step.v3_kind = "human"
        step.inputs = _said_by_person(message.parts)
        return [step.key]

    def _summary(self, key: str, message: Message, tips: list[str]) -> list[str]:
        step = self._step(key, StepKind.THINK, tips, message)
        step.inputs = {"trigger": "compaction"}
        step.outputs = {"summary": "\n".join(_texts(message.parts, "text"))}
        self._bill(step, message)
        return [step.key]

    def _replaces(self, message: Message) -> bool:
        """Whether a summary took the place of what came before.

        One that failed or was interrupted does not. OpenCode then summarises again at the next prompt, and sends that
        summary as the answer to the prompt, after everything that it was to replace.
        """
        asked = text_of(message.info.get("parentID"))
        again = message.info.get("mode") == "compaction" and asked in self.last_of and asked not in self.compacting
        return not _failure(message.info) and not again

    def _answer(self, key: str, message: Message, tips: list[str], depth: int) -> list[str]:
        tools = [part for part in message.parts if part.get("type") == "tool"]
        texts, thoughts = _texts(message.parts, "text"), _texts(message.parts, "reasoning")
        failure = _failure(message.info)
        empty = not (tools or texts or thoughts)
        step = self._step(key, StepKind.ERROR if empty and failure else StepKind.MODEL, tips, message)
        step.error = failure
        if not empty or not failure:
            step.outputs = {"text": "\n".join(texts)} if texts or not tools else {}
            if thoughts:
                step.outputs["thinking"] = "\n".join(thoughts)
            if tools:
                step.outputs["tool_calls"] = [_call(part).recorded() for part in tools]
        retries = sum(part.get("type") == "retry" for part in message.parts)
        if retries:
            step.tool_info = {"attempts": retries + 1}
        self._bill(step, message)
        step.duration = between(step.timestamp, _answered(message))
        known = {"text", "reasoning", "tool", "retry", "file"} | SILENT
        for part in message.parts:
            if text_of(part.get("type")) not in known:
                self.draft.report.skip(f"part {text_of(part.get('type'))}")
        found = []
        for place, part in enumerate(tools):
            found.append(self._tool(f"{key} {place}", part, step, depth))
            own = message.part_places.get(text_of(part.get("id")))
            self.draft.steps[found[-1]].places = [own] if own is not None else list(message.places)
        return found or [step.key]

    def _step(self, key: str, kind: StepKind, tips: list[str], message: Message) -> StepDraft:
        created = unix_time(object_of(message.info.get("time")).get("created"))
        return self.draft.add(key, kind, tips, timestamp=created, places=list(message.places))

    def _bill(self, step: StepDraft, message: Message) -> None:
        info = message.info
        tokens = object_of(info.get("tokens"))
        cache = object_of(tokens.get("cache"))
        step.model_info = text_of(info.get("modelID"))
        step.provider = text_of(info.get("providerID"))
        step.cost = amount(info.get("cost")) or 0.0
        step.usage = usage_of(
            input=tokens.get("input"),
            output=tokens.get("output"),
            cache_read=cache.get("read"),
            cache_write=cache.get("write"),
            reasoning=tokens.get("reasoning"),
        )

    def _tool(self, key: str, part: JsonObject, asked: StepDraft, depth: int) -> str:
        """A call with its result; one that started a sub-agent has the sub-agent's last steps as parents too."""
        state = object_of(part.get("state"))
        details = object_of(state.get("metadata"))
        times = object_of(state.get("time"))
        call = _call(part)
        start = unix_time(times.get("start"))
        parents = [asked.key]
        inner = text_of(details.get("sessionId")) or text_of(details.get("sessionID"))
        if inner and depth < DEEPEST:
            parents += self._sub_agent(key, inner, call, asked, depth)
        step = self.draft.add(key, StepKind.TOOL, parents, inputs=call.recorded(), timestamp=start or asked.timestamp)
        step.duration = between(start, unix_time(times.get("end")))
        step.outputs, step.error = _outcome(state, details)
        note_silent_failure(self.draft, step)
        return key

    def _sub_agent(self, key: str, identity: str, call: Call, asked: StepDraft, depth: int) -> list[str]:
        """Add a sub-agent's turn for a call; one called again continues where it was. Returns its last keys."""
        if identity not in self.inner:
            found = self.find(identity) if identity not in self.seen else None
            if found is None:
                self.draft.report.remark(f"The sub-agent's session {identity[:40]} is not in this file.")
                return []
            self.seen.add(identity)
            self.inner[identity] = (found, 0, [])
        session, place, before = self.inner[identity]
        given = object_of(call.arguments)
        inputs = {"prompt": text_of(given.get("prompt")), "agent": text_of(given.get("subagent_type"))}
        if text_of(given.get("description")):
            inputs["description"] = text_of(given["description"])
        first = session.messages[place] if place < len(session.messages) else None
        start = self.draft.add(f"{key} agent", StepKind.MODEL, [asked.key, *before], inputs=inputs, v3_kind="subagent")
        start.timestamp = unix_time(object_of(first.info.get("time")).get("created")) if first else asked.timestamp
        tips = [start.key]
        prompts = 0
        while place < len(session.messages):
            message = session.messages[place]
            prompts += message.is_prompt and not any(part.get("type") == "compaction" for part in message.parts)
            if prompts > 1:
                break
            if message.is_prompt and prompts == 1:
                start.places += message.places
                self.draft.report.folded += 1
            else:
                tips = self._add(f"{key} {identity} {place}", message, tips, depth + 1)
            place += 1
        self.inner[identity] = (session, place, tips)
        return tips


def _said_by_person(parts: list[JsonObject]) -> JsonObject:
    """The inputs of a person's message; what OpenCode added by itself is kept apart, as context."""
    own = [part for part in parts if part.get("synthetic") is not True]
    said = [*_texts(own, "text"), *(text_of(part.get("prompt")) for part in own if part.get("type") == "subtask")]
    found: JsonObject = {"text": "\n".join(line for line in said if line)}
    files = [part for part in parts if part.get("type") == "file"]
    images = [text_of(part.get("url")) for part in files if text_of(part.get("mime")).startswith("image/")]
    names = [text_of(part.get("filename")) for part in files if not text_of(part.get("mime")).startswith("image/")]
    context = _texts([part for part in parts if part.get("synthetic") is True], "text")
    if images:
        found["images"] = images
    if any(names):
        found["files"] = names
    if context:
        found["context"] = "\n".join(context)
    return found


def _texts(parts: list[JsonObject], kind: str) -> list[str]:
    return [text_of(part.get("text")) for part in parts if part.get("type") == kind and text_of(part.get("text"))]


def _call(part: JsonObject) -> Call:
    given = object_of(part.get("state")).get("input")
    return Call(text_of(part.get("tool")), storable(given) if given is not None else {}, text_of(part.get("callID")))


def _failure(info: JsonObject) -> JsonObject:
    """Why an answer failed; {} when it did not."""
    error = object_of(info.get("error"))
    if not error:
        return {}
    data = object_of(error.get("data"))
    name = text_of(error.get("name")) or "error"
    return {
        "type": "interrupted" if name == "MessageAbortedError" else name,
        "message": text_of(data.get("message")) or name,
    }


def _answered(message: Message) -> float | None:
    """When the model had answered, in Unix seconds: its last text or its first call, whichever is later."""
    ends = []
    starts = []
    for part in message.parts:
        if part.get("type") in ("text", "reasoning"):
            ends.append(unix_time(object_of(part.get("time")).get("end")))
        elif part.get("type") == "tool":
            starts.append(unix_time(object_of(object_of(part.get("state")).get("time")).get("start")))
    known = [time for time in (*ends, *starts[:1]) if time is not None]
    return max(known) if known else unix_time(object_of(message.info.get("time")).get("completed"))


def _outcome(state: JsonObject, details: JsonObject) -> tuple[JsonObject, JsonObject]:
    """(outputs, error) of a call."""
    status = text_of(state.get("status"))
    if status == "error":
        message = text_of(state.get("error"))
        refused = "rejected permission" in message or "user rejected" in message.lower()
        kind = "rejected" if refused else "interrupted" if "abort" in message.lower() else "failed"
        return {"result": message}, {"type": kind, "message": message[:2000]}
    if status != "completed":
        return {}, dict(NO_RESULT)
    result = text_of(state.get("output"))
    images = [text_of(item.get("url")) for item in objects_in(state.get("attachments")) if item.get("url")]
    outputs: JsonObject = {"result": result} | ({"images": images} if images else {})
    code = figure(details.get("exit"))
    if code is not None:
        outputs["exit_code"] = int(code)
    if LINES_OF_ABORT in result[-200:]:
        return outputs, {"type": "interrupted", "message": LINES_OF_ABORT}
    return outputs, exit_failure(outputs.get("exit_code"))
