"""Claude Code: every kind of point in its recordings, handed back, resumed, and compared with what it sends."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from opentine_gui.core.errors import TineError
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind
from opentine_gui.export.sessions import Continuation, Handback, hand_back
from opentine_gui.export.sessions.claude_code import CLOSED
from opentine_gui.importers.readers import read_source
from opentine_gui.importers.reading import Reading
from tests.agents.model import ScriptedModel
from tests.agents.proof import Agent, Proof
from tests.importers.ground_truth import (
    ADDED,
    BOOKKEEPING,
    RECORDINGS,
    Message,
    bare,
    called,
    context,
    in_any_order_of_results,
    kept_by,
    said_by,
)

PROMPT = "Go on after"
LIMIT = 90.0
RECORDED = "2.1.197"


class Point(NamedTuple):
    """A step of a recording: its words, the recording, what stands in it, and whether a prompt takes its place."""

    words: str
    case: str
    text: str
    replaces: bool = False
    last: bool = False


POINTS = (
    Point("after an answer", "d-resumed", "First done."),
    Point("after a call and its result", "d-resumed", "one"),
    Point("at a response whose calls have no result yet", "d-resumed", "First answer."),
    Point("after one result of a parallel batch: the whole batch", "b-parallel", "alpha\nbeta\ngamma"),
    Point("at a response with three calls", "b-parallel", "I read all three together."),
    Point("after the second batch", "b-parallel", "1970"),
    Point("after an answer with thinking", "d-resumed", "Second done."),
    Point("at a prompt", "d-resumed", "Second question"),
    Point("an edited prompt", "d-resumed", "Second question", replaces=True),
    Point("an edited last prompt", "d-resumed", "Third question", replaces=True),
    Point("on the branch of a rewind", "e-rewind", "Other way done."),
    Point("on the branch that a rewind left behind", "e-rewind", "Second done."),
    Point("on the branch from a second root", "e-rewind", "Went on."),
    Point("edited: the prompt that a rewind replaced", "e-rewind", "Second question", replaces=True),
    Point("on a branch of --resume-session-at", "e-resumeat", "Other way done."),
    Point("in a fork of the agent's own", "e-fork", "Other way done."),
    Point("at the live tip: by the agent's own fork", "d-resumed", "Third done."),
    Point("at the live tip after a compaction: by its own fork", "g-compact", "Third done."),
    Point("at the live tip after a rewind: by its own fork", "g-compact-tui", "Other way done."),
    Point("after an error of the API", "c-errors", "API Error: 400 scripted 400"),
    Point("after a failed call", "c-errors", "Now it exists."),
    Point("before a compaction", "g-compact", "Second done."),
    Point("before a compaction, after a result", "g-compact", "two-b"),
    Point("at the summary", "g-compact", "summary"),
    Point("after a compaction", "g-compact", "After done."),
    Point("after a compaction that kept records", "g-compact-tui", "After done."),
    Point("after sub-agents", "f-subagent", "Both helpers are back: 3 lines, one bug."),
    Point("at the call of a sub-agent", "f-subagent", "I send two helpers."),
    Point("inside a sub-agent, after a result", "f-subagent", "-1"),
    Point("inside a sub-agent, at its report", "f-subagent", "REPORT-ONE: three lines."),
    Point("after an image from a tool", "h-image", "A red square."),
    Point("after an image in a prompt", "h-image", "I see a red square in your message."),
    Point("in a killed session, after the call that was answered", "i-kill", "up"),
    Point("in a killed session, after it went on", "i-kill", "Went on."),
    Point("after an answer that Esc cut off", "i-escape", "[Request interrupted by user]"),
    Point("after a call that Esc stopped", "i-escape", "[Request interrupted by user for tool use]"),
    Point("in a session that was interrupted by a signal", "i-sigint", "Went on."),
    Point("after a queued prompt", "k-queue", "Slow work done."),
    Point("after a result too long for the log", "j-long", "(tool)"),
)


OWN = (
    Point("own session: after two calls at once", "", "one"),
    Point("own session: at a response with two calls", "", "Two at once."),
    Point("own session: after an answer", "", "Both made."),
    Point("own session: an edited prompt", "", "Make another", replaces=True),
    Point("own session: at its end, by the agent's own fork", "", "Made."),
)
"""Points of a session that the same version made before, from `SCRIPT`."""


def prove(program: Path, work: Path, model: ScriptedModel) -> Iterator[Proof]:
    """A proof for each point; first that a session of this version reads to what was sent for each answer."""
    [binary] = program.glob("node_modules/@anthropic-ai/claude-code-linux-*/claude")
    made = work / "made"
    yield from _make(binary, made, model)
    for number, point in enumerate(OWN):
        home = work / f"own-{number}"
        yield _prove(point, binary, home, model, made / "session")
        shutil.rmtree(home)
    for number, point in enumerate(POINTS):
        home = work / str(number)
        try:
            yield _prove(point, binary, home, model)
        except (TineError, LookupError, subprocess.TimeoutExpired) as error:
            yield Proof(point.words, [], [], f"{type(error).__name__}: {error}")
        shutil.rmtree(home, ignore_errors=True)


def _make(binary: Path, home: Path, model: ScriptedModel) -> Iterator[Proof]:
    """A session of two turns; what our reader says stood above each answer has to be what was sent for it."""
    model.requests.clear()
    done = _run(binary, home, model, "Make two calls")
    session = re.search(r'"session_id":\s*"([0-9a-f-]+)"', done.stdout)
    if session is None:
        yield Proof("a session of its own", [], [], f"nothing came of it: {(done.stderr or done.stdout)[-300:]}")
        return
    _run(binary, home, model, "--resume", session[1], "Make another")
    shutil.copytree(_sessions(home), home / "session")
    [path] = (home / "session").glob("*.jsonl")
    reading = read_source(path)
    graph = reading.record.graph
    answers = [
        place
        for place in range(len(graph))
        if graph.kinds[place] in (StepKind.MODEL, StepKind.DONE) and place not in graph.v3_kinds
    ]
    asked = [request for where, request in model.requests if where == "/v1/messages" and request.get("tools")]
    for place, request in zip(answers, asked, strict=True):
        text = graph.step(place).outputs["text"]
        yield Proof(f"read: what stood above {text!r}", _above(graph, place), messages_of(request))
    yield _read_fork(binary, home, model, session[1])


def _read_fork(binary: Path, home: Path, model: ScriptedModel, session: str) -> Proof:
    """The agent's own fork of a session that was compacted: what our reader says stood above its last answer."""
    _run(binary, home, model, "--resume", session, "/compact")
    model.requests.clear()
    done = _run(binary, home, model, "--resume", session, "--fork-session", PROMPT)
    words = "read: what stood above an answer in a fork of a compacted session"
    fork = re.search(r'"session_id":\s*"([0-9a-f-]+)"', done.stdout)
    sent = [request for where, request in model.requests if where == "/v1/messages" and request.get("tools")]
    if fork is None or fork[1] == session or not sent:
        return Proof(words, [], [], f"it was not forked: {(done.stderr or done.stdout)[-300:]}")
    graph = read_source(_sessions(home) / f"{fork[1]}.jsonl").record.graph
    kinds = (StepKind.MODEL, StepKind.DONE)
    last = max(place for place in range(len(graph)) if graph.kinds[place] in kinds and place not in graph.v3_kinds)
    return Proof(words, _above(graph, last), messages_of(sent[-1]))


def _above(graph: Graph, place: int) -> list[Message]:
    """What the steps above an answer say."""
    return in_any_order_of_results(
        [message for step in context(graph, place)[:-1] for message in said_by(graph.step(step))]
    )


def _sessions(home: Path) -> Path:
    """Where the sessions of `home/project` lie."""
    return home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(home / "project"))


def _run(binary: Path, home: Path, model: ScriptedModel, *words: str) -> subprocess.CompletedProcess[str]:
    """The agent without its terminal, in `home/project`."""
    project = home / "project"
    project.mkdir(parents=True, exist_ok=True)
    flags = ["--model", "claude-sonnet-4-5", "--dangerously-skip-permissions", "--output-format", "json"]
    return subprocess.run(
        [str(binary), "-p", *flags, *words],
        cwd=project,
        env=_environment(home, model),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


def _prove(
    point: Point, binary: Path, home: Path, model: ScriptedModel, folder: Path | None = None, *, door: bool = False
) -> Proof:
    sessions = _sessions(home)
    if folder is None:
        recorded = RECORDINGS / "claude-code" / f"{RECORDED}-{point.case}" / "home" / ".claude" / "projects"
        [folder] = recorded.iterdir()
    shutil.copytree(folder, sessions)
    reading, place = _find(sessions, point)
    before = _digests(sessions)
    wish = Continuation(
        reading,
        reading.record.graph.ids[place],
        home,
        lambda: str(uuid.uuid4()),
        time.time(),
        prompt=PROMPT,
        replaces=point.replaces,
    )
    found = _by_the_door(wish) if door else hand_back(wish)
    for file in found.files:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.write_bytes(file.content)
        file.path.chmod(0o600)
    model.requests.clear()
    done = _run(binary, home, model, *found.command[1:])
    requests = [request for path, request in model.requests if path == "/v1/messages" and request.get("tools")]
    queued = _queued(reading)
    retained = [message for message in _retained(reading.record.graph, place, point) if message not in queued]
    expected = in_any_order_of_results([*retained, ("user", bare(PROMPT))])
    why = ""
    if not requests:
        why = f"nothing was sent: {(done.stderr or done.stdout)[-300:]}"
    elif any(text not in str(requests[0]) for text in queued.values()):
        why = "a queued prompt was not sent"
    elif found.session not in done.stdout:
        why = f"the agent went on in another session than {found.session}"
    elif {path: digest for path, digest in _digests(sessions).items() if path in before} != before:
        why = "a file of the source was changed"
    return Proof(point.words, expected, messages_of(requests[0]) if requests else [], why)


def _by_the_door(wish: Continuation) -> Handback:
    """The agent's own door for a point: a fork of the session up to a message, without a file of ours."""
    place = wish.reading.places[wish.step][0 if wish.replaces else -1]
    line = json.loads(place.path.read_bytes()[place.offset : place.offset + place.length])
    message = line["parentUuid"] if wish.replaces else line["uuid"]
    new = wish.new_id()
    words = ("claude", "--resume", line["sessionId"], "--fork-session", "--session-id", new)
    return Handback("", new, (), (*words, "--resume-session-at", str(message), wish.prompt), None)


def _prove_door(program: Path, work: Path, model: ScriptedModel) -> Iterator[Proof]:
    """A proof for each point by the agent's own `--resume-session-at`, which opens without a terminal alone."""
    [binary] = program.glob("node_modules/@anthropic-ai/claude-code-linux-*/claude")
    for number, point in enumerate(POINTS):
        home = work / str(number)
        try:
            yield _prove(point, binary, home, model, door=True)
        except (TineError, LookupError, subprocess.TimeoutExpired) as error:
            yield Proof(point.words, [], [], f"{type(error).__name__}: {error}")
        shutil.rmtree(home, ignore_errors=True)


def _queued(reading: Reading) -> dict[Message, str]:
    """Prompts that were typed while the agent worked: they reach the model inside a reminder."""
    graph = reading.record.graph
    found = {}
    for place, kind in graph.v3_kinds.items():
        where = reading.places[graph.ids[place]][0]
        line = where.path.read_bytes()[where.offset : where.offset + where.length]
        if kind == "human" and b'"queued_command"' in line:
            text = graph.step(place).inputs["text"]
            found[("user", bare(text))] = text
    return found


def _find(folder: Path, point: Point) -> tuple[Reading, int]:
    """The step that a point names."""
    for path in sorted(folder.glob("*.jsonl")):
        reading = read_source(path)
        for place, step in enumerate(reading.record.graph):
            said = (
                step.outputs.get("text"),
                step.inputs.get("text"),
                step.outputs.get("result"),
                step.error.get("message"),
                "summary" if step.kind is StepKind.THINK else None,
                "(tool)" if step.kind is StepKind.TOOL else None,
            )
            if point.text in said:
                return reading, place
    raise LookupError(f"no step says {point.text!r}")


def _retained(graph: Graph, place: int, point: Point) -> list[Message]:
    """What has to be sent before the new prompt."""
    if point.replaces:
        parents = graph.parents[place]
        return [
            message for step in (context(graph, parents[0]) if parents else []) for message in said_by(graph.step(step))
        ]
    step = graph.step(place)
    if step.kind is StepKind.THINK:
        return [message for above in (place, *kept_by(graph, place)) for message in said_by(graph.step(above))]
    batch = [place]
    if step.kind is StepKind.TOOL:
        batch = [other for other in graph.children[graph.parents[place][0]] if graph.kinds[other] is StepKind.TOOL]
    places = sorted(
        {above for member in batch for above in context(graph, member)} - set(batch), key=_order(graph, batch[0])
    )
    said = [message for above in places for message in said_by(graph.step(above))]
    said += [message for member in batch for message in _said_at_the_tip(graph, member)]
    return said


def _order(graph: Graph, tip: int) -> Any:
    return context(graph, tip).index


def _said_at_the_tip(graph: Graph, place: int) -> list[Message]:
    step = graph.step(place)
    said = said_by(step)
    if step.kind is StepKind.TOOL and not said:
        said = [called(step.inputs), ("result", bare(CLOSED))]
    for call in step.outputs.get("tool_calls", ()):
        said += [called(call), ("result", bare(CLOSED))]
    return said


def messages_of(request: dict[str, Any]) -> list[Message]:
    """The messages of a request to the Messages API, without what the agent adds."""
    found: list[Message] = []
    for message in request["messages"]:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                text = bare(part["text"])
                if text and not text.startswith(ADDED) and not any(words in text for words in BOOKKEEPING):
                    found.append((message["role"], text))
            elif part["type"] == "thinking":
                found.append(("thinking", bare(part["thinking"])))
            elif part["type"] == "tool_use":
                found.append(called({"name": part["name"], "arguments": part["input"]}))
            elif part["type"] == "tool_result":
                inside = part.get("content") or ""
                texts = [inside] if isinstance(inside, str) else [piece.get("text", "") for piece in inside]
                found.append(("result", bare("".join(texts))))
            elif part["type"] == "image":
                found.append(("image",))
    return in_any_order_of_results(found)


def _environment(home: Path, model: ScriptedModel) -> dict[str, str]:
    """Nothing of this machine but its programs, and no way out but the scripted model."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TMPDIR": str(home),
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.port}",
        "ANTHROPIC_API_KEY": "scripted",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
        "NO_PROXY": "127.0.0.1,localhost",
    }


def _digests(folder: Path) -> dict[Path, str]:
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


CLAUDE_DOOR = Agent("claude-code", "@anthropic-ai/claude-code", ("2.1.197", "2.1.330"), _prove_door)
CLAUDE_CODE = Agent("claude-code", "@anthropic-ai/claude-code", ("2.1.197", "2.1.330", "2.1.332"), prove)
