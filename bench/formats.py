"""Large sources in formats other than Claude Code's, and the time of reading them.

That is measured against `json.loads` over their records.

Texts, results and calls are those of `bench.sessions`. What a format repeats is repeated here too: a request in a trace
holds the whole conversation, a checkpoint the whole state, a later line of a Gemini message the answer once more.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from bench.clock import cpu_seconds
from bench.sessions import CALLS, STARTED, TYPICAL
from bench.table import Row, share
from bench.texts import length_of, passage

SIZE = 100_000_000
"""Bytes of a trace."""
TURNS = 12
"""Most requests of a trace: each repeats what was said before."""
STATES = 300
"""Number of checkpoints of a thread: each repeats the messages so far."""
MESSAGE = 47
"""Code of the extension that holds an object of LangChain in msgpack: (module, class, arguments)."""

_THREAD = "01a1ffa5-2136-7231-bf88-010e588e3e3e"
ONE_MORE = 0.8
"""Seconds between two records."""


class Source(NamedTuple):
    """A source that was written: its reader's name, its path, and the JSON texts that are the reference."""

    title: str
    path: Path
    texts: Callable[[], list[bytes]]


class Words:
    """Texts of an agent's session, the same for the same seed, and a clock."""

    def __init__(self, seed: int = 7) -> None:
        self.random = Random(seed)
        self.clock = STARTED
        self.number = 0

    def now(self) -> str:
        """The time of the next record."""
        self.clock += ONE_MORE
        seconds, part = divmod(self.clock, 1)
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(part * 1000):03d}Z"

    def name(self) -> str:
        """A name that no other record has."""
        self.number += 1
        return f"{self.number:08x}"

    def text(self, typical: int) -> str:
        """A text of about this length."""
        return passage(self.random, length_of(self.random, typical))

    def turns(self) -> int:
        """Answers to a prompt."""
        return self.random.randrange(1, TURNS)

    def calls(self) -> list[dict[str, str]]:
        """The arguments of an answer's calls."""
        count = self.random.randrange(1, CALLS + 1)
        return [{"command": self.text(120), "description": "Run a command"} for _ in range(count)]


def line_of(value: object) -> bytes:
    """A record as a line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def pi_lines(size: int) -> Iterator[bytes]:
    """Lines of a session of pi with about `size` bytes."""
    words = Words()
    above: str | None = None
    written = 0

    def entry(message: dict[str, object]) -> bytes:
        nonlocal above, written
        value = {"type": "message", "id": words.name(), "parentId": above, "timestamp": words.now()}
        above = str(value["id"])
        line = line_of({**value, "message": {**message, "timestamp": int(1000 * words.clock)}})
        written += len(line)
        return line

    yield line_of({"type": "session", "version": 3, "id": "s", "timestamp": words.now(), "cwd": "/home/dev/project"})
    while written < size:
        yield entry({"role": "user", "content": [{"type": "text", "text": words.text(200)}]})
        for _ in range(words.turns()):
            calls = [
                {"type": "toolCall", "id": f"toolu_{words.name()}", "name": "bash", "arguments": arguments}
                for arguments in words.calls()
            ]
            thought = {"type": "thinking", "thinking": words.text(TYPICAL), "thinkingSignature": "c2ln" * 90}
            content = [thought, {"type": "text", "text": words.text(300)}, *calls]
            prices = {"input": 0.0002, "output": 0.0006, "cacheRead": 0.0002, "cacheWrite": 0.0005, "total": 0.0015}
            usage = {"input": 62, "output": 380, "cacheRead": 7110, "cacheWrite": 142, "totalTokens": 7694}
            yield entry(
                {
                    "role": "assistant",
                    "content": content,
                    "api": "anthropic-messages",
                    "provider": "anthropic",
                    "model": "claude-sonnet-4-5",
                    "usage": {**usage, "cost": prices},
                    "stopReason": "toolUse",
                }
            )
            for call in calls:
                result = [{"type": "text", "text": words.text(3 * TYPICAL)}]
                said = {"role": "toolResult", "toolCallId": call["id"], "toolName": "bash", "content": result}
                yield entry({**said, "isError": False})


def codex_lines(size: int) -> Iterator[bytes]:
    """Lines of a rollout of Codex 0.169 with about `size` bytes: events repeat what was said and done."""
    words = Words()
    written = ordinal = history = 0
    turn = ""

    def record(kind: str, payload: dict[str, object], **more: object) -> bytes:
        nonlocal written, ordinal
        line = line_of({"timestamp": words.now(), "ordinal": ordinal, "type": kind, "payload": payload, **more})
        ordinal += 1
        written += len(line)
        return line

    def item(seen: int, value: dict[str, object]) -> bytes:
        nonlocal history
        history += 1
        passed = {"turn_id": turn, "create_time": words.clock}
        told = {"history_sequence": history, "sampled_through_sequence": seen, "client_authored": False}
        return record("response_item", {**value, "internal_chat_message_metadata_passthrough": passed}, metadata=told)

    def event(value: dict[str, object]) -> bytes:
        at = int(1000 * words.clock)
        told = {"thread_id": _THREAD, "turn_id": turn, "item": value, "started_at_ms": at, "completed_at_ms": at}
        return record("event_msg", {"type": "item_completed", **told})

    meta = {"session_id": _THREAD, "id": _THREAD, "timestamp": words.now(), "cwd": "/home/dev/project"}
    meta |= {"originator": "codex_exec", "cli_version": "0.169.0", "source": "exec", "history_mode": "paginated"}
    yield record("session_meta", meta | {"base_instructions": {"text": words.text(TYPICAL)}})
    while written < size:
        turn = words.name()
        yield record("event_msg", {"type": "task_started", "turn_id": turn, "model_context_window": 258_400})
        prompt = words.text(200)
        yield item(0, {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]})
        yield event({"type": "UserMessage", "id": words.name(), "content": [{"type": "text", "text": prompt}]})
        for _ in range(words.turns()):
            seen, thought, said = history, words.text(TYPICAL), words.text(300)
            yield event({"type": "Reasoning", "id": words.name(), "summary_text": [thought], "raw_content": []})
            summary = [{"type": "summary_text", "text": thought}]
            yield item(seen, {"type": "reasoning", "summary": summary, "encrypted_content": "Z0FB" * 90})
            yield event({"type": "AgentMessage", "id": words.name(), "content": [{"type": "Text", "text": said}]})
            text = {"type": "output_text", "text": said, "annotations": []}
            yield item(seen, {"type": "message", "role": "assistant", "content": [text]})
            calls = [(f"call_{words.name()}", arguments["command"]) for arguments in words.calls()]
            for call, command in calls:
                named = {"type": "function_call", "name": "exec_command", "call_id": call}
                yield item(seen, {**named, "arguments": json.dumps({"cmd": command})})
            tokens = {"input_tokens": 5335, "cached_input_tokens": 5265, "output_tokens": 350}
            tokens |= {"reasoning_output_tokens": 90, "total_tokens": 5685}
            yield record("token_usage_record", {"turn_id": turn, "response_id": words.name(), "usage": tokens})
            for call, command in calls:
                output = words.text(3 * TYPICAL)
                done = {"type": "CommandExecution", "id": call, "command": ["/bin/bash", "-lc", command]}
                yield event({**done, "status": "completed", "aggregated_output": output, "exit_code": 0})
                result = f"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{output}"
                yield item(0, {"type": "function_call_output", "call_id": call, "output": result})
        yield record("event_msg", {"type": "task_complete", "turn_id": turn, "duration_ms": 691})


def gemini_lines(size: int) -> Iterator[bytes]:
    """Lines of a chat of Gemini CLI with about `size` bytes: each answer is repeated with its results."""
    words = Words()
    written = 0
    head = {"sessionId": "s", "projectHash": "0" * 64, "startTime": words.now(), "lastUpdated": words.now()}
    yield line_of({**head, "kind": "main"})
    while written < size:
        prompt = {"id": words.name(), "timestamp": words.now(), "type": "user", "content": [{"text": words.text(200)}]}
        lines = [prompt]
        for _ in range(words.turns()):
            answer: dict[str, Any] = {"id": words.name(), "timestamp": words.now(), "type": "gemini"}
            answer |= {
                "content": words.text(300),
                "thoughts": [{"subject": "Next", "description": words.text(TYPICAL), "timestamp": words.now()}],
                "tokens": {"input": 6238, "output": 350, "cached": 6166, "thoughts": 90, "tool": 0, "total": 6678},
                "model": "gemini-2.5-pro",
            }
            calls = []
            for arguments in words.calls():
                named = {"id": f"bash__{words.name()}", "name": "run_shell_command"}
                response = {"functionResponse": {**named, "response": {"output": words.text(3 * TYPICAL)}}}
                shown = {"status": "success", "timestamp": words.now(), "resultDisplay": "ok", "displayName": "Shell"}
                calls.append({**named, "args": arguments, "result": [response], **shown})
            results = [part for call in calls for part in call["result"]]
            said = {"id": words.name(), "timestamp": words.now(), "type": "user", "content": results}
            lines += [answer, {**answer, "toolCalls": calls}, said]
        for record in lines:
            for line in (line_of(record), line_of({"$set": {"lastUpdated": words.now()}})):
                written += len(line)
                yield line


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
