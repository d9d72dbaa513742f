"""Asks where to write a file: replacing one takes a yes, and without it the user is asked for another name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from opentine_gui.app.state.prompts import Answer, Confirm, SaveFile

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

CANCEL, REPLACE = "Cancel", "Replace"


def ask_where(
    session: Session, question: SaveFile, chosen: Callable[[Path], None], *, named: Callable[[Path], Path]
) -> None:
    """Ask, and call `chosen` with a path that is free or may be replaced.

    `named` makes the path of a typed one (adds a suffix), or raises what speaks against it.
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
