"""Chains of lines that make no step: their time follows their length, and reading them can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from opentine_gui.core.errors import Cancelled
from opentine_gui.core.progress import Pace
from opentine_gui.importers.claude_code import read, session, threads
from opentine_gui.importers.claude_code.log import read_log
from opentine_gui.importers.claude_code.steps import Steps
from opentine_gui.importers.claude_code.subagents import Subagents
from opentine_gui.importers.claude_code.threads import Threads
from opentine_gui.importers.reading import Report
from opentine_gui.importers.run_draft import RunDraft
from tests.growth import excess
from tests.importers.claude_code.written_log import Log, texts

FEW, MANY = 400, 4_000
Add = Callable[[Log, str], str]


def notice(log: Log, above: str) -> str:
    return log.user(above, "<task-notification>done</task-notification>")


def turn_end(log: Log, above: str) -> str:
    return log.add("system", above, subtype="turn_duration")


def command(log: Log, above: str) -> str:
    return log.user(above, "<command-name>/clear</command-name>")


def retry(log: Log, above: str) -> str:
    return log.add("system", above, subtype="api_error")


def passed_over(log: Log, above: str) -> str:
    return log.add("system", above, subtype="informational")


KINDS = [notice, turn_end, command, retry, passed_over]


def chain(add: Add, count: int) -> Log:
    log = Log()
    tip = log.user(None, "Go")
    for _ in range(count):
        tip = add(log, tip)
    log.says(tip, "m", "Done.")
    return log


def with_an_end_of_a_turn_below_each(add: Add, count: int) -> Log:
    """Every line of the chain has another child, as one that is walked up from by itself."""
    log = Log()
    tip = log.user(None, "Go")
    for _ in range(count // 2):
        tip = add(log, tip)
        turn_end(log, tip)
    log.says(tip, "m", "Done.")
    return log


def steps_of(path: Path, cancelled: Callable[[], bool] | None = None, progress: list[float] | None = None) -> None:
    found = Threads(read_log(path, Report(), Pace()))
    said = progress.append if progress is not None else None
    Steps(found, Subagents(found), RunDraft(texts_are_whole=True)).make(Pace(said, cancelled))


@pytest.mark.parametrize("shape", [chain, with_an_end_of_a_turn_below_each])
@pytest.mark.parametrize("add", KINDS)
def test_the_time_for_a_chain_follows_its_length(add: Add, shape: Callable[[Add, int], Log], tmp_path: Path) -> None:
    paths = [shape(add, count).write(tmp_path / str(count)) for count in (FEW, MANY)]
    lines = [path.read_bytes().splitlines() for path in paths]
    few, many = (b"[" + b",".join(found) + b"]" for found in lines)
    assert not excess(lambda: steps_of(paths[0]), lambda: steps_of(paths[1]), (few, many))


def prompts_below_notices(count: int) -> Log:
    log = Log()
    tip = log.user(None, "Go")
    for _ in range(count // 2):
        tip = notice(log, tip)
    for _ in range(count // 2):
        log.user(tip, "And?")
    return log


def prompts_below_parallel_results(count: int) -> Log:
    log = Log()
    tip = log.user(None, "Go")
    for number in range(count // 3):
        tip = log.calls(tip, "m", f"t{number}")
    for number in range(count // 3):
        log.user(log.result(tip, f"t{number}"), "And?")
    return log


def compactions_that_keep_one_another(count: int) -> Log:
    log = Log()
    tip = first = log.user(None, "Go")
    for number in range(count // 2):
        kept = {"headUuid": first, "tailUuid": tip, "anchorUuid": f"s{number}"}
        about = {"trigger": "auto", "preservedSegment": kept}
        above = log.add("system", None, subtype="compact_boundary", logicalParentUuid=tip, compactMetadata=about)
        tip = log.user(above, "All so far.", isCompactSummary=True, uuid=f"s{number}")
    return log


def lines_of_an_answer_that_hang_elsewhere(count: int) -> Log:
    log = Log()
    tip = log.user(None, "Go")
    for number in range(count // 2):
        log.says(log.says(tip, "m", f"{number}"), "m", f"and {number}")
    return log


SHAPES = [
    prompts_below_notices,
    prompts_below_parallel_results,
    compactions_that_keep_one_another,
    lines_of_an_answer_that_hang_elsewhere,
]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_time_for_what_hangs_from_many_lines_follows_their_number(
    shape: Callable[[int], Log], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MOST_NOTICES", "MOST_CALLS", "MOST_KEPT"):
        monkeypatch.setattr(threads, name, 20)
    paths = [shape(count).write(tmp_path / str(count)) for count in (FEW, MANY)]
    few, many = (b"[" + b",".join(path.read_bytes().splitlines()) + b"]" for path in paths)
    assert not excess(lambda: steps_of(paths[0]), lambda: steps_of(paths[1]), (few, many))


def test_of_very_many_notices_a_step_has_the_newest_and_how_many_there_are_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "MOST_NOTICES", 2)
    log = Log()
    tip = log.user(None, "Go")
    for number in range(5):
        tip = log.user(tip, f"<task-notification>{number}</task-notification>")
        log.user(tip, "And?")
    asked = [step.inputs for step in log.read(tmp_path).record.graph][1:]
    assert [len(inputs["notices"]) for inputs in asked] == [1, 2, 2, 2, 2]
    assert [inputs.get("notices_left_out", 0) for inputs in asked] == [0, 0, 1, 2, 3]
    assert asked[4]["notices"] == [f"<task-notification>{number}</task-notification>" for number in (3, 4)]


def test_of_very_many_calls_of_one_answer_the_newest_are_linked_to_what_follows_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (threads, session):
        monkeypatch.setattr(module, "MOST_CALLS", 2)
    reading = prompts_below_parallel_results(9).read(tmp_path)
    steps = {step.id: step for step in reading.record.graph}
    (first, *_) = asked = [step for step in steps.values() if step.inputs.get("text") == "And?"]
    commands = [steps[parent].inputs["arguments"]["command"] for parent in first.parent_ids]
    assert (len(asked), commands) == (3, ["t1", "t2"])
    assert any("more than 2 calls" in remark for remark in reading.report.remarks)


def test_what_follows_a_chain_has_all_its_notices_in_order_and_counts_the_attempts(tmp_path: Path) -> None:
    log = Log()
    tip = log.user(None, "Go")
    first = log.user(tip, "<task-notification>1</task-notification>")
    again = retry(log, command(log, turn_end(log, first)))
    log.says(again, "m1", "One.")
    second = log.user(passed_over(log, again), "<task-notification>2</task-notification>")
    log.says(retry(log, second), "m2", "Two.")
    reading = log.read(tmp_path)
    assert texts(reading) == ["Go < ", "One. < Go", "Two. < Go"]
    steps = list(reading.record.graph)
    noticed = [f"<task-notification>{number}</task-notification>" for number in (1, 2)]
    assert [step.inputs["notices"] for step in steps[1:]] == [noticed[:1], noticed]
    assert [step.tool_info["attempts"] for step in steps[1:]] == [2, 3]


def test_each_line_below_one_that_is_not_there_counts_as_missing(tmp_path: Path) -> None:
    log = Log()
    tip = notice(log, turn_end(log, "gone"))
    log.user(tip, "One")
    log.user(tip, "Two")
    reading = log.read(tmp_path)
    assert texts(reading) == ["One < ", "Two < "]
    assert any(remark.startswith("2 records hang") for remark in reading.report.remarks)


def test_making_the_steps_says_how_far_it_is_and_can_be_stopped(tmp_path: Path) -> None:
    path = chain(notice, 1_000).write(tmp_path)
    told: list[float] = []
    steps_of(path, progress=told)
    assert told == sorted(told) and len(told) > 10
    with pytest.raises(Cancelled):
        steps_of(path, cancelled=lambda: True)


def test_reading_a_session_reports_that_its_steps_are_being_made(tmp_path: Path) -> None:
    told: list[float] = []
    read(chain(notice, 1_000).write(tmp_path), progress=told.append)
    assert told == sorted(told)
    assert sum(0.6 < fraction < 0.75 for fraction in told) > 10
