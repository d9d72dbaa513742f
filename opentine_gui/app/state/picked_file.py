"""The file whose steps are lit up on the canvas, in the overviews and in the outline."""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.core import Graph
from opentine_gui.core.analysis.touched_files import TouchedFile


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
