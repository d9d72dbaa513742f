"""Spans out of the documents and lines in which tracing tools export them.

Ids may be hex or base64 and names in camel or snake case; Jaeger counts microseconds; what Langfuse, LangSmith and
OpenAI Agents record under names of their own is renamed to those of the GenAI semantic conventions.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.json_lines import read_lines
from opentine_gui.importers.reading import Report
from opentine_gui.importers.sources.documents import Text, read_text
from opentine_gui.importers.sources.fields import figure, mapping, mappings, parsed, storable, text, unix_time

RESOURCES = ("resourceSpans", "resource_spans", "batches")
SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
DEEPEST = 8
SPANS_BETWEEN = 500


def spans_in(path: Path, report: Report, pace: Pace) -> tuple[list[Span], bytes]:
    """(all spans of a file, the file's bytes). FormatError when there are none."""
    whole = read_text(path)
    spans: list[Span] = []
    for found in _documents(whole, path, report, pace):
        for count, span in enumerate(_spans(found, path, "", 0)):
            if count % SPANS_BETWEEN == 0:
                pace.at(found.offset / (len(whole.content) + 1))
            report.records += 1
            spans.append(span)
    spans = _grouped(spans)
    if not spans:
        raise FormatError("there are no spans in it", path=path)
    return spans, bytes(whole.content)


def _grouped(spans: list[Span]) -> list[Span]:
    """Spans without the traces that OpenAI Agents exports beside them, whose names and groups go to their spans."""
    traces = {span.trace: span for span in spans if not span.id}
    found = [span for span in spans if span.id]
    for span in found:
        trace = traces.get(span.trace)
        if trace is not None:
            span.service = trace.name
            _set(span.attributes, "gen_ai.conversation.id", trace.attributes.get("group"))
    return found


def _documents(whole: Text, path: Path, report: Report, pace: Pace) -> Iterator[Text]:
    """The file as one document, or its lines."""
    content = bytes(whole.content)
    first = content.lstrip()[:1]
    if first == b"[" or whole.members():
        yield whole
        return
    lines = Report()
    for line in read_lines(path, content, lines, pace):
        place = line.place
        yield Text(content[place.offset : place.offset + place.length], whole.offset + place.offset)
    report.bad_lines += lines.bad_lines
    report.remarks += lines.remarks


def _spans(found: Text, path: Path, service: str, depth: int) -> Iterator[Span]:
    if depth > DEEPEST:
        return
    if bytes(found.content[:64]).lstrip()[:1] == b"[":
        for item in found.items():
            yield from _spans(item, path, service, depth + 1)
        return
    members = found.members()
    inside = [members[name] for name in RESOURCES if name in members]
    if inside:
        for resource in (item for group in inside for item in group.items()):
            yield from _of_resource(resource.members(), path)
    elif "observations" in members:
        yield from _langfuse(members, path)
    elif "post" in members or "patch" in members:
        yield from _langsmith_batch(members, path)
    else:
        one = next((make for names, make in ENVELOPES if names <= set(members)), None)
        if one is not None:
            span = one(mapping(found.value()))
            if span is not None:
                span.place = found.place(path)
                span.service = span.service or service
                yield span
            return
        for name in ("data", "spans", "trace", "runs", "traces"):
            if name in members:
                yield from _spans(members[name], path, service, depth + 1)


def _of_resource(members: dict[str, Text], path: Path) -> Iterator[Span]:
    resource = mapping(members["resource"].value()) if "resource" in members else {}
    service = text(_attributes(resource.get("attributes")).get("service.name"))
    for scope in (item for name in SCOPES if name in members for item in members[name].items()):
        inner = scope.members()
        for item in inner["spans"].items() if "spans" in inner else ():
            span = _otlp(mapping(item.value()))
            if span is not None:
                span.place, span.service = item.place(path), service
                yield span


# -- OTLP and its likes ---------------------------------------------------------------------------------------------


def _otlp(value: JsonObject) -> Span | None:
    """A span of OTLP in JSON, camel or snake case."""
    status = mapping(value.get("status"))
    events = [
        (text(event.get("name")), _attributes(event.get("attributes"))) for event in mappings(value.get("events"))
    ]
    span = Span(
        trace=_id(value, "traceId", "trace_id", "traceID"),
        id=_id(value, "spanId", "span_id", "spanID"),
        parent=_id(value, "parentSpanId", "parent_span_id"),
        name=text(value.get("name")),
        start=unix_time(_first(value, "startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")),
        end=unix_time(_first(value, "endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time")),
        attributes=_attributes(value.get("attributes")),
        events=events,
        links=[
            (_id(link, "traceId", "trace_id"), _id(link, "spanId", "span_id")) for link in mappings(value.get("links"))
        ],
        failed=status.get("code") in (2, "2", "STATUS_CODE_ERROR", "ERROR"),
        message=text(status.get("message")),
    )
    return span if span.id else None


def _jaeger(value: JsonObject) -> Span | None:
    """A span of Jaeger: microseconds, tags, references; the first CHILD_OF in the trace is the parent."""
    start = figure(value.get("startTime"))
    references = mappings(value.get("references"))
    trace = _id(value, "traceID")
    parents = [
        _id(reference, "spanID")
        for reference in references
        if reference.get("refType") == "CHILD_OF" and _id(reference, "traceID") in (trace, "")
    ]
    tags = {text(tag.get("key")): tag.get("value") for tag in mappings(value.get("tags"))}
    begin = start / 1e6 if start else None
    span = Span(
        trace=trace,
        id=_id(value, "spanID"),
        parent=parents[0] if parents else "",
        name=text(value.get("operationName")),
        start=begin,
        end=begin + (figure(value.get("duration")) or 0) / 1e6 if begin is not None else None,
        attributes=tags,
        events=[_jaeger_log(log) for log in mappings(value.get("logs"))],
        links=[
            (_id(reference, "traceID"), _id(reference, "spanID"))
            for reference in references
            if reference.get("refType") == "FOLLOWS_FROM"
        ],
        failed=tags.get("otel.status_code") == "ERROR" or tags.get("error") is True,
        message=text(tags.get("otel.status_description")),
    )
    return span if span.id else None


def _jaeger_log(log: JsonObject) -> tuple[str, JsonObject]:
    fields = {text(item.get("key")): item.get("value") for item in mappings(log.get("fields"))}
    return text(fields.pop("event", "")), fields


def _phoenix(value: JsonObject) -> Span | None:
    """A span of Phoenix: its ids in `context`, OpenInference attributes flat or nested."""
    context = mapping(value.get("context"))
    attributes = flat(mapping(value.get("attributes")))
    if text(value.get("span_kind")):
        attributes.setdefault("openinference.span.kind", value["span_kind"])
    span = Span(
        trace=_id(context, "trace_id", "traceId"),
        id=_id(context, "span_id", "spanId"),
        parent=_id(value, "parent_id", "parentId"),
        name=text(value.get("name")),
        start=unix_time(_first(value, "start_time", "startTime")),
        end=unix_time(_first(value, "end_time", "endTime")),
        attributes=attributes,
        events=[(text(event.get("name")), mapping(event.get("attributes"))) for event in mappings(value.get("events"))],
        failed=value.get("status_code") == "ERROR" or mapping(value.get("status")).get("status_code") == "ERROR",
        message=text(value.get("status_message")),
    )
    return span if span.id else None


def _script(value: JsonObject) -> Span | None:
    """A span as the JavaScript SDK prints it: times as [seconds, nanoseconds]."""
    context = mapping(value.get("spanContext"))
    above = mapping(value.get("parentSpanContext"))
    status = mapping(value.get("status"))
    span = Span(
        trace=_id(context, "traceId"),
        id=_id(context, "spanId"),
        parent=_id(above, "spanId") or _id(value, "parentSpanId"),
        name=text(value.get("name")),
        start=_pair(value.get("startTime")),
        end=_pair(value.get("endTime")),
        attributes=mapping(value.get("attributes")),
        events=[(text(event.get("name")), mapping(event.get("attributes"))) for event in mappings(value.get("events"))],
        links=[
            (_id(mapping(link.get("context")), "traceId"), _id(mapping(link.get("context")), "spanId"))
            for link in mappings(value.get("links"))
        ],
        failed=status.get("code") == 2,
        message=text(status.get("message")),
    )
    return span if span.id else None


def _row(value: JsonObject) -> Span | None:
    """A row of Logfire's records, or a span whose attributes are a plain object."""
    if value.get("kind") == "pending_span":
        return None
    attributes = flat(mapping(parsed(value.get("attributes"))))
    span = Span(
        trace=_id(value, "trace_id", "traceId"),
        id=_id(value, "span_id", "spanId"),
        parent=_id(value, "parent_span_id", "parentSpanId", "parent_id"),
        name=text(value.get("span_name")) or text(value.get("name")) or text(value.get("message")),
        start=unix_time(_first(value, "start_timestamp", "start_time", "startTime")),
        end=unix_time(_first(value, "end_timestamp", "end_time", "endTime")),
        attributes=attributes,
        failed=value.get("otel_status_code") == "ERROR" or value.get("is_exception") is True,
        message=text(value.get("otel_status_message")) or text(value.get("exception_message")),
        service=text(value.get("service_name")),
    )
    return span if span.id else None


# -- exports with names of their own --------------------------------------------------------------------------------

LANGFUSE = {
    "GENERATION": "chat", "TOOL": "execute_tool", "AGENT": "invoke_agent", "RETRIEVER": "retrieval",
    "EMBEDDING": "embeddings", "GUARDRAIL": "guardrail", "EVALUATOR": "evaluate",
}  # fmt: skip


def _langfuse(members: dict[str, Text], path: Path) -> Iterator[Span]:
    """The observations of a trace of Langfuse; the trace may stand around or beside them."""
    trace = mapping(members["trace"].value()) if "trace" in members else {}
    trace = trace or {name: part.value() for name, part in members.items() if name in ("id", "sessionId", "input")}
    for item in members["observations"].items():
        value = mapping(item.value())
        usage, cost = mapping(value.get("usageDetails")), mapping(value.get("costDetails"))
        recorded = mapping(mapping(parsed(value.get("metadata"))).get("attributes"))
        attributes: JsonObject = {**recorded, "input.value": value.get("input"), "output.value": value.get("output")}
        operation = LANGFUSE.get(text(value.get("type")).upper())
        if operation:
            attributes["gen_ai.operation.name"] = operation
        elif value.get("input") is not None and value.get("output") is not None:
            attributes["langfuse.plain"] = True
        if operation in ("execute_tool", "retrieval", "embeddings", "guardrail", "evaluate"):
            attributes.setdefault("gen_ai.tool.name", _bare_name(text(value.get("name"))))
        _set(attributes, "gen_ai.request.model", value.get("model"))
        _set(attributes, "gen_ai.usage.input_tokens", usage.get("input"))
        _set(attributes, "gen_ai.usage.output_tokens", usage.get("output"))
        _set(attributes, "gen_ai.usage.cache_read.input_tokens", _containing(usage, "cache_read", "cached"))
        _set(attributes, "gen_ai.usage.reasoning.output_tokens", _containing(usage, "reasoning"))
        total = cost.get("total") if cost else value.get("calculatedTotalCost")
        _set(attributes, "operation.cost", total)
        _set(attributes, "gen_ai.conversation.id", trace.get("sessionId"))
        yield Span(
            trace=text(value.get("traceId")) or text(trace.get("id")) or "trace",
            id=text(value.get("id")),
            parent=text(value.get("parentObservationId")),
            name=text(value.get("name")),
            start=unix_time(value.get("startTime")),
            end=unix_time(value.get("endTime")),
            attributes=attributes,
            failed=value.get("level") == "ERROR",
            message=text(value.get("statusMessage")),
            service=text(trace.get("name")),
            place=item.place(path),
        )


def _bare_name(name: str) -> str:
    """The tool's own name without the words that a library puts before it."""
    for words in ("execute_tool ", "running tool: ", "running tool "):
        name = name.removeprefix(words)
    return name


def _langsmith(value: JsonObject) -> Span | None:
    """A run of LangSmith."""
    kinds = {"llm": "chat", "tool": "execute_tool", "retriever": "retrieval", "embedding": "embeddings"}
    inputs, outputs = value.get("inputs"), value.get("outputs")
    attributes: JsonObject = {"input.value": inputs, "output.value": outputs}
    kind = kinds.get(text(value.get("run_type")))
    said = mapping(mapping(value.get("extra")).get("metadata"))
    if kind:
        attributes["gen_ai.operation.name"] = kind
    if kind and kind != "chat":
        attributes["gen_ai.tool.name"] = text(value.get("name"))
    usage = mapping(mapping(outputs).get("usage_metadata"))
    _set(attributes, "gen_ai.request.model", said.get("ls_model_name"))
    _set(attributes, "gen_ai.provider.name", said.get("ls_provider"))
    _set(attributes, "gen_ai.usage.input_tokens", usage.get("input_tokens", value.get("prompt_tokens")))
    _set(attributes, "gen_ai.usage.output_tokens", usage.get("output_tokens", value.get("completion_tokens")))
    details = mapping(usage.get("output_token_details"))
    _set(attributes, "gen_ai.usage.reasoning.output_tokens", details.get("reasoning"))
    _set(attributes, "operation.cost", value.get("total_cost"))
    _set(attributes, "gen_ai.conversation.id", said.get("session_id") or said.get("thread_id"))
    identity = text(value.get("id"))
    return Span(
        trace=text(value.get("trace_id")) or identity,
        id=identity,
        parent=text(value.get("parent_run_id")),
        name=text(value.get("name")),
        start=unix_time(value.get("start_time")),
        end=unix_time(value.get("end_time")),
        attributes=attributes,
        failed=bool(value.get("error")),
        message=text(value.get("error")),
    )


def _langsmith_batch(members: dict[str, Text], path: Path) -> Iterator[Span]:
    """Runs as LangSmith's client sends them: begun in `post`, completed in `patch`."""
    runs: dict[str, tuple[JsonObject, Text]] = {}
    for item in (one for name in ("post", "patch") if name in members for one in members[name].items()):
        value = mapping(item.value())
        known = {name: given for name, given in value.items() if given is not None}
        before, place = runs.get(text(value.get("id")), ({}, item))
        runs[text(value.get("id"))] = ({**before, **known}, place)
    for value, item in runs.values():
        span = _langsmith(value)
        if span is not None and span.id:
            span.place = item.place(path)
            yield span


def _openai(value: JsonObject) -> Span | None:
    """A span of OpenAI Agents; what stands for a trace itself has no id (see `_grouped`)."""
    if value.get("object") == "trace":
        group = {"group": text(value.get("group_id"))}
        return Span(text(value.get("id")), "", "", text(value.get("workflow_name")), None, None, group)
    if value.get("object") != "trace.span":
        return None
    data = mapping(value.get("span_data"))
    kind = text(data.get("type"))
    name = text(data.get("name"))
    usage = mapping(data.get("usage"))
    attributes: JsonObject = {}
    if kind in ("generation", "response"):
        attributes = {"gen_ai.operation.name": "chat", "input.value": data.get("input")}
        attributes["output.value"] = data.get("output", data.get("response"))
        _set(attributes, "gen_ai.request.model", data.get("model"))
        _set(attributes, "gen_ai.usage.input_tokens", usage.get("input_tokens"))
        _set(attributes, "gen_ai.usage.output_tokens", usage.get("output_tokens"))
        details, written = mapping(usage.get("input_tokens_details")), mapping(usage.get("output_tokens_details"))
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
    error = mapping(value.get("error"))
    return Span(
        trace=text(value.get("trace_id")),
        id=text(value.get("id")),
        parent=text(value.get("parent_id")),
        name=name or kind,
        start=unix_time(value.get("started_at")),
        end=unix_time(value.get("ended_at")),
        attributes=attributes,
        failed=bool(error),
        message=text(error.get("message")) or (str(storable(error)) if error else ""),
    )


ENVELOPES: tuple[tuple[set[str], Callable[[JsonObject], Span | None]], ...] = (
    ({"spanContext", "name"}, _script),
    ({"traceID", "spanID", "operationName"}, _jaeger),
    ({"traceId", "spanId", "attributes", "startTimeUnixNano"}, _otlp),
    ({"trace_id", "span_id", "start_time_unix_nano"}, _otlp),
    ({"context", "name"}, _phoenix),
    ({"object", "id", "trace_id", "span_data"}, _openai),
    ({"object", "workflow_name"}, _openai),
    ({"dotted_order", "run_type"}, _langsmith),
    ({"id", "run_type", "trace_id"}, _langsmith),
    ({"trace_id", "span_id"}, _row),
    ({"traceId", "spanId"}, _row),
)
"""By the names that an object has: what makes a span of it."""

# -- values ---------------------------------------------------------------------------------------------------------


def flat(value: JsonObject, prefix: str = "", depth: int = 0) -> JsonObject:
    """Nested attributes as one level of dotted names; lists stay as they are."""
    found: JsonObject = {}
    for name, item in value.items():
        if isinstance(item, dict) and item and depth < DEEPEST and "." not in name:
            found |= flat(item, f"{prefix}{name}.", depth + 1)
            if not prefix:
                found.setdefault(name, item)
        else:
            found[f"{prefix}{name}"] = item
    return found


def _attributes(value: Any) -> JsonObject:
    """Attributes of OTLP: a list of `{key, value: {stringValue, …}}`, or a plain object."""
    if isinstance(value, dict):
        return value
    return {text(item.get("key")): _value(item.get("value"), 0) for item in mappings(value)}


def _value(value: Any, depth: int) -> Any:
    if not isinstance(value, dict) or depth > 40:
        return value
    for name, item in value.items():
        plain = name.replace("_", "").lower()
        if plain == "intvalue":
            number = figure(item)
            return int(number) if number is not None else item
        if plain in ("stringvalue", "boolvalue", "doublevalue", "bytesvalue"):
            return item
        if plain == "arrayvalue":
            values = mapping(item).get("values")
            return [_value(one, depth + 1) for one in values] if isinstance(values, list) else []
        if plain == "kvlistvalue":
            pairs = mappings(mapping(item).get("values"))
            return {text(pair.get("key")): _value(pair.get("value"), depth + 1) for pair in pairs}
    return None


def _id(value: JsonObject, *names: str) -> str:
    """An id under the first name that has one; base64 of 8 or 16 bytes as hex."""
    found = next((value[name] for name in names if isinstance(value.get(name), str) and value[name]), "")
    if found.endswith("=") and len(found) in (12, 24):
        try:
            return base64.b64decode(found, validate=True).hex()
        except binascii.Error:
            return str(found)
    return str(found).lower()


def _first(value: JsonObject, *names: str) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _pair(value: Any) -> float | None:
    if isinstance(value, list) and len(value) == 2:
        seconds, rest = figure(value[0]), figure(value[1])
        return seconds + rest / 1e9 if seconds is not None and rest is not None else None
    return unix_time(value)


def _set(attributes: JsonObject, name: str, value: Any) -> None:
    if value is not None and value != "":
        attributes[name] = value


def _containing(usage: JsonObject, *words: str) -> Any:
    return next((value for name, value in usage.items() if any(word in name for word in words)), None)
