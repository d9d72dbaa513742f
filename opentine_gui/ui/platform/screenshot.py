"""Takes a screenshot of the window from the frame buffer."""

from __future__ import annotations

import os
import time
from pathlib import Path

import dearpygui.dearpygui as dpg

from opentine_gui.core.errors import StorageError


class Capture:
    """Writes the frame buffer to a PNG file: create it, then render frames until `finished()`.

    Dear PyGui writes the file at the end of some frame and reports neither success nor failure. So it writes a
    temporary file, which is renamed once it ends with PNG's end marker.
    """

    END_OF_PNG = b"IEND\xaeB`\x82"
    PATIENCE = 15.0

    def __init__(self, path: Path) -> None:
        """Request the picture. StorageError when the path is not a PNG file in a writable folder."""
        if path.suffix.lower() != ".png":
            raise StorageError("the picture's name must end in .png", path=path)
        if not os.path.isdir(path.parent):
            raise StorageError("its folder does not exist", path=path)
        if not os.access(path.parent, os.W_OK):
            raise StorageError("its folder cannot be written to", path=path)
        self.path = path
        self._part = path.with_name(f".{path.stem}.{os.getpid()}.png")
        self._deadline = time.monotonic() + self.PATIENCE
        dpg.output_frame_buffer(str(self._part))

    def finished(self) -> bool:
        """True once the complete picture is at its path."""
        try:
            with self._part.open("rb") as stream:
                stream.seek(-len(self.END_OF_PNG), 2)
                if stream.read() != self.END_OF_PNG:
                    return False
            self._part.replace(self.path)
        except OSError:
            return False
        return True

    def give_up_in_time(self) -> None:
        """StorageError when the picture is overdue."""
        if time.monotonic() > self._deadline:
            raise StorageError("the picture could not be written", path=self.path)
