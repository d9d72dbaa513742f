"""Standard error, cleaned, so that no recorded text can control the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

TYPE_CHECKING = False  # `typing`, which provides it, is slow to load
if TYPE_CHECKING:
    from typing import Any, TextIO


class HarmlessStream:
    """Cleans text before passing it on: errors, warnings of libraries, tracebacks with file names and values in
    them."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write cleaned text; returns the length of what was given."""
        if text.isascii() and text.replace("\n", "").isprintable():
            self._stream.write(text)
        else:
            from opentine_gui.scene.text.clean import clean_whole  # rarely needed, and the program should start fast

            self._stream.write(clean_whole(text, lines=True))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def harmless_errors() -> Iterator[None]:
    """While the block runs, everything that Python writes to standard error is cleaned."""
    given = sys.stderr
    if given is None:
        yield
        return
    sys.stderr = HarmlessStream(given)
    try:
        yield
    finally:
        sys.stderr = given
