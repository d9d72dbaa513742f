"""The demo runs, which the exports tell of."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.core import Graph, RunRecord, Step, StepKind, read, step_id
from opentine_gui.export import export, request_of

DEMO = Path(__file__).parents[2] / "assets" / "demo"
NAMES = ("research-01", "retry-01")


@pytest.fixture(scope="session")
def research() -> RunRecord:
    return read(DEMO / "research-01.tine")


@pytest.fixture(scope="session")
def retry() -> RunRecord:
    return read(DEMO / "retry-01.tine")


@pytest.fixture(scope="session")
def evidence() -> RunRecord:
    return read(DEMO / "merged" / "evidence.tine")


def markdown(*records: RunRecord, **options: object) -> str:
    """The report of one run, or of two that are compared."""
    compared = len(records) == 2
    return export(request_of(records, compared=compared, names=NAMES, **options), "markdown").decode()


def answered_twice() -> tuple[RunRecord, RunRecord]:
    """Two runs that ask the same and get different answers."""

    def answered(answer: str) -> RunRecord:
        steps: list[Step] = []
        for kind, inputs, outputs in (
            (StepKind.THINK, {"text": "Plan"}, {}),
            (StepKind.MODEL, {"prompt": "Is a refund due?"}, {"text": answer}),
            (StepKind.TOOL, {"name": "send_mail", "text": answer}, {}),
        ):
            above = tuple(step.id for step in steps[-1:])
            identity = step_id(kind, inputs, parent_ids=above, outputs=outputs)
            steps.append(
                Step(id=identity, parent_ids=above, kind=kind, inputs=inputs, outputs=outputs, timestamp=1.7e9)
            )
        return RunRecord(run_id=answer, graph=Graph.of(steps), refs={"main": steps[-1].id})

    return answered("Yes, in full"), answered("No, it was opened")
