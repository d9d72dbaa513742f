"""Tells commands that failed although their exit code says nothing: that of `make test | tail` is the one of `tail`.

Agents cut the output of most checks in this way. What the check printed then says how it ended, if anything does: only
lines that programs write when they fail count, never a word like "error" alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from opentine_gui.core.format.late_pattern import late_pattern
from opentine_gui.core.graph.calls.shell_line import ENDS_FAILED, RUNNERS, TESTING, command_of, commands_and_exits
from opentine_gui.core.model import StepKind

_INTERPRETERS = frozenset(["python", "python3", "node", "ruby", "php"])
"""They run checks only if what they are given says so."""
_CHECKING = (TESTING | RUNNERS).difference(_INTERPRETERS).union(
    ["biome", "cmake", "composer", "meson", "mix", "mvnw", "ninja", "rustc", "sbt", "turbo"]
)  # fmt: skip
"""Programs that check, build or run checks."""
_MODULES = late_pattern(r"(?:^|[/.:_-])(?:py)?tests?(?:$|[/.:_-])|^(?:mypy|ruff|unittest|tox|nox)$")
_PIPE_FAILS = late_pattern(r"\bpipefail\b")
_MOST_TEXT = 20_000
"""Most characters of an output that are examined, from its beginning and from its end."""
_MOST_TEXTS = 16
_MOST_LINES = 32
_ESCAPES = r"(?:\x1b\[[0-9;]{0,12}m|[ \t])*+"
_FAILED = late_pattern(
    r"^" + _ESCAPES + r"(?:"
    r"FAIL(?:ED)?(?=[\s:(\x1b]|$)|--- FAIL: |BUILD FAIL(?:ED|URE)\b|FAILURE: Build failed|test result: FAILED|"
    r"(?:npm|pnpm|yarn) (?:ERR!|error\b)|(?:npm|pnpm)? ?ELIFECYCLE\b|make(?:\[\d+\])?: \*\*\* |"
    r"error(?:\[E\d+\])?: |\[[\w:-]{1,40}\] ERROR\b|Traceback \(most recent call last\):|"
    r"Found [1-9]\d* errors?\b(?!.*\b0 remaining)|[✖✗×] [1-9]\d* problems? \([1-9]\d* errors?|"
    r"(?:Tests?|Test Suites|Test Files):?\s.*\b[1-9]\d* failed\b|={3,} .*\b[1-9]\d* (?:failed|errors?)\b|"
    r"[1-9]\d* (?:failing|failed)\b|(?:Process|Command) (?:exited|failed) with (?:exit )?(?:code|status):? [1-9]|"
    r"exit status [1-9]"
    r")|^[^\s:()]{1,200}(?:\(\d+,\d+\)|:\d+(?::\d+)?)(?: -|:) (?:\x1b\[[0-9;]{0,12}m)?(?:fatal )?error\b(?=[ :\x1b])",
    re.MULTILINE,
)
"""Lines that test runners, compilers, linters and build tools write when something failed.

No branch has two parts of any length in a row: a long line of "1 failed" would be searched for as often as it says so.
"""
_PASSED = late_pattern(
    r"^" + _ESCAPES + r"(?:ok\s+\S|PASS\b|\[[\w:-]{1,40}\] Finished\b|All checks passed|Success: no issues|"
    r"test result: ok|BUILD SUCCESS|no issues found|All files pass)|\b[1-9]\d* (?:tests? )?(?:passed|passing)\b|"
    r"\b0 (?:errors?|failures?|failed|problems?|issues)\b|\bbuilt in [\d.]+ ?m?s\b",
    re.MULTILINE,
)


def is_failure(kind: StepKind, error: Any, inputs: Any, outputs: Any) -> bool:
    """Whether a step records an error, or is a call whose output says that it failed where its exit code cannot."""
    return bool(error) or (kind is StepKind.TOOL and bool(masked_failure(inputs, outputs)))


def masked_failure(inputs: Any, outputs: Any) -> str:
    """The line of a call's output that says that its check failed, where the exit code says nothing of it.

    It is the first of these lines with more than a word, else the first, as printed; "" for any other call, and where
    nothing says so. Inputs and outputs are those of a step record (docs/FORMAT.md, section 3.2).
    """
    return printed_failure(outputs) if hides_exit_code(command_of(inputs)) else ""


def printed_failure(outputs: Any) -> str:
    """The line of an output that says that something failed, the first with more than a word; "" for none."""
    first = ""
    for text in texts_of(outputs):
        for found in islice(_FAILED.finditer(text), _MOST_LINES):
            start = text.rfind("\n", 0, found.start()) + 1
            end = text.find("\n", found.end())
            line = text[start : end if end >= 0 else len(text)].strip()
            if len(line.split()) > 1:
                return line
            first = first or line  # "FAIL" alone
    return first


def says_passed(outputs: Any) -> bool:
    """Whether a recorded output has a line that programs write when all is well, at its beginning or its end."""
    return any(map(_PASSED.search, texts_of(outputs)))


def hides_exit_code(command: str) -> bool:
    """Whether a command line runs a check, the exit code of which is lost in a pipe or after `||`.

    `make || exit 1` tells it.
    """
    if "|" not in command or _PIPE_FAILS.search(command):
        return False
    in_pipe = in_list = False
    for joint, words in commands_and_exits(command):
        if (joint, words) == ENDS_FAILED:
            continue
        if (joint == "|" and in_pipe) or (joint == "||" and in_list):
            return True
        in_pipe = in_pipe and joint == "|"
        in_list = in_list and joint in ("&&", "|")
        if _checks(words):
            in_pipe = in_list = True
    return False


def _checks(words: list[str]) -> bool:
    if not words:
        return False
    program = words[0].rsplit("/", 1)[-1]
    return program in _CHECKING or (program in _INTERPRETERS and any(map(_MODULES.search, words[1:4])))


def texts_of(outputs: Any, deepest: int = 3) -> Iterator[str]:
    """The beginnings and ends of the texts in an output."""
    left = [(outputs, 0)]
    found = 0
    while left and found < _MOST_TEXTS:
        value, depth = left.pop()
        if isinstance(value, str):
            found += 1
            yield value if len(value) <= 2 * _MOST_TEXT else f"{value[:_MOST_TEXT]}\n{value[-_MOST_TEXT:]}"
        elif depth < deepest and isinstance(value, Mapping):
            left += [(inner, depth + 1) for inner in list(value.values())[:_MOST_TEXTS]][::-1]
        elif depth < deepest and isinstance(value, list):
            left += [(inner, depth + 1) for inner in value[:_MOST_TEXTS]][::-1]
