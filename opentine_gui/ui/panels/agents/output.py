"""The live output of a command that continues a run, and a way to stop it."""

from __future__ import annotations

import shlex

from opentine_gui.app.session import Session
from opentine_gui.app.system.desktop.command_run import CommandRun
from opentine_gui.describe.content.printed.terminal import terminal_lines
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.toolkit.sheet import SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

HEADING, HEIGHT = 32.0, 190.0


class OutputPanel(Panel):
    """Shown from the start of a command until the user closes it."""

    about_run = False

    resizable = True

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.heading = Sheet(self.pane.window, style)
        self.content = ContentView(self.pane.window, session, style)
        self._shown: tuple[CommandRun, int] | None = None

    @property
    def in_use(self) -> bool:
        """Whether a command is running or has run."""
        return self.session.command is not None

    def wanted_height(self, room: float) -> float | None:
        """Room for a few lines, at most a fifth of the window."""
        return max(min(self.style.size(HEIGHT), room / 5), self.style.size(HEADING + 40))

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place the heading and the output below it."""
        heading = self.style.size(HEADING)
        self.pane.place(x, y, width, height)
        self.heading.place(0, 0, width, heading)
        self.content.place(0, heading, width, max(height - heading, 10))

    def sync(self, pointer: Pointer) -> None:
        """Follow the command; the last lines stay in view unless the user has scrolled up."""
        self.pane.follow_theme()
        command = self.session.command
        if command is None:
            return
        key = (command, command.revision)
        if key != self._shown:
            page = self.content.page
            at_end = self._shown is None or page.top + page.rows_in_view + 1 >= len(page.lines)
            top = page.top
            self._shown = key
            self.content.show_lines(terminal_lines(command.output()))
            page.scroll(len(page.lines) if at_end else top)
        self.heading.sync(pointer, (key, command.status, command.stopping), self._draw)
        self.content.sync(pointer)

    def _draw(self, pen: Pen) -> None:
        command, style, theme = self.session.command, self.style, self.style.theme
        if command is None:
            return
        middle, pad = style.size(HEADING) / 2, style.size(14)
        right = self.heading.width - pad
        begin = pen.text(right, middle, "Close", theme.tool, right=True)
        close = self.session.actions["continue.close_output"]
        pen.zone(begin, 0, right, self.heading.height, lambda: self.session.invoke(close.id), close.description)
        right = begin - style.size(16)
        if command.status is None:
            begin = pen.text(right, middle, "Stop", theme.bad, right=True)
            stop = self.session.actions["continue.stop"]
            pen.zone(begin, 0, right, self.heading.height, lambda: self.session.invoke(stop.id), stop.description)
            right = begin - style.size(16)
            words, color = ("stopping…" if command.stopping else "running"), theme.good
        elif command.status == 0 or command.stopped:
            words, color = "stopped" if command.stopped else "ended", theme.quiet
        else:
            words, color = f"ended with {command.status}", theme.bad
        begin = pen.text(right, middle, words, color, right=True)
        line = clean(shlex.join(command.words), 400)
        pen.text(pad, middle, line, theme.quiet, "mono", SMALL + 0.5, room=begin - 2 * pad)
        pen.zone(pad, 0, begin - pad, self.heading.height, None, line)
