"""The argument parser: the commands and their options."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext, suppress

from opentine_gui import __version__
from opentine_gui.command_line import PROGRAM, UNREADABLE
from opentine_gui.command_line.parser.argument_types import (
    interface_scale,
    json_object,
    path,
    scale,
    seconds,
    some_steps,
    step_kind,
    step_list,
)

TYPE_CHECKING = False  # importing `typing`, which defines it, takes a fifth of Python's start-up time
if TYPE_CHECKING:
    from typing import Any, NoReturn

THEMES = ("dark", "light", "high-contrast")
DIRECTIONS = ("top-to-bottom", "left-to-right")
ABOUT = """\
A desktop editor for .tine files and agents' sessions: see a run as a graph,
inspect it, fork it, merge it, save it. Without a command, files and folders are
opened in a window."""
FORMATS = ("svg", "png", "html", "mmd", "dot", "graphml", "md", "json", "tine")
AGENTS = ("claude", "codex", "pi", "gemini", "opencode", "openhands", "copilot", "cline")
SHELLS = ("bash", "zsh", "fish")
CLOSING = """\
STEP is a full step id or a prefix that only one step has. `show FILE#STEP`
prints that step whole, and `opentine-gui FILE#STEP` opens the file with it
selected. JSON is an object, such as '{"text": "compare"}'. A folder stands for
the runs in it, - for standard input or output. With --json a command prints
one object; docs/JSON.md describes it. Nothing is overwritten without --force,
and a source never. NO_COLOR=1 turns colours off. `opentine-gui COMMAND --help`
lists what a command takes.

Exit status: 0 done; 1 refused (verify: something does not match; diff: the
runs differ; search: nothing was found; blame: no record); 2 a file cannot be
read or the command is not understood; 3 (verify) nothing contradicts a file,
but not everything could be checked: it has no digest, or none that can be
compared."""


class Help(argparse.HelpFormatter):
    """Help as wide as the terminal. argparse would load `shutil` with its archive formats to find out the width."""

    def __init__(self, prog: str, **how: Any) -> None:
        super().__init__(prog, **{"width": columns() - 2, **how})


class HelpAsWritten(Help, argparse.RawDescriptionHelpFormatter):
    """Help whose description and epilog keep their line ends."""


def columns() -> int:
    """Columns of the terminal: COLUMNS, else the width of standard output, else 80."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):  # closed, or no terminal
        return 80


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line and whose options cannot be abbreviated."""

    commands: Mapping[str, Parser] = {}
    """The commands' parsers, on the program's own parser."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**{"allow_abbrev": False, "formatter_class": Help, **how})

    def error(self, message: str) -> NoReturn:
        """Print the error on one line and exit with status 2."""
        from opentine_gui.command_line.output import one_line  # slow to load, and nothing else here needs it

        self.exit(UNREADABLE, f"{PROGRAM}: {one_line(message)} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help, the version or an error; unlike the original, do not hide that the output cannot be written.

        If an error message itself cannot be written, there is nowhere left to report it.
        """
        with suppress(OSError) if file is not sys.stdout else nullcontext():
            (file or sys.stderr or io.StringIO()).write(message)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse all arguments; the error for an unknown one names the option that was probably meant."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            command = self.commands.get(getattr(options, "command", ""), self)
            command.error(f"{unknown[0]} is not understood{command.probably_meant(unknown[0])}")
        return options

    def probably_meant(self, typed: str) -> str:
        """A question that suggests the option most like `typed`; "" if none is similar."""
        import difflib

        known = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
        meant = difflib.get_close_matches(typed.partition("=")[0], known, n=1)
        return f"; did you mean {meant[0]}?" if typed.startswith("-") and meant else ""


def build_parser() -> Parser:
    """Build the program's parser with all of its commands."""
    parser = Parser(prog=PROGRAM, description=ABOUT, epilog=CLOSING, formatter_class=HelpAsWritten)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )
    parser.commands = commands.choices

    def command(name: str, what: str, *, json: bool = True) -> Parser:
        made = commands.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
        if json:
            made.add_argument("--json", action="store_true", help="print one JSON object (docs/JSON.md)")
        return made

    opening = command("open", "open files or folders in a window (what happens without a command)", json=False)
    opening.add_argument(
        "paths", nargs="*", metavar="FILE|DIR", help="a .tine file, an agent's session, FILE#STEP, or a folder of runs"
    )
    opening.add_argument(
        "--screenshot",
        type=path,
        metavar="OUT.png",
        help="wait until the graph is painted, save the window's picture, exit",
    )
    opening.add_argument("--frame-log", type=path, metavar="OUT.jsonl", help="write one JSON line a frame")
    opening.add_argument(
        "--new-window", action="store_true", help="open a window of its own even when one is open already"
    )
    opening.add_argument("--scale", type=interface_scale, metavar="N", help="size of text and all else, 1 to 3")
    opening.add_argument("--exit-after", type=seconds, metavar="SECONDS", help="close the window after that time")

    latest = command("latest", "open the newest session an agent held in this folder", json=False)
    latest.add_argument("agent", nargs="?", choices=AGENTS, help="the agent (default: whichever was used last)")
    latest.add_argument(
        "--folder", type=path, default=".", metavar="DIR", help="the working folder (default: this one)"
    )
    latest.add_argument("--print", action="store_true", help="print the session's path and open nothing")
    latest.set_defaults(screenshot=None, frame_log=None, exit_after=None, new_window=False, scale=None)

    show = command("show", "print what a run, a step or a folder of runs holds")
    show.add_argument(
        "files",
        nargs="+",
        metavar="FILE|DIR",
        help="a run; FILE#STEP for one step whole; for a list a folder, or a file of several runs",
    )

    verify = command("verify", "recompute every step id and the digest")
    verify.add_argument("files", type=path, nargs="+", metavar="FILE|DIR")
    verify.add_argument(
        "--allow-redacted",
        action="store_true",
        help="do not fail for steps that no longer match their id and hold a redaction mark",
    )

    diff = command("diff", "say what two runs share and where they diverge; exits with 1 when they differ")
    diff.add_argument("a", type=path, metavar="A")
    diff.add_argument("b", type=path, metavar="B")

    search = command("search", "find what was recorded; exits with 0 when something was found, with 1 when nothing was")
    search.add_argument("query", metavar="QUERY", help="words, and fields such as kind:tool error: cost:>0.01 -not")
    search.add_argument("files", type=path, nargs="+", metavar="FILE|DIR")
    search.add_argument("--regex", action="store_true", help="QUERY is one regular expression")

    blame = command("blame", "say which step wrote a line of a file, if that is recorded")
    blame.add_argument("file", type=path, metavar="SESSION", help="a run")
    blame.add_argument("place", metavar="PATH[:LINE]", help="a file the run touched; without LINE all of its lines")
    blame.add_argument("--step", metavar="STEP", help="the text as this step left it (default: as it lies there now)")

    export = command("export", "write a picture, a page, a graph, a report or data; OUT's ending says which")
    export.add_argument("files", type=path, nargs="+", metavar="FILE|DIR", help="one run, two to compare, or a family")
    export.add_argument("--compare", action="store_true", help="compare the two runs that are given")
    export.add_argument("--card", action="store_true", help="one card that says what changed between two runs")
    export.add_argument("--steps", type=some_steps, metavar="STEP[,STEP…]", help="only these steps")
    export.add_argument("--title", metavar="T", help="a title (default: the run's own)")
    export.add_argument("--groups", action="store_true", help="a picture in groups, as the window first shows it")
    export.add_argument("--hide-secrets", action="store_true", help="hide keys and passwords of known forms")
    export.add_argument("--theme", choices=THEMES, default="dark", help="colours (default: dark)")
    export.add_argument("--scale", type=scale, metavar="N", help="size of a picture (default: 1, or what fits)")
    export.add_argument(
        "--direction", choices=DIRECTIONS, default=DIRECTIONS[0], help=f"way of the layout (default: {DIRECTIONS[0]})"
    )
    export.add_argument("--format", choices=FORMATS, help="the format (default: OUT's ending says it)")
    add_output(
        export, "the file to write; its ending says the format: .svg .png .html .mmd .dot .graphml .md .json .tine"
    )

    imported = command("import", "write agents' sessions as .tine files, branches, sub-agents and all")
    imported.add_argument(
        "files", type=path, nargs="+", metavar="FILE|DIR", help="a session; FILE#PART for one of several in a database"
    )
    add_output(imported, "the .tine file to write; for several sessions a folder")

    fork = command("fork", "write a new run that keeps a step and all that led to it")
    fork.add_argument("file", type=path, metavar="FILE")
    fork.add_argument("--from", dest="point", required=True, metavar="STEP", help="the last step to keep")
    fork.add_argument("--id", dest="run_id", metavar="ID", help="the new run's id (default: the published fork id)")
    fork.add_argument("--title", metavar="T", help="a title for the new run")
    fork.add_argument("--tag", dest="tags", action="append", metavar="X", help="a tag for the new run; may be repeated")
    fork.add_argument(
        "--edit-inputs", type=json_object, metavar="JSON", help="put a sibling of STEP with these inputs in its place"
    )
    add_output(fork)

    merge = command("merge", "write a run with one new step whose parents are the given steps")
    merge.add_argument("files", type=path, nargs="+", metavar="FILE|DIR")
    merge.add_argument("--parents", type=step_list, required=True, metavar="STEP,STEP[,STEP]", help="in order")
    merge.add_argument(
        "--kind",
        type=step_kind,
        default="model",
        metavar="KIND",
        help="kind of the new step (default: model)",
    )
    merge.add_argument("--inputs", type=json_object, default={}, metavar="JSON", help="inputs of the new step")
    merge.add_argument("--outputs", type=json_object, default={}, metavar="JSON", help="outputs of the new step")
    merge.add_argument("--id", dest="run_id", metavar="ID", help="the new run's id (default: made from its parents)")
    merge.add_argument("--title", metavar="T", help="a title for the new run")
    merge.add_argument("--allow-ancestor", action="store_true", help="a parent may be an ancestor of another one")
    add_output(merge)

    associate = command("associate", "open .tine files of this user with this program")
    associate.add_argument("--remove", action="store_true", help="take that back")

    test = command("self-test", "try the program in a real window; exits with 0 or 1 and the reason")
    test.add_argument("--picture", type=path, metavar="OUT.png", help="keep the picture that is exported")

    completion = command("completion", "print what a shell needs to complete commands, options and files", json=False)
    completion.add_argument("shell", choices=SHELLS, help='bash: eval "$(opentine-gui completion bash)" in ~/.bashrc')
    return parser


def add_output(parser: argparse.ArgumentParser, what: str = "the .tine file to write") -> None:
    """Add the options that all commands which write a file share."""
    parser.add_argument("-o", "--output", type=path, required=True, metavar="OUT", help=what)
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists (never one of the sources)")
