"""Saves binary content of a payload, such as a picture, as a file."""

from __future__ import annotations

from opentine_gui.app.files.ask_where import ask_and_write
from opentine_gui.app.session import Session
from opentine_gui.describe.content.media import Media, media_bytes


def save_media(session: Session, media: Media, name: str = "picture") -> None:
    """Ask where to save, and write the recorded bytes in a job."""
    ask_and_write(session, "Save as", f"{name}{media.suffix}", media.suffix, lambda: media_bytes(media))
