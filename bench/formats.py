"""Large sources in formats other than Claude Code's, and the time of reading them.

That is measured against `json.loads` over their records.

Texts, results and calls are those of `bench.session_lines`. What a format repeats is repeated here too: a request in a
trace holds the whole conversation, a checkpoint the whole state, a later line of a Gemini message the answer once more.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from bench.clock import cpu_seconds
from bench.session_lines import ONE_MORE, TYPICAL, Words, line_of
from bench.table import Row, share

SIZE = 100_000_000
"""Bytes of a trace."""
STATES = 300
"""Number of checkpoints of a thread: each repeats the messages so far."""
MESSAGE = 47
"""Code of the extension that holds an object of LangChain in msgpack: (module, class, arguments)."""


class Source(NamedTuple):
    """A source that was written: its reader's name, its path, and the JSON texts that are the reference."""

    title: str
    path: Path
    texts: Callable[[], list[bytes]]


def otlp_lines(size: int) -> Iterator[bytes]:
    """Lines of OTLP with about `size` bytes, a span a line: each chat holds what was said before it."""
    words = Words()
    written = 0
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "agent"}}]}

    def span(name: str, above: str, attributes: Mapping[str, str | int], identity: str = "") -> bytes:
        nonlocal written
        began = int(words.clock * 1e9)
        words.clock += ONE_MORE
        value = {
            "traceId": "0" * 31 + "1",
            "spanId": identity or words.name() + "0" * 8,
            "parentSpanId": above,
            "name": name,
            "kind": 3,
            "startTimeUnixNano": str(began),
            "endTimeUnixNano": str(int(words.clock * 1e9)),
            "attributes": [
                {"key": key, "value": {"stringValue": item} if isinstance(item, str) else {"intValue": str(item)}}
                for key, item in attributes.items()
            ],
            "status": {},
        }
        scopes = [{"scope": {"name": "agent", "version": "1"}, "spans": [value]}]
        line = line_of({"resourceSpans": [{"resource": resource, "scopeSpans": scopes}]})
        written += len(line)
        return line

    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "agent", "gen_ai.conversation.id": "c"}
    while written < size:
        root = words.name() + "0" * 8
        history: list[dict[str, object]] = [{"role": "user", "parts": [{"type": "text", "content": words.text(200)}]}]
        began = words.clock
        for _ in range(words.turns()):
            calls = [
                {"type": "tool_call", "id": f"call_{words.name()}", "name": "bash", "arguments": arguments}
                for arguments in words.calls()
            ]
            answer: dict[str, object] = {
                "role": "assistant",
                "parts": [{"type": "text", "content": words.text(TYPICAL)}, *calls],
            }
            yield span(
                "chat",
                root,
                {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.provider.name": "openai",
                    "gen_ai.request.model": "gpt",
                    "gen_ai.usage.input_tokens": 1000,
                    "gen_ai.usage.output_tokens": 100,
                    "gen_ai.input.messages": json.dumps(history),
                    "gen_ai.output.messages": json.dumps([{**answer, "finish_reason": "tool_calls"}]),
                },
            )
            history.append(answer)
            for call in calls:
                result = words.text(3 * TYPICAL)
                yield span(
                    "execute_tool bash",
                    root,
                    {
                        "gen_ai.operation.name": "execute_tool",
                        "gen_ai.tool.name": "bash",
                        "gen_ai.tool.call.id": str(call["id"]),
                        "gen_ai.tool.call.result": result,
                    },
                )
                part = {"type": "tool_call_response", "id": call["id"], "response": result}
                history.append({"role": "tool", "parts": [part]})
        ended, words.clock = words.clock, began - ONE_MORE
        yield span("invoke_agent", "", agent, root)
        words.clock = ended + ONE_MORE


def write_thread(path: Path, states: int) -> list[Any]:
    """A LangGraph thread of so many checkpoints, an agent and its tool in turn; returns the values it holds."""
    words = Words()
    values: list[Any] = []
    messages: list[Any] = []
    plain: list[Any] = []

    def message(kind: str, content: str, **more: object) -> None:
        said = {"content": content, "type": kind.removesuffix("Message").lower(), "id": words.name(), **more}
        packed = msgspec.msgpack.encode(["langchain_core.messages", kind, said, "model_validate_json"])
        messages.append(msgspec.msgpack.Ext(MESSAGE, packed))
        plain.append({"class": kind, **said})

    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE checkpoints (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT,"
            " parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,"
            " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id))"
        )
        connection.execute(
            "CREATE TABLE writes (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, task_id TEXT,"
            " task_path TEXT, idx INTEGER, channel TEXT, type TEXT, value BLOB,"
            " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx))"
        )
        above, node = None, "__start__"
        for number in range(states):
            state: dict[str, Any] = {"messages": messages} if number else {"__start__": {"messages": words.text(200)}}
            following = "agent" if node in ("__start__", "tools") else "tools"
            state[f"branch:to:{following}"] = None
            versions = {"messages": f"{number:032d}.0.1", f"branch:to:{following}": f"{number:032d}.0.2"}
            rest = {"v": 4, "ts": words.now(), "id": f"{number:032d}", "channel_versions": versions}
            rest |= {"versions_seen": {"__input__": {}, node: versions}}
            source = "loop" if number else "input"
            told = json.dumps({"source": source, "step": number - 1, "parents": {}}).encode()
            packed = msgspec.msgpack.encode({**rest, "channel_values": state})
            connection.execute(
                "INSERT INTO checkpoints VALUES ('t', '', ?, ?, 'msgpack', ?, ?)", (rest["id"], above, packed, told)
            )
            values.append({**rest, "channel_values": {**state, "messages": list(plain)}})
            before = len(messages)
            if not number:
                message("HumanMessage", words.text(200))
            elif following == "agent":
                calls = [{"name": "bash", "args": words.calls()[0], "id": f"call{number}", "type": "tool_call"}]
                message("AIMessage", words.text(TYPICAL), tool_calls=calls)
            else:
                message("ToolMessage", words.text(3 * TYPICAL), tool_call_id=f"call{number - 1}", name="bash")
            new, task = messages[before:], f"{number:032d}"
            path_of_it = f"~__pregel_pull, {following if number else '__start__'}"
            connection.execute(
                "INSERT INTO writes VALUES ('t', '', ?, ?, ?, 0, 'messages', 'msgpack', ?)",
                (rest["id"], task, path_of_it, msgspec.msgpack.encode(new)),
            )
            values.append(plain[before:])
            above, node = rest["id"], following if number else "__start__"
        connection.commit()
    return values


def sources(folder: Path, size: int, states: int) -> Iterator[Source]:
    """The sources, each written when it is asked for. Sessions have a part of their own: `bench.sessions`."""
    path = folder / "opentelemetry.jsonl"
    with path.open("wb") as file:
        file.writelines(otlp_lines(size))
    yield Source("OpenTelemetry", path, lambda path=path: path.read_bytes().splitlines())  # type: ignore[misc]
    path = folder / "checkpoints.sqlite"
    values = write_thread(path, states)
    yield Source("LangGraph", path, lambda: [json.dumps(value).encode() for value in values])


def rows(folder: Path, size: int = SIZE, states: int = STATES) -> Iterator[Row]:
    """The time of reading a large source of each format."""
    from opentine_gui.importers.readers import read_source

    for title, path, texts in sources(folder, size, states):
        records = texts()
        reference = cpu_seconds(lambda records=records: len([json.loads(one) for one in records]), 2)  # type: ignore[misc]
        records.clear()
        ours = cpu_seconds(lambda path=path: read_source(path), 2)  # type: ignore[misc]
        what = f"open, {title}, {path.stat().st_size / 1e6:.0f} MB"
        yield Row("formats", what, ours, "CPU s", reference, "json.loads over its records, kept", share(2))
        path.unlink()
