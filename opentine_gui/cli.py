"""The entry point of the program: parses the command line, and imports a command's modules only when it is used."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from opentine_gui.command_line import REFUSED, UNREADABLE

if TYPE_CHECKING:
    import argparse

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status (`--help` lists them)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A character that the terminal cannot show is printed as an escape, instead of raising an error.
            stream.reconfigure(errors="backslashreplace")
    try:
        status = answer(given)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whatever read our output has closed it, as `head` does; the flush at interpreter exit must not fail either.
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def answer(given: list[str]) -> int:
    """Parse the arguments and run the command they name; without one it is `open`."""
    from opentine_gui.command_line.arguments import build_parser

    parser = build_parser()
    if not given or given[0] not in ("-h", "--help", "--version", *parser.commands):
        given = ["open", *given]
    try:
        options = parser.parse_args(given)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else UNREADABLE
    return run(options)


def run(options: argparse.Namespace) -> int:
    """Run parsed options in the module of their command."""
    if options.command == "open":
        from opentine_gui.command_line.open import open_window

        return open_window(options)
    if options.command in ("show", "verify"):
        from opentine_gui.command_line import show_verify

        return show_verify.show(options) if options.command == "show" else show_verify.verify(options)
    if options.command in ("associate", "self-test"):
        from opentine_gui.command_line import system

        return system.associate(options) if options.command == "associate" else system.self_test(options)
    if options.command == "diff":
        from opentine_gui.command_line import diff

        return diff.diff(options)
    if options.command == "export":
        from opentine_gui.command_line import export

        return export.export(options)
    from opentine_gui.command_line import fork_merge

    return fork_merge.fork(options) if options.command == "fork" else fork_merge.merge(options)
