"""What a recording says was really sent to the model, to compare with what a run says stood before each answer.

`expected.json` was written by the model's side of the recording, which never saw the agent's files. Its texts are cut;
their beginnings are compared, without blanks. Left out on both sides is what agents add by themselves (reminders,
bookkeeping of resuming).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import Step, StepKind
from opentine_gui.importers.reading import Reading

RECORDINGS = Path(__file__).parents[1] / "data" / "recordings"
CUT = 100
ADDED = ("<local-command", "<command-name>", "Caveat:", "<system-reminder>", "<environment_context>")
"""How texts begin, without blanks, that agents add."""
BOOKKEEPING = ("Continuefromwhereyouleftoff", "Noresponserequested")
Message = tuple[Any, ...]


def expected_of(folder: Path) -> dict[str, Any]:
    """The ground truth of a recording."""
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def bare(text: str) -> str:
    """A text as it is compared: its beginning, without blanks (parts of one message are joined in different ways)."""
    return "".join(re.sub(r"<system-reminder>.*?</system-reminder>", "", text, flags=re.DOTALL).split())[:CUT]


def sent(messages: list[dict[str, Any]]) -> list[Message]:
    """Messages of `expected.json` in the form of `said_by`."""
    found: list[Message] = []
    for message in messages:
        kind, text = message["kind"], bare(message.get("text", ""))
        if kind == "text":
            if text and not text.startswith(ADDED) and not any(part in text for part in BOOKKEEPING):
                found.append((message["role"], text))
        elif kind == "thinking":
            found.append(("thinking", text))
        elif kind == "image":
            found.append(("image",))
        elif kind == "tool_use":
            found.append(called({"name": message["name"], "arguments": message["args"]}))
        elif kind == "tool_result":
            found.append(("result", text))
    return in_any_order_of_results(found)


def in_any_order_of_results(messages: list[Message]) -> list[Message]:
    """The calls of a batch, then its results, sorted, since they come in any order."""
    found: list[Message] = []
    calls: list[Message] = []
    results: list[Message] = []
    for message in [*messages, ("end",)]:
        if message[0] in ("call", "result"):
            (calls if message[0] == "call" else results).append(message)
        else:
            found += calls + sorted(results)
            calls, results = [], []
            found.append(message)
    return found[:-1]


def said_by(step: Step) -> list[Message]:
    """What a step adds to what the model sees. A call without a result is not sent."""
    if step.kind is StepKind.TOOL:
        return [called(step.inputs), ("result", bare(str(step.outputs["result"])))] if "result" in step.outputs else []
    if step.kind is StepKind.ERROR:
        return [("user", bare(step.error["message"]))] if step.error["type"] == "interrupted" else []
    if step.kind is StepKind.THINK:
        return [("user", bare(step.outputs["summary"]))]
    if step.v3_kind in ("human", "subagent"):
        text = bare(step.inputs.get("text") or step.inputs.get("prompt", ""))
        return [("user", text)] * bool(text) + [("image",)] * len(step.inputs.get("images", ()))
    found: list[Message] = []
    if step.outputs.get("thinking"):
        found.append(("thinking", bare(step.outputs["thinking"])))
    if step.outputs.get("text"):
        found.append(("assistant", bare(step.outputs["text"])))
    return found


def called(call: dict[str, Any]) -> Message:
    """A call as it is compared."""
    return ("call", call["name"], json.dumps(call["arguments"], sort_keys=True))


def context(graph: Graph, tip: int) -> list[int]:
    """The steps that the model saw when it made the step at `tip`, itself last.

    What comes back from a sub-agent is seen as the call's result alone. A compaction replaces what stands before it,
    but for the steps from its first cause to its parent. These are seen after the summary where the next step rests on
    both, else before it.
    """
    found: set[int] = set()
    waiting = [tip]
    begins: list[int] = []
    while waiting:
        place = waiting.pop()
        if place in found:
            continue
        found.add(place)
        step = graph.step(place)
        if step.v3_kind == "subagent":
            continue
        parents = graph.parents[place]
        if step.kind is StepKind.TOOL:
            parents = parents[:1]
        summaries = [parent for parent in parents if graph.kinds[parent] is StepKind.THINK]
        if summaries:
            kept = kept_by(graph, summaries[-1])
            begins = [summaries[-1], *kept] if len(parents) > 1 else [*kept, summaries[-1]]
            continue
        waiting += parents
    return begins + sorted(found)


def kept_by(graph: Graph, summary: int) -> list[int]:
    """The steps that a compaction kept word for word."""
    causes = graph.causal.get(summary)
    if not causes:
        return []
    first = graph.index(causes[0])
    before = {place for parent in graph.parents[summary] for place in graph.closure([parent], causal=False)}
    return sorted(before.intersection(graph.descendants([first])) | {first})


def seen(reading: Reading, tip: int) -> list[Message]:
    """What the model saw up to and with its answer at `tip`."""
    graph = reading.record.graph
    found = [message for place in context(graph, tip) for message in said_by(graph.step(place))]
    found += [called(call) for call in graph.step(tip).outputs.get("tool_calls", ())]
    return in_any_order_of_results(found)
