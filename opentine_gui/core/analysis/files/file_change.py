"""What a tool call does to files: which it reads, and how it changes their text.

Recognised by the names of the arguments rather than by a list of tools, so that it works for any writer: Write, Edit,
MultiEdit, str_replace editors, apply_patch, search-and-replace blocks, unified diffs, and simple shell
commands. A change whose text is not in the call is `UNKNOWN`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from opentine_gui.core.analysis.files.patches import Hunk, Hunks, has_patch, patched_files
from opentine_gui.core.analysis.files.shell_files import shell_uses
from opentine_gui.core.analysis.tool_call import ToolCall

PATHS = (
    "file_path", "filePath", "path", "absolute_path", "notebook_path", "filename", "file", "target_file", "TargetFile",
    "relative_workspace_path", "abs_path", "filepath",
)  # fmt: skip
OLD = ("old_string", "oldString", "old_str", "oldText", "old_text", "search", "find")
NEW = ("new_string", "newString", "new_str", "newText", "new_text", "replace", "replacement")
WHOLE = ("content", "contents", "file_text", "text", "new_content", "code", "data", "body")
COMMANDS = ("command", "cmd", "script", "bash_command", "commands", "")
PATCHES = ("input", "patch", "diff", "patchText", "patch_text", "")
FOLDERS = ("workdir", "cwd", "working_directory", "work_dir")
_READS = re.compile(r"read|view|open|cat\b|get_?file|show", re.IGNORECASE)
_WRITES = re.compile(r"write|create|save|put_?file|add_?file", re.IGNORECASE)
_DELETES = re.compile(r"delete|remove|unlink", re.IGNORECASE)
_CHANGES = re.compile(r"edit|replace|patch|insert|update|modify|apply|notebook", re.IGNORECASE)
_SHELLS = re.compile(r"bash|shell|exec|terminal|command|run|console", re.IGNORECASE)
_BEGINS, _PARTS, _ENDS = (re.compile(rule) for rule in (r"<{5} SEARCH>?$", r"={5,}$", r">{5,} REPLACE"))
"""The lines of a search-and-replace block."""
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_OF_THE_OPEN_FILE = frozenset(["open", "create", "edit", "insert"])
"""Tools of an editor that keeps a file open, SWE-agent's: all but the first two name none."""
_SHOWN_FILE = re.compile(r"^\[File: (\S.*) \([\d,]+ lines total\)\][ \t\r]*$", re.MULTILINE)
"""The heading over the lines that this editor shows after each of its calls."""
_EDITED_LINES = re.compile(r"edit[ \t]+(\d{1,9}):(\d{1,9})[ \t]*\r?\n(.*)", re.DOTALL)
LONGEST_HEADING = 20_000
"""Characters of an answer in which the heading is searched for."""


class Whole(NamedTuple):
    """The whole file is replaced by `text`."""

    text: str


class Replace(NamedTuple):
    """`old` becomes `new`: where it occurs once, or, with `everywhere`, wherever it occurs."""

    old: str
    new: str
    everywhere: bool = False


class Insert(NamedTuple):
    """`text` is put after line `line`, counted from 1; 0 is before the first."""

    line: int
    text: str


class Lines(NamedTuple):
    """The lines `first` to `last`, counted from 1, become `text`; what they were is not in the call."""

    first: int
    last: int
    text: str


class Plain(NamedTuple):
    """A change without a text: "deleted", or "unknown" where the call does not hold what was written."""

    word: str


DELETED, UNKNOWN = Plain("deleted"), Plain("unknown")
Change = Whole | Replace | Insert | Lines | Hunks | Plain


class FileUse(NamedTuple):
    """A file in a call: read if there are no `changes`, else changed. `whole`: read from the first line to the last."""

    path: str
    changes: tuple[Change, ...] = ()
    whole: bool = False
    moved_to: str = ""


def file_uses(call: ToolCall) -> list[FileUse]:
    """The files that a call works on, in the order it names them; [] for any other call."""
    folder = call.text(*FOLDERS) or ""
    return [
        use._replace(
            path=normal_path(use.path, folder), moved_to=normal_path(use.moved_to, folder) if use.moved_to else ""
        )
        for use in _uses(call)
        if use.path.strip()
    ]


def normal_path(path: str, folder: str = "") -> str:
    """A path with forward slashes and without `.` and `..`, joined to `folder` if it is relative and that is known."""
    path = path.strip()
    if _DRIVE.match(path):
        path = path.replace("\\", "/")
    elif folder and not path.startswith(("/", "~")):
        path = posixpath.join(folder, path)
    return posixpath.normpath(path) if path else ""


def _uses(call: ToolCall) -> Iterator[FileUse]:
    command = _command(call)
    patch = call.text(*PATCHES)
    if patch is not None and has_patch(patch):
        yield from _of_patch(patch, call.text(*PATHS))
        return
    if command and has_patch(command) and ("apply_patch" in command or "applypatch" in command):
        yield from _of_patch(command, None)
        return
    path = call.text(*PATHS)
    if path is None:
        if (tool := _editor_tool(call, command)) in _OF_THE_OPEN_FILE:
            yield from _of_open_file(call, tool, command)
        elif command and (_SHELLS.search(call.name) or "" not in call.arguments):
            for name, what, text in shell_uses(command):
                yield FileUse(name, _of_shell(what, text))
        else:
            yield from _many_reads(call)
        return
    yield from _of_path(call, path)


def _editor_tool(call: ToolCall, command: str) -> str:
    """The tool of an editor that keeps a file open, by the name of the call or the first word of a command line."""
    first = command.split(None, 1)[:1] if _SHELLS.search(call.name) else ()
    return first[0] if first else call.name.lower()


def _of_open_file(call: ToolCall, tool: str, command: str) -> Iterator[FileUse]:
    """The file that is open after a call of such an editor: its answer names it over the lines that it shows.

    A command line is never read as one of a shell here: what follows its first line is the text of a file.
    """
    shown = _SHOWN_FILE.search(call.answer()[:LONGEST_HEADING])
    if shown is None:
        return
    changes: tuple[Change, ...] = (UNKNOWN,)
    if tool == "open":
        changes = ()
    elif lines := _EDITED_LINES.match(command):
        text = lines[3].rstrip().removesuffix("end_of_edit").removesuffix("\n")
        changes = (Lines(int(lines[1]), int(lines[2]), text),)
    elif tool == "edit":
        found = _replacement(call.arguments)
        changes = (UNKNOWN if found is None or isinstance(found, Whole) else found,)
    elif tool == "insert" and (text := call.text("text")) is not None:
        line = call.arguments.get("line")
        at_end = Hunks((Hunk((), tuple(text.removesuffix("\n").split("\n"))),))
        changes = (Insert(line, text) if isinstance(line, int) else at_end,)
    yield FileUse(shown[1], changes)


def _of_shell(what: str, text: str) -> tuple[Change, ...]:
    if what == "read":
        return ()
    if what == "write":
        return (Whole(text),)
    return (DELETED if what == "delete" else UNKNOWN,)


def _of_path(call: ToolCall, path: str) -> Iterator[FileUse]:
    name = call.name
    verb = call.text("command", "action", "operation") or ""  # the str_replace editors say here what they do
    changes = tuple(_edits(call))
    if changes:
        yield FileUse(path, changes)
    elif verb in ("view", "read") or (not verb and _READS.search(name) and not _WRITES.search(name)):
        yield FileUse(path, (), whole=_is_whole(call))
    elif verb == "undo_edit":
        yield FileUse(path, (UNKNOWN,))
    elif verb in ("delete", "remove") or _DELETES.search(name):
        yield FileUse(path, (DELETED,))
    elif verb in ("create", "write") or _WRITES.search(name) or _CHANGES.search(name):
        text = call.text(*WHOLE)
        notebook = "notebook" in name.lower() or "new_source" in call.arguments
        yield FileUse(path, (UNKNOWN if text is None or notebook or "append" in name.lower() else Whole(text),))


def _edits(call: ToolCall) -> Iterator[Change]:
    listed = call.arguments.get("edits", call.arguments.get("changes"))
    one = _replacement(call.arguments)
    if one is not None:
        yield one
    elif isinstance(listed, list) and listed:
        for edit in listed:
            found = _replacement(edit) if isinstance(edit, dict) else None
            yield UNKNOWN if found is None else found
    elif isinstance(line := call.arguments.get("insert_line"), int):
        text = call.text("insert_text", "new_str", "text", "content")
        yield UNKNOWN if text is None or isinstance(line, bool) else Insert(line, text)
    else:
        for old, new in _blocks(call.text("diff", "content", "edit") or ""):
            yield Replace(old, new) if old else UNKNOWN


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The (old, new) texts of search-and-replace blocks; a block without an end is ignored."""
    old: list[str] | None = None
    new: list[str] | None = None
    for line in text.split("\n") if "SEARCH" in text else ():
        if old is None:
            old = [] if _BEGINS.search(line) else None
        elif new is None:
            if _PARTS.match(line):
                new = []
            else:
                old.append(line)
        elif _ENDS.match(line):
            yield "\n".join(old), "\n".join(new)
            old = new = None
        else:
            new.append(line)


def _replacement(source: dict[str, Any]) -> Replace | Whole | None:
    old = next((source[key] for key in OLD if isinstance(source.get(key), str)), None)
    new = next((source[key] for key in NEW if isinstance(source.get(key), str)), None)
    if old is None or (new is None and not any(key in source for key in ("old_str", "old_string"))):
        return None
    if not old:  # with an empty search, editors create the file
        return Whole(new or "")
    everywhere = any(source.get(key) is True for key in ("replace_all", "replaceAll", "replace-all", "all"))
    return Replace(old, new or "", everywhere)


def _is_whole(call: ToolCall) -> bool:
    parts = ("offset", "limit", "view_range", "start_line", "end_line", "line_start", "line_end", "pages", "ranges")
    return all(call.arguments.get(key) in (None, 0, "") for key in parts)


def _of_patch(text: str, path: str | None) -> Iterator[FileUse]:
    for part in patched_files(text):
        change: Change = DELETED if part.deleted else Whole(part.added) if part.added is not None else part.hunks
        name = part.path or path or ""
        if part.moved_to:
            yield FileUse(name, (change,), moved_to=part.moved_to)
        else:
            yield FileUse(name, (change,))


def _many_reads(call: ToolCall) -> Iterator[FileUse]:
    if not _READS.search(call.name):
        return
    for key in ("paths", "file_paths", "files", "filenames"):
        found = call.arguments.get(key)
        if isinstance(found, list):
            for item in found:
                name = item.get("path") if isinstance(item, dict) else item
                if isinstance(name, str):
                    yield FileUse(name)


def _command(call: ToolCall) -> str:
    """The command line of a shell call; a list of words is joined, a leading `bash -lc` left out."""
    for key in COMMANDS:
        found = call.arguments.get(key)
        if isinstance(found, str) and found.strip():
            return found
        if isinstance(found, list) and found and all(isinstance(word, str) for word in found):
            return found[-1] if len(found) == 3 and found[1].startswith("-") else " ".join(found)
    return ""


def command_of(call: ToolCall) -> str:
    """The command line that a call runs in a shell; "" for any other call."""
    return _command(call) if _SHELLS.search(call.name) or "command" in call.arguments else ""
