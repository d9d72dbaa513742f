"""Why a step failed, in a few words: the line of an error that a person would read out."""

from __future__ import annotations

from typing import Any

import pytest

from opentine_gui.core import Graph, Step, StepKind
from opentine_gui.core.format.canonical import step_id
from opentine_gui.describe.failures.failure import failure_of
from opentine_gui.describe.failures.reason import REASON_LIMIT, failure_reason, shortened, shown_headline

PYTHON = (
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nModuleNotFoundError: No module named x'
)
TYPESCRIPT = """> app@1.0.0 check
> tsc --noEmit

src/theme/theme.ts(5,15): error TS2305: Module '"tui"' has no exported member 'EditorTheme'.
npm error Lifecycle script `check` failed with error:
npm error code 2
"""
PYTEST = """=== FAILURES ===
    def test_reader() -> None:
>       assert read("a") == 2
E       assert 1 == 2
1 failed in 0.02s"""


def reason(kind: StepKind = StepKind.TOOL, **fields: Any) -> str:
    payload: dict[str, Any] = {"inputs": {"name": "Bash"}, "outputs": {}, "error": {}, **fields}
    identity = step_id(kind, payload["inputs"], parent_ids=(), outputs=payload["outputs"], error=payload["error"])
    return failure_reason(Graph.of([Step(id=identity, parent_ids=(), kind=kind, **payload)]), 0)


def headline(**fields: Any) -> str:
    step = Step(id="s", parent_ids=(), kind=StepKind.TOOL, **{"inputs": {}, **fields})
    failure = failure_of(step)
    assert failure is not None
    return shown_headline(step, failure)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"type": "ToolError", "message": f"Exit code 1\n{PYTHON}"}, "ModuleNotFoundError: No module named x"),
        ({"type": "failed", "message": TYPESCRIPT}, "Module '\"tui\"' has no exported member 'EditorTheme'"),
        ({"type": "failed", "message": PYTEST}, "assert 1 == 2"),
        ({"type": "failed", "message": "cmd/cli/hooks.go:147:19: undefined: exists (typecheck)"}, "undefined: exists"),
        ({"type": "failed", "message": "<tool_use_error>String to replace not found in file.\nString: a\n"},
         "String to replace not found in file"),
        ({"type": "failed", "message": "Could not find the text in /home/dev/work/app/index.ts. It must match."},
         "Could not find the text in index.ts"),
        ({"type": "error", "message": '529 {"type":"error","error":{"message":"overloaded"}}'}, "overloaded"),
        ({"type": "failed", "message": "(no output)\n\nCommand exited with code 1"}, "exit code 1"),
        ({"type": "failed", "message": "apply_patch verification failed: Failed to find expected lines in "
          "C:\\Users\\d\\app\\main.py:\n@app.post('/tickets')\ndef create() -> None:\n"},
         "Failed to find expected lines in main.py"),
        ({"type": "rejected", "message": "The user doesn't want to proceed with this."}, "refused by the user"),
        ({"type": "interrupted", "message": "Command aborted"}, "interrupted"),
        ({"type": "no_result", "message": "no result recorded"}, "no result recorded"),
        ({"type": "HTTPError", "message": "404 Not Found"}, "404 Not Found"),
        ({"message": "a.js:3\n  throw new Error(`no ${name}`);\n\nError: no settings\n    at load (a.js:3:9)"},
         "no settings"),
        ({"message": "  + Exception Group Traceback (most recent call last):\n  | Group: 2\n  +-+---- 1 ----\n"
                     "    | Traceback (most recent call last):\n    | ValueError: odd\n    +------\n"},
         "ValueError: odd"),
        ({"message": "> check\n> biome check\n\n  ! Several of these imports are unused.\n"},
         "Several of these imports are unused"),
        ({"message": "ValueError: " + "a long word " * 100}, "ValueError: a long word"),
    ],
)  # fmt: skip
def test_the_line_that_says_most_is_given(error: dict[str, Any], words: str) -> None:
    assert reason(error=error).startswith(words)


def test_a_programs_own_line_is_not_claimed_to_be_why_it_failed() -> None:
    printed = "dist/a.cjs:3\n" + 'x=I(g.bg(" ESM ")),k=[".ts"];' * 60 + "\n\n"
    whole = {"result": printed + "Error: Cannot find module 'b'\nRequire stack:\n- a.js"}
    assert reason(error={"type": "failed", "message": printed[:1_500]}, outputs=whole) == "Cannot find module 'b'"
    assert reason(error={"type": "failed", "message": printed[:1_500]}) == ""


BIOME = """
> app@1.0.0 check
> biome check --write . && tsc --noEmit

src/session.ts:16:22 lint/correctness/noUnusedImports  FIXABLE  ━━━━━━━━━━

  ! Several of these imports are unused.

    14 │  */
  > 16 │ import type { Agent, QueueMode } from "core";

Found 2 warnings.
"""


def test_a_warning_is_not_why_a_check_failed_whose_log_ends_with_an_error() -> None:
    cut = BIOME + "src/session.ts:17:15 lint  ━━━━━━━━━━\n\n  ! This variable is unused.\n" * 20
    compiled = "src/session.ts(16,58): error TS2305: Module 'core' has no exported member 'QueueMode'."
    printed = f"{cut}\n> tsc --noEmit\n\n{compiled}\nnpm error code 2\n\nCommand exited with code 2"
    error = {"type": "failed", "message": cut[:1_100]}
    words = "Module 'core' has no exported member 'QueueMode'"
    assert reason(error=error, outputs={"result": printed}) == words
    assert reason(error={**error, "message": cut[:1_100].strip() + "…"}, outputs={"result": printed}) == words
    assert reason(error=error, outputs={"result": "x " + printed}) == "Several of these imports are unused"
    assert headline(error=error, outputs={"result": printed}) == compiled


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("warning: unused import: cannot be removed\nerror[E0425]: cannot find value x", "cannot find value x"),
        ("a.c:1:2: warning: unknown option\na.c:7:2: error: x undeclared", "x undeclared"),
        ("a.js\n  12:5  warning  'x' must be used\n  14:1  error  'y' is not defined", "'y' is not defined"),
        ('npm warn invalid config\nnpm error Missing script: "x"', 'Missing script: "x"'),
        ("npm warn invalid config\nall is well", "invalid config"),
        ("a.ts:1:2 parse ━━━━━━\n\n  × expected a semicolon\n\nerror: checks failed", "expected a semicolon"),
    ],
)
def test_an_error_goes_before_the_warnings_above_it(printed: str, words: str) -> None:
    assert words in reason(error={"type": "failed", "message": printed})


def test_the_headline_of_an_error_of_several_lines_is_the_one_that_says_most() -> None:
    assert headline(error={"message": PYTEST}) == "assert 1 == 2"
    assert headline(error={"message": "Compiling app v0.1\n\nerror: no such file"}) == "error: no such file"
    assert headline(error={"type": "HTTPError", "message": "Not Found\nerror: other"}) == "HTTPError: Not Found"
    assert headline(error={"message": PYTHON}) == "ModuleNotFoundError: No module named x"


@pytest.mark.parametrize(
    ("error", "outputs", "words"),
    [
        ({"type": "exit_code", "exit_code": 1, "message": "exit code 1"},
         {"result": "> build\na.ts(3,4): error TS2339: Property 'team' does not exist.\nExit Code: 1"},
         "a.ts(3,4): error TS2339: Property 'team' does not exist."),
        ({"type": "ToolError", "message": "Command exited with code 2"},
         {"result": {"stdout": "", "stderr": "x: not found"}}, "x: not found"),
        ({"type": "failed"}, {"result": "cat: a.py: No such file"}, "cat: a.py: No such file"),
        ({"type": "exit_code", "exit_code": 3}, {"result": "10 deselected"}, "Exit code 3"),
        ({"type": "failed"}, {"result": "10 deselected"}, "Failed"),
        ({"type": "failed", "message": "(no output)\n\nCommand exited with code 1"}, {}, "grep found nothing"),
        ({"type": "rejected", "message": "The user said no"}, {"result": "error: other"}, "rejected: The user said no"),
        ({"type": "ValueError", "message": ""}, {"result": "error: other"}, "ValueError"),
    ],
)  # fmt: skip
def test_the_headline_says_what_the_card_says_where_the_error_states_an_exit_code_alone(
    error: dict[str, Any], outputs: dict[str, Any], words: str
) -> None:
    assert headline(inputs={"name": "bash", "command": "grep x y"}, error=error, outputs=outputs) == words


def test_a_shell_that_states_an_exit_code_alone_failed_for_what_it_printed() -> None:
    printed = "Exit code: 1\nOutput:\ncat: missing.py: No such file or directory"
    error = {"type": "exit_code", "exit_code": 1, "message": "exit code 1"}
    assert reason(error=error, outputs={"result": printed}) == "cat: missing.py: No such file or directory"
    assert reason(error={"type": "exit_code", "exit_code": 3}) == "exit code 3"
    plain = {"type": "ToolError", "message": "exit status 4"}
    assert reason(error=plain, outputs={"result": "10 deselected"}) == "exit code 4", "what it printed does not say why"


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("grep -n 'a | b' x.ts", 1, "grep found nothing"),
        ("cd app && cat x.ts | /usr/bin/rg needle", 1, "rg found nothing"),
        ("git grep needle", 1, "git grep found nothing"),
        ("grep needle x.ts", 2, "exit code 2"),
        ("test -f x.ts && grep needle x.ts", 1, "exit code 1"),
        ("grep needle x.ts | head", 1, "exit code 1"),
        ("make", 1, "exit code 1"),
    ],
)
def test_a_search_without_a_match_is_told_from_a_failure(command: str, code: int, words: str) -> None:
    inputs = {"name": "bash", "arguments": {"command": command}}
    said = f"Command exited with code {code}"
    assert reason(inputs=inputs, error={"type": "failed", "message": said}, outputs={"result": said}) == words
    beside = {"result": "x.ts: No such file or directory"}
    assert reason(inputs=inputs, error={"type": "failed", "message": said}, outputs=beside) == beside["result"]


def test_the_program_that_was_started_says_why_and_not_the_one_that_started_it() -> None:
    started = "a.ts:8:3 - error TS2: Property 'b' does not exist.\n\nError: Command failed: tsc --build\n    at x (y)"
    assert reason(error={"message": started}) == "Property 'b' does not exist"
    traced = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nsubprocess.CalledProcessError: '
    traced += "Command 'cc' returned non-zero exit status 1."
    assert reason(error={"message": f"a.c:1:10: fatal error: x.h: No such file\n{traced}"}).startswith(
        "fatal error: x.h"
    )
    assert reason(error={"message": traced}).startswith("subprocess.CalledProcessError: Command 'cc'")
    assert reason(error={"message": "Error: Command failed: tsc\n    at x (y:1)"}) == "Command failed: tsc"


def test_what_a_program_printed_as_its_errors_goes_before_what_else_it_printed() -> None:
    printed = {"result": "cc -c a.c", "stderr": "a.c:1:10: fatal error: x.h: No such file\n    1 | #include <x.h>"}
    for outputs in (printed, {"result": {"stdout": "cc -c a.c", "stderr": printed["stderr"]}}):
        said = reason(error={"message": "exit status 2", "exit_code": 2}, outputs=outputs)
        assert said == "fatal error: x.h: No such file"


def test_hostile_and_endless_errors_are_short_and_clean() -> None:
    found = reason(error={"type": "failed", "message": "\x1b[31merror: \u202egnirts\x07 " + "x y" * 200_000})
    assert 0 < len(found) <= REASON_LIMIT
    assert "\x1b" not in found and "\u202e" not in found


def test_a_step_that_says_nothing_of_why_it_failed_has_no_reason() -> None:
    assert reason(error={"type": "failed"}) == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("src/reader.ts(12,3): cannot find it", "cannot find it"),
        ("reader.py:12:3:   - cannot find it", "cannot find it"),
        ("reader.py:12:3", "reader.py:12:3"),
        ("at 12:30 it failed", "at 12:30 it failed"),
        ("1:" * 400 + "x cannot find it", ("1:" * 400)[: REASON_LIMIT - 1] + "…"),
    ],
)
def test_the_place_in_a_file_before_an_error_is_left_out(line: str, said: str) -> None:
    assert shortened(line) == said


def test_a_mark_within_a_message_is_part_of_it() -> None:
    assert shortened("the run is Done! All checks pass") == "the run is Done!"
    assert shortened("! All checks failed") == "All checks failed"
