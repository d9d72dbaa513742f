"""The documented face: a run is built, asked, saved and loaded as the package's documentation says."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.core import (
    FormatError,
    LimitError,
    LookupFailure,
    Run,
    RunStatus,
    StepKind,
    fork_and_edit,
    step_id,
)
from tests.core.sample_runs import DATA


@pytest.fixture
def run() -> Run:
    return Run(id="r", model_info="m", system_prompt="s", user_prompt="u", created_at=1.5)


def test_a_step_without_parents_continues_the_tip_of_its_ref(run: Run) -> None:
    first = run.add_step(StepKind.think, {"n": 1})
    second = run.add_step("tool", {"n": 2}, {"r": 1})
    other = run.add_step(StepKind.model, {"n": 3}, ref="side")
    third = run.add_step(StepKind.done, {"n": 4}, parent_ids=[])
    assert second.parent_ids == (first.id,)
    assert other.parent_ids == ()
    assert third.parent_ids == (second.id,)
    assert run.refs == {"main": third.id, "side": other.id}
    assert [step.id for step in run.steps] == [first.id, second.id, other.id, third.id]
    assert [step.id for step in run.root_steps()] == [first.id, other.id]
    assert first.model_info == "m"
    assert first.id == step_id(StepKind.think, {"n": 1}, model_info="m")


def test_relations_take_ids_and_unique_prefixes(run: Run) -> None:
    root = run.add_step(StepKind.think, {"n": 1})
    left = run.add_step(StepKind.think, {"n": 2}, parent_id=root.id)
    right = run.add_step(StepKind.think, {"n": 3}, parent_id=root.id[:16])
    join = run.add_step(StepKind.think, {"n": 4}, parent_ids=[left.id, right.id], parent_id=root.id)
    assert [step.id for step in run.ancestors(join.id[:16])] == [root.id, left.id, right.id, join.id]
    assert [step.id for step in run.children(root.id)] == [left.id, right.id]
    assert join.parent_id == right.id
    assert run.get_step(left.id[:16]) == left
    assert run.get_step("nope") is None
    found = run.common_ancestor(left.id, right.id)
    assert found is not None
    assert found.id == root.id
    with pytest.raises(LookupFailure):
        run.ancestors("nope")
    with pytest.raises(LookupFailure):
        run.add_step(StepKind.tool, {}, parent_id="nope")


@pytest.mark.parametrize(
    "wrong",
    [
        {"cost": -1},
        {"cost": math.nan},
        {"duration": math.inf},
        {"cost": True},
        {"usage": {"input": -1}},
        {"usage": {"input": 1.5}},
        {"usage": {"": 1}},
        {"inputs": [1]},
        {"inputs": {"x": math.nan}},
        {"inputs": {"x": "\ud800"}},
        {"kind": "dance"},
        {"inputs": {2: 1}},
        {"inputs": {"x": [{"y": {True: 1}}]}},
        {"model_info": {2: 1, 10: 1}},
        {"model_info": "\ud800"},
        {"billing": {2: 1}},
        {"usage": {2: 1}},
        {"usage": [1]},
        {"cost": 10**400},
        {"timestamp": "2024"},
        {"timestamp": math.nan},
        {"timestamp": True},
        {"timestamp": 10**400},
        {"provider": 3},
        {"v3_kind": "dance"},
        {"v3_kind": [1]},
        {"causal_ids": "abc"},
        {"causal_ids": [1]},
        {"causal_ids": 3},
        {"ref": 3},
    ],
)
def test_what_could_not_be_read_back_is_refused_when_it_is_added(run: Run, wrong: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        run.add_step(**{"kind": "tool", "inputs": {}, **wrong})
    run.add_step("tool", {})
    assert run.to_dict()["refs"]["main"] == run.steps[-1].id  # nothing of what was refused stayed behind


def test_a_parent_that_is_not_text_is_not_a_step(run: Run) -> None:
    for wrong in ({"parent_id": 3}, {"parent_ids": [3]}):
        with pytest.raises(LookupFailure, match="is not text"):
            run.add_step("tool", {}, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "inputs"),
    [("think", {2: 1}), ("think", {"x": {10: 1, 2: 1}}), ("think", [1]), ("dance", {}), ("think", {"x": math.nan})],
    ids=repr,
)
def test_what_cannot_be_stored_has_no_id(kind: str, inputs: Any) -> None:
    with pytest.raises(FormatError):
        step_id(kind, inputs)


def test_a_value_that_holds_itself_has_no_id() -> None:
    inputs: dict[str, Any] = {}
    inputs["self"] = [inputs]
    with pytest.raises(FormatError, match="Circular"):
        step_id("think", inputs)


@pytest.mark.parametrize("part", ["metadata", "manifest", "policies", "refs", "cache", "transcript"])
@pytest.mark.parametrize("wrong", ["text", 3, [{2: 1, 10: 1}], {2: 1, 10: 1}], ids=repr)
def test_a_part_of_another_type_or_with_keys_that_are_no_text_is_named(part: str, wrong: Any) -> None:
    with pytest.raises(FormatError):
        Run(id="new", **{part: wrong}).to_dict()
    loaded = Run.of(Run(id="loaded", created_at=1.0).record)
    setattr(loaded, part, wrong)
    with pytest.raises(FormatError):
        loaded.to_dict()


def test_a_new_run_with_a_wrong_status_is_refused() -> None:
    with pytest.raises(FormatError, match="is not a status"):
        Run(id="new", status="dancing")


@pytest.mark.parametrize("part", ["metadata", "manifest", "cache", "transcript"])
def test_what_no_reader_would_read_is_not_written(run: Run, part: str, tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(520):
        deep = [deep]
    for wrong, error in ((deep, LimitError), ("\ud800", FormatError), (math.nan, FormatError)):
        setattr(run, part, [wrong] if part == "transcript" else {"x": wrong})
        with pytest.raises(error):
            run.save(tmp_path / "run.tine")
    assert list(tmp_path.iterdir()) == []


def test_a_payload_may_nest_as_deeply_as_a_reader_allows(run: Run) -> None:
    deep: Any = 1
    for _ in range(507):
        deep = [deep]
    run.add_step(StepKind.tool, {"x": deep})
    assert len(run.to_dict()["graph"]["order"]) == 1
    with pytest.raises(LimitError):
        run.add_step(StepKind.tool, {"x": [deep]})
    assert len(run.steps) == 1


def test_a_step_does_not_change_when_the_caller_s_object_does(run: Run) -> None:
    inputs = {"list": [1]}
    step = run.add_step(StepKind.tool, inputs)
    inputs["list"].append(2)
    assert step.inputs == {"list": [1]}
    with pytest.raises(AttributeError):
        step.cost = 5.0  # type: ignore[misc]


def test_totals_add_up(run: Run) -> None:
    run.add_step(StepKind.model, {"n": 1}, cost=0.5, duration=2, usage={"input": 10, "total": 5})
    run.add_step(StepKind.model, {"n": 2}, cost=0.25, duration=1.5, usage={"input": 1, "total": 50})
    assert (run.total_cost, run.total_duration, run.total_tokens) == (0.75, 3.5, 60)
    assert run.totals.steps == 2


def test_tags_are_compared_as_they_are_stored(run: Run) -> None:
    assert run.add_tag(" Foo ")
    assert not run.add_tag("foo")
    assert not run.add_tag("  ")
    assert run.has_tag("FOO")
    assert run.remove_tag("fOO")
    assert not run.remove_tag("foo")
    assert run.tags == []


def test_save_and_load_give_the_same_run(run: Run, tmp_path: Path) -> None:
    run.add_step(StepKind.think, {"text": "é"}, error={"message": "x"})
    run.transcript.append({"role": "user", "content": "hi"})
    run.cache["k"] = {"value": 1}
    run.add_tag("t")
    path = run.save(tmp_path / "deep" / "run.tine")
    again = Run.load(path)
    assert again.to_dict() == run.to_dict()
    assert again.steps == run.steps
    assert again.verify().ok
    assert again.record.untouched


def test_pause_saves_and_resume_leaves_the_file(run: Run, tmp_path: Path) -> None:
    path = run.pause(tmp_path / "run.tine")
    before = path.read_bytes()
    assert Run.load(path).status == RunStatus.paused
    assert Run.resume(path).status is RunStatus.RUNNING
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["linear", "transcript", "signed_hmac", "tags", "draft"])
def test_loading_and_saving_changes_nothing(name: str, tmp_path: Path) -> None:
    source = DATA / "corpus" / "0.12.1" / f"{name}.plain.tine"
    run = Run.load(source)
    assert run.transcript is not None
    assert run.save(tmp_path / "again.tine").read_bytes() == source.read_bytes()


@pytest.mark.parametrize("change", ["status", "tags", "metadata", "transcript", "manifest", "refs"])
def test_a_change_in_place_is_noticed(change: str, tmp_path: Path) -> None:
    source = DATA / "corpus" / "0.12.1" / "signed_hmac.plain.tine"
    run = Run.load(source)
    value = getattr(run, change)
    if change == "status":
        run.status = "paused"
    elif isinstance(value, dict):
        value["new"] = run.steps[0].id
    else:
        value.append("new")
    again = Run.load(run.save(tmp_path / "again.tine"))
    assert again.record.signature is None
    assert again.verify().ok


def test_a_wrong_status_is_refused_when_the_run_is_used(run: Run) -> None:
    run.status = "dancing"
    with pytest.raises(FormatError, match="dancing"):
        run.to_dict()


def test_forks_and_merges_leave_their_sources_alone(run: Run) -> None:
    root = run.add_step(StepKind.think, {"n": 1})
    left = run.add_step(StepKind.think, {"n": 2}, parent_id=root.id)
    right = run.add_step(StepKind.think, {"n": 3}, parent_id=root.id)
    before = run.to_dict()
    child = run.fork(left.id, title="try")
    assert [step.id for step in child.steps] == [root.id, left.id]
    assert child.verify().fork_id is True
    assert child.id != run.fork(left.id, title="try").id
    extra = child.add_step(StepKind.think, {"n": 4})
    joined = run.merge(right.id, (child, extra.id), inputs={"text": "both"})
    assert joined.steps[-1].parent_ids == (right.id, extra.id)
    assert len(joined.steps) == 5
    assert run.to_dict() == before


def test_two_new_runs_have_two_ids() -> None:
    assert Run().id != Run().id


@pytest.mark.parametrize(
    ("field", "value"),
    [("run_id", ""), ("run_id", 5), ("created_at", "x"), ("created_at", True), ("policies", [])],
)
def test_what_a_reader_refuses_is_not_written(run: Run, tmp_path: Path, field: str, value: Any) -> None:
    setattr(run, field, value)
    with pytest.raises(FormatError):
        run.save(tmp_path / "run.tine")
    assert list(tmp_path.iterdir()) == []


def test_a_compressed_run_stays_compressed_unless_told_otherwise(run: Run, tmp_path: Path) -> None:
    run.add_step(StepKind.think, {"text": "long " * 400})
    path = run.save(tmp_path / "run.tine", compress="zlib")
    loaded = Run.load(path)
    loaded.add_step(StepKind.done, {"text": "end"})
    for target in (tmp_path / "other.tine", path):
        loaded.save(target)
        assert Run.load(target).record.container == "zlib"
        assert len(Run.load(target).steps) == 2
    loaded.save(path, compress="plain")
    assert path.read_bytes().startswith(b"{")


def test_a_branch_without_a_name_is_refused_by_the_fork(run: Run) -> None:
    step = run.add_step("think", {"n": 1})
    no_name: Any = None
    with pytest.raises(FormatError, match="branch"):
        fork_and_edit(run.record, step.id, inputs={"n": 2}, now=1.0, nonce="", branch=no_name)


def test_a_count_of_tokens_that_no_integer_holds_exactly_stays_the_float_it_was(run: Run, tmp_path: Path) -> None:
    run.add_step("model", {}, usage={"input": 1e308, "output": 3.0})
    assert Run.load(run.save(tmp_path / "run.tine")).steps[0].usage == {"input": 1e308, "output": 3}


def test_a_fork_cuts_prices_whatever_stands_where_an_id_should() -> None:
    run = Run("r", manifest={"pricing": {"invocations": [{"step_id": []}, {"step_id": {}}, 3], "rate_cards": {"x": 1}}})
    step = run.add_step("think", {})
    assert run.fork(step.id).manifest["pricing"]["invocations"] == []
