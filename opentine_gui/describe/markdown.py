"""Writes Markdown in which recorded text is never markup: escaped lines, code, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from opentine_gui.scene.text.clean import clean, clean_whole

_MARKUP = re.compile(r"([\\`*_{}\[\]|~#])")
_LISTED = re.compile(r"\A(\d{0,9})([-+=.)])")
"""What would begin a list, a rule, or underline a heading."""
BREAK = "\\"
DEEPEST = 40
"""Spaces at the beginning of a quoted line that are kept."""


def escaped(text: str) -> str:
    """Return recorded text for a line or a table cell, cleaned, at most 400 characters, with no markup in it."""
    text = _MARKUP.sub(r"\\\1", clean(text, 400))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("![", "\\!\\[")


def code(text: str) -> str:
    """Return recorded text as code on one line, in as many backticks as it needs.

    A "|" would end the cell of a table even inside backticks: such text is escaped instead.
    """
    text = clean(text, 200)
    if "|" in text:
        return escaped(text)
    fence = "`" * (_longest_run([text]) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}" if text else ""


def quoted(text: str) -> list[str]:
    """Return recorded text as a quotation that keeps its lines, cleaned, with no markup in it."""
    lines = clean_whole(text, lines=True).split("\n")
    shown = [_quoted_line(line) for line in lines]
    # A line that goes on in the next one would be joined to it.
    return [f"> {line}{BREAK if line and after else ''}".rstrip(" ") for line, after in zip_longest(shown, shown[1:])]


def _quoted_line(line: str) -> str:
    bare = line.expandtabs(4).rstrip()
    words = bare.lstrip()
    said = (
        _MARKUP.sub(r"\\\1", words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("$", "\\$")
    )
    said = _LISTED.sub(r"\1\\\2", said, count=1)
    return "&nbsp;" * min(len(bare) - len(words), DEEPEST) + said


def fenced(lines: Iterable[str], language: str) -> list[str]:
    """Return lines as a fenced code block that nothing in them can close, cleaned."""
    body = [clean_whole(line, lines=True) for line in lines]
    fence = "`" * max(_longest_run(body) + 1, 3)
    return [f"{fence}{language}", *body, fence]


def _longest_run(lines: Iterable[str]) -> int:
    return max((len(run) for line in lines for run in re.findall("`+", line)), default=0)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; the cells are escaped already."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]
