"""Why a step failed, above its content: the line that says most, and the whole error below it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import dearpygui.dearpygui as dpg

from opentine_gui.app.inspect.reading.reader import Section
from opentine_gui.app.session import Session
from opentine_gui.describe.content.lines import ListedLines
from opentine_gui.describe.failures.failure import Failure
from opentine_gui.scene.draw_list import Rect
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.toolkit.plate import CLEAR
from opentine_gui.ui.toolkit.sheet import BODY, LINE_HEIGHT, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style, wrap
from opentine_gui.ui.toolkit.widget_theme import child_window_theme

LEAST_HEADLINE, BRIEF_HEADLINE, MOST_HEADLINE = 2, 3, 8
"""Rows of a headline: one that stands in the step's result as well is brief."""
LONGEST_HEADLINE = 2_000
LEADING = 3
"""Lines of an error that are looked at: where its headline is among them, it is not said twice."""
LEAST_TRACE = 44.0


class ErrorBlock:
    """A framed block: `sheet` draws the frame and the headline, `view` shows the rest where there is room for it."""

    def __init__(
        self,
        parent: int | str,
        session: Session,
        style: Style,
        *,
        on_context: Callable[[tuple[Hashable, ...], str], None],
        on_act: Callable[[Hashable], None],
    ) -> None:
        self.style = style
        self.sheet = Sheet(parent, style)
        self.view = ContentView(self.sheet.window, session, style, on_context=on_context, on_act=on_act)
        self._failure: Failure | None = None
        self._stopped = False
        self._said, self._brief = "", False
        self._headline: list[str] = []
        self._clear: tuple[object, int] = (None, 0)

    @property
    def empty(self) -> bool:
        """Whether there is no error to show."""
        return self._failure is None

    def follow(
        self,
        failure: Failure | None,
        headline: str,
        name: Hashable,
        sections: Sequence[Section],
        *,
        stopped: bool,
        brief: bool,
    ) -> None:
        """Show this error, of which `sections` are what its headline does not say; None for a step without one.

        `stopped`: a person ended the step, which is no failure. `brief`: the result has all of the error in it.
        """
        self._failure, self._stopped, self._brief = failure, stopped, brief
        self._said = clean(headline, LONGEST_HEADLINE)
        if failure is not None:
            self.view.show_sections(name, sections)

    def forget(self) -> None:
        """Let go of the error."""
        self._failure = None
        self.view.show_lines(ListedLines())

    def show(self, visible: bool) -> None:
        """Show or hide the block; one without an error stays hidden."""
        self.sheet.show(visible and self._failure is not None)

    def sync(self, pointer: Pointer, key: Hashable) -> None:
        """Handle input, and repaint what changed."""
        self.sheet.sync(pointer, (key, self.sheet.height), self._draw)
        self.view.sync(pointer)

    def arrange(self, x: float, y: float, width: float, most: float) -> float:
        """Place the block in its parent, at most so high; returns its height in pixels, 0 without an error."""
        if self._failure is None:
            return 0.0
        self._follow_clear()
        style, lines = self.style, self.view.page.lines
        has_more = len(lines) > 0
        self._headline = self._wrapped(width - style.size(24), most, has_more)
        top = style.size(6) + len(self._headline) * style.size(LINE_HEIGHT)
        # Where there is room for the headline alone, the calls are read in the reading view.
        has_more = has_more and (not self._headline or most - top >= style.size(LEAST_TRACE))
        self.view.show(has_more)
        below = 0.0
        if has_more:
            left, inner = style.size(1), width - style.size(4)
            most = max(most - top, style.size(LEAST_TRACE))
            self.view.place(left, top + style.size(2), inner, most)
            below = min(self.view.wanted_height(most) + style.size(4), most)
            self.view.place(left, top + style.size(2), inner, below)
        tall = top + below + style.size(7)
        self.sheet.place(x, y, width, tall)
        return tall

    def _wrapped(self, room: float, most: float, has_more: bool) -> list[str]:
        """The lines of the headline; none where the error itself begins with it."""
        style, lines, headline = self.style, self.view.page.lines, self._said
        shown = (lines[number].text.strip() for number in range(min(len(lines), LEADING)))
        if any(line and (line.startswith(headline) or headline.startswith(line)) for line in shown):
            return []
        fit = int((most - style.size(13)) // style.size(LINE_HEIGHT))
        least = 1 if has_more else LEAST_HEADLINE
        rows = min(
            max(fit, least), BRIEF_HEADLINE if self._brief else MOST_HEADLINE
        )  # in a low window what lies below stays in view
        return wrap(headline, room, style, face="title", size=BODY + 0.5, most=rows)

    def _follow_clear(self) -> None:
        """Let the block's own ground be seen below the text in it."""
        if self._clear[0] is not self.style.theme:
            old = self._clear[1]
            self._clear = (self.style.theme, child_window_theme(self.style, CLEAR))
            dpg.bind_item_theme(self.view.window, self._clear[1])
            if old:
                dpg.delete_item(old)

    def _draw(self, pen: Pen) -> None:
        style, theme = self.style, self.style.theme
        paint = theme.stopped if self._stopped else theme.bad
        ground = mixed(theme.panel, paint, 0.1)
        pen.items.append(Rect(0, 0, self.sheet.width - 1, self.sheet.height - 1, ground, paint, style.size(5)))
        y = style.size(6) + style.size(LINE_HEIGHT) / 2
        for line in self._headline:
            pen.text(style.size(12), y, line, paint, "title", BODY + 0.5)
            y += style.size(LINE_HEIGHT)
