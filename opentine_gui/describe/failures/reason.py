"""Why a step failed, in the few words that fit on a card: the line of its error that says most."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import msgspec

from opentine_gui.core import Graph, Step, TineError
from opentine_gui.core.analysis.suspicion.failures import Sort, sort_of
from opentine_gui.core.graph.calls.call_roles import Call, call_of
from opentine_gui.core.graph.calls.shell_line import deciding_command
from opentine_gui.core.graph.outcomes.stopped import SEARCHING
from opentine_gui.describe.failures.failure import (
    JUDGED,
    PLAIN_KINDS,
    Failure,
    failure_of,
    last_line,
    without_traceback,
)
from opentine_gui.describe.payload_text import first_sentence, first_text, has_text
from opentine_gui.scene.text.clean import clean

REASON_LIMIT = 80
BY_THE_USER = " by the user"
CANCELLED = "cancelled, as a call beside it failed"
_MOST_TEXT = 10_000
"""Most characters of an error that are examined, from its beginning and from its end."""
_LONGEST_LINE = 1_000
"""A line of at least this many characters is program output, not words, unless it begins like an error."""
_BEGINNING = 160
_SORTS = {
    Sort.REFUSED: "refused",
    Sort.INTERRUPTED: "interrupted",
    Sort.CANCELLED: CANCELLED,
    Sort.UNANSWERED: "no result recorded",
}
_USER = re.compile(r"\buser\b", re.IGNORECASE)
_NOISE = re.compile(
    r"\W*$|.*[━─═]{3}|\S+:\d+$|wall time|=== |> |# \S+$|\d+ *[│|] |Debugger attached|Waiting for the debugger|"
    r"\(Use `node|\(no output\)|stdout:|stderr:|"
    r"(?:npm|yarn|pnpm) (?:err(?:or)?!? )?(?:code|path|workspace|command|location|lifecycle|a complete log)\b|"
    r"(?:(?:command|process) )?(?:exited|failed) with (?:exit )?(?:code|status)|exit (?:code|status):? -?\d+\W*$|"
    r"(?:running|checking|compiling|checked|skipped|finished|fetching|downloading|collecting|found \d+ warnings?)\b",
    re.IGNORECASE,
)
"""Beginnings of lines that programs write around an error."""
_TELLING = re.compile(
    r"(?<![\w.-])(?:errors?|fatal|panic|fail(?:ed|ing|ures?)?|can ?not|can't|could not|couldn't|unable to|undefined|"
    r"not found|no such|do(?:es)?(?: not|n't) exist|denied|refused|timed? ?out|unsupported|unexpected|invalid|missing|"
    r"unknown|killed|not allowed|not granted|must)\b|\w(?:Error|Exception)\b",
    re.IGNORECASE,
)
_WARNED = re.compile(r"\W{0,4}warn(?:ing)?s?\b|(?:npm|yarn|pnpm) warn\b|![ \t]", re.IGNORECASE)
"""Beginnings, after their place, of lines that warn: they tell of no failure while a line tells of an error."""
_ERROR_MARK, _HEADED = "× ", "━━━"
"""What biome puts before an error, and draws in the line above it."""
_NOTHING_WRONG = re.compile(r"\b(?:0|no) (?:errors?|failures?|failed)\b", re.IGNORECASE)
_THROWN = re.compile(r"(?:Uncaught )?(?:[\w$]+\.)*(?:[A-Z][\w$]*)?(?:Error|Exception)\b")
"""Beginning of the line above the calls of a JavaScript error."""
_OF_A_TEST = re.compile(r"E {2,}(\S.*)")
"""What pytest puts before the line that failed."""
_PLACE = re.compile(r"\w[(:]\d+(?:[,:]\d+)*\)?:?\Z")
"""End of a first word that names a file with line and column, as compilers write it."""
_LONGEST_PLACE = 40
"""Most characters of such an end: a word of thousands of numbers would be searched from each of them."""
_LOOKED_AT = 20_000
"""Characters of an error's message that are searched for its first lines."""
_PREFIX = re.compile(
    r"^(?:\S{1,200}:\d+:in [`'][^'`]{1,120}'?: (?:\(<\w+>\): )?|<\w+>|output:\s*|\[[^\]]{1,30}\] (?:reason: )?|"
    r"error\s+(?=[A-Z]+\d+)|TS\d+:\s*|request failed with (?=status)|--- fail:\s*|"
    r"(?:npm|yarn|pnpm) (?:err(?:or)?!?) |apply_patch verification failed:\s*|"
    r"(?:error|err|failed|failure|fatal|tool ?error)\s*[:!]\s*)+",
    re.IGNORECASE,
)
_MARK = re.compile(r"^[!×✖✗✘•▲⚠]+\s+(?=\S)")
"""What a program puts before a message instead of a word."""
_OF_ANOTHER = re.compile(r"\bcommand failed\b|\bCalledProcessError\b|\breturned non-zero exit status\b", re.IGNORECASE)
"""Message of a program that only started the one that failed, which has said why itself."""
_EXITED = re.compile(r"\b(?:exit|(?:exited|failed) with(?: exit)?) (?:code|status):? (-?\d{1,10})\b", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w./@+~-])[\w.@+~-]*+(?:/[\w.@+~-]++){2,}+/?|(?:[A-Za-z]:)(?:\\[\w.@+~ -]++){2,}+")
_NOT_FOUND = re.compile(r"\b(?:failed to|could not|couldn't|cannot|can't|unable to) find\b", re.IGNORECASE)
_IN_JSON = re.compile(r'"message"\s*:\s*"((?:[^"\\]|\\.)*)"')


def failure_reason(graph: Graph, position: int) -> str:
    """Why a failing step failed; cleaned, at most 80 characters; "" if nothing recorded says why."""
    try:
        step = graph.step(position)
        sort, failure = sort_of(graph, position, step), failure_of(step)
    except (TineError, msgspec.MsgspecError, RecursionError):
        return ""
    if failure is None:
        return ""
    known = _SORTS.get(sort)
    if known:
        by = BY_THE_USER if sort in (Sort.REFUSED, Sort.INTERRUPTED) and _USER.search(failure.message[:400]) else ""
        return known + by
    return shortened(_why(step, failure)) or clean(_without_why(step, failure), REASON_LIMIT)


def _why(step: Step, failure: Failure) -> str:
    """The line that says why, uncut: of the error, or of what was printed if that states an exit code alone."""
    said = _telling_line(failure)
    if said and not _states_exit(said) and shortened(said):
        return said
    message, trace = without_traceback(_printed(step.outputs))  # a shell's error is in what it printed
    printed = _telling_line(Failure("", message=message, traceback=trace))
    telling = bool(trace or _TELLING.search(printed)) and not _EXITED.search(printed)
    return printed if telling else ""


def _states_exit(line: str) -> bool:
    """Whether a line says with which code something ended, and nothing else."""
    return bool(_EXITED.fullmatch(shortened(line)))


def _without_why(step: Step, failure: Failure) -> str:
    """What is said of a failure if no line says why: its exit code in words, or the line it was judged by."""
    exited = _EXITED.search(failure.message[-400:])
    code = failure.exit_code if failure.exit_code is not None else int(exited[1]) if exited else None
    if code is None:
        return failure.headline if failure.facts.get(JUDGED) else ""
    return _exit_words(call_of(step.inputs, step.tool_info), code)


def _exit_words(call: Call, code: int) -> str:
    """The words for an exit code if the command printed nothing that explains it."""
    words = deciding_command(call.command)
    program = words[0].rsplit("/", 1)[-1] if words else ""
    if code == 1 and (program in SEARCHING or words[:2] == ["git", "grep"]):
        return f"{program if program in SEARCHING else 'git grep'} found nothing"
    return f"exit code {code}"


def _printed(outputs: Mapping[str, Any]) -> str:
    """What a program printed: its error output, if that was recorded separately."""
    inner = outputs.get("result")
    streams = [outputs, *([inner] if isinstance(inner, Mapping) else ())]
    found = [values.get(name) for name in ("stderr", "stdout") for values in streams]
    errors, other = found[: len(streams)], found[len(streams) :]
    texts = (*errors, first_text(outputs), *other)
    return next((text for text in texts if has_text(text)), "")


def shown_headline(step: Step, failure: Failure) -> str:
    """The line that a failing step's reason was made of, uncut; "Exit code 1" only if nothing recorded says why."""
    line = _headline(failure)
    if has_text(failure.message) or failure.traceback:
        says = not _states_exit(line) and not _NOISE.match(line[:_LONGEST_LINE])
    else:
        says = not _states_exit(line) and failure.kind not in PLAIN_KINDS and failure.kind != ""
    if says:
        return line
    why = _why(step, failure)
    if why:
        return why
    words = _without_why(step, failure)
    return line if not words or (_states_exit(words) and _states_exit(line)) else words


def _headline(failure: Failure) -> str:
    """The most informative line of a multi-line error; for any other error its headline."""
    first, *others = [line for line in failure.message[:_LOOKED_AT].split("\n", 2) if line.strip()] or [""]
    if failure.traceback or not others or failure.headline != first.strip():
        return failure.headline
    return _telling_line(failure) or failure.headline


def shortened(line: str) -> str:
    """A line of an error without the parts that say little: its place, the word "error", the folders of paths."""
    line = line[:2_000]
    stated = _IN_JSON.search(line)
    if stated:
        line = stated[1].replace('\\"', '"')
    line = _PREFIX.sub("", _MARK.sub("", _without_place(line.strip()), count=1))
    return clean(first_sentence(without_folders(line)), REASON_LIMIT)


def _without_place(line: str) -> str:
    word, *rest = line.split(maxsplit=1)[:2] or [""]
    if not rest or not _PLACE.search(word[-_LONGEST_PLACE:]):
        return line
    dash, _, after = rest[0].partition(" ")
    return after.lstrip() if dash == "-" else rest[0]


def without_folders(text: str, instead: str = "") -> str:
    """A text in which only the last name of every path is left, after `instead`: a quotation says that it omits."""
    return _PATH.sub(lambda found: instead + re.split(r"[/\\]", found[0].rstrip("/\\"))[-1], text)


def _telling_line(failure: Failure) -> str:
    """A traceback's last line, else a test's message, else the first line that sounds like an error, or the first."""
    if failure.traceback:
        last = last_line(failure.traceback)
        started = _OF_ANOTHER.search(last) and _telling_line(Failure("", message=failure.message))
        return started if started and _TELLING.search(started) else last
    text = failure.message
    if len(text) > 2 * _MOST_TEXT:
        text = f"{text[:_MOST_TEXT]}\n{text[-_MOST_TEXT:]}"
    every = clean(text, 4 * _MOST_TEXT, lines=True).split("\n")
    told = [line for line in map(str.strip, every) if line and not _NOISE.match(line[:_LONGEST_LINE])]
    lines = [line for line in told if len(line) < _LONGEST_LINE or _says_what(line)]
    if any(_OF_ANOTHER.search(line) for line in lines):
        own = [line for line in lines if not _OF_ANOTHER.search(line)]
        lines = own if any(map(_TELLING.search, own)) else lines
    of_a_test = next((found[1] for found in map(_OF_A_TEST.match, lines) if found), "")
    if of_a_test:
        return of_a_test
    thrown = (line for line, after in pairwise(lines) if after.startswith("at ") and _THROWN.match(line))
    if error := next(thrown, ""):
        return error
    headed = any(_HEADED in line for line in every)
    telling = (place for place, line in enumerate(lines) if _tells(line, headed=headed))
    warned = -1
    for place in telling:
        if not _WARNED.match(_without_place(lines[place])):
            return _with_next(lines, place)
        warned = place if warned < 0 else warned
    if lines:
        return _with_next(lines, max(warned, 0))
    return "" if failure.exit_code is not None or failure.kind in PLAIN_KINDS else failure.kind


def _tells(line: str, *, headed: bool) -> bool:
    """Whether a line sounds like an error; `headed`: it is of a program that draws a line above each and marks it."""
    marked = headed and line.startswith(_ERROR_MARK)
    return marked or (bool(_TELLING.search(line)) and not _NOTHING_WRONG.search(line))


def _says_what(line: str) -> bool:
    """Whether a long line is an error message, and not source code printed with it."""
    return bool(_TELLING.search(line[:_BEGINNING]) or _IN_JSON.search(line[:_LONGEST_LINE]))


def _with_next(lines: list[str], place: int) -> str:
    """A line, or what it announces: the message in the object that it opens, or the line after a colon."""
    line, rest = lines[place], lines[place + 1 : place + 20]
    if line.endswith(("[", "{")):
        stated = _IN_JSON.search(" ".join(rest))
        return stated[0] if stated else line.rstrip("[{ ")
    if _NOT_FOUND.search(line):  # what follows is the text that was not found
        return line.rstrip(":")
    return rest[0] if line.endswith(":") and rest else line
