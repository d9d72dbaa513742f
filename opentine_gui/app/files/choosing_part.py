"""Opens one run of a file that holds several: asks which, unless there is only one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.files import opening
from opentine_gui.app.state.prompts import Answer, Choose
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.core import TineError
from opentine_gui.describe.numbers import format_time
from opentine_gui.importers import readers
from opentine_gui.importers.sources.parts import Part, divide, part_path
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

MOST_PARTS = 200
"""Runs of one file to choose from, the newest."""
LONGEST_SHARED = 16
"""Characters with which all titles may begin before they are left out."""


def may_hold_several(path: Path) -> bool:
    """Whether a file may hold several runs, by its ending, and none of them is named."""
    endings = tuple(suffix for reader in readers.READERS if reader.parts is not None for suffix in reader.suffixes)
    return path.name.lower().endswith(endings) and not divide(path)[1]


def open_part_of(session: Session, path: Path, *, select: str | None = None) -> None:
    """Open the only run of a file, or ask which of several, the newest first.

    Several files are looked into at once; each is opened in its turn, so that tabs stand in the order that was asked
    for and not in that in which the looks end.
    """
    turns, turn = session.openings, session.openings.take()

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> list[Part]:
        try:
            return readers.parts_of(path)
        except (TineError, OSError):
            return []  # opening it says why

    def looked(parts: list[Part]) -> None:
        if len(parts) < 2:
            opening.open_path(session, path, select=select)
            return
        newest = sorted(parts, key=lambda part: -(part.time or 0.0))[:MOST_PARTS]
        labels = dict(zip(_labels(newest), newest, strict=True))
        question = Choose(f"Open from {path.name}", f"It holds {len(parts):,} runs.", tuple(labels))

        def chosen(answer: Answer) -> None:
            opening.open_path(session, part_path(path, labels[str(answer)].id), select=select)

        session.ask(question, chosen)

    session.jobs.submit(
        f"parts:{path}",
        work,
        lambda parts: turns.ready(turn, lambda: looked(parts)),
        title=f"Looking into {path.name}",
        priority=opening.READ,
        stopped=leaves_nothing,
        over=lambda: turns.give_up(turn),
    )


def _labels(parts: Sequence[Part]) -> list[str]:
    """Runs of several, a line for each: its title, how it ended, when it changed, the end of its id."""
    titles = _told_apart([clean(part.title, 200) for part in parts])
    ids = [clean(part.id, 200) for part in parts]
    ends = [name[-12:] for name in ids]
    named = ends if len(set(ends)) == len(ends) else ids
    times = [format_time(part.time, date=True) if part.time else "" for part in parts]
    words = zip(titles, (clean(part.outcome, 40) for part in parts), times, named, strict=True)
    return [" · ".join(word for word in line if word) for line in words]


def _told_apart(titles: Sequence[str]) -> list[str]:
    """The titles, without a long beginning that all of them share: what differs would be cut off at the end.

    Samples of one evaluation are asked in the same words, except for the case.
    """
    letters = takewhile(lambda alike: len(set(alike)) == 1, zip(*titles, strict=False))
    shared = "".join(letter for letter, *_ in letters)
    kept = shared.rfind(" ") + 1
    if len(set(titles)) < 2 or kept < LONGEST_SHARED:
        return [clean(title, 80) or "Untitled" for title in titles]
    return [f"…{clean(title[kept:], 80)}" for title in titles]
