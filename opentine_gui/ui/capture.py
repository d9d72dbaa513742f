"""A picture of the window, as the graphics card has it."""

from __future__ import annotations

from pathlib import Path

import dearpygui.dearpygui as dpg

from opentine_gui.core.errors import StorageError


class Capture:
    """Writes the frame buffer to a PNG file: ask once, then render frames until `finished` says so.

    Dear PyGui writes the file itself at the end of a frame; nothing tells when, so the file's end marker is awaited.
    """

    END_OF_PNG = b"IEND\xaeB`\x82"

    def __init__(self, path: Path) -> None:
        if path.suffix.lower() != ".png":
            raise StorageError("the picture's name must end in .png", path=path)
        if not path.parent.is_dir():
            raise StorageError("its folder does not exist", path=path)
        self.path = path
        path.unlink(missing_ok=True)
        dpg.output_frame_buffer(str(path))

    def finished(self) -> bool:
        """True once the whole picture is on disk."""
        try:
            with self.path.open("rb") as stream:
                stream.seek(-len(self.END_OF_PNG), 2)
                return stream.read() == self.END_OF_PNG
        except OSError:
            return False
