"""Puts together what a run is shown with: the positions of its cards, and what is written beside its steps."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from opentine_gui.app.document.side_stores import Remembered, SideStores
from opentine_gui.app.document.side_stores.annotation_store import SECTION
from opentine_gui.app.document.side_stores.store_writer import Unwritten
from opentine_gui.app.state.annotations import NOTHING
from opentine_gui.app.state.commands import DocumentState, pins_field, pins_section
from opentine_gui.core import RunRecord, StorageError
from opentine_gui.layout import Direction


def remembered(stores: SideStores | None, record: RunRecord) -> Remembered:
    """What is remembered of a run's steps; nothing without stores."""
    if stores is None:
        return Remembered({}, MappingProxyType({}))
    pins = {
        pins_field(direction, folded): MappingProxyType(
            stores.positions.positions(pins_section(direction, folded), record.graph.ids)
        )
        for direction in Direction
        for folded in (False, True)
    }
    try:
        annotations, problem = stores.annotations.annotations(record.graph.ids), ""
    except StorageError as error:
        annotations, problem = {}, str(error)
    return Remembered(pins, MappingProxyType(annotations), problem, stores.unwritten)


def state_with(record: RunRecord, kept: Remembered, base: str = "") -> DocumentState:
    """A document state with what is remembered of its steps; `base` is the SHA-256 of the file it goes back to."""
    late = _of_steps(record, kept.unwritten)
    pins = {}
    for direction in Direction:
        for folded in (False, True):
            field = pins_field(direction, folded)
            placed = {**kept.pins.get(field, {}), **late.get(pins_section(direction, folded), {})}
            pins[field] = MappingProxyType({step: point for step, point in placed.items() if point is not None})
    written = dict(kept.annotations)
    written.update({step: one.stored(written.get(step, NOTHING)) for step, one in late.get(SECTION, {}).items()})
    annotations = MappingProxyType({step: one for step, one in written.items() if not one.empty})
    return DocumentState(record, annotations=annotations, base=base, **pins)


def _of_steps(record: RunRecord, unwritten: Iterable[Unwritten]) -> dict[str, dict[str, Any]]:
    """The changes that the stores did not have, of a run's steps alone, by section and step id."""
    found = [(section, changes) for one in unwritten for section, changes in one.changes.items()]
    return {name: {step: one for step, one in changes.items() if step in record.graph} for name, changes in found}
