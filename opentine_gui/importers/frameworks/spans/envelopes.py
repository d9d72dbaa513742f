"""Spans out of the documents and lines in which tracing tools export them.

Ids may be hex or base64 and names in camel or snake case; Jaeger counts microseconds. What has names of its own is in
`vendors`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.frameworks.spans.vendors import grouped, langfuse, langsmith, langsmith_batch, openai
from opentine_gui.importers.json_lines import read_records
from opentine_gui.importers.reading import Report
from opentine_gui.importers.sources.documents import Text, read_text
from opentine_gui.importers.sources.fields import figure, object_of, objects_in, parsed, text_of, unix_time

RESOURCES = ("resourceSpans", "resource_spans", "batches")
SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
DEEPEST = 8
SPANS_BETWEEN = 500
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


_Content = TypeVar("_Content")


class _Scope(msgspec.Struct, Generic[_Content]):
    """What OTLP has of a library that made spans, as its exporters write it."""

    spans: list[_Content]


class _Resource(msgspec.Struct, Generic[_Content], rename="camel"):
    """What OTLP has of a program that made spans."""

    scope_spans: list[_Scope[_Content]]
    resource: dict[str, Any] = {}


class _Export(msgspec.Struct, Generic[_Content], rename="camel", forbid_unknown_fields=True):
    """An export of OTLP that has nothing else in it: read in one go, where others are looked into level by level."""

    resource_spans: list[_Resource[_Content]]


_export = msgspec.json.Decoder(_Export[msgspec.Raw])
_decoded_export = msgspec.json.Decoder(_Export[dict[str, Any]])
_SPAN = b'"spanId":'


class _Line(NamedTuple):
    """A line, and what it was decoded to where it is an export of OTLP: whole if a single span is in it."""

    content: bytes
    alone: _Export[dict[str, Any]] | None = None
    export: _Export[msgspec.Raw] | None = None


class _Lines:
    """Decodes a line: as an export where it is one, else only as far as its members."""

    def decode(self, text: bytes | memoryview) -> _Line:
        """As of a decoder of msgspec."""
        content = bytes(text)
        try:
            if content.count(_SPAN) == 1:
                return _Line(content, alone=_decoded_export.decode(content))
            return _Line(content, export=_export.decode(content))
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            _members.decode(content)
            return _Line(content)


_lines = _Lines()


def spans_in(path: Path, report: Report, pace: Pace) -> tuple[list[Span], bytes]:
    """(all spans of a file, the file's bytes). FormatError when there are none."""
    whole = read_text(path)
    spans: list[Span] = []
    for found, inside in _documents(whole, path, report, pace):
        for count, span in enumerate(inside):
            if count % SPANS_BETWEEN == 0:
                pace.at(found.offset / (len(whole.content) + 1))
            report.records += 1
            spans.append(span)
    spans = grouped(spans)
    if not spans:
        raise FormatError("there are no spans in it", path=path)
    return spans, bytes(whole.content)


def _documents(whole: Text, path: Path, report: Report, pace: Pace) -> Iterator[tuple[Text, Iterator[Span]]]:
    """The file as one document, or its lines, with the spans in each."""
    content = bytes(whole.content)
    first = content.lstrip()[:1]
    if first == b"[" or whole.members():
        yield whole, _spans(whole, path, "", 0)
        return
    lines = Report()
    for line, place in read_records(path, content, _lines, lines, pace):
        found = Text(line.content, whole.offset + place.offset)
        if line.alone is not None:
            yield found, _alone(line.alone, found, path)
        elif line.export is not None:
            yield found, _of_export(line.export, found, path)
        else:
            yield found, _spans(found, path, "", 0)
    report.bad_lines += lines.bad_lines
    report.remarks += lines.remarks


def _spans(found: Text, path: Path, service: str, depth: int) -> Iterator[Span]:
    if depth > DEEPEST:
        return
    if bytes(found.content[:64]).lstrip()[:1] == b"[":
        for item in found.items():
            yield from _spans(item, path, service, depth + 1)
        return
    try:
        export = _export.decode(found.content)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    else:
        yield from _of_export(export, found, path)
        return
    members = found.members()
    inside = [members[name] for name in RESOURCES if name in members]
    if inside:
        for resource in (item for group in inside for item in group.items()):
            yield from _of_resource(resource.members(), path)
    elif "observations" in members:
        yield from langfuse(members, path)
    elif "post" in members or "patch" in members:
        yield from langsmith_batch(members, path)
    else:
        one = next((make for names, make in ENVELOPES if names <= set(members)), None)
        if one is not None:
            span = one(object_of(found.value()))
            if span is not None:
                span.place = found.place(path)
                span.service = span.service or service
                yield span
            return
        for name in ("data", "spans", "trace", "runs", "traces"):
            if name in members:
                yield from _spans(members[name], path, service, depth + 1)


def _of_export(export: _Export[msgspec.Raw], found: Text, path: Path) -> Iterator[Span]:
    raws = [raw for resource in export.resource_spans for scope in resource.scope_spans for raw in scope.spans]
    pieces = iter(found.pieces(raws))
    for resource in export.resource_spans:
        service = _service(resource.resource)
        for scope in resource.scope_spans:
            for item in islice(pieces, len(scope.spans)):
                span = _otlp(object_of(item.value()))
                if span is not None:
                    span.place, span.service = item.place(path), service
                    yield span


def _alone(export: _Export[dict[str, Any]], line: Text, path: Path) -> Iterator[Span]:
    """The span that is all that a line exports: the line is its record."""
    for resource in export.resource_spans:
        for value in (value for scope in resource.scope_spans for value in scope.spans):
            span = _otlp(value)
            if span is not None:
                span.place, span.service = line.place(path), _service(resource.resource)
                yield span


def _service(resource: JsonObject) -> str:
    return text_of(_attributes(resource.get("attributes")).get("service.name"))


def _of_resource(members: dict[str, Text], path: Path) -> Iterator[Span]:
    service = _service(object_of(members["resource"].value()) if "resource" in members else {})
    for scope in (item for name in SCOPES if name in members for item in members[name].items()):
        inner = scope.members()
        for item in inner["spans"].items() if "spans" in inner else ():
            span = _otlp(object_of(item.value()))
            if span is not None:
                span.place, span.service = item.place(path), service
                yield span


# -- OTLP and its likes ---------------------------------------------------------------------------------------------


def _otlp(value: JsonObject) -> Span | None:
    """A span of OTLP in JSON, camel or snake case."""
    status = object_of(value.get("status"))
    events = [
        (text_of(event.get("name")), _attributes(event.get("attributes"))) for event in objects_in(value.get("events"))
    ]
    span = Span(
        trace=_id(value, "traceId", "trace_id", "traceID"),
        id=_id(value, "spanId", "span_id", "spanID"),
        parent=_id(value, "parentSpanId", "parent_span_id"),
        name=text_of(value.get("name")),
        start=unix_time(_first(value, "startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")),
        end=unix_time(_first(value, "endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time")),
        attributes=_attributes(value.get("attributes")),
        events=events,
        links=[
            (_id(link, "traceId", "trace_id"), _id(link, "spanId", "span_id"))
            for link in objects_in(value.get("links"))
        ],
        failed=status.get("code") in (2, "2", "STATUS_CODE_ERROR", "ERROR"),
        message=text_of(status.get("message")),
    )
    return span if span.id else None


def _jaeger(value: JsonObject) -> Span | None:
    """A span of Jaeger: microseconds, tags, references; the first CHILD_OF in the trace is the parent."""
    start = figure(value.get("startTime"))
    references = objects_in(value.get("references"))
    trace = _id(value, "traceID")
    parents = [
        _id(reference, "spanID")
        for reference in references
        if reference.get("refType") == "CHILD_OF" and _id(reference, "traceID") in (trace, "")
    ]
    tags = {text_of(tag.get("key")): tag.get("value") for tag in objects_in(value.get("tags"))}
    begin = start / 1e6 if start else None
    span = Span(
        trace=trace,
        id=_id(value, "spanID"),
        parent=parents[0] if parents else "",
        name=text_of(value.get("operationName")),
        start=begin,
        end=begin + (figure(value.get("duration")) or 0) / 1e6 if begin is not None else None,
        attributes=tags,
        events=[_jaeger_log(log) for log in objects_in(value.get("logs"))],
        links=[
            (_id(reference, "traceID"), _id(reference, "spanID"))
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


def _phoenix(value: JsonObject) -> Span | None:
    """A span of Phoenix: its ids in `context`, OpenInference attributes flat or nested."""
    context = object_of(value.get("context"))
    attributes = flat(object_of(value.get("attributes")))
    if text_of(value.get("span_kind")):
        attributes.setdefault("openinference.span.kind", value["span_kind"])
    span = Span(
        trace=_id(context, "trace_id", "traceId"),
        id=_id(context, "span_id", "spanId"),
        parent=_id(value, "parent_id", "parentId"),
        name=text_of(value.get("name")),
        start=unix_time(_first(value, "start_time", "startTime")),
        end=unix_time(_first(value, "end_time", "endTime")),
        attributes=attributes,
        events=[
            (text_of(event.get("name")), object_of(event.get("attributes")))
            for event in objects_in(value.get("events"))
        ],
        failed=value.get("status_code") == "ERROR" or object_of(value.get("status")).get("status_code") == "ERROR",
        message=text_of(value.get("status_message")),
    )
    return span if span.id else None


def _script(value: JsonObject) -> Span | None:
    """A span as the JavaScript SDK prints it: times as [seconds, nanoseconds]."""
    context = object_of(value.get("spanContext"))
    above = object_of(value.get("parentSpanContext"))
    status = object_of(value.get("status"))
    span = Span(
        trace=_id(context, "traceId"),
        id=_id(context, "spanId"),
        parent=_id(above, "spanId") or _id(value, "parentSpanId"),
        name=text_of(value.get("name")),
        start=_pair(value.get("startTime")),
        end=_pair(value.get("endTime")),
        attributes=object_of(value.get("attributes")),
        events=[
            (text_of(event.get("name")), object_of(event.get("attributes")))
            for event in objects_in(value.get("events"))
        ],
        links=[
            (_id(object_of(link.get("context")), "traceId"), _id(object_of(link.get("context")), "spanId"))
            for link in objects_in(value.get("links"))
        ],
        failed=status.get("code") == 2,
        message=text_of(status.get("message")),
    )
    return span if span.id else None


def _row(value: JsonObject) -> Span | None:
    """A row of Logfire's records, or a span whose attributes are a plain object."""
    if value.get("kind") == "pending_span":
        return None
    attributes = flat(object_of(parsed(value.get("attributes"))))
    span = Span(
        trace=_id(value, "trace_id", "traceId"),
        id=_id(value, "span_id", "spanId"),
        parent=_id(value, "parent_span_id", "parentSpanId", "parent_id"),
        name=text_of(value.get("span_name")) or text_of(value.get("name")) or text_of(value.get("message")),
        start=unix_time(_first(value, "start_timestamp", "start_time", "startTime")),
        end=unix_time(_first(value, "end_timestamp", "end_time", "endTime")),
        attributes=attributes,
        failed=value.get("otel_status_code") == "ERROR" or value.get("is_exception") is True,
        message=text_of(value.get("otel_status_message")) or text_of(value.get("exception_message")),
        service=text_of(value.get("service_name")),
    )
    return span if span.id else None


ENVELOPES: tuple[tuple[set[str], Callable[[JsonObject], Span | None]], ...] = (
    ({"spanContext", "name"}, _script),
    ({"traceID", "spanID", "operationName"}, _jaeger),
    ({"traceId", "spanId", "attributes", "startTimeUnixNano"}, _otlp),
    ({"trace_id", "span_id", "start_time_unix_nano"}, _otlp),
    ({"context", "name"}, _phoenix),
    ({"object", "id", "trace_id", "span_data"}, openai),
    ({"object", "workflow_name"}, openai),
    ({"dotted_order", "run_type"}, langsmith),
    ({"id", "run_type", "trace_id"}, langsmith),
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
    found: JsonObject = {}
    for item in objects_in(value):
        inner = item.get("value")
        if isinstance(inner, dict) and len(inner) == 1 and "stringValue" in inner:  # as most are
            found[text_of(item.get("key"))] = inner["stringValue"]
        else:
            found[text_of(item.get("key"))] = _value(inner, 0)
    return found


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
            values = object_of(item).get("values")
            return [_value(one, depth + 1) for one in values] if isinstance(values, list) else []
        if plain == "kvlistvalue":
            pairs = objects_in(object_of(item).get("values"))
            return {text_of(pair.get("key")): _value(pair.get("value"), depth + 1) for pair in pairs}
    return None


def _id(value: JsonObject, *names: str) -> str:
    """An id under the first name that has one; base64 of 8 or 16 bytes as hex."""
    found = ""
    for name in names:
        said = value.get(name)
        if said and isinstance(said, str):
            found = said
            break
    if found.endswith("=") and len(found) in (12, 24):
        try:
            return base64.b64decode(found, validate=True).hex()
        except binascii.Error:
            return found
    return found.lower()


def _first(value: JsonObject, *names: str) -> Any:
    for name in names:
        if (found := value.get(name)) is not None:
            return found
    return None


def _pair(value: Any) -> float | None:
    if isinstance(value, list) and len(value) == 2:
        seconds, rest = figure(value[0]), figure(value[1])
        return seconds + rest / 1e9 if seconds is not None and rest is not None else None
    return unix_time(value)
