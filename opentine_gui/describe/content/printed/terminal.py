"""Terminal output: colours and bold from SGR sequences; all other escape sequences are dropped."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from opentine_gui.describe.content.lines import (
    Lines,
    ListedLines,
    Pace,
    clean_text,
    cut_styled,
    no_pace,
    pieces_of,
    plain,
    text_lines,
)
from opentine_gui.scene.text.styled import Span, StyledLine, merged

MOST_COLOURED = 6_000_000
"""Most characters of output that is coloured; longer output is shown without colours."""
_SGR = re.compile(r"(?:\x1b\[|\x9b)([0-9;:]*)m")
_SPACED = re.compile(r"\b([34]8):2:\d*:(?=\d*:\d*:)")
# A string sequence. If terminated, its content is not output, and SGR sequences inside it have no effect. Otherwise
# it is matched as well, and kept: if the end were required, every starter in it would search the same text again.
_STRING = re.compile(r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*+(?P<end>\x07|\x1b\\|\x9c)?")


class Pen(NamedTuple):
    """The state of a terminal's pen: names of colours, "" for the default."""

    role: str = ""
    ground: str = ""
    bold: bool = False
    faint: bool = False
    inverse: bool = False

    def span(self, text: str) -> Span:
        """Text written with this pen."""
        role, ground = self.role or ("quiet" if self.faint else "text"), self.ground
        if self.inverse:
            role, ground = ground or "text", self.role or "text"
        if self.bold and role.startswith("ansi") and len(role) == 5:
            role = f"ansi{int(role[4:]) + 8}"
        return Span(text, role, "mono", 0.0, ground)


def terminal_lines(text: str, pace: Pace = no_pace) -> Lines:
    """The lines of recorded terminal output."""
    if len(text) > MOST_COLOURED:
        return text_lines(text, plain, pace)
    rows: list[StyledLine] = []
    spans: list[Span] = []
    has_text = False
    pen = Pen()
    for chunk, goes_on in pieces_of(_STRING.sub(_unterminated, text).replace("\r\n", "\n")):
        pace()
        at = 0
        for found in (*_SGR.finditer(chunk), None):
            first, *others = clean_text(chunk[at : found.start() if found else len(chunk)]).split("\n")
            # Each piece is cleaned alone: combining marks at its start could keep stacking on a letter of the piece
            # before.
            first = without_leading_marks(first) if has_text else first
            if first:
                spans.append(pen.span(first))
            has_text = has_text or bool(first)
            for other in others:
                rows += cut_styled(merged(spans))
                spans, has_text = [pen.span(other)], bool(other)
            if found:
                pen, at = changed(pen, found[1]), found.end()
        if not goes_on:
            rows += cut_styled(merged(spans))
            spans, has_text = [], False
    if spans:
        rows += cut_styled(merged(spans))
    return ListedLines(rows)


def _unterminated(found: re.Match[str]) -> str:
    """What to keep of a string sequence: nothing, or all of it if unterminated; cleaning then decides."""
    return "" if found["end"] else found[0]


def without_leading_marks(text: str) -> str:
    """The text from its first character that is not a combining mark."""
    begin = next(
        (place for place, char in enumerate(text) if unicodedata.category(char) not in ("Mn", "Me")), len(text)
    )
    return text[begin:]


def changed(pen: Pen, parameters: str) -> Pen:
    """The pen after an SGR sequence with these parameters; unknown parameters change nothing."""
    codes = [int(code) if code else 0 for code in _flat(parameters[:200]).split(";")]
    place = 0
    while place < len(codes):
        code = codes[place]
        place += 1
        if code in (38, 48):
            colour, used = _extended(codes[place:])
            place += used
            if colour:
                pen = pen._replace(role=colour) if code == 38 else pen._replace(ground=colour)
        else:
            pen = _simple(pen, code)
    return pen


def _flat(parameters: str) -> str:
    """All parameters separated by ";". With ":", the name of a colour space comes before a colour's components."""
    return _SPACED.sub(r"\1;2;", parameters).replace(":", ";")


def _simple(pen: Pen, code: int) -> Pen:
    if code == 0:
        return Pen()
    if 30 <= code <= 37 or 90 <= code <= 97:
        return pen._replace(role=f"ansi{code - 30 if code < 90 else code - 82}")
    if 40 <= code <= 47 or 100 <= code <= 107:
        return pen._replace(ground=f"ansi{code - 40 if code < 100 else code - 92}")
    change: dict[int, dict[str, object]] = {
        1: {"bold": True}, 2: {"faint": True}, 22: {"bold": False, "faint": False}, 7: {"inverse": True},
        27: {"inverse": False}, 39: {"role": ""}, 49: {"ground": ""},
    }  # fmt: skip
    return pen._replace(**change.get(code, {}))  # type: ignore[arg-type]


def _extended(codes: list[int]) -> tuple[str, int]:
    """(colour or "", number of codes used) after 38 or 48: 5;N of 256, or 2;R;G;B."""
    if codes[:1] == [5] and len(codes) >= 2:
        number = codes[1]
        if number < 16:
            return f"ansi{number}", 2
        if number < 232:
            red, green, blue = ((number - 16) // step % 6 for step in (36, 6, 1))
            return _hex(*(55 + 40 * part if part else 0 for part in (red, green, blue))), 2
        return _hex(*[8 + 10 * (min(number, 255) - 232)] * 3), 2
    if codes[:1] == [2] and len(codes) >= 4:
        return _hex(*codes[1:4]), 4
    return "", len(codes)


def _hex(red: int, green: int, blue: int) -> str:
    return f"#{min(red, 255):02X}{min(green, 255):02X}{min(blue, 255):02X}"
