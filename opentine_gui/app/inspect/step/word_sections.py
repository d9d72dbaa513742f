"""The sections of a step that says something in words: what was asked, what was answered, and what else was sent."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from opentine_gui.app.inspect.step.section import Path, Section, is_worth, label, only_text, parsed
from opentine_gui.core import Step
from opentine_gui.core.graph.calls.call_roles import ARGUMENT_KEYS

_TEXTS = (
    "text", "content", "answer", "output_text", "response", "reply", "message", "summary", "output", "result",
    "completion",
)  # fmt: skip
_PROMPTS = (
    "prompt", "text", "question", "task", "goal", "instruction", "instructions", "query", "content", "input", "message",
)  # fmt: skip
_THOUGHTS = ("thinking", "reasoning", "reasoning_content", "thought", "thoughts")
MOST_TURNS = 60
"""Most messages of one prompt that get a section of their own; the ones before them stand in one section."""


def word_sections(step: Step, taken: Collection[Path]) -> Iterator[Section]:
    """A model's, a person's or any other step: what was asked, what was answered, then the rest of what was sent."""
    asked = "Prompt" if step.shown_kind in ("model", "subagent") else "Words" if step.shown_kind == "human" else "Text"
    used: set[str] = set()
    for key in ("messages", "history", "turns"):
        if isinstance(step.inputs.get(key), list) and step.inputs[key]:
            used.add(key)
            yield from _messages(step.inputs[key], ("inputs", key))
    for key in _PROMPTS:
        if ("inputs", key) in taken:
            used.add(key)
        elif is_worth(step.inputs.get(key)):
            used.add(key)
            yield Section(_asked(asked, key), step.inputs[key], "turn", path=("inputs", key))
            break
    yield from _answer(step, taken)
    rest = {key: value for key, value in step.inputs.items() if key not in used and value != ""}
    if rest:
        yield Section("Also sent" if asked == "Prompt" else "Also recorded", rest, "call", path=("inputs",))
    if step.tool_info:
        yield Section("Tools", dict(step.tool_info), "settings", path=("tool_info",))
    if step.model_info and not isinstance(step.model_info, str):
        yield Section("Model", step.model_info, "settings", path=("model_info",))
    if step.usage:
        yield Section("Usage", dict(step.usage), "settings", path=("usage",))
    if step.billing:
        yield Section("Billing", dict(step.billing), "settings", path=("billing",))


def _asked(name: str, key: str) -> str:
    return "Task" if key in ("task", "goal") else name


def _messages(messages: Sequence[Any], at: Path) -> Iterator[Section]:
    """The turns of a prompt, each under its speaker's name; if there are many, the last ones."""
    first = max(len(messages) - MOST_TURNS, 0)
    if first:
        yield Section(f"{first:,} earlier turns", list(messages[:first]), "turn", False, at)
    for number in range(first, len(messages)):
        turn = messages[number]
        who = turn.get("role") if isinstance(turn, Mapping) else None
        last = number == len(messages) - 1
        said = _said(turn)
        path = (*at, number, "content") if isinstance(turn, Mapping) and said is turn.get("content") else (*at, number)
        yield Section(label(who) if isinstance(who, str) else "Turn", said, "turn", last or not _is_bulk(said), path)


def _said(turn: Any) -> Any:
    """What a turn says: its content if it is all there is, the text of a single part, else the whole turn."""
    if not isinstance(turn, Mapping) or set(turn) - {"role", "content"} or "content" not in turn:
        return turn
    return only_text(turn["content"])


def _answer(step: Step, taken: Collection[Path]) -> Iterator[Section]:
    outputs = step.outputs
    used = {key for key in outputs if ("outputs", key) in taken}
    for key in _THOUGHTS:
        if key not in used and is_worth(outputs.get(key)):
            used.add(key)
            yield Section(
                "Thinking",
                outputs[key],
                "thinking",
                not any(is_worth(outputs.get(text)) for text in _TEXTS),
                ("outputs", key),
            )
    choices = outputs.get("choices")
    if isinstance(choices, list) and choices:
        used.add("choices")
        for number, choice in enumerate(choices[:MOST_TURNS]):
            message = choice.get("message") if isinstance(choice, Mapping) else None
            yield Section(
                "Answer", _said(message) if message else choice, "answer", path=("outputs", "choices", number)
            )
    for key in _TEXTS:
        if key not in used and is_worth(outputs.get(key)):
            used.add(key)
            yield Section(
                "Answer" if step.shown_kind != "think" else "Outcome",
                only_text(outputs[key]),
                "answer",
                path=("outputs", key),
            )
            break
    calls = outputs.get("tool_calls")
    if isinstance(calls, list) and calls:
        used.add("tool_calls")
        yield from _tool_calls(calls)
    rest = {key: value for key, value in outputs.items() if key not in used}
    if rest:
        yield Section(
            "Also recorded" if used - {path[-1] for path in taken} else "Result", rest, "result", path=("outputs",)
        )


def _tool_calls(calls: Sequence[Any]) -> Iterator[Section]:
    for number, call in enumerate(calls[:MOST_TURNS]):
        function = call.get("function") if isinstance(call, Mapping) else None
        asked = function if isinstance(function, Mapping) else call
        name = asked.get("name") if isinstance(asked, Mapping) else None
        arguments, at = asked, ("outputs", "tool_calls", number)
        if isinstance(asked, Mapping):
            key = next((key for key in ARGUMENT_KEYS if key in asked), "")
            arguments = asked[key] if key else asked
            arguments = parsed(arguments) if isinstance(arguments, str) else arguments
        yield Section(f"Calls {label(name)}" if isinstance(name, str) else "Calls a tool", arguments, "answer", path=at)
    if len(calls) > MOST_TURNS:
        yield Section(
            f"{len(calls) - MOST_TURNS:,} more calls",
            list(calls[MOST_TURNS:]),
            "answer",
            False,
            ("outputs", "tool_calls"),
        )


def _is_bulk(value: Any) -> bool:
    return not isinstance(value, str) or len(value) > 4_000
