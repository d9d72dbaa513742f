"""Writes what a user did beside the steps to the side stores: card positions and annotations."""

from __future__ import annotations

from collections.abc import Callable

from opentine_gui.app.document.side_stores import SideStores
from opentine_gui.app.document.side_stores.annotation_store import AnnotationStore, AnnotationWriter
from opentine_gui.app.document.side_stores.card_positions import PositionStore, PositionWriter
from opentine_gui.app.state.commands import DocumentState
from opentine_gui.app.state.notices import Notices
from opentine_gui.app.system.jobs import Jobs


def stores_of_user(now: Callable[[], float]) -> SideStores:
    """The stores in the user's data folder; `now` is the clock by which the oldest positions are dropped."""
    return SideStores(PositionStore(now=now), AnnotationStore())


class StateWriter:
    """The writers of all side stores."""

    def __init__(self, stores: SideStores, jobs: Jobs, notices: Notices) -> None:
        self._stores = stores
        self._writers = (
            PositionWriter(stores.positions, jobs, notices),
            AnnotationWriter(stores.annotations, jobs, notices),
        )

    @property
    def stores(self) -> SideStores:
        """The stores, with what they do not have yet: for one opening of a run, which shows what was written since."""
        return self._stores._replace(unwritten=tuple(writer.unwritten() for writer in self._writers))

    def remember(self, before: DocumentState, after: DocumentState) -> None:
        """Queue what changed from one state of a document to the next."""
        for writer in self._writers:
            writer.remember(before, after)

    def close(self) -> None:
        """Write at once whatever still waits to be written."""
        for writer in self._writers:
            writer.close()
