"""A replay is made from the record alone: what the package writes, or the name of the step that would miss."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import opentine
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentine._cli_verify_replay import cache_replay
from opentine._fork_identity import verify_fork_id
from opentine.cache import CacheEntry, semantic_key

from opentine_gui.core import (
    EditError,
    LookupFailure,
    ReplayMiss,
    Run,
    RunRecord,
    RunStatus,
    Step,
    StepKind,
    Verdict,
    read,
    verify,
)
from opentine_gui.core.edit.replay import replay, request_key
from tests.core.sample_runs import DATA, corpus_files, corpus_id, make_record, make_step

FILES = [
    path
    for path in corpus_files()
    if path.name.startswith("agent")
    or path.parent.name in ("0.1.0", "0.1.1", "0.2.0")
    or path.match("0.12.1/*.plain.*")
]
"""Every file of an agent, which has a replay cache, and one of each shape in each form of the format."""
CORPUS = DATA / "corpus" / "0.12.1"
UNANSWERED = {"empty_values", "model_override"}
"""Files with a tool step that records no answer, which the package takes for one all the same."""
EMPTY = {"empty", "empty_running"}
REWRITTEN = {"redacted", "nested", "int_numbers"}
"""Files of older releases that the package redacts anew, or spells anew, when it saves what it forked from them."""


class Silent:
    """A model that must not be called."""

    name = "silent"

    async def complete(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("a replay called a model")


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENTINE_COMPRESS", "0")


def shape(path: Path) -> str:
    return path.name.split(".")[0]


def open_call(step: Step) -> bool:
    return step.kind is StepKind.TOOL and not step.outputs


def saved_by_package(run: Any, path: Path) -> bytes:
    run.created_at = 7.25
    run.save(path)
    return path.read_bytes()


def package_replay(path: Path) -> Any:
    return asyncio.run(opentine.Agent(model=Silent()).replay(opentine.Run.load(path), mode="cache"))


@pytest.mark.parametrize("path", [path for path in FILES if shape(path) not in UNANSWERED | EMPTY], ids=corpus_id)
def test_a_replay_is_the_one_the_package_s_agent_makes(path: Path, tmp_path: Path) -> None:
    ours, theirs = Run.load(path).replay(mode="cache", now=7.25, status="completed"), package_replay(path)
    mine, wanted = ours.to_dict(), theirs.to_dict()
    migrated = read(path).source_format != "2"
    for document in (mine, wanted):
        document.pop("created_at")
        document["metadata"].pop("integrity", None)
        document["metadata"].pop("autosave", None)  # ours drops the mark at once, the package when it saves
        if migrated:  # then the package digests what it made of the source, and both say who migrated it
            document.pop("run_id")
            document["metadata"].pop("migration")
            document["metadata"]["fork"].pop("source_digest")
    assert mine == wanted
    if not migrated and shape(path) not in REWRITTEN:
        saved = ours.save(tmp_path / "ours.tine", compress="plain")
        assert saved.read_bytes() == saved_by_package(theirs, tmp_path / "theirs.tine")


@pytest.mark.parametrize("path", [path for path in FILES if shape(path) in UNANSWERED], ids=corpus_id)
def test_a_tool_step_without_an_answer_misses_where_the_package_takes_it_for_one(path: Path) -> None:
    with pytest.raises(ReplayMiss, match="no answer to it is recorded") as caught:
        Run.load(path).replay()
    missing = read(path).graph.step(caught.value.step)
    assert open_call(missing)
    assert missing.id in [step.id for step in package_replay(path).steps]


@pytest.mark.parametrize("path", [path for path in FILES if path.parent == CORPUS], ids=corpus_id)
def test_a_replay_from_any_step_is_the_one_the_command_line_of_the_package_writes(path: Path, tmp_path: Path) -> None:
    run, source = Run.load(path), opentine.Run.load(path)
    for step in run.steps[:6]:
        if shape(path) in UNANSWERED and any(open_call(before) for before in run.ancestors(step.id)):
            continue
        ours = run.replay(from_step=step.id, now=7.25).save(tmp_path / "ours.tine", compress="plain")
        assert ours.read_bytes() == saved_by_package(cache_replay(source, step.id), tmp_path / "theirs.tine")


def test_the_package_verifies_our_replay_and_we_verify_its_one(tmp_path: Path) -> None:
    path = CORPUS / "agent_native.plain.tine"
    ours = Run.load(path).replay(now=7.25).save(tmp_path / "ours.tine")
    assert opentine.Run.verify_integrity(ours).ok
    loaded = opentine.Run.load(ours)
    assert verify_fork_id(loaded) is True
    assert loaded.metadata["replay"] == {"mode": "cache", "reused_steps": 7, "source_run": Run.load(path).id}
    cache_replay(opentine.Run.load(path), loaded.steps[-1].id).save(tmp_path / "theirs.tine")
    theirs = Run.load(tmp_path / "theirs.tine")
    assert theirs.verify().ok
    assert theirs.verify().fork_id is True
    assert theirs.id == loaded.id
    assert theirs.replay().metadata["replay"]["source_run"] == theirs.id  # a replay, whose cache is empty, replays too


def test_replaying_twice_gives_one_id_and_leaves_the_source_alone() -> None:
    record = read(CORPUS / "agent_native.plain.tine")
    run = Run.of(record)
    one, two = run.replay(), run.replay()
    assert one.id == two.id != run.id
    assert one.status is run.record.status is RunStatus.COMPLETED
    assert run.record is record


def test_the_status_is_the_source_s_unless_given() -> None:
    record = make_record([make_step("a")], status=RunStatus.FAILED)
    assert replay(record, now=1.0).status is RunStatus.FAILED
    assert replay(record, now=1.0, status="completed").status is RunStatus.COMPLETED


@pytest.mark.parametrize("mode", ["rerun", "live", "", None])
def test_no_other_mode_is_taken(mode: Any) -> None:
    with pytest.raises(EditError, match="is replayed from its record"):
        Run.of(make_record([make_step("a")])).replay(mode)


def test_an_unknown_step_and_an_empty_run_are_refused() -> None:
    with pytest.raises(LookupFailure):
        Run.of(make_record([make_step("a")])).replay(from_step="none such")
    for path in (path for path in FILES if shape(path) in EMPTY):
        with pytest.raises(EditError, match="without recorded steps"):
            Run.load(path).replay()
        with pytest.raises(RuntimeError, match="no recorded steps"):
            package_replay(path)


# -- what would miss --------------------------------------------------------------------------------------------------


def called(run: Run, query: str, answer: str | None) -> str:
    """Add a tool call as the package records it; its id."""
    outputs = None if answer is None else {"result": answer}
    inputs = {"arguments": {"query": query}, "name": "lookup"}
    return run.add_step("tool", inputs, outputs, tool_info={"name": "lookup"}, timestamp=1.0).id


def remember(run: Run, query: str, answer: str) -> JsonEntry:
    """Put a tool's answer into the replay cache as the package does."""
    key = semantic_key("tool.call", {"arguments": {"query": query}, "name": "lookup"})
    run.cache[key] = CacheEntry(key, "tool.call", {"result": answer}, {"mode": "rerun"}, 1.0).to_dict()
    return run.cache[key]  # type: ignore[no-any-return]


JsonEntry = dict[str, Any]


@pytest.fixture
def run() -> Run:
    made = Run(id="source", model_info="m", created_at=1.0)
    made.add_step("think", {"text": "look"}, timestamp=1.0)
    return made


def test_our_key_of_a_tool_call_is_the_package_s() -> None:
    record = read(CORPUS / "agent_native.plain.tine")
    keys = {key for step in record.graph if (key := request_key(step))}
    cached = {key for key, entry in record.cache.items() if entry["kind"] == "tool.call"}
    assert cached < keys  # the call that failed was not cached
    assert len(cached) == 2


def test_the_first_step_without_an_answer_is_named(run: Run) -> None:
    called(run, "a", "found a")
    missing = called(run, "b", None)
    called(run, "c", None)
    with pytest.raises(ReplayMiss, match=f"'{missing[:12]}' \\(tool\\) would miss: no answer") as caught:
        run.replay()
    assert caught.value.step == missing


def test_only_steps_the_replay_keeps_need_an_answer(run: Run) -> None:
    before = called(run, "a", "found a")
    called(run, "b", None)
    assert [step.id for step in run.replay(from_step=before).steps][-1] == before


def test_a_cache_of_some_calls_answers_those_and_the_steps_answer_the_rest(run: Run) -> None:
    called(run, "a", "found a")
    called(run, "b", "found b")
    called(run, "c", None)
    remember(run, "a", "found a")
    with pytest.raises(ReplayMiss):
        run.replay()
    remember(run, "c", "found c")
    assert len(run.replay().steps) == 4


@pytest.mark.parametrize(
    "tamper",
    [
        lambda entry: entry["value"].update(result="another answer"),
        lambda entry: entry.update(key="0" * 64),
        lambda entry: entry.update(kind="model.complete"),
        lambda entry: entry.update(value="found a"),
        lambda entry: entry.clear(),
    ],
)
def test_a_cache_entry_that_was_tampered_with_is_refused(run: Run, tamper: Callable[[JsonEntry], Any]) -> None:
    step = called(run, "a", "found a")
    entry = remember(run, "a", "found a")
    assert run.replay()
    tamper(entry)
    with pytest.raises(ReplayMiss, match="the cache's entry") as caught:
        run.replay()
    assert caught.value.step == step


def test_a_call_made_twice_may_have_either_answer_in_the_cache(run: Run) -> None:
    first = called(run, "a", "found a")
    called(run, "a", "found more")
    remember(run, "a", "found more")
    assert len(run.replay().steps) == 3
    assert len(run.replay(from_step=first).steps) == 2
    remember(run, "a", "found something else")
    with pytest.raises(ReplayMiss) as caught:
        run.replay()
    assert caught.value.step == first


def altered(run: Run, tmp_path: Path, text: str) -> Run:
    """The run with the text of its first step replaced in the file, ids as they were."""
    document = run.to_dict()
    document["graph"]["steps"][document["graph"]["order"][0]]["inputs"]["text"] = text
    path = tmp_path / "altered.tine"
    path.write_text(json.dumps(document))
    return Run.load(path)


def test_a_step_that_was_altered_does_not_answer(run: Run, tmp_path: Path) -> None:
    first = run.steps[0].id
    called(run, "a", "found a")
    with pytest.raises(ReplayMiss, match="its content is not what its id stands for") as caught:
        altered(run, tmp_path, "look elsewhere").replay()
    assert caught.value.step == first


def test_what_was_redacted_replays_as_it_was_saved(run: Run, tmp_path: Path) -> None:
    called(run, "a", "found a")
    remember(run, "a", "found [REDACTED]")
    again = altered(run, tmp_path, "look [REDACTED]").replay()
    assert again.steps[0].inputs == {"text": "look [REDACTED]"}


@pytest.mark.parametrize(
    ("kind", "inputs", "fields"),
    [
        ("model", {"text": ""}, {}),
        ("model", {"prompt": "x"}, {"error": {"message": "no"}}),
        ("model", {"decision": "yes"}, {"v3_kind": "human"}),
        ("think", {}, {}),
        ("done", {"text": "x"}, {}),
        ("error", {}, {}),
    ],
)
def test_what_is_not_an_open_request_needs_no_answer(run: Run, kind: str, inputs: JsonEntry, fields: JsonEntry) -> None:
    run.add_step(kind, inputs, **fields)
    assert len(run.replay().steps) == 2


def test_a_request_to_a_model_needs_an_answer(run: Run) -> None:
    run.add_step("model", {"prompt": "x"})
    with pytest.raises(ReplayMiss, match=r"\(model\) would miss"):
        run.replay()


@st.composite
def runs(draw: st.DrawFn) -> tuple[RunRecord, set[str]]:
    """A run of random shape, and the ids of its steps that are open requests."""
    steps, missing = [], set()
    for number in range(draw(st.integers(1, 10))):
        parents = draw(st.lists(st.sampled_from([step.id for step in steps]), max_size=2)) if steps else []
        kind = draw(st.sampled_from([StepKind.TOOL, StepKind.THINK, StepKind.MODEL]))
        outputs = draw(st.sampled_from([{}, {"result": "r"}]))
        step = make_step(f"step {number}", *dict.fromkeys(parents), kind=kind, outputs=outputs)
        steps.append(step)
        if kind is not StepKind.THINK and not outputs:
            missing.add(step.id)
    return make_record(steps), missing


@given(runs())
def test_a_replay_keeps_the_tip_s_history_or_names_the_first_open_request_in_it(
    made: tuple[RunRecord, set[str]],
) -> None:
    record, missing = made
    graph = record.graph
    history = [graph.ids[place] for place in graph.closure([graph.index(record.main_tip or "")])]
    wanted = next((identity for identity in history if identity in missing), None)
    if wanted is None:
        again = replay(record, now=1.0)
        assert list(again.graph.ids) == history
        assert again.metadata["replay"]["reused_steps"] == len(history)
        assert verify(again).verdict is not Verdict.CONTRADICTED
    else:
        with pytest.raises(ReplayMiss) as caught:
            replay(record, now=1.0)
        assert caught.value.step == wanted
