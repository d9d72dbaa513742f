"""What replaces the canvas when there is no graph: nothing open, reading, failed, or a run without steps."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from heapq import nlargest
from pathlib import PurePath
from typing import Any, NamedTuple

import dearpygui.dearpygui as dpg
import numpy as np

from opentine_gui.app.document.document import Document
from opentine_gui.app.folder.agent_sessions import SessionRow
from opentine_gui.app.folder.readable import is_unknown, readable_words
from opentine_gui.app.session import Session
from opentine_gui.describe.numbers import counted, format_age
from opentine_gui.scene.draw_list import Picture, Primitive, Text
from opentine_gui.scene.text.clean import ELLIPSIS, LONGEST_DRAWN, clean
from opentine_gui.scene.theme import Theme
from opentine_gui.ui.canvas.dynamic_picture import DynamicPicture
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import SMALL
from opentine_gui.ui.toolkit.style import FACE_SIZES, Style, wrap
from opentine_gui.ui.toolkit.tooltip import explain
from opentine_gui.ui.toolkit.widget_theme import accent_button_theme, child_window_theme, row_button_theme

MOST_LISTED, MOST_SESSIONS = 5, 8
"""Recent files, and newest sessions of agents, that can be opened with one press."""
ROW_BUTTON = 26.0
"""Height of a button in design pixels."""
BUTTON_SIDES, BETWEEN_BUTTONS = 16.0, 12.0
"""Design pixels beside the label of a button, on both sides together, and between two buttons."""


class Listed(NamedTuple):
    """A file that can be opened with one press: what it is called, its path, and where it comes from."""

    name: str
    path: str
    detail: str = ""


class Placeholder:
    """Replaces the canvas when there is no graph: nothing open, reading, failed, or a run without steps."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        self.session, self.style = session, style
        self.window = int(dpg.add_child_window(parent=parent, border=False, no_scrollbar=True, show=False))
        style.controls.call(self.window, "Placeholder")
        self._theme: Theme | None = None
        self._themed: tuple[int, ...] = ()
        self._key: Hashable = None
        self._newest: tuple[Hashable, tuple[Listed, ...]] = (None, ())
        self._progress: int | None = None
        self._texts: list[Primitive] = []
        self._clear = {"clear": DynamicPicture().show(np.zeros((3, 3, 4), np.float32))}
        """A transparent picture whose sides are no powers of two, like the minimap's."""

    def sync(self, area: Area) -> bool:
        """Show the session's state; False when there is a graph to draw instead."""
        document = self.session.active
        state = self._state(document)
        shown = state != "graph"
        if dpg.is_item_shown(self.window) != shown:
            dpg.configure_item(self.window, show=shown)
        if not shown:
            self._key = None
            return False
        self._apply_theme()
        about = (document.number, document.title, str(document.error)) if document is not None else None
        found = (self._newest_sessions(), self._listed_runs()) if document is None else ()
        key = (self.style.theme.name, state, area, about, found)
        if key != self._key:
            self._key = key
            self._build(state, document, area)
        if self._progress is not None and document is not None and document.loading is not None:
            dpg.configure_item(self._progress, default_value=document.loading.fraction)
        return True

    def _apply_theme(self) -> None:
        if self._theme is self.style.theme:
            return
        self._theme = self.style.theme
        old = self._themed
        self._themed = (
            child_window_theme(self.style, self.style.theme.canvas),
            accent_button_theme(self.style),
            row_button_theme(self.style),
        )
        dpg.bind_item_theme(self.window, self._themed[0])
        for item in old:
            dpg.delete_item(item)

    def _state(self, document: Document | None) -> str:
        if document is None:
            return "nothing"
        if document.error is not None and document.record is None:
            return "failed"
        if document.record is not None and not len(document.record.graph):
            return "empty"
        if document.picture.layout is None:
            return "reading"
        return "graph"

    def _build(self, state: str, document: Document | None, area: Area) -> None:
        dpg.delete_item(self.window, children_only=True)
        self._progress = None
        self._texts = []
        wide, tall = max(int(area.width), 1), max(int(area.height), 1)
        dpg.configure_item(self.window, pos=[int(area.x), int(area.y)], width=wide, height=tall)
        width = min(area.width - self.style.size(48), self.style.size(520))
        x = (area.width - width) / 2
        if state == "nothing":
            self._nothing(area, x, width)
        elif document is None:
            return
        elif state == "reading":
            y = area.height * 0.4
            name = clean(document.title, 120).removesuffix(ELLIPSIS)
            if document.origin is not None:  # an agent's session is called by what was asked
                name = f"“{name}”"
            self._sentence(f"Reading {name}…", x, y, width, "title", self.style.theme.text)
            self._progress = int(
                dpg.add_progress_bar(
                    parent=self.window,
                    pos=[int(x), int(y + self.style.size(34))],
                    width=int(width),
                    height=self.style.whole(6),
                )
            )
            self._button("Stop", "file.close", x, y + self.style.size(56))
        elif state == "failed":
            self._failed(document, area, x, width)
        else:
            y = area.height * 0.38
            self._sentence("This run has no steps yet", x, y, width, "title", self.style.theme.text)
            status = document.record.status if document.record else ""
            self._sentence(
                f"{clean(document.title, 120)} is a valid run with status {clean(str(status), 40)}. Steps appear here "
                "as soon as the file has some.",
                x, y + self.style.size(28), width, "text", self.style.theme.quiet,
            )  # fmt: skip
        # All texts are in one drawing at the corner: drawings of their own were at times put there, too. It is made
        # after the buttons, because of overlapping items the first takes the press.
        page = dpg.add_drawlist(max(wide - 1, 1), max(tall - 1, 1), parent=self.window, pos=[0, 0])
        # With software rendering, the first picture holds up its frame by 50 ms or more while the code that draws
        # pictures is compiled. Here nothing moves yet, unlike in the frame in which the minimap comes up.
        Painter(self.style, self._clear).repaint(page, [*self._texts, Picture("clear", 0.0, 0.0, 1.0, 1.0)])

    def _nothing(self, area: Area, x: float, width: float) -> None:
        style, y = self.style, area.height * 0.2
        listed, together = self._listed_runs(), self.session.actions["family.open"].key or "Run > Family"
        self._sentence("Choose a run on the left" if listed else "Open a run", x, y, width, "title", style.theme.text)
        lines = self._sentence(
            f"{listed} Press one to see it as a graph, or go there with Up, Down and Enter. Hold Ctrl to choose "
            f"several; {together} shows them together."
            if listed
            else "An agent's session or a .tine file holds what an agent did, step by step. Open one to see it as a "
            "graph, fork it where it went wrong, and join what worked.",
            x, y + style.size(28), width, "text", style.theme.quiet,
        )  # fmt: skip
        buttons = (
            ("Open file…  Ctrl+O", "file.open"), ("Open folder…", "file.open_folder"), ("Open the demo", "help.demo"),
        )  # fmt: skip
        y = self._buttons(buttons, x, y + style.size(52) + lines, width) + style.size(30)
        recent = [Listed(clean(path, 400), path) for path in map(str, self.session.settings.recent[:MOST_LISTED])]
        y = self._paths("Recent files", recent, x, y, width, area.height)
        self._paths("Newest sessions on this machine", self._newest_sessions(), x, y, width, area.height)

    def _listed_runs(self) -> str:
        """How many runs of the open folder stand in the list beside this page; "" if none does."""
        runs = self.session.runs
        if runs.folder is None or not runs.rows or not self.session.view.panels:
            return ""
        return f"{counted(len(runs.rows), 'run')} in the folder “{clean(runs.folder.name, 60)}”."

    def _newest_sessions(self) -> tuple[Listed, ...]:
        """The sessions written last, but for recent files, with how long ago that was."""
        found, now = self.session.agent_sessions, time.time()
        recent, minute = tuple(self.session.settings.recent), int(now // 60)
        if self._newest[0] != (found.revision, recent, minute):
            rows = [row for row in found.rows if not row.kept and str(row.path) not in recent]
            newest = nlargest(MOST_SESSIONS, rows, key=lambda row: row.changed)
            titles = {name: title for name, title, _rows in found.by_agent}
            self._newest = (
                (found.revision, recent, minute),
                tuple([self._listed_session(row, titles[row.agent], now) for row in newest]),
            )
        return self._newest[1]

    @staticmethod
    def _listed_session(row: SessionRow, agent: str, now: float) -> Listed:
        age = format_age(now - row.changed)
        detail = (clean(PurePath(row.folder).name, 40), agent, age if age == "now" else f"{age} ago")
        return Listed(clean(row.title or row.path.name, 200), str(row.path), " · ".join(filter(None, detail)))

    def _paths(self, heading: str, files: Sequence[Listed], x: float, y: float, width: float, lowest: float) -> float:
        """Add a heading and a button for each file, as far as they fit; returns where the next part begins."""
        style, theme = self.style, self.style.theme
        first, pitch, pad = y + style.size(26), style.size(32), style.size(10)
        files = files[: max(int((lowest - first) // pitch), 0)]
        if not files:
            return y
        self._sentence(heading, x, y, width, "title", theme.faint)
        em, small = style.size(FACE_SIZES["text"]), style.size(SMALL)
        for number, (name, path, detail) in enumerate(files):
            taken = style.width(detail, "text", small) + pad if detail else 0.0
            label = style.shortened(name, width - 2 * pad - taken, "text", em, middle=True)
            hint, top = f"Open {clean(path, 400)}", first + pitch * number
            self._button(label, "file.open", x, top, hint=hint, theme=self._themed[2], width=width, path=path)
            if detail:
                middle = top + (style.size(ROW_BUTTON) - style.metrics.line_height("text", small)) / 2
                right = x + width - taken
                self._texts.append(Text(round(right), round(middle), detail, "text", small, theme.quiet))
        return first + pitch * len(files) + style.size(20)

    def _failed(self, document: Document, area: Area, x: float, width: float) -> None:
        style, y = self.style, area.height * 0.3
        self._sentence(f"{clean(document.title, 120)} could not be opened", x, y, width, "title", style.theme.bad)
        lines = self._sentence(clean(str(document.error), 1200), x, y + style.size(30), width, "text", style.theme.text)
        self._sentence(
            "The file was not changed. Other open runs are not affected.",
            x, y + style.size(38) + lines, width, "text", style.theme.quiet,
        )  # fmt: skip
        y += style.size(76) + lines
        another, again = ("Open another file…", "file.open"), ("Try again", "file.reload")
        buttons = [again, another, ("Close", "file.close")]
        if is_unknown(document.error):
            buttons[:2] = another, again
            y += self._sentence(readable_words(), x, y, width, "text", style.theme.quiet) + style.size(16)
        self._buttons(buttons, x, y, width)

    def _buttons(self, buttons: Sequence[tuple[str, str]], x: float, y: float, width: float) -> float:
        """Add buttons of (label, action) beside each other, in a further row where one has no room; returns the bottom.

        The first one is the likeliest.
        """
        style, left = self.style, x
        for number, (label, action) in enumerate(buttons):
            wide = style.width(label, "text", style.size(FACE_SIZES["text"])) + style.size(BUTTON_SIDES)
            if left > x and left + wide > x + width:
                left, y = x, y + style.size(ROW_BUTTON + 8)
            self._button(label, action, left, y, theme=self._themed[1] if number == 0 else 0)
            left += wide + style.size(BETWEEN_BUTTONS)
        return y + style.size(ROW_BUTTON)

    def _sentence(
        self, text: str, x: float, y: float, width: float, face: str, color: tuple[int, int, int, int]
    ) -> float:
        """Add wrapped text; returns its height in pixels."""
        style, em = self.style, self.style.size(FACE_SIZES[face])
        pitch = style.metrics.line_height(face, em)
        lines = wrap(clean(text, LONGEST_DRAWN, lines=True), width, style, face=face, size=FACE_SIZES[face])
        for number, line in enumerate(lines):
            self._texts.append(Text(float(round(x)), float(round(y + number * pitch)), line, face, em, color))
        return float(round(pitch * len(lines)))

    def _button(
        self,
        label: str,
        action_id: str,
        x: float,
        y: float,
        *,
        hint: str = "",
        theme: int = 0,
        width: float = 0,
        **arguments: Any,
    ) -> None:
        button = int(
            dpg.add_button(
                label=label,
                parent=self.window,
                pos=[int(x), int(y)],
                callback=lambda: self.session.invoke(action_id, **arguments),
                width=int(width),
            )
        )
        explain(self.style, button, hint or self.session.actions[action_id].description)
        self.style.set_font(button, label)
        if theme:
            dpg.bind_item_theme(button, theme)
