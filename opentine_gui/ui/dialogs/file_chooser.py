"""The file chooser: a folder's entries, its parent folders, and a box for a filter, a name or a whole path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.folder.browse import Listing, breadcrumbs, list_folder
from opentine_gui.app.folder.file_choice import FileChoice
from opentine_gui.app.session import Session
from opentine_gui.app.state.prompts import Answer, OpenFile, OpenFolder, SaveFile
from opentine_gui.describe.numbers import format_bytes, format_time
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.dialogs.modal_window import modal_window
from opentine_gui.ui.dialogs.save_options import SaveOptions
from opentine_gui.ui.input.first_keys import FirstKeys
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import explain

WIDTH, HEIGHT = 760.0, 560.0
HEAD, FOOT, BOX = 76.0, 58.0, 34.0
_JOB = "folder"
PAD = 16.0
ROW_INSET = 12.0
"""Design pixels from the edge of a list to what its rows say."""


class FileChooser:
    """Answers with paths, or None. When opening, Ctrl or Shift and a click choose several files."""

    def __init__(
        self,
        session: Session,
        style: Style,
        question: OpenFile | OpenFolder | SaveFile,
        reply: Callable[[Answer | None], None],
        size: tuple[float, float],
    ) -> None:
        self.session, self.style, self.question, self.reply = session, style, question, reply
        self.choice = FileChoice(question)
        self.hidden = False
        """Whether hidden files are listed."""
        self._had_text = bool(self.choice.text)
        self._revision = self._frames = 0
        self._refused: str | None = None
        """The name that Enter did not take."""
        self._reading: tuple[Path, bool] | None = None
        """The folder that is being listed, and whether with its hidden files."""
        self._width = min(style.size(WIDTH), size[0] - 40)
        self._height = min(style.size(HEIGHT), size[1] - 60)
        room = self._width - 2 * style.size(PAD)
        self.options = SaveOptions(style, self.choice, room, self.choose_form)
        self._head = style.size(HEAD) + self.options.height
        self.window = modal_window(style, "FileChooser", size, self._width, self._height, 0.4)
        self.head = Sheet(self.window, style)
        self.rows = RowList(self.window, style, row_height=26.0, on_click=self._click, on_double=self._double)
        self.foot = Sheet(self.window, style)
        self._input = 0
        self._lay_out()
        self._make_input()
        self._list(self.choice.folder)

    # --- the dialog ------------------------------------------------------------------------------------------------

    def sync(self, pointer: Pointer) -> None:
        """Update the dialog; called once a frame."""
        self._frames += 1
        self._first.sync()
        key = (
            self._revision,
            self.choice.text,
            self.choice.current,
            self.options.chosen_scope(),
            len(self.choice.marked),
            self.hidden,
            self._frames == 1,
        )
        self.head.sync(pointer, key, self._draw_head)
        self.rows.set_rows(len(self.choice.shown), self._row, key)
        self.rows.sync(pointer)
        self.foot.sync(pointer, key, self._draw_foot)

    def close(self) -> None:
        """Remove the dialog from the window."""
        self.session.jobs.cancel(_JOB)
        self.style.text_inputs.discard(self._input)
        if dpg.does_item_exist(self.window):
            dpg.delete_item(self.window)

    def _lay_out(self) -> None:
        style, width, height = self.style, self._width - 2, self._height - 2
        head, foot, box = self._head, style.size(FOOT), style.size(BOX)
        self.head.place(1, 1, width, head)
        inset = style.size(PAD - ROW_INSET)  # names stand under the box, not beside it
        self.rows.place(1 + inset, 1 + head + box, width - 2 * inset, max(height - head - foot - box, 30))
        self.foot.place(1, 1 + height - foot, width, foot)

    def _make_input(self) -> None:
        # A focused text box ignores a new value: create a new one and give it the keyboard.
        if self._input:
            self.style.text_inputs.discard(self._input)
            dpg.delete_item(self._input)
        pad = self.style.whole(PAD)
        hint = "File name" if self.choice.saving else "Type to find, or a path"
        self._input = int(
            dpg.add_input_text(
                parent=self.window,
                default_value=self.choice.text,
                hint=hint,
                pos=[pad, int(self._head)],
                width=int(self._width) - 2 * pad,
                callback=self._typed,
                auto_select_all=True,
            )
        )
        explain(self.style, self._input, f"{hint}. Tab completes it, Alt+Up goes to the folder above")
        self.style.text_inputs.add(self._input)
        self._first = FirstKeys(self._input)

    # --- folders ---------------------------------------------------------------------------------------------------

    def go(self, folder: Path) -> None:
        """List another folder."""
        if self.choice.go(folder):
            self._make_input()
        self._list(folder)

    def _list(self, folder: Path) -> None:
        hidden = self.hidden
        if self._reading == (folder, hidden):
            return
        self._reading = folder, hidden
        self._revision += 1

        def done(listing: Listing) -> None:
            self._reading = None
            self.choice.listing = listing
            self._narrow()

        self.session.jobs.submit(
            _JOB,
            lambda _progress, _cancelled: list_folder(folder, hidden=hidden),
            done,
            title=f"Listing {folder.name}",
            stopped=lambda: done(
                Listing(folder, problem="Listing this folder was stopped. Type a path, or go there again.")
            ),
        )

    def _narrow(self) -> None:
        """Show the entries that match the typed text, in the folder that a typed path leads to."""
        choice = self.choice
        choice.narrow()
        if choice.listing.folder != choice.base:
            self._list(choice.base)
        self._revision += 1

    # --- input -------------------------------------------------------------------------------------------------------

    def _typed(self, _sender: Any, text: str, _user: Any) -> None:
        self.choice.type(text)
        self._narrow()

    def handle_key(self, chord: str) -> None:
        """Handle a key: arrows, Enter, Esc, Tab to complete, Alt+Up for the parent folder."""
        if chord == "Esc":
            self.reply(None)
        elif chord == "Enter":
            if self._first.kept:
                self._typed(None, self._first.text, None)
            self._enter()
        elif chord in ("Down", "Up"):
            self._move(1 if chord == "Down" else -1)
        elif chord in ("PageDown", "PageUp"):
            self._move((self.rows.page - 1) * (1 if chord == "PageDown" else -1))
        elif chord == "Tab":
            self._complete()
        elif chord == "Alt+Up" or (chord == "Backspace" and not self._had_text and not self.choice.saving):
            self.go(self.choice.folder.parent)
        else:
            self._first.catch(chord)
        self._had_text = bool(self.choice.text)

    def _move(self, by: int) -> None:
        self.choice.move(by)
        if self.choice.current is not None:
            self.rows.reveal(self.choice.current)
        self._revision += 1

    def _complete(self) -> None:
        """Handle Tab: complete the highlighted name; enter it if it is a folder."""
        entry = self.choice.entry(self.choice.current or 0)
        if entry is None:
            return
        if entry.is_folder:
            self.go(self.choice.path_of(entry))
        else:
            self.choice.complete(entry)
            self._make_input()
            self._narrow()

    def _click(self, index: int, event: InputEvent) -> None:
        several = dpg.is_key_down(dpg.mvKey_LControl) or dpg.is_key_down(dpg.mvKey_LShift)
        if self.choice.press(index, several=several):
            self._make_input()
        self._revision += 1

    def _double(self, index: int) -> None:
        entry = self.choice.entry(index)
        if entry is None:
            return
        if entry.is_folder:
            self.go(self.choice.path_of(entry))
        elif not self.choice.folders_only:
            self.reply((self.choice.path_of(entry),))

    def _enter(self) -> None:
        """Handle Enter: open the folder that is typed or highlighted, else confirm the choice."""
        folder = self.choice.folder_to_enter()
        if folder is not None:
            self.go(folder)
        else:
            self.confirm()

    def confirm(self) -> None:
        """Answer the question with the chosen files; does nothing while there are none, or none of a known form."""
        paths = self.choice.chosen()
        if paths and not self.choice.unknown_form(paths):
            scope = self.options.chosen_scope()
            if scope and isinstance(self.question, SaveFile) and self.question.scoped is not None:
                self.question.scoped(scope)
            self.reply(paths)
        else:
            self._refused = self.choice.text
            self._revision += 1
            self._first.again()

    def choose_form(self, suffix: str) -> None:
        """Give the name the suffix of a form."""
        self.choice.choose_form(suffix)
        self._make_input()
        self._revision += 1

    # --- drawing ---------------------------------------------------------------------------------------------------

    def _draw_head(self, pen: Pen) -> None:
        style, theme = self.style, self.style.theme
        left, width = style.size(PAD), float(self.head.width)
        pen.text(left, style.size(24), clean(self.question.title, 120), theme.text, "title", 15.0)
        x = width - left
        for label, folder in reversed(self._places()):
            start = x - style.width(label, "text", style.size(13))
            pen.link(start, style.size(24), label, lambda path=folder: self.go(path), hint=clean(str(folder), 300))  # type: ignore[misc]
            x = start - style.size(16)
        self.options.draw(pen, left, style.size(HEAD - 36))
        crumbs = breadcrumbs(self.choice.folder)
        names = [(clean(name, 60), path) for name, path in crumbs]
        room = width - 2 * left
        separator = style.width(" / ", "text", style.size(13))
        while len(names) > 1 and sum(style.width(n, "text", style.size(13)) + separator for n, _ in names) > room:
            names = names[1:]
        x, middle = left, self._head - style.size(HEAD - 54)
        for number, (name, path) in enumerate(names):
            last = number == len(names) - 1
            color = theme.text if last else theme.quiet
            x = pen.link(x, middle, name, lambda to=path: self.go(to), color=color, room=room)  # type: ignore[misc]
            if not last and name != "/":
                x = pen.text(x + style.size(4), middle, "/", theme.faint)
            x += style.size(4)

    def _places(self) -> list[tuple[str, Path]]:
        places = [("Home", Path.home())]
        runs = self.session.runs.folder
        if runs is not None:
            places.append(("Runs", runs))
        last = self.session.settings.last_folder
        if last and Path(last) not in [path for _, path in places]:
            places.append(("Last", Path(last)))
        places.append(("Up", self.choice.folder.parent))
        return places

    def _row(self, index: int) -> Row:
        entry, theme = self.choice.entry(index), self.style.theme
        if entry is None:
            return Row(())
        name = clean(entry.name, 255)
        when = format_time(entry.changed, date=True)[:16] if entry.changed else ""
        size = "" if entry.is_folder else format_bytes(entry.size)
        right = (Span(f"{size:>8}", theme.quiet, "mono"), Span(f"{when:>16}", theme.faint, "mono"))
        usable = entry.is_run or entry.is_folder
        color = theme.text if usable else theme.faint
        dot = theme.faint if entry.is_folder else theme.accent if entry.is_run else theme.hairline
        label = f"{name}/" if entry.is_folder else name
        selected = index == self.choice.current or entry.name in self.choice.marked
        return Row((Span(label, color, middle=True),), right, dot=dot, selected=selected)

    def _draw_foot(self, pen: Pen) -> None:
        style, theme = self.style, self.style.theme
        left, top = style.size(PAD), style.size(15)
        pen.rule(0, 0, self.foot.width)
        verb = "Open" if isinstance(self.question, OpenFile) else self.question.verb
        inside = self.choice.entry(self.choice.current) if self.choice.folders_only else None
        if inside is not None:
            name = f"{clean(inside.name, 24)}/"
            verb = verb.replace("this folder", name).replace("here", f"{'in' if verb == 'Keep here' else 'to'} {name}")
        count = len(self.choice.marked)
        label = f"{verb} {count} files" if count > 1 else verb
        chosen = self.choice.chosen()
        x = self.foot.width - left - pen.button_width(label, "Enter")
        reason = None if chosen else "Choose a file first" if not self.choice.saving else "Type a file name first"
        hint = clean(", ".join(map(str, chosen)), 400)
        if self.choice.unknown_form(chosen):
            reason = "Choose a format first"
        pen.button(x, top, label, self.confirm, key="Enter", primary=True, reason=reason, hint=hint)
        x -= style.size(8) + pen.button_width("Cancel", "Esc")
        pen.button(x, top, "Cancel", lambda: self.reply(None), key="Esc", hint="Go back without changing anything")
        words, color = self._sentence(chosen)
        room = x - style.size(16) - left
        pen.text(left, style.size(29), words, color, size=SMALL + 0.5, room=room)
        box = "Hide hidden files" if self.hidden else "Show hidden files"
        if not words:
            pen.link(left, style.size(29), box, self._toggle_hidden, color=theme.quiet)

    def _sentence(self, chosen: tuple[Path, ...]) -> tuple[str, tuple[int, int, int, int]]:
        choice, theme = self.choice, self.style.theme
        if choice.listing.problem:
            return clean(choice.listing.problem, 300), theme.bad
        unknown = choice.unknown_form(chosen)
        if unknown and (self._refused == self.choice.text or not choice.may_become_form(chosen)):
            return f"{clean(unknown, 20)} is not an export format; choose one above", theme.bad
        if choice.saving and chosen and any(entry.name == chosen[0].name for entry in choice.listing.entries):
            return f"{clean(chosen[0].name, 80)} exists; you will be asked before it is replaced", theme.human
        if self._reading is not None:
            return f"Listing {clean(self._reading[0].name, 80) or self._reading[0]}…", theme.quiet
        if not choice.shown:
            return ("Nothing here has that name" if choice.text and not choice.saving else ""), theme.quiet
        if choice.listing.left_out:
            return f"{choice.listing.left_out:,} more names are not listed", theme.quiet
        return "", theme.quiet

    def _toggle_hidden(self) -> None:
        self.hidden = not self.hidden
        self._list(self.choice.folder)
