"""Asks where something is to be written, and writes it in a job."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.files.ask_where import ask_where
from opentine_gui.app.state.prompts import SaveFile
from opentine_gui.core.files import storage

if TYPE_CHECKING:
    from opentine_gui.app.session import Session


def ask_and_write(session: Session, title: str, name: str, suffix: str, content: Callable[[], bytes]) -> None:
    """Ask with `title` for a file, suggesting `name`; `content` makes the bytes, in the job."""
    folder = session.runs.folder or session.working_folder
    ask_where(
        session,
        SaveFile(title, folder, name),
        lambda chosen: _write(session, chosen, content, title),
        named=lambda chosen: chosen if chosen.suffix else chosen.with_suffix(suffix),
    )


def _write(session: Session, path: Path, content: Callable[[], bytes], title: str) -> None:
    def work(_progress: Callable[[float], None], _cancelled: Callable[[], bool]) -> Path:
        return storage.write_bytes_atomic(path, content())

    def done(written: Path) -> None:
        session.notices.add("good", f"Saved {written}", key="written")
        session.touch()

    def failed(error: Exception) -> None:
        session.notices.add("error", f"{title}: {error}", key="written")
        session.touch()

    session.jobs.submit(f"write:{path}", work, done, failed, title=f"Saving {path.name}", must_finish=True)
