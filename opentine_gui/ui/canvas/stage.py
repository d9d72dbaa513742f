"""Presentation mode: full screen, a large caption below the step, and a ring around the pointer."""

from __future__ import annotations

from collections.abc import Hashable

import dearpygui.dearpygui as dpg

from opentine_gui.app.canvas.presentation import CAPTION_SHARE, remark_of
from opentine_gui.app.features import Presentation
from opentine_gui.app.session import Session
from opentine_gui.scene.draw_list import Circle, Rect, Text
from opentine_gui.scene.kind_glyphs import draw_glyph
from opentine_gui.ui.canvas.canvas import Canvas
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.style import Style, wrap

RING = 26.0
HINT, HINT_OF_TWO = "arrow keys walk · Esc ends", "arrow keys walk · Tab turns to the other run · Esc ends"
SHORT_HINT_OF_TWO = "arrow keys · Tab · Esc"
"""For a narrow screen."""
TWO_LINES = 0.82
"""The size of a caption's title in two lines, of that in one."""


class Stage:
    """Draws over the canvas during a presentation, which the session controls."""

    def __init__(self, session: Session, style: Style, canvas: Canvas) -> None:
        self.session, self.style, self.canvas = session, style, canvas
        self.painter = Painter(style)
        self._full = False
        self._key: Hashable = None

    def sync(self, pointer: Pointer) -> None:
        """Follow the presentation; enter and leave full screen with it."""
        presentation = self.session.presentation
        if (presentation is not None) != self._full:
            self._full = presentation is not None
            dpg.toggle_viewport_fullscreen()
        if presentation is None:
            if self._key is not None:
                self._key = None
                self.painter.repaint(self.canvas.stage, ())
            return
        area = self.canvas.area
        spot = (round(pointer.x - area.x), round(pointer.y - area.y)) if self.canvas.hovered() else None
        key = (
            presentation,
            presentation.position,
            presentation.document.content_revision,
            area,
            spot,
            self.style.theme.name,
        )
        if key != self._key:
            self._key = key
            self.painter.repaint(self.canvas.stage, [*self._caption(presentation), *self._ring(spot)])

    def _caption(self, presentation: Presentation) -> list[object]:
        style, theme, area = self.style, self.style.theme, self.canvas.area
        height = area.height * CAPTION_SHARE
        top, pad = area.height - height, area.width * 0.06
        title, line, figures = height * 0.2, height * 0.125, height * 0.115
        index = presentation.document.picture.index_of(presentation.step)
        if index is None:
            return []
        face = presentation.document.face(index)
        room = area.width - 2 * pad - title * 1.5
        items: list[object] = [
            Rect(0, top, area.width, area.height, theme.panel, None),
            Rect(0, top, area.width, top + max(style.size(3), 2), theme.kind(face.kind)),
        ]
        items += draw_glyph(face.kind, pad, top + height * 0.27 - title / 2, title, theme.kind(face.kind))
        x = pad + title * 1.5
        remark = remark_of(presentation.document, presentation.step)
        whose = 0.0
        if remark is not None:
            whose = min(style.width(remark.whose, "title", line), room * 0.4)
            begin = area.width - pad - whose
            items.append(
                self._text(begin, top + height * 0.27, remark.whose, "title", line, theme.role(remark.role), whose + 1)
            )
            whose += title
        says, below = [face.title], 0.5
        if style.width(face.title, "title", title) > room - whose:  # a long one, as a person's request, has two lines
            title, below = title * TWO_LINES, 0.57
            says = wrap(face.title, room - whose, style, face="title", size=title / style.scale, most=2)
        for number, part in enumerate(says):
            middle = top + height * (0.27 if len(says) == 1 else 0.19 + 0.2 * number)
            items.append(self._text(x, middle, part, "title", title, theme.text, room - whose))
        said = remark.sentence if remark is not None else ""
        words = wrap(face.line, room, style, size=line / style.scale, most=1 if said or len(says) > 1 else 2)
        if said:
            items.append(self._text(x, top + height * (below + 0.17), said, "text", line, theme.accent, room))
        for number, part in enumerate(words):
            middle = top + height * (below + 0.17 * number)
            items.append(self._text(x, middle, part, "text", line, theme.quiet, room))
        foot = top + height * 0.86
        items.append(self._text(x, foot, face.figures, "mono", figures, theme.text, room * 0.6))
        place = f"{presentation.position + 1:,} / {len(presentation.steps):,}"
        right = area.width - pad
        width = style.width(place, "mono", figures)
        items.append(self._text(right - width, foot, place, "mono", figures, theme.quiet, width + 1))
        if presentation.position == 0:
            end = x + min(style.width(face.figures, "mono", figures), room * 0.6)
            for keys in (HINT,) if remark is None else (HINT_OF_TWO, SHORT_HINT_OF_TWO):
                hint = style.width(keys, "text", figures)
                at = right - width - hint - figures * 2
                if at > end + figures:
                    items.append(self._text(at, foot, keys, "text", figures, theme.faint, hint + 1))
                    break
        return items

    def _text(
        self, x: float, middle: float, text: str, face: str, em: float, color: tuple[int, int, int, int], room: float
    ) -> Text:
        metrics = self.style.metrics
        shown = self.style.shortened(text, room, face, em)
        return Text(round(x), round(metrics.centered_top(middle, face, em)), shown, face, em, color)

    def _ring(self, spot: tuple[int, int] | None) -> list[object]:
        if spot is None:
            return []
        accent = self.style.theme.accent
        return [Circle(*spot, self.style.size(RING), (*accent[:3], 46), (*accent[:3], 200), self.style.size(2))]
