"""What a person typed into Claude Code is theirs, whatever it begins with, and what they ran themselves is a step."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.core.model import RunStatus, StepKind
from opentine_gui.importers import claude_code
from opentine_gui.importers.claude_code.kinds import CAVEAT_SENTENCE
from opentine_gui.importers.growing.claude_code import GrowingSession
from tests.importers.claude_code.written_log import Log
from tests.importers.growing_sessions import check_growth, said

STOPPED = "[Request interrupted by user for tool use]"


@pytest.mark.parametrize(
    "typed", ["Caveat: keep the old API. Now rename it.", "[Request interrupted by a proxy] is in the log. Why?"]
)
def test_a_prompt_that_begins_like_claude_codes_own_words_is_a_prompt(tmp_path: Path, typed: str) -> None:
    log = Log()
    answer = log.says(log.user(None, "first"), "m1", "one")
    log.says(log.user(answer, typed), "m2", "two")
    reading = log.read(tmp_path)
    _first, one, prompt, two = reading.record.graph
    assert (prompt.v3_kind, prompt.inputs, prompt.parent_ids) == ("human", {"text": typed}, (one.id,))
    assert two.parent_ids == (prompt.id,)
    # Without a prompt after it the first answer was no end of a turn, and had another id.
    assert set(reading.former.values()) == {one.id, two.id} | ({prompt.id} if typed.startswith("[") else set())


def test_what_claude_code_writes_itself_is_no_prompt(tmp_path: Path) -> None:
    log = Log()
    answer = log.says(log.user(None, "first"), "m1", "one")
    caveat = log.user(answer, f"{CAVEAT_SENTENCE}. DO NOT respond to them.")
    meta = log.user(caveat, "Caveat: of an older version.", isMeta=True)
    log.user(meta, STOPPED)
    reading = log.read(tmp_path)
    assert [step.shown_kind for step in reading.record.graph] == ["human", "model", "error"]
    assert not reading.former


def shell_session() -> Log:
    log = Log()
    answer = log.says(log.user(None, "first"), "m1", "one")
    caveat = log.user(answer, f"{CAVEAT_SENTENCE}.", isMeta=True)
    push = log.user(caveat, "<bash-input>git push --force</bash-input>")
    pushed = log.user(push, "<bash-stdout>pushed</bash-stdout><bash-stderr>slowly</bash-stderr>")
    log.says(log.user(pushed, "What did I do?"), "m2", "You pushed.")
    return log


def test_a_command_that_the_user_ran_is_a_step_between_the_turns(tmp_path: Path) -> None:
    reading = shell_session().read(tmp_path)
    steps = list(reading.record.graph)
    assert [step.shown_kind for step in steps] == ["human", "done", "tool", "human", "model"]
    assert steps[2].inputs == {"name": "bash", "arguments": {"command": "git push --force"}, "by": "person"}
    assert steps[2].outputs == {"result": "pushed\nslowly"}
    assert [step.parent_ids for step in steps[2:]] == [(steps[1].id,), (steps[2].id,), (steps[3].id,)]
    assert len(reading.places[steps[2].id]) == 2
    assert set(reading.former.values()) == {steps[3].id, steps[4].id}


@pytest.mark.parametrize("printed", [True, False])
def test_a_command_after_an_answer_leaves_its_turn_ended(tmp_path: Path, printed: bool) -> None:
    log = Log()
    answer = log.says(log.user(None, "first"), "m1", "one")
    run = log.user(answer, "<bash-input>ls</bash-input>")
    if printed:
        log.user(run, "<bash-stdout></bash-stdout><bash-stderr></bash-stderr>")
    record = log.read(tmp_path).record
    last = record.graph.step(2)
    assert (last.kind, last.outputs, last.error) == (StepKind.TOOL, {"result": ""} if printed else {}, {})
    assert (record.main_tip, record.status) == (last.id, RunStatus.COMPLETED)


def test_output_without_its_command_is_passed_over(tmp_path: Path) -> None:
    log = Log()
    log.says(log.user(log.user(None, "<bash-stdout>x</bash-stdout>"), "go"), "m1", "one")
    assert [step.shown_kind for step in log.read(tmp_path).record.graph] == ["human", "model"]


def test_a_session_with_commands_that_grows_reads_as_the_whole_does(tmp_path: Path) -> None:
    path = shell_session().write(tmp_path)
    first = GrowingSession(path).read()
    assert said(first) == said(claude_code.read(path))
    assert first.former == claude_code.read(path).former != {}
    check_growth(path, GrowingSession(path), lambda: claude_code.read(path))
