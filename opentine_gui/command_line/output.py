"""What the command line prints: text for people or one JSON object, errors on one line, no control sequences.

Text follows the terminal: its width and, unless NO_COLOR is set, its colours. In a file or a pipe, text is neither
coloured nor cut. docs/JSON.md describes the JSON.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from opentine_gui.command_line import FINE, NOT_VERIFIED, PROGRAM, REFUSED, UNREADABLE
from opentine_gui.scene.text.clean import ELLIPSIS, clean

LONGEST_LINE = 2000
BLOCK = 1 << 13
"""Characters that are printed at once: about two screens, so that the first lines appear without delay."""
SCHEMA = "opentine-gui/1"
"""Names the form of all JSON that commands print; its number grows when a reader would have to change."""
FALLBACK_COLUMNS = 80
BY_WEIGHT = (FINE, NOT_VERIFIED, REFUSED, UNREADABLE)
_STYLES = {
    "bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "magenta": "35", "cyan": "36",
}  # fmt: skip


def one_line(text: str, limit: int = LONGEST_LINE) -> str:
    """`text` on one line of at most `limit` characters, without control sequences."""
    return clean(text, limit)


def complain(message: object, *more: str) -> None:
    """Print an error to stderr, on one line that begins with the program's name; `more` are clean lines below it."""
    if sys.stderr is None:
        return
    with suppress(OSError):  # there is nowhere left to print it
        for line in (f"{PROGRAM}: {one_line(str(message))}", *(f"  {line}" for line in more)):
            print(line, file=sys.stderr)


def warn(message: object) -> None:
    """Print a warning to stderr; the command goes on."""
    complain(f"warning: {message}")


class Terminal(NamedTuple):
    """Where text is printed: its width in columns (None: lines are not cut), and whether it shows colours."""

    width: int | None
    colour: bool

    def styled(self, text: str, *styles: str) -> str:
        """`text` in the given styles ("bold", "red" …) if colours are shown, else unchanged."""
        codes = ";".join(_STYLES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m" if self.colour and codes and text else text

    def cut(self, text: str, used: int = 0) -> str:
        """`text` (one line, cleaned) cut to the columns that remain beside `used` ones."""
        return text if self.width is None else cut_to(text, max(self.width - used, 1))


def terminal(environment: Mapping[str, str] = os.environ, stream: TextIO | None = None) -> Terminal:
    """What standard output, or `stream`, is printed to."""
    stream = sys.stdout if stream is None else stream
    if stream is None or not stream.isatty():
        return Terminal(None, bool(environment.get("FORCE_COLOR")) and not environment.get("NO_COLOR"))
    shows = environment.get("TERM", "") != "dumb" and (sys.platform != "win32" or "WT_SESSION" in environment)
    width = shutil.get_terminal_size((FALLBACK_COLUMNS, 24)).columns
    return Terminal(width, shows and not environment.get("NO_COLOR"))


def width_of(text: str) -> int:
    """Columns a cleaned line takes in a terminal: two for an ideograph or an emoji."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    return max(wcswidth(text), 0)


def cut_to(text: str, columns: int) -> str:
    """`text`, its end replaced by "…" if it takes more than `columns` columns."""
    if width_of(text) <= columns:
        return text
    kept, used = 0, width_of(ELLIPSIS)
    while kept < len(text) and used + width_of(text[kept]) <= columns:
        used += width_of(text[kept])
        kept += 1
    return text[:kept].rstrip() + ELLIPSIS


def padded(text: str, columns: int) -> str:
    """`text`, padded with spaces to `columns` columns."""
    return text + " " * max(columns - width_of(text), 0)


class Answer:
    """A command's output: text printed at once or, with `--json`, one object printed at the end."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.command: str = options.command
        self.as_json: bool = options.json
        self.results: list[dict[str, Any]] = []
        self.errors: list[dict[str, Any]] = []
        self.warnings: list[str] = []
        self.status = FINE

    def add(self, kind: str, values: Mapping[str, Any]) -> None:
        """Keep one result for the JSON object; `kind` says which of the forms in docs/JSON.md it has."""
        self.results.append({"type": kind, **values})

    def fail(self, error: object, status: int = UNREADABLE, *more: str) -> None:
        """Print an error, keep it for the JSON, and remember the exit status; `more` are lines below it."""
        complain(error, *more)
        path = getattr(error, "path", None)
        self.errors.append({"file": None if path is None else str(path), "message": str(error)})
        self.now(status)

    def written(self, path: Path, said: str, values: Mapping[str, Any]) -> None:
        """Print that a file was written, or keep it for the JSON; nothing if the file itself went to standard
        output."""
        self.add("written", {"file": str(path), **values})
        if not self.as_json and path != Path("-"):
            print(f"{one_line(str(path))}: {said}")

    def warn(self, message: object) -> None:
        """Print a warning, and keep it for the JSON."""
        warn(message)
        self.warnings.append(str(message))

    def now(self, status: int) -> None:
        """Remember an exit status if it is more severe than the earlier ones."""
        self.status = max(self.status, status, key=BY_WEIGHT.index)

    def finish(self) -> int:
        """Print the JSON object if one was asked for; returns the exit status."""
        if self.as_json:
            print_json(
                {
                    "schema": SCHEMA,
                    "command": self.command,
                    "status": self.status,
                    "results": self.results,
                    "warnings": self.warnings,
                    "errors": self.errors,
                }
            )
        return self.status


def print_lines(lines: Iterable[str]) -> None:
    """Print lines in blocks as they are made; those before an error are printed, too."""
    block: list[str] = []
    waiting = 0
    try:
        for line in lines:
            block.append(line)
            waiting += len(line) + 1
            if waiting >= BLOCK:
                print("\n".join(block), flush=True)
                block.clear()
                waiting = 0
    finally:
        if block:
            print("\n".join(block))


def print_json(values: Mapping[str, Any]) -> None:
    """Print JSON in ASCII: no recorded character reaches the terminal as it is."""
    import json

    import msgspec

    # json escapes all that is not ASCII, which msgspec does not; msgspec indents a hundred times as fast.
    try:
        text = json.dumps(values, allow_nan=False)
    except ValueError:  # a sum of recorded costs may be infinite, which JSON cannot express: null
        text = json.dumps(msgspec.json.decode(msgspec.json.encode(values)))
    try:
        print(msgspec.json.format(text, indent=2))
    except msgspec.DecodeError:  # a file name that is not UTF-8 holds half of a surrogate pair
        print(json.dumps(json.loads(text), indent=2))
