"""Remembers notes, bookmarks and colours by step id, beside the card positions and never in a run's file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from opentine_gui.app.document.side_stores.store_writer import StoreWriter
from opentine_gui.app.state.annotations import NOTHING, Annotation, AnnotationChange, changes_between
from opentine_gui.app.state.own_files import held_lock
from opentine_gui.app.state.settings import data_folder
from opentine_gui.core import StorageError
from opentine_gui.core.files import storage

if TYPE_CHECKING:
    from opentine_gui.app.state.commands import DocumentState
    from opentine_gui.app.state.notices import Notices
    from opentine_gui.app.system.jobs import Jobs

_LOCK_SECONDS = 2.0
SECTION = "steps"
"""What the changes of annotations are queued as."""


class AnnotationStore:
    """Annotations of all runs: a step that several runs share has the same note in each. Nothing is ever dropped.

    Every change reads, merges and rewrites the file under a lock. What is merged are changes of notes, bookmarks and
    colours, each by itself, so that two windows, and two tabs of runs that share a step, do not lose each other's.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or data_folder()) / "annotations.json"

    def annotations(self, step_ids: Iterable[str]) -> dict[str, Annotation]:
        """The annotations of these steps. StorageError if the store cannot be read."""
        stored = self._read()
        return {key: stored[key] for key in step_ids if key in stored} if stored else {}

    def remember(self, changes: Mapping[str, AnnotationChange]) -> None:
        """Make these changes in what is stored.

        Raises OSError, StorageError or filelock.Timeout when the store cannot be written. A store that cannot be read
        is never overwritten: what a user wrote is in it.
        """
        if not changes:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with held_lock(self.path, _LOCK_SECONDS):
            stored = self._read()
            for key, change in changes.items():
                stored[key] = change.stored(stored.get(key, NOTHING))
                if stored[key].empty:
                    del stored[key]
            storage.write_bytes_atomic(self.path, msgspec.json.format(msgspec.json.encode(stored)))

    def _read(self) -> dict[str, Annotation]:
        try:
            return msgspec.json.decode(storage.read_bytes(self.path), type=dict[str, Annotation])
        except StorageError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return {}
            raise StorageError("the notes cannot be read", path=self.path, cause=error.cause) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StorageError("the notes cannot be read", path=self.path, cause=error) from error


class AnnotationWriter(StoreWriter):
    """Writes annotations to the store in jobs."""

    def __init__(self, store: AnnotationStore, jobs: Jobs, notices: Notices) -> None:
        super().__init__(
            lambda _section, changes: store.remember(changes), jobs, notices, key="annotations", what="The notes"
        )

    def remember(self, before: DocumentState, after: DocumentState) -> None:
        """Queue what was annotated from one state of a document to the next."""
        self.queue(SECTION, changes_between(before.annotations, after.annotations))
        self.write_next()

    def joined(self, earlier: AnnotationChange, later: AnnotationChange) -> AnnotationChange:
        """Two changes beside one step as one."""
        return earlier.then(later)
