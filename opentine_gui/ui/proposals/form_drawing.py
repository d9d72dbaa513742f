"""Draws the rows of a form: names, what can be done with a field, what changed and what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from opentine_gui.app.state import payload_form as forms
from opentine_gui.app.state.payload_form import Entry, Place
from opentine_gui.core import StepKind
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.draw_list import Color, Line, Rect
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.proposals.form_rows import BOX_PAD, CHOICE, FormRow, Key, rows_between
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import MONO, SMALL, Pen
from opentine_gui.ui.toolkit.style import Style

INSET, INDENT, NAME_WIDTH, SCROLL_BAR = 14.0, 16.0, 170.0, 12.0
BEYOND = 300.0
"""Design pixels above and below what is in view that are prepared already, so that Tab finds the boxes there."""

Value = Entry | str | bool

_KINDS = frozenset(kind.value for kind in StepKind)


class Fields(Protocol):
    """The form that is drawn, and what a press does to it."""

    rows: list[FormRow]
    at: Key | None

    def value_of(self, row: FormRow) -> Value:
        """What the part of a row is now."""

    def set(self, name: str, value: Value) -> None:
        """Give a part another value."""

    def reshape(self, name: str, form: Entry, focus: Place | None = None, what: str = "") -> None:
        """Give a payload other fields, and the keyboard to one of them."""

    def flip(self, row: FormRow) -> None:
        """Switch a flag."""


class FormDrawing:
    """Draws the rows of one form."""

    def __init__(self, style: Style, view: Fields) -> None:
        self.style, self.view = style, view
        self.width = 0.0

    def draw(self, pen: Pen, width: float, scroll: float, tall: float) -> None:
        """Draw the rows near what is in view; all in pixels."""
        self.width = width
        far = self.style.size(BEYOND)
        for row in rows_between(
            self.view.rows, (scroll - far) / self.style.scale, (scroll + tall + 2 * far) / self.style.scale
        ):
            self._draw_row(pen, row)

    def _draw_row(self, pen: Pen, row: FormRow) -> None:
        style, theme, entry = self.style, self.style.theme, row.entry
        left, right = style.size(INSET + INDENT * row.depth), self.width - style.size(INSET + SCROLL_BAR)
        middle = style.size(row.y + row.head / 2)
        if row.box == "choice":
            self._draw_choice(pen, row, left)
            return
        if row.box == "flag":
            left = self._draw_tick(pen, row, left, middle)
        end = right
        if entry is not None and isinstance(self.view.value_of(row), Entry):
            end = self._draw_verbs(pen, row, entry, right, middle) - style.size(10)
        if row.named:
            left += style.size(NAME_WIDTH + 8)
        else:
            whole = not row.key[1]
            name = row.part.label if whole or entry is None else clean(entry.name, 80) or f"[{row.key[1][-1]}]"
            face, color = ("title", theme.text) if whole and entry is not None else ("mono", theme.quiet)
            if entry is None:
                face = "text"
            left = pen.text(left, middle, name, color, face, room=max(end - left, 1.0)) + style.size(8)
        if entry is None:
            return
        problem = next((problem for problem in entry.problems if not problem.place), None)
        doubled = self._doubled(row)
        if problem is not None or doubled:
            where = f"line {problem.line}: " if problem is not None and problem.line else ""
            said = where + problem.text if problem is not None else doubled
            pen.text(left, middle, clean(said, 200), theme.bad, size=SMALL, room=max(end - left, 1.0))
            if problem is not None and row.tall:
                self._mark_line(pen, row, problem.line)
            return
        said = self._said_of(entry)
        if said:
            pen.text(left, middle, said, theme.faint, size=SMALL, room=max(end - left, 1.0))
        if entry.changes and row.box:
            edge = style.size(INSET + INDENT * row.depth - 7)
            pen.rect(edge, style.size(row.y + 3), edge + style.size(3), style.size(row.bottom), theme.accent)

    def _said_of(self, entry: Entry) -> str:
        """The quiet words beside a name: what is in it, or what it was."""
        if entry.kind in ("object", "list"):
            inside = counted(len(entry.entries), "field" if entry.kind == "object" else "item")
            return inside + (f" · {entry.removed} removed" if entry.removed else "")
        if entry.too_long:
            return f"{len(entry.text):,} characters, too many for a box: kept as they are"
        if not entry.changes:
            return ""
        if entry.added:
            return "added"
        was = entry.original if isinstance(entry.original, str) else forms.json_text(entry.original)
        return f"was {clean(was, 120) or 'empty'}"

    def _doubled(self, row: FormRow) -> str:
        """What is wrong with a field's name."""
        whole = self.view.value_of(row)
        if not isinstance(whole, Entry) or not row.key[1]:
            return ""
        above = forms.entry_at(whole, row.key[1][:-1])
        found = (problem for problem in above.problems if problem.place == (row.key[1][-1],))
        return next((problem.text for problem in found if "already" in problem.text), "")

    def _mark_line(self, pen: Pen, row: FormRow, line: int) -> None:
        """Frame a box with a problem, and mark the line of it where all lines are in view."""
        style, bad = self.style, self.style.theme.bad
        left = style.size(INSET + INDENT * row.depth) - style.size(7)
        top, bottom = style.size(row.y + row.head), style.size(row.bottom)
        lines = row.entry.text.count("\n") + 1 if row.entry is not None else 1
        if 0 < line <= lines and style.size(lines * MONO) < bottom - top:
            pitch = (bottom - top - style.size(BOX_PAD)) / lines
            top += style.size(BOX_PAD / 2) + (line - 1) * pitch
            bottom = top + pitch
        pen.rect(left, top, left + style.size(3), bottom, bad)

    def _draw_verbs(self, pen: Pen, row: FormRow, entry: Entry, right: float, middle: float) -> float:
        """Draw what can be done with a field, from right to left; returns the x where it begins."""
        style, theme, place, name = self.style, self.style.theme, row.key[1], row.part.name
        whole = self.view.value_of(row)
        assert isinstance(whole, Entry)
        em = style.size(SMALL)
        x = right

        def reshaped(
            change: Callable[[Entry, Place], Entry], focus: Place | None = None, what: str = ""
        ) -> Callable[[], None]:
            """What a press does; the form is made then, for it may be long."""
            return lambda: self.view.reshape(name, change(whole, place), focus, what)

        def verb(label: str, hint: str, work: Callable[[], None]) -> None:
            nonlocal x
            width = style.width(label, "text", em)
            x -= width
            half = style.size(row.head / 2)
            over = pen.over(x - 4, middle - half, x + width + 4, middle + half)
            pen.text(x, middle, label, theme.text if over else theme.faint, size=SMALL)
            act = (x - 4, middle - half, x + width + 4, middle + half, work, hint)
            pen.zone(*act, name=f"{label} {hint}", kind="link")
            x -= style.size(14)

        if row.part.plain:
            return right
        called = clean(entry.name, 40) or (row.part.label if not place else f"[{place[-1]}]")
        if place:
            verb("Remove", called, reshaped(forms.removed))
        if entry.kind == "json":
            if entry.problem is None:
                verb("Fields", called, reshaped(forms.as_fields, place))
        elif not entry.holds_too_long:
            verb("JSON", called, reshaped(forms.as_json, place))
        if entry.kind in ("object", "list"):
            last = (*place, len(entry.entries))
            what = "name" if entry.kind == "object" else ""
            label = "Add field" if entry.kind == "object" else "Add item"
            verb(label, called, reshaped(forms.added, last, what))
        if entry.changes and not entry.added:
            verb("Restore", called, reshaped(forms.restored, place))
        return x

    def _draw_tick(self, pen: Pen, row: FormRow, left: float, middle: float) -> float:
        style, theme = self.style, self.style.theme
        on = bool(row.entry.value) if row.entry is not None else bool(self.view.value_of(row))
        half = style.size(7)
        edge = theme.accent if row.key == self.view.at else theme.edge
        _outlined(pen, Area(left, middle - half, 2 * half, 2 * half), theme.canvas, edge, style.size(3))
        if on:
            points = (
                (left + half * 0.5, middle),
                (left + half * 0.9, middle + half * 0.5),
                (left + half * 1.6, middle - half * 0.5),
            )
            pen.items.append(Line(points, theme.accent, max(style.size(1.6), 1.4)))
        label = row.part.label if row.entry is None else clean(row.entry.name, 80)
        width = style.width(label, "text", style.size(13)) + style.size(30)
        act, hint = partial(self.view.flip, row), f"{'On' if on else 'Off'}; a press or Space switches it"
        pen.zone(left, middle - half, left + width, middle + half, act, hint, name=label, kind="checkbox")
        return left + style.size(22)

    def _draw_choice(self, pen: Pen, row: FormRow, left: float) -> None:
        """Draw a choice of words in a row, the present one raised."""
        style, theme = self.style, self.style.theme
        middle = style.size(row.y + CHOICE / 2)
        x = pen.text(left, middle, row.part.label, theme.quiet) + style.size(12)
        for word in row.part.choices:
            here = word == self.view.value_of(row)
            marked = word in _KINDS
            width = style.width(word, "text", style.size(13)) + style.size(34 if marked else 20)
            top, bottom = middle - style.size(11), middle + style.size(11)
            if here:
                edge = theme.accent if row.key == self.view.at else theme.edge
                _outlined(pen, Area(x, top, width, bottom - top), theme.raised, edge, style.size(5))
            at = pen.glyph(word, x + style.size(8), middle, 12.0) + style.size(6) if marked else x + style.size(10)
            pen.text(at, middle, word, theme.text if here else theme.quiet)
            act, hint = partial(self.view.set, row.part.name, word), f"{row.part.label}: {word}"
            pen.zone(x, top, x + width, bottom, act, hint, name=word, kind="tab")
            x += width + style.size(4)


def _outlined(pen: Pen, area: Area, fill: Color, edge: Color, radius: float) -> None:
    pen.items.append(Rect(area.x, area.y, area.x + area.width, area.y + area.height, fill, edge, radius, 1.0))
