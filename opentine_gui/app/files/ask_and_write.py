"""Asks where something is to be written, asks again before a file is replaced, and writes it in a job."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.state.prompts import Answer, Confirm, SaveFile
from opentine_gui.core.files import storage

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

KEEP, REPLACE = "Keep it", "Replace"


def ask_and_write(session: Session, title: str, name: str, suffix: str, content: Callable[[], bytes]) -> None:
    """Ask with `title` for a file, suggesting `name`; `content` makes the bytes, in the job."""
    folder = session.runs.folder or session.working_folder

    def answered(answer: Answer | None) -> None:
        if answer is None or isinstance(answer, str) or not answer:
            return
        chosen = answer[0] if answer[0].suffix else answer[0].with_suffix(suffix)
        if not chosen.exists():
            _write(session, chosen, content, title)
            return
        question = Confirm(
            f"Replace {chosen.name}?",
            f"{chosen} exists already. What is in it will be lost.",
            (KEEP, REPLACE),
            frozenset({REPLACE}),
        )
        session.ask(question, lambda choice: _write(session, chosen, content, title) if choice == REPLACE else None)

    session.ask(SaveFile(title, folder, name), answered)


def _write(session: Session, path: Path, content: Callable[[], bytes], title: str) -> None:
    def work(_progress: Callable[[float], None], _cancelled: Callable[[], bool]) -> Path:
        return storage.write_bytes_atomic(path, content())

    def done(written: Path) -> None:
        session.notices.add("good", f"Saved {written}", key="written")
        session.touch()

    def failed(error: Exception) -> None:
        session.notices.add("error", f"{title}: {error}", key="written")
        session.touch()

    session.jobs.submit(f"write:{path}", work, done, failed, title=f"Saving {path.name}")
