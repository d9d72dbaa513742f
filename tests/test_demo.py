"""The demo runs tell their story in bytes that never vary, and the real package agrees with every one of them."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import opentine
import pytest
from PIL import Image

from opentine_gui.core import RunRecord
from opentine_gui.core.files import storage

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "assets" / "demo"
NAMES = ("research-01.tine", "retry-01.tine", "merged/evidence.tine")


@pytest.fixture(scope="module")
def runs() -> dict[str, RunRecord]:
    return {name: storage.read(DEMO / name) for name in NAMES}


def test_making_the_demo_again_gives_the_same_bytes(tmp_path: Path) -> None:
    script = [sys.executable, str(DEMO / "make_demo.py"), str(tmp_path)]
    subprocess.run(script, check=True, timeout=60, env={**os.environ, "TZ": "Asia/Tokyo"}, capture_output=True)
    assert [(tmp_path / name).read_bytes() for name in NAMES] == [(DEMO / name).read_bytes() for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_the_package_verifies_a_demo_run_and_all_its_ids(name: str) -> None:
    assert opentine.Run.verify_integrity(DEMO / name).ok
    for step in opentine.Run.load(DEMO / name).steps:
        assert step.id == opentine.core.step_id(
            step.kind, step.inputs, parent_ids=list(step.parent_ids), outputs=step.outputs,
            model_info=step.model_info, tool_info=step.tool_info, error=step.error,
        )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_package_saves_a_demo_run_without_changing_a_byte(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENTINE_COMPRESS", "0")
    opentine.Run.load(DEMO / name).save(tmp_path / "again.tine")
    assert (tmp_path / "again.tine").read_bytes() == (DEMO / name).read_bytes()


def test_the_first_run_fails_and_the_fork_of_it_succeeds(runs: dict[str, RunRecord]) -> None:
    research, retry, merged = (runs[name] for name in NAMES)
    assert [run.status.value for run in (research, retry, merged)] == ["failed", "completed", "completed"]
    assert all(10 <= len(run.graph) <= 30 for run in runs.values())
    assert research.graph.step(research.refs["main"]).kind.value == "error"
    assert retry.graph.step(retry.refs["main"]).kind.value == "done"
    assert retry.lineage.forked_from == research.run_id
    assert retry.lineage.fork_point in research.graph


def test_the_merge_joins_a_tip_of_each_branch(runs: dict[str, RunRecord]) -> None:
    research, retry, merged = (runs[name] for name in NAMES)
    joins = [merged.graph.parent_ids(i) for i in range(len(merged.graph)) if len(merged.graph.parent_ids(i)) == 2]
    assert joins == [(retry.refs["main"], research.refs["evidence"])]
    assert merged.lineage.merge is not None


def test_the_story_holds_what_a_demo_should_show(runs: dict[str, RunRecord]) -> None:
    research = runs["research-01.tine"]
    heads, steps = research.graph.heads, list(research.graph)
    assert {"human", "think", "tool", "model", "error", "subagent"} <= {head.shown_kind for head in heads}
    assert max(len(step.parent_ids) for step in steps) == 3
    assert {"known", "unpriced", "not recorded"} <= {head.cost_state.value for head in heads}
    text = json.dumps([[step.inputs, step.outputs] for step in steps], ensure_ascii=False)
    for script in (
        "奖励",
        "Согласие",
        "البيانات",
        "🤔",
        "| reward model |",
        "from collections import Counter",
    ):
        assert script in text


def test_steps_start_after_their_parents_and_searches_run_side_by_side(runs: dict[str, RunRecord]) -> None:
    for run in runs.values():
        for step in run.graph:
            began = step.timestamp - step.duration
            assert all(run.graph.step(parent).timestamp <= began + 1e-3 for parent in step.parent_ids)
    searches = [step for step in runs["research-01.tine"].graph if step.inputs.get("name") == "search"]
    assert len(searches) == 3
    assert max(s.timestamp - s.duration for s in searches) < min(s.timestamp for s in searches)


def test_the_picture_in_the_notes_is_a_picture(runs: dict[str, RunRecord]) -> None:
    (figure,) = (step.outputs["figure"] for step in runs["research-01.tine"].graph if "figure" in step.outputs)
    with Image.open(io.BytesIO(base64.b64decode(figure["data"]))) as picture:
        picture.load()
        assert (picture.format, picture.size) == ("PNG", (48, 24))
        assert len(picture.getcolors() or []) == 2
