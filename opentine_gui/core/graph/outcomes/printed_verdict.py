"""What a check printed of how it ended: counts where a log records neither an exit code nor that a call failed.

Only the lines with which test runners, compilers and linters sum up count, from the beginning of a line on. Each
pattern is bounded: the time is linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from opentine_gui.core.format.late_pattern import late_pattern
from opentine_gui.core.graph.outcomes.masked_failure import texts_of

_COUNTS = r"(?:\d{1,9} [a-z]{1,12}, ){0,6}"
_QUIET = r"(?:, \d{1,9} (?:skipped|deselected|xfailed|xpassed|warnings?|rerun|subtests passed)){0,7}"
_FAILED = {
    "pytest": (
        rf"(?:={{1,200}} )?{_COUNTS}[1-9]\d{{0,8}} (?:failed|errors?)(?:, \d{{1,9}} [a-z]{{1,12}}){{0,8}} in \d",
    ),
    "unittest": (r"FAILED \((?:skipped=\d{1,9}, )?(?:failures|errors|unexpected successes)=[1-9]",),
    "jest": (rf"(?:Tests|Test Suites): {{1,12}}{_COUNTS}[1-9]\d{{0,8}} failed\b",),
    "vitest": (r"[ ]{0,12}(?:Tests|Test Files) {1,4}(?:\d{1,9} [a-z]{1,12} \| ){0,6}[1-9]\d{0,8} failed\b",),
    "mocha": (r"[ ]{0,8}[1-9]\d{0,8} failing$",),
    "playwright": (r"[ ]{0,4}[1-9]\d{0,8} failed$",),
    "go test": (
        r"FAIL(?:[ \t]{1,4}[^\s]{1,300})?(?:[ \t]{1,4}(?:\d[\d.]{0,9}s|\[(?:build|setup) failed\]))?$",
        r"--- FAIL: [^\s]{1,300} \(\d",
    ),
    "cargo test": (r"test result: FAILED\. ", r"error: test failed\b", r"error: could not compile `"),
    "rspec": (
        r"\d{1,9} examples?, (?:[1-9]\d{0,8} failures?|0 failures, (?:\d{1,9} pending, )?[1-9]\d{0,8} errors? occ)",
    ),
    "phpunit": (r"(?:FAILURES|ERRORS)!$", r"Tests: \d{1,9}, Assertions: \d{1,9}, (?:Errors|Failures): [1-9]"),
    "mvn": (
        r"(?:\[[A-Z]{1,8}\] )?Tests run: \d{1,9}, (?:Failures: [1-9]|Failures: 0, Errors: [1-9])",
        r"\[[A-Z]{1,8}\] BUILD FAILURE$",
    ),
    "gradle": (r"BUILD FAILED in \d", r"FAILURE: Build failed with an exception\."),
    "dotnet": (r"Failed! {1,2}- Failed: {1,12}[1-9]",),
    "tsc": (
        r"[^\s(]{1,300}\(\d{1,9},\d{1,9}\): error TS\d",
        r"[^\s:]{1,300}:\d{1,9}:\d{1,9} - error TS\d",
        r"Found [1-9]\d{0,8} errors? in [^\s]",
    ),
    "eslint": (r"[✖×] [1-9]\d{0,8} problems? \([1-9]\d{0,8} errors?, ",),
    "ruff": (
        r"Found [1-9]\d{0,8} errors?(?: \(\d{1,9} fixed, [1-9]\d{0,8} remaining\))?\.$",
        r"[1-9]\d{0,8} files? would be reformatted\b",
    ),
    "mypy": (r"Found [1-9]\d{0,8} errors? in [1-9]\d{0,8} files? \(",),
    "pyright": (r"[1-9]\d{0,8} errors?, \d{1,9} warnings?\b",),
    "": (
        r"npm (?:ERR!|error) (?:code |Test failed|Lifecycle script )",
        r"[^\w\n]{0,6}ELIFECYCLE\W{1,4}(?:Test|Command) failed",
        r"error Command failed with exit code [1-9]",
        r"make(?:\[\d{1,3}\])?: \*\*\* \[[^\]\n]{1,300}\] Error [1-9]",
        r"Command exited with code [1-9]\d{0,9}$",
        r"<shellId: \d{1,9} completed with exit code [1-9]\d{0,9}>$",
    ),
}
"""Of each runner, "" being what starts others, the beginnings of lines which say that something failed."""
_PASSED = {
    "pytest": (rf"(?:={{1,200}} )?[1-9]\d{{0,8}} passed{_QUIET} in \d",),
    "unittest": (r"Ran [1-9]\d{0,8} tests? in \d[\d.]{0,12}s\r?\n\r?\nOK(?: \([^()\n]{1,200}\))?$",),
    "jest": (r"Tests: {1,12}(?:\d{1,9} (?:skipped|todo), ){0,2}[1-9]\d{0,8} passed, \d{1,9} total$",),
    "vitest": (r"[ ]{0,12}Tests {1,4}[1-9]\d{0,8} passed(?: \| \d{1,9} (?:skipped|todo)){0,2} \(\d{1,9}\)$",),
    "mocha": (r"[ ]{0,8}[1-9]\d{0,8} passing \(\d",),
    "playwright": (r"[ ]{0,4}[1-9]\d{0,8} passed \(\d",),
    "go test": (r"ok[ \t]{1,4}[^\s]{1,300}[ \t]{1,4}(?:\d[\d.]{0,9}s|\(cached\))",),
    "cargo test": (r"test result: ok\. [1-9]\d{0,8} passed; 0 failed\b",),
    "rspec": (r"[1-9]\d{0,8} examples?, 0 failures(?:, \d{1,9} pending)?$",),
    "phpunit": (r"OK \([1-9]\d{0,8} tests?, \d{1,9} assertions?\)$",),
    "mvn": (r"\[[A-Z]{1,8}\] BUILD SUCCESS$",),
    "gradle": (r"BUILD SUCCESSFUL in \d",),
    "dotnet": (r"Passed! {1,2}- Failed: {1,12}0, Passed: {1,12}[1-9]",),
    "eslint": (r"[✖×] [1-9]\d{0,8} problems? \(0 errors, ",),
    "ruff": (
        r"All checks passed!$",
        r"Found [1-9]\d{0,8} errors? \(\d{1,9} fixed, 0 remaining\)\.$",
        r"[1-9]\d{0,8} files? already formatted$",
    ),
    "mypy": (r"Success: no issues found in \d",),
    "pyright": (r"0 errors, \d{1,9} warnings?\b",),
    "": (r"Command exited with code 0$", r"<shellId: \d{1,9} completed with exit code 0>$"),
}
_ESCAPE = re.compile(r"\x1b\[[0-9;]{0,12}m")
_MOST_LINES = 2_000
_MOST_SHOWN = 200


def _pattern(lines: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    ends = ((name, "|".join(each).replace("$", r"[ \t\r]{0,4}$")) for name, each in lines.items())
    return tuple((name, late_pattern(rf"^(?:{each})", re.MULTILINE)) for name, each in ends)


_SAY_FAILED, _SAY_PASSED = _pattern(_FAILED), _pattern(_PASSED)


class Verdict(NamedTuple):
    """What an output says of the checks that ran: the line that says that one `failed`, "" for none, and how many
    lines of each runner say that all is well.
    """

    failed: str = ""
    passed: Mapping[str, int] = {}


def printed_verdict(outputs: Any) -> Verdict:
    """The verdict of an output, from the beginnings and the ends of its texts."""
    failed = ""
    passed: Counter[str] = Counter()
    for text in texts_of(outputs):
        text = _ESCAPE.sub("", text) if "\x1b" in text else text
        failed = failed or _failing_line(text)
        for name, pattern in _SAY_PASSED:
            found = sum(1 for _ in zip(pattern.finditer(text), range(_MOST_LINES), strict=False))
            if found:
                passed[name] += found
    return Verdict(failed, passed)


def _failing_line(text: str) -> str:
    """The first line with which a runner sums up that something failed, rather than one of what started it."""
    for _, pattern in _SAY_FAILED:
        found = pattern.search(text)
        if found is not None:
            line = text[found.start() :].split("\n", 1)[0]
            return line.strip(" \t\r=")[:_MOST_SHOWN]
    return ""
