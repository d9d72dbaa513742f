"""The reading view: the selected step over the whole canvas, or how it differs from another step."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from opentine_gui.app.document.document import Document
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord, Step
from opentine_gui.scene.draw_list import Line
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.reading.diff_view import DiffView
from opentine_gui.ui.reading.file_view import FileView
from opentine_gui.ui.reading.step.step_view import StepView
from opentine_gui.ui.toolkit.pane import Pane
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import MONO, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

BAR = 46.0
MEASURE = 900.0
"""The widest a step is shown, in design pixels: longer lines are hard to read."""
PAD = 14.0
OF_THE_TEXT = ("Ctrl+A", "Ctrl+F")
"""Keys for the text that is read even where no part of it was pressed."""

_STEPS = (("‹ Previous", "inspect.previous_step"), ("Next ›", "inspect.next_step"))
_DIFFS = (
    ("Fork", "run.fork"),
    ("Diff with parent", "inspect.diff_parent"),
    ("Diff with twin", "inspect.diff_twin"),
    ("Copy", "edit.copy_value"),
    ("Open in editor", "edit.open_value"),
)
_FILE_STEPS = (("‹ Previous", "files.previous_step"), ("Next ›", "files.next_step"))
_FILES = (("Read the step", "inspect.read"),)
_COMPARING = (("Requests", "inspect.diff_requests"), ("Unified", "inspect.unified"), ("Read the step", "inspect.read"))


class ReadingView:
    """Shown while `view.reading` is set and a step is selected: a bar of buttons, then the step or the difference."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        self.session, self.style = session, style
        self.pane = Pane(parent, style)
        self.pane.show(False)
        self.bar = Sheet(self.pane.window, style)
        self.step = StepView(self.pane.window, session, style, whole=True)
        self.diff = DiffView(self.pane.window, session, style)
        self.file = FileView(self.pane.window, session, style)
        self._area = Area(0, 0, 0, 0)
        self._reasons: dict[str, str | None] = {}
        self._reasons_of: Hashable = None

    @property
    def visible(self) -> bool:
        """Whether it lies over the canvas."""
        return self.pane.shown

    def sync(self, pointer: Pointer, area: Area) -> bool:
        """Follow the session; `area` is the one to cover. True while it is shown."""
        view, document = self.session.view, self.session.active
        record = document.record if document is not None else None
        primary = document.selection.primary if document is not None else None
        if self.session.proposal is not None or self.session.presentation is not None:
            view.reading = False
        if document is not None and document.picked_file is None:
            view.file_read = False
        if primary is None and view.file_read and record is not None:
            primary = record.main_tip
        if not view.reading or document is None or record is None or primary is None or primary not in record.graph:
            view.reading = view.file_read = False
            view.diff_with = None
            self.file.forget()
            self.pane.show(False)
            self.step.forget()
            self.diff.forget()
            return False
        self.pane.show(True)
        self.pane.follow_theme()
        if area != self._area:
            self._area = area
            self.pane.place(*area)
            self.bar.place(0, 0, area.width, self.style.size(BAR))
        self._sync_content(pointer, document, record, record.graph.step(primary))
        return True

    def _sync_content(self, pointer: Pointer, document: Document, record: RunRecord, step: Step) -> None:
        style, view, area = self.style, self.session.view, self._area
        other = view.diff_with
        if other is not None and (other not in record.graph or other == step.id):
            other = view.diff_with = None
        top = style.size(BAR)
        self.file.show(view.file_read)
        self.step.show(other is None and not view.file_read)
        self.diff.show(other is not None and not view.file_read)
        key = (
            document.number,
            document.selection_revision,
            document.content_revision,
            other,
            view.diff_unified,
            view.diff_requests,
            view.file_read,
            style.theme.name,
        )
        if key != self._reasons_of:
            self._reasons_of = key
            asked = (*_STEPS, *_FILE_STEPS, *_DIFFS, *_FILES, *_COMPARING)
            self._reasons = {name: self.session.enabled(name) for _, name in asked}
        self.bar.sync(pointer, (key, area), lambda pen: self._draw_bar(pen, record, step))
        if view.file_read:
            self.file.place(0, top, area.width, area.height - top)
            self.file.follow(document, record)
            self._scroll(self.file)
            self.file.sync(pointer)
            return
        self.file.forget()
        if other is not None:
            self.diff.place(0, top, area.width, area.height - top)
            self.diff.follow(document, record, record.graph.step(other), step, requests=view.diff_requests)
            self._scroll(self.diff)
            self.diff.sync(pointer)
            return
        wide = min(area.width, style.size(MEASURE))
        self.step.place((area.width - wide) / 2, top, wide, area.height - top)
        self.step.follow(document, record, step)
        self._scroll(self.step)
        self.step.sync(pointer, document)

    def _scroll(self, shown: StepView | DiffView | FileView) -> None:
        view = self.session.view
        if view.inspector_scroll:
            shown.scroll(view.inspector_scroll)
            view.inspector_scroll = 0.0

    def handle_key(self, chord: str) -> bool:
        """Let what is read use a key; False for one it has no use for."""
        if not self.visible:
            return False
        read: FileView | DiffView | StepView = self.step
        parts: tuple[ContentView, ...] = (self.step.content, self.step.error.view)
        if self.session.view.file_read:
            read, parts = self.file, (self.file.content,)
        elif self.session.view.diff_with is not None:
            read, parts = self.diff, (self.diff.left, self.diff.right)
        if read.handle_key(chord):
            return True
        if chord not in OF_THE_TEXT or any(part.focused for part in parts):
            return False
        # There is nothing else on show that they could be meant for: who came by key pressed on no part of it.
        parts[0].focused = True
        return read.handle_key(chord)

    # --- the bar -----------------------------------------------------------------------------------------------------

    def _draw_bar(self, pen: Pen, record: RunRecord, step: Step) -> None:
        style, theme, width = self.style, self.style.theme, self._area.width
        pad, top, middle = style.size(PAD), style.size(9), style.size(BAR) / 2
        x = pad
        for label, action_id in _FILE_STEPS if self.session.view.file_read else _STEPS:
            x = self._button(pen, x, top, label, action_id) + style.size(6)
        place = f"{record.graph.index(step.id) + 1:,} / {len(record.graph):,}"
        x = pen.text(x + style.size(4), middle, place, theme.quiet, "mono", MONO) + style.size(16)
        right = self._close(pen, width - pad, middle) - style.size(10)
        diffing = self.session.view.diff_with is not None
        labels = _FILES if self.session.view.file_read else _COMPARING if diffing else _DIFFS
        taken = sum(pen.button_width(label) + style.size(6) for label, _ in labels)
        x = max(right - taken, x)
        for label, action_id in labels:
            if x + pen.button_width(label) > right + 1:
                break
            if action_id == "inspect.unified" and self.session.view.diff_unified:
                label = "Side by side"
            if action_id == "inspect.diff_requests" and self.session.view.diff_requests:
                label = "Steps"
            x = self._button(pen, x, top, label, action_id) + style.size(6)
        pen.rule(0, style.size(BAR) - 1, width)

    def _button(self, pen: Pen, x: float, y: float, label: str, action_id: str) -> float:
        action = self.session.actions[action_id]
        hint = f"{action.title}  {action.key}".strip()
        return pen.button(x, y, label, self._invoke(action_id), reason=self._reasons.get(action_id), hint=hint)

    def _invoke(self, action_id: str) -> Callable[[], None]:
        return lambda: self.session.invoke(action_id)

    def _close(self, pen: Pen, right: float, middle: float) -> float:
        """Draw the mark that closes the view; returns where it begins."""
        style, theme = self.style, self.style.theme
        r, half = style.size(4.5), style.size(13)
        x = right - r
        over = pen.over(x - half, middle - half, x + half, middle + half)
        color = theme.text if over else theme.quiet
        for way in (1, -1):
            pen.items.append(Line(((x - r, middle - way * r), (x + r, middle + way * r)), color, style.size(1.4)))
        pen.zone(x - half, middle - half, x + half, middle + half, self._invoke("view.dismiss"), "Close  Esc")
        return x - half
