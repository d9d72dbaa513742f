"""A form in a panel: the values of payloads in boxes; changes are marked, and what is wrong is said beside its box.

Any dialog or panel can have one: it is given its parts and a function that is told of changes, and knows nothing of
what they are for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial

import dearpygui.dearpygui as dpg

from opentine_gui.app.state import payload_form as forms
from opentine_gui.app.state.payload_form import Entry, Place
from opentine_gui.describe.content.show_value import EditedFace as Face
from opentine_gui.describe.content.show_value import face_of
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.keys import typed
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.platform.clipboard import may_be_read, put
from opentine_gui.ui.proposals.boxes import FormBoxes
from opentine_gui.ui.proposals.form_drawing import BEYOND, INDENT, INSET, NAME_WIDTH, SCROLL_BAR, FormDrawing, Value
from opentine_gui.ui.proposals.form_rows import (
    MOST_LINES,
    NAME_BOX,
    FormRow,
    Key,
    Part,
    box_order,
    form_rows,
    main_box,
    rows_between,
)
from opentine_gui.ui.proposals.soft_wrap import SoftWrap
from opentine_gui.ui.toolkit.pane import Pane
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import Sheet
from opentine_gui.ui.toolkit.style import FACE_SIZES, Style

BOX_PADDING, WIDEST = 8.0, 1.3
"""Design pixels between a box's edge and its text; the width of the widest character in ems."""
ROOM_SHARE = 0.9
"""The share of a box's width that lines are wrapped to: words typed into one fit, which is wrapped when it is left."""

OnChange = Callable[[str, Value], None]


class FormView:
    """Shows `parts`; `on_change(name, value)` is called when the user changed one."""

    def __init__(self, style: Style, parent: int | str, on_change: OnChange) -> None:
        self.style, self.on_change = style, on_change
        self.pane = Pane(parent, style)
        self.pane.show(False)
        dpg.configure_item(self.pane.window, no_scrollbar=False, no_scroll_with_mouse=False)
        style.controls.call(self.pane.window, "Form")
        self.sheet = Sheet(self.pane.window, style)
        self.drawing = FormDrawing(style, self)
        self.boxes = FormBoxes(style, self.pane.window)
        self.parts: tuple[Part, ...] = ()
        self.rows: list[FormRow] = []
        self._index: dict[Key, int] = {}
        self._about: Hashable = None
        self._revision = 0
        self._width = 0.0
        self._wraps: dict[Key, SoftWrap] = {}
        self._faces: dict[Key, Face] = {}
        """The faces of texts: none changes while its text is typed."""
        self.at: Key | None = None
        """The flag or the choice that has the keyboard: no box of Dear PyGui's has it then."""
        self._reveal: Key | None = None
        self._sent: list[Value] = []

    # --- what it shows -----------------------------------------------------------------------------------------------

    def set_parts(self, about: Hashable, parts: Sequence[Part], width: float) -> None:
        """Show parts; what is typed stays as long as they are `about` the same and nobody else changed them.

        `width` is that of the form, in pixels: its texts are wrapped to it.
        """
        new = tuple(parts)
        if width != self._width:
            self._width = width
            self._wraps = {}
            if about == self._about:
                self._rebuild()
        alike = about == self._about and [part[:2] for part in new] == [part[:2] for part in self.parts]
        if alike and all(self._known(part, old) for part, old in zip(new, self.parts, strict=True)):
            return
        at = self.at if about == self._about else None
        first = about != self._about
        self._about, self.parts, self._sent = about, new, []
        self._rebuild()
        self.at = at if any(row.key == at and row.box in ("flag", "choice") for row in self.rows) else None
        if first:
            self.at = None
            dpg.set_y_scroll(self.pane.window, 0.0)
            start = main_box(self.rows)
            if start is not None:
                self.focus(start)

    def _known(self, part: Part, shown: Part) -> bool:
        """Whether a part says what is shown, or what was shown before and is still on its way."""
        if isinstance(part.value, Entry):
            return part.value is shown.value or any(part.value is sent for sent in self._sent)
        return part.value == shown.value or any(
            part.value == sent for sent in self._sent if not isinstance(sent, Entry)
        )

    def clear(self) -> None:
        """Forget everything."""
        self._about, self.parts, self.rows, self.at = None, (), [], None
        self._wraps, self._faces = {}, {}
        self.boxes.clear()
        self.pane.show(False)

    @property
    def wanted_height(self) -> float:
        """Height in pixels of all rows."""
        bottom = self.rows[-1].bottom if self.rows else 0.0
        return self.style.size(bottom + INSET)

    @property
    def typing(self) -> bool:
        """Whether one of its boxes has the keyboard."""
        return self.at is not None or self.boxes.focused is not None

    def focus(self, key: Key) -> None:
        """Put the keyboard into a box, a flag or a choice, and bring it into view."""
        row = next((row for row in self.rows if row.key[:2] == key[:2]), None)
        if row is None:
            return
        self._reveal = key
        if row.box in ("flag", "choice") and not key[2]:
            self.at = key
            dpg.focus_item(self.sheet.window)
        else:
            self.at = None
            self.boxes.focus(key, behind=self._typed_on(row))

    def _typed_on(self, row: FormRow) -> bool:
        """Whether the caret goes behind the text of a box: unless that would scroll away how a long text begins."""
        wrap = self._wraps.get(row.key)
        return wrap is None or wrap.lines <= MOST_LINES or (row.entry is not None and row.entry.changes > 0)

    def focus_problem(self) -> None:
        """Put the keyboard into the first box with a problem, else into the one it was in."""
        for part in self.parts:
            if isinstance(part.value, Entry) and part.value.problems:
                place = part.value.problems[0].place
                entry = forms.entry_at(part.value, place)
                self.focus((part.name, place, "name" if entry.added and entry.problem is None else ""))
                return
        start = self.boxes.focused or main_box(self.rows)
        if start is not None:
            self.focus(start)

    # --- input -------------------------------------------------------------------------------------------------------

    def handle_key(self, chord: str) -> bool:
        """Handle a key that is neither text nor editing; False if it does nothing here."""
        if chord in ("Ctrl+C", "Ctrl+X"):
            self._mend_clipboard()
            return True
        self.boxes.catch(typed(chord))
        if chord in ("Tab", "Shift+Tab"):
            self._step(-1 if chord == "Shift+Tab" else 1)
            return True
        if self.at is not None:
            row = next((row for row in self.rows if row.key == self.at), None)
            if row is not None and row.box == "flag" and chord in ("Space", "Enter"):
                self.flip(row)
                return True
            if row is not None and row.box == "choice" and chord in ("Left", "Right", "Up", "Down"):
                place = row.part.choices.index(str(self.value_of(row))) + (-1 if chord in ("Left", "Up") else 1)
                self.set(row.part.name, row.part.choices[place % len(row.part.choices)])
                return True
        return False

    def _step(self, by: int) -> None:
        """Go to the next box, as Tab does; the tab that Dear PyGui has typed into the old one is taken out again."""
        order = box_order(self.rows)
        here = self.at or self.boxes.focused
        if here in self.boxes.made and here is not None:
            self.boxes.reset(here, self._shown(here))
        if order:
            place = order.index(here) + by if here in order else 0
            self.focus(order[place % len(order)])

    def _text_of(self, key: Key) -> str:
        part = next(part for part in self.parts if part.name == key[0])
        if not isinstance(part.value, Entry):
            return str(part.value)
        entry = forms.entry_at(part.value, key[1])
        return entry.name if key[2] else entry.text

    def _shown(self, key: Key) -> str:
        """What its box contains: the text, with lines broken to fit."""
        wrap = self._wraps.get(key)
        return wrap.shown if wrap is not None else self._text_of(key)

    def _mend_clipboard(self) -> None:
        """Remove our own line breaks from what Dear PyGui has copied out of a box."""
        key = self.boxes.focused
        wrap = self._wraps.get(key) if key is not None else None
        copied = dpg.get_clipboard_text() if wrap is not None and may_be_read() else ""
        if wrap is not None and copied and "\n" in copied:
            meant = wrap.copied(copied)
            if meant != copied:
                put(meant)

    def sync(self, pointer: Pointer, area: Area) -> None:
        """Take in what was typed, and bring boxes and drawing up to date; `area` is in the parent, in pixels."""
        keys = {event.key for event in pointer.events if event.kind == "key"}
        typed = self.boxes.typed()
        if keys.isdisjoint(
            (dpg.mvKey_Tab, dpg.mvKey_Escape)
        ):  # else Dear PyGui typed a tab, or took back what was typed
            for key, text in typed.items():
                self.style.controls.act(self.boxes.made[key].item, "", partial(self._take, key, text))
        if any(event.kind == "press" for event in pointer.events):
            self.at = None
        elif self.at is not None and self.boxes.active is not None:
            dpg.focus_item(self.sheet.window)  # Dear ImGui's own Tab went on from a box of one line
        self._wrap_again()
        self._place(area)
        self.boxes.sync()
        step = self.style.size(BEYOND)
        seen = int(dpg.get_y_scroll(self.pane.window) / step)
        looks = (self._revision, seen, area, self.at)
        self.sheet.sync(pointer, looks, lambda pen: self.drawing.draw(pen, area.width, seen * step, area.height))

    def _take(self, key: Key, text: str) -> None:
        name, place, what = key
        part = next((part for part in self.parts if part.name == name), None)
        wrap = self._wraps.get(key)
        lines = wrap.lines if wrap is not None else 0
        if wrap is not None:
            text = wrap.typed(text)
        if part is None or self._text_of(key) == text:
            return
        if not isinstance(part.value, Entry):
            self.set(name, text)
        elif what == "name":
            self.set(name, forms.renamed(part.value, place, text))
        else:
            form = forms.with_text(part.value, place, text)
            self.set(name, form, typed=key if wrap is not None and wrap.lines == lines else None)

    def value_of(self, row: FormRow) -> Value:
        """What the part of a row is now."""
        return next(part.value for part in self.parts if part.name == row.part.name)

    def set(self, name: str, value: Value, typed: Key | None = None) -> None:
        """Give a part another value; `typed` is the one box that changed, if it is as high as before."""
        self.parts = tuple(part._replace(value=value) if part.name == name else part for part in self.parts)
        self._sent = [*self._sent[-20:], value]
        if typed is None or not isinstance(value, Entry):
            self._measure()
        else:
            self._put_entries(value, typed)
        self.on_change(name, value)

    def reshape(self, name: str, form: Entry, focus: Place | None = None, what: str = "") -> None:
        """Show a form that has other fields now."""
        self.set(name, form)
        self._rebuild()
        if focus is not None:
            self.focus((name, focus, what))

    def flip(self, row: FormRow) -> None:
        if row.entry is None:
            self.set(row.part.name, not self.value_of(row))
            return
        whole = self.value_of(row)
        if isinstance(whole, Entry):
            self.set(row.part.name, forms.with_text(whole, row.key[1], "false" if row.entry.value else "true"))

    # --- layout ------------------------------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        self.boxes.clear()
        self._wraps, self._faces = {}, {}
        self._measure()

    def _measure(self) -> None:
        """Work out the rows again."""
        style = self.style

        def pitch(face: Face, text: str) -> float:
            return style.line_height(style.box_face(text, face)) / style.scale

        self.rows = form_rows(self.parts, pitch, self._lines_of, self._face_of)
        self._index = {row.key: number for number, row in enumerate(self.rows)}
        self._revision += 1

    def _put_entries(self, form: Entry, typed: Key) -> None:
        """Give the row of a box and those above it their new entries; all rows stay where they are."""
        for depth in range(len(typed[1]) + 1):
            number = self._index.get((typed[0], typed[1][:depth], ""))
            if number is not None:
                self.rows[number] = self.rows[number]._replace(entry=forms.entry_at(form, typed[1][:depth]))
        self._revision += 1

    def _face_of(self, key: Key, entry: Entry, part: Part, around: Mapping[str, str]) -> Face:
        """The face of an entry's box; looks at what its text is when it is new."""
        if entry.kind != "text":
            return "mono"
        face = self._faces.get(key)
        if face is None:
            face = self._faces[key] = face_of(entry.text, entry.name, around, part.hint)
        return face

    def _lines_of(self, key: Key, entry: Entry, depth: int) -> int:
        """The lines that the box of an entry shows; wraps its text when it is new."""
        wrap = self._wraps.get(key)
        if wrap is None or wrap.text != entry.text:
            style, name = self.style, self._faces.get(key, "mono") if entry.kind == "text" else "mono"
            em, face = style.size(FACE_SIZES[name]), style.box_face(entry.text, name)
            room = self._width - style.size(2 * INSET + INDENT * depth + 2 * SCROLL_BAR + 2 * BOX_PADDING) - em / 2
            advances = partial(style.metrics.advances, face=face, size=em)
            wrap = self._wraps[key] = SoftWrap(entry.text, advances, max(room * ROOM_SHARE, 4 * em), WIDEST * em)
        return wrap.lines

    def _wrap_again(self) -> None:
        """Break the lines of a box again that was typed into and is left."""
        for key, wrap in list(self._wraps.items()):
            if wrap.changed and key != self.boxes.focused and key != self.boxes.active:
                del self._wraps[key]
                self._faces.pop(key, None)
                self._measure()
                if self._wraps[key].shown != wrap.shown:
                    self.boxes.reset(key, self._wraps[key].shown)

    def _place(self, area: Area) -> None:
        """Make the boxes in view, and remove those that are far from it."""
        style = self.style
        self.pane.follow_theme()
        self.pane.show(True)
        self.pane.place(*area)
        # A pixel more than the window, by rounding, is nothing to scroll.
        height = self.wanted_height if self.wanted_height >= area.height + 2 else area.height
        self.sheet.place(0, 0, area.width, height)
        window = self.pane.window
        if self._reveal is not None:
            row = next((row for row in self.rows if row.key[:2] == self._reveal[:2]), None)
            if row is not None:
                self._scroll_to(row, area.height)
            self._reveal = None
        low = dpg.get_y_scroll(window) - style.size(BEYOND)
        high = low + area.height + 2 * style.size(BEYOND)
        wanted: set[Key] = set()
        busy = self.boxes.focused
        near = list(rows_between(self.rows, low / style.scale, high / style.scale))
        if busy is not None and busy[:2] not in [row.key[:2] for row in near]:
            near += [row for row in self.rows if row.key[:2] == busy[:2]]
        for row in near:
            left = style.size(INSET + INDENT * row.depth)
            if row.named and row.entry is not None:
                key = (*row.key[:2], "name")
                wanted.add(key)
                place = Area(left, style.size(row.y), style.size(NAME_WIDTH), style.size(NAME_BOX))
                self.boxes.show(key, "line", "mono", place, row.entry.name, "Name of the field")
            if row.box in ("text", "code", "line"):
                wanted.add(row.key)
                top = style.size(row.y + row.head)
                wide = area.width - left - style.size(INSET + SCROLL_BAR)
                place = Area(left, top, wide, style.size(row.tall))
                inside = row.entry.name if row.entry is not None else ""
                called = clean(f"{row.part.label}: {inside}" if inside else row.part.label, 80)
                self.boxes.show(row.key, row.box, row.face, place, self._shown(row.key), called)
        self.boxes.keep_only(wanted)

    def _scroll_to(self, row: FormRow, tall: float) -> None:
        """Scroll as little as needed so that a row is in view, or its beginning where it is taller.

        For the first one nothing is scrolled away: its name stands right below the edge, and would be cut.
        """
        top = self.style.size(row.y - 6) if row.key != self.rows[0].key else 0.0
        bottom = self.style.size(row.bottom + 6)
        scroll = dpg.get_y_scroll(self.pane.window)
        wanted = min(max(scroll, bottom - tall), top)
        if wanted != scroll:
            dpg.set_y_scroll(self.pane.window, max(wanted, 0.0))
