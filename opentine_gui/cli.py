"""The door of the program. It imports a room only when its word is used: `--help` and `--version` import none."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from opentine_gui import __version__
from opentine_gui.command_line import FINE, PROGRAM, REFUSED, UNREADABLE

if TYPE_CHECKING:
    import argparse

COMMANDS = ("open", "show", "verify", "diff", "export", "fork", "merge", "associate", "self-test")
INTERRUPTED = 130

HELP = """\
usage: opentine-gui [open] [FILE|DIR …] [--new-window] [--screenshot OUT.png] [--frame-log OUT.jsonl]
                    [--exit-after SECONDS] [--scale N]
       opentine-gui show FILE [--json]
       opentine-gui verify FILE… [--allow-redacted]
       opentine-gui diff A B [--json]
       opentine-gui export FILE… -o OUT.ext [--compare] [--card] [--steps STEP[,STEP…]] [--title T]
                           [--theme dark|light|high-contrast] [--scale N] [--direction top-to-bottom|left-to-right]
                           [--force]
       opentine-gui fork FILE --from STEP [--id ID] [--title T] [--tag X]… [--edit-inputs JSON] -o OUT [--force]
       opentine-gui merge FILE… --parents STEP,STEP[,STEP] [--kind model] [--inputs JSON] [--outputs JSON]
                          [--id ID] [--title T] [--allow-ancestor] -o OUT [--force]
       opentine-gui associate [--remove]
       opentine-gui self-test [--picture OUT.png]

A desktop editor for .tine files: see a run as a graph, inspect it, fork it, merge it, save it.

  open     show files or folders in a window; what happens without a command. FILE#STEP selects a step
  show     print what a run holds
  verify   recompute every step id and the digest
  diff     say what two runs share, where they part, and what changed
  export   write a picture, a page, a graph, a report or data; OUT's ending says which: svg png html mmd dot graphml
           md json, or tine for the steps and all they rest on. --card: what changed between two runs, on one card
  fork     write a new run that keeps a step and all that led to it
  merge    write a run with one new step whose parents are the given steps

  associate  open .tine files of this user with this program
  self-test  try the program in a real window

STEP is a full step id or a prefix that only one step has. JSON is an object, such as '{"text": "compare both"}'.
Nothing is overwritten without --force, and a source never. `opentine-gui COMMAND --help` says more about one command.
Exit status: 0 done, 1 refused (verify: something does not match; diff: the runs differ), 2 a file cannot be read or
the command is not clear, 3 (verify) nothing contradicts a file, but not everything could be checked: it has no digest,
or none that can be compared.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status, as `HELP` says them."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a character gets its number; that is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    try:
        status = answer(given)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output left, as `head` does. Nothing more can be said to it, not even at interpreter exit.
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def answer(given: list[str]) -> int:
    """Print help or version, or hand the command to the room that answers it. No command means `open`."""
    if given[:1] in (["-h"], ["--help"]):
        print(HELP, end="")
        return FINE
    if given[:1] == ["--version"]:
        print(f"{PROGRAM} {__version__}")
        return FINE
    # Imports make what stays: looking through it again and again finds nothing. `run` and the window turn it on.
    gc.disable()
    from opentine_gui.command_line.grammar import build_parser

    try:
        options = build_parser().parse_args(given if given and given[0] in COMMANDS else ["open", *given])
    except SystemExit as leaving:
        gc.enable()
        return leaving.code if isinstance(leaving.code, int) else UNREADABLE
    try:
        return run(options)
    finally:
        gc.enable()


def run(options: argparse.Namespace) -> int:
    """Hand parsed options to the module that knows the command."""
    if options.command == "open":
        from opentine_gui.command_line.opening import open_window

        return open_window(options)
    gc.enable()
    if options.command in ("show", "verify"):
        from opentine_gui.command_line import reading

        return reading.show(options) if options.command == "show" else reading.verify(options)
    if options.command in ("associate", "self-test"):
        from opentine_gui.command_line import system

        return system.associate(options) if options.command == "associate" else system.self_test(options)
    if options.command == "diff":
        from opentine_gui.command_line import comparing

        return comparing.diff(options)
    if options.command == "export":
        from opentine_gui.command_line import exporting

        return exporting.export(options)
    from opentine_gui.command_line import writing

    return writing.fork(options) if options.command == "fork" else writing.merge(options)
