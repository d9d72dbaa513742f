"""The proof of one point for Codex, pi and Gemini: what a step rests on is handed back, resumed, and was sent."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from opentine_gui.core.errors import TineError
from opentine_gui.core.model import Step, StepKind
from opentine_gui.export.sessions import Continuation, Handback, hand_back
from opentine_gui.importers.readers import read_source
from opentine_gui.importers.reading import Reading
from tests.agents.model import ScriptedModel
from tests.agents.proof import Proof
from tests.importers.recordings import (
    NO_RESULT,
    RECORDINGS,
    Said,
    context_of,
    digest,
    expected_context,
    steps_of,
)

PROMPT = "Go on after"
LIMIT = 90.0
RECORDED_IN = b"/home/dev/project"
"""The folder that the agents worked in; here each point has its own."""


class Point(NamedTuple):
    """A step of a recording: its words, the recording, what stands in it, and whether a prompt takes its place."""

    words: str
    case: str
    text: str
    replaces: bool = False


@dataclass(frozen=True)
class Program:
    """How an agent is driven. `files`: which of a home's files are sessions that were not made by a sub-agent.

    `prepare(home, project, model)` writes its settings and returns what its environment has besides the usual.
    `resume(session, prompt)`: the arguments after the program's name. `messages(request)`: those sent, as
    `expected.json` has them, None for a request that is none of a conversation. `wrapped`: see `context_of`.
    `state`: the sources as they are in a home, which must not change. `went_on`: whether the new prompt is in the new
    session.
    """

    agent: str
    words: list[str]
    files: Callable[[Path], Iterable[Path]]
    prepare: Callable[[Path, Path, ScriptedModel], dict[str, str]]
    resume: Callable[[str, str], list[str]]
    messages: Callable[[str, dict[str, Any]], list[dict[str, Any]] | None]
    wrapped: bool = False
    state: Callable[[Path], object] = lambda home: _digests(home)
    went_on: Callable[[Path, Handback], bool] = lambda _home, found: all(
        PROMPT in file.path.read_text() for file in found.files
    )


def prove(program: Program, points: Iterable[Point], work: Path, model: ScriptedModel) -> Iterator[Proof]:
    """A proof for each point, each in a home of its own."""
    for number, point in enumerate(points):
        home = work / str(number)
        try:
            yield _prove(program, point, home, model)
        except (TineError, LookupError, subprocess.TimeoutExpired) as error:
            yield Proof(point.words, [], [], f"{type(error).__name__}: {error}")
        shutil.rmtree(home, ignore_errors=True)


def placed(program: Program, point: Point, home: Path) -> Path:
    """Put a recording into a home, as if it had been made there; returns its working folder."""
    project = home / "project"
    project.mkdir(parents=True)
    shutil.copytree(RECORDINGS / program.agent / point.case / "home", home, dirs_exist_ok=True)
    for path in home.rglob("*"):
        if path.suffix == ".db":
            move_database(path, project)
        elif path.is_file():
            path.write_bytes(path.read_bytes().replace(RECORDED_IN, str(project).encode()))
    return project


def _prove(program: Program, point: Point, home: Path, model: ScriptedModel) -> Proof:
    project = placed(program, point, home)
    more = program.prepare(home, project, model)
    reading, step = find(program, home, point)
    before = program.state(home)
    wish = Continuation(
        reading,
        step.id,
        home,
        lambda: str(uuid.uuid4()),
        time.time(),
        prompt=PROMPT,
        replaces=point.replaces,
    )
    found = hand_back(wish)
    for file in found.files:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.write_bytes(file.content)
        file.path.chmod(0o600)
    model.requests.clear()

    def run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*program.words, *words],
            cwd=project,
            env=environment(home) | more,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )

    if found.takes_in:
        taken = run(found.takes_in[1:])
        if taken.returncode:
            return Proof(point.words, [], [], f"it was not taken in: {(taken.stderr or taken.stdout)[-300:]}")
    done = run(program.resume(found.session, PROMPT))
    conversations = [sent for path, request in model.requests if (sent := program.messages(path, request)) is not None]
    sent = expected_context(conversations[0]) if conversations else []
    expected = [*retained(program, reading, step, point), ("user", digest(PROMPT))]
    why = ""
    if not conversations:
        why = f"nothing was sent: {(done.stderr or done.stdout)[-300:]}"
    elif not program.went_on(home, found):
        why = "the agent went on in another session than the one that was written"
    elif not _is_untouched(before, program.state(home)):
        why = "a file of the source was changed"
    return Proof(point.words, list(expected), list(sent), why)


def move_database(path: Path, project: Path) -> None:
    """Put another working folder into a database's sessions."""
    with closing(sqlite3.connect(path)) as connection:
        for table, column in (("session", "directory"), ("message", "data"), ("part", "data"), ("project", "worktree")):
            words = f"UPDATE {table} SET {column} = replace({column}, ?, ?)"
            connection.execute(words, (RECORDED_IN.decode(), str(project)))
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _is_untouched(before: object, after: object) -> bool:
    """Whether all that was there is there as it was; more may have come."""
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    return {key: value for key, value in after.items() if key in before} == before


def find(program: Program, home: Path, point: Point) -> tuple[Reading, Step]:
    """The step that a point names, in the first file that has it."""
    for path in sorted(program.files(home)):
        reading = read_source(path)
        for step in reading.record.graph:
            said = (
                step.outputs.get("text"),
                step.inputs.get("text"),
                step.inputs.get("prompt"),
                step.error.get("type"),
                "summary" if step.kind is StepKind.THINK else None,
                *_result_words(step),
            )
            if point.text in said:
                return reading, step
    raise LookupError(f"no step says {point.text!r}")


def _result_words(step: Step) -> list[str]:
    """The result of a call, whole and its last line, which is without what an agent writes around it."""
    result = step.outputs.get("result")
    if not isinstance(result, str):
        return []
    lines = [line for line in result.splitlines() if line and not line.startswith(("Process Group", "</"))]
    return [result, f"result: {lines[-1].removeprefix('Output: ')}" if lines else ""]


def retained(program: Program, reading: Reading, step: Step, point: Point) -> list[Said]:
    """What has to be sent before the new prompt."""
    steps = steps_of([reading])
    tips = [step.id]
    if point.replaces:
        tips = list(step.parent_ids)
        if not tips:
            return []
    elif step.kind is StepKind.TOOL:
        batch = step.parent_ids[0]
        tips = [other.id for other in steps.values() if other.kind is StepKind.TOOL and other.parent_ids[0] == batch]
    said = context_of(steps, *tips, wrapped=program.wrapped)
    calls = steps[tips[-1]].outputs.get("tool_calls", [])
    return [*said, ("results", *[NO_RESULT] * len(calls))] if calls else said


def environment(home: Path) -> dict[str, str]:
    """Nothing of this machine but its programs."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TMPDIR": str(home),
        "NO_PROXY": "127.0.0.1,localhost",
    }


def _digests(folder: Path) -> dict[Path, str]:
    sessions = [path for path in folder.rglob("*.json*") if {"sessions", "chats"} & set(path.parts)]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in sessions}
