"""One conversation in every envelope in which traces are exported."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from opentine_gui.core import RunRecord
from opentine_gui.importers.readers import read_run

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}


TOOL = {"gen_ai.operation.name": "execute_tool"}


AGENT = {"gen_ai.operation.name": "invoke_agent"}


Row = tuple[str, str, float, float, dict[str, Any]]
"""id, parent, start, end, attributes"""


ASK = [{"role": "user", "parts": [{"type": "text", "content": "how warm is it?"}]}]


CALLS = [
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {"where": "x"}}]}
]


SAYS = [{"role": "assistant", "parts": [{"type": "text", "content": "warm"}]}]


ROWS: list[Row] = [
    ("a", "", 0, 9, AGENT | {"gen_ai.agent.name": "helper"}),
    ("b", "a", 1, 3, CHAT | {"gen_ai.input.messages": json.dumps(ASK), "gen_ai.output.messages": json.dumps(CALLS)}),
    ("h", "b", 1, 2, {"http.method": "POST"}),
    ("c", "a", 3, 4, TOOL | {"gen_ai.tool.name": "look", "gen_ai.tool.call.id": "c1",
                             "gen_ai.tool.call.arguments": '{"where": "x"}', "gen_ai.tool.call.result": "20"}),
    ("d", "a", 5, 8, CHAT | {"gen_ai.input.messages": json.dumps(ASK), "gen_ai.output.messages": json.dumps(SAYS),
                             "gen_ai.usage.input_tokens": 12, "gen_ai.usage.output_tokens": 3}),
]  # fmt: skip


NOW = 1_700_000_000


def _identity(name: str) -> str:
    return name * 16 if name else ""


def otlp(rows: Iterable[Row], trace: str = "7") -> list[dict[str, Any]]:
    def value(item: Any) -> dict[str, Any]:
        return {"intValue": str(item)} if isinstance(item, int) else {"stringValue": item}

    return [
        {"traceId": trace * 32, "spanId": _identity(name), "parentSpanId": _identity(parent), "name": f"span {name}",
         "startTimeUnixNano": str(int((NOW + start) * 10**9)), "endTimeUnixNano": str(int((NOW + end) * 10**9)),
         "attributes": [{"key": key, "value": value(item)} for key, item in attributes.items()]}
        for name, parent, start, end, attributes in rows
    ]  # fmt: skip


def snake(rows: list[Row]) -> Any:
    names = {"traceId": "trace_id", "spanId": "span_id", "parentSpanId": "parent_span_id", "name": "name",
             "startTimeUnixNano": "start_time_unix_nano", "endTimeUnixNano": "end_time_unix_nano"}  # fmt: skip
    spans = [{names.get(key, key): item for key, item in span.items()} for span in otlp(rows)]
    return {"resource_spans": [{"scope_spans": [{"spans": spans}]}]}


def jaeger(rows: list[Row]) -> Any:
    spans = [
        {"traceID": "7", "spanID": _identity(name), "operationName": name, "startTime": int((NOW + start) * 10**6),
         "duration": int((end - start) * 10**6), "logs": [],
         "references": [{"refType": "CHILD_OF", "traceID": "7", "spanID": _identity(parent)}] if parent else [],
         "tags": [{"key": key, "type": "string", "value": item} for key, item in attributes.items()]}
        for name, parent, start, end, attributes in rows
    ]  # fmt: skip
    return {"data": [{"traceID": "7", "spans": spans, "processes": {}}]}


def iso(seconds: float) -> str:
    return f"2023-11-14T22:13:{20 + int(seconds):02}+00:00"


def phoenix(rows: list[Row]) -> Any:
    return [
        {"name": name, "context": {"trace_id": "7", "span_id": _identity(name)}, "parent_id": _identity(parent) or None,
         "span_kind": "UNKNOWN", "start_time": iso(start), "end_time": iso(end), "attributes": attributes}
        for name, parent, start, end, attributes in rows
    ]  # fmt: skip


def logfire(rows: list[Row]) -> Any:
    return [
        {"trace_id": "7", "span_id": _identity(name), "parent_span_id": _identity(parent) or None, "span_name": name,
         "start_timestamp": iso(start), "end_timestamp": iso(end), "attributes": json.dumps(attributes)}
        for name, parent, start, end, attributes in rows
    ]  # fmt: skip


def script(rows: list[Row]) -> Any:
    return [
        {"name": name, "spanContext": {"traceId": "7", "spanId": _identity(name)}, "parentSpanId": _identity(parent),
         "startTime": [NOW + int(start), 0], "endTime": [NOW + int(end), 0], "attributes": attributes, "status": {}}
        for name, parent, start, end, attributes in rows
    ]  # fmt: skip


def langfuse(rows: list[Row]) -> Any:
    kinds = {"chat": "GENERATION", "execute_tool": "TOOL", "invoke_agent": "AGENT"}
    observations = []
    for name, parent, start, end, said in rows:
        given = said.get("gen_ai.input.messages", said.get("gen_ai.tool.call.arguments"))
        answer = said.get("gen_ai.output.messages", said.get("gen_ai.tool.call.result"))
        usage = {"input": said.get("gen_ai.usage.input_tokens"), "output": said.get("gen_ai.usage.output_tokens")}
        observations.append(
            {"id": name, "parentObservationId": parent or None, "startTime": iso(start), "endTime": iso(end),
             "type": kinds.get(str(said.get("gen_ai.operation.name")), "SPAN"), "input": given, "output": answer,
             "name": said.get("gen_ai.tool.name", name), "model": said.get("gen_ai.request.model"),
             "usageDetails": usage}
        )  # fmt: skip
    return {"trace": {"id": "7", "projectId": "p"}, "observations": observations}


SHAPES = {
    "otlp": lambda rows: {"resourceSpans": [{"scopeSpans": [{"spans": otlp(rows)}]}]},
    "snake": snake,
    "tempo": lambda rows: {"batches": [{"instrumentationLibrarySpans": [{"spans": otlp(rows)}]}]},
    "tempo 2": lambda rows: {"trace": {"resourceSpans": [{"scopeSpans": [{"spans": otlp(rows)}]}]}},
    "array": lambda rows: [{"resourceSpans": [{"scopeSpans": [{"spans": otlp(rows)}]}]}],
    "jaeger": jaeger,
    "phoenix": phoenix,
    "logfire": logfire,
    "script": script,
    "langfuse": langfuse,
}


def save(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document))
    return path


def read_rows(path: Path, rows: Iterable[Row]) -> RunRecord:
    return read_run(save(path / "trace.json", SHAPES["otlp"](list(rows))))
