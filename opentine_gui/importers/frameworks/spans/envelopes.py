"""Finds the spans in the documents and lines in which tracing tools export them.

The names that an object has decide what makes a span of it: see `ENVELOPES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace
from opentine_gui.importers.frameworks.spans.attribute_values import attributes_of
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.frameworks.spans.span_objects import jaeger, otlp, phoenix, row, script
from opentine_gui.importers.frameworks.spans.vendors import grouped, langfuse, langsmith, langsmith_batch, openai
from opentine_gui.importers.json_lines import read_records
from opentine_gui.importers.reading import Report
from opentine_gui.importers.sources.documents import Text, read_text
from opentine_gui.importers.sources.fields import object_of, text_of

RESOURCES = ("resourceSpans", "resource_spans", "batches")
SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
DEEPEST = 8
"""Levels of lists and objects in which spans are looked for."""
SPANS_BETWEEN = 500
"""Spans between two reports of progress."""
ENVELOPES: tuple[tuple[set[str], Callable[[JsonObject], Span | None]], ...] = (
    ({"spanContext", "name"}, script),
    ({"traceID", "spanID", "operationName"}, jaeger),
    ({"traceId", "spanId", "attributes", "startTimeUnixNano"}, otlp),
    ({"trace_id", "span_id", "start_time_unix_nano"}, otlp),
    ({"context", "name"}, phoenix),
    ({"object", "id", "trace_id", "span_data"}, openai),
    ({"object", "workflow_name"}, openai),
    ({"dotted_order", "run_type"}, langsmith),
    ({"id", "run_type", "trace_id"}, langsmith),
    ({"trace_id", "span_id"}, row),
    ({"traceId", "spanId"}, row),
)
"""By the names that an object has: what makes a span of it."""
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
        """What a line says, as a decoder of msgspec gives it."""
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
                span = otlp(object_of(item.value()))
                if span is not None:
                    span.place, span.service = item.place(path), service
                    yield span


def _alone(export: _Export[dict[str, Any]], line: Text, path: Path) -> Iterator[Span]:
    """The span that is all that a line exports: the line is its record."""
    for resource in export.resource_spans:
        for value in (value for scope in resource.scope_spans for value in scope.spans):
            span = otlp(value)
            if span is not None:
                span.place, span.service = line.place(path), _service(resource.resource)
                yield span


def _service(resource: JsonObject) -> str:
    return text_of(attributes_of(resource.get("attributes")).get("service.name"))


def _of_resource(members: dict[str, Text], path: Path) -> Iterator[Span]:
    service = _service(object_of(members["resource"].value()) if "resource" in members else {})
    for scope in (item for name in SCOPES if name in members for item in members[name].items()):
        inner = scope.members()
        for item in inner["spans"].items() if "spans" in inner else ():
            span = otlp(object_of(item.value()))
            if span is not None:
                span.place, span.service = item.place(path), service
                yield span
