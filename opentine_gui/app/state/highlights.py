"""What stands out besides the selection: the steps of a picked file, those of an area of time, what was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from opentine_gui.core import Graph
from opentine_gui.core.analysis.files.touched_files import TouchedFile
from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.picture.legend import FORK_MARK

NO_FLAGS: Mapping[str, tuple[Flag, ...]] = {}


class PickedFile(NamedTuple):
    """A file picked in the list; `lit` has a 1 for each of its steps, by position in `graph`."""

    file: TouchedFile
    graph: Graph
    lit: bytearray

    @classmethod
    def of(cls, graph: Graph, file: TouchedFile) -> PickedFile:
        """The file, with the steps of a run that touch it."""
        lit = bytearray(len(graph))
        for position in file.steps:
            lit[position] = 1
        return cls(file, graph, lit)


class FindingMarks:
    """Flags on cards by step id, and the `source` they were made from; `to_fork`: one of them is a place to fork."""

    def __init__(self, source: object = None, flags: Mapping[str, tuple[Flag, ...]] = NO_FLAGS) -> None:
        self.source, self.flags = source, flags
        self.to_fork = any(flag.text == FORK_MARK for some in flags.values() for flag in some)


class StripState(msgspec.Struct):
    """The time strip of a document: the part in view, places 0..1 of the whole, and the area that was dragged.

    `area` is (begin, end) in Unix seconds, `lit` a 1 for each step recorded in it, by position in `graph`.
    """

    view: tuple[float, float] = (0.0, 1.0)
    area: tuple[float, float] | None = None
    graph: Graph | None = None
    lit: bytearray = bytearray()
    revision: int = 0
