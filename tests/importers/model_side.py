"""What the model was really sent, from the recordings' `expected.json`, beside what a reading says led to a step."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from opentine_gui.core import RunRecord, Step
from opentine_gui.importers.sources.fields import parsed

RECORDINGS = Path(__file__).parents[1] / "data" / "recordings"
LONGEST = 160
"""Characters of a text in `expected.json`."""


def expected(folder: Path) -> dict[str, Any]:
    """The recording's ground truth, from the model's side."""
    found: dict[str, Any] = json.loads((folder / "expected.json").read_bytes())
    return found


def ancestors(record: RunRecord, tip: str) -> list[Step]:
    """The steps that lead to a step, and it, parents before children."""
    wanted = {tip}
    for identity in reversed(record.graph.ids):
        if identity in wanted:
            wanted.update(record.graph.parent_ids(identity))
    return [step for step in record.graph if step.id in wanted]


def tips(record: RunRecord) -> list[Step]:
    """The steps without children."""
    parents = {parent for step in record.graph for parent in step.parent_ids}
    return [step for step in record.graph if step.id not in parents]


def messages(steps: Iterable[Step]) -> list[tuple[Any, ...]]:
    """Steps as the messages they were in the conversation: (kind, text) or ("call", name, arguments)."""
    found: list[tuple[Any, ...]] = []
    for step in steps:
        if step.v3_kind == "human":
            found.append(("user", step.inputs.get("text", "")))
        elif step.kind == "model" and step.v3_kind is None:
            if step.outputs.get("thinking"):
                found.append(("thinking", step.outputs["thinking"]))
            if step.outputs.get("text"):
                found.append(("assistant", step.outputs["text"]))
            calls = step.outputs.get("tool_calls", [])
            found.extend(("call", call["name"], call["arguments"]) for call in calls)
        elif step.kind == "tool":
            found.append(("result", step.outputs.get("result")))
    return found


def said(expectation: dict[str, Any]) -> tuple[Any, ...]:
    """A message of `expected.json` in the same shape."""
    kind = expectation["kind"]
    if kind == "tool_use":
        return ("call", expectation["name"], parsed(expectation["args"]))
    if kind == "tool_result":
        return ("result", expectation.get("text", ""))
    if kind == "thinking":
        return ("thinking", expectation["text"])
    return ("user" if expectation["role"] == "user" else "assistant", expectation.get("text", ""))


def agree(found: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    """Whether a message is the one that was sent; results may have been wrapped on the way to the model."""
    if found[0] != wanted[0]:
        return False
    if found[0] != "result":
        return found == wanted or (found[0] != "call" and str(found[1])[: LONGEST - 1] == str(wanted[1])[: LONGEST - 1])
    mine = str(found[1])
    return str(wanted[1])[: min(len(mine), LONGEST - 1)] == mine[: LONGEST - 1]


def check_context(record: RunRecord, tip: str, wanted: Iterable[dict[str, Any]], *, thinking: bool = False) -> None:
    """Assert that what leads to a step is what the model was sent, in the same order."""
    found = [message for message in messages(ancestors(record, tip)) if thinking or message[0] != "thinking"]
    truth = [said(item) for item in wanted if thinking or item["kind"] != "thinking"]
    assert len(found) == len(truth), (found, truth)
    for mine, sent in zip(found, truth, strict=True):
        assert agree(mine, sent), (mine, sent)
