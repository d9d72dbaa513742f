"""Big runs for measuring: plain functions that make documents of any number of steps, without a clock or chance."""

from __future__ import annotations

from collections.abc import Iterator

from opentine_gui.core.format.canonical import step_id
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import RunStatus, Step, StepKind
from opentine_gui.core.record import RunRecord

PAYLOAD = 580
"""Bytes of inputs and outputs a step carries, about 1.4 kB a step on disk."""
MODEL = "claude-sonnet-4-20250514"
STARTED = 1_770_000_000.0
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
