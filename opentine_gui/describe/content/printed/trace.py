"""Tracebacks and panics: the error first, then the frames, innermost first; all but the innermost are folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from opentine_gui.core.format.late_pattern import late_pattern
from opentine_gui.describe.content.lines import (
    JoinedLines,
    Lines,
    ListedLines,
    clean_text,
    cut_styled,
    plain,
    text_lines,
)
from opentine_gui.describe.content.tree_lines import Folds, Path, Shown
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.styled import Span, StyledLine

FRAMES_SHOWN = 3
"""Frames shown before the others are unfolded."""
MOST_AROUND = 40
"""Most other lines, which are folded; a text with more of them is not a traceback, though it contains one."""
# Standard libraries and installed packages; an error raised there usually starts elsewhere.
_LIBRARY = late_pattern(
    r"(?:^|[\\/])(?:site-packages|dist-packages|node_modules|lib[\\/]python\d[\d.]*|rustc|\.cargo|go[\\/]src|pkg[\\/]mod)[\\/]"
    r"|^<frozen |^node:|^internal/"
)
_LIBRARY_NAME = late_pattern(r"^(?:java|javax|jdk|sun|kotlin|scala|std|core|runtime)[.:]")

_PYTHON = late_pattern(r'^\s*(?:[|+] )*File "(?P<file>.+?)", line (?P<line>\d+)(?:, in (?P<name>.+))?$')
_PYTHON_HEAD = late_pattern(r"^[\s|+-]*(?P<group>Exception Group )?Traceback \(most recent call last\):$")
_PYTHON_REPEATED = late_pattern(r"^  \[Previous line repeated \d+ more times?\]$")
_IN_GROUP = late_pattern(r"^ *(?:[|+] ?)")
_GROUP_RULE = late_pattern(r"^ *(?:\+-)?\+-{4,}(?: (?:\d+|\.\.\.) -{4,})?$")
_PYTHON_LINK = late_pattern(
    r"^(?:During handling of the above exception, another exception occurred"
    r"|The above exception was the direct cause of the following exception):$"
)
# Each has only one way to match: with spaces allowed in both name and place, a line would take quadratic time.
_AT_CALL = late_pattern(
    r"^\s+at (?:async )?(?:(?P<name>[^()]+?) )?\((?P<file>[^()\s][^()]*?)(?::(?P<line>\d+))?(?::\d+)?\)?$"
)
_AT_PLACE = late_pattern(
    r"^\s+at (?:async )?(?:(?P<name>[^()\s]+) +)?(?P<file>[^()\s][^()]*?)(?::(?P<line>\d+))?(?::\d+)?\)?$"
)
_JAVA = late_pattern(r"^\s+at (?:[\w.]+//?)?(?P<name>[\w.$<>/]+)\((?P<file>[^():]+)(?::(?P<line>\d+))?\)$")
_RUST = late_pattern(r"^\s+\d+:\s+(?:0x[0-9a-f]+ - )?(?P<name>.+)$")
_RUST_AT = late_pattern(r"^\s+at (?P<file>.+?):(?P<line>\d+)(?::\d+)?$")
_RUST_HEAD = late_pattern(r"^thread '.{0,200}' (?:\(\d+\) )?panicked at (?P<where>.+?):?$")
_GO = late_pattern(r"^\s+(?P<file>\S.*?):(?P<line>\d+)(?: \+0x[0-9a-f]+)?$")
_GO_NAME = late_pattern(r"[\w./*()-]+")
_ERROR = late_pattern(
    r"^(?:Exception in thread \".*\" |Caused by: |Uncaught )?(?:[\w$]+[./])*(?:[A-Z][\w$]*)?"
    r"(?:Error|Exception|Throwable)\b"
)
_LAST_CALL = late_pattern(r"^\s+at .*\) \{$|^\s+at \S+:\d+:\d+ \{$")
"""The last call that Node.js prints for an error with extra members, which follow it."""


class Frame(NamedTuple):
    """A call: where it is and, if recorded, the line of code."""

    file: str
    line: str
    name: str
    source: tuple[str, ...] = ()


class Trace(NamedTuple):
    """An error and its calls, the innermost first; `before` are the errors that caused it, `around` other lines.

    `held` are the errors in an exception group.
    """

    error: tuple[str, ...]
    frames: tuple[Frame, ...]
    before: tuple[Trace, ...] = ()
    around: tuple[str, ...] = ()
    held: tuple[Trace, ...] = ()


def trace_lines(text: str, path: Path, folds: Folds) -> Shown | None:
    """The lines of a traceback; None if the text has none or is mostly something else."""
    found = read_trace(clean_text(text).split("\n"))
    if found is None or len(found.around) > max(MOST_AROUND, 2 * len(found.frames)):
        return None
    parts: list[Lines] = [ListedLines(list(_one(found, path, folds)))]
    for number, one in enumerate(found.held):
        words = f"Error {number + 1} of {len(found.held)}"
        parts.append(ListedLines([StyledLine(), StyledLine((Span(words, "quiet", "text"),))]))
        parts.append(ListedLines(list(_one(one, (*path, "held", number), folds))))
    for number, cause in enumerate(found.before):
        words = "" if cause.error[0].startswith("Caused by: ") else "Caused by"
        parts.append(ListedLines([StyledLine(), *([StyledLine((Span(words, "quiet", "text"),))] if words else ())]))
        parts.append(ListedLines(list(_one(cause, (*path, "cause", number), folds))))
    if any(line.strip() for line in found.around):
        opened = folds.opened.get((*path, "around"), False)
        title = f"{counted(len(found.around), 'other line')}"
        head = StyledLine(
            (Span(title, "quiet", "text"),), indent=14.0, fold=opened, act=("fold", (*path, "around"), opened)
        )
        parts.append(ListedLines([StyledLine(), head]))
        if opened:
            parts.append(text_lines("\n".join(found.around), plain))
    return Shown("Traceback", JoinedLines(parts))


def _one(trace: Trace, path: Path, folds: Folds) -> Iterator[StyledLine]:
    for line in trace.error:
        yield from cut_styled((Span(line, "bad"),), StyledLine(hang=14.0, ground="trouble"))
    opened = folds.opened.get((*path, "frames"), False)
    shown = telling(trace.frames)
    for frame in trace.frames if opened else shown:
        yield from _frame(frame)
    left = len(trace.frames) - len(shown)
    if left > 0:
        words = "fewer frames" if opened else f"{counted(left, 'more frame')}"
        yield StyledLine(
            (Span(words, "quiet", "text"),), indent=14.0, fold=opened, act=("fold", (*path, "frames"), opened)
        )


def telling(frames: Sequence[Frame]) -> Sequence[Frame]:
    """The frames shown while the others are folded: the innermost in the user's own code, else the innermost."""
    own = [frame for frame in frames if not _LIBRARY.search(frame.file) and not _LIBRARY_NAME.match(frame.name)]
    return (own or frames)[:FRAMES_SHOWN]


def _frame(frame: Frame) -> Iterator[StyledLine]:
    folder, slash, name = frame.file.replace("\\", "/").rpartition("/")
    where = f"{name}:{frame.line}" if frame.line else name
    spans = [Span(folder + slash, "faint"), Span(where, "tool")]
    if frame.name:
        spans += [Span(" in ", "quiet"), Span(frame.name, "text")]
    yield from cut_styled([span for span in spans if span.text], StyledLine(indent=14.0, hang=14.0))
    for source in frame.source:
        yield from cut_styled((Span(source),), StyledLine(indent=28.0, hang=14.0, ground="code"))


def read_trace(lines: Sequence[str]) -> Trace | None:
    """The last error of a text with its calls; None if there is none."""
    if any(_PYTHON_HEAD.match(line) for line in lines):
        return _python(lines)
    if any(_RUST_HEAD.match(line) for line in lines):
        return _rust(lines)
    if any(line.startswith(("panic: ", "goroutine ")) for line in lines):
        return _go(lines)
    return _at(lines)


def _python(lines: Sequence[str]) -> Trace | None:
    found: list[Trace] = []
    around: list[str] = []
    place, group = 0, -1
    if any("Exception Group Traceback" in line for line in lines):
        lines = ["" if _GROUP_RULE.match(line) else _IN_GROUP.sub("", line, count=1) for line in lines]
    while place < len(lines):
        head = _PYTHON_HEAD.match(lines[place])
        if not head:
            if not _PYTHON_LINK.match(lines[place]) and lines[place].strip():
                around.append(lines[place])
            place += 1
            continue
        place += 1
        if head["group"] and group < 0:
            group = len(found)
        frames: list[Frame] = []
        while place < len(lines):
            match = _PYTHON.match(lines[place])
            if match:
                frames.append(Frame(match["file"], match["line"], match["name"] or ""))
            elif frames and lines[place].startswith("    "):
                shown = lines[place].strip()
                if shown.strip("^~ "):
                    frames[-1] = frames[-1]._replace(source=(*frames[-1].source, shown))
            elif frames and _PYTHON_REPEATED.match(lines[place]):
                frames[-1] = frames[-1]._replace(source=(*frames[-1].source, lines[place].strip()))
            else:
                break
            place += 1
        error: list[str] = []
        while place < len(lines) and lines[place].strip() and not _PYTHON_HEAD.match(lines[place]):
            error.append(lines[place])
            place += 1
            if place < len(lines) and not lines[place].startswith((" ", "\t")) and len(error) > 20:
                break
        if frames or error:
            found.append(Trace(tuple(error) or ("(no error recorded)",), tuple(reversed(frames))))
    if not found:
        return None
    if group >= 0:
        before, held = reversed(found[:group]), found[group + 1 :]
        return found[group]._replace(before=tuple(before), around=tuple(around), held=tuple(held))
    return found[-1]._replace(before=tuple(reversed(found[:-1])), around=tuple(around))


def _at(lines: Sequence[str]) -> Trace | None:
    """JavaScript and Java: the error, then `at …` lines, the innermost first."""
    found: list[Trace] = []
    around: list[str] = []
    has_members = False
    for line in lines:
        if has_members:
            has_members = line.rstrip() != "}"
            if has_members and line.strip():
                found[-1] = found[-1]._replace(error=(*found[-1].error, line))
            continue
        if found and _LAST_CALL.match(line):
            line, has_members = line[:-2], True
        match = _JAVA.match(line) or _AT_CALL.match(line) or _AT_PLACE.match(line)
        if match and found:
            frame = Frame(match["file"] or "", match["line"] or "", (match["name"] or "").strip())
            found[-1] = found[-1]._replace(frames=(*found[-1].frames, frame))
        elif _ERROR.match(line):
            found.append(Trace((line,), ()))
        elif found and not found[-1].frames and line.strip():
            found[-1] = found[-1]._replace(error=(*found[-1].error, line))
        elif line.strip() and not re.match(r"^\s+\.\.\. \d+ more$", line):
            around.append(line)
    found = [trace for trace in found if trace.frames]
    if not found:
        return None
    return found[0]._replace(before=tuple(found[1:]), around=tuple(around))


def _rust(lines: Sequence[str]) -> Trace | None:
    error: list[str] = []
    frames: list[Frame] = []
    around: list[str] = []
    where = Frame("", "", "")
    state = ""
    for line in lines:
        head = _RUST_HEAD.match(line)
        if head and not error:
            file, _, place = head["where"].rpartition(":")
            file, _, row = file.rpartition(":")
            where, state = Frame(file or head["where"], row or place, ""), "error"
        elif state == "error" and line.strip() and not line.startswith(("stack backtrace:", "note: ")):
            error.append(line)
        elif line.startswith("stack backtrace:"):
            state = "frames"
        elif state == "frames" and (match := _RUST.match(line)):
            frames.append(Frame("", "", match["name"]))
        elif state == "frames" and frames and (match := _RUST_AT.match(line)):
            frames[-1] = frames[-1]._replace(file=match["file"], line=match["line"])
        elif line.strip():
            around.append(line)
            state = "" if state == "error" and error else state
    if state == "" and not error:
        return None
    return Trace(tuple(error) or ("panicked",), (where, *frames), around=tuple(around))


def _go(lines: Sequence[str]) -> Trace | None:
    error: list[str] = []
    frames: list[Frame] = []
    around: list[str] = []
    name = ""
    for line in lines:
        match = _GO.match(line)
        if line.startswith(("panic: ", "fatal error: ")):
            error.append(line)
        elif match and name:
            frames.append(Frame(match["file"], match["line"], name))
            name = ""
        elif error and (called := _go_name(line)):
            name = called
        elif line.strip() and not line.startswith("goroutine "):
            around.append(line)
    return Trace(tuple(error) or ("panic",), tuple(frames), around=tuple(around)) if frames else None


def _go_name(line: str) -> str:
    """The function that a line of a goroutine's stack names, "" for any other line."""
    called, created, number = line.removeprefix("created by ").rpartition(" in goroutine ")
    if not created or not number.isdecimal():
        called = line.removeprefix("created by ")
    if called.endswith(")"):
        called = called[: called.rfind("(")]  # the arguments contain no parentheses; a method's receiver type does
    called = called.removesuffix("...")
    return called if _GO_NAME.fullmatch(called) else ""
