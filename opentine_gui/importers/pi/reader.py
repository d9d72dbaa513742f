"""Reads a pi session: its entries from a file, then the steps they are made into."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.core.files import storage
from opentine_gui.core.progress import Pace, Progress, Stop, collector_paused
from opentine_gui.importers.pi.entries import load
from opentine_gui.importers.pi.tree import Tree
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources.packed import Digested, pieces_of


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The session in a file. TineError when it cannot be read or holds nothing of pi's."""
    pace = Pace(progress, cancelled)
    with collector_paused():
        draft = RunDraft(texts_are_whole=True)
        found = storage.fingerprint(path)
        pieces = Digested(pieces_of(Path(path)))  # the whole would be much of the memory of a large session
        session = load(Path(path), pieces, draft.report, pace.part(0.0, 0.6), found.size if found else 0)
        tree = Tree(session, draft)
        tree.take(list(session.entries.values()))
        session.entries.clear()  # what the steps do not need goes before they are made
        tree.answers.forget_content()
        return tree.finish(pieces.source, pace.part(0.6, 1.0))
