"""Has every open run show what was written beside a step that several of them have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from opentine_gui.app.document.document import Document
from opentine_gui.app.state.annotations import AnnotationChange, Annotations, changes_between, with_changes
from opentine_gui.app.state.commands import DocumentState
from opentine_gui.core import RunRecord


def share_notes(changed: Document, before: DocumentState, tabs: Iterable[object]) -> None:
    """Make what was changed beside the steps of one document since a state in the other tabs that have the steps.

    It is changed in all of their states: what undo takes back is what was done in its own tab.
    """
    changes = changes_between(before.annotations, changed.annotations)
    if not changes:
        return
    for document in _documents_of(tabs):
        if document is not changed and document.members is None:
            shown = document.annotations
            document.rewrite(_Change(changes))
            if document.annotations is not shown:
                document.faces_changed()


def _documents_of(tabs: Iterable[object]) -> Iterator[Document]:
    """The documents among tabs, which a closed one may have left, and those that redo opens again in them."""
    for tab in tabs:
        if isinstance(tab, Document):
            yield tab
            yield from _documents_of(back for back, _place in tab.taken_back)


class _Change:
    """The changes in each state of a document: most of its states have the same notes, which are changed once."""

    def __init__(self, changes: Mapping[str, AnnotationChange]) -> None:
        self._changes = changes
        self._made: dict[tuple[int, int], tuple[RunRecord, Annotations, Annotations]] = {}

    def __call__(self, state: DocumentState) -> DocumentState:
        key = id(state.record), id(state.annotations)
        if key not in self._made:
            own = {step: change for step, change in self._changes.items() if step in state.record.graph}
            after = with_changes(state.annotations, own) if own else state.annotations
            self._made[key] = state.record, state.annotations, after  # kept, so that no other has their ids
        after = self._made[key][2]
        return state if after is state.annotations else replace(state, annotations=after)
