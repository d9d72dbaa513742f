"""The lines of a file's page, coloured as what they are and numbered as in the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opentine_gui.app.inspect.analysis.file_page import PageLine
from opentine_gui.app.inspect.step.difference_page import marked
from opentine_gui.describe.content.code import coloured
from opentine_gui.describe.content.lines import Lines, ListedLines, Pace, code_hang, cut_styled, no_pace
from opentine_gui.describe.content.recognise import language_of
from opentine_gui.describe.difference_lines import SIGNS
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.text.styled import Span, StyledLine, merged

_SLICE = 500
"""Lines between two calls of `pace`."""
OWN_BAR = ((-6.0, "accent"),)
"""Left of the lines that the step itself wrote."""


class FileLines(NamedTuple):
    """Styled lines, and the line of the page that each of them is, or begins or continues: long ones are cut."""

    lines: Lines
    of: tuple[PageLine, ...]


def file_lines(page: Sequence[PageLine], path: str, own: int, pace: Pace = no_pace) -> FileLines:
    """The lines of one page of a file; `own` is the position of the step whose lines are marked."""
    colours = _colours(page, path, pace)
    digits = max((len(str(line.number)) for line in page), default=1) if any(line.number for line in page) else 0
    lines: list[StyledLine] = []
    of: list[PageLine] = []
    for index, line in enumerate(page):
        if index % _SLICE == 0:
            pace()
        styled = _styled(line, colours[index] if colours else None, digits, own)
        for number, piece in enumerate(cut_styled(styled.spans, styled)):
            lines.append(piece if not number else piece._replace(number=""))
            of.append(line)
    return FileLines(ListedLines(lines), tuple(of))


def _colours(page: Sequence[PageLine], path: str, pace: Pace) -> list[tuple[Span, ...]] | None:
    """The spans of each line of a text in its language; None where it has none, or is too long to be coloured."""
    language = language_of(path)
    if not language or any(line.kind != "text" for line in page):
        return None
    rows = list(coloured("\n".join(line.text for line in page), language, pace))
    return rows if len(rows) == len(page) else None  # what has very long lines comes back in pieces


def _styled(line: PageLine, colours: tuple[Span, ...] | None, digits: int, own: int) -> StyledLine:
    if line.kind == "text":
        spans = colours if colours is not None else (Span(line.text),)
        number, mine = str(line.number), line.step == own
        return StyledLine(
            merged(spans), hang=code_hang(line.text), number=number, digits=digits,
            ground="written" if mine else "", bars=OWN_BAR if mine else (),
        )  # fmt: skip
    if line.kind in SIGNS:
        role = line.kind if line.kind != "same" else "faint"
        spans = (Span(SIGNS[line.kind], role), *marked(line.text, line.marks, line.kind, 0, len(line.text)))
        number, ground = str(line.number or ""), "" if line.kind == "same" else line.kind
        return StyledLine(spans, hang=14.0 + code_hang(line.text), number=number, digits=digits, ground=ground)
    if line.kind == "turn":
        heading = Span(clean(line.text, 400), "human", "title", act=("step", line.step))
        return StyledLine((heading, Span(f"   {line.note}", "quiet", "text")), rule=True)
    link = Span(clean(line.note, 400), "tool", "text", act=("step", line.step))
    said = (Span(f"{line.text} " if line.note and line.text else line.text, "quiet", "text"),) if line.text else ()
    spans = (*said, link) if line.note and line.step >= 0 else said
    return StyledLine(spans, digits=digits if line.kind == "rest" else 0, ours=line.kind == "rest")
