"""Spans of vendors with names of their own: Langfuse, LangSmith and OpenAI Agents.

What they record is renamed to the names of the GenAI semantic conventions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.sources.documents import Text
from opentine_gui.importers.sources.fields import object_of, parsed, storable, text_of, unix_time

LANGFUSE = {
    "GENERATION": "chat", "TOOL": "execute_tool", "AGENT": "invoke_agent", "RETRIEVER": "retrieval",
    "EMBEDDING": "embeddings", "GUARDRAIL": "guardrail", "EVALUATOR": "evaluate",
}  # fmt: skip


_MOMENT = re.compile(r"(?P<what>.+)\.(?P<moment>start|success|error|finish)-(?P<number>\d+)")
"""Names of BeeAI's spans: each is one moment of a call, and all moments of a call have the same number."""
_MOMENTS = ("start", "success", "error", "finish")


def langfuse(members: dict[str, Text], path: Path) -> Iterator[Span]:
    """The observations of a trace of Langfuse; the trace may be around or beside them."""
    yield from one_a_call(list(_observations(members, path)))


def one_a_call(spans: list[Span]) -> list[Span]:
    """The spans with BeeAI's moments merged into one span per call, from the first moment to the last."""
    calls: dict[tuple[str, str, str], list[tuple[str, Span]]] = {}
    for span in spans:
        found = _MOMENT.fullmatch(span.name)
        target = text_of(span.attributes.get("target"))
        if found is None or found["what"].startswith("agent."):
            continue
        if target == f"{found['what']}.{found['moment']}" or (not target and found["moment"] != "start"):
            calls.setdefault((span.trace, found["what"], found["number"]), []).append((found["moment"], span))
    gone: set[Span] = set()
    for (_, what, _), moments in calls.items():
        moments.sort(key=lambda pair: _MOMENTS.index(pair[0]))
        names = [moment for moment, _ in moments]
        if names[0] != "start" or len(set(names)) < len(names) or len(names) == 1:
            continue
        span = moments[0][1]
        others = [other for _, other in moments[1:]]
        span.once = [replace(span), *others]
        for other in others:
            known = {name: value for name, value in other.attributes.items() if value is not None}
            span.attributes = {**span.attributes, **known}
            span.failed, span.message = span.failed or other.failed, span.message or other.message
            span.more += [other.place] if other.place else []
        span.failed = span.failed or "error" in names
        span.end = max((other.began for other in others), default=span.end)
        span.name = what
        if text_of(span.attributes.get("openinference.span.kind")) == "TOOL":
            span.attributes["gen_ai.tool.name"] = what.rpartition(".")[2]
        gone.update(others)
    inside = {span.id: span for span in gone}
    kept = [span for span in spans if span not in gone]
    for span in kept:
        passed: set[str] = set()
        while span.parent in inside and span.parent not in passed:
            passed.add(span.parent)
            span.parent = inside[span.parent].parent
    return kept


def _observations(members: dict[str, Text], path: Path) -> Iterator[Span]:
    trace = object_of(members["trace"].value()) if "trace" in members else {}
    trace = trace or {name: part.value() for name, part in members.items() if name in ("id", "sessionId", "input")}
    for item in members["observations"].items():
        value = object_of(item.value())
        usage, cost = object_of(value.get("usageDetails")), object_of(value.get("costDetails"))
        recorded = object_of(object_of(parsed(value.get("metadata"))).get("attributes"))
        attributes: JsonObject = {**recorded, "input.value": value.get("input"), "output.value": value.get("output")}
        operation = LANGFUSE.get(text_of(value.get("type")).upper())
        if operation:
            attributes["gen_ai.operation.name"] = operation
        elif value.get("input") is not None and value.get("output") is not None:
            attributes["langfuse.plain"] = True
        if operation in ("execute_tool", "retrieval", "embeddings", "guardrail", "evaluate"):
            attributes.setdefault("gen_ai.tool.name", _bare_name(text_of(value.get("name"))))
        _set(attributes, "gen_ai.request.model", value.get("model"))
        _set(attributes, "gen_ai.usage.input_tokens", usage.get("input"))
        _set(attributes, "gen_ai.usage.output_tokens", usage.get("output"))
        _set(attributes, "gen_ai.usage.cache_read.input_tokens", _containing(usage, "cache_read", "cached"))
        _set(attributes, "gen_ai.usage.reasoning.output_tokens", _containing(usage, "reasoning"))
        total = cost.get("total") if cost else value.get("calculatedTotalCost")
        _set(attributes, "operation.cost", total)
        _set(attributes, "gen_ai.conversation.id", trace.get("sessionId"))
        yield Span(
            trace=text_of(value.get("traceId")) or text_of(trace.get("id")) or "trace",
            id=text_of(value.get("id")),
            parent=text_of(value.get("parentObservationId")),
            name=text_of(value.get("name")),
            start=unix_time(value.get("startTime")),
            end=unix_time(value.get("endTime")),
            attributes=attributes,
            failed=value.get("level") == "ERROR",
            message=text_of(value.get("statusMessage")),
            service=text_of(trace.get("name")),
            place=item.place(path),
        )


def _bare_name(name: str) -> str:
    """The tool's own name without the words that a library puts before it."""
    for words in ("execute_tool ", "running tool: ", "running tool "):
        name = name.removeprefix(words)
    return name


def langsmith(value: JsonObject) -> Span | None:
    """A run of LangSmith."""
    kinds = {"llm": "chat", "tool": "execute_tool", "retriever": "retrieval", "embedding": "embeddings"}
    inputs, outputs = value.get("inputs"), value.get("outputs")
    attributes: JsonObject = {"input.value": inputs, "output.value": outputs}
    kind = kinds.get(text_of(value.get("run_type")))
    said = object_of(object_of(value.get("extra")).get("metadata"))
    if kind:
        attributes["gen_ai.operation.name"] = kind
    if kind and kind != "chat":
        attributes["gen_ai.tool.name"] = text_of(value.get("name"))
    usage = object_of(object_of(outputs).get("usage_metadata"))
    _set(attributes, "gen_ai.request.model", said.get("ls_model_name"))
    _set(attributes, "gen_ai.provider.name", said.get("ls_provider"))
    _set(attributes, "gen_ai.usage.input_tokens", usage.get("input_tokens", value.get("prompt_tokens")))
    _set(attributes, "gen_ai.usage.output_tokens", usage.get("output_tokens", value.get("completion_tokens")))
    details = object_of(usage.get("output_token_details"))
    _set(attributes, "gen_ai.usage.reasoning.output_tokens", details.get("reasoning"))
    _set(attributes, "operation.cost", value.get("total_cost"))
    _set(attributes, "gen_ai.conversation.id", said.get("session_id") or said.get("thread_id"))
    identity = text_of(value.get("id"))
    return Span(
        trace=text_of(value.get("trace_id")) or identity,
        id=identity,
        parent=text_of(value.get("parent_run_id")),
        name=text_of(value.get("name")),
        start=unix_time(value.get("start_time")),
        end=unix_time(value.get("end_time")),
        attributes=attributes,
        failed=bool(value.get("error")),
        message=text_of(value.get("error")),
    )


def langsmith_batch(members: dict[str, Text], path: Path) -> Iterator[Span]:
    """Runs as LangSmith's client sends them: begun in `post`, completed in `patch`."""
    runs: dict[str, tuple[JsonObject, Text]] = {}
    for item in (one for name in ("post", "patch") if name in members for one in members[name].items()):
        value = object_of(item.value())
        known = {name: given for name, given in value.items() if given is not None}
        before, place = runs.get(text_of(value.get("id")), ({}, item))
        runs[text_of(value.get("id"))] = ({**before, **known}, place)
    for value, item in runs.values():
        span = langsmith(value)
        if span is not None and span.id:
            span.place = item.place(path)
            yield span


def openai(value: JsonObject) -> Span | None:
    """A span of OpenAI Agents; an object for the trace itself has no id (see `grouped`)."""
    if value.get("object") == "trace":
        group = {"group": text_of(value.get("group_id"))}
        return Span(text_of(value.get("id")), "", "", text_of(value.get("workflow_name")), None, None, group)
    if value.get("object") != "trace.span":
        return None
    data = object_of(value.get("span_data"))
    kind = text_of(data.get("type"))
    name = text_of(data.get("name"))
    usage = object_of(data.get("usage"))
    attributes: JsonObject = {}
    if kind in ("generation", "response"):
        attributes = {"gen_ai.operation.name": "chat", "input.value": data.get("input")}
        attributes["output.value"] = data.get("output", data.get("response"))
        _set(attributes, "gen_ai.request.model", data.get("model"))
        _set(attributes, "gen_ai.usage.input_tokens", usage.get("input_tokens"))
        _set(attributes, "gen_ai.usage.output_tokens", usage.get("output_tokens"))
        details, written = object_of(usage.get("input_tokens_details")), object_of(usage.get("output_tokens_details"))
        _set(attributes, "gen_ai.usage.cache_read.input_tokens", details.get("cached_tokens"))
        _set(attributes, "gen_ai.usage.cache_creation.input_tokens", details.get("cache_write_tokens"))
        _set(attributes, "gen_ai.usage.reasoning.output_tokens", written.get("reasoning_tokens"))
    elif kind in ("function", "guardrail"):
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
        attributes |= {"input.value": data.get("input"), "output.value": data.get("output", data.get("triggered"))}
    elif kind == "handoff":
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "handoff"}
        attributes["input.value"] = {"from": data.get("from_agent"), "to": data.get("to_agent")}
        attributes["output.value"] = data.get("to_agent")
    elif kind == "agent":
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    error = object_of(value.get("error"))
    return Span(
        trace=text_of(value.get("trace_id")),
        id=text_of(value.get("id")),
        parent=text_of(value.get("parent_id")),
        name=name or kind,
        start=unix_time(value.get("started_at")),
        end=unix_time(value.get("ended_at")),
        attributes=attributes,
        failed=bool(error),
        message=text_of(error.get("message")) or (str(storable(error)) if error else ""),
    )


def grouped(spans: list[Span]) -> list[Span]:
    """Spans without the traces that OpenAI Agents exports beside them; their names and groups go to their spans."""
    traces = {span.trace: span for span in spans if not span.id}
    found = [span for span in spans if span.id]
    for span in found:
        trace = traces.get(span.trace)
        if trace is not None:
            span.service = trace.name
            _set(span.attributes, "gen_ai.conversation.id", trace.attributes.get("group"))
    return found


def _set(attributes: JsonObject, name: str, value: Any) -> None:
    if value is not None and value != "":
        attributes[name] = value


def _containing(usage: JsonObject, *words: str) -> Any:
    return next((value for name, value in usage.items() if any(word in name for word in words)), None)
