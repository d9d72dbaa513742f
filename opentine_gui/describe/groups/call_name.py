"""What a call in a group did, in a few words: a verb and what it was about, never a bare file name or pattern."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from opentine_gui.core import Graph, TineError
from opentine_gui.core.graph.calls.call_roles import Call, Role, call_in, call_of, plain_command
from opentine_gui.describe.content.call_argument import main_argument
from opentine_gui.describe.groups.delegated import arguments_of
from opentine_gui.describe.payload_text import first_sentence, first_text, has_text
from opentine_gui.describe.step_titles import by_person, title

VERBS = {
    Role.LOOK: "Read",
    Role.EDIT: "Edit",
    Role.RUN: "Run",
    Role.TEST: "Test",
    Role.SAVE: "Save",
    Role.PLAN: "Plan",
    Role.DELEGATE: "Delegate",
    Role.ASK: "Ask",
}
_SHELL_VERBS = {
    "rm": "Delete", "rmdir": "Delete", "remove-item": "Delete", "mkdir": "Create", "touch": "Create",
    "new-item": "Create", "mv": "Move", "cp": "Copy", "ls": "List", "tree": "List", "find": "List", "fd": "List",
    "get-childitem": "List", "search_dir": "Search", "search_file": "Search", "grep": "Search", "egrep": "Search",
    "rg": "Search", "ag": "Search", "select-string": "Search",
}  # fmt: skip
_SOUGHT = ("pattern", "query", "regex", "q")
_SEARCHING = ("grep", "search", "glob", "find", "lookup")
_GIVEN = ("description", "message", "prompt", "task", "summary")
_LINES = re.compile(r"edit (\d{1,7}):(\d{1,7})$")
"""An edit by SWE-agent: it names lines of the open file, but not the file."""
_OPEN_FILE = re.compile(r"\[File: (?:[^\]\n]{0,400}[/\\])?([^\]/\\\n]{1,120}) \(\d{1,9} lines total\)\]")
_SERVER_OF_TOOL = "mcp__"
_LONGEST = 60

_COUNTED = re.compile(r"-[a-zA-Z]*[ABCm]|--(?:(?:after-|before-)?context|max-count|max-depth)")
"""Options of searching programs that a number follows, and those that another value follows."""
_VALUED = frozenset(
    ["-t", "-T", "-g", "-f", "-d", "--type", "--type-not", "--glob", "--iglob", "--file", "--include", "--exclude"]
)
_VALUE = re.compile(r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"]+)\s*")


def call_name(graph: Graph, step: int, *, plain: bool = False) -> str:
    """What a call did: "Edit main.py", "Search “wrap”", "List src"; "" if nothing is known of it.

    `plain` leaves out what may differ between repeated calls: what was sought, and further arguments.
    """
    try:
        found = graph.step(step)
    except TineError:
        return _plain(call_in(graph.raws[step]), {})
    call, given = call_of(found.inputs, found.tool_info), arguments_of(found)
    if by_person(found) and not plain:
        return title(found)
    if plain:
        given = {}
    lines = _LINES.fullmatch(call.about)
    if lines:
        return _edited_lines(lines, "" if plain else first_text(found.outputs))
    return _of_command(call, plain) if call.command else _plain(call, given)


def _edited_lines(lines: re.Match[str], printed: str) -> str:
    """ "Edit fields.py" if the answer `printed` names the file, else "Edit lines 287–295"."""
    file = _OPEN_FILE.search(printed[:4_000])
    if file:
        return f"{VERBS[Role.EDIT]} {file[1]}"
    return f"{VERBS[Role.EDIT]} line {lines[1]}" if lines[1] == lines[2] else f"Edit lines {lines[1]}–{lines[2]}"


def _of_command(call: Call, plain: bool) -> str:
    words = plain_command(call.command)
    name = words[0].rsplit("/", 1)[-1] if words else ""
    about = _without_folders(call.about)
    verb = _SHELL_VERBS.get(name, _SHELL_VERBS.get(name.lower(), ""))
    if verb == "Search" and not plain:
        sought = _sought(call.command[call.command.find(words[0]) + len(words[0]) :])
        return f"Search {sought}" if sought else about
    if call.role not in (Role.LOOK, Role.EDIT) or not about:
        return about
    if about == name or about.startswith(f"{name} "):  # no file was named: the command says it
        rest = about[len(name) + 1 :]
        return f"{verb} {rest}" if verb and rest else about
    return f"{verb or VERBS[call.role]} {about}"


def _without_folders(about: str) -> str:
    """A command's first words with only the end of a deep path: "ls …/review-*.md"."""
    return " ".join(
        f"…/{word.rstrip('/').rsplit('/', 1)[-1]}" if word.count("/") > 2 and "://" not in word else word
        for word in about.split(" ")
    )


def _sought(arguments: str) -> str:
    """What a search is for: the first argument that is not an option, whole if it is quoted."""
    rest = arguments[:400].lstrip()
    while rest.startswith("-"):
        option, _, rest = rest.partition(" ")
        rest = rest.lstrip()
        if option == "--":
            break
        if _COUNTED.fullmatch(option) or option in _VALUED:
            value = _VALUE.match(rest)
            rest = rest[value.end() :] if value and (option in _VALUED or value[0].strip().isdecimal()) else rest
    quote = rest[:1]
    text = rest[1:].partition(quote)[0] if quote in ("'", '"') and quote else rest.split(" ", 1)[0]
    return f"“{_short(text)}”" if has_text(text) else ""


def _plain(call: Call, given: Mapping[str, Any]) -> str:
    tool = call.tool.lower()
    if call.role is Role.LOOK and any(word in tool for word in _SEARCHING):
        sought = next((given[key] for key in _SOUGHT if has_text(given.get(key))), "")
        return f"Search “{_short(sought)}”" if sought else f"Search {call.about}".strip()
    if call.role is Role.DELEGATE and not call.about:
        task = next((given[key] for key in _GIVEN if has_text(given.get(key))), "")
        return f"Delegate “{_short(first_sentence(task))}”" if task else VERBS[Role.DELEGATE]
    if call.role is Role.PLAN:
        return VERBS[Role.PLAN]
    about = call.about.partition("://")[2] or call.about
    if about and call.role is not Role.RUN:
        return f"{VERBS[call.role]} {about}"
    name = call.tool.removeprefix(_SERVER_OF_TOOL).replace("__", ": ")
    said = about or (main_argument(given) if given else "")
    return f"{name} {said}".strip()


def _short(text: str) -> str:
    text = " ".join(text[: 4 * _LONGEST].split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
