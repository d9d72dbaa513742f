"""The slide of a presentation beside the graph: the step in large type, where it is, and what turns to the next one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import partial

import dearpygui.dearpygui as dpg

from opentine_gui.app.canvas.presentation import SLIDE_SHARE
from opentine_gui.app.features import Presentation
from opentine_gui.app.inspect.reading.slide import Slide, slide_of
from opentine_gui.app.session import Session
from opentine_gui.describe.content.lines import ListedLines
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.toolkit.pane import Pane
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import Pen, Sheet
from opentine_gui.ui.toolkit.style import Style, wrap

GONE = Slide("error", "Gone", "bad", "This step is not in the run any more", "", "", None, ListedLines(()), "", "")
"""Of a step that a log has lost since the presentation began."""
SCROLLS = ("Up", "Down", "PageUp", "PageDown", "Home", "End")
TITLE, LABEL, LINE, FIGURES = 27.0, 14.5, 16.0, 13.5
"""Em sizes in design pixels on a screen of 900 design pixels; `Sized` makes them larger and smaller."""
READ = 1.4
"""Times that the text of a slide is larger than it is in the reading view."""
SMALLEST, LARGEST = 0.85, 2.2
ROOMY = (1440.0, 900.0)
MOST_TITLE, MOST_SAID = 4, 3
PAD, FOOT, BUTTON = 34.0, 114.0, 30.0


class SlideView:
    """Covers the right of the canvas while something is presented, as `SLIDE_SHARE` says."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        self.session, self.style = session, style
        self.pane = Pane(parent, style)
        self.sheet = Sheet(self.pane.window, style)
        self.content: ContentView | None = None
        self._larger = 0.0
        self._made: tuple[Hashable, Slide | None] = (None, None)
        self._text_top = 0.0
        self._shows: Hashable = None
        self._placed: Hashable = None
        style.controls.call(self.pane.window, "Slide")
        self.pane.show(False)

    @property
    def area(self) -> Area:
        """The part of the window that it covers."""
        return Area(self.pane.x, self.pane.y, self.pane.width, self.pane.height)

    def sync(self, pointer: Pointer, canvas: Area) -> None:
        """Follow the presentation; `canvas` is the area of which it takes its share."""
        presentation = self.session.presentation
        self.pane.show(presentation is not None)
        if presentation is None:
            self._forget()
            return
        self.pane.follow_theme()
        width = round(canvas.width * SLIDE_SHARE)
        if canvas != self._placed:
            self._placed = canvas
            self.pane.place(canvas.x + canvas.width - width, canvas.y, width, canvas.height)
        key = self._key(presentation)
        if key != self._made[0]:
            self._made = (key, self._slide(presentation))
        slide = self._made[1] or GONE
        larger = self._size(canvas)
        self.sheet.place(0, 0, width, canvas.height)
        self.sheet.sync(pointer, (key, larger), partial(self._draw, presentation, slide, larger))
        self._sync_content(pointer, key, slide, larger)

    def handle_key(self, chord: str) -> bool:
        """Copy from the slide and scroll it, with Shift where the key alone turns to another; False for other keys.

        Where no text is selected all of it is copied, without what is hidden, and never the recorded step.
        """
        if self.content is None or self.session.presentation is None:
            return False
        if chord == "Ctrl+C":
            if not self.content.act_on_key(chord):
                self.content.act_on_key("Ctrl+A")
                self.content.act_on_key(chord)
            return True
        if chord == "Ctrl+A":
            return self.content.act_on_key(chord)
        moved = chord.removeprefix("Shift+")
        return moved != chord and moved in SCROLLS and self.content.act_on_key(moved)

    def _forget(self) -> None:
        """Let go of what was presented: nothing here keeps a document that is closed."""
        self._made = (None, None)
        if self._shows is not None and self.content is not None:
            self._shows = None
            self.content.show_lines(ListedLines(()))

    def _key(self, presentation: Presentation) -> Hashable:
        document, told = presentation.document, (presentation.steps, presentation.position, presentation.hides)
        return document.number, told, document.content_revision, self.style.theme.name

    def _slide(self, presentation: Presentation) -> Slide | None:
        story = presentation
        return slide_of(self.session, story.document, story.steps, story.position, hides=story.hides)

    def _size(self, canvas: Area) -> float:
        """How much larger than on a roomy screen everything is, in steps: each needs its own text view."""
        scale = self.style.scale
        fits = min(canvas.width / ROOMY[0], canvas.height / ROOMY[1]) / scale
        return round(min(max(fits, SMALLEST), LARGEST) * 20) / 20

    # -- the text -----------------------------------------------------------------------------------------------------

    def _sync_content(self, pointer: Pointer, key: Hashable, slide: Slide, larger: float) -> None:
        if self.content is None or larger != self._larger:
            if self.content is not None:
                dpg.delete_item(self.content.window)
            self._larger, self._shows = larger, None
            self.content = ContentView(
                self.pane.window, self.session, replace(self.style, scale=self.style.scale * larger * READ)
            )
        content, style = self.content, self.style
        content.style.theme, content.style.front, content.style.hushed = style.theme, style.front, style.hushed
        pad, foot = style.size(PAD * larger), style.size(FOOT * larger)
        inset = 12.0 * content.style.scale  # that of the page, so that its text begins where the title does
        height = self.pane.height - self._text_top - foot
        content.place(pad - inset, self._text_top, self.pane.width - pad + inset - style.size(8), height)
        content.show(height > style.size(40) and len(slide.body) > 0)
        if key != self._shows:
            self._shows = key
            content.show_lines(slide.body)
        content.sync(pointer)

    # -- what stands around it ----------------------------------------------------------------------------------------

    def _draw(self, presentation: Presentation, slide: Slide, larger: float, pen: Pen) -> None:
        style, theme, width = self.style, self.style.theme, self.sheet.width
        role = theme.role(slide.role) if slide.role else theme.kind(slide.kind)
        pen.rect(0, 0, width, self.sheet.height, theme.panel)
        self._progress(presentation, pen)
        pad = style.size(PAD * larger)
        room = width - 2 * pad
        y = style.size(44 * larger)
        x = pen.glyph(slide.kind, pad, y, 16 * larger) + style.size(10 * larger)
        whose = 0.0
        if slide.remark is not None:
            em = style.size(LABEL * larger)
            whose = min(style.width(slide.remark.whose, "title", em), room * 0.5)
            color = theme.role(slide.remark.role)
            pen.text(width - pad, y, slide.remark.whose, color, "title", LABEL * larger, room=whose + 1, right=True)
        pen.text(x, y, slide.label, role, "title", LABEL * larger, room=room - (x - pad) - whose - style.size(12))
        y += style.size(40 * larger)
        for line in wrap(slide.title, room, style, face="title", size=TITLE * larger, most=MOST_TITLE):
            pen.text(pad, y, line, theme.text, "title", TITLE * larger)
            y += style.size(TITLE * 1.3 * larger)
        y += style.size(2 * larger)
        remark = slide.remark.sentence if slide.remark is not None else ""
        noted = f"Note: {slide.note}" if slide.note else ""
        for said, color in ((remark, theme.accent), (slide.reason, theme.bad), (noted, theme.kind("human"))):
            for line in wrap(said, room, style, size=LINE * larger, most=MOST_SAID) if said else ():
                pen.text(pad, y, line, color, "text", LINE * larger)
                y += style.size(LINE * 1.45 * larger)
        self._text_top = y + style.size(4 * larger)
        self._foot(presentation, slide, larger, pen)

    def _progress(self, presentation: Presentation, pen: Pen) -> None:
        """How far the story is, as a line along the upper edge."""
        tall = max(self.style.size(4), 2)
        share = (presentation.position + 1) / len(presentation.steps)
        pen.rect(0, 0, self.sheet.width, tall, self.style.theme.hairline)
        pen.rect(0, 0, self.sheet.width * share, tall, self.style.theme.accent)

    def _buttons(self, presentation: Presentation) -> tuple[tuple[str, str, str, str | None], ...]:
        """(label, key, action, why it is greyed out) of each button at the left."""
        first, last = presentation.position == 0, presentation.position == len(presentation.steps) - 1
        return (
            ("‹ Previous", "Left", "present.previous", "This is the first slide." if first else None),
            ("Next ›", "Right", "present.next", "This is the last slide." if last else None),
            ("Stop", "Esc", "present.stop", None),
        )

    def _foot(self, presentation: Presentation, slide: Slide, larger: float, pen: Pen) -> None:
        """Where we are, what the step took, and the buttons."""
        style, theme, width, height = self.style, self.style.theme, self.sheet.width, self.sheet.height
        pad = style.size(PAD * larger)
        top = height - style.size(FOOT * larger)
        pen.rule(pad, top + style.size(8 * larger), width - pad)
        middle = top + style.size(28 * larger)
        begin = pen.text(width - pad, middle, slide.figures, theme.quiet, "mono", FIGURES * larger, right=True)
        room = begin - pad - style.size(16)
        pen.text(pad, middle, slide.place, theme.text, "text", FIGURES * larger, room=room)
        y = height - style.size(14 * larger) - style.size(BUTTON)
        x = pad
        hides = presentation.hides
        switch = "Show secrets" if hides else "Hide secrets"
        labels = ((label, key) for label, key, _, _ in self._buttons(presentation))
        wide = sum(pen.button_width(label, key) + style.size(8) for label, key in (*labels, (switch, "S")))
        keys = wide <= width - 2 * pad  # the hints name them as well
        for label, key, action, reason in self._buttons(presentation):
            act = partial(self.session.invoke, action)
            found = self.session.actions[action]
            hint = f"{found.title}  {key}"
            shown = key if keys else ""
            x = pen.button(x, y, label, act, key=shown, reason=reason, hint=hint, height=BUTTON) + style.size(8)
        act = partial(self.session.invoke, "present.secrets")
        hint = "Only secrets of known forms are hidden; others may still show. The file is not changed.  S"
        key = "S" if keys else ""
        begin = width - pad - pen.button_width(switch, key)
        pen.button(begin, y, switch, act, key=key, hint=hint, height=BUTTON)
        if slide.hidden:
            under = middle + style.size(22 * larger)
            color = theme.quiet if hides else theme.accent
            pen.text(
                width - pad, under, slide.hidden, color, "text", FIGURES * larger, room=width - 2 * pad, right=True
            )
