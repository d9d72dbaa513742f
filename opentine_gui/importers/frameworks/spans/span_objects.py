"""Makes spans of the objects in which OTLP, Jaeger, Phoenix, the JavaScript SDK and Logfire export them.

Names may be in camel or snake case; Jaeger counts microseconds. Each returns None for an object without an id.
"""

from __future__ import annotations

from typing import Any

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.frameworks.spans.attribute_values import attributes_of, first_in, flat, id_in
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.sources.fields import figure, object_of, objects_in, parsed, text_of, unix_time


def otlp(value: JsonObject) -> Span | None:
    """A span of OTLP in JSON, camel or snake case."""
    status = object_of(value.get("status"))
    events = [
        (text_of(event.get("name")), attributes_of(event.get("attributes")))
        for event in objects_in(value.get("events"))
    ]
    span = Span(
        trace=id_in(value, "traceId", "trace_id", "traceID"),
        id=id_in(value, "spanId", "span_id", "spanID"),
        parent=id_in(value, "parentSpanId", "parent_span_id"),
        name=text_of(value.get("name")),
        start=unix_time(first_in(value, "startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")),
        end=unix_time(first_in(value, "endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time")),
        attributes=attributes_of(value.get("attributes")),
        events=events,
        links=[
            (id_in(link, "traceId", "trace_id"), id_in(link, "spanId", "span_id"))
            for link in objects_in(value.get("links"))
        ],
        failed=status.get("code") in (2, "2", "STATUS_CODE_ERROR", "ERROR"),
        message=text_of(status.get("message")),
    )
    return span if span.id else None


def jaeger(value: JsonObject) -> Span | None:
    """A span of Jaeger: microseconds, tags, references; the first CHILD_OF in the trace is the parent."""
    start = figure(value.get("startTime"))
    references = objects_in(value.get("references"))
    trace = id_in(value, "traceID")
    parents = [
        id_in(reference, "spanID")
        for reference in references
        if reference.get("refType") == "CHILD_OF" and id_in(reference, "traceID") in (trace, "")
    ]
    tags = {text_of(tag.get("key")): tag.get("value") for tag in objects_in(value.get("tags"))}
    begin = start / 1e6 if start else None
    span = Span(
        trace=trace,
        id=id_in(value, "spanID"),
        parent=parents[0] if parents else "",
        name=text_of(value.get("operationName")),
        start=begin,
        end=begin + (figure(value.get("duration")) or 0) / 1e6 if begin is not None else None,
        attributes=tags,
        events=[_jaeger_log(log) for log in objects_in(value.get("logs"))],
        links=[
            (id_in(reference, "traceID"), id_in(reference, "spanID"))
            for reference in references
            if reference.get("refType") == "FOLLOWS_FROM"
        ],
        failed=tags.get("otel.status_code") == "ERROR" or tags.get("error") is True,
        message=text_of(tags.get("otel.status_description")),
    )
    return span if span.id else None


def _jaeger_log(log: JsonObject) -> tuple[str, JsonObject]:
    fields = {text_of(item.get("key")): item.get("value") for item in objects_in(log.get("fields"))}
    return text_of(fields.pop("event", "")), fields


def phoenix(value: JsonObject) -> Span | None:
    """A span of Phoenix: its ids in `context`, OpenInference attributes flat or nested."""
    context = object_of(value.get("context"))
    attributes = flat(object_of(value.get("attributes")))
    if text_of(value.get("span_kind")):
        attributes.setdefault("openinference.span.kind", value["span_kind"])
    span = Span(
        trace=id_in(context, "trace_id", "traceId"),
        id=id_in(context, "span_id", "spanId"),
        parent=id_in(value, "parent_id", "parentId"),
        name=text_of(value.get("name")),
        start=unix_time(first_in(value, "start_time", "startTime")),
        end=unix_time(first_in(value, "end_time", "endTime")),
        attributes=attributes,
        events=[
            (text_of(event.get("name")), object_of(event.get("attributes")))
            for event in objects_in(value.get("events"))
        ],
        failed=value.get("status_code") == "ERROR" or object_of(value.get("status")).get("status_code") == "ERROR",
        message=text_of(value.get("status_message")),
    )
    return span if span.id else None


def script(value: JsonObject) -> Span | None:
    """A span as the JavaScript SDK prints it: times as [seconds, nanoseconds]."""
    context = object_of(value.get("spanContext"))
    above = object_of(value.get("parentSpanContext"))
    status = object_of(value.get("status"))
    span = Span(
        trace=id_in(context, "traceId"),
        id=id_in(context, "spanId"),
        parent=id_in(above, "spanId") or id_in(value, "parentSpanId"),
        name=text_of(value.get("name")),
        start=_pair(value.get("startTime")),
        end=_pair(value.get("endTime")),
        attributes=object_of(value.get("attributes")),
        events=[
            (text_of(event.get("name")), object_of(event.get("attributes")))
            for event in objects_in(value.get("events"))
        ],
        links=[
            (id_in(object_of(link.get("context")), "traceId"), id_in(object_of(link.get("context")), "spanId"))
            for link in objects_in(value.get("links"))
        ],
        failed=status.get("code") == 2,
        message=text_of(status.get("message")),
    )
    return span if span.id else None


def row(value: JsonObject) -> Span | None:
    """A row of Logfire's records, or a span whose attributes are a plain object."""
    if value.get("kind") == "pending_span":
        return None
    attributes = flat(object_of(parsed(value.get("attributes"))))
    span = Span(
        trace=id_in(value, "trace_id", "traceId"),
        id=id_in(value, "span_id", "spanId"),
        parent=id_in(value, "parent_span_id", "parentSpanId", "parent_id"),
        name=text_of(value.get("span_name")) or text_of(value.get("name")) or text_of(value.get("message")),
        start=unix_time(first_in(value, "start_timestamp", "start_time", "startTime")),
        end=unix_time(first_in(value, "end_timestamp", "end_time", "endTime")),
        attributes=attributes,
        failed=value.get("otel_status_code") == "ERROR" or value.get("is_exception") is True,
        message=text_of(value.get("otel_status_message")) or text_of(value.get("exception_message")),
        service=text_of(value.get("service_name")),
    )
    return span if span.id else None


def _pair(value: Any) -> float | None:
    """Seconds of a pair of seconds and nanoseconds, or of a time as others write it."""
    if isinstance(value, list) and len(value) == 2:
        seconds, rest = figure(value[0]), figure(value[1])
        return seconds + rest / 1e9 if seconds is not None and rest is not None else None
    return unix_time(value)
