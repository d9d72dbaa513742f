"""What a user writes beside steps: notes, bookmarks and colours, by step id; never part of a run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec

LONGEST_NOTE = 4000
COLOURS = {"red": "bad", "yellow": "accent", "green": "good", "blue": "tool", "purple": "think"}
"""The theme role of each colour a step can be marked with."""


class Annotation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is written beside one step: a note, whether it is bookmarked, and a colour of `COLOURS` or ""."""

    note: str = ""
    bookmarked: bool = False
    colour: str = ""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to keep."""
        return not (self.note or self.bookmarked or self.colour)


Annotations = Mapping[str, Annotation]
"""Annotations by step id; a step without one is not in it."""

NOTHING = Annotation()
NO_NOTES: Annotations = {}
"""The notes of a document without a run: always the same object, for those who compare notes by identity."""

_BETWEEN = "\n\n"
"""Parts two notes on one step that were written in two windows."""


class Rewording(NamedTuple):
    """A note that became `new`; `olds` are the texts that it had here before, the oldest first."""

    olds: tuple[str, ...]
    new: str

    def of(self, stored: str) -> str:
        """The stored note with this change. Of what another window wrote there meanwhile nothing is lost."""
        # The longest of them that is there: one may be a part of another, and what was written already may come again.
        for text in sorted({*self.olds, self.new} - {""}, key=len, reverse=True):
            part = f"{_BETWEEN}{text}{_BETWEEN}"
            if part in (whole := f"{_BETWEEN}{stored}{_BETWEEN}"):
                instead = f"{_BETWEEN}{self.new}{_BETWEEN}" if self.new else _BETWEEN
                return whole.replace(part, instead, 1)[len(_BETWEEN) : -len(_BETWEEN)]
        return _BETWEEN.join(filter(None, (stored, self.new)))


class AnnotationChange(msgspec.Struct, frozen=True):
    """What was changed beside one step; None for what stays as it is, whatever that is."""

    note: Rewording | None = None
    bookmarked: bool | None = None
    colour: str | None = None

    def shown(self, annotation: Annotation) -> Annotation:
        """An annotation that is shown, as it is after the change."""
        return self._made(annotation, annotation.note if self.note is None else self.note.new)

    def stored(self, annotation: Annotation) -> Annotation:
        """An annotation in the store, which another window may have changed meanwhile, as it is to be stored now."""
        return self._made(annotation, annotation.note if self.note is None else self.note.of(annotation.note))

    def then(self, later: AnnotationChange) -> AnnotationChange:
        """This change and a later one as one."""
        note = later.note or self.note
        if self.note is not None and later.note is not None:
            olds = dict.fromkeys([*self.note.olds, self.note.new, *later.note.olds])
            note = Rewording(tuple(olds), later.note.new)
        bookmarked = self.bookmarked if later.bookmarked is None else later.bookmarked
        return AnnotationChange(note, bookmarked, self.colour if later.colour is None else later.colour)

    def _made(self, before: Annotation, note: str) -> Annotation:
        bookmarked = before.bookmarked if self.bookmarked is None else self.bookmarked
        return Annotation(note, bookmarked, before.colour if self.colour is None else self.colour)


def changes_between(before: Annotations, after: Annotations) -> dict[str, AnnotationChange]:
    """What was changed beside steps, by step id."""
    if before is after:
        return {}
    pairs = {step: (before.get(step, NOTHING), after.get(step, NOTHING)) for step in {*before, *after}}
    return {step: _change(old, new) for step, (old, new) in pairs.items() if old != new}


def _change(old: Annotation, new: Annotation) -> AnnotationChange:
    return AnnotationChange(
        Rewording((old.note,), new.note) if old.note != new.note else None,
        new.bookmarked if old.bookmarked != new.bookmarked else None,
        new.colour if old.colour != new.colour else None,
    )


def with_changes(shown: Annotations, changes: Mapping[str, AnnotationChange]) -> Annotations:
    """What is shown beside steps, as it is after changes."""
    changed = {**shown, **{step: change.shown(shown.get(step, NOTHING)) for step, change in changes.items()}}
    return MappingProxyType({step: one for step, one in changed.items() if not one.empty})
