"""`python -m tests.importers.side_by_side [AGENT …]`: recordings read by us and by `tine import` of the package.

Both are asked the same of the same files: for how many tips of the recordings the steps above the answer say what the
model was really sent, in order (calls by name, without thinking, which one side does not keep); how many batches of
parallel calls meet again in the next answer; how many points branch; whether a sub-agent's work leads back to its call;
how many calls have their result. Prints a table for docs/IMPORT.md. Needs the `opentine` package, as `make bench` does.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from opentine_gui.core.errors import TineError
from opentine_gui.core.files import storage
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind
from opentine_gui.importers.readers import read_source
from opentine_gui.importers.reading import Place, Reading
from tests.importers.ground_truth import (
    ADDED,
    BOOKKEEPING,
    RECORDINGS,
    Message,
    bare,
    context,
    expected_of,
    in_any_order_of_results,
    said_by,
    sent,
)
from tests.importers.recordings import branch_points, expected_context, steps_of, tips_saying

SESSIONS = {
    "claude-code": "home/.claude/projects/*/*.jsonl",
    "codex": "home/.codex/sessions/*/*/*/*.jsonl",
    "pi": "home/.pi/agent/sessions/*/*.jsonl",
    "gemini-cli": "home/.gemini/tmp/*/chats/session-*.jsonl",
    "opencode": "home/.local/share/opencode/opencode.db",
}
"""Where a recording of each agent has its sessions."""


_WRAPPED = re.compile(r'\{"(?:output|error)": "')


class Count(NamedTuple):
    """What one side makes of recordings."""

    sessions: int = 0
    tips: int = 0
    joins: int = 0
    branches: int = 0
    subagents: int = 0
    calls: int = 0

    def plus(self, other: Count) -> Count:
        return Count(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def graph_of_package(path: Path) -> Graph | None:
    """What the package's importer makes of a session; None when it refuses it."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "run.tine"
        # A database that is opened gets files beside it, so a copy is: nothing is written beside a recording.
        source = Path(shutil.copy(path, folder)) if path.suffix == ".db" else path
        words = [str(Path(sys.executable).with_name("tine")), "import", str(source), "--save", str(target)]
        done = subprocess.run(words, capture_output=True, check=False, cwd=folder)
        try:
            return storage.read(target).graph if done.returncode == 0 else None
        except TineError:
            return None


def light(messages: list[Message]) -> list[Message]:
    """What both sides can say: texts, names of calls, results."""
    found = [("call", message[1]) if message[0] == "call" else message for message in messages]
    return in_any_order_of_results(
        [message for message in found if message[0] not in ("thinking", "image") and _is_said(message)]
    )


def _is_said(message: Message) -> bool:
    """Whether somebody said it, rather than the agent for its own purposes."""
    text = str(message[-1])
    return message[0] not in ("user", "assistant") or not (
        not text or text.startswith((*ADDED, "<session_context>")) or any(words in text for words in BOOKKEEPING)
    )


def plain(value: object) -> str:
    """Text, or the texts in a list of parts."""
    if isinstance(value, list):
        return "".join(_text_of(part) for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def _text_of(part: dict[str, Any]) -> str:
    """The text of a part, or of the result that it wraps."""
    wrapped = part.get("functionResponse")
    if isinstance(wrapped, dict) and isinstance(wrapped.get("response"), dict):
        return "".join(str(value) for value in wrapped["response"].values())
    return str(part.get("text", ""))


def said(graph: Graph, place: int, *, is_tip: bool) -> list[Message]:
    """What a step of either side says."""
    step = graph.step(place)
    if step.kind is StepKind.TOOL and ("tool_use_id" in step.inputs or isinstance(step.outputs.get("result"), list)):
        result = step.outputs.get("result")
        return [] if result is None else [("call", step.inputs["name"]), ("result", bare(plain(result)))]
    if step.kind is StepKind.ERROR and "message" not in step.error:
        return []
    if step.v3_kind == "human":
        return [("user", bare(plain(step.inputs.get("text"))))]
    found = said_by(step)
    if is_tip:
        found += [("call", call["name"], "") for call in step.outputs.get("tool_calls", ())]
    return found


def contexts(graph: Graph, package: bool) -> Iterator[list[Message]]:
    """What stands above each answer, with it."""
    for place in range(len(graph)):
        if graph.kinds[place] in (StepKind.MODEL, StepKind.DONE) and place not in graph.v3_kinds:
            above = graph.closure([place], causal=False) if package else context(graph, place)
            yield light([message for step in above for message in said(graph, step, is_tip=step == place)])


def queued(reading: Reading) -> set[Message]:
    """Prompts typed while the agent worked: they were sent inside a reminder, which the ground truth leaves out."""
    graph = reading.record.graph
    return {
        ("user", bare(graph.step(place).inputs["text"]))
        for place, kind in graph.v3_kinds.items()
        if kind == "human" and any(b'"queued_command"' in content_of(part) for part in reading.places[graph.ids[place]])
    }


def content_of(place: Place) -> bytes:
    return place.path.read_bytes()[place.offset : place.offset + place.length]


def counted(
    graphs: list[Graph], leaves: list[list[Message]], package: bool, left_out: Collection[Message] = ()
) -> Count:
    found = [
        [message for message in messages if message not in left_out]
        for graph in graphs
        for messages in contexts(graph, package)
    ]
    joins = branches = subagents = calls = 0
    for graph in graphs:
        for place, parents in enumerate(graph.parents):
            is_tool = graph.kinds[place] is StepKind.TOOL
            joins += not is_tool and sum(graph.kinds[parent] is StepKind.TOOL for parent in parents) > 1
            subagents += is_tool and len(parents) > 1
            calls += is_tool and "result" in graph.step(place).outputs
        branches += sum(
            sum(graph.v3_kinds.get(child) == "human" for child in children) > 1 for children in graph.children
        )
    return Count(len(graphs), sum(leaf in found for leaf in leaves), joins, branches, subagents, calls)


def compared(agent: str) -> tuple[Count, Count, int]:
    """(the package, we, tips in the ground truth)."""
    package, ours, tips = Count(), Count(), 0
    for case in sorted((RECORDINGS / agent).iterdir()):
        paths = [path for path in sorted(case.glob(SESSIONS[agent])) if "subagents" not in path.parts]
        paths = [path for path in paths if b"thread_spawn" not in path.read_bytes().split(b"\n", 1)[0]]
        leaves = [light(sent(_once(messages))) for messages in expected_of(case)["leaves"].values()]
        tips += len(leaves)
        theirs = [graph for path in paths if (graph := graph_of_package(path)) is not None]
        package = package.plus(counted(theirs, leaves, True))
        readings = [read_source(path) for path in paths]
        left_out = {message for reading in readings for message in queued(reading)}
        own = counted([reading.record.graph for reading in readings], leaves, False, left_out)
        if agent != "claude-code":
            own = own._replace(tips=_tips(case, readings), branches=len(branch_points(steps_of(readings).values())))
        ours = ours.plus(own)
    return package, ours, tips


def _once(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages without the objects that Gemini CLI puts around results, and without its second copies of them."""
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    for message in messages:
        text = message.get("text", "")
        if message["kind"] == "tool_result" and (wrapped := _WRAPPED.match(text)):
            if message["id"] in seen:
                continue
            seen.add(message["id"])
            message = message | {"text": text[wrapped.end() :].removesuffix('"}').replace("\\n", "\n")}
        found.append(message)
    return found


def _tips(case: Path, readings: list[Reading]) -> int:
    """As the tests of these agents count them: the arguments of calls, and what summaries keep, are compared too."""
    steps = steps_of(readings)
    wrapped = case.parent.name == "gemini-cli"
    leaves = expected_of(case)["leaves"].values()
    return sum(len(tips_saying(steps, expected_context(leaf), wrapped=wrapped)) == 1 for leaf in leaves)


def main(agents: list[str]) -> None:
    for agent in agents or [name for name in SESSIONS if (RECORDINGS / name).is_dir()]:
        package, ours, tips = compared(agent)
        rows = [
            ("sessions read", "sessions"),
            (f"tips with the context that was sent, of {tips}", "tips"),
            ("batches of parallel calls that meet again", "joins"),
            ("points that branch", "branches"),
            ("calls to which a sub-agent's work leads back", "subagents"),
            ("calls with their result", "calls"),
        ]
        lines = [f"\n{agent}\n", "| | `tine import` | opentine-gui |", "|---|---|---|"]
        lines += [f"| {words} | {getattr(package, name)} | {getattr(ours, name)} |" for words, name in rows]
        sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
