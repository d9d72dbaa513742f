"""Saves binary content of a payload, such as a picture, as a file of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from opentine_gui.app.files.ask_where import ask_where
from opentine_gui.app.session import Session
from opentine_gui.app.state.prompts import SaveFile
from opentine_gui.core.files import storage
from opentine_gui.describe.content.media import Media, media_bytes


def save_media(session: Session, media: Media, name: str = "picture") -> None:
    """Ask where to save, and write the recorded bytes in a job."""
    folder = session.runs.folder or session.working_folder
    ask_where(
        session,
        SaveFile("Save as", folder, f"{name}{media.suffix}"),
        lambda chosen: _write(session, media, chosen),
        named=lambda chosen: chosen if chosen.suffix else chosen.with_suffix(media.suffix),
    )


def _write(session: Session, media: Media, path: Path) -> None:
    def work(_progress: Callable[[float], None], _cancelled: Callable[[], bool]) -> Path:
        return storage.write_bytes_atomic(path, media_bytes(media))

    def done(written: Path) -> None:
        session.notices.add("good", f"Saved {written}", key="media")
        session.touch()

    def failed(error: Exception) -> None:
        session.notices.add("error", f"Save as: {error}", key="media")
        session.touch()

    session.jobs.submit("media", work, done, failed, title=f"Saving {path.name}")
