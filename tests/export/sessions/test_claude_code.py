"""A step of a recorded session goes back to Claude Code: a new file with what the step rests on, and no more."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path

import msgspec
import pytest

from opentine_gui.core.errors import EditError
from opentine_gui.core.model import StepKind
from opentine_gui.export.sessions import Continuation, Handback, hand_back, why_not
from opentine_gui.importers.readers import read_source
from opentine_gui.importers.reading import Reading
from tests.importers.ground_truth import RECORDINGS, seen

SOURCES = sorted((RECORDINGS / "claude-code").glob("2.*/home/.claude/projects/*/*.jsonl"))
HOME = Path("/home/dev")


@cache
def session(path: Path) -> Reading:
    return read_source(path)


def of(case: str) -> Reading:
    [path] = [source for source in SOURCES if source.parts[-6] == case]
    return session(path)


def wish(reading: Reading, place: int, **more: object) -> Continuation:
    numbers = count(1)
    new_id = lambda: f"00000000-0000-4000-8000-{next(numbers):012d}"  # noqa: E731
    return Continuation(reading, reading.record.graph.ids[place], HOME, new_id, 1_800_000_000.0, **more)


def written(found: Handback, folder: Path) -> Reading:
    """The new session, written somewhere else and read again."""
    for file in found.files:
        inside = folder / file.path.relative_to(found.files[0].path.parent)
        inside.parent.mkdir(parents=True, exist_ok=True)
        inside.write_bytes(file.content)
    return read_source(folder / found.files[0].path.name)


def find(reading: Reading, text: str) -> int:
    return next(
        place
        for place, step in enumerate(reading.record.graph)
        if text in (step.outputs.get("text"), step.inputs.get("text"), step.outputs.get("result"))
    )


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parts[-6]}-{path.stem[:4]}")
def test_every_step_becomes_a_session_with_its_context_and_nothing_else(source, tmp_path):
    reading = session(source)
    graph = reading.record.graph
    before = source.read_bytes()
    for place in range(len(graph)):
        step = graph.step(place)
        if step.kind is StepKind.TOOL or step.outputs.get("tool_calls"):
            continue  # a whole batch belongs to such a step; the next two tests ask for it
        found = hand_back(wish(reading, place))
        if not found.files:
            assert graph.ids[place] == reading.record.refs["main"]
            continue
        copy = written(found, tmp_path / str(place))
        tip = copy.record.graph.index(copy.record.refs["main"])
        assert seen(copy, tip) == seen(reading, place)
        assert set(copy.record.graph.ids) <= set(graph.ids) or step.v3_kind == "subagent" or _is_inside(reading, place)
    assert source.read_bytes() == before


def _is_inside(reading: Reading, place: int) -> bool:
    graph = reading.record.graph
    return any(graph.v3_kinds.get(above) == "subagent" for above in graph.closure([place], causal=False))


def test_a_call_brings_all_results_of_its_batch(tmp_path):
    reading = of("2.1.197-b-parallel")
    graph = reading.record.graph
    calls = [place for place in range(len(graph)) if graph.kinds[place] is StepKind.TOOL]
    for place in calls[:3]:
        found = hand_back(wish(reading, place))
        copy = written(found, tmp_path / str(place)).record.graph
        assert {copy.ids[position] for position in copy.tips} == {graph.ids[call] for call in calls[:3]}
        assert found.remarks == ()


def test_calls_that_were_not_answered_yet_are_closed_and_said(tmp_path):
    reading = of("2.1.197-b-parallel")
    place = find(reading, "I read all three together.")
    found = hand_back(wish(reading, place))
    copy = written(found, tmp_path).record.graph
    closed = [step for step in copy if step.kind is StepKind.TOOL]
    assert [step.error["type"] for step in closed] == ["failed"] * 3
    assert found.remarks == ("3 calls have no result at this point: an error result is written in place of each.",)


def test_an_edited_prompt_takes_the_place_of_the_old_one(tmp_path):
    reading = of("2.1.197-e-rewind")
    found = hand_back(wish(reading, find(reading, "Other way"), prompt="A third way", replaces=True))
    copy = written(found, tmp_path)
    assert copy.record.graph.step(copy.record.refs["main"]).outputs["text"] == "First done."
    assert found.command == ("claude", "--resume", found.session, "A third way")
    first = hand_back(wish(reading, find(reading, "First question"), prompt="-x", replaces=True))
    assert (first.files, first.command) == ((), ("claude", "--", "-x"))
    assert first.folder == Path("/home/dev/project")


def test_a_long_title_of_the_new_session_is_cut_between_words(tmp_path):
    reading = of("2.1.197-e-rewind")
    title = "can you run multiple agents reviewing the changes in the branch and also check all of it"
    record = reading.record.edited(metadata={**reading.record.metadata, "title": title})
    found = hand_back(wish(replace(reading, record=record), find(reading, "First done.")))
    assert (
        written(found, tmp_path).record.title
        == "Fork: can you run multiple agents reviewing the changes in the branch and also…"
    )


def test_at_the_live_tip_the_agent_forks_by_itself():
    reading = of("2.1.197-e-rewind")
    found = hand_back(wish(reading, find(reading, "Went on."), prompt="More"))
    source = reading.sources[0].stem
    assert found.files == ()
    assert found.command == (
        *("claude", "--resume", source, "--fork-session", "--session-id", found.session),
        "More",
    )


def test_the_new_session_lies_where_the_agent_looks_and_is_another_one(tmp_path):
    reading = of("2.1.197-f-subagent")
    found = hand_back(wish(reading, find(reading, "Both helpers are back: 3 lines, one bug.")))
    assert found.files[0].path == reading.sources[0].parent / f"{found.session}.jsonl"
    assert {file.path.suffix for file in found.files[1:]} == {".jsonl", ".json"}
    for file in found.files:
        if file.path.suffix == ".jsonl":
            assert {json.loads(line)["sessionId"] for line in file.content.splitlines()} == {found.session}
    elsewhere = tmp_path / "log.jsonl"
    elsewhere.write_bytes(reading.sources[0].read_bytes())
    copy = read_source(elsewhere)
    found = hand_back(wish(copy, find(copy, "Went on.")))
    assert found.files[0].path.parent == HOME / ".claude" / "projects" / "-home-dev-project"


def test_a_sub_agent_becomes_a_session_of_its_own(tmp_path):
    reading = of("2.1.197-f-subagent")
    place = find(reading, "REPORT-TWO: minus instead of plus.")
    copy = written(hand_back(wish(reading, place)), tmp_path)
    graph = copy.record.graph
    assert seen(copy, graph.index(copy.record.refs["main"])) == seen(reading, place)
    assert not any(
        json.loads(line).get("isSidechain") for line in next(tmp_path.glob("*.jsonl")).read_bytes().splitlines()
    )


def test_a_sub_agent_that_stands_only_in_progress_lines_is_refused(tmp_path):
    path = tmp_path / "log.jsonl"
    said = {"role": "assistant", "id": "x", "content": [{"type": "text", "text": "Found it."}]}
    inner = {"type": "assistant", "uuid": "b", "message": said}
    lines = [
        {"type": "user", "uuid": "a", "parentUuid": None, "message": {"role": "user", "content": "Go"}, "cwd": "/x"},
        {
            "type": "progress",
            "uuid": "p",
            "parentUuid": "a",
            "data": {"type": "agent_progress", "agentId": "y", "message": inner},
        },
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    reading = read_source(path)
    with pytest.raises(EditError, match="no file of its own"):
        hand_back(wish(reading, find(reading, "Found it.")))


def test_sub_agents_that_stand_in_progress_lines_are_kept_whole(tmp_path):
    """Their lines form one chain in the order in which they came; the answer hangs below only some of them."""
    lines = [
        {"type": "user", "uuid": "go", "parentUuid": None, "message": {"role": "user", "content": "Go"}, "cwd": "/x"},
        line_of_an_answer("calls", "go", [call("one"), call("two")]),
    ]
    above = {"one": "calls", "two": "calls"}
    for number, agent in enumerate(("one", "two", "two", "one", "one", "two")):
        said = line_of_an_answer(f"{agent} says {number}", None, [{"type": "text", "text": f"{agent} {number}"}])
        data = {"type": "agent_progress", "agentId": f"of-{agent}", "message": said}
        lines.append(
            {
                "type": "progress",
                "uuid": f"p{number}",
                "parentUuid": above[agent],
                "parentToolUseID": agent,
                "data": data,
            }
        )
        above[agent] = f"p{number}"
    for agent in ("one", "two"):
        block = {"type": "tool_result", "tool_use_id": agent, "content": f"report of {agent}"}
        message = {"role": "user", "content": [block]}
        lines.append({"type": "user", "uuid": f"r-{agent}", "parentUuid": above[agent], "message": message})
    lines.append(line_of_an_answer("end", "r-two", [{"type": "text", "text": "Both are back."}]))
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    reading = read_source(path)
    found = hand_back(wish(reading, find(reading, "Both are back."), prompt=""))
    copy = written(found, tmp_path / "new")
    assert [step.outputs for step in copy.record.graph] == [step.outputs for step in reading.record.graph]
    titles = [json.loads(line).get("customTitle") for line in found.files[0].content.splitlines()]
    assert "Fork: Go" in titles


def call(identity):
    return {"type": "tool_use", "id": identity, "name": "Task", "input": {"prompt": f"Do {identity}"}}


def line_of_an_answer(uuid, above, content):
    message = {"role": "assistant", "id": f"m-{uuid}", "model": "m", "content": content}
    return {"type": "assistant", "uuid": uuid, "parentUuid": above, "message": message}


def test_a_changed_source_an_unknown_run_and_a_newer_version_are_reported(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(SOURCES[0].read_bytes())
    reading = read_source(path)
    newer = hand_back(wish(reading, 0, installed="9.0.1"))
    assert "9.0.1" in newer.remarks[0]
    path.write_bytes(b'{"type":"user","uuid":"a","message":{"content":"x"}}\n')
    with pytest.raises(EditError, match="changed"):
        hand_back(wish(reading, 0))
    assert why_not(msgspec.structs.replace(reading.record, metadata={})) is not None
    assert why_not(reading.record) is None
