"""Recordings of real agents with what their model was really sent and answered: what a reading of them must come to.

`expected.json` was made from the model's side and the driver alone. A leaf's context is rebuilt here from the steps by
the rule of edges: what a step rests on, back to its root or to the last replacement of the history.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from opentine_gui.core.model import Step, StepKind
from opentine_gui.importers.reading import Reading

RECORDINGS = Path(__file__).parents[1] / "data" / "recordings"
SUMMARIES = ("<state_snapshot>", "Another language model started", "The following is a summary of a branch")
ADDED = "[The previous response was interrupted"
THANKS = "Got it. Thanks for the additional context!"
"""What Gemini CLI adds by itself, before a prompt that follows calls and after a summary."""
NOT_COMPARED = (
    "<environment_context>",
    "<session_context>",
    "<turn_aborted>",
    "<image ",
    "</image>",
    "\n--- ",
    ADDED,
    THANKS,
)
NO_RESULT = "no result"
CLOSED = "had no result at the point where the session was forked"

Said = tuple[Any, ...]


def cases(agent: str) -> list[str]:
    """The names of an agent's recordings."""
    return sorted(path.parent.name for path in (RECORDINGS / agent).glob("*/expected.json"))


def expected_of(agent: str, case: str) -> dict[str, Any]:
    """What the model's side says of a recording."""
    return msgspec.json.decode((RECORDINGS / agent / case / "expected.json").read_bytes())


def digest(text: str) -> str:
    """The digest by which `expected.json` names a text that it cuts."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def steps_of(readings: list[Reading]) -> dict[str, Step]:
    """The steps of several readings, each id once, parents first."""
    return {step.id: step for reading in readings for step in reading.record.graph}


def lanes(steps: dict[str, Step]) -> dict[str, str]:
    """Of each step the sub-agent's start that it belongs to, "" for the main line."""
    found: dict[str, str] = {}
    for step in steps.values():
        first = found.get(step.parent_ids[0], "") if step.parent_ids else ""
        begins = step.v3_kind == "subagent" and step.parent_ids and steps[step.parent_ids[0]].v3_kind != "subagent"
        found[step.id] = step.id if begins and not first else first
    return found


def context_of(steps: dict[str, Step], *tips: str, wrapped: bool = False) -> list[Said]:
    """What the model had seen and said at a tip, in order; results of one batch in the order of their calls.

    Several tips are the calls of one batch.

    `wrapped`: the agent sends a result as an object with `output` or `error`.
    """
    lane = lanes(steps)
    wanted: set[str] = set()
    waiting = _summaries(steps, tips) or list(tips)
    replaced: Step | None = None
    while waiting:
        step = steps[waiting.pop()]
        if step.id in wanted or lane[step.id] != lane[tips[0]]:
            continue
        wanted.add(step.id)
        if step.inputs.get("trigger") == "compaction":
            replaced = step
        else:
            waiting += _summaries(steps, step.parent_ids) or step.parent_ids
    order = [step for step in steps.values() if step.id in wanted]
    if replaced is not None and replaced.outputs.get("kept_steps"):
        order.remove(replaced)
        order = [replaced, *_kept(steps, replaced), *order]
    said: list[Said] = []
    for number, step in enumerate(order):
        if step.kind is StepKind.ERROR or (step.kind is StepKind.TOOL and step.inputs.get("by") != "person"):
            continue
        said += _said_by(step)
        calls = step.outputs.get("tool_calls") or []
        answers = [other for other in order[number:] if other.kind is StepKind.TOOL and step.id in other.parent_ids]
        if calls and len(order) > number + 1:
            said.append(("results", *_results(calls, answers, wrapped=wrapped)))
    return said


def _summaries(steps: dict[str, Step], parents: Sequence[str]) -> list[str]:
    """The replacements of the history among the parents of a step: nothing else of what stands before them was sent."""
    return [parent for parent in parents if steps[parent].inputs.get("trigger") == "compaction"]


def _kept(steps: dict[str, Step], replaced: Step) -> list[Step]:
    """The steps before a replacement that are sent after its summary: as many as it says, newest first.

    An earlier replacement may stand among them, whose own summary is not sent again.
    """
    before: dict[str, Step] = {}
    waiting = list(replaced.parent_ids)
    while waiting:
        step = steps[waiting.pop()]
        if step.id not in before:
            before[step.id] = step
            waiting += step.parent_ids
    order = [step for step in steps.values() if step.id in before]
    kept = order[len(order) - replaced.outputs["kept_steps"] :]
    return [step for step in kept if step.inputs.get("trigger") != "compaction"]


def _said_by(step: Step) -> list[Said]:
    said: list[Said] = [("user", digest(notice)) for notice in step.inputs.get("notices", [])]
    if step.v3_kind == "policy" and "text" in step.inputs:
        said.append(("user", digest(step.inputs["text"])))
    elif step.v3_kind in ("human", "subagent"):
        said += [("user", digest(text)) for text in [step.inputs.get("text", step.inputs.get("prompt"))] if text]
        behind = step.inputs.get("context", [])  # of hooks; OpenCode's is one text, which it sends in other words
        said += [("user", digest(text)) for text in behind if isinstance(behind, list)]
        said += [("image",)] * len(step.inputs.get("images", []))
    elif step.kind is StepKind.THINK:
        said += [("user", digest(text)) for text in step.outputs.get("kept", [])]
        said.append(("summary",))
    elif step.inputs.get("by") == "person":
        said.append(("shell", step.inputs["arguments"]["command"]))
    elif step.v3_kind is None:
        if step.outputs.get("text"):
            said.append(("assistant", digest(step.outputs["text"])))
        said += [("call", call["name"], json.dumps(call["arguments"], sort_keys=True)) for call in
                 step.outputs.get("tool_calls", [])]  # fmt: skip
    return said


def _results(calls: list[Any], answers: list[Step], *, wrapped: bool) -> list[str]:
    """A result's digest for each call, in the order of the calls."""
    left = list(answers)
    found = []
    for call in calls:
        own = next(
            (step for step in left if step.inputs == {"name": call["name"], "arguments": call["arguments"]}), None
        )
        if own is None or "result" not in own.outputs:
            found.append(NO_RESULT)
            continue
        left.remove(own)
        text = own.outputs["result"]
        if wrapped:
            text = json.dumps({"error" if own.error.get("type") == "failed" else "output": text})
        found.append(digest(text))
    return found


def expected_context(messages: list[dict[str, Any]]) -> list[Said]:
    """The same of `expected.json`: messages sent and the answer, without what an agent puts before each request."""
    said: list[Said] = []
    calls: list[str] = []
    results: dict[str, str] = {}

    def close() -> None:
        if results:
            at = max(number for number, entry in enumerate(said) if entry[0] == "call") + 1
            said.insert(at, ("results", *(results.get(call, NO_RESULT) for call in calls)))
            calls.clear()
            results.clear()

    for message in messages:
        kind = message["kind"]
        if kind == "tool_result":
            text = message.get("text", "")
            missing = text in ("No result provided", "aborted") or CLOSED in text
            results.setdefault(message["id"], NO_RESULT if missing else _result_digest(text, message["sha"]))
            continue
        if kind == "image" and results:
            continue  # a picture that a tool gave
        close()
        if kind == "tool_use":
            arguments = message.get("args")
            arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
            said.append(("call", message["name"], json.dumps(arguments, sort_keys=True)))
            calls.append(message["id"])
        elif kind == "image":
            said.append(("image",))
        elif kind == "text":
            said += _text(message)
    close()
    for number in range(1, len(said)):
        if said[number][0] == "user" and said[number - 1] == ("image",):
            said[number - 1 : number + 1] = said[number], said[number - 1]
    return said


def _text(message: dict[str, Any]) -> list[Said]:
    text = message["text"]
    if text.startswith(NOT_COMPARED):
        return []
    if text.startswith(SUMMARIES) or "compacted into the following summary" in text:
        return [("summary",)]
    if text.startswith("Ran `"):
        return [("shell", text.split("`")[1])]
    return [(message["role"], message["sha"])]


def _result_digest(text: str, given: str) -> str:
    """The digest of a result; up to 0.7x Codex sends JSON around the text of some, of which the step has the text."""
    if text.startswith('{"output":') and '"metadata"' in text:
        return digest(json.loads(text)["output"])
    return given


def tips_saying(steps: dict[str, Step], context: list[Said], *, wrapped: bool = False) -> list[str]:
    """The steps at which the context is exactly this one."""
    last = context[-1]
    found = []
    for step in steps.values():
        said = _said_by(step)
        ends_so = (said and said[-1] == last) or last[0] == "results"
        if ends_so and context_of(steps, step.id, wrapped=wrapped) == context:
            found.append(step.id)
    return found


def answers_in(steps: dict[str, Step]) -> list[Step]:
    """The responses of the model."""
    return [
        step
        for step in steps.values()
        if step.v3_kind is None and step.kind is not StepKind.TOOL and (step.usage or step.outputs.get("tool_calls"))
    ]


def branch_points(found: Iterable[Step]) -> list[Step]:
    """Steps that more than one way leads on from; the calls of a batch are one way."""
    steps = list(found)
    ways: dict[str, set[str]] = {}
    for step in steps:
        if step.v3_kind != "subagent":
            for parent in step.parent_ids:
                ways.setdefault(parent, set()).add("a batch" if step.kind is StepKind.TOOL else step.id)
    return [step for step in steps if len(ways.get(step.id, ())) > 1]
