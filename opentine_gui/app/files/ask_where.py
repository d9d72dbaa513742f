"""Asks where to write a file, and writes it; to replace one needs a yes, without which another name is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from opentine_gui.app.state.prompts import CANCEL, Answer, Confirm, SaveFile
from opentine_gui.core import TineError
from opentine_gui.core.files import storage

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

REPLACE = "Replace"


def ask_where(
    session: Session, question: SaveFile, chosen: Callable[[Path], None], *, named: Callable[[Path], Path]
) -> None:
    """Ask, and call `chosen` with a path that is free or may be replaced.

    `named` completes a typed path (adds a suffix), or raises an error that says why it cannot be used.
    """

    def answered(answer: Answer) -> None:
        if isinstance(answer, str) or not answer:
            return
        path = named(answer[0])
        if not os.path.exists(path):
            chosen(path)
            return

        def again() -> None:
            ask_where(session, replace(question, folder=path.parent, name=path.name), chosen, named=named)

        session.ask(
            Confirm(
                f"Replace {path.name}?",
                f"{path} exists already. What is in it will be lost.",
                (CANCEL, REPLACE),
                frozenset({REPLACE}),
            ),
            lambda choice: chosen(path) if choice == REPLACE else again(),
            declined=again,
        )

    session.ask(question, answered)


def ask_and_write(session: Session, title: str, name: str, suffix: str, content: Callable[[], bytes]) -> None:
    """Ask with `title` for a file, suggesting `name`; `content` makes the bytes, in the job."""
    folder = session.runs.folder or session.working_folder
    ask_where(
        session,
        SaveFile(title, folder, name),
        lambda chosen: _write(session, chosen, content, title),
        named=lambda chosen: chosen if chosen.suffix == suffix else chosen.with_name(chosen.name + suffix),
    )


def _write(session: Session, path: Path, content: Callable[[], bytes], title: str) -> None:
    def work(_progress: Callable[[float], None], _cancelled: Callable[[], bool]) -> Path:
        return storage.write_bytes_atomic(path, content(), mode=None)  # as any program saves a picture or a text

    def done(written: Path) -> None:
        session.notices.add("good", f"Saved {written}", key="written")
        session.touch()

    def failed(error: Exception) -> None:
        reason = error.reason if isinstance(error, TineError) else str(error)
        session.notices.add("error", f"{title}: {reason}", detail=str(error), key="written")
        session.touch()

    session.jobs.submit(f"write:{path}", work, done, failed, title=f"Saving {path.name}", must_finish=True)
