"""The conversation up to a step, as turns: from the recorded transcript, else from the steps themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from opentine_gui.core import RunRecord, Step, StepKind
from opentine_gui.core.graph.calls.call_roles import ARGUMENT_KEYS
from opentine_gui.describe.payload_text import whole_text
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean

MOST_TURNS = 200
MOST_CALLS = 50
"""Calls of one turn that are shown."""


class Turn(NamedTuple):
    """A turn: who spoke, the text, and the step that recorded it."""

    who: str
    text: str
    step: str | None


def weighs_more(record: RunRecord, step_id: str, most: int) -> bool:
    """Whether the turns up to a step are made of more than `most` bytes: of the transcript, and of the last steps."""
    graph = record.graph
    path = graph.closure([graph.index(step_id)], causal=False)[-MOST_TURNS:]
    return len(record.transcript_text) + sum(len(graph.raws[position]) for position in path) > most


def turns_to(record: RunRecord, step_id: str, transcript: Sequence[Any]) -> tuple[list[Turn], int, str]:
    """(the last `MOST_TURNS` turns of a step and its ancestors, how many came before them, where they come from).

    `transcript` is `record.transcript`, which is decoded on every access, so the caller keeps it.
    """
    graph = record.graph
    path = [graph.ids[position] for position in graph.closure([graph.index(step_id)], causal=False)]
    # A transcript may have far more turns than are shown: only the shown ones are formatted.
    steps = [_step_of(item) for item in transcript]
    members = {None, *path}
    recorded = [place for place, step in enumerate(steps) if step in members]
    if recorded:
        turns = [_recorded(transcript[place]) for place in recorded[-MOST_TURNS:]]
        named = any(steps[place] is not None for place in recorded)
        source = (
            "Recorded transcript, up to this step"
            if named
            else "Recorded transcript of the whole run: its turns do not name their steps"
        )
        return turns, len(recorded) - len(turns), source
    turns = []
    if record.user_prompt:
        turns.append(Turn("user", record.user_prompt, None))
    for identity in path[-MOST_TURNS:]:
        step = graph.step(identity)
        turns.append(Turn(step.shown_kind, _said(step), identity))
    earlier = max(0, len(path) - MOST_TURNS)
    return turns, earlier, "No transcript was recorded; this is what the steps on the way here say"


def _step_of(item: Any) -> str | None:
    """The id of the step a turn names, or None."""
    step = item.get("step_id") if isinstance(item, dict) else None
    return step if isinstance(step, str) else None


def _recorded(item: Any) -> Turn:
    if not isinstance(item, dict):
        return Turn("note", whole_text(item), None)
    who = clean(str(item.get("role") or "turn"), 40)
    name = item.get("name")
    if isinstance(name, str) and name:
        who = f"{who} · {clean(name, 60)}"
    text = whole_text(item.get("content"))
    calls = item.get("tool_calls")
    if isinstance(calls, list):
        text = "\n".join([*([text] if text else []), *(_call(call) for call in calls[:MOST_CALLS])])
    return Turn(who, text, _step_of(item))


def _said(step: Step) -> str:
    """What a step says in a conversation: a tool its call and the result, a model its answer and what it calls."""
    outputs, calls = dict(step.outputs), step.outputs.get("tool_calls")
    lines: list[str] = []
    if step.kind is StepKind.TOOL and isinstance(step.inputs.get("name"), str):
        lines.append(_called(step.inputs))
    if isinstance(calls, list):
        del outputs["tool_calls"]
    lines.append(whole_text({key: value for key, value in outputs.items() if value not in ("", None, [])}))
    if isinstance(calls, list):
        lines += [_call(call) for call in calls[:MOST_CALLS]]
    return "\n".join(line for line in lines if line) or whole_text(step.inputs) or title(step)


def _call(call: Any) -> str:
    if not isinstance(call, dict):
        return whole_text(call)
    inner = call.get("function")
    return f"calls {_called(inner if isinstance(inner, dict) else call)}"


def _called(call: Mapping[str, Any]) -> str:
    """A call with all of its arguments."""
    arguments = next((call[key] for key in ARGUMENT_KEYS if call.get(key)), None)
    if isinstance(arguments, Mapping):
        arguments = ", ".join(f"{key}: {whole_text(value)}" for key, value in arguments.items())
    return f"{call.get('name') or 'a tool'}({whole_text(arguments)})"
