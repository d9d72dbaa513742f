"""The structure of one run: facts, lanes, ranks of borders, and sums, made once for each graph and kept."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.progress import Pace, Progress, Stop, collector_paused
from opentine_gui.core.structure.borders import Borders
from opentine_gui.core.structure.facts import Facts, Sums
from opentine_gui.core.structure.lanes import Lanes


class Structure:
    """Everything folding knows of a graph. `main` is the position of the tip of its main line, None for the last step.

    `sides[step]` numbers the set of runs a step belongs to, where several runs are shown; None for one run. Two
    structures of equal arguments are equal in every part. `link_sources` and `link_targets` are the links between
    steps, in the order of steps, those of a step in the order of its parents. `order` are the steps in this order.
    """

    __slots__ = ("borders", "facts", "graph", "lanes", "link_sources", "link_targets", "main", "order", "sides", "sums")

    def __init__(
        self,
        graph: Graph,
        main: int | None = None,
        sides: Sequence[int] | None = None,
        *,
        known: Structure | None = None,
        progress: Progress | None = None,
        cancelled: Stop | None = None,
    ) -> None:
        """Read and rank a graph; of the steps it shares with that of `known` the facts are taken from there."""
        self.graph = graph
        self.main = main if main is not None else len(graph) - 1
        self.sides = sides
        with collector_paused():
            self._read(main, Pace(progress, cancelled), known)

    def _read(self, main: int | None, pace: Pace, known: Structure | None) -> None:
        graph = self.graph
        before = known.facts if known is not None else None
        self.facts: Facts = Facts(graph, pace.part(0.0, 0.6), before)
        self.lanes = Lanes(graph.parents, main)
        self.borders = Borders(self.facts, self.lanes, self.sides, pace.part(0.7, 1.0))
        lanes = self.lanes
        tips = {lane.elements[-1] for lane in lanes.lanes[1:] if not lane.piece and lane.elements}
        self.sums = Sums(self.facts, lanes.order, tips.__contains__)

        self.order = array("q", lanes.order)
        self.link_sources, self.link_targets = array("q"), array("q")
        for step in lanes.order:
            parents = graph.parents[step]
            self.link_sources.extend(parents)
            self.link_targets.extend((step,) * len(parents))

    def side_borders(self) -> list[int]:
        """The steps at which the set of runs that have a step changes: a card never holds steps of two sides."""
        sides, lanes = self.sides, self.lanes
        if sides is None:
            return []
        found = []
        for lane in lanes.lanes:
            before = sides[lane.owner] if 0 <= lane.owner < len(sides) else -1
            for step in lane.elements:
                if sides[step] != before and step != lanes.order[0]:
                    found.append(step)
                before = sides[step]
        return found

    def __len__(self) -> int:
        return len(self.graph)
