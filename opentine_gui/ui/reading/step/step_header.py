"""The header of a step: its title, the line of figures, and what the user wrote beside it."""

from __future__ import annotations

from collections.abc import Callable

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.figures import Figure, step_figures
from opentine_gui.app.session import Session
from opentine_gui.app.state.annotations import COLOURS, LONGEST_NOTE
from opentine_gui.core import Step
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.draw_list import Rect
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.toolkit.sheet import LINE_HEIGHT, SMALL, TITLE, Pen
from opentine_gui.ui.toolkit.style import Style, wrap

PAD = 14.0
MOST_NOTE = 6
"""Lines of a note above the content; the whole of a longer one is shown where it is written."""


class StepHeader:
    """Draws the header on a sheet. A click on a figure copies it, one on the note opens it."""

    def __init__(self, session: Session, style: Style) -> None:
        self.session, self.style = session, style

    def draw(self, pen: Pen, width: float, document: Document, step: Step, glyph: str) -> float:
        """Draw the title, the line of figures and the note below each other; returns the height in pixels."""
        style, theme = self.style, self.style.theme
        pad = style.size(PAD)
        room = width - 2 * pad
        y = style.size(24)
        pen.glyph(glyph, pad, y, 14)
        left = pad + style.size(22)
        for line in wrap(title(step), room - style.size(22), style, face="title", size=TITLE, most=2):
            pen.text(left, y, line, theme.text, "title", TITLE)
            y += style.size(21)
        x, y = pad, y + style.size(2)
        em = style.size(SMALL + 0.5)
        for place, figure in enumerate(step_figures(document, step)):
            face = "mono" if figure.label in ("Id", "Duration", "Cost", "Tokens") else "text"
            wide = style.width(figure.value, face, em)
            if place and x + wide > pad + room:
                x, y = pad, y + style.size(18)
            color = theme.role(figure.role) if figure.role != "text" else theme.quiet
            end = pen.text(x, y, figure.value, color, face, SMALL + 0.5, room=room)
            half = style.size(9)
            if pen.over(x, y - half, end, y + half):
                pen.rule(round(x), round(y + em * 0.62), round(end), theme.faint)
            pen.zone(
                x,
                y - half,
                end,
                y + half,
                self._copy(figure, step),
                figure.tooltip,
            )
            x = end + style.size(11)
        return self._draw_note(pen, width, document, step, y + style.size(18))

    def _draw_note(self, pen: Pen, width: float, document: Document, step: Step, y: float) -> float:
        """Draw what the user wrote beside the step, which a click opens; returns the height so far."""
        annotation = document.annotations.get(step.id)
        if annotation is None or not annotation.note:
            return y
        style, theme, pad = self.style, self.style.theme, self.style.size(PAD)
        left, top = pad + style.size(12), y + style.size(2)
        room = width - pad - left
        lines = wrap(clean(annotation.note, LONGEST_NOTE, lines=True), room, style, most=MOST_NOTE)
        bottom = top + len(lines) * style.size(LINE_HEIGHT)
        color = theme.role(COLOURS[annotation.colour]) if annotation.colour else theme.accent
        pen.items.append(Rect(pad, top, pad + style.size(2.5), bottom, color, color, style.size(1)))
        for number, line in enumerate(lines):
            pen.text(left, top + (number + 0.5) * style.size(LINE_HEIGHT), line, theme.text)
        hint = "Your note on this step; click to change it"
        pen.zone(pad, top, width - pad, bottom, lambda: self.session.invoke("step.note"), hint)
        return bottom + style.size(6)

    def _copy(self, figure: Figure, step: Step) -> Callable[[], None]:
        if figure.label == "Id":
            return lambda: self.session.invoke("edit.copy_id", step=step.id)
        text = figure.copied
        return lambda: self.session.invoke("edit.copy_text", text=text, what=clean(text, 60))
