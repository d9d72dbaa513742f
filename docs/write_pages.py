"""Writes docs/COMMANDS.md from the argument parser and docs/KEYS.md from the actions: `make pages`.

tests/test_documents.py compares the pages with what this returns.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from opentine_gui.app.actions import all_actions
from opentine_gui.app.inspect.keys import GESTURES
from opentine_gui.app.state.action_registry import Action, Registry
from opentine_gui.command_line import PROGRAM
from opentine_gui.command_line.parser.arguments import CLOSING, Parser, build_parser

DOCS = Path(__file__).parent
WRITTEN = "<!-- Written by docs/write_pages.py from the program itself; `make pages` writes it again. -->"
MODES = {
    "compare": "while comparing",
    "family": "in a family",
    "present": "while presenting",
    "propose": "while a fork or merge is proposed",
}


def commands_page() -> str:
    """The page of all commands and their options."""
    parser = build_parser()
    lines = ["# Command line", "", WRITTEN, "", f"    {PROGRAM} [COMMAND] …", "", "| command | |", "| --- | --- |"]
    lines += [f"| [`{name}`](#{name}) | {cell(command.description)} |" for name, command in parser.commands.items()]
    lines += ["", *(line or "" for line in CLOSING.splitlines())]
    for name, command in parser.commands.items():
        lines += ["", f"## {name}", "", str(command.description), "", f"    {usage(name, command)}", ""]
        lines += ["| | |", "| --- | --- |"]
        lines += [f"| `{spelled(action)}` | {cell(explained(action))} |" for action in arguments(command)]
    return "\n".join(lines) + "\n"


def arguments(parser: Parser) -> list[argparse.Action]:
    """What a command takes, positional arguments first, without `--help`."""
    taken = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]
    return sorted(taken, key=lambda action: bool(action.option_strings))


def usage(name: str, parser: Parser) -> str:
    """One line that shows what a command takes."""
    parts = []
    for action in arguments(parser):
        if action.option_strings:
            value = f" {value_of(action)}" if action.nargs != 0 else ""
            said = f"{min(action.option_strings, key=len)}{value}"
            parts.append(said if action.required else f"[{said}]")
        else:
            several = action.nargs in ("*", "+")
            said = f"{value_of(action)}…" if several else value_of(action)
            parts.append(f"[{said}]" if action.nargs == "*" else said)
    return " ".join((PROGRAM, name, *parts))


def value_of(action: argparse.Action) -> str:
    """How the value of an argument is shown: its name, or the words it can be."""
    if action.metavar is not None:
        return str(action.metavar)
    return "|".join(map(str, action.choices)) if action.choices else action.dest.upper()


def spelled(action: argparse.Action) -> str:
    """An argument as it is typed."""
    value = f" {value_of(action)}" if action.nargs != 0 else ""
    spellings = ", ".join(action.option_strings)
    return (f"{spellings}{value}" if spellings else value.strip()).replace("|", "\\|")


def explained(action: argparse.Action) -> str:
    """The help of an argument."""
    return (action.help or "").replace("%%", "%")


def cell(text: object) -> str:
    """Text in a table's cell."""
    return str(text).replace("|", "\\|")


def keys_page() -> str:
    """The page of all keys, by menu, and of what the pointer does."""
    registry = Registry(all_actions())
    lines = [
        "# Keys",
        "",
        WRITTEN,
        "",
        "F1 shows them in the window. Ctrl+K finds every action, with or without a key.",
        "Help > Change keys… opens the file in which you give them others.",
    ]
    shown: set[str] = set()
    for menu in registry.menus():
        keyed = [action for action in menu.actions if chords(action)]
        shown |= {action.id for action in keyed}
        if keyed:
            lines += section(menu.title, keyed)
    rest = [action for action in registry if chords(action) and action.id not in shown]
    if rest:
        lines += section("Elsewhere", rest)
    lines += ["", "## Pointer", "", "| gesture | does |", "| --- | --- |"]
    lines += [f"| {cell(gesture)} | {cell(does)} |" for gesture, does in GESTURES]
    return "\n".join(lines) + "\n"


def section(title: str, actions: list[Action]) -> list[str]:
    """A table of actions and their keys."""
    rows = [
        f"| {', '.join(chords(action))} | {cell(action.title)} | {cell(action.description)} |" for action in actions
    ]
    return ["", f"## {title}", "", "| key | action | |", "| --- | --- | --- |", *rows]


def chords(action: Action) -> list[str]:
    """An action's keys; those of a mode say so."""
    where = MODES.get(action.mode, action.mode)
    return [f"`{key}`" for key in action.keys] + [f"`{key}` {where}" for key in action.mode_keys]


PAGES = {"COMMANDS.md": commands_page, "KEYS.md": keys_page}
"""What writes each page."""


if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
