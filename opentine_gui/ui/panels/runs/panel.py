"""The runs panel: the folder's runs as a family tree, with each unsaved document below the run it came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.folder.run_order import SHORT
from opentine_gui.app.inspect.keys import lists_by_key
from opentine_gui.app.inspect.listed_runs import (
    OTHERS,
    Entry,
    entries_key,
    heads_open_runs,
    list_entries,
)
from opentine_gui.app.session import Session
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.panels.runs.empty_list import LINE, EmptyList
from opentine_gui.ui.panels.runs.run_rows import RunRows
from opentine_gui.ui.toolkit.row import Row
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.typing_box import TypingBox

HEADING = 34.0
FILTER = 30.0
FILTER_HINT = "Filter runs, failures:>0"
FILTER_WORDS = (
    "Words: in the name, id, model, status or tags",
    "failures:>0 or error: (a red ring)  status:failed (the run itself)",
    "tag:x  model:x  harness:x",
    "cost:>0.5  cost:<2  cost:0.5..2 (US dollars)",
    "after:2026-01-31  before:2026-02-28",
    '"two words" as one; all must hold',
    "Enter opens the first run, Down goes into the list",
)
"""The grammar of `app.folder.run_query` in a few lines."""
DOWN = "\u25be"
FILTER_FROM = 8
"""The filter box appears from this number of runs in the folder on."""


class RunsPanel(Panel):
    """A click opens or activates a run; the filter box takes words and the run query language."""

    about_run = False

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.heading = Sheet(self.pane.window, style)
        self.filter = TypingBox(
            self.pane.window, style, FILTER_HINT, self._typed, self.handle_key, "\n".join(FILTER_WORDS)
        )
        self.filter.show(False)
        self._had_keys = False
        self._filtered_by = ""
        """The filter that the box has followed."""
        self.rows = RowList(self.pane.window, style, on_click=self._click, on_context=self._context)
        self.empty = EmptyList(session, style, self.pane.window)
        self._run_rows = RunRows(session, style)
        self.entries: list[Entry] = []
        self._key: object = None
        self._entries_key: object = None
        self._looked = False
        self._followed = 0
        self._heads_open_runs = False
        self._mark_shown: int | Path | None = None
        self._arranged: object = None

    @property
    def in_use(self) -> bool:
        """False while several runs are shown together: the list of those runs takes its place."""
        document = self.session.active
        return document is None or document.members is None

    def wanted_height(self, room: float) -> float:
        """The height of all rows, or of what an empty list says and offers; at most half of the side beside others."""
        self._read()
        style, session = self.style, self.session
        alone = session.active is None and not (session.view.sessions and session.agent_sessions.rows)
        said = (
            style.size(8) + len(self.empty.problem_lines(self.pane.width)) * style.size(LINE) if self._filters else 0.0
        )
        shown = len(self.entries) * self.rows.row_height if self.entries else style.size(self.empty.height)
        return min(
            style.size(HEADING + (FILTER if self._filters else 0) + 8) + said + shown, room if alone else room * 0.5
        )

    def sync(self, pointer: Pointer) -> None:
        """Follow the folder, the open documents and which one is active."""
        self.pane.follow_theme()
        if self.session.view.list_keys and any(event.kind == "press" for event in pointer.events):
            self.session.view.list_keys = False  # the hand is at the mouse
            self.session.touch()
        if not self._looked:
            # The folder is first read when the list is first shown.
            self._looked = True
            self.session.runs.scan(self.session)
        self._arrange()
        runs, order = self.session.runs, self.session.settings.runs_order
        key = (runs.revision, runs.folder, len(self.entries), order, self._heads_open_runs)
        self.heading.sync(pointer, key, self._draw_heading)
        self._sync_filter(pointer)
        if self.entries:
            self.rows.set_rows(len(self.entries), self._row, self._key)
            self.rows.sync(pointer)
        self.empty.sync(pointer, beside_rows=bool(self.entries))

    def _sync_filter(self, pointer: Pointer) -> None:
        """Show in the box what the list is filtered by, and let the list have the keyboard that was given to it."""
        box, text = self.filter, self.session.runs.filter_text
        if text != self._filtered_by and (not box.active or text == box.text):
            self._filtered_by = text
            if text != box.text:
                box.set_text(text)
        given = self.session.view.list_keys
        if given and not self._had_keys and box.active:
            box.leave(box.text)
        self._had_keys = given
        box.sync(pointer)

    def handle_key(self, chord: str) -> bool:
        """Handle a key pressed in the filter box: Enter opens the first run, Down goes into the list, Esc leaves it."""
        if chord not in ("Enter", "Down", "Esc"):
            return False
        self.filter.leave(self.session.runs.filter_text)
        if chord == "Enter":
            self.session.invoke("runs.open_first")
        elif chord == "Down":
            self.session.invoke("runs.focus", first=True)
        return True

    @property
    def _filters(self) -> bool:
        return len(self.session.runs.rows) >= FILTER_FROM or bool(self.session.runs.filter_text)

    def forget(self) -> None:
        """Release the open documents."""
        self.entries, self._key, self._entries_key = [], None, None

    def _read(self) -> None:
        session = self.session
        documents = tuple(
            (document.number, document.title, document.dirty, document.content_revision, document.error is None)
            for document in session.documents
        )
        active = session.active.number if session.active is not None else 0
        runs, order = session.runs, session.settings.runs_order
        mark = session.view.list_mark
        if mark is not None and not lists_by_key(session):
            mark = None
        key = (runs.revision, runs.filter_text, documents, active, session.view.chosen_runs, order, mark)
        if key != self._key:
            self._key = key
            self._list()
            if mark != self._mark_shown:
                self._mark_shown = mark
                rows = (n for n, entry in enumerate(self.entries) if entry.opens and entry.row_key == mark)
                if mark is not None and (row := next(rows, None)) is not None:
                    self.rows.reveal(row)
            if active != self._followed:
                self._followed = active
                document = self.session.active
                place = next((n for n, entry in enumerate(self.entries) if entry.document is document), None)
                if document is not None and place is not None:
                    self.rows.reveal(place)

    def _list(self) -> None:
        """Make the entries anew if there are others: a session that grows draws its row again, and no list is made."""
        key = entries_key(self.session)
        if key != self._entries_key:
            self._entries_key = key
            self.entries = list_entries(self.session)
            self._heads_open_runs = heads_open_runs(self.session, self.entries)
            self._run_rows.several_agents = len({row.agent for row in self.session.runs.rows}) > 1

    def _arrange(self) -> None:
        width, height = self.pane.width, self.pane.height
        problem = self.empty.problem_lines(self.pane.width)
        plan = (width, height, self._filters, bool(self.entries), len(problem))
        if plan == self._arranged:
            return
        self._arranged = plan
        heading = self.style.size(HEADING)
        self.heading.place(0, 0, width, heading)
        top = heading
        if self._filters:
            pad = self.style.whole(10)
            self.filter.show(True)
            self.filter.place(pad, int(top), max(int(width) - 2 * pad, 20))
            top += self.style.size(FILTER) + self.style.size(4)
        else:
            self.filter.show(False)
        self.rows.show(bool(self.entries))
        self.empty.sheet.show(not self.entries or bool(problem))
        if self.entries and problem:  # open documents are listed whatever the filter says
            said = self.style.size(8) + len(problem) * self.style.size(LINE)
            self.empty.sheet.place(0, top, width, said)
            top += said
        target: Any = self.rows if self.entries else self.empty.sheet
        target.place(0, top, width, max(height - top, 10))

    def _draw_heading(self, pen: Pen) -> None:
        style, theme, runs = self.style, self.style.theme, self.session.runs
        left, middle = style.size(12), style.size(HEADING) / 2 + style.size(2)
        folder = clean(runs.folder.name, 60) if runs.folder is not None else ""
        words = f"Runs in {folder}" if folder else "Runs"
        if self._heads_open_runs:
            words = "Open runs"
        families = sum(1 for run in runs.rows if run.depth == 0)
        if families and len(runs.rows) > 1:
            words += " · one family" if families == 1 else f" · {families:,} families"
        end = self.heading.width - left
        if len(runs.rows) > 1:
            end = self._draw_order(pen, end, middle) - style.size(8)
        pen.text(left, middle, words, theme.faint, "title", SMALL, room=end - left, middle_cut=False)
        if runs.folder is not None:
            pen.zone(0, 0, end, self.heading.height, None, clean(str(runs.folder), 400))

    def _draw_order(self, pen: Pen, right: float, middle: float) -> float:
        """Draw the order of the list, which a press changes, left of `right`; returns where it begins."""
        style = self.style
        word = f"{SHORT.get(self.session.settings.runs_order, SHORT['family'])} {DOWN}"
        left = right - style.width(word, "text", style.size(13))

        def choose() -> None:
            corner = self.pane.x + left, self.pane.y + self.heading.height
            self.session.open_context_menu("order", *corner)

        pen.link(left, middle, word, choose, color=style.theme.quiet, hint="The order of the list")
        return left

    def _row(self, index: int) -> Row:
        return self._run_rows.of(self.entries[index]) if index < len(self.entries) else Row(())

    def _typed(self, text: str) -> None:
        self.session.invoke("runs.filter", text=text)

    def _click(self, index: int, _event: InputEvent) -> None:
        if index >= len(self.entries):
            return
        entry = self.entries[index]
        if entry.is_heading or entry.left_out:
            return
        if entry.folder is not None:
            self.session.invoke("file.open_folder", path=entry.folder)
        elif self._choosing():
            self.session.invoke("family.choose", run=entry.key)
        elif entry.document is not None:
            self.session.invoke("document.activate", document=entry.document.number)
        elif entry.run is not None:
            self.session.invoke("file.open", path=entry.run.path)

    @staticmethod
    def _choosing() -> bool:
        """Whether a click adds a run to the selection of runs instead of opening it."""
        keys = (dpg.mvKey_LControl, dpg.mvKey_RControl, dpg.mvKey_LShift, dpg.mvKey_RShift)
        return any(dpg.is_key_down(key) for key in keys)

    def _context(self, index: int) -> None:
        entry = self.entries[index] if index < len(self.entries) else OTHERS
        if entry.run is not None or entry.document is not None:
            x, y = dpg.get_mouse_pos(local=False)
            self.session.open_context_menu("run", x, y, run=entry.key)
