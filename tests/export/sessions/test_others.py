"""Sessions handed back to the other agents: what is written reads to what the step rested on, at every step."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.core.errors import EditError
from opentine_gui.core.model import Step, StepKind
from opentine_gui.export.sessions import WRITERS, Continuation, Handback, Writer, codex, hand_back
from opentine_gui.export.sessions.writers import about_versions
from opentine_gui.export.sessions.written import CLOSED
from opentine_gui.importers import readers
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.sources.parts import part_path
from tests.importers.recordings import NO_RESULT, RECORDINGS, context_of, lanes, steps_of

NOW = 1_795_300_000.0
FILES = {
    "codex": "**/rollout-*.jsonl",
    "pi": "**/*.jsonl",
    "gemini-cli": "**/session-*.jsonl",
    "opencode": "**/opencode.db",
}
SUB_AGENTS_ELSEWHERE = ("0.169.0-f-subagent", "1.18.33-f-subagent")
"""Their sub-agents stay in sessions of their own, which what is written does not hold."""
CASES = [
    ("codex", "0.74.0-b-parallel"),
    ("codex", "0.74.0-c-errors"),
    ("codex", "0.128.0-e-appserver"),
    ("codex", "0.128.0-g-compact"),
    ("codex", "0.169.0-e-fork"),
    ("codex", "0.169.0-e-backtrack"),
    ("codex", "0.169.0-g-compact"),
    ("codex", "0.169.0-i-interrupt"),
    ("codex", "0.169.0-i-kill"),
    ("codex", "0.169.0-f-subagent"),
    ("pi", "0.73.1-e-tree"),
    ("pi", "0.73.1-e-fork"),
    ("pi", "0.73.1-g-compact"),
    ("pi", "0.73.1-i-kill"),
    ("pi", "0.73.1-i-abort"),
    ("gemini-cli", "0.61.0-b-parallel"),
    ("gemini-cli", "0.61.0-d-resumed"),
    ("gemini-cli", "0.61.0-e-rewind"),
    ("gemini-cli", "0.61.0-f-subagent"),
    *(("opencode", folder.name) for folder in sorted((RECORDINGS / "opencode").iterdir())),
]


def readings(agent: str, case: str) -> Iterator[Reading]:
    for path in sorted((RECORDINGS / agent / case / "home").glob(FILES[agent])):
        if agent != "opencode":
            yield readers.read_source(path)
        for part in readers.parts_of(path):
            yield readers.read_source(part_path(path, part.id))


def wish(reading: Reading, step: Step, home: Path, *, replaces: bool = False, prompt: str = "go on") -> Continuation:
    numbers = count()
    return Continuation(
        reading,
        step.id,
        home,
        lambda: str(uuid.uuid5(uuid.NAMESPACE_OID, str(next(numbers)))),
        NOW,
        prompt=prompt,
        replaces=replaces,
    )


def written(found: Handback, home: Path, agent: str) -> Reading:
    """What is written, read again."""
    (file,) = found.files
    path = file.path if agent == "codex" else home / file.path.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.content)
    reading = readers.read_source(path)
    path.unlink()
    return reading


def same_id(reading: Reading, steps: dict[str, Step]) -> int:
    return sum(identity in steps for identity in reading.record.graph.ids)


@pytest.mark.parametrize(("agent", "case"), CASES)
def test_what_is_written_reads_to_the_context_of_the_step(agent: str, case: str, tmp_path: Path) -> None:
    wrapped = agent == "gemini-cli"
    for reading in readings(agent, case):
        steps = steps_of([reading])
        lane = lanes(steps)
        for step in steps.values():
            found = hand_back(wish(reading, step, tmp_path))
            if not found.files:
                assert step.v3_kind in ("human", "policy", "subagent")
                continue
            again = written(found, tmp_path, agent)
            assert again.record.run_id == found.session
            if lane[step.id] or step.v3_kind == "subagent":
                continue  # its start is a prompt in a session of its own
            tips = [step.id]
            if step.kind is StepKind.TOOL and step.inputs.get("by") is None:
                batch = step.parent_ids[0]
                tips = [o.id for o in steps.values() if o.kind is StepKind.TOOL and o.parent_ids[0] == batch]
            expected = context_of(steps, *tips, wrapped=wrapped)
            calls = step.outputs.get("tool_calls", [])
            got = context_of(steps_of([again]), *again_tips(again), wrapped=wrapped)
            if calls:
                assert got[-1][0] == "results"
                got, expected = got[:-1], expected[: len(got) - 1]
            closed = [said if said[0] != "results" else ("results",) for said in got]
            assert closed == [said if said[0] != "results" else ("results",) for said in expected]
            if not any(NO_RESULT in said for said in expected):
                assert got == expected


def again_tips(reading: Reading) -> list[str]:
    """The newest step, with the calls of its batch."""
    graph = reading.record.graph
    last = graph.step(reading.record.refs["main"])
    if last.kind is not StepKind.TOOL or last.inputs.get("by") is not None:
        return [last.id]
    return [o.id for o in graph if o.kind is StepKind.TOOL and o.parent_ids[0] == last.parent_ids[0]]


@pytest.mark.parametrize(("agent", "case"), CASES)
def test_a_replaced_prompt_is_left_out_with_all_that_came_after_it(agent: str, case: str, tmp_path: Path) -> None:
    wrapped = agent == "gemini-cli"
    for reading in readings(agent, case):
        steps = steps_of([reading])
        for step in steps.values():
            if step.v3_kind != "human":
                continue
            found = hand_back(wish(reading, step, tmp_path, replaces=True))
            if not found.files:
                assert "new session" in found.remarks[0]
                assert found.session == ""
                continue
            again = written(found, tmp_path, agent)
            assert step.id not in again.record.graph.ids
            before = context_of(steps, *step.parent_ids, wrapped=wrapped)
            after = context_of(steps_of([again]), *again_tips(again), wrapped=wrapped)
            open_calls = any(step.kind is StepKind.TOOL and "result" not in step.outputs for step in again.record.graph)
            if case not in SUB_AGENTS_ELSEWHERE and not open_calls and ("summary",) not in after:
                assert same_id(again, steps) == len(again.record.graph)
            assert after == before or (open_calls and after[: len(before)] == before)


def test_files_lie_where_the_agents_look_and_commands_are_lists_of_words(tmp_path: Path) -> None:
    found = {}
    for agent, case, text in (("codex", "0.169.0-d-resumed", "First done."), ("pi", "0.73.1-d-resumed", "First done.")):
        (reading,) = readings(agent, case)
        step = next(step for step in reading.record.graph if step.outputs.get("text") == text)
        found[agent] = hand_back(wish(reading, step, tmp_path, prompt="-rf; $(x)"))
    session = found["codex"].session
    assert found["codex"].command == ("codex", "resume", session, "--", "-rf; $(x)")
    assert found["pi"].command == ("pi", "--session", found["pi"].session, " -rf; $(x)")
    assert found["codex"].folder == Path("/home/dev/project")
    (file,) = found["codex"].files
    assert file.path.parent == tmp_path / ".codex" / "sessions" / "2026" / "11" / "21"
    assert file.path.name == f"rollout-2026-11-21T22-26-40-{session}.jsonl"
    header = json.loads(file.content.split(b"\n")[0])
    assert header["payload"]["id"] == session
    assert "history_base" not in header["payload"]
    assert [json.loads(line)["ordinal"] for line in file.content.splitlines()] == list(range(file.content.count(b"\n")))
    (file,) = found["pi"].files
    assert file.path.parent == tmp_path / ".pi" / "agent" / "sessions" / "--home-dev-project--"
    assert uuid.UUID(found["pi"].session).version == 7


def test_a_gemini_chat_has_each_result_once_and_no_more_than_its_own(tmp_path: Path) -> None:
    (reading,) = readings("gemini-cli", "0.61.0-b-parallel")
    step = next(step for step in reading.record.graph if step.kind is StepKind.DONE)
    (file,) = hand_back(wish(reading, step, tmp_path)).files
    assert file.content.count(b'"functionResponse"') == sum(step.kind is StepKind.TOOL for step in reading.record.graph)


def test_a_source_that_changed_is_refused(tmp_path: Path) -> None:
    (source,) = (RECORDINGS / "pi" / "0.73.1-d-resumed" / "home").rglob("*.jsonl")
    path = tmp_path / source.name
    path.write_bytes(source.read_bytes())
    reading = readers.read_source(path)
    path.write_bytes(source.read_bytes()[200:])
    with pytest.raises(EditError, match="changed since it was read"):
        hand_back(wish(reading, list(reading.record.graph)[-1], tmp_path))


def test_an_unproved_newer_version_is_reported(tmp_path: Path) -> None:
    (source,) = (RECORDINGS / "codex" / "0.169.0-d-resumed" / "home").rglob("*.jsonl")
    path = tmp_path / source.name
    path.write_bytes(source.read_bytes().replace(b'"cli_version":"0.169.0"', b'"cli_version":"0.200.1"'))
    reading = readers.read_source(path)
    remarks = hand_back(wish(reading, list(reading.record.graph)[-1], tmp_path)).remarks
    assert any("0.200.1" in remark and codex.PROVED[-1] in remark for remark in remarks)


def test_turns_that_were_rolled_back_in_place_are_left_out(tmp_path: Path) -> None:
    def said(role: str, text: str) -> dict[str, object]:
        part = {"type": "input_text", "text": text}
        return {"type": "response_item", "payload": {"type": "message", "role": role, "content": [part]}}

    records: list[dict[str, object]] = [{"type": "session_meta", "payload": {"id": "t", "cwd": "/p"}}]
    records += [said("user", "a"), said("assistant", "A"), said("user", "b"), said("assistant", "B")]
    records += [{"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}]
    records += [said("user", "c"), said("assistant", "C")]
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    reading = readers.read_source(path)
    by_text = {step.outputs.get("text"): step for step in reading.record.graph}
    (file,) = hand_back(wish(reading, by_text["C"], tmp_path)).files
    assert [text in file.content for text in (b'"A"', b'"B"', b'"C"', b"rolled_back")] == [True, False, True, False]
    (file,) = hand_back(wish(reading, by_text["B"], tmp_path)).files
    assert [text in file.content for text in (b'"A"', b'"B"', b'"C"', b"rolled_back")] == [True, True, False, False]


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.program)
def test_only_a_version_that_is_newer_than_proved_is_remarked_on(writer: Writer) -> None:
    newest = writer.proved[-1]
    first, _dot, _rest = newest.partition(".")
    for fine in (newest, f"{newest}-linux-x64", f"v{newest}", writer.proved[0], ""):
        assert about_versions(writer, fine, "") == about_versions(writer, "", fine) == []
    for newer in (f"{int(first) + 1}.0.0", f"{first}.9999.0", f"{newest}.1"):
        assert newer in about_versions(writer, newer, newest)[0]
        assert newer in about_versions(writer, newest, newer)[0]


def test_a_call_that_codex_is_told_had_no_result_is_not_claimed_to_have_taken_until_today(tmp_path: Path) -> None:
    (reading,) = readings("codex", "0.169.0-b-parallel")
    asked = [step for step in reading.record.graph if step.outputs.get("tool_calls")][-1]
    (file,) = hand_back(wish(reading, asked, tmp_path)).files
    path = tmp_path / file.path.name
    path.write_bytes(file.content)
    written = readers.read_source(path)
    closed = [step for step in written.record.graph if CLOSED in str(step.outputs)]
    assert closed
    assert all(step.duration < 60 for step in closed)


def test_a_summary_of_opencode_that_came_to_nothing_is_not_asked_for_again_in_the_new_session(tmp_path: Path) -> None:
    """OpenCode would answer the next prompt with it: tried with 1.18.33, see tests/agents."""
    (reading,) = readings("opencode", "1.18.33-c-summary-fails")
    steps = list(reading.record.graph)
    asked = "OpenCode's last summary came to nothing: the new session does not ask for it again."

    def document(place: int, *, replaces: bool = False) -> tuple[list[Any], tuple[str, ...]]:
        found = hand_back(wish(reading, steps[place], tmp_path, replaces=replaces))
        return json.loads(found.files[0].content)["messages"], found.remarks

    def asks(message: Any) -> bool:
        return any(part["type"] == "compaction" for part in message["parts"])

    failed = next(place for place, step in enumerate(steps) if step.error)
    before, remarks = document(failed - 1)
    assert asked not in remarks
    at, remarks = document(failed)
    assert asked in remarks
    assert not any(map(asks, at))
    assert len(at) == len(before) + 1

    interrupted = next(place for place, step in enumerate(steps) if step.error.get("type") == "interrupted")
    for place, replaces in ((interrupted, False), (interrupted + 1, True)):
        messages, remarks = document(place, replaces=replaces)
        assert asked in remarks
        assert not any(map(asks, messages))
        *_, prompt, _failed, cut = messages
        assert prompt["parts"][-1]["text"] == "Third question"
        assert cut["parts"][-1]["text"] == "SUMMARY that is cut"
        assert cut["info"]["parentID"] == prompt["info"]["id"]
    later, remarks = document(interrupted + 2)
    assert asked not in remarks
    assert any(map(asks, later))
