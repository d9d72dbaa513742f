"""Styled lines: what a viewer of recorded text shows, before it is wrapped to a width.

A line is a logical line: it ends at a line end of the text, not of the screen. Its text is cleaned, and a selection
copies it as it is. Colours are named: roles of the theme (`scene.theme`), or "#RRGGBB" for a colour the text itself
asks for, which is moved until it can be read.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal, NamedTuple

Face = Literal["text", "title", "mono"]

SIZES: dict[str, float] = {"text": 13.0, "title": 13.0, "mono": 12.0}
"""Usual em size of each face in design pixels."""

LONGEST_LINE = 4096
"""Characters of one styled line; what is longer goes on in the next, with `ends` false in between."""


class Span(NamedTuple):
    """A piece of a line in one face and colour.

    `size` is an em size in design pixels (0: the usual one of the face), `ground` the role of a background, `act` what
    a press on it does, `hint` its tooltip.
    """

    text: str
    role: str = "text"
    face: Face = "mono"
    size: float = 0.0
    ground: str = ""
    act: Hashable = None
    hint: str = ""


class Figure(NamedTuple):
    """A picture in place of text: its name in the store of pictures, and its size in pixels of the picture."""

    name: str
    width: int
    height: int
    zoom: float = 0.0
    """Screen pixels per pixel of the picture; 0 fits it into the width, never enlarged."""


class StyledLine(NamedTuple):
    """One logical line. Measures are design pixels.

    `indent` is left of everything but the gutter, `hang` further left of all rows but the first; `number` stands in a
    gutter `digits` wide; `ground` colours the whole row, `rule` draws a line below it; `bars` are the (x, role) of bars
    left of the line: the blocks it lies in, outermost first. `fold` is True for an open fold mark, False for a closed
    one, None without one; a press on it does `act`. A line without a fold mark may have an act that names the place of
    its value. With `ends` false the text goes on in the next line; a `whole` line is never wrapped; a line of `ours` is
    the program's own remark on the text, and is not copied with it. `under` is the number of lines up to the heading of
    its columns, which stays in view; 0 for a line without one.
    """

    spans: tuple[Span, ...] = ()
    indent: float = 0.0
    hang: float = 0.0
    number: str = ""
    digits: int = 0
    ground: str = ""
    bars: tuple[tuple[float, str], ...] = ()
    rule: bool = False
    fold: bool | None = None
    act: Hashable = None
    figure: Figure | None = None
    ends: bool = True
    whole: bool = False
    ours: bool = False
    under: int = 0

    @property
    def text(self) -> str:
        """What the line says, and what copying it gives."""
        return self.spans[0].text if len(self.spans) == 1 else "".join(span.text for span in self.spans)


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Join neighbours that look alike, and drop empty pieces: each piece costs a draw call."""
    joined: list[Span] = []
    for span in spans:
        if not span.text:
            continue
        if joined and joined[-1][1:] == span[1:]:
            joined[-1] = joined[-1]._replace(text=joined[-1].text + span.text)
        else:
            joined.append(span)
    return tuple(joined)
