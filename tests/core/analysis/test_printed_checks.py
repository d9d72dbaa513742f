"""How checks ended in logs that record no outcome of a command: what they printed counts."""

from __future__ import annotations

import pytest

from opentine_gui.core import StepKind
from opentine_gui.core.analysis.files.touched_files import touched_files
from opentine_gui.core.analysis.suspicion.account import account_of, end_at, flags_failures
from opentine_gui.core.analysis.suspicion.open_checks import OpenEnd
from opentine_gui.describe.finding_words import open_end_hint
from tests.core.analysis.call_runs import Recording, ended, shell


def told(run: Recording) -> OpenEnd:
    """The same in a log that says of no call by itself that it failed."""
    graph = run.record().graph
    return end_at(graph, len(graph) - 1, {}, touched_files(graph), flags=False)


def test_where_no_outcome_is_recorded_what_a_check_printed_counts() -> None:
    run = Recording()
    run.ask("mend it")
    failing = run.call("Bash", {"command": "pytest -q"}, "FAILED a.py::b\n1 failed, 9 passed in 0.4s")
    assert told(run) == OpenEnd((failing,))
    assert ended(run) == OpenEnd(passed=failing), "where failures are flagged, this was none"
    hint = open_end_hint(run.record().graph, told(run))
    assert "its output says 1 failed, 9 passed in 0.4s" in hint
    passed = run.call("Bash", {"command": "pytest -q"}, "10 passed in 0.4s")
    assert told(run) == OpenEnd(passed=passed)
    unclear = run.call("Bash", {"command": "pytest -q"}, "")
    assert told(run) == OpenEnd(passed=unclear, unclear=True)


def test_a_recorded_exit_code_goes_before_what_was_printed() -> None:
    run = Recording()
    run.ask("mend it")
    for where in ({"tool_info": {"exit_code": 0}}, {"outputs": {"exit_code": 0, "result": "1 failed in 2s"}}):
        outputs = where.get("outputs", {"result": "1 failed in 2s"})
        call = {"name": "Bash", "arguments": {"command": "pytest -q"}}
        step = run.add(StepKind.TOOL, call, outputs=outputs, tool_info=where.get("tool_info", {}))
        assert told(run) == OpenEnd(passed=step)
    none = {"exit_code": -1, "result": "1 failed in 2s"}
    last = run.add(StepKind.TOOL, {"name": "Bash", "arguments": {"command": "pytest"}}, outputs=none)
    assert told(run) == OpenEnd((last,)), "a code that stands for none is none"


def test_no_output_of_another_command_is_taken_for_that_of_a_check() -> None:
    run = Recording()
    run.ask("read it")
    run.call("Bash", {"command": "cat log.txt"}, "1 failed, 9 passed in 0.4s")
    run.call("Bash", {"command": "python tools/report.py"}, "FAILED (failures=2)")
    assert told(run) == OpenEnd()


def test_tests_after_an_installation_failed_if_they_printed_it() -> None:
    run = Recording()
    run.ask("mend it")
    failing = run.call("Bash", {"command": "npm install && npm test"}, "added 3 packages\nTests: 1 failed, 2 total")
    assert told(run) == OpenEnd((failing,))
    passed = run.call("Bash", {"command": "npm install && npm test"}, "Tests:  2 passed, 2 total")
    assert told(run) == OpenEnd(passed=passed)


@pytest.mark.parametrize(
    ("command", "printed", "passed"),
    [
        ("ruff check .; mypy .; pytest", "All checks passed!\nSuccess: no issues found in 3\n9 passed in 1s", True),
        ("ruff check .; pytest; echo done", "All checks passed!\n9 passed in 1s\ndone", True),
        ("pytest a; pytest b; echo done", "3 passed in 1s\n4 passed in 1s\ndone", True),
        ("ruff check . && pytest; echo done", "All checks passed!\n9 passed in 1s\ndone", True),
        ("npm run lint; npm test; echo done", "All checks passed!\n  12 passing (3ms)\ndone", True),
        ("pytest a; pytest b; echo done", "4 passed in 1s\ndone", False),
        ("npx tsc --noEmit; pytest; echo done", "9 passed in 1s\ndone", False),
        ("ruff check .; pytest; echo done", "All checks passed!\n1 failed, 9 passed in 1s\ndone", False),
        ("ruff check . && pytest; echo done", "All checks passed!\ndone", False),
    ],
)  # fmt: skip
def test_several_checks_of_a_line_passed_if_each_printed_that_it_did(command: str, printed: str, passed: bool) -> None:
    run = Recording()
    run.ask("mend it")
    last = run.call("Bash", {"command": command}, printed)
    if command.endswith("done"):
        assert ended(run) == OpenEnd(passed=last, unclear=not passed)
    if "failed" in printed:
        assert told(run) == OpenEnd((last,))
    else:
        assert told(run) == OpenEnd(passed=last, unclear=not passed)


@pytest.mark.parametrize("command", ["(npm test)", "(npm test 2>&1)", "(cd web && npm test)", "( npm test )"])
def test_a_check_in_parentheses_is_one(command: str) -> None:
    run = Recording()
    run.ask("mend it")
    failing = shell(run, command, failed="1 failing")
    assert ended(run) == OpenEnd((failing,))
    passed = shell(run, command)
    assert ended(run).checks == () and ended(run).passed == passed


@pytest.mark.parametrize(
    ("source", "counts"),
    [(None, True), ("claude-code", True), ("pi", True), ("gemini-cli", True), ("codex", False), ("swe-agent", False)],
)
def test_which_logs_flag_what_failed(source: str | None, counts: bool) -> None:
    capture = {"capture": {"source_format": source}} if source else {}
    run = Recording()
    run.ask("mend it")
    run.call("Bash", {"command": "pytest"}, "1 failed in 2s")
    record = run.record(metadata=capture)
    assert flags_failures(record) is counts
    assert bool(account_of(record).end.checks) is not counts
