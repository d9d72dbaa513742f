"""Big runs for measuring: deterministic functions that make documents of any number of steps.

`agent_run` is what is measured: text and shapes as agents leave them. `linear_run` (a chain) and `branching_run`
(fan-outs that join) hold plain ASCII words, which cost a reader least.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

import msgspec

from bench.texts import length_of, passage
from opentine_gui.core.format.canonical import canonical, sha256_hex, step_id
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import JsonObject, RunStatus, Step, StepKind
from opentine_gui.core.record import RunRecord

PAYLOAD = 580
"""Bytes of inputs and outputs a step carries, about 1.4 kB a step on disk."""
MODEL = "claude-sonnet-4-20250514"
STARTED = 1_770_000_000.0
TYPICAL = 240
"""Typical length of a passage in characters; with the long ones a step takes about 1.6 kB on disk."""
_WORDS = ["search", "tree", "branch", "answer", "read", "leaves", "consensus", "evidence", "why", "next"]


def linear_steps(count: int, *, payload: int = PAYLOAD) -> Iterator[Step]:
    """A chain of `count` steps: think, model, tool in turn, about `payload` bytes of content each."""
    parents: tuple[str, ...] = ()
    for number in range(count):
        kind = (StepKind.THINK, StepKind.MODEL, StepKind.TOOL)[number % 3]
        words = " ".join(_WORDS[(number + place) % len(_WORDS)] for place in range(payload // 5))
        half = max(8, payload // 2 - 40)
        inputs = {"text": words[:half], "number": number, "ratio": number / 8}
        outputs = {"result": words[-half:], "ok": True}
        identity = step_id(kind, inputs, parent_ids=parents, outputs=outputs, model_info=MODEL)
        usage: dict[str, int | float] = {"input": 100 + number % 900, "output": 40} if kind is StepKind.MODEL else {}
        yield Step(
            id=identity,
            parent_ids=parents,
            kind=kind,
            inputs=inputs,
            outputs=outputs,
            model_info=MODEL,
            timestamp=STARTED + number * 0.5,
            duration=0.25 + (number % 8) / 16,
            cost=0.0012 if kind is StepKind.MODEL else 0.0,
            usage=usage,
        )
        parents = (identity,)


def branching_steps(count: int, *, width: int = 4, payload: int = PAYLOAD) -> Iterator[Step]:
    """Fan-outs of `width` parallel tool steps that join again, `count` steps in all."""
    tips: tuple[str, ...] = ()
    joining = True
    made = 0
    while made < count:
        size = 1 if joining else min(width, count - made)
        fresh = []
        for lane in range(size):
            kind = StepKind.MODEL if joining else StepKind.TOOL
            words = " ".join(_WORDS[(made + lane + place) % len(_WORDS)] for place in range(payload // 4))
            inputs = {"text": words[: max(8, payload - 40)], "number": made, "lane": lane}
            identity = step_id(kind, inputs, parent_ids=tips, model_info=MODEL)
            yield Step(
                id=identity,
                parent_ids=tips,
                kind=kind,
                inputs=inputs,
                model_info=MODEL,
                timestamp=STARTED + made * 0.5,
                duration=0.5,
            )
            fresh.append(identity)
            made += 1
        tips = tuple(fresh)
        joining = not joining


def linear_run(count: int, *, payload: int = PAYLOAD, run_id: str = "linear") -> RunRecord:
    """A completed run of `linear_steps`."""
    return run_of(Graph.of(linear_steps(count, payload=payload)), run_id)


def branching_run(count: int, *, width: int = 4, payload: int = PAYLOAD, run_id: str = "branching") -> RunRecord:
    """A completed run of `branching_steps`."""
    return run_of(Graph.of(branching_steps(count, width=width, payload=payload)), run_id)


class _Making:
    """Makes the steps of an agent's run one after the other, at random from one seed."""

    def __init__(self, seed: int, typical: int) -> None:
        self.random = Random(seed)
        self.typical = typical
        self.number = 0

    def text(self) -> str:
        return passage(self.random, length_of(self.random, self.typical))

    def step(self, kind: StepKind, parents: Sequence[str]) -> Step:
        """The next step, with content of its kind. One in twenty failed."""
        random = self.random
        failed = self.number > 3 and random.random() < 0.05
        inputs: JsonObject
        outputs: JsonObject
        tool_info: JsonObject = {}
        usage: dict[str, int | float] = {}
        error: JsonObject = {}
        if kind is StepKind.MODEL:
            inputs = {"messages": [{"content": self.text(), "role": "user"}], "temperature": 0.2}
            call = {"pattern": passage(random, 20), "limit": random.randrange(1, 200)}
            outputs = {
                "text": self.text(),
                "tool_calls": [{"arguments": json.dumps(call), "id": f"call_{self.number}", "name": "search"}],
            }
            usage = {"input": random.randrange(200, 9000), "output": random.randrange(5, 900)}
        elif kind is StepKind.TOOL:
            inputs = {"arguments": {"path": f"src/part_{self.number % 97}.py", "query": passage(random, 24)}}
            outputs = {"exit_code": 0, "stdout": self.text()}
            tool_info = {"name": random.choice(("search", "read_file", "shell", "edit"))}
        else:
            inputs, outputs = {"text": self.text()}, {}
        if failed:
            outputs, error = {}, {"message": passage(random, 120), "type": "ToolError"}
        inputs["number"] = self.number
        identity = step_id(
            kind,
            inputs,
            parent_ids=parents,
            outputs=outputs,
            model_info=MODEL,
            tool_info=tool_info,
            error=error,
        )
        made = Step(
            id=identity,
            parent_ids=tuple(parents),
            kind=kind,
            inputs=inputs,
            outputs=outputs,
            model_info=MODEL,
            tool_info=tool_info,
            error=error,
            timestamp=STARTED + self.number * 0.5,
            duration=round(random.random() * 8, 3),
            cost=round(random.random() / 50, 6) if usage else 0.0,
            usage=usage,
        )
        self.number += 1
        return made


_CHAIN = (StepKind.THINK, StepKind.MODEL, StepKind.TOOL)


def agent_steps(count: int, *, seed: int = 1, typical: int = TYPICAL) -> Iterator[Step]:
    """`count` steps as an agent leaves them: chains, and fan-outs of two to four lanes, most of which join again.

    About three steps in ten start or join lanes, and one in twenty failed. `typical`: length of a typical passage in
    characters.
    """
    making = _Making(seed, typical)
    random = making.random
    parents: tuple[str, ...] = ()
    while making.number < count:
        for _ in range(min(random.randrange(4, 9), count - making.number)):  # a chain
            step = making.step(_CHAIN[making.number % 3], parents)
            yield step
            parents = (step.id,)
        heads = []
        for _ in range(min(random.randrange(2, 5), count - making.number)):  # the heads of the lanes
            step = making.step(StepKind.TOOL, parents)
            yield step
            heads.append(step.id)
        for lane, above in enumerate(heads):
            for _ in range(min(random.choice((0, 0, 0, 1, 1, 2)), count - making.number)):
                step = making.step(StepKind.THINK, (above,))
                yield step
                heads[lane] = above = step.id
        if len(heads) > 2 and random.random() < 0.15:
            heads.pop()  # a lane that led nowhere
        if heads and making.number < count:
            step = making.step(StepKind.MODEL, heads)
            yield step
            parents = (step.id,)


def agent_run(count: int, *, seed: int = 1, typical: int = TYPICAL, run_id: str = "agent") -> RunRecord:
    """A completed run of `agent_steps`, with a transcript of the model's turns and a cache of some tool calls."""
    steps = list(agent_steps(count, seed=seed, typical=typical))
    record = run_of(Graph.of(steps), run_id)
    transcript, cache = canonical(_turns(steps)), canonical(_cache(steps))
    return msgspec.structs.replace(record, transcript_text=transcript, cache_text=cache)


def _turns(steps: Iterable[Step]) -> list[JsonObject]:
    """The transcript: every turn of the model, and every fourth tool result."""
    turns: list[JsonObject] = [{"content": "Find out why “names” fails, and fix it 🙏", "role": "user"}]
    for step in steps:
        if step.kind is StepKind.MODEL:
            said: Any = step.outputs.get("text", "")
            turns.append({"content": said[:400], "role": "assistant", "step_id": step.id})
        elif step.kind is StepKind.TOOL and step.inputs["number"] % 4 == 0:
            said = step.outputs.get("stdout", "")
            turns.append({"content": said[:400], "name": "search", "role": "tool", "step_id": step.id})
    return turns


def _cache(steps: Iterable[Step]) -> JsonObject:
    """The replay cache: the answer of every fiftieth step."""
    found = {}
    for step in steps:
        if step.inputs["number"] % 50 == 0:
            key = sha256_hex(canonical({"kind": "tool.call", "payload": step.inputs}))
            value = {"created_at": step.timestamp, "key": key, "kind": "tool.call", "value": step.outputs}
            found[key] = {**value, "provenance": {"steps": [step.id]}}
    return found


def run_of(graph: Graph, run_id: str) -> RunRecord:
    """A completed run around a graph."""
    return RunRecord(
        run_id=run_id,
        status=RunStatus.COMPLETED,
        created_at=STARTED,
        graph=graph,
        refs={"main": graph.ids[-1] if len(graph) else ""},
        manifest={"kind": "opentine-native", "model": {"name": MODEL}, "resume": True},
        metadata={
            "model_info": MODEL,
            "system_prompt": "You are careful.",
            "user_prompt": f"A run of {len(graph)} steps",
        },
    )
