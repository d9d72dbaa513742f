"""Completion scripts for bash, zsh and fish, generated from the parser, so that they always match it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from typing import NamedTuple

from opentine_gui.command_line import PROGRAM
from opentine_gui.command_line.parser.arguments import Parser
from opentine_gui.importers.readers import suffixes

_FILES = ("FILE", "DIR", "OUT", "A", "B")
"""Files are offered for arguments whose names begin with one of these."""


class Word(NamedTuple):
    """An option or an argument: its spellings (none for an argument), its help, and what may follow."""

    spellings: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...]
    files: bool


def words_of(parser: argparse.ArgumentParser) -> Iterator[Word]:
    """What a command takes."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            continue
        takes_value = action.nargs != 0
        yield Word(
            tuple(action.option_strings),
            (action.help or "").replace("%%", "%"),
            takes_value,
            tuple(map(str, action.choices or ())),
            takes_value and not action.choices and str(action.metavar).startswith(_FILES),
        )


def bash(parser: Parser) -> str:
    """The lines for bash: `eval "$(opentine-gui completion bash)"`."""
    patterns = " ".join(f"; compgen -f -X '!*{suffix}' -- \"$word\"" for suffix in suffixes())
    lines = [
        "_opentine_gui() {",
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= options= found=",
        "    [ $COMP_CWORD -gt 1 ] && command=${COMP_WORDS[1]}",
        "    local IFS=$'\\n'",
        "    case $command in",
    ]
    for name, command in parser.commands.items():
        lines += [f"        {name})", "            case $before in"]
        choices: list[str] = []
        options: list[str] = []
        for word in words_of(command):
            options += word.spellings
            if not word.spellings:
                choices += word.choices
            elif word.takes_value:
                found = f'compgen -W {_bash_words(word.choices)} -- "$word"' if word.choices else ":"
                found = 'compgen -f -- "$word"' if word.files else found
                lines.append(f"                {'|'.join(word.spellings)}) COMPREPLY=($({found})); return ;;")
        lines += ["            esac", f"            options={_bash_words([*options, *choices])} ;;"]
    first = [*parser.commands, "--help", "--version"]
    return "\n".join(
        [
            *lines,
            f"        *) options={_bash_words(first)} ;;",
            "    esac",
            f'    COMPREPLY=($(compgen -W "$options" -- "$word"; compgen -d -- "$word"{patterns}))',
            "}",
            f"complete -o filenames -F _opentine_gui {PROGRAM}",
            "",
        ]
    )


def _bash_words(words: tuple[str, ...] | list[str]) -> str:
    """Words for `compgen -W`, which splits at line ends here."""
    return "$'" + "\\n".join(words) + "'"


def zsh(parser: Parser) -> str:
    """The lines for zsh: `source <(opentine-gui completion zsh)` after `compinit`."""
    files = f'_files -g "{" ".join(f"*{suffix}" for suffix in suffixes())}"'
    commands = " ".join(
        shlex.quote(f"{name}:{(command.description or '').rstrip('.')}") for name, command in parser.commands.items()
    )
    lines = [
        f"#compdef {PROGRAM}",
        "_opentine_gui() {",
        "    local -a commands",
        f"    commands=({commands})",
        "    if (( CURRENT == 2 )); then",
        "        _describe -t commands command commands",
        f"        {files}",
        "        return",
        "    fi",
        "    local command=$words[2]",
        "    shift words",
        "    (( CURRENT-- ))",
        "    case $command in",
    ]
    for name, command in parser.commands.items():
        specs = []
        for word in words_of(command):
            value = f"({' '.join(word.choices)})" if word.choices else files if word.files else ""
            if not word.spellings:
                specs.append(shlex.quote(f"*:{'one of' if word.choices else 'file'}:{value}"))
            for spelling in word.spellings:
                follows = f":value:{value}" if word.takes_value else ""
                specs.append(shlex.quote(f"*{spelling}[{_zsh_text(word.help)}]{follows}"))
        lines.append(f"        {name}) _arguments {' '.join(specs)} ;;")
    return "\n".join(
        [
            *lines,
            "    esac",
            "}",
            'if [ "$funcstack[1]" = _opentine_gui ]; then',
            '    _opentine_gui "$@"',
            "else",
            f"    compdef _opentine_gui {PROGRAM}",
            "fi",
            "",
        ]
    )


def _zsh_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def fish(parser: Parser) -> str:
    """The lines for fish: `opentine-gui completion fish | source`."""
    lines = []
    start = f"complete -c {PROGRAM}"
    for name, command in parser.commands.items():
        about = shlex.quote((command.description or "").rstrip("."))
        lines.append(f"{start} -n __fish_use_subcommand -a {name} -d {about}")
        for word in words_of(command):
            here = f"{start} -n {shlex.quote(f'__fish_seen_subcommand_from {name}')}"
            offered = f" -a {shlex.quote(' '.join(word.choices))}" if word.choices else ""
            if not word.spellings:
                lines += [f"{here} -f{offered}"] if offered else []
                continue
            names = "".join(
                f" -l {spelling[2:]}" if spelling.startswith("--") else f" -s {spelling[1:]}"
                for spelling in word.spellings
            )
            follows = "" if not word.takes_value else " -r -F" if word.files else f" -x{offered}"
            lines.append(f"{here}{names}{follows} -d {shlex.quote(word.help)}")
    return "\n".join([*lines, ""])


SHELLS: dict[str, Callable[[Parser], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
"""The function that writes each shell's script."""
