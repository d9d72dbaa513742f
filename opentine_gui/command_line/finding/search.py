"""`search`: find what was recorded in runs, a line for each step, as the window's search finds it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from opentine_gui.app.search.query import Query, one_pattern, parse_query
from opentine_gui.app.search.scan_run import Described, described, scan_run
from opentine_gui.app.search.step_search import PatternTooSlow, StepSearch
from opentine_gui.app.search.text_index import TextIndex
from opentine_gui.command_line import REFUSED
from opentine_gui.command_line.files import each_run, listed, read_run
from opentine_gui.command_line.output import Answer, Terminal, one_line, terminal
from opentine_gui.core import TineError, short_id
from opentine_gui.core.files.storage import plain_fingerprint

TITLE_LENGTH = 60
SNIPPET_LENGTH = 160
TOO_SLOW = "the regular expression takes too long and was given up"
SOME_TOO_SLOW = "the regular expression took too long for some texts, which were left out"


def search(options: argparse.Namespace) -> int:
    """Print a line for each step that is found; 1 when there is none, 2 when a file or the query cannot be read."""
    answer, screen = Answer(options), terminal()
    found = 0
    try:
        asked = one_pattern(options.query) if options.regex else parse_query(options.query)
        if not asked:
            raise ValueError("there is nothing to search for")
        for path in listed(options.files, answer, lambda folder: _without(folder, StepSearch(asked))):
            found += _search_file(path, asked, answer, screen)
    except ValueError as error:
        answer.fail(error)
    except PatternTooSlow:
        answer.fail(TOO_SLOW)
    if not found:
        answer.now(REFUSED)
    return answer.finish()


def _without(folder: Path, asked: StepSearch) -> frozenset[Path]:
    """The files of a folder in which nothing can be found, according to the index that the window made, if there is
    one.

    The index only counts for files that have not changed since.
    """
    index = TextIndex.that_is_there(folder) if asked.texts else None
    if index is None:
        return frozenset()
    try:
        with os.scandir(folder) as entries:
            prints = {folder / entry.name: plain_fingerprint(entry) for entry in entries}
        return index.ruled_out({path: print_ for path, print_ in prints.items() if print_ is not None}, asked.texts)
    except OSError:
        return frozenset()
    finally:
        index.close()


def _search_file(path: Path, asked: Query, answer: Answer, screen: Terminal) -> int:
    """Print what is found in all runs of a file; returns the number of lines."""
    return sum(_search_run(run, StepSearch(asked), answer, screen) for run in each_run(path))


def _search_run(path: Path, asked: StepSearch, answer: Answer, screen: Terminal) -> int:
    try:
        record = read_run(path)
    except TineError as error:
        answer.fail(error)
        return 0
    lines = 0
    for part in scan_run(record, asked):
        for one in part:
            shown = described(record, asked, one)
            answer.add("match", _values(path, shown, one.times))
            lines += 1
            if not answer.as_json:
                print(_line(path, shown, screen))
    if asked.too_slow:
        answer.warn(SOME_TOO_SLOW)
    return lines


def _line(path: Path, shown: Described, screen: Terminal) -> str:
    """FILE#STEP title snippet, with the match in colour if colours are shown."""
    place = one_line(str(path)) + (f"#{one_line(short_id(shown.step))}" if shown.step else "")
    title = one_line(shown.title, TITLE_LENGTH)
    used = len(place) + len(title) + 4
    said = _snippet(shown, screen, used)
    return f"{screen.styled(place, 'cyan')}  {title}" + (f"  {said}" if said else "")


def _snippet(shown: Described, screen: Terminal, used: int) -> str:
    snippet = shown.snippet
    if snippet is None:
        return ""
    before = one_line(snippet.text[: snippet.start], SNIPPET_LENGTH)
    match = one_line(snippet.text[snippet.start : snippet.end], SNIPPET_LENGTH)
    after = one_line(snippet.text[snippet.end :], SNIPPET_LENGTH)
    gap = " " if before and snippet.text[snippet.start - 1 : snippet.start].isspace() else ""
    tail = " " if after and snippet.text[snippet.end : snippet.end + 1].isspace() else ""
    if screen.width is None:
        return f"{before}{gap}{screen.styled(match, 'bold', 'red')}{tail}{after}"
    head = screen.cut(f"{before}{gap}", used)
    used += len(head)
    shown_match = screen.cut(match, used)
    rest = screen.cut(f"{tail}{after}", used + len(shown_match))
    return f"{head}{screen.styled(shown_match, 'bold', 'red')}{rest}"


def _values(path: Path, shown: Described, times: int) -> dict[str, Any]:
    snippet = shown.snippet
    return {
        "file": str(path),
        "step": shown.step or None,
        "kind": shown.kind or None,
        "title": shown.title,
        "times": times,
        "where": snippet.where if snippet is not None else None,
        "text": snippet.text if snippet is not None else None,
        "start": snippet.start if snippet is not None else None,
        "end": snippet.end if snippet is not None else None,
    }
