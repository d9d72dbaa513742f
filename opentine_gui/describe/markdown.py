"""Writes Markdown in which recorded text is never markup: escaped lines, code, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from opentine_gui.scene.text.clean import clean, clean_whole

_MARKUP = re.compile(r"([\\`*_{}\[\]|~#])")


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
