"""What went wrong in a step, from the shapes in which recordings keep it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from opentine_gui.core import Step, StepKind
from opentine_gui.describe.failures.failure import failure_of

TRACE = (
    "Traceback (most recent call last):\n"
    '  File "reader.py", line 41, in records\n'
    "    link(record)\n"
    "KeyError: 'parent_uuid'"
)


def step(kind: StepKind = StepKind.TOOL, **fields: Any) -> Step:
    return Step(id="s", parent_ids=(), kind=kind, **{"inputs": {}, **fields})


def test_a_step_that_did_not_fail_has_no_failure() -> None:
    assert failure_of(step(outputs={"result": "KeyError: this was only printed", "exit_code": 0})) is None


def test_type_and_message_make_the_headline_and_the_other_members_are_kept() -> None:
    failure = failure_of(step(error={"type": "HTTPStatusError", "message": "404 Not Found", "url": "https://x.test"}))
    assert failure is not None
    assert failure.headline == "HTTPStatusError: 404 Not Found"
    assert failure.facts == {"url": "https://x.test"}


def test_an_exit_code_and_a_traceback_within_one_message_are_told_apart() -> None:
    failure = failure_of(step(error={"type": "ToolError", "message": f"Exit code 1\n{TRACE}"}))
    assert failure is not None
    assert (failure.exit_code, failure.message, failure.traceback) == (1, "", TRACE)
    assert failure.headline == "KeyError: 'parent_uuid'"


def test_a_message_before_its_own_traceback_stays_whole() -> None:
    failure = failure_of(step(error={"message": f"collected 3 items\n{TRACE}\n", "exit_code": 2}))
    assert failure is not None
    assert failure.headline == "KeyError: 'parent_uuid'"
    assert failure.message == "collected 3 items"
    assert failure.traceback == TRACE
    assert failure.exit_code == 2


@pytest.mark.parametrize(
    ("fields", "headline"),
    [
        ({"error": {"type": "Limit", "trace": ["a.py:1", "ValueError: odd"]}}, "ValueError: odd"),
        ({"error": {"message": "<tool_use_error>No such path</tool_use_error>"}}, "No such path"),
        ({"outputs": {"error": "404 Not Found"}}, "404 Not Found"),
        ({"outputs": {"error": {"message": "slow", "type": "Timeout"}}}, "Timeout: slow"),
        ({"kind": StepKind.ERROR, "inputs": {"text": "Max steps reached"}}, "Max steps reached"),
        ({"kind": StepKind.ERROR, "outputs": {"message": "Failed to fetch"}}, "Failed to fetch"),
        ({"error": {"type": "BudgetExceeded", "limit": 0.1}}, "BudgetExceeded"),
        ({"error": {"exit_code": 3}}, "Exit code 3"),
        ({"error": {"type": "exit_code", "exit_code": 1}}, "Exit code 1"),
        ({"error": {"type": "failed"}}, "Failed"),
        ({"error": {"type": "failed", "message": "a.go:1:2: undefined: x\n  x()"}}, "a.go:1:2: undefined: x"),
        ({"error": {"type": "no_result", "message": "no result recorded"}}, "no result recorded"),
        ({"error": {"type": "no_result"}}, "no_result"),
        ({"error": {"odd": {"deep": [1]}}}, "Failed"),
    ],
)
def test_the_headline_is_found_wherever_it_was_recorded(fields: dict[str, Any], headline: str) -> None:
    failure = failure_of(step(**fields))
    assert failure is not None
    assert failure.headline == headline


def test_a_result_that_repeats_the_error_is_known_to_be_the_same() -> None:
    failure = failure_of(step(error={"message": "boom"}, outputs={"result": "boom", "log": "other"}))
    assert failure is not None
    assert ("outputs", "result") in failure.paths
    assert ("outputs", "log") not in failure.paths


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(("message", "type", "traceback", "trace", "error", "exit_code", "stderr", "detail"))


@given(st.dictionaries(names, values, min_size=1, max_size=5))
@example({"type": "\r"})
def test_any_recorded_error_is_a_failure_with_a_headline_of_one_line(error: dict[str, Any]) -> None:
    failure = failure_of(step(error=error))
    assert failure is not None
    assert failure.headline.strip()
    assert "\n" not in failure.headline
