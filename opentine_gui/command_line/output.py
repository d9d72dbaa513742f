"""What the command line prints: one-line errors, and recorded text that cannot steer the terminal."""

from __future__ import annotations

import sys

from opentine_gui.command_line import PROGRAM
from opentine_gui.scene.text.clean import clean

LONGEST_LINE = 2000


def one_line(text: str, limit: int = LONGEST_LINE) -> str:
    """`text` on one line of at most `limit` characters, with nothing in it that could steer a terminal."""
    return clean(text, limit)


def complain(message: object) -> None:
    """Print an error to stderr, on one line that begins with the program's name."""
    print(f"{PROGRAM}: {one_line(str(message))}", file=sys.stderr)


def warn(message: object) -> None:
    """Print a warning to stderr; the command goes on."""
    complain(f"warning: {message}")
