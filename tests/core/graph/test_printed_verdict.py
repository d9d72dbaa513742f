"""Where nothing else is recorded, the lines with which runners sum up say how a check ended, and no other line does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core.graph.outcomes.printed_verdict import printed_verdict
from tests.growth import is_squared

FAILING = {
    "pytest": "===== 2 failed, 10 passed, 1 warning in 3.21s =====",
    "pytest -q": "1 failed, 9 passed in 7.87s",
    "pytest, collecting": "1 error in 0.12s",
    "unittest": "FAILED (failures=2)",
    "unittest, skipped": "FAILED (skipped=1, errors=2)",
    "jest": "Tests:       1 failed, 3 passed, 4 total",
    "jest, in a line": "Tests: 1 failed, 3 passed",
    "jest, suites": "Test Suites: 1 failed, 2 total",
    "vitest": "      Tests  1 failed | 3 passed (4)",
    "mocha": "  2 failing",
    "playwright": "  1 failed",
    "go": "FAIL\texample.com/a\t0.004s",
    "go, build": "FAIL\texample.com/a [build failed]",
    "go, a test": "--- FAIL: TestAdds (0.00s)",
    "cargo": "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
    "cargo, after": "error: test failed, to rerun pass `--lib`",
    "rspec": "12 examples, 1 failure",
    "rspec, outside": "0 examples, 0 failures, 1 error occurred outside of examples",
    "phpunit": "FAILURES!",
    "phpunit, counts": "Tests: 5, Assertions: 9, Failures: 1.",
    "maven": "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0",
    "maven, errors": "[ERROR] Tests run: 5, Failures: 0, Errors: 2, Skipped: 0",
    "gradle": "BUILD FAILED in 12s",
    "dotnet": "Failed!  - Failed:     1, Passed:    11, Skipped:     0, Total:    12",
    "tsc": "src/a.ts(5,15): error TS2305: Module has no exported member 'B'.",
    "tsc, pretty": "src/a.ts:5:15 - error TS2305: Module has no exported member 'B'.",
    "eslint": "✖ 3 problems (1 error, 2 warnings)",
    "ruff": "Found 3 errors.",
    "ruff, fixed": "Found 3 errors (2 fixed, 1 remaining).",
    "mypy": "Found 2 errors in 1 file (checked 12 source files)",
    "npm": "npm ERR! Test failed.  See above for more details.",
    "npm, later": "npm error code 1",
    "a shell": "Command exited with code 1",
}
PASSING = {
    "pytest": "=================== 12 passed, 1 skipped in 3.21s ===================",
    "pytest -q": "10 passed, 1 warning in 0.35s",
    "unittest": "Ran 12 tests in 0.004s\n\nOK",
    "unittest, skipped": "Ran 12 tests in 0.004s\n\nOK (skipped=1)",
    "jest": "Tests:       1 skipped, 3 passed, 4 total",
    "vitest": "      Tests  3 passed (3)",
    "mocha": "  12 passing (34ms)",
    "go": "ok  \texample.com/a\t0.004s",
    "go, cached": "ok  \texample.com/a\t(cached)",
    "cargo": "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    "rspec": "12 examples, 0 failures",
    "phpunit": "OK (5 tests, 9 assertions)",
    "maven": "[INFO] BUILD SUCCESS",
    "gradle": "BUILD SUCCESSFUL in 12s",
    "dotnet": "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12",
    "eslint": "✖ 2 problems (0 errors, 2 warnings)",
    "ruff": "All checks passed!",
    "mypy": "Success: no issues found in 12 source files",
}
NEITHER = [
    "",
    "error: something",
    "the last run said 1 failed, 3 passed in 2s",
    "    assert '1 failed in 2s' == said",
    "# Tests: 1 failed, 3 passed",
    "0 failed",
    "FAILED tests/test_a.py::test_it - assert 1 == 2",
    "FAILED (skipped=1)",
    "OK",
    "no tests ran in 0.01s",
    "Ran 0 tests in 0.000s\n\nOK",
    "0 examples, 0 failures",
    "Tests: 0 total",
    "npm warn deprecated left-pad@1.3.0",
    "12 passed the examination",
]


@pytest.mark.parametrize("line", FAILING.values(), ids=FAILING)
@pytest.mark.parametrize("around", ["{}", "collected\n{}\r\n", "\x1b[31m{}\x1b[0m\nbye"])
def test_a_line_that_sums_up_a_failure_says_so(line: str, around: str) -> None:
    found = printed_verdict({"result": around.format(line)})
    assert found.failed == line.strip(" =")
    assert not found.passed


@pytest.mark.parametrize("line", PASSING.values(), ids=PASSING)
@pytest.mark.parametrize("around", ["{}", "collected\n{}\n\nbye", "\x1b[32m{}\x1b[0m\nbye"])
def test_a_line_that_sums_up_that_all_is_well_says_so(line: str, around: str) -> None:
    found = printed_verdict({"result": around.format(line)})
    assert not found.failed
    assert sum(found.passed.values()) == 1


@pytest.mark.parametrize("line", NEITHER)
def test_no_other_line_says_anything(line: str) -> None:
    assert printed_verdict({"result": f"first\n{line}\nlast"}) == ("", {})


@given(st.lists(st.sampled_from([*FAILING.values(), *PASSING.values(), *NEITHER]), max_size=8))
def test_whatever_is_beside_it_a_failure_is_found_and_every_pass_is_counted(lines: list[str]) -> None:
    found = printed_verdict({"result": "\n".join(lines)})
    assert bool(found.failed) == any(line in FAILING.values() for line in lines)
    assert sum(found.passed.values()) == sum(line in PASSING.values() for line in lines)


@given(st.text(alphabet="1 failedpss,()=:\n\tTestFAIL.|✖!", max_size=200))
def test_any_text_is_looked_at(text: str) -> None:
    printed_verdict({"result": text, "stderr": [text, {"a": text}]})


@pytest.mark.parametrize(
    "piece",
    ["1 failed, ", "=", " ", "1 passed, ", "a", "9", "Tests: ", "a:1:1", "\x1b[3", "Ran 1 test in 1s\n\n", "[ERROR] "],
)
def test_no_line_takes_longer_than_it_is_long(piece: str) -> None:
    assert not is_squared(lambda size: printed_verdict({"result": piece * size}), 400)
