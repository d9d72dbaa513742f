"""What a check covers, from its command line alone: whether one that passed answers another that failed before it.

A check answers what it runs itself, all of it or less: `pytest` answers `pytest tests/a.py`, and never the other way
round. A script of a whole project answers a program that was run by hand for the same purpose: `npm run check` answers
`npx tsc --noEmit src/**/*.ts`.
"""

from __future__ import annotations

import re
import shlex
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from posixpath import isabs, join, normpath
from typing import NamedTuple

from opentine_gui.core.graph.calls.call_roles import Call, Role, classified, plain_command
from opentine_gui.core.graph.calls.shell_line import (
    ENDS_FAILED,
    LONGEST_COMMAND,
    PREPARING,
    RUNNERS,
    commands_and_exits,
)

_LAUNCHERS = frozenset(["npx", "uvx", "bunx", "pnpx"])
"""Programs that run the program named next."""
_LAUNCHING = frozenset(
    [*((runner, "run") for runner in ("uv", "poetry", "pdm", "hatch", "rye")), ("bundle", "exec"), ("npm", "exec"),
     ("pnpm", "exec"), ("yarn", "exec"), ("mise", "exec"), ("pnpm", "dlx"), ("yarn", "dlx")]
)  # fmt: skip
_INTERPRETERS = frozenset(["python", "python3", "node", "ruby", "deno", "bun", "php"])
_RUNNERS = (RUNNERS - {"node"}) | {"turbo"}
_PLACES = frozenset(["-C", "--prefix", "--dir", "--cwd", "--directory"])
"""Options before the folder that a program works in."""
_CHOOSING = frozenset(
    ["-k", "-m", "-t", "-g", "-run", "--run", "--grep", "--testNamePattern", "--select", "--only", "--skip", "--ignore"]
)
"""Options before what is chosen among the things to check."""
_CHECKING_NOTHING = frozenset(
    ["--version", "-V", "--help", "-h", "--collect-only", "--co", "--list", "--listTests", "--print-config",
     "--showConfig", "--exit-zero", "--dry-run"]
)  # fmt: skip
"""Options with which a program only tells of itself or of what it would do, or succeeds whatever it finds."""
_CHECKING_NOTHING_IN = {
    **dict.fromkeys(("make", "gmake", "just", "rake"), frozenset(["-n"])),
    **dict.fromkeys(("eslint", "jest", "tsc"), frozenset(["-v"])),
    "tox": frozenset(["-l"]),
}
"""The same in short, for programs of which the letter means that: to `pytest` it means another thing."""
_SHOWING_MORE = dict.fromkeys(("ctest", "mvn", "mvnw"), frozenset(["-V"]))
"""Options of programs that mean no more there than that more is shown."""
_CLOSING = frozenset(["done", "fi", "esac", "}", ")"])
"""Words that end a part of a line, and are no command."""
_STATUS = re.compile(r"[\"']?\$")
"""What begins a value that is kept in a variable, as an exit code is."""
_ENDS_EARLY = re.compile(r"(?:^|[\s;])set(?:\s+[-+]\w+(?:\s+pipefail)?)*\s+-\w*(?:e|o\s+errexit)")
_BACKSLASH = re.compile(r"(?<!\S)(\\+)(?!\S)|\\")
"""Backslashes that stand alone, or one in a word, as in a path of Windows: as "/" the first would be all there is."""
_NO_TARGET = re.compile(r"\d+[a-z]?$|auto$|\d*[<>&]|[<>]")
_MODES = frozenset(["run", "check", "format", "lint", "test"])
_MODAL = frozenset(["golangci-lint", "vitest", "playwright", "cypress", "ruff", "biome", "black"])
"""Programs whose first word may say what they do."""
_SAME = {"tsgo": "tsc", "gradlew": "gradle", "mvnw": "mvn"}
"""Programs that do what another does."""
_TYPES = frozenset(["tsc", "mypy", "pyright"])
_LINTERS = frozenset(
    ["eslint", "biome", "ruff", "flake8", "pylint", "golangci-lint", "black", "prettier", "shellcheck"]
)
_TESTERS = frozenset(["pytest", "jest", "vitest", "mocha", "ava", "rspec", "phpunit", "go test", "cargo test"])
_SCRIPTS = {
    **dict.fromkeys(("check", "verify", "validate"), _TYPES | _LINTERS),
    **dict.fromkeys(("typecheck", "type-check", "types", "tsc"), _TYPES),
    "lint": _LINTERS,
    **dict.fromkeys(("test", "tests"), _TESTERS),
    "ci": _TYPES | _LINTERS | _TESTERS,
}
"""The programs that a project's script of this name stands for."""
_BUILDS = frozenset(["build", "compile"])


_ALL_THERE_IS = ("", ".")
"""Targets that every other is in."""
MOST_TARGETS = 64
"""Most targets of a check that are looked up one by one among those of another."""
LONGEST_PATH = 4_096


class Check(NamedTuple):
    """A check: its program or script, the `targets` that it is about, and what it `chooses` among them.

    A target is a folder, a file, or another word after the program; without any, it is the folder it runs in.
    """

    program: str
    targets: frozenset[str]
    chooses: frozenset[str] = frozenset()
    whole: bool = True

    @property
    def script(self) -> str:
        """The name of the project's script that it runs; "" for a program."""
        runner, _, name = self.program.partition(" ")
        return name if runner in _RUNNERS and runner not in ("go", "cargo") else ""


class Line(NamedTuple):
    """The checks of a command line: `all`, and those whose success its exit code tells (`told`).

    `chained`: nothing in it runs whatever the exit code of what is before it. `lost`: the exit code is that of another
    command, which runs however the checks ended: `npm test; echo done`, but not `npm test || exit 1; echo done`.
    `ends`: the last check of each chain, which runs only if those before it in the chain passed.
    """

    all: tuple[Check, ...]
    told: tuple[Check, ...]
    chained: bool = True
    lost: bool = False
    ends: tuple[Check, ...] = ()


def checks_of(call: Call, folder: str = "") -> Line:
    """What a call checks; `folder` is where the run worked, "" if that is not recorded.

    `npm run lint && npm test` are two checks, one of which failed if the line did; what is behind `|` or `||` is none.
    """
    return _checks_of(call._replace(command=call.command[: LONGEST_COMMAND + 1], path=call.path[:LONGEST_PATH]), folder)


@lru_cache(maxsize=2_000)
def _checks_of(call: Call, folder: str) -> Line:
    if not call.command:
        only = Check(call.tool, frozenset([call.path or call.about]), whole=not (call.path or call.about))
        found = (only,) if call.role is Role.TEST else ()
        return Line(found, found, ends=found)
    place, chained, lost = normpath(folder) if folder else "", True, False
    before: tuple[str, Sequence[str]] = ("", ())
    every: list[Check] = []
    ends: list[Check] = []
    chain: list[Check] = []
    main = plain_command(call.command) if call.role is Role.TEST else None
    settled = False  # what is next runs only if the checks so far passed: they are followed by `|| exit`
    for joint, words in commands_and_exits(call.command):
        if joint not in ("&&", "|", "||"):
            chain, chained = chain if settled else [], not joint and chained
        if (joint, words) == ENDS_FAILED:
            settled = before[0] not in ("|", "||")
        lost = lost or (not settled and _is_another(joint, words, before))
        if words[:1] in (["exit"], ["return"]) and _STATUS.match("".join(words[1:2])):
            lost = False
        before = joint, words
        if words[:1] == ["cd"] and len(words) > 1:
            place = _joined(place, words[1].strip("'\""))
        elif words and joint not in ("|", "||") and (words == main or _is_check(call.tool, words)):
            split = _split(words)
            if not _checks_nothing(split):
                if chain:
                    del ends[-1]
                chain.append(_check(split, place, call.about))
                ends.append(chain[-1])
                every.append(chain[-1])
                lost = settled = False
    return Line(
        tuple(every), tuple(chain or every), chained, lost and not _ENDS_EARLY.search(call.command), tuple(ends)
    )


def _is_another(joint: str, words: Sequence[str], before: tuple[str, Sequence[str]]) -> bool:
    """Whether a part of a line is a command that runs however the part `before` it ended: its exit code counts then."""
    if not words or words[0] in _CLOSING:
        return False
    joint_before, words_before = before
    if joint == "\n" and words_before:  # unless the line goes on behind it, as PowerShell writes that
        return not words_before[-1].endswith("`")
    if joint == "\n":
        return joint_before not in ("&&", "||", "|")
    return joint == ";" and not any(word.startswith("#") for word in words_before)


def _is_check(tool: str, words: Sequence[str]) -> bool:
    return words[0] not in PREPARING and classified(tool, {"command": " ".join(words)}).role is Role.TEST


def _checks_nothing(words: list[str]) -> bool:
    """Whether a command of a checking program neither passes nor fails a check: `pytest --version`, `make -n test`."""
    launched = _launched(words)
    program = launched[0].rsplit("/", 1)[-1] if launched else ""
    nothing = (_CHECKING_NOTHING | _CHECKING_NOTHING_IN.get(program, frozenset())) - _SHOWING_MORE.get(
        program, frozenset()
    )
    return any(word.partition("=")[0] in nothing for word in words)


def _check(words: list[str], place: str, about: str) -> Check:
    words = _launched(words)
    program = _SAME.get(name := words[0].rsplit("/", 1)[-1], name) if words else about
    rest = words[1:]
    if program in _INTERPRETERS and rest and not rest[0].startswith("-"):
        program, rest = f"{program} {rest[0]}", rest[1:]  # a file of its own
    elif program in _INTERPRETERS and rest:
        return Check(f"{program} {rest[0]}", frozenset([place]))
    elif program in _RUNNERS:
        place, rest = _moved(place, rest)
        named = [word for word in rest if not word.startswith("-")]
        script = named[1] if named[:1] in (["run"], ["exec"]) and len(named) > 1 else "".join(named[:1])
        rest = rest[rest.index(script) + 1 :] if script else rest
        program = f"{program} {script}".rstrip()
    elif program in _MODAL and rest and rest[0] in _MODES:
        program, rest = (program if rest[0] == "run" else f"{program} {rest[0]}"), rest[1:]
    targets, chooses = _targets(rest, place)
    whole = not targets and not chooses
    if program.startswith("go "):  # a folder of Go does not include those in it, unless "..." is behind it
        deep = any(word.endswith("...") for word in rest)
        targets = targets if deep else [f"{target}/." for target in targets or (place,)]
    if len(targets) > MOST_TARGETS:  # nobody compares so many: only the same list is the same
        targets = ["\n".join(sorted(targets))]
    return Check(program, frozenset(targets or (place,)), frozenset(chooses), whole)


_ONE_BY_ONE = (
    _TYPES | _LINTERS | _TESTERS | {"unittest", "playwright", "go vet", "go build", "cargo clippy", "cargo build"}
)
"""Programs whose own lines say that they passed, if any do; scripts and others print those of what they run."""


def all_passed(line: Line, said: Mapping[str, int]) -> bool:
    """Whether every check of a line printed that it passed, or the last one of each chain; `said` are how many lines
    of each runner say so.
    """
    left = Counter(said)
    others = 0
    for check in line.ends:
        program = check.program if check.program in _ONE_BY_ONE else check.program.partition(" ")[0]
        if program not in _ONE_BY_ONE:
            others += 1
        elif left[program] > 0:
            left[program] -= 1
        else:
            return False
    return left.total() >= others


def covers(later: Check, earlier: Check, *, failed_before: bool = False) -> bool:
    """Whether `later` checks everything that `earlier` does; `failed_before`: it had failed itself before that did.

    A build answers a program run by hand only where the build had failed first: not every build checks types.
    """
    if later.program != earlier.program:
        if not later.whole or not (
            {earlier.program, earlier.program.partition(" ")[0]} & _SCRIPTS.get(later.script, frozenset())
            or (earlier.program == "tsc" and later.script in _BUILDS and failed_before)
        ):
            return False
    elif not later.chooses <= earlier.chooses:
        return False
    if not later.targets.isdisjoint(_ALL_THERE_IS):
        return True
    others, beginnings = earlier.targets - later.targets, _beginnings(later.targets)
    return all(_begins_with_one(target, beginnings) for target in others)


@lru_cache(maxsize=2_000)
def _beginnings(folders: frozenset[str]) -> tuple[str, ...]:
    """What the paths in some folders begin with, sorted; nothing in another folder of them is named again."""
    found: list[str] = []
    for beginning in sorted({folder.rstrip("/") + "/" for folder in folders}):
        if not found or not beginning.startswith(found[-1]):
            found.append(beginning)
    return tuple(found)


def _begins_with_one(path: str, beginnings: Sequence[str]) -> bool:
    """Whether a path begins with one of them: as none of them begins with another, only the last up to it can."""
    place = bisect_right(beginnings, path)
    return place > 0 and path.startswith(beginnings[place - 1])


def _split(words: Sequence[str]) -> list[str]:
    line = " ".join(words)
    try:
        return shlex.split(_BACKSLASH.sub(lambda found: found[1] * 2 if found[1] else "/", line))
    except ValueError:
        return line.split()


def _launched(words: list[str]) -> list[str]:
    """The words without what only launches the program."""
    while len(words) > 1:
        if words[0] in _LAUNCHERS:
            words = words[1:]
        elif tuple(words[:2]) in _LAUNCHING:
            words = words[2:]
        elif words[0].rsplit("/", 1)[-1] in _INTERPRETERS and words[1] == "-m" and len(words) > 2:
            return words[2:]
        else:
            return words
        while len(words) > 1 and words[0].startswith("-"):
            words = words[1:]
    return words


def _moved(place: str, words: list[str]) -> tuple[str, list[str]]:
    for at, word in enumerate(words[:-1]):
        if word in _PLACES:
            return _joined(place, words[at + 1]), words[:at] + words[at + 2 :]
    return place, words


def _targets(words: Sequence[str], place: str) -> tuple[list[str], list[str]]:
    """(the targets among a program's arguments, what its options choose)."""
    targets, chooses = [], []
    everything = False
    for option, word in _arguments(words):
        name, equals, value = word.partition("=")
        if option in _CHOOSING:
            chooses.append(f"{option} {word}")
        elif name in _CHOOSING and equals:
            chooses.append(f"{name} {value}")
        elif not word.startswith("-") and not _NO_TARGET.match(word):
            target = _joined(place, word)
            everything = everything or target == place  # all that is there, of which a later option may choose
            targets.append(target)
    return [] if everything else targets, chooses


def _arguments(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each word, with the option before it that chooses ("" for none)."""
    option = ""
    for word in words:
        if option or word not in _CHOOSING:
            yield option, word
            option = ""
        else:
            option = word


def _joined(place: str, word: str) -> str:
    word = word.replace("::", "/").rstrip("/").removesuffix("...").rstrip("/") or word[:1].replace(".", "")
    found = normpath(word if isabs(word) else join(place, word)) if word else place
    return "" if found == "." else found
