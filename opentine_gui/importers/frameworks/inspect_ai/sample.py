"""Turns a sample's events into spans, which the reader of traces turns into steps.

Model and tool events become spans; agents are spans already. A tool's own span holds the agents that it runs; older
logs keep such events inside the tool's event, and have steps in place of spans.
"""

from __future__ import annotations

from typing import Any

from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.importers.frameworks.inspect_ai.scores import in_words
from opentine_gui.importers.frameworks.spans.dialects import ANCHOR, BRANCH, BY_PROGRAM, MARK, ONCE_NO_FAILURE
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.reading import Place, Report
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources.fields import count, object_of, objects_in, storable, text_of, unix_time
from opentine_gui.importers.sources.outcomes import not_found
from opentine_gui.importers.sources.parts import Part

ATTACHMENT = "attachment://"
DEEPEST = 40
TELLING = ("id", "epoch", "input", "completed_at", "scores", "error")
"""The members of a sample that `part_of` needs."""
SHELLS = ("bash", "bash_session")
"""Tools that run a command line, and record no exit code."""
LIMITS = {"sample_limit": "limit", "error": "error", "interrupt": "interrupted"}


class Sample:
    """Makes the spans of one sample."""

    def __init__(self, value: JsonObject, place: Place | None, report: Report) -> None:
        self.value = value
        self.place = place
        self.report = report
        self.attachments = object_of(value.get("attachments"))
        pool = object_of(value.get("events_data")).get("messages")
        self.messages: list[Any] = pool if isinstance(pool, list) else []
        self.known: dict[str, Any] = {}
        self.spans: dict[str, Span] = {}
        self.tools: dict[tuple[str, str], list[Span]] = {}
        """Spans of tools that no event has taken yet, by the span around them and the tool's name."""
        self.found: list[Span] = []

    def read(self) -> list[Span]:
        """All spans, in the order of the events."""
        self._take(objects_in(self.value.get("events")), "", 0)
        error = object_of(self.value.get("error"))
        if error:
            last = max((span.ended for span in self.found), default=0.0)
            self._add_mark("error", last, "", StepKind.ERROR, error=_error(error))
        return self.found

    def _take(self, events: list[JsonObject], around: str, depth: int) -> None:
        steps: list[str] = []
        replay: set[str] = set()
        for number, event in enumerate(events):
            self.report.records += 1
            kind = text_of(event.get("event"))
            inside = text_of(event.get("span_id")) or (steps[-1] if steps else around)
            identity = text_of(event.get("uuid")) or f"{around} {depth} {number}"
            if kind == "span_begin":
                self._begin(event, replay)
            elif kind == "span_end":
                replay.discard(text_of(event.get("id")))
                ended = self.spans.get(text_of(event.get("id")))
                if ended is not None:
                    ended.end = unix_time(event.get("timestamp"))
            elif kind == "step":
                self._step(event, steps, identity, around)
            elif kind == "branch":
                replay.discard(inside)
                branch = self.spans.get(inside)
                if branch is not None:
                    branch.attributes["branch.from"] = text_of(event.get("from_anchor"))
            elif inside in replay:
                self.report.folded += 1
            else:
                self._event(kind, event, identity, inside, depth)

    def _begin(self, event: JsonObject, replay: set[str]) -> None:
        identity, kind = text_of(event.get("id")), text_of(event.get("type"))
        attributes: JsonObject = {}
        if kind == "agent":
            attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": text_of(event.get("name"))}
        elif kind == "branch":
            attributes = {"kind.own": BRANCH}
            replay.add(identity)
        span = self._span(identity, text_of(event.get("parent_id")), text_of(event.get("name")), event, attributes)
        self.spans[identity] = span
        if kind == "tool":
            self.tools.setdefault((span.parent, span.name), []).append(span)

    def _step(self, event: JsonObject, steps: list[str], identity: str, around: str) -> None:
        if event.get("action") == "begin":
            self._span(identity, steps[-1] if steps else around, text_of(event.get("name")), event, {})
            steps.append(identity)
        elif steps:
            steps.pop()

    def _event(self, kind: str, event: JsonObject, identity: str, inside: str, depth: int) -> None:
        if kind == "model":
            span = self._span(identity, inside, text_of(event.get("model")), event, self._chat(event))
            span.failed = bool(event.get("error"))
            span.message = text_of(event.get("error"))
        elif kind == "tool":
            self._tool(event, identity, inside, depth)
        elif kind in LIMITS:
            message = text_of(event.get("message")) or text_of(object_of(event.get("error")).get("message"))
            named = text_of(event.get("type")) if kind == "sample_limit" else ""
            error = {"type": f"{named} limit".strip() if named else LIMITS[kind], "message": message or kind}
            self._add_mark(identity, unix_time(event.get("timestamp")), inside, StepKind.ERROR, error=error)
        elif kind == "score" and not event.get("intermediate"):
            score = self._resolved(object_of(event.get("score")))
            outputs = {"text": f"Score: {score.get('value')}", "score": storable(score)}
            scorer = text_of(event.get("scorer"))
            inputs = {"scorer": scorer} if scorer else {}
            self._add_mark(identity, unix_time(event.get("timestamp")), inside, StepKind.DONE, inputs, outputs)
        elif kind == "compaction":
            self._add_mark(
                identity, unix_time(event.get("timestamp")), inside, StepKind.THINK, {"trigger": "compaction"}
            )
        elif kind == "approval":
            asked = object_of(event.get("call"))
            inputs = {"question": f"{text_of(asked.get('function'))}", "arguments": storable(asked.get("arguments"))}
            outputs = {"answer": text_of(event.get("decision")), "reason": text_of(event.get("explanation"))}
            time = unix_time(event.get("timestamp"))
            self._add_mark(identity, time, inside, StepKind.MODEL, inputs, outputs, v3_kind="approval")
        elif kind == "anchor":
            attributes = {"kind.own": ANCHOR, "anchor": text_of(event.get("anchor_id"))}
            self._span(identity, inside, "anchor", event, attributes)
        else:
            self.report.skip(kind or "events without a kind")

    def _tool(self, event: JsonObject, identity: str, inside: str, depth: int) -> None:
        name = text_of(event.get("function"))
        attributes: JsonObject = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": text_of(event.get("id")),
            "gen_ai.tool.call.arguments": self._resolved(event.get("arguments")),
            "gen_ai.tool.call.result": self._resolved(event.get("result")),
        }
        waiting = self.tools.get((inside, name))
        if waiting:
            span = waiting.pop(0)
            span.attributes |= attributes
            span.start = unix_time(event.get("timestamp")) or span.start
        else:
            span = self._span(identity, inside, name, event, attributes)
        span.end = unix_time(event.get("completed")) or span.end or span.start
        error = object_of(event.get("error"))
        if error or event.get("failed"):
            span.failed, span.message = True, text_of(error.get("message"))
            span.attributes["error.type"] = text_of(error.get("type")) or "failed"
        elif name in SHELLS and (message := not_found(span.attributes["gen_ai.tool.call.result"])):
            span.failed, span.message = True, message
            span.attributes |= {"error.type": "failed", ONCE_NO_FAILURE: True}
        if depth < DEEPEST:
            self._take(objects_in(event.get("events")), span.id, depth + 1)

    def _chat(self, event: JsonObject) -> JsonObject:
        output = object_of(event.get("output"))
        usage = object_of(output.get("usage"))
        choices = objects_in(output.get("choices"))
        found: JsonObject = {
            "gen_ai.operation.name": "chat",
            "gen_ai.response.model": text_of(output.get("model")) or text_of(event.get("model")),
            "gen_ai.input.messages": self._request(event),
            "usage.exclusive": not _has_cache_within(usage),
        }
        if choices:
            found["gen_ai.output.messages"] = [self._resolved(object_of(choices[0].get("message")))]
        for name, key in (
            ("gen_ai.usage.input_tokens", "input_tokens"),
            ("gen_ai.usage.output_tokens", "output_tokens"),
            ("gen_ai.usage.cache_read.input_tokens", "input_tokens_cache_read"),
            ("gen_ai.usage.cache_creation.input_tokens", "input_tokens_cache_write"),
            ("gen_ai.usage.reasoning.output_tokens", "reasoning_tokens"),
            ("operation.cost", "total_cost"),
        ):
            if usage.get(key) is not None:
                found[name] = usage[key]
        tools = objects_in(event.get("tools"))
        if tools:
            found["gen_ai.tool.definitions"] = self._resolved(tools)
        return found

    def _request(self, event: JsonObject) -> list[Any]:
        """The messages of a request: in the event, or as ranges of the sample's own list."""
        given = event.get("input")
        if isinstance(given, list) and given:
            return _with_sources([self._resolved(message) for message in given])
        found: list[Any] = []
        ranges = event.get("input_refs")
        for pair in ranges if isinstance(ranges, list) else ():
            if isinstance(pair, list) and len(pair) == 2 and all(isinstance(end, int) for end in pair):
                found += self.messages[max(0, pair[0]) : max(0, pair[1])]
        return _with_sources([self._resolved(message) for message in found[:5000]])

    def _resolved(self, value: Any, depth: int = 0) -> Any:
        """A value with the references to attachments replaced by their texts."""
        if isinstance(value, str):
            if value.startswith(ATTACHMENT):
                return self.attachments.get(value.removeprefix(ATTACHMENT), value)
            return value
        if depth > DEEPEST:
            return value
        if isinstance(value, list):
            return [self._resolved(item, depth + 1) for item in value]
        if isinstance(value, dict):
            return {name: self._resolved(item, depth + 1) for name, item in value.items()}
        return value

    def _span(self, identity: str, parent: str, name: str, event: JsonObject, attributes: JsonObject) -> Span:
        start = unix_time(event.get("timestamp"))
        span = Span(
            trace="sample",
            id=identity,
            parent=parent,
            name=name,
            start=start,
            end=unix_time(event.get("completed")) or start,
            attributes=attributes,
            place=self.place,
        )
        self.found.append(span)
        return span

    def _add_mark(
        self,
        identity: str,
        time: float | None,
        inside: str,
        kind: StepKind,
        inputs: JsonObject | None = None,
        outputs: JsonObject | None = None,
        *,
        error: JsonObject | None = None,
        v3_kind: str | None = None,
    ) -> None:
        attributes: JsonObject = {"kind.own": MARK, "step.kind": kind, "step.v3_kind": v3_kind}
        attributes |= {"step.inputs": inputs or {}, "step.outputs": outputs or {}, "step.error": error or {}}
        self.found.append(Span("sample", f"mark {identity}", inside, "mark", time, time, attributes, place=self.place))


def _with_sources(request: list[Any]) -> list[Any]:
    """A request in which words on the user's side that nobody put in are marked as the program's own.

    A message says where it comes from: the sample's input, or a person at the console. What a solver adds to make the
    model go on says nothing. Logs from before that was recorded name no source at all.
    """
    said = [one for one in request if isinstance(one, dict) and one.get("role") == "user"]
    if any(one.get("source") == "input" for one in said):
        for one in said:
            if not one.get("source"):
                one[BY_PROGRAM] = True
    return request


def _has_cache_within(usage: JsonObject) -> bool:
    """Whether the input tokens include cache reads, as in older logs of OpenAI's models; judged by the total."""
    read, said, total = (count(usage.get(name)) for name in ("input_tokens", "output_tokens", "total_tokens"))
    return read is not None and said is not None and read + said == total


def add_failed_attempts(value: JsonObject, draft: RunDraft) -> None:
    """Add steps for the attempts at a sample that failed before this one: dead ends after the prompt."""
    prompt = next((key for key, step in draft.steps.items() if step.v3_kind == "human"), None)
    for number, retry in enumerate(objects_in(value.get("error_retries"))):
        step = draft.add(
            f"attempt {number}", StepKind.ERROR, [prompt] if prompt else [], inputs={"attempt": number + 1}
        )
        step.error = _error(retry)


def _error(value: JsonObject) -> JsonObject:
    message = text_of(value.get("message"))
    kind, _, _ = message.partition("(")
    return {"type": kind if kind.isidentifier() else "error", "message": message[:2000] or "The sample failed."}


def part_of(sample: JsonObject) -> Part:
    """The part for a sample or its summary: its first words, when it ended, how it was scored."""
    scores = [object_of(score).get("value") for score in object_of(sample.get("scores")).values()]
    ended = "error" if sample.get("error") else in_words(scores)
    return Part(part_id(sample), said_by(sample.get("input")), unix_time(sample.get("completed_at")), outcome=ended)


def part_id(sample: JsonObject) -> str:
    """How a sample is named after `#`."""
    return f"{sample.get('id')}_epoch_{sample.get('epoch', 1)}"


def said_by(value: Any) -> str:
    """The words of a sample's input."""
    if isinstance(value, str):
        return value[:200]
    last = objects_in(value)[-1:] or [{}]
    return text_of(last[0].get("content"))[:200]
