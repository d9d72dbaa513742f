"""What is kept beside the runs, by step id, and what is remembered of one run's steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from opentine_gui.app.document.side_stores.annotation_store import AnnotationStore
    from opentine_gui.app.document.side_stores.card_positions import PositionStore
    from opentine_gui.app.document.side_stores.store_writer import Unwritten
    from opentine_gui.app.state.annotations import Annotations
    from opentine_gui.app.state.commands import Pins


class SideStores(NamedTuple):
    """The stores in the user's data folder."""

    positions: PositionStore
    annotations: AnnotationStore
    unwritten: tuple[Unwritten, ...] = ()
    """What they do not have yet."""


class Remembered(NamedTuple):
    """The user's positions of a run's cards, by the field of a document's state, and what is written beside steps.

    `problem` says why what is written could not be read.
    """

    pins: Mapping[str, Pins]
    annotations: Annotations
    problem: str = ""
    unwritten: tuple[Unwritten, ...] = ()
    """What the stores did not have yet."""
