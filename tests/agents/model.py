"""A model that answers from a script, on loopback, and keeps every request."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from opentine_gui.core.format.container import zstd_module

ANSWER = "Went on."
Reply = Callable[[dict[str, Any]], tuple[str, bytes]]
"""A request to (content type, body)."""


class Answer(NamedTuple):
    """What the model says: a text, and shell commands that are called for side by side."""

    text: str = ANSWER
    commands: tuple[str, ...] = ()


SCRIPT: dict[str, tuple[Answer, ...]] = {
    "Make two calls": (Answer("Two at once.", ("echo one", "echo two")), Answer("Both made.")),
    "Make another": (Answer("One more.", ("echo three",)), Answer("Made.")),
}
"""What is answered to a prompt, one after the other; everything else gets the one sentence."""


def answer_to(request: dict[str, Any]) -> Answer:
    """The next answer to the last prompt of a conversation in the form of the Messages API."""
    messages = request.get("messages", [])
    for count, message in enumerate(reversed(messages)):
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        texts = [part.get("text", "").strip() for part in parts if part.get("type") == "text"]
        for prompt, answers in SCRIPT.items():
            if message.get("role") == "user" and prompt in texts:
                done = sum(later.get("role") == "assistant" for later in messages[len(messages) - count :])
                return answers[done] if done < len(answers) and request.get("tools") else Answer()
    return Answer()


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def _messages(request: dict[str, Any]) -> tuple[str, bytes]:
    """Anthropic's Messages API, streamed where that was asked for."""
    usage = {"input_tokens": 10, "output_tokens": 3, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    answer = answer_to(request)
    identity = f"msg_{hashlib.sha256(json.dumps(request['messages']).encode()).hexdigest()[:16]}"
    message = {
        "id": identity,
        "type": "message",
        "role": "assistant",
        "model": request.get("model", ""),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    blocks: list[dict[str, Any]] = [{"type": "text", "text": answer.text}]
    for number, command in enumerate(answer.commands):
        call = {"command": command, "description": "Run a command"}
        blocks.append({"type": "tool_use", "id": f"toolu_{identity}_{number}", "name": "Bash", "input": call})
    ended = {"stop_reason": "tool_use" if answer.commands else "end_turn", "stop_sequence": None}
    if not request.get("stream"):
        return "application/json", json.dumps(message | {"content": blocks} | ended).encode()
    events: list[tuple[str, dict[str, Any]]] = [("message_start", {"message": message})]
    for index, block in enumerate(blocks):
        is_text = block["type"] == "text"
        begun = block | ({"text": ""} if is_text else {"input": {}})
        part = {"type": "text_delta", "text": block["text"]} if is_text else None
        part = part or {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append(("content_block_start", {"index": index, "content_block": begun}))
        events.append(("content_block_delta", {"index": index, "delta": part}))
        events.append(("content_block_stop", {"index": index}))
    events += [("message_delta", {"delta": ended, "usage": {"output_tokens": 3}}), ("message_stop", {})]
    return "text/event-stream", b"".join(_event(name, {"type": name} | data) for name, data in events)


def _count(_request: dict[str, Any]) -> tuple[str, bytes]:
    return "application/json", b'{"input_tokens":10}'


def _responses(request: dict[str, Any]) -> tuple[str, bytes]:
    """OpenAI's Responses API, streamed."""
    part = {"type": "output_text", "text": ANSWER, "annotations": []}
    item = {"type": "message", "id": "msg_scripted", "role": "assistant", "status": "completed", "content": [part]}
    usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 3, "total_tokens": 13}
    usage["output_tokens_details"] = {"reasoning_tokens": 0}
    whole = {"id": "resp_scripted", "object": "response", "created_at": 0, "model": request.get("model", "")}
    whole |= {"status": "completed", "output": [item], "usage": usage, "error": None}
    where = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    events = [
        ("response.created", {"response": whole | {"status": "in_progress", "output": [], "usage": None}}),
        ("response.output_item.added", {"output_index": 0, "item": item | {"content": []}}),
        ("response.content_part.added", where | {"part": part | {"text": ""}}),
        ("response.output_text.delta", where | {"delta": ANSWER}),
        ("response.output_text.done", where | {"text": ANSWER}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": whole}),
    ]
    return "text/event-stream", b"".join(_event(name, {"type": name} | data) for name, data in events)


def _content(_request: dict[str, Any]) -> tuple[str, bytes]:
    """Gemini's streamed answer: one event without a name."""
    candidate = {"content": {"role": "model", "parts": [{"text": ANSWER}]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 3, "totalTokenCount": 13}
    return "text/event-stream", f"data: {json.dumps({'candidates': [candidate], 'usageMetadata': usage})}\n\n".encode()


def _whole_content(_request: dict[str, Any]) -> tuple[str, bytes]:
    kind, content = _content(_request)
    return kind.replace("text/event-stream", "application/json"), content.removeprefix(b"data: ").strip()


REPLIES: dict[str, Reply] = {
    "/v1/messages": _messages,
    "/v1/messages/count_tokens": _count,
    "/v1/responses": _responses,
    "streamGenerateContent": _content,
    "generateContent": _whole_content,
    "countTokens": lambda _request: ("application/json", b'{"totalTokens":10}'),
}
"""What is answered, by the path of the address without its query, or by the method after its colon."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_about: object) -> None:
        """Agents end without closing their connections."""


class ScriptedModel:
    """The server. `requests` are (path, body) in the order of arrival; `port` is free on loopback."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        model = self

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                if self.headers.get("Content-Encoding") == "zstd":
                    body = zstd_module().decompress(body)
                path = self.path.partition("?")[0]
                reply = REPLIES.get(path) or REPLIES.get(path.rpartition(":")[2])
                try:
                    request = json.loads(body or b"{}")
                except ValueError:
                    request = {}
                model.requests.append((path, request))
                kind, content = reply(request) if reply else ("application/json", b"{}")
                self._send(200 if reply else 404, kind, content)

            def do_GET(self) -> None:
                self._send(404, "application/json", b"{}")

            def _send(self, status: int, kind: str, content: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_words: object) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Answering)
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
