"""Lines of long sessions of agents, the same at every call: for `sessions`, `formats` and tests of growing sessions."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from random import Random
from typing import Any

from bench.texts import length_of, passage

CALLS = 3
"""Most calls in one response."""
TURNS = 12
"""Most requests of a trace: each repeats what was said before."""
TYPICAL = 1500
"""Typical length of a text or a result in characters: a line comes to 3 kB, in public sessions it is 3.6 kB."""
STARTED = 1_770_000_000.0
ONE_MORE = 0.8
"""Seconds between two records."""
_THREAD = "01a1ffa5-2136-7231-bf88-010e588e3e3e"


def session_lines(size: int) -> Iterator[bytes]:
    """Lines of a session of Claude Code with about `size` bytes: prompts, thinking, parallel calls, results twice over.

    A result stands in the message and once more in `toolUseResult`, as the program writes it.
    """
    random = Random(7)
    number = written = 0
    above: str | None = None
    clock = STARTED

    def line(kind: str, message: dict[str, object], hangs_from: str | None, **more: object) -> bytes:
        nonlocal number, clock, written
        number += 1
        clock += 0.8
        seconds, part = divmod(clock, 1)
        record = {
            "parentUuid": hangs_from,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/project",
            "sessionId": "00000000-0000-4000-8000-000000000000",
            "version": "2.1.197",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": _uuid(number),
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(part * 1000):03d}Z",
            **more,
        }
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        written += len(text)
        return text

    while written < size:
        prompt: dict[str, object] = {"role": "user", "content": passage(random, length_of(random, 200))}
        yield line("user", prompt, above)
        above = _uuid(number)
        for _turn in range(random.randrange(1, 12)):
            calls = random.randrange(1, CALLS + 1)
            identity = f"msg_{number:012d}"
            usage = {"input_tokens": 5, "output_tokens": 90 + calls, "cache_read_input_tokens": number % 150_000}
            blocks: list[dict[str, object]] = [
                {"type": "thinking", "thinking": passage(random, length_of(random, TYPICAL)), "signature": "c2ln" * 90},
                {"type": "text", "text": passage(random, length_of(random, 300))},
            ]
            tools = [f"toolu_{number:012d}_{call}" for call in range(calls)]
            for tool in tools:
                arguments = {"command": passage(random, length_of(random, 120)), "description": "Run a command"}
                blocks.append({"type": "tool_use", "id": tool, "name": "Bash", "input": arguments})
            ends = []
            for block in blocks:
                message = {"id": identity, "role": "assistant", "model": "claude-sonnet-4-5", "content": [block]}
                yield line("assistant", message | {"stop_reason": "tool_use", "usage": usage}, above)
                above = _uuid(number)
                ends.append(above)
            for tool, end in zip(tools, ends[2:], strict=True):
                output = passage(random, length_of(random, 3 * TYPICAL))
                result = {"tool_use_id": tool, "type": "tool_result", "content": output, "is_error": False}
                details = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
                yield line("user", {"role": "user", "content": [result]}, end, toolUseResult=details)
                above = _uuid(number)


def _uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


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
