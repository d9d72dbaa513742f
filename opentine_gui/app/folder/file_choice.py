"""What is listed, typed and marked while files are chosen, and which files that means. Knows no window."""

from __future__ import annotations

import os
from pathlib import Path

from opentine_gui.app.folder.browse import FolderEntry, Listing, filter_entries, is_path, split_typed, typed_path
from opentine_gui.app.state.prompts import OpenFile, OpenFolder, SaveFile


class FileChoice:
    """The choice that answers a question for files, a folder or a name. `narrow` follows what is typed and listed."""

    def __init__(self, question: OpenFile | OpenFolder | SaveFile) -> None:
        self.question = question
        self.forms = dict(question.forms) if isinstance(question, SaveFile) else {}
        self.saving, self.folders_only = isinstance(question, SaveFile), isinstance(question, OpenFolder)
        self.folder = _existing(question.folder)
        self.base = self.folder
        """The folder whose entries are shown: the one that a typed path leads to, else `folder`."""
        self.listing = Listing(self.folder)
        self.shown: list[FolderEntry] = []
        self.current: int | None = None
        """The place in `shown` of the highlighted entry."""
        self.marked: set[str] = set()
        """Names of files that are chosen together."""
        self.text = question.name if isinstance(question, SaveFile) else ""
        self.edited = False
        self._form = _suffix(self.text) if _suffix(self.text) in self.forms else ""
        """The suffix that a name without one gets: that of the form named or pressed last."""

    @property
    def named_form(self) -> str | None:
        """The words of the form that the name has, or would get."""
        return self.forms.get(_suffix(self.text) or self._form)

    def entry(self, index: int | None) -> FolderEntry | None:
        """The entry at a place in `shown`, if there is one."""
        return self.shown[index] if index is not None and 0 <= index < len(self.shown) else None

    def path_of(self, entry: FolderEntry) -> Path:
        """The path of an entry that is shown."""
        return self.base / entry.name

    # --- what the user does ------------------------------------------------------------------------------------------

    def type(self, text: str) -> None:
        """Take over the text of the box."""
        self.text, self.edited = text, True
        self._form = _suffix(text) if _suffix(text) in self.forms else self._form

    def go(self, folder: Path) -> bool:
        """Go to another folder, which is then to be listed. True if the box gets another text."""
        self.folder = folder
        self.marked.clear()
        if not self.saving:
            self.text = ""
        elif is_path(self.text):
            self.text = Path(self.text).name
        else:
            return False
        return True

    def narrow(self) -> None:
        """Show the entries that match the text, of `base`: none while another folder is listed than that."""
        text = self.text if self.edited or not self.saving else ""
        self.base = self.folder
        if is_path(text):
            self.base, text = split_typed(text, self.folder)
        entries = self.listing.entries if self.listing.folder == self.base else ()
        self.shown = filter_entries(entries, text, folders_only=self.folders_only)
        if self.saving or (self.folders_only and not text):
            self.current = None  # a folder is the answer itself until one of those in it is chosen
        else:
            first_run = next((place for place, entry in enumerate(self.shown) if entry.is_run), None)
            self.current = (first_run if first_run is not None and not text else 0) if self.shown else None

    def move(self, by: int) -> None:
        """Highlight the entry so many places below; the first one if none is highlighted."""
        if self.shown:
            self.current = 0 if self.current is None else min(max(self.current + by, 0), len(self.shown) - 1)

    def complete(self, entry: FolderEntry) -> None:
        """Make the text the whole name of an entry, or its path if it is in another folder."""
        self.text = entry.name if self.base == self.folder else str(self.path_of(entry))

    def press(self, index: int, *, several: bool) -> bool:
        """Highlight an entry; with `several`, mark it beside others. True if the box gets another text."""
        entry = self.entry(index)
        if entry is None:
            return False
        self.current = index
        if self.saving and not entry.is_folder:
            self.text = entry.name
            return True
        if several and isinstance(self.question, OpenFile) and not entry.is_folder:
            self.marked.symmetric_difference_update({entry.name})
        else:
            self.marked.clear()
        return False

    def choose_form(self, suffix: str) -> None:
        """Give the name the suffix of a form; what is still a suggested name becomes that of the form."""
        self._form = suffix
        names = self._suggested()
        if self.text in names.values() and suffix in names:
            self.text = names[suffix]
            return
        self.text = f"{self.text[: len(self.text) - len(_suffix(self.text))]}{suffix}"

    def _suggested(self) -> dict[str, str]:
        """The names to suggest, by their suffix."""
        return {_suffix(name): name for name in self.question.names} if isinstance(self.question, SaveFile) else {}

    # --- what it means -----------------------------------------------------------------------------------------------

    def folder_to_enter(self) -> Path | None:
        """The folder that is typed or highlighted, which Enter opens; None where it confirms the choice."""
        entry, typed = self.entry(self.current), typed_path(self.text, self.folder)
        leads_to_folder = typed is not None and os.path.isdir(typed)
        if leads_to_folder and is_path(self.text):
            return typed
        if entry is not None and entry.is_folder and (not self.folders_only or self.text):
            return self.path_of(entry)
        return typed if leads_to_folder else None

    def chosen(self) -> tuple[Path, ...]:
        """The files that answer the question as things are; none while there is no such file."""
        if isinstance(self.question, SaveFile):
            typed = typed_path(self.text, self.folder)
            if typed is None or os.path.isdir(typed):
                return ()
            return (typed if _suffix(typed.name) else typed.with_name(f"{typed.name}{self._form}"),)
        entry = self.entry(self.current)
        if isinstance(self.question, OpenFolder):
            return (self.path_of(entry) if entry is not None else self.folder,)
        if self.marked:
            return tuple(self.path_of(entry) for entry in self.shown if entry.name in self.marked)
        if entry is not None and not entry.is_folder:
            return (self.path_of(entry),)
        typed = typed_path(self.text, self.folder)
        return (typed,) if typed is not None and os.path.isfile(typed) else ()

    def unknown_form(self, chosen: tuple[Path, ...]) -> str:
        """The suffix of a name that says none of the forms that can be written; "" if it says one, or none at all."""
        suffix = _suffix(chosen[0].name) if chosen and self.forms else ""
        return "" if suffix in self.forms else suffix

    def may_become_form(self, chosen: tuple[Path, ...]) -> bool:
        """Whether the suffix of a name is the beginning of one of the forms: perhaps it is still being typed."""
        suffix = self.unknown_form(chosen)
        return bool(suffix) and any(form.startswith(suffix) for form in self.forms)


def _suffix(name: str) -> str:
    """The suffix of a file name in small letters; "" without one. A number, as in "gpt-4.1", is not a suffix."""
    suffix = Path(name).suffix.lower()
    return "" if suffix[1:].isdigit() else suffix


def _existing(folder: Path) -> Path:
    """The folder, or its nearest ancestor that exists."""
    folder = folder.absolute()
    return next((path for path in [folder, *folder.parents] if os.path.isdir(path)), Path("/"))
