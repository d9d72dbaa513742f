"""The command line of a call, its commands, and which of them decides its exit code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from opentine_gui.core.format.late_pattern import late_pattern

LONGEST_COMMAND = 4_000
_ARGUMENTS, _COMMANDS = ("arguments", "input", "args"), ("command", "cmd", "script")
_LONGEST_ARGUMENTS = 100_000
PREPARING = frozenset(["cd", "export", "set", "source", "echo", "pushd", "popd", "sleep", "true", "printf", "."])
"""Commands that only prepare another one, or print or wait beside it."""
TESTING = frozenset([
    "pytest", "tox", "nox", "unittest", "jest", "vitest", "mocha", "ava", "ctest", "rspec", "phpunit",
    "eslint", "ruff", "mypy", "pyright", "flake8", "pylint", "black", "prettier", "tsc", "clippy",
    "golangci-lint", "shellcheck", "playwright", "cypress",
])  # fmt: skip
"""Programs that check or test."""
RUNNERS = frozenset([
    "make", "npm", "pnpm", "yarn", "bun", "npx", "uvx", "cargo", "go", "gradle", "gradlew", "mvn", "dotnet",
    "mise", "just", "task", "rake", "poetry", "uv", "bundle", "swift", "xcodebuild", "bazel", "python",
    "python3", "node", "deno", "hatch", "pdm",
])  # fmt: skip
"""Programs that run others, by a name that says what for."""
_WRAPPERS = frozenset(
    ["sudo", "time", "env", "nice", "nohup", "timeout", "command", "exec", "stdbuf", "xargs", "caffeinate", "doas"]
)
_ASSIGNMENT = late_pattern(r"^[A-Za-z_][A-Za-z0-9_]*=")
_NEXT = late_pattern(r"&&|\|\||;|\n|(?<!\|)\|(?!\|)")
HERE_DOCUMENT = late_pattern(r"<<-?\s*['\"]?\w+")
_TURNED = late_pattern(r"(?:^|[;&|(\n])[^\S\n]*+(?:!\s|set\s)")
# An unclosed " is matched as well: otherwise every later quote would start the search for its end again.
_QUOTED = late_pattern(r"\"(?:[^\"\\]++|\\.)*+(?P<end>\")?|'[^']*'")
_APOSTROPHES = late_pattern(r"'[^']*'")
_FAILING = late_pattern(r"(?:[1-9]\d*|[\"']?\$.*)?", re.DOTALL)
"""A code that says that something failed, or that of what failed: kept in a variable, or that of the last command."""
_BRANCHING = frozenset(["if", "elif", "else", "then", "for", "while", "until", "case", "{", "("])
ENDS_FAILED = ("||", ["exit"])
_CONTINUED = late_pattern(r"(?P<comment>(?:^|(?<=\s))#[^\n]*)|(?<!\\)\\\r?\n")
"""A comment, which a backslash does not continue, or the end of a line that goes on in the next one."""


def command_of(inputs: Any) -> str:
    """The command line of a call; "" if it has none."""
    if not isinstance(inputs, Mapping):
        return ""
    given = (inputs.get(key) for key in _ARGUMENTS)
    opened = (decoded_arguments(one) if isinstance(one, str) else one for one in given)
    arguments = next((one for one in opened if isinstance(one, Mapping)), inputs)
    for key in _COMMANDS:
        found = arguments.get(key)
        if isinstance(found, str):
            return found
        if isinstance(found, list) and len(found) > 2 and found[1] in ("-c", "-lc") and isinstance(found[-1], str):
            return found[-1]
    return ""


def decoded_arguments(text: str) -> dict[str, Any] | None:
    """The arguments that some writers spell as JSON in a text; None for another text, and for a long one."""
    if len(text) >= _LONGEST_ARGUMENTS or text.lstrip()[:1] != "{":
        return None
    try:
        found = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def deciding_command(command: str) -> list[str]:
    """The words of the command that decides the exit code of a command line; [] if that may be one of several.

    Also [] with `set`, which can end a line early, with `!`, which negates the code, with a here-document, and for a
    line that is too long.
    """
    if len(command) > LONGEST_COMMAND or HERE_DOCUMENT.search(command) or _TURNED.search(command):
        return []
    deciding: list[str] = []
    for joint, words in commands(command):
        if not words:
            continue
        if joint in ("&&", "||") and deciding and deciding[0] not in PREPARING:
            return []
        deciding = words
    return deciding


def commands(command: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a line, each with what joins it to the one before it ("" before the first)."""
    for joint, words in _parts(command):
        yield joint, _unwrapped(words)


def commands_and_exits(command: str) -> Iterator[tuple[str, list[str]]]:
    """The same, with `ENDS_FAILED` in place of all that runs only where what is before it failed, and then ends the
    whole line as failed: `|| exit 1`, `|| { echo no; exit 1; }`, and `then exit 1; fi` behind `if ! …`.
    """
    parts = list(_parts(command))
    at, in_shell_of_its_own = 0, False
    while at < len(parts):
        joint, words = parts[at]
        in_shell_of_its_own = in_shell_of_its_own or "".join(words[:1]).startswith("(")
        end = 0 if in_shell_of_its_own else _end_of_exit(parts, at)
        yield ENDS_FAILED if end else (joint, _unwrapped(words))
        in_shell_of_its_own = in_shell_of_its_own and not "".join(words[-1:]).endswith(")")
        at = end or at + 1


def _end_of_exit(parts: Sequence[tuple[str, list[str]]], at: int) -> int:
    """Where what ends a line that failed is over, if it begins at a part of it; 0 if it does not."""
    joint, words = parts[at]
    if joint == "||" and _fails(words):
        return at + 1
    if joint == "||" and words[:1] == ["{"]:
        closing = "}"
    elif words[:1] == ["then"] and at and parts[at - 1][1][:2] == ["if", "!"]:
        closing = "fi"
    else:
        return 0
    ends = _fails(words[1:])
    for place in range(at + 1, len(parts)):
        joint, words = parts[place]
        if words[:1] == [closing]:
            return place + 1 if ends else 0
        if words and words[0] in _BRANCHING:
            return 0
        ends = ends or (joint in (";", "\n") and _fails(words))
    return 0


def _fails(words: Sequence[str]) -> bool:
    return words[:1] in (["exit"], ["return"]) and bool(_FAILING.fullmatch("".join(words[1:2])))


def _parts(command: str) -> Iterator[tuple[str, list[str]]]:
    line = command[:LONGEST_COMMAND]
    here = HERE_DOCUMENT.search(line)
    if here:
        line = line[: here.end()]
    blank = _QUOTED.sub(_blank, line)
    if "\\\n" in blank or "\\\r" in blank:
        joined = _CONTINUED.sub(lambda found: found["comment"] or " " * len(found[0]), blank)
        line = "".join(own if was == now else now for own, was, now in zip(line, blank, joined, strict=True))
        blank = joined
    joint, start = "", 0
    for found in _NEXT.finditer(blank):
        yield joint, line[start : found.start()].split()
        joint, start = found[0], found.end()
    yield joint, line[start:].split()


def _blank(found: re.Match[str]) -> str:
    """Underscores in place of a quoted text; if the quote is never closed, only in place of parts in apostrophes."""
    if found[0][0] == "'" or found["end"]:
        return "_" * len(found[0])
    return _APOSTROPHES.sub(_blank, found[0])


def _outside_parentheses(words: Sequence[str]) -> list[str]:
    """The words of a command without the parentheses that are glued to the first and the last, as in `(npm test)`."""
    left = list(words)
    while left and left[0].startswith("(") and not left[0].startswith("(("):
        left[0] = left[0][1:]
        left = left if left[0] else left[1:]
    while left and left[-1].endswith(")") and "(" not in left[-1] and not left[-1].endswith("\\)"):
        left[-1] = left[-1].rstrip(")")
        left = left if left[-1] else left[:-1]
    return left


def _unwrapped(words: Sequence[str]) -> list[str]:
    left = _outside_parentheses(words)
    while left:
        if left[0].startswith("#"):  # a comment, which reaches to the end of the line
            return []
        if _ASSIGNMENT.match(left[0]) or left[0] in ("(", "{", "!", "then", "do", "if"):
            del left[0]
        elif left[0].startswith("$") and left[1:2] == ["="]:  # PowerShell's assignment
            del left[:2]
        elif left[0] in _WRAPPERS and len(left) > 1:
            wrapper = left.pop(0)
            while left and (left[0].startswith("-") or (wrapper in ("timeout", "nice") and left[0][:1].isdigit())):
                del left[0]
        else:
            break
    return left
