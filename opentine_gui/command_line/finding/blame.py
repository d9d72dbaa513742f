"""`blame`: the step that wrote a line of a file, or that there is no record of it."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import NamedTuple

from opentine_gui.command_line import REFUSED
from opentine_gui.command_line.files import candidates, read_run, which_of_several
from opentine_gui.command_line.output import Answer, Terminal, one_line, terminal
from opentine_gui.core import LookupFailure, RunRecord, StorageError, TineError, short_id
from opentine_gui.core.analysis.files.blame import Blamed, blame_line, blame_present
from opentine_gui.core.analysis.files.file_text import LONGEST, versions
from opentine_gui.core.analysis.files.touched_files import TouchedFile, touched_files
from opentine_gui.describe.numbers import NOT_RECORDED, format_time
from opentine_gui.describe.step_titles import title

TITLE_LENGTH = 60
NO_RECORD = "no record"


class Asked(NamedTuple):
    """A file, and a line of it counted from 1; 0 for all lines."""

    path: str
    line: int


def blame(options: argparse.Namespace) -> int:
    """Print who wrote the line, or each line; 1 where there is no record of the one line, or none of the file."""
    answer, screen = Answer(options), terminal()
    try:
        record = read_run(options.file)
        if said := which_of_several(options.file, record):
            answer.warn(said)
        asked = split_line(options.place)
        tip = record.graph.index(record.resolve(options.step)) if options.step else _end(record)
        found = _blamed(record, asked, tip, disk=not options.step)
    except LookupFailure as error:
        answer.fail(error.at_path(options.file), REFUSED, *candidates(error, [record]))
        return answer.finish()
    except (TineError, LookupError) as error:
        answer.fail(error, REFUSED if isinstance(error, LookupError) else 2)
        return answer.finish()
    for number, line in found:
        _print(record, asked, number, line, answer, screen)
    if asked.line and all(line.writer is None for _, line in found):
        answer.now(REFUSED)
    return answer.finish()


_LINE = re.compile("[0-9]{1,12}")


def split_line(place: str) -> Asked:
    """`src/a.py:12` as a path and a line; all lines without a number, or if a file has that very name.

    LookupError for line 0.
    """
    path, sign, number = place.rpartition(":")
    if not sign or not path or not _LINE.fullmatch(number) or os.path.exists(place):
        return Asked(place, 0)
    if int(number) < 1:
        raise LookupError("lines are counted from 1")
    return Asked(path, int(number))


def _end(record: RunRecord) -> int:
    if record.main_tip is None:
        raise LookupError("this run has no steps")
    return record.graph.index(record.main_tip)


def _blamed(record: RunRecord, asked: Asked, tip: int, *, disk: bool) -> list[tuple[int, Blamed]]:
    """(number, writer) of the lines that were asked for, from the file on disk if `disk` is set and there is one."""
    file = _touched(record, asked.path)
    found = versions(record.graph, file, tip)
    present = _text_on_disk(asked.path) if disk else None
    if present is not None:
        lines = blame_present(present, found)
        if lines and not lines[-1].line:
            lines.pop()  # what follows the last line end is not a line
        if asked.line > len(lines):
            raise LookupError(f"{one_line(asked.path)} has {len(lines):,} lines")
        wanted = [asked.line] if asked.line else range(1, len(lines) + 1)
        return [(number, lines[number - 1]) for number in wanted]
    text = found[-1].text if found else None
    if text is None or text.lines is None:
        return [(asked.line, Blamed("", None, text.reason if text is not None else "no step on the way changed it"))]
    count = len(text.lines) - (text.lines[-1:] == ("",))
    numbers = [asked.line] if asked.line else range(1, count + 1)
    return [(number, blame_line(text, number)) for number in numbers]


def _touched(record: RunRecord, path: str) -> TouchedFile:
    touched = touched_files(record.graph)
    names = dict.fromkeys((os.path.abspath(path).replace(os.sep, "/"), path.replace(os.sep, "/").removeprefix("./")))
    for name in names:
        file = touched.file(name)
        if file is not None:
            return file
    ends = [file.path for file in touched.files if file.path.rpartition("/")[2] == Path(path).name]
    if len(ends) > 1:
        raise LookupError(f"several files are called that: {', '.join(one_line(end, 200) for end in ends[:6])}")
    raise LookupError(f"{one_line(path)}: {NO_RECORD}, no step of this run reads or changes it")


def _text_on_disk(path: str) -> str | None:
    """The present text of the file; None if there is none. StorageError for a file that cannot be read as text."""
    if not os.path.isfile(path):
        return None
    try:
        if os.path.getsize(path) > LONGEST:
            raise StorageError("the file is too long to be compared with the run", path=path)
        return Path(path).read_text(encoding="utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError("the file cannot be read as text", path=path, cause=error) from error


def _print(record: RunRecord, asked: Asked, number: int, found: Blamed, answer: Answer, screen: Terminal) -> None:
    step = record.graph.step(found.writer) if found.writer is not None else None
    answer.add(
        "line",
        {
            "path": asked.path,
            "line": number or None,
            "text": found.line if found.line or found.writer is not None else None,
            "step": step.id if step is not None else None,
            "title": title(step) if step is not None else None,
            "timestamp": step.timestamp if step is not None and step.timestamp > 0 else None,
            "reason": found.reason or None,
        },
    )
    if answer.as_json:
        return
    place = f"{one_line(asked.path)}:{number}" if number else one_line(asked.path)
    if step is None:
        said = f"{place}  {screen.styled(NO_RECORD, 'dim')}: {found.reason}"
    else:
        when = format_time(step.timestamp, date=True) if step.timestamp > 0 else NOT_RECORDED
        said = f"{place}  {screen.styled(short_id(step.id), 'cyan')}  {when}  {one_line(title(step), TITLE_LENGTH)}"
    print(screen.cut(f"{said}  {one_line(found.line)}" if found.line.strip() else said))
