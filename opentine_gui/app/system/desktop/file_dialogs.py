"""File dialogs of the system: shown by a small program of the desktop, which is polled and never waited for.

Linux has zenity (and compatible programs) and kdialog, macOS osascript, Windows PowerShell. Questions are passed as
arguments or environment variables, never through a shell or in a script's text, for file names come from the outside.

The libraries for this (crossfiledialog, filedialpy) wait for the program, and cannot end it when the window closes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from opentine_gui.app.state.prompts import OpenFile, OpenFolder, SaveFile
from opentine_gui.app.system.desktop.outer_environment import outer_environment
from opentine_gui.importers.readers import suffixes

FileQuestion = OpenFile | OpenFolder | SaveFile
ZENITY_LIKE = ("zenity", "qarma", "matedialog")
BETWEEN_PATHS = "//"
"""The separator of two answers: no path a dialog returns has two slashes in a row, and each begins with one."""

CHOSEN, DECLINED = 0, 1
LONGEST_ANSWER = 16 * 1024 * 1024

_APPLE = """
on run words
  set {kind, said, place, suggested} to words
  set start to POSIX file place
  if kind is "OpenFile" then
    set found to choose file with prompt said default location start with multiple selections allowed
  else if kind is "OpenFolder" then
    set found to {choose folder with prompt said default location start}
  else
    set found to {choose file name with prompt said default location start default name suggested}
  end if
  set paths to {}
  repeat with one in found
    set end of paths to POSIX path of one
  end repeat
  set AppleScript's text item delimiters to "//"
  return paths as text
end run
"""
_WINDOWS = """
$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
Add-Type -AssemblyName System.Windows.Forms
$kind = $env:OPENTINE_GUI_ASK
if ($kind -eq 'OpenFolder') {
  $dialog = New-Object System.Windows.Forms.FolderBrowserDialog
  $dialog.Description = $env:OPENTINE_GUI_SAID
  $dialog.SelectedPath = $env:OPENTINE_GUI_PLACE
} else {
  if ($kind -eq 'OpenFile') { $dialog = New-Object System.Windows.Forms.OpenFileDialog; $dialog.Multiselect = $true }
  else {
    $dialog = New-Object System.Windows.Forms.SaveFileDialog
    $dialog.FileName = $env:OPENTINE_GUI_NAME
    $dialog.OverwritePrompt = $false
  }
  $dialog.Title = $env:OPENTINE_GUI_SAID
  $dialog.InitialDirectory = $env:OPENTINE_GUI_PLACE
}
if ($dialog.ShowDialog() -ne 'OK') { exit 1 }
if ($kind -eq 'OpenFolder') { [Console]::Out.Write($dialog.SelectedPath) }
else { [Console]::Out.Write(($dialog.FileNames -join '//')) }
"""


class Call(msgspec.Struct, frozen=True):
    """A program to start: its arguments, and additional environment variables."""

    words: tuple[str, ...]
    variables: Mapping[str, str] = msgspec.field(default_factory=dict)


def dialog_call(
    question: FileQuestion,
    environment: Mapping[str, str],
    *,
    platform: str = sys.platform,
    find: Callable[..., str | None] = shutil.which,
) -> Call | None:
    """The program that asks this question on this system; None where there is none. `find` looks programs up by name.

    zenity where the desktop is not KDE's, else kdialog first; either alone will do.
    """
    if isinstance(question, SaveFile):
        question = replace(question, title=question.spelled_out)
    kind, suggested = type(question).__name__, getattr(question, "name", "")
    if platform == "darwin":
        program = find("osascript", path=environment.get("PATH"))
        asked = (kind, question.title, str(question.folder), suggested)
        return None if program is None else Call((program, "-e", _APPLE, *asked))
    if platform == "win32":
        program = find("powershell", path=environment.get("PATH"))
        said = {"ASK": kind, "SAID": question.title, "PLACE": str(question.folder), "NAME": suggested}
        words = ("-NoLogo", "-NoProfile", "-NonInteractive", "-STA", "-Command", _WINDOWS)
        return None if program is None else Call((program, *words), {f"OPENTINE_GUI_{k}": v for k, v in said.items()})
    makers = [*((name, _zenity) for name in ZENITY_LIKE), ("kdialog", _kdialog)]
    if "KDE" in environment.get("XDG_CURRENT_DESKTOP", "").split(":"):
        makers.insert(0, makers.pop())
    for name, make in makers:
        program = find(name, path=environment.get("PATH", os.defpath))
        if program is not None:
            return Call((program, *make(question)))
    return None


def _zenity(question: FileQuestion) -> tuple[str, ...]:
    folder = str(question.folder).rstrip("/") + "/"
    words = ("--file-selection", f"--title={question.title}", f"--separator={BETWEEN_PATHS}")
    if isinstance(question, OpenFolder):
        return (*words, "--directory", f"--filename={folder}")
    if isinstance(question, SaveFile):
        return (*words, "--save", f"--filename={folder}{question.name}")
    patterns = " ".join(f"*{suffix}" for suffix in suffixes())
    return (
        *words,
        "--multiple",
        f"--filename={folder}",
        f"--file-filter=Runs ({patterns}) | {patterns}",
        "--file-filter=All files | *",
    )


def _kdialog(question: FileQuestion) -> tuple[str, ...]:
    folder = str(question.folder).rstrip("/") + "/"
    if isinstance(question, OpenFolder):
        return ("--title", question.title, "--getexistingdirectory", folder)
    if isinstance(question, SaveFile):
        return ("--title", question.title, "--getsavefilename", folder + question.name)
    return ("--title", question.title, "--multiple", "--separate-output", "--getopenfilename", folder)


def paths_in(answer: str) -> tuple[Path, ...]:
    """The absolute paths in a dialog's output, however it separates them; a line feed may be part of a name."""
    text = answer.removesuffix("\n")
    if not text.startswith("/"):  # Windows ends a line with both; elsewhere a carriage return may end a name
        text = text.removesuffix("\r")
    pieces = re.split(r"//(?=/|[A-Za-z]:[\\/])|\n(?=/(?!/))", text)
    return tuple(path for path in map(Path, pieces) if path.is_absolute())


class SystemDialog:
    """An open dialog of the system. `poll` it now and then; `close` removes it."""

    def __init__(self, call: Call, environment: Mapping[str, str]) -> None:
        """Start the program; OSError or ValueError if that fails."""
        self.answered = self.failed = False
        self.paths: tuple[Path, ...] = ()
        """The chosen paths; empty if the user declined."""
        self._said = bytearray()
        self._program = subprocess.Popen(
            call.words,
            env={**outer_environment(environment), **call.variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert self._program.stdout is not None
        self._pipe = self._program.stdout.fileno()
        self._can_wait = True
        try:
            os.set_blocking(self._pipe, False)
        except (OSError, AttributeError):  # Windows before Python 3.12: the output is read when the program has ended
            self._can_wait = False

    def poll(self) -> bool:
        """Read the output so far; True once the dialog is done: then `paths` and `failed` are set."""
        if self.answered:
            return True
        if self._can_wait:
            self._read()
        status = self._program.poll()
        if status is None:
            return False
        self._read()
        self.answered = True
        self.failed = status not in (CHOSEN, DECLINED)
        if status == CHOSEN:
            self.paths = paths_in(os.fsdecode(bytes(self._said)))
            self.failed = not self.paths
        self._let_go()
        return True

    def close(self) -> None:
        """End the program if it is still open."""
        if not self.answered:
            self.answered = True
            self._program.terminate()
            try:
                self._program.wait(1.0)
            except subprocess.TimeoutExpired:
                self._program.kill()
                self._program.wait()
            self._let_go()

    def _read(self) -> None:
        try:
            while len(self._said) < LONGEST_ANSWER:
                piece = os.read(self._pipe, 65536)
                if not piece:
                    return
                self._said += piece
        except BlockingIOError:
            return

    def _let_go(self) -> None:
        if self._program.stdout is not None:
            self._program.stdout.close()


def open_dialog(question: FileQuestion, environment: Mapping[str, str]) -> SystemDialog | None:
    """Open the dialog; None if the system has no program for it or it does not start."""
    call = dialog_call(question, environment)
    if call is None:
        return None
    try:
        return SystemDialog(call, environment)
    except (OSError, ValueError):
        return None
