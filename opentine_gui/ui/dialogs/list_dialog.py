"""A question with a list of answers: type to filter, choose with arrows and Enter or a click, decline with Esc."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.state.prompts import Answer, Choose
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.dialogs.modal_window import modal_window
from opentine_gui.ui.input.first_keys import FirstKeys
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import explain

WIDTH, TOP, FIELD, ROW, MOST_ROWS = 460.0, 66.0, 40.0, 27.0, 11
HIGH_ROW, MOST_HIGH = 42.0, 8
"""Rows with a second line, of which fewer fit."""
MOVES = {"Down": 1, "Up": -1}


class ListDialog:
    """Asks for one of several items by name."""

    def __init__(
        self, style: Style, question: Choose, reply: Callable[[Answer | None], None], size: tuple[float, float]
    ):
        self.style, self.question, self.reply = style, question, reply
        self.items = list(question.items)
        self.current = 0
        self._details = dict(zip(question.items, question.details, strict=False))
        row, most = (HIGH_ROW, MOST_HIGH) if any(question.details) else (ROW, MOST_ROWS)
        rows = min(max(len(self.items), 2), most)
        width = min(style.size(WIDTH), size[0] - 40)
        height = style.size(TOP + FIELD + 12) + rows * style.whole(row)
        self.window = modal_window(style, "ListDialog", size, width, height, 0.3)
        self.sheet = Sheet(self.window, style)
        self.sheet.place(1, 1, width - 2, style.size(TOP) - 2)
        pad = style.whole(14)
        self._input = int(
            dpg.add_input_text(
                parent=self.window,
                hint="Type a part of its name",
                pos=[pad, style.whole(TOP)],
                width=int(width) - 2 * pad,
                callback=self._typed,
            )
        )
        explain(style, self._input, "Lists only what has these words in its name")
        style.text_inputs.add(self._input)
        self.rows = RowList(self.window, style, row_height=row, on_click=self._click)
        self.rows.place(1, style.size(TOP + FIELD), width - 2, rows * style.whole(row))
        self._first = FirstKeys(self._input)
        self._frames = 0

    def sync(self, pointer: Pointer) -> None:
        """Update the dialog; called once a frame."""
        self._frames += 1
        self._first.sync()
        self.sheet.sync(pointer, self._frames == 1, self._draw)
        self.rows.set_rows(max(len(self.items), 1), self._row, (tuple(self.items), self.current))
        self.rows.sync(pointer)

    def handle_key(self, chord: str) -> None:
        """Handle a key."""
        if chord == "Esc":
            self.reply(None)
        elif chord == "Enter":
            if self._first.kept:
                self._narrow(self._first.text)
            if self.items:
                self.reply(self.items[self.current])
            else:
                self._first.again()
        elif chord in MOVES and self.items:
            self.current = min(max(self.current + MOVES[chord], 0), len(self.items) - 1)
            self.rows.reveal(self.current)
        else:
            self._first.catch(chord)

    def close(self) -> None:
        """Remove the dialog from the window."""
        self.style.text_inputs.discard(self._input)
        if dpg.does_item_exist(self.window):
            dpg.delete_item(self.window)

    def _typed(self, _sender: Any, text: str, _user: Any) -> None:
        self._narrow(text)

    def _narrow(self, text: str) -> None:
        words = text.casefold().split()
        said = {item: f"{item} {self._details.get(item, '')}".casefold() for item in self.question.items}
        self.items = [item for item in self.question.items if all(word in said[item] for word in words)]
        self.current = 0
        self.rows.scroll_to_top()

    def _click(self, index: int, _event: InputEvent) -> None:
        if index < len(self.items):
            self.reply(self.items[index])

    def _draw(self, pen: Pen) -> None:
        style, theme = self.style, self.style.theme
        left = style.size(16)
        room = self.sheet.width - 2 * left
        pen.text(left, style.size(22), clean(self.question.title, 200), theme.text, "title", 15.0, room=room)
        pen.text(left, style.size(45), clean(self.question.text, 200), theme.quiet, room=room)

    def _row(self, index: int) -> Row:
        theme = self.style.theme
        if not self.items:
            return Row((Span("Nothing has that in its name", theme.faint),))
        if index >= len(self.items):
            return Row(())
        item = self.items[index]
        role = dict(zip(self.question.items, self.question.dots, strict=False)).get(item, "")
        detail = clean(self._details.get(item, ""), 200)
        words = Span(clean(item, 200), theme.text, middle=not detail)  # a path or a file's name, else a title
        below = (Span(detail, theme.faint, size=SMALL, middle=True),) if detail else ()
        return Row((words,), below=below, dot=theme.role(role) if role else None, selected=index == self.current)
