"""The last finished layouts of a document, so that undo and redo need none made."""

from __future__ import annotations

from collections.abc import Iterable

from opentine_gui.app.state.commands import Pins
from opentine_gui.core import Graph
from opentine_gui.layout import Direction, Layout

MOST_LAYOUTS = 3


class LayoutCache:
    """Layouts by graph, each with the user's positions it was made with; the oldest go first."""

    def __init__(self) -> None:
        self._layouts: list[tuple[Graph, Layout, Pins]] = []

    def add(self, graph: Graph, layout: Layout, pins: Pins) -> None:
        """Keep the layout of a graph in place of an older one."""
        others = [entry for entry in self._layouts if entry[0] is not graph]
        self._layouts = [*others, (graph, layout, pins)][-MOST_LAYOUTS:]

    def find(self, graph: Graph, direction: Direction, pins: Pins) -> tuple[Layout, Pins] | None:
        """A layout of this graph that can be shown with these positions, and the positions it was made with; None if
        none.

        One made with a position that has been removed since cannot be shown: where that card would be without it is not
        known.
        """
        for known, layout, made_with in self._layouts:
            if known is graph and layout.direction is direction and not set(made_with) - set(pins):
                return layout, made_with
        return None

    def keep_only(self, graphs: Iterable[Graph]) -> None:
        """Drop the layouts of all other graphs: no undo or redo leads back to them, and layouts are large."""
        wanted = {id(graph) for graph in graphs}
        self._layouts = [entry for entry in self._layouts if id(entry[0]) in wanted]
