"""A check in a pipe ends with the exit code of the last program: what it printed says whether it failed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core import Graph, Step, StepKind, read, write
from opentine_gui.core.graph.outcomes.failures import failures_in
from opentine_gui.core.graph.outcomes.masked_failure import hides_exit_code, masked_failure, says_passed
from opentine_gui.describe.failures.failure import BY_OUTPUT, failure_of
from opentine_gui.describe.failures.reason import failure_reason
from tests.core.sample_runs import make_record
from tests.growth import is_squared

GO = "FAIL\n--- FAIL: TestResume (0.02s)\n    resume_test.go:41: no remote\nFAIL\n[test] ERROR task failed"


def call(command: str, printed: Any, arguments: Any = None) -> Step:
    """A call of a shell without a recorded error."""
    inputs = {"name": "bash", "arguments": arguments if arguments is not None else {"command": command}}
    return Step(
        id="0" * 12, parent_ids=(), kind=StepKind.TOOL, inputs=inputs, model_info="m", timestamp=1.0,
        outputs={"result": printed},
    )  # fmt: skip


def graph_of(step: Step) -> Graph:
    return make_record([step]).graph


@pytest.mark.parametrize(
    ("command", "printed", "line"),
    [
        ("mise run test 2>&1 | tail -20", GO, "--- FAIL: TestResume (0.02s)"),
        ("cd web && npm run build 2>&1 | head -30", "> tsc\nsrc/a.ts(5,15): error TS2305: no 'B'", None),
        ("npm run check | grep error", "src/a.ts:5:15 - error TS2305: no 'B'", None),
        ("pytest -q | tail", "E  1 == 2\n=== 1 failed, 12 passed in 3 s ===", "=== 1 failed, 12 passed in 3 s ==="),
        ("npx vitest run || true", "\x1b[31m FAIL \x1b[39m src/a.test.ts > adds", None),
        ("cargo build 2>&1 | tail -5", "error: could not compile `a` (lib) due to 2 previous errors", None),
        ("make -j4 2>&1 | tee log", "a.c:1:2: error: no ';'\nmake: *** [a.o] Error 1", "a.c:1:2: error: no ';'"),
        ("ruff check . | tail -3", "Found 3 errors.", None),
        ("python -m pytest | tail", "Traceback (most recent call last):", None),
    ],
)  # fmt: skip
def test_what_it_printed_says_that_it_failed_however_the_run_is_read(
    command: str, printed: str, line: str | None, tmp_path: Any
) -> None:
    step = call(command, printed)
    said = masked_failure(step.inputs, step.outputs)
    assert said in printed and said, "a line of the output"
    assert line is None or said == line
    again = read(write(tmp_path / "run.tine", make_record([step]))).graph
    for graph in (graph_of(step), again, again.with_steps([again.step(0)])):
        assert graph.failed[0] and failures_in(graph) == (0,)
        assert failure_reason(graph, 0)
    failure = failure_of(step)
    assert failure is not None and failure.facts == {"judged by": BY_OUTPUT}
    assert "\x1b" not in failure.headline
    assert not failure_reason(again, 0).startswith(("---", "error"))


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("mise run test 2>&1 | tail -20", "ok  \tpkg/a\t0.2s\nok  \tpkg/FAIL\t(cached)"),
        ("npm test", GO),
        ("set -o pipefail; npm test | tail", GO),
        ("git log | head", GO),
        ("cat test.log | tail", GO),
        ("npm run build && git diff | head", GO),
        ("ruff check --fix . | tail", "Found 3 errors (3 fixed, 0 remaining)."),
        ("pytest | tail", "==== 12 passed, 2 xfailed in 3 s ===="),
        ("npm test | tail", "handles an error: shows it\nthe word FAIL inside a line\n0 failing"),
        ("echo 'npm test | tail'", GO),
    ],
)
def test_any_other_call_has_not_failed(command: str, printed: str) -> None:
    step = call(command, printed)
    assert not masked_failure(step.inputs, step.outputs) and failure_of(step) is None
    assert not graph_of(step).failed[0]


def test_the_command_is_found_however_the_agent_passes_it() -> None:
    for arguments in (
        '{"command": "npm test | tail"}', {"cmd": "npm test | tail"}, {"command": ["bash", "-lc", "npm test | tail"]},
    ):  # fmt: skip
        assert graph_of(call("", GO, arguments)).failed[0], arguments
    beside = Step(
        id="0" * 12, parent_ids=(), kind=StepKind.TOOL, model_info="m", timestamp=1.0, outputs={"result": GO},
        inputs={"name": "bash", "command": "npm test | tail", "input": "typed into it"},
    )  # fmt: skip
    assert graph_of(beside).failed[0], "what is typed into it are no arguments"
    for arguments in ("npm test | tail", "{", {"command": ["|"]}, {"command": 3}):
        assert not graph_of(call("", GO, arguments)).failed[0], arguments
    split = call("npm test | tail", [{"type": "text", "text": "all of it\n"}, {"type": "text", "text": GO}])
    assert graph_of(split).failed[0]


def test_only_a_check_before_a_pipe_hides_its_exit_code() -> None:
    hides = [
        "npm test | tail",
        "cd a && npm test 2>&1 | grep -v b | head",
        "make || echo no",
        "npm run a && npm run b | cat",
        "make || exit 0",
        "make | tail || exit 1",
        "make || exit 1 && echo yes || true",
    ]
    shows = [
        "make || exit 1; echo yes",
        "make || { echo no; exit 2; }",
        "npm test",
        "npm test > log; tail log",
        "cat log | tail",
        "npm run a && npm run b",
        "grep 'make | a' b",
    ]
    assert [hides_exit_code(command) for command in (*hides, *shows)] == [True] * len(hides) + [False] * len(shows)
    assert says_passed({"result": "ok  \tpkg\t0.1s"}) and says_passed({"result": "0 issues."})
    assert not says_passed({"result": "> tsc --noEmit"}) and not says_passed({})


@given(
    st.text(),
    st.recursive(
        st.text() | st.none() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    ),
)
def test_no_command_and_no_output_is_too_odd(command: str, outputs: Any) -> None:
    for line in (command, f"npm test | {command}"):
        assert isinstance(masked_failure({"arguments": {"command": line}}, outputs), str)


@pytest.mark.parametrize(
    "part",
    [
        "=== 1 ",
        "=== 1 failed ",
        "Tests: 1 failed",
        "Found 1 error ",
        "Tests: 1 ",
        "Found 1 errors 0 ",
        "\x1b[3",
        "1",
        "a.b:1:",
        "x ",
        "\n",
        "FAIL \n",
    ],
)
def test_long_outputs_take_time_in_proportion(part: str) -> None:
    def looked_at(length: int) -> None:
        outputs = {"result": part * (length // len(part))}
        masked_failure({"arguments": {"command": "npm test | tail"}}, outputs)
        says_passed(outputs)

    assert not is_squared(looked_at, 2_000)
