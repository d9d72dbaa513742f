"""The entry point of the program: parses the command line, and imports a command's modules only when it is used."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from opentine_gui.command_line import REFUSED, UNREADABLE
from opentine_gui.command_line.standard_error import harmless_errors

TYPE_CHECKING = False  # `typing`, which provides it, is slow to load
if TYPE_CHECKING:
    import argparse

INTERRUPTED = 130
PIPE_CLOSED = 141
"""What shells report of a program whose reader went away, as `head` does."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status (`--help` lists them)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    occupy_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A character that the terminal cannot show is printed as an escape, instead of raising an error.
            stream.reconfigure(errors="backslashreplace")
    with harmless_errors():
        try:
            status = answer(given)
            if sys.stdout is not None:
                sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
            return PIPE_CLOSED
        except OSError as error:
            return said_once(error)
        except KeyboardInterrupt:
            return INTERRUPTED
        except Exception:  # noqa: BLE001 - the last resort: unexpected errors are cleaned as well
            import traceback  # slow to load, and every start would pay for it

            traceback.print_exc()
            return UNREADABLE
    return status


def said_once(error: OSError) -> int:
    """Complain of what the system refused: of the file it names, else of standard output; returns the exit status."""
    from opentine_gui.command_line.output import complain

    reason = error.strerror or str(error)
    if error.filename is not None:
        complain(f"{os.fsdecode(error.filename)}: {reason}")
        return UNREADABLE
    discard_output()
    complain(f"the output cannot be written: {reason}")
    return REFUSED


def occupy_closed_streams() -> None:
    """Give the null device to a standard stream that is closed, so that no file gets its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def discard_output() -> None:
    """Send what is left of the output nowhere, so that the flush when Python ends does not fail, too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def answer(given: list[str]) -> int:
    """Parse the arguments and run the command they name; without one it is `open`."""
    from opentine_gui.command_line.parser.arguments import build_parser

    parser = build_parser()
    if not given or given[0] not in ("-h", "--help", "--version", *parser.commands):
        given = ["open", *given]
    try:
        options = parser.parse_args(given)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else UNREADABLE
    if options.command != "open" and sys.stdout is None:
        from opentine_gui.command_line.output import complain

        complain("standard output is closed, so there is nowhere to print")
        return REFUSED
    return run(options)


def run(options: argparse.Namespace) -> int:
    """Run parsed options in the module of their command."""
    if options.command == "open":
        from opentine_gui.command_line.open import open_window

        return open_window(options)
    if options.command == "show":
        from opentine_gui.command_line.show import show

        return show(options)
    if options.command == "verify":
        from opentine_gui.command_line.verify import verify

        return verify(options)
    if options.command == "diff":
        from opentine_gui.command_line.diff import diff

        return diff(options)
    if options.command == "search":
        from opentine_gui.command_line.finding.search import search

        return search(options)
    if options.command == "blame":
        from opentine_gui.command_line.finding.blame import blame

        return blame(options)
    if options.command == "export":
        from opentine_gui.command_line.export import export

        return export(options)
    if options.command in ("import", "latest"):
        from opentine_gui.command_line.agents import sessions

        return sessions.import_sessions(options) if options.command == "import" else sessions.open_latest(options)
    if options.command in ("fork", "merge"):
        from opentine_gui.command_line import fork_merge

        return fork_merge.fork(options) if options.command == "fork" else fork_merge.merge(options)
    from opentine_gui.command_line import system

    if options.command == "completion":
        return system.completion(options)
    return system.associate(options) if options.command == "associate" else system.self_test(options)
