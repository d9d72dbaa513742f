"""The run that the tests of the command line work on."""

from __future__ import annotations

from pathlib import Path

import opentine
import pytest


@pytest.fixture(autouse=True)
def plain_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENTINE_COMPRESS", "0")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A run of five steps written by the real package: a plan, two parallel searches, a join, an answer."""
    run = opentine.Run(id="source", model_info="m-1", user_prompt="Compare")
    plan = run.add_step(
        opentine.StepKind("think"), {"text": "plan"}, duration=0.5, cost=0.25, usage={"input": 10, "output": 5}
    )
    left = run.add_step(
        opentine.StepKind("tool"), {"name": "search", "arguments": {"q": "a"}}, {"result": ["x"]}, plan.id, duration=1.0
    )
    right = run.add_step(
        opentine.StepKind("tool"), {"name": "search", "arguments": {"q": "b"}}, {"result": ["y"]}, plan.id, duration=1.0
    )
    both = run.add_step(
        opentine.StepKind("model"), {"prompt": "join"}, {"text": "joined"}, parent_ids=[left.id, right.id], cost=0.5
    )
    run.add_step(opentine.StepKind("done"), {}, {"text": "done"}, both.id)
    run.status = opentine.RunStatus("completed")
    return Path(run.save(tmp_path / "source.tine"))
