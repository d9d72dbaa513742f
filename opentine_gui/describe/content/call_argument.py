"""The one argument of a tool call that a title shows: a query, a path, a command, the files of a patch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opentine_gui.describe.payload_text import has_text, scalar, size_of, some
from opentine_gui.scene.text.clean import clean

MAIN_ARGUMENTS = (
    "query", "q", "question", "pattern", "url", "uri", "path", "file_path", "file", "filename", "command", "cmd",
    "code", "expression", "prompt", "text", "message", "title", "topic", "name", "id", "key",
)  # fmt: skip
"""The names of the arguments that say what a call does, the one that says most first."""
_COMMANDS = ("command", "cmd")
_SCRIPT_OPTIONS = ("-c", "-lc")
_MOST_WORDS, _LONGEST_WORD = 50, 500
"""Most words of a command given as a list, and most characters of each, that a title is made from."""
_CHANGE_OF_FOLDER = re.compile(
    r"""\s{0,9}cd (?:"[^"\n]{1,400}"|'[^'\n]{1,400}'|[^\s;&|"']{4,400}) {0,9}(&&|;|\n)\s{0,9}(?=\S)"""
)
_SETTING = re.compile(
    r"""\s{0,9}(?:(?:export\ )?[A-Za-z_]\w{0,60}=
    (?:"[^"\n`$]{0,400}"|'[^'\n]{0,400}'|\$\([^()\n]{0,400}\)|[^\s;&|"'`$()<>]{0,400})
    (?:\ {0,9}(?:&&|;|\n)\s{0,9}|\ {1,9})){1,9}(?=[^\s=])""",
    re.VERBOSE,
)
"""Variables that are set before the command itself."""
_FAR_PATH = re.compile(r"(?<![\w./@+~:\\-])~?(?:/[\w.@+~-]++){5,}+/?")
"""An absolute path of more than four folders in a command."""
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://(?:www\.)?", re.IGNORECASE)
_FILE_ARGUMENTS = ("path", "file_path", "file", "filename")
_PATCH = re.compile(r"(\s{0,9}apply_?patch\b[^\n]{0,99}?\s)?\s{0,9}\*\*\* Begin Patch\s*\n")
"""The beginning of a patch, alone or passed to a command."""
_PATCHED_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,400})$", re.MULTILINE)
_MOST_OF_A_PATCH = 20_000
"""Most characters of a patch that are searched for file names."""
_BLANK = re.compile(r"\s")
_DEEP_PATH = re.compile(r"(?:/|~/|[A-Za-z]:[\\/])[^\s/\\]+(?:[/\\][^/\\\n]+){2,}[/\\]?$")
"""An absolute path of more than two folders."""


def main_argument(arguments: Any) -> str:
    """Return the argument that says most about a call, cleaned, in at most 92 characters; "" for none.

    `arguments` is an object, the JSON text of one, a list or one text. A query or a command comes in quotes, an
    address without its scheme, a path by its end, a patch by its files; several arguments without a known name by
    the first text, or else "key=value".
    """
    if isinstance(arguments, str):
        arguments = _parsed(arguments)
    if isinstance(arguments, Sequence) and not isinstance(arguments, str) and arguments:
        arguments = arguments[0]
    if isinstance(arguments, str):
        return _argument(arguments)
    if not isinstance(arguments, Mapping) or not arguments:
        return "" if isinstance(arguments, (Mapping, Sequence)) or arguments is None else scalar(arguments)
    for key in MAIN_ARGUMENTS:
        found = arguments.get(key)
        if found is None:
            continue
        if key in _COMMANDS and isinstance(found, list) and _is_command(found):
            return _argument(" ".join(_without_shell(found)))
        if has_text(found):
            return _argument(found, names_a_file=key in _FILE_ARGUMENTS)
    for found in some(arguments.values()):
        if has_text(found):
            return _argument(found)
    key, found = next(iter(arguments.items()))
    if isinstance(found, (Mapping, Sequence)):
        return f"{clean(str(key), 24)}: {size_of(found)}"
    return f"{clean(str(key), 24)}={scalar(found)}"


def _is_command(words: list[Any]) -> bool:
    return bool(words) and all(isinstance(word, str) for word in words[:_MOST_WORDS])


def _without_shell(words: list[str]) -> list[str]:
    """The words of a command; for a shell with a script, as in `bash -lc`, the script."""
    said = [word[: _MOST_OF_A_PATCH if _PATCH.match(word) else _LONGEST_WORD] for word in words[:_MOST_WORDS]]
    return said[2:] if len(said) > 2 and said[1] in _SCRIPT_OPTIONS else said


def _parsed(text: str) -> Any:
    """Parse arguments that were stored as the JSON text the model wrote."""
    if len(text) < 20_000 and text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _argument(text: str, names_a_file: bool = False) -> str:
    """Return an address without its scheme, the end of a path, a patch's files, or any other text in quotes."""
    # A path may contain blanks; if nothing says that a text is one, "/bin/cat a b/c" is a command.
    if _DEEP_PATH.match(text) and (names_a_file or not _BLANK.search(text)):
        return _end_of_path(text)
    patch = _PATCH.match(text)
    if patch:  # its first line is the same for all patches
        files = ", ".join(dict.fromkeys(_patched_files(text[patch.end() : patch.end() + _MOST_OF_A_PATCH])))
        if files:
            return clean(f'"apply_patch {files}"' if patch[1] else files, 90)
        if patch[1]:
            return '"apply_patch, no file"'
    set_before = _SETTING.match(text)
    text = f"… {text[set_before.end() :][:_LONGEST_WORD]}" if set_before else text
    moved = _CHANGE_OF_FOLDER.match(text)
    if moved:  # many commands begin by changing to the same folder, and the command itself would be cut off
        text = f"cd … {moved[1].strip() or ';'} {text[moved.end() : moved.end() + _LONGEST_WORD]}"
    if _BLANK.search(text[:90]):  # long paths would leave no room for what the command does
        text = _FAR_PATH.sub(lambda found: _end_of_path(found[0]), text[:_LONGEST_WORD])
    text = clean(text, 90)
    scheme = _SCHEME.match(text)
    bare = text[scheme.end() :] if scheme else text
    if scheme or (" " not in text and "/" in text):
        return bare
    return f'"{text}"'


def _end_of_path(path: str) -> str:
    """The last folder and the name: the first folders are the same for most paths of a run."""
    return clean("…/" + "/".join(re.split(r"[/\\]", path.rstrip("/\\"))[-2:]), 90)


def _patched_files(patch: str) -> Iterator[str]:
    for found in _PATCHED_FILE.finditer(patch):
        path = found[1].strip()
        yield _end_of_path(path) if _DEEP_PATH.match(path) else path
