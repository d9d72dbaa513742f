"""Shows a payload as a tree that unfolds, or as text that can be selected."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.inspect.payload_rows import PayloadFolds, PayloadRow, payload_rows, payload_text
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.row_list import SCROLLBAR, Row, RowList, Span
from opentine_gui.ui.toolkit.sheet import MONO
from opentine_gui.ui.toolkit.style import Style

ROW = 20.0
INDENT = 14.0
REMEMBERED = 400
"""Number of payloads whose unfolded nodes are remembered; the oldest are dropped first."""


class PayloadView:
    """Shows one value. Unfolded nodes are remembered per `name`, so coming back to a value loses nothing."""

    def __init__(self, parent: int | str, style: Style, *, copied: Callable[[str], None]) -> None:
        self.style, self._copied = style, copied
        self.rows = RowList(parent, style, row_height=ROW, on_click=self._click, on_double=self._double)
        self.text = int(
            dpg.add_input_text(parent=parent, multiline=True, readonly=True, width=100, height=100, show=False)
        )
        style.text_inputs.add(self.text)
        dpg.bind_item_font(self.text, style.font("mono"))
        self._folds: OrderedDict[Hashable, PayloadFolds] = OrderedDict()
        self._name: Hashable = None
        self._value: Any = None
        self._lines: list[PayloadRow] = []
        self._made: Hashable = None
        self._text_made: Hashable = None
        self._width = 100.0
        self._as_text = False

    @property
    def wanted_height(self) -> float:
        """Height in pixels of all rows."""
        return float(self.rows.content_height)

    def set_value(self, name: Hashable, value: Any, width: float, *, as_text: bool) -> None:
        """Set the value to show and the width in pixels; `name` must change with the value."""
        if name != self._name:
            self._name, self._value = name, value
            self.rows.scroll_to_top()
        self._width, self._as_text = width, as_text
        if as_text:
            if self._text_made != name:
                self._text_made = name
                said = payload_text(value)
                dpg.set_value(self.text, said)
                self.style.set_font(self.text, said, "mono")
        else:
            self._flatten()

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place tree and text box in the parent, in pixels."""
        self.rows.place(x, y, width, height)
        pad = self.style.whole(12)
        dpg.configure_item(
            self.text, pos=[int(x) + pad, int(y)], width=max(int(width) - 2 * pad, 20), height=max(int(height), 20)
        )

    def show(self, visible: bool) -> None:
        self.rows.show(visible and not self._as_text)
        dpg.configure_item(self.text, show=visible and self._as_text)

    def sync(self, pointer: Pointer) -> None:
        """Handle input, and repaint when something changed."""
        self.rows.sync(pointer)

    def _kept(self) -> PayloadFolds:
        folds = self._folds.get(self._name)
        if folds is None:
            folds = self._folds[self._name] = PayloadFolds()
            if len(self._folds) > REMEMBERED:
                self._folds.popitem(last=False)
        return folds

    def _flatten(self, *, again: bool = False) -> None:
        advance = self.style.width("m", "mono", self.style.size(MONO))
        columns = int((self._width - self.style.size(24 + 14 + SCROLLBAR)) / advance)
        made = (self._name, columns)
        if made == self._made and not again:
            return
        self._made = made
        folds = self._kept()
        self._lines = payload_rows(self._value, columns, folds.folds, folds.whole)
        self.rows.set_rows(
            len(self._lines), self._row, (made, len(folds.whole), tuple(sorted(folds.folds.items(), key=repr)))
        )

    def _row(self, index: int) -> Row:
        if index >= len(self._lines):
            return Row(())
        line, theme = self._lines[index], self.style.theme
        color = {
            "text": theme.good,
            "number": theme.human,
            "constant": theme.subagent,
            "quiet": theme.quiet,
            "more": theme.accent,
            "media": theme.quiet,
        }[line.role]
        spans = [Span(line.label, theme.tool, "mono")] if line.label else []
        if line.text:
            spans.append(Span(line.text, color, "mono"))
        return Row(
            tuple(spans), indent=self.style.size(INDENT) * line.depth - self.style.size(2), fold=line.fold, aligned=True
        )

    def _click(self, index: int, _event: InputEvent) -> None:
        if index >= len(self._lines):
            return
        line, folds = self._lines[index], self._kept()
        if line.role in ("more", "media"):
            folds.whole.add(line.path)
        elif line.fold is not None:
            folds.toggle(line.path, line.fold)
        else:
            return
        self._flatten(again=True)

    def _double(self, index: int) -> None:
        """Copy the value of the row that was double-clicked."""
        if index >= len(self._lines) or self._lines[index].fold is not None:
            return
        value = self._value
        for part in self._lines[index].path:
            value = value[part]
        self._copied(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2))
