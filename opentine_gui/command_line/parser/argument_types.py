"""How the text of an argument becomes a value; the error for any other text says what is expected."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


def path(text: str) -> Path:
    """Parse a path; `pathlib` is loaded only where one is given, because loading it takes longer than `--help`."""
    from pathlib import Path

    return Path(text)


def seconds(text: str) -> float:
    """Parse a time in seconds, zero or more and finite."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds")
    return value


def json_object(text: str) -> dict[str, object]:
    """Parse a JSON object; the error for anything else says where the mistake is."""
    try:
        from opentine_gui.core.format.checks import (
            read_object,  # imports core, which other commands may not need
        )

        return read_object(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def step_kind(text: str) -> str:
    """Parse a kind of step; the error for anything else lists the kinds."""
    from opentine_gui.core.model import StepKind  # imports core, as above

    kinds = [kind.value for kind in StepKind]
    if text not in kinds:
        raise argparse.ArgumentTypeError(f"'{text}' is no kind of step; there are {', '.join(kinds)}")
    return text


def step_list(text: str) -> list[str]:
    """Parse two or more step ids or prefixes, separated by commas."""
    steps = [part.strip() for part in text.split(",")]
    if len(steps) < 2 or not all(steps):
        raise argparse.ArgumentTypeError(f"'{text}' does not name two or more steps, separated by commas")
    return steps


def some_steps(text: str) -> list[str]:
    """Parse step ids or prefixes, separated by commas."""
    steps = [part.strip() for part in text.split(",")]
    if not all(steps):
        raise argparse.ArgumentTypeError(f"'{text}' does not name steps, separated by commas")
    return steps


def interface_scale(text: str) -> float:
    """Parse the size of the interface: pixels per design pixel, 1 to 3."""
    value = scale(text)
    if not 1 <= value <= 3:
        raise argparse.ArgumentTypeError(f"'{text}' is not from 1 to 3")
    return value


def scale(text: str) -> float:
    """Parse a scale above zero; each export format has its own upper limit."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above zero")
    return value
