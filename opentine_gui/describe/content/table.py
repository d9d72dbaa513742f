"""Comma-separated and similar text as a table: aligned columns, numbers on the right."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Sequence
from itertools import islice

from opentine_gui.describe.content.lines import ListedLines, Pace, clean_text, no_pace, plain, text_lines
from opentine_gui.describe.content.tree_lines import Shown
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.styled import Span, StyledLine

MOST_CHARACTERS = 4_000_000
MOST_ROWS = 100_000
MOST_COLUMNS = 200
WIDEST = 60
"""Most cells of a column; longer text is elided, and complete in the tooltip."""
_GAP = "  "


def table_lines(text: str, delimiter: str, pace: Pace = no_pace) -> Shown:
    """The heading and the rows of a table."""
    if len(text) > MOST_CHARACTERS:
        return Shown("Table", text_lines(text, plain, pace))
    rows: list[list[str]] = []
    columns = 0
    try:
        # Cleaning turns a tab into blanks.
        cleaned = "\t".join(map(clean_text, text.split("\t"))) if delimiter == "\t" else clean_text(text)
        reader = csv.reader(cleaned.splitlines(keepends=True), delimiter=delimiter)
        for number, row in enumerate(islice(reader, MOST_ROWS + 1)):
            if number % 500 == 0:
                pace()
            columns = max(columns, len(row))
            if row:
                rows.append([cell.strip().replace("\n", " ") for cell in row[:MOST_COLUMNS]])
    except csv.Error:
        return Shown("Text", text_lines(text, plain, pace))
    if not rows or len(rows) > MOST_ROWS:
        return Shown("Text", text_lines(text, plain, pace))
    size = f"{counted(len(rows) - 1, 'row')} × {counted(columns, 'column')}"
    part = f", the first {MOST_COLUMNS} shown" if columns > MOST_COLUMNS else ""
    summary = StyledLine((Span(size + part, "quiet", "text"),), ours=True)
    return Shown(f"Table · {size}", ListedLines([summary, *aligned(rows, pace)]))


def aligned(rows: Sequence[Sequence[str]], pace: Pace = no_pace) -> list[StyledLine]:
    """Rows of cells in columns, the first one as the heading."""
    columns = max(map(len, rows), default=0)
    widths, right = [1] * columns, [True] * columns
    for number, row in enumerate(rows):
        if number % 500 == 0:
            pace()
        for place, cell in enumerate(row):
            widths[place] = max(widths[place], min(cells(cell), WIDEST))
            if number and cell and right[place]:
                right[place] = is_number(cell)
    if len(rows) < 2:
        right = [False] * columns
    return [_row(row, widths, right, number) for number, row in enumerate(rows)]


def _row(row: Sequence[str], widths: Sequence[int], right: Sequence[bool], number: int) -> StyledLine:
    """A row of a table; that with the number 0 is the heading, which stays in view over the others."""
    spans: list[Span] = []
    heading = number == 0
    for place, cell in enumerate(row):  # only its own cells: otherwise one long row would make all others as long
        width = widths[place]
        shown = cell if cells(cell) <= width else elided(cell, width)
        room = " " * (width - cells(shown))
        text = room + shown if right[place] else shown + room
        role = "heading" if heading else "number" if right[place] else "text"
        if place:
            spans.append(Span(_GAP))
        spans.append(Span(text, role, hint=cell[:2000] if shown != cell else ""))
    return StyledLine(tuple(spans), rule=heading, whole=True, under=number)


def cells(text: str) -> int:
    """The width of a text in cells of a fixed-width font: East Asian wide characters take two."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def elided(text: str, width: int) -> str:
    """The beginning of a text and "…", in at most that many cells."""
    taken = 0
    for place, character in enumerate(text):
        taken += _cells(character)
        if taken > width - 1:
            return text[:place] + "…"
    return text


def is_number(text: str) -> bool:
    """Whether a cell is a number, perhaps with a sign, a percent or currency sign, or thousands separators."""
    text = text.strip().lstrip("+-−$€£").rstrip("%").replace(",", "").replace("_", "")
    try:
        float(text)
    except ValueError:
        return False
    return True
