"""A model that answers from a script, on loopback: it says one sentence, and keeps every request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = "Went on."
Reply = Callable[[dict[str, Any]], tuple[str, bytes]]
"""A request to (content type, body)."""


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def _messages(request: dict[str, Any]) -> tuple[str, bytes]:
    """Anthropic's Messages API, streamed where that was asked for."""
    usage = {"input_tokens": 10, "output_tokens": 3, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", ""),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    block = {"type": "text", "text": ANSWER}
    if not request.get("stream"):
        return "application/json", json.dumps(message | {"content": [block], "stop_reason": "end_turn"}).encode()
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    events = [
        ("message_start", {"message": message}),
        ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": ANSWER}}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": ended, "usage": {"output_tokens": 3}}),
        ("message_stop", {}),
    ]
    return "text/event-stream", b"".join(_event(name, {"type": name} | data) for name, data in events)


def _count(_request: dict[str, Any]) -> tuple[str, bytes]:
    return "application/json", b'{"input_tokens":10}'


REPLIES: dict[str, Reply] = {
    "/v1/messages": _messages,
    "/v1/messages/count_tokens": _count,
}
"""What is answered, by the path of the address without its query."""


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
                path = self.path.partition("?")[0]
                reply = REPLIES.get(path)
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
