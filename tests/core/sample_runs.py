"""Data files and small runs the tests of the document share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opentine_gui.core import Graph, RunRecord, RunStatus, Step, StepKind, step_id

DATA = Path(__file__).parents[1] / "data"


def corpus_files() -> list[Path]:
    """Every file real releases wrote."""
    return sorted((DATA / "corpus").rglob("*.tine"))


def corpus_id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def make_step(text: Any, *parents: str, kind: StepKind = StepKind.THINK, **fields: Any) -> Step:
    """A step whose only content is `text`."""
    inputs = {"text": text}
    identity = step_id(kind, inputs, parent_ids=parents, outputs=fields.get("outputs"), model_info="m")
    return Step(id=identity, parent_ids=parents, kind=kind, inputs=inputs, model_info="m", timestamp=1.5, **fields)


def make_record(steps: Sequence[Step], **fields: Any) -> RunRecord:
    """A completed run of the steps."""
    graph = Graph.of(steps)
    defaults: dict[str, Any] = {
        "run_id": "run",
        "status": RunStatus.COMPLETED,
        "created_at": 1769000000.5,
        "refs": {"main": graph.ids[-1] if len(graph) else ""},
        "metadata": {"model_info": "m", "system_prompt": "s", "user_prompt": "u"},
    }
    return RunRecord(graph=graph, **{**defaults, **fields})
