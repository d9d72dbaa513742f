"""ATIF, the format in which Harbor keeps trajectories of agents (versions 1.0 to 1.8)."""

from __future__ import annotations

import re
from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.reading import Place, Reading
from opentine_gui.importers.run_draft import RunDraft, StepDraft
from opentine_gui.importers.sources import documents
from opentine_gui.importers.sources.content import Call, content_of
from opentine_gui.importers.sources.fields import (
    amount,
    count,
    object_of,
    objects_in,
    storable,
    text_of,
    unix_time,
    usage_of,
)
from opentine_gui.importers.sources.line import Line, began, first_prompt
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.parts import divide

_VERSION = re.compile(rb'"schema_version"\s*:\s*"ATIF-v\d')
DEEPEST = 8


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a document that names ATIF as its schema."""
    return 0.98 if _VERSION.search(head) else 0.0


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a trajectory, with the sub-agents in it. TineError."""
    source = divide(path)[0]
    pace = Pace(progress, cancelled)
    whole = documents.read_text(source)
    members = whole.members()
    value = {name: part.value() for name, part in members.items() if name != "steps"}
    draft = RunDraft()
    line = Line(draft)
    items = members["steps"].items() if "steps" in members else []
    steps: list[tuple[JsonObject, Place | None]] = [(object_of(item.value()), item.place(source)) for item in items]
    pace.at(0.3)
    _Trajectory(value, draft).add(line, steps, 0)
    if not draft.steps:
        raise FormatError("there are no steps in it", path=source)
    following = text_of(value.get("continued_trajectory_ref"))
    if following:
        draft.report.remark(f"The trajectory goes on in {following[:200]}, which was not opened.")
    agent = object_of(value.get("agent"))
    metadata: JsonObject = {"agent": text_of(agent.get("name")), "title": first_prompt(draft)}
    if value.get("final_metrics"):
        metadata["final_metrics"] = storable(value["final_metrics"])
        sums = object_of(value["final_metrics"])
        read, said = count(sums.get("total_prompt_tokens")), count(sums.get("total_completion_tokens"))
        draft.report.state(amount(sums.get("total_cost_usd")), read, said)
    return draft.finish(
        run_id=run_id(text_of(value.get("trajectory_id")) or text_of(value.get("session_id")), source.stem),
        created_at=began(draft),
        capture=origin("atif", text_of(value.get("schema_version")), source, content=bytes(whole.content)),
        metadata=metadata,
        main=line.tips[-1] if line.tips else None,
        sources=(source,),
        pace=pace.part(0.5, 1),
    )


class _Trajectory:
    """Adds a trajectory's steps to a line, and those of its sub-agents to lines of their own."""

    def __init__(self, value: JsonObject, draft: RunDraft) -> None:
        self.draft = draft
        agent = object_of(value.get("agent"))
        self.model = text_of(agent.get("model_name"))
        self.tools = agent.get("tool_definitions")
        self.inner = {
            text_of(one.get("trajectory_id")) or text_of(one.get("session_id")): one
            for one in objects_in(value.get("subagent_trajectories"))
        }

    def add(self, line: Line, steps: list[tuple[JsonObject, Place | None]], depth: int) -> None:
        """Add steps in their order."""
        if self.tools and not line.tips:
            line.policy({"tools": storable(self.tools)})
        for value, place in steps:
            self.draft.report.records += 1
            time = unix_time(value.get("timestamp"))
            content = content_of(value.get("message"))
            source = value.get("source")
            if source == "user":
                line.person(content, time=time, place=place)
            elif source == "system":
                line.policy({"system": content.text}, time=time, place=place)
            elif source == "agent":
                self._answer(line, value, place, time, depth)
            else:
                self.draft.report.skip(f"source {storable(source)}"[:80])

    def _answer(self, line: Line, value: JsonObject, place: Place | None, time: float | None, depth: int) -> None:
        content = content_of(value.get("message"))
        content.thoughts += content_of(value.get("reasoning_content")).texts
        for call in objects_in(value.get("tool_calls")):
            named = text_of(call.get("function_name"))
            content.calls.append(Call(named, storable(call.get("arguments", {})), text_of(call.get("tool_call_id"))))
        has_model = value.get("llm_call_count") != 0
        model = (text_of(value.get("model_name")) or self.model) if has_model else ""
        step = line.answer(content, model=model, time=time, place=place)
        if value.get("is_copied_context"):
            self.draft.report.skip("copied context, not billed again")
        else:
            _bill(step, object_of(value.get("metrics")))
        for result in objects_in(object_of(value.get("observation")).get("results")):
            self._result(line, result, place, depth)
        for open_call in line.waiting.values():
            if open_call.inputs.get("name") == "finish":  # the harness stops at it, so nothing answers it
                open_call.kind, open_call.error = StepKind.DONE, {}
                open_call.outputs = {"text": text_of(object_of(open_call.inputs.get("arguments")).get("message"))}

    def _result(self, line: Line, result: JsonObject, place: Place | None, depth: int) -> None:
        identity = text_of(result.get("source_call_id"))
        content = content_of(result.get("content"))
        if not identity and not line.waiting:
            line.call(Call("environment", {}), place=place)
        step = line.result(identity, content.outcome(), place=place)
        if step is None:
            return
        given = result.get("subagent_trajectory_ref")
        for reference in objects_in(given if isinstance(given, list) else [given]):
            name = text_of(reference.get("trajectory_id")) or text_of(reference.get("session_id"))
            inner = self.inner.pop(name, None) if depth < DEEPEST else None
            if inner is None:
                where = text_of(reference.get("trajectory_path")) or name
                self.draft.report.remark(f"The sub-agent's trajectory {where[:200]} is not in this file.")
                continue
            self._sub_agent(step, inner, depth)

    def _sub_agent(self, step: StepDraft, inner: JsonObject, depth: int) -> None:
        own = Line(self.draft, f"{step.key} agent", step.parents)
        about = object_of(inner.get("agent"))
        steps: list[tuple[JsonObject, Place | None]] = [(value, None) for value in objects_in(inner.get("steps"))]
        prompts = [value for value, _ in steps if value.get("source") == "user"]
        prompt = content_of(prompts[0].get("message")).text if prompts else ""
        own.add(StepKind.MODEL, {"prompt": prompt, "agent": text_of(about.get("name"))}, v3_kind="subagent")
        rest = [(value, place) for value, place in steps if not prompts or value is not prompts[0]]
        _Trajectory(inner, self.draft).add(own, rest, depth + 1)
        step.parents = list(dict.fromkeys([*step.parents, *own.tips]))


def _bill(step: StepDraft, metrics: JsonObject) -> None:
    step.usage = usage_of(
        input=metrics.get("prompt_tokens"),
        output=metrics.get("completion_tokens"),
        cache_read=metrics.get("cached_tokens"),
        reasoning=object_of(metrics.get("extra")).get("reasoning_tokens"),
        input_has_cache=True,
        output_has_reasoning=True,
    )
    step.cost = amount(metrics.get("cost_usd")) or 0.0
