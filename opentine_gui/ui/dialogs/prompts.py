"""Asks the user the application's questions, one dialog at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import dearpygui.dearpygui as dpg

from opentine_gui.app.session import Session
from opentine_gui.app.state.prompts import Answer, AskText, Choose, Confirm, OpenFile, OpenFolder, Question, SaveFile
from opentine_gui.scene.draw_list import Rect
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.dialogs.file_chooser import FileChooser
from opentine_gui.ui.dialogs.list_dialog import ListDialog
from opentine_gui.ui.dialogs.modal_window import modal_window
from opentine_gui.ui.input.first_keys import FirstKeys
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.plate import window_above
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import SMALL, Pen, Sheet, button_rows, button_width
from opentine_gui.ui.toolkit.style import Style, wrap
from opentine_gui.ui.toolkit.tooltip import explain

if TYPE_CHECKING:
    from opentine_gui.app.system.desktop.file_dialogs import FileQuestion, SystemDialog

Reply = Callable[[Answer | None], None]
AskSystem = Callable[["FileQuestion"], "SystemDialog | None"]
"""Opens the desktop's own file dialog for a question, or returns None."""

WIDTH, WIDEST = 460.0, 640.0
BACK = "Go back without changing anything"
KEPT = "Cancel keeps it as a draft"
"""A question that keeps what was typed is left without an answer, and begins with it when it is asked again."""
LINE = 20.0
WALK = {"Tab": 1, "Right": 1, "Shift+Tab": -1, "Left": -1}
"""Keys that go from one answer to the next."""


class Dialog(Protocol):
    """A dialog that asks one question."""

    window: int

    def handle_key(self, chord: str) -> None:
        """Handle a key."""

    def sync(self, pointer: Pointer) -> None:
        """Update the dialog; called once a frame."""

    def close(self) -> None:
        """Remove the dialog from the window."""


class WindowPrompter:
    """The window's Prompter. Call `sync` once a frame; while `visible`, keys and clicks go to the dialog."""

    def __init__(self, session: Session, style: Style, ask_system: AskSystem | None = None) -> None:
        """Without `ask_system`, or where it returns None, our own file chooser asks for files."""
        self.session, self.style, self.ask_system = session, style, ask_system
        self._waiting: deque[tuple[Question, Reply]] = deque()
        self._asked: tuple[Question, Reply] | None = None
        """What the open dialog asks."""
        self._dialog: Dialog | None = None
        self._syncs: Dialog | None = None
        """The dialog whose `sync` is under way: it draws to the end, even if a press in it gave the answer."""

    @property
    def visible(self) -> bool:
        """True while a dialog is open."""
        return self._dialog is not None or bool(self._waiting)

    @property
    def window(self) -> int | None:
        """The window of the open dialog."""
        return self._dialog.window if self._dialog is not None else None

    @property
    def has_keyboard(self) -> bool:
        """True while a dialog is open: no key reaches the views behind it."""
        return self.visible

    def handle_key(self, chord: str) -> None:
        """Pass a key to the open dialog."""
        if self._dialog is not None:
            self._dialog.handle_key(chord)

    def ask(self, question: Question, answer: Reply) -> None:
        """Queue a question; it is shown once those before it are answered."""
        self._waiting.append((question, answer))

    def answered_outside(self) -> bool:
        """Whether a dialog of the system was answered; polled while the window is idle."""
        return isinstance(self._dialog, SystemDialogPlaceholder) and self._dialog.dialog.poll()

    def close(self) -> None:
        """Remove the open dialog without an answer; its question waits to be asked again."""
        if self._dialog is not None:
            self._remove(self._dialog)
            self._dialog = None
        if self._asked is not None:
            self._waiting.appendleft(self._asked)
            self._asked = None

    def take_over(self, before: WindowPrompter) -> None:
        """Take over the questions that the prompter of removed views had still to ask."""
        before.close()
        self._waiting.extend(before._waiting)
        before._waiting.clear()

    def _remove(self, dialog: Dialog) -> None:
        """Remove a dialog that is left, at the end of its `sync` if that is under way."""
        if dialog is not self._syncs:
            dialog.close()

    def sync(self, pointer: Pointer, width: float, height: float) -> None:
        """Update the open dialog or open the next one; `width` and `height` are the window's, in pixels."""
        if self._dialog is None and self._waiting:
            question, answer = self._asked = self._waiting.popleft()
            try:
                self._dialog = self._open(question, self._replying(question, answer), (width, height))
            except Exception:
                self._asked = None
                answer(None)  # a question that cannot be shown is declined: what waits for its answer ends
                raise
        dialog = self._syncs = self._dialog
        if dialog is None:
            return
        try:
            dialog.sync(pointer)
        except Exception:
            if self._dialog is dialog and self._asked is not None:
                self._replying(*self._asked)(None)  # nobody could answer it, and it would take every key and press
            raise
        finally:
            self._syncs = None
            if self._dialog is not dialog:
                dialog.close()
        pointer.take("press", "double", "wheel")

    def _ours(self, question: FileQuestion, reply: Reply, size: tuple[float, float]) -> None:
        """Ask with our own file chooser instead of the system's dialog."""
        if self._dialog is not None:
            self._remove(self._dialog)
        self._dialog = FileChooser(self.session, self.style, question, reply, size)

    def _replying(self, question: Question, answer: Reply) -> Reply:
        def reply(given: Answer | None) -> None:
            dialog, self._dialog = self._dialog, None
            self._asked = None
            if given is None and isinstance(dialog, SentenceDialog):
                dialog.keep_typed()
            if dialog is not None:
                self._remove(dialog)
            answer(given)
            self.session.touch()

        return reply

    def _open(self, question: Question, reply: Reply, size: tuple[float, float]) -> Dialog:
        if isinstance(question, (OpenFile, OpenFolder, SaveFile)):
            outside = None
            if self.ask_system is not None and self.session.settings.file_dialogs == "system":
                outside = self.ask_system(question)
            if outside is not None:
                return SystemDialogPlaceholder(
                    self.style, question, outside, reply, lambda: self._ours(question, reply, size), size
                )
            return FileChooser(self.session, self.style, question, reply, size)
        if isinstance(question, Choose):
            return ListDialog(self.style, question, reply, size)
        return SentenceDialog(self.style, question, reply, size)


class SystemDialogPlaceholder:
    """Shown while the system's dialog is open; offers our own file chooser instead."""

    OURS = "Choose here instead"

    def __init__(
        self,
        style: Style,
        question: FileQuestion,
        dialog: SystemDialog,
        reply: Reply,
        ours: Callable[[], None],
        size: tuple[float, float],
    ) -> None:
        self.dialog, self.reply, self.ours = dialog, reply, ours
        words = Confirm(question.title, "Your desktop's file dialog is open.", (self.OURS, "Cancel"))
        self._sentence = SentenceDialog(style, words, self._declined, size)
        self.window = self._sentence.window

    def sync(self, pointer: Pointer) -> None:
        if not self.dialog.poll():
            self._sentence.sync(pointer)
        elif self.dialog.failed:
            self.ours()
        else:
            self.reply(self.dialog.paths or None)

    def handle_key(self, chord: str) -> None:
        # Enter is for the system's dialog: one that arrives here was meant for it.
        if chord == "Esc":
            self.reply(None)

    def close(self) -> None:
        self.dialog.close()
        self._sentence.close()

    def _declined(self, answer: Answer | None) -> None:
        if answer == self.OURS:
            self.ours()
        else:
            self.reply(None)


class SentenceDialog:
    """A sentence with buttons or a text box: Enter chooses the first answer, or that which Tab went to; Esc declines.

    In a box of several lines Enter begins a line, and Ctrl+Enter answers, as in a form.
    """

    def __init__(self, style: Style, question: Confirm | AskText, reply: Reply, size: tuple[float, float]) -> None:
        self.style, self.question, self.reply = style, question, reply
        self._several = isinstance(question, AskText) and question.lines > 1
        widths = [button_width(style, label, self._key(number)) for number, label in enumerate(self._choices())]
        gap = style.size(8)
        wanted = max(style.size(WIDTH), sum(widths) + gap * (len(widths) - 1) + style.size(40))
        width = min(wanted, style.size(WIDEST), size[0] - 40)
        inner = width - style.size(40)
        self._rows = button_rows(widths, inner, gap)
        self._title = wrap(clean(question.title, 200), inner, style, face="title", size=15.0, most=2)
        self._lines = wrap(clean(question.text, 1200, lines=True), inner, style, most=12)
        lines = question.lines if isinstance(question, AskText) else 0
        self._last = question.value if isinstance(question, AskText) else ""
        """What the box contained while it had the keyboard: with Esc, Dear ImGui puts the first text back into it."""
        box = style.size(LINE * lines + 10)
        body = style.size(24 * len(self._title) + LINE * len(self._lines) + 34)
        self._refused = ""
        """Why the last text was no answer, until it is one."""
        self._below_box = body + box + style.size(LINE / 2 + 2)
        below = style.size(LINE) if isinstance(question, AskText) and question.refusal is not None else 0
        height = body + (box + style.size(10) + below if lines else 0) + style.size(20 + 36 * len(self._rows))
        self.window = modal_window(style, "SentenceDialog", size, width, height, 0.38)
        self._input: int | None = None
        self.sheet = Sheet(self.window, style)
        self.sheet.place(1, 1, width - 2, height - 2)
        if isinstance(question, AskText):
            self._input = int(
                dpg.add_input_text(
                    parent=window_above(self.window, style, Area(style.whole(20), body, inner, box)),
                    default_value=question.value,
                    width=int(inner),
                    height=int(box) if self._several else 0,
                    multiline=self._several,
                    tab_input=self._several,  # without it, tabs would be lost from what is pasted
                    auto_select_all=not self._several,
                )
            )
            explain(style, self._input, question.title)
            style.text_inputs.add(self._input)
        self._frames = 0
        self._current = 0
        """The button that Enter presses."""
        self._first = FirstKeys(self._input, several=self._several) if self._input is not None else None

    def sync(self, pointer: Pointer) -> None:
        self._frames += 1
        if self._first is not None and self._input is not None and self._first.sync():
            self._last = str(dpg.get_value(self._input))
        if self._refused:
            self._refused = self._refusal()
        self.sheet.sync(pointer, (self._frames == 1, self._current, self._refused), self._draw)

    def handle_key(self, chord: str) -> None:
        name = chord.replace("Shift+", "")  # Shift may still be down after a "?"
        if chord == "Esc":
            self.reply(None)
        elif isinstance(self.question, Confirm) and chord in WALK:
            self._current = (self._current + WALK[chord]) % len(self.question.choices)
        elif name == "Ctrl+Enter" or (name == "Enter" and not self._several):
            self._take_current()
        elif self._first is not None:
            self._first.catch(chord)

    def keep_typed(self) -> None:
        """Hand what was typed to a question that keeps it when it is left without an answer."""
        typed = self._last + (self._first.kept if self._first is not None else "")
        if isinstance(self.question, AskText) and self.question.left is not None and typed != self.question.value:
            self.question.left(typed)

    def close(self) -> None:
        if self._input is not None:
            self.style.text_inputs.discard(self._input)
        if dpg.does_item_exist(self.window):
            dpg.delete_item(self.window)

    def _take_current(self) -> None:
        if isinstance(self.question, Confirm):
            self.reply(self.question.choices[self._current])
        else:
            self._answer()

    def _answer(self) -> None:
        """Answer with what was typed, or say why it is no answer."""
        self._refused = self._refusal()
        if not self._refused:
            self.reply(self._typed())
        elif self._input is not None:
            self._first = FirstKeys(self._input, several=self._several)  # Enter has taken the keyboard from the box

    def _refusal(self) -> str:
        refusal = self.question.refusal if isinstance(self.question, AskText) else None
        return refusal(self._typed()) if refusal is not None else ""

    def _typed(self) -> str:
        return self._first.text if self._first is not None else ""

    def _draw(self, pen: Pen) -> None:
        style, theme = self.style, self.style.theme
        left, y = style.size(20), style.size(26)
        for line in self._title:
            pen.text(left, y, line, theme.text, "title", 15.0)
            y += style.size(24)
        y += style.size(6)
        for line in self._lines:
            pen.text(left, y, line, theme.quiet)
            y += style.size(LINE)
        if self._refused:
            room = self.sheet.width - 2 * left
            pen.text(left, self._below_box, clean(self._refused, 200), theme.bad, size=SMALL + 0.5, room=room)
        choices = self._choices()
        if isinstance(self.question, AskText) and self.question.left is not None:
            pen.text(left, self.sheet.height - style.size(46 - 14), KEPT, theme.faint, size=SMALL + 0.5)
        for place, row in enumerate(self._rows):
            top = self.sheet.height - style.size(46 + 36 * (len(self._rows) - 1 - place))
            x = self.sheet.width - style.size(20)
            for number in reversed(row):
                moved = number == 0 != self._current
                label, key = choices[number], "" if moved else self._key(number)
                danger = isinstance(self.question, Confirm) and label in self.question.danger
                wide = pen.button_width(label, key)
                x -= wide
                hint = (
                    f"Chosen by {self._key(0)}" if number == 0 else BACK if label == "Cancel" else f"Answer “{label}”"
                )
                act, first = self._choosing(number, label), number == 0 and not danger and not moved
                pen.button(x, top, label, act, key=key, primary=first, danger=danger, hint=hint)
                if number == self._current != 0:
                    out = style.size(2)
                    low = top + style.size(28) + out
                    ring = Rect(x - out, top - out, x + wide + out, low, None, theme.accent, style.size(7), out)
                    pen.items.append(ring)
                x -= style.size(8)

    def _key(self, number: int) -> str:
        """The key that gives an answer."""
        done = "Ctrl+Enter" if self._several else "Enter"
        return done if number == 0 else "Esc" if self._choices()[number] == "Cancel" else ""

    def _choices(self) -> tuple[str, ...]:
        return self.question.choices if isinstance(self.question, Confirm) else (self.question.verb, "Cancel")

    def _choosing(self, number: int, label: str) -> Callable[[], None]:
        def act() -> None:
            if isinstance(self.question, Confirm):
                self.reply(label)
            elif number == 0:
                self._answer()
            else:
                self.reply(None)

        return act


__all__ = ["SentenceDialog", "WindowPrompter"]
