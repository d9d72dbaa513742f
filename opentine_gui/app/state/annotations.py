"""What a user writes beside steps: notes, bookmarks and colours, by step id; never part of a run."""

from __future__ import annotations

from collections.abc import Mapping

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
