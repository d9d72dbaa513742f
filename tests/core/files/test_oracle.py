"""The real package, in the same process, agrees: it reads what we write, and we say what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import opentine
import pytest
from opentine._fork_identity import verify_fork_id

from opentine_gui.core import Run, RunRecord, StepKind, fork, fork_and_edit, merge, read, verify, write
from opentine_gui.core.files.digest import DigestVerdict
from tests.core.sample_runs import DATA, corpus_files, corpus_id

FILES = corpus_files()
CURRENT = [path for path in FILES if path.parent.name == "0.12.1" and path.name.endswith(".plain.tine")]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENTINE_COMPRESS", "0")


def package_reads(path: Path) -> Any:
    """The file as the package loads it, its digest and every step id checked."""
    result = opentine.Run.verify_integrity(path)
    assert result.ok, result.reason
    return opentine.Run.load(path)


def package_step_ids_agree(run: Any) -> None:
    for step in run.steps:
        wanted = opentine.step_id(
            step.kind,
            step.inputs,
            parent_ids=list(step.parent_ids),
            outputs=step.outputs,
            model_info=step.model_info,
            tool_info=step.tool_info,
            error=step.error,
        )
        assert wanted == step.id


@pytest.mark.parametrize("path", FILES, ids=corpus_id)
def test_the_digest_verdict_is_the_package_s(path: Path) -> None:
    theirs = opentine.Run.verify_integrity(path)
    ours = verify(path)
    assert (ours.digest.verdict is DigestVerdict.OK) == theirs.ok
    assert ours.digest.reason == theirs.reason
    if theirs.ok:
        assert ours.digest.actual == theirs.actual


@pytest.mark.parametrize("path", FILES, ids=corpus_id)
def test_steps_and_totals_are_the_package_s(path: Path) -> None:
    theirs = opentine.Run.load(path)
    ours = Run.load(path)
    assert [step.id for step in theirs.steps] == [step.id for step in ours.steps]
    for left, right in zip(theirs.steps, ours.steps, strict=True):
        for name in ("kind", "inputs", "outputs", "model_info", "tool_info", "error", "timestamp", "duration", "usage"):
            assert getattr(left, name) == getattr(right, name), name
        assert tuple(left.parent_ids) == right.parent_ids
        assert left.cost == (right.cost or 0.0)
        assert tuple(left.causal_ids) == right.causal_ids
        assert (left.provider, left.v3_kind, left.billing) == (right.provider, right.v3_kind, right.billing)
    assert ours.total_cost == pytest.approx(theirs.total_cost, abs=1e-12)
    assert ours.total_duration == pytest.approx(theirs.total_duration)
    assert ours.total_tokens == theirs.total_tokens
    assert ours.status == theirs.status.value
    assert ours.refs == theirs.refs
    assert ours.tags == theirs.tags
    assert ours.model_info == theirs.model_info
    assert ours.transcript == theirs.transcript


@pytest.mark.parametrize("path", CURRENT, ids=corpus_id)
def test_our_mismatches_are_the_package_s_own_recomputation(path: Path) -> None:
    wrong = set()
    for step in opentine.Run.load(path).steps:
        wanted = opentine.step_id(
            step.kind,
            step.inputs,
            parent_ids=list(step.parent_ids),
            outputs=step.outputs,
            model_info=step.model_info,
            tool_info=step.tool_info,
            error=step.error,
        )
        if wanted != step.id:
            wrong.add(step.id)
    assert set(verify(path).mismatches) == wrong


@pytest.mark.parametrize("path", CURRENT, ids=corpus_id)
def test_the_package_reads_what_we_save_and_saves_it_alike(path: Path, tmp_path: Path) -> None:
    record = read(path)
    ours = write(tmp_path / "ours.tine", record.edited(run_id="saved-by-us"))
    run = package_reads(ours)
    assert run.id == "saved-by-us"
    for compression in ("zlib", "zstd"):
        wrapped = write(tmp_path / f"{compression}.tine", record, compress=compression)
        assert [step.id for step in package_reads(wrapped).steps] == list(record.graph.ids)


@pytest.mark.parametrize("path", CURRENT, ids=corpus_id)
def test_a_fork_at_every_step_is_the_package_s_fork(path: Path, tmp_path: Path) -> None:
    record = read(path)
    theirs = opentine.Run.load(path)
    for identity in record.graph.ids[:6]:
        child = fork(record, identity, now=7.25, nonce="n", branch="exp")
        out = write(tmp_path / "fork.tine", child)
        run = package_reads(out)
        assert verify_fork_id(run) is True
        reference = theirs.fork(identity, branch="exp", nonce="n")
        assert child.run_id == reference.id
        mine, wanted = run.to_dict(), reference.to_dict()
        for value in (mine, wanted):
            value.pop("created_at")
            value["metadata"].pop("integrity", None)
            value["metadata"].pop("autosave", None)  # ours drops the mark at once, the package when it saves
        assert mine == wanted


def branched() -> RunRecord:
    return read(DATA / "corpus" / "0.12.1" / "branched.plain.tine")


def test_the_package_confirms_an_edited_fork(tmp_path: Path) -> None:
    record = branched()
    for position in range(len(record.graph)):
        step = record.graph.step(position)
        child = fork_and_edit(record, step.id, inputs={"text": "another"}, now=3.5, nonce="x", title="t", tags=["B"])
        run = package_reads(write(tmp_path / f"{position}.tine", child))
        package_step_ids_agree(run)
        assert verify_fork_id(run) is (True if step.parent_ids else None)
        assert run.steps[-1].parent_ids == list(step.parent_ids)
        assert run.tags == ["b"]


def test_the_package_confirms_a_merge_in_one_run_and_across_runs(tmp_path: Path) -> None:
    record = branched()
    left, right = record.tips[:2]
    inside = merge([record], [left, right], inputs={"text": "both"}, now=3.5, nonce="x")
    run = package_reads(write(tmp_path / "inside.tine", inside))
    package_step_ids_agree(run)
    assert list(run.steps[-1].parent_ids) == [left, right]
    one = fork(record, left, now=1.5, nonce="1")
    two = fork(record, right, now=1.5, nonce="2")
    across = merge([one, two], [left, right], inputs={"text": "both"}, now=3.5, nonce="x", outputs={"a": 1})
    run = package_reads(write(tmp_path / "across.tine", across))
    package_step_ids_agree(run)
    assert list(run.steps[-1].parent_ids) == [left, right]
    assert run.refs["parent-1"] == left
    assert run.refs["parent-2"] == right
    assert run.metadata["merge"]["step"] == run.steps[-1].id


def test_a_run_built_with_our_face_is_the_package_s_run(tmp_path: Path) -> None:
    built = {}
    for make, kinds in ((Run, StepKind), (opentine.Run, opentine.StepKind)):
        run = make(id="built", model_info="m", system_prompt="s", user_prompt="u", created_at=1769000000.5)
        first = run.add_step(kinds.think, {"text": "café — x"}, {"n": 1.0, "big": 10**20, "small": 1e-07})
        run.add_step(kinds.tool, {"a": [1, 2]}, {"r": None}, tool_info={"name": "t"}, cost=1, usage={"input": 3})
        run.add_step(kinds.model, {"b": 1}, parent_id=first.id[:8], ref="side", error={"message": "no"})
        run.add_step(kinds.done, {}, parent_ids=[run.refs["main"], run.refs["side"]], duration=2)
        run.tags = ["a", "b"]
        run.status = opentine.RunStatus.completed
        out = tmp_path / f"{make.__module__}.tine"
        run.save(out)
        built[make] = json.loads(out.read_text())
    ours, theirs = built[Run], built[opentine.Run]
    for document in (ours, theirs):
        document["metadata"].pop("integrity")
        for step in document["graph"]["steps"].values():
            step.pop("timestamp")
    assert ours == theirs


def test_every_vocabulary_of_the_package_is_ours() -> None:
    assert [kind.value for kind in opentine.StepKind] == [kind.value for kind in StepKind]
    assert opentine.FORMAT_VERSION == 2
