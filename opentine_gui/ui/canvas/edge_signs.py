"""Signs at the canvas's lower edge that lead to two places out of view: what was asked last, and the end."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from opentine_gui.app.document.camera.framing import zoom_controls
from opentine_gui.app.document.document import Document
from opentine_gui.app.files.following import is_written
from opentine_gui.app.inspect.analysis.landmarks import Landmark, landmarks
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.scene.card.card_flags import Flag, piece_of_text
from opentine_gui.scene.draw_list import Primitive, Rect
from opentine_gui.scene.space.camera import Camera, Viewport, to_screen
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.style import Style

HEIGHT, GAP, PAD, SIZE = 20.0, 4.0, 8.0, 11.0
"""Design pixels: a sign's height, the gap between two, the padding beside the text; the em of the text."""
APART = 3.0
"""Design pixels of the canvas's colour around a sign."""
LEAST, MOST = 150.0, 340.0
"""Design pixels of width: signs with less room stand above the zoom controls, not beside them; none is wider."""


class EdgeSign(NamedTuple):
    """A landmark out of view, with the arrow that points to it."""

    mark: Landmark
    arrow: str


LEAST_SIGNED = 0.5
"""Below this zoom there are no signs: the picture is an overview."""
PlacedSign = tuple[EdgeSign, Area, str]
"""A sign, where it stands in pixels, and as much of the title as there is room for."""


def out_of_view(
    document: Document, marks: Sequence[Landmark], camera: Camera, viewport: Viewport
) -> tuple[EdgeSign, ...]:
    """The landmarks whose cards are out of view, each with where it lies."""
    layout = document.picture.layout
    found = []
    for mark in marks:
        card = document.picture.index_of(mark.step)
        if card is None or layout is None:
            continue
        x, y = to_screen(camera, viewport, *(float(value) for value in layout.centers[card]))
        if 0.0 <= x <= viewport.width and 0.0 <= y <= viewport.height:
            continue
        arrow = "↓" if y > viewport.height else "↑" if y < 0 else "→" if x > viewport.width else "←"
        found.append(EdgeSign(mark, arrow))
    return tuple(found)


class EdgeSigns:
    """Finds which signs the active document has at the edge; asked in every frame."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._marks: tuple[RunRecord | None, bool, tuple[Landmark, ...]] = (None, False, ())
        self._seen: tuple[Hashable, tuple[EdgeSign, ...]] = (None, ())

    def forget(self) -> None:
        """Release the run."""
        self._marks, self._seen = (None, False, ()), (None, ())

    def seen(self, document: Document, camera: Camera, viewport: Viewport) -> tuple[EdgeSign, ...]:
        """The signs, as long as nothing is selected: a selection shows that the user has found the way."""
        if document.picture.flight is not None:
            return ()
        group = document.selected_group
        presenting = self.session.presentation is not None
        key = (
            document.number,
            document.content_revision,
            document.live.written,
            document.picture.layout_revision,
            document.selection_revision,
            group,
            camera,
            viewport,
            presenting,
        )
        if self._seen[0] != key:
            self._seen = (key, () if presenting else self._find(document, camera, viewport))
        return self._seen[1]

    def _find(self, document: Document, camera: Camera, viewport: Viewport) -> tuple[EdgeSign, ...]:
        record = document.record
        if record is None or document.overlay is not None or camera.zoom < LEAST_SIGNED:
            return ()
        if len(document.selection) or document.selected_group is not None:
            return ()
        written = is_written(self.session, document)
        if self._marks[0] is not record or self._marks[1] is not written:
            self._marks = (record, written, landmarks(record, written=written))
        return out_of_view(document, self._marks[2], camera, viewport)


def place_signs(signs: Sequence[EdgeSign], viewport: Viewport, style: Style) -> list[PlacedSign]:
    """Where each sign stands in pixels, and as much of its title as there is room for.

    Beside the zoom controls and clear of the map, or above the controls if they leave no room.
    """
    controls = zoom_controls(viewport.width)
    left, below = controls.corner[0], controls.below
    wide = viewport.width - (viewport.map_width or PAD) - PAD - left
    if wide < LEAST:
        left, wide, below = controls.left, viewport.width - (viewport.map_width or PAD) - PAD, controls.corner[1]
    wide = min(wide, MOST)
    top = viewport.height - below - len(signs) * (HEIGHT + GAP) + GAP
    found = []
    for number, sign in enumerate(signs):
        room = style.size(wide - 2 * PAD) - style.width(_head(sign), "title", style.size(SIZE))
        words = style.shortened(f"  {sign.mark.title}", max(room, 0.0), "text", style.size(SIZE))
        width = style.width(_head(sign), "title", style.size(SIZE)) + style.size(2 * PAD)
        width += style.width(words, "text", style.size(SIZE))
        y = style.size(top + number * (HEIGHT + GAP))
        found.append((sign, Area(style.size(left), y, width, style.size(HEIGHT)), words))
    return found


def around(area: Area, style: Style, *, radius: float) -> Rect:
    """The canvas's colour around what lies over it, which sets that apart from cards under it."""
    apart = style.size(APART)
    right, bottom = area.x + area.width + apart, area.y + area.height + apart
    return Rect(area.x - apart, area.y - apart, right, bottom, style.theme.canvas, None, style.size(radius) + apart)


def draw_signs(placed: Sequence[PlacedSign], style: Style) -> list[Primitive]:
    """Draw the signs."""
    items: list[Primitive] = []
    theme, size = style.theme, style.size(SIZE)
    for sign, area, words in placed:
        x, middle = area.x + style.size(PAD), area.y + area.height / 2
        items.append(around(area, style, radius=6))
        items.append(
            Rect(area.x, area.y, area.x + area.width, area.y + area.height, theme.raised, theme.hairline, style.size(6))
        )
        head = _head(sign)
        piece_of_text(items, head, x, middle, "title", size, theme.role(sign.mark.role), style.metrics)
        if words:
            x += style.width(head, "title", size)
            piece_of_text(items, words, x, middle, "text", size, theme.quiet, style.metrics)
    return items


def sign_at(placed: Sequence[PlacedSign], x: float, y: float) -> Flag | None:
    """The sign under a pixel of the canvas, as a flag that leads to its step, or None."""
    for sign, area, _words in placed:
        if area.x <= x <= area.x + area.width and area.y <= y <= area.y + area.height:
            hint = f"{sign.mark.word}: {sign.mark.title}" if sign.mark.title else sign.mark.word
            return Flag(sign.mark.word, press=("select.step", sign.mark.step), hint=hint)
    return None


def _head(sign: EdgeSign) -> str:
    return f"{sign.arrow} {sign.mark.word}"
