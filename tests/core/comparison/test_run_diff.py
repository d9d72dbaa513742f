"""`Run.diff` answers with the names the published documents use, and says what the package says where both agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import opentine
import pytest

from opentine_gui.core import Run, RunDiff, StepChange, StepKind, decode
from tests.core.comparison.test_compare import BETTER, VECTORS
from tests.core.sample_runs import DATA, make_record, make_step

CORPUS = DATA / "corpus" / "0.12.1"


def told(diff: Any) -> dict[str, Any]:
    """What a diff says, read by the documented names alone: of ours and of the package's."""
    return {
        "common_ancestor": diff.common_ancestor,
        "only_a": [step.id for step in diff.only_a],
        "only_b": [step.id for step in diff.only_b],
        "changed": [
            (
                change.step_a.id,
                change.step_b.id,
                [(field.name, field.before, field.after, list(field.changed_keys)) for field in change.fields],
            )
            for change in diff.changed
        ],
    }


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector["name"] not in BETTER], ids=lambda vector: vector["name"]
)
def test_the_documented_face_says_what_the_package_s_diff_says(vector: dict[str, Any], tmp_path: Path) -> None:
    ours, theirs = [], []
    for name in ("a", "b"):
        path = tmp_path / f"{name}.tine"
        path.write_text(json.dumps(vector[name]))
        ours.append(Run.of(decode(path.read_bytes())))
        theirs.append(opentine.Run.load(path))
    assert told(ours[0].diff(ours[1])) == told(theirs[0].diff(theirs[1]))
    assert told(ours[1].diff(ours[0])) == told(theirs[1].diff(theirs[0]))


@pytest.mark.parametrize("name", ["branched", "agent_native", "merge", "duplicate_step"])
def test_a_run_against_its_fork_has_the_package_s_ancestor_and_names_the_new_step_once(
    name: str, tmp_path: Path
) -> None:
    path = CORPUS / f"{name}.plain.tine"
    ours, theirs = Run.load(path), opentine.Run.load(path)
    for step in ours.steps[:6]:
        child = ours.fork(step.id, nonce="n", now=1.0)
        child.add_step("think", {"text": "another way"}, timestamp=1.0)
        saved = child.save(tmp_path / "child.tine", compress="plain")
        mine = told(ours.diff(child))
        assert mine["common_ancestor"] == theirs.diff(opentine.Run.load(saved)).common_ancestor
        assert mine["only_b"] + [b for _, b, _ in mine["changed"]] == [child.refs["main"]]


def test_a_replay_differs_in_nothing() -> None:
    run = Run.load(CORPUS / "agent_native.plain.tine")
    diff = run.diff(run.replay())
    assert (diff.only_a, diff.only_b, diff.changed, diff.moved) == ([], [], [], [])
    assert diff.comparison.same
    assert str(diff) == f"common ancestor {run.refs['main'][:12]}"


def test_the_text_of_a_diff_is_the_same_every_time_and_shows_short_ids() -> None:
    root = make_step("root")
    one = Run.of(make_record([root, make_step("old", root.id)]))
    two = Run.of(make_record([root, make_step("new", root.id), make_step("more", root.id, kind=StepKind.DONE)]))
    diff = one.diff(two)
    assert isinstance(diff, RunDiff)
    assert all(isinstance(change, StepChange) for change in diff.changed)
    assert str(diff) == str(one.diff(two))
    text = str(diff)
    assert f"common ancestor {root.id[:12]}\n" in text
    assert "(inputs)" in text
    assert all(step.id not in text and step.id[:12] in text for step in [*one.steps[1:], *two.steps[1:]])


def test_work_that_only_moved_is_neither_changed_nor_on_one_side_alone() -> None:
    runs = []
    for start in ("a", "b"):
        first = make_step(start)
        runs.append(Run.of(make_record([first, make_step("same", first.id)], metadata={"forked_from": "origin"})))
    diff = runs[0].diff(runs[1])
    (moved,) = diff.moved
    assert (moved.step_a.inputs, moved.step_b.inputs, moved.fields) == ({"text": "same"}, {"text": "same"}, ())
    assert moved.step_a.id not in [step.id for step in diff.only_a]


def test_an_id_that_is_hostile_text_is_shown_escaped() -> None:
    step = make_step("x")
    document = Run.of(make_record([step])).to_dict()
    text = json.dumps(document).replace(step.id, "\\u001b[31mred")
    hostile = Run.of(decode(text.encode()))
    assert "\x1b" not in str(hostile.diff(Run(id="empty")))
