"""The reader of LangGraph's databases of checkpoints."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.frameworks.langgraph.steps import Thread
from opentine_gui.importers.frameworks.langgraph.store import Store
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources import sqlite
from opentine_gui.importers.sources.head import tables_in
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.parts import Part, choose, divide


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a database of checkpoints.

    The older schema has no table of writes.
    """
    tables = tables_in(head) or set()
    if b"checkpoints" not in tables:
        return 0.0
    return 0.95 if b"writes" in tables else 0.6


def parts_of(path: Path) -> list[Part]:
    """The threads of a database, oldest first. TineError."""
    with sqlite.opened(path) as connection:
        return Store(connection).threads()


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a thread: of several the newest, or the one that the path names. TineError."""
    source, part = divide(path)
    pace = Pace(progress, cancelled)
    draft = RunDraft()
    with sqlite.opened(source, cancelled) as connection:
        store = Store(connection)
        chosen = choose(store.threads(), part, source)
        thread = Thread(store, chosen.id, draft, source, pace.part(0, 0.9))
        thread.grow()
    if not draft.steps:
        raise FormatError("the thread has no steps", path=source, place=chosen.id[:80])
    times = [point.time for point in thread.checkpoints.values() if point.time is not None]
    return draft.finish(
        run_id=run_id(chosen.id, source.stem),
        created_at=min(times, default=0.0),
        capture=origin("langgraph-checkpoints", "0" if store.is_legacy else "1", source, part=chosen.id),
        metadata={"agent": "LangGraph", "title": chosen.id[:200]},
        main=thread.main_tip(),
        sources=(source,),
        pace=pace.part(0.9, 1),
    )
