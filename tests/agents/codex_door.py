"""Codex's own door, `thread/fork` of its app server, tried at the points at which sessions are handed back.

It forks after a turn (`lastTurnId`) and nowhere inside of one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

from opentine_gui.core.errors import TineError
from opentine_gui.core.model import Step
from opentine_gui.importers.reading import Reading
from tests.agents import codex
from tests.agents.handed_back import LIMIT, PROMPT, Point, Program, environment, find, placed, retained
from tests.agents.model import ScriptedModel
from tests.agents.proof import Agent, Proof
from tests.importers.recordings import digest, expected_context


class Server:
    """The app server of a home, spoken to in lines of JSON; ended after `LIMIT` seconds at the latest."""

    def __init__(self, program: Path, home: Path, more: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [str(program), "app-server"],
            cwd=home / "project",
            env=environment(home) | more,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.timer = Timer(LIMIT, self.process.kill)
        self.timer.start()
        self.number = 0
        about = {"clientInfo": {"name": "proof", "version": "1"}, "capabilities": {"experimentalApi": True}}
        self.call("initialize", about)
        self._send({"method": "initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def _next(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise LookupError("the app server has ended")
        found: dict[str, Any] = json.loads(line)
        return found

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a call. LookupError with what the server says where it refuses."""
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        while True:
            found = self._next()
            if found.get("id") == self.number and "method" not in found:
                if "error" in found:
                    raise LookupError(f"{method}: {found['error'].get('message', '')[:200]}")
                result: dict[str, Any] = found["result"]
                return result

    def until(self, method: str) -> None:
        """Wait for an event."""
        while self._next().get("method") != method:
            pass

    def close(self) -> None:
        """End it."""
        self.timer.cancel()
        self.process.kill()
        self.process.wait()


def _turn_of(reading: Reading, step: Step, *, before: bool) -> tuple[str, str]:
    """(the thread that a step stands in, the turn of its last record, or with `before` the turn before that)."""
    place = reading.places[step.id][0 if before else -1]
    thread, turns = "", []
    read = 0
    for line in place.path.read_bytes().splitlines(keepends=True):
        record = json.loads(line)
        payload = record.get("payload", {})
        if record.get("type") == "session_meta":
            thread = thread or str(payload["id"])
        if payload.get("type") in ("task_started", "turn_started") and payload.get("turn_id"):
            turns.append(str(payload["turn_id"]))
        if record.get("type") == "turn_context" and payload.get("turn_id") not in (None, *turns):
            turns.append(str(payload["turn_id"]))
        read += len(line)
        if read > place.offset:
            break
    if before:
        turns = turns[:-1]
    if not turns:
        raise LookupError("there is no turn to fork after")
    return thread, turns[-1]


def _prove_one(program: Path, driven: Program, point: Point, home: Path, model: ScriptedModel) -> Proof:
    project = placed(driven, point, home)
    reading, step = find(driven, home, point)
    more = driven.prepare(home, project, model)
    thread, turn = _turn_of(reading, step, before=point.replaces)
    model.requests.clear()
    server = Server(program, home, more)
    try:
        forked = server.call("thread/fork", {"threadId": thread, "lastTurnId": turn})
        said = [{"type": "text", "text": PROMPT}]
        server.call("turn/start", {"threadId": forked["thread"]["id"], "input": said})
        server.until("turn/completed")
    finally:
        server.close()
    conversations = [sent for path, request in model.requests if (sent := driven.messages(path, request)) is not None]
    sent = expected_context(conversations[0]) if conversations else []
    expected = [*retained(driven, reading, step, point), ("user", digest(PROMPT))]
    return Proof(point.words, list(expected), list(sent), "" if conversations else "nothing was sent")


def _prove(program: Path, work: Path, model: ScriptedModel) -> Iterator[Proof]:
    binary = program / "node_modules" / ".bin" / "codex"
    driven = codex.program(program)
    for number, point in enumerate(codex.POINTS):
        home = work / str(number)
        try:
            yield _prove_one(binary, driven, point, home, model)
        except (TineError, LookupError, ValueError, OSError) as error:
            yield Proof(point.words, [], [], f"{type(error).__name__}: {error}")
        _remove(home)


def _remove(home: Path) -> None:
    """The home of a server that was ended a moment ago, which may still be writing."""
    end = time.monotonic() + 5
    while os.path.exists(home) and time.monotonic() < end:
        shutil.rmtree(home, ignore_errors=True)


CODEX_DOOR = Agent("codex", "@openai/codex", ("0.169.0",), _prove)
