"""What to lay out: a graph, the tip of its main line, the cards the user pinned, and the measures of a card."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from opentine_gui.layout.measures import Direction, Spacing
from opentine_gui.layout.result import Layout, Point

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, eq=False)
class Ancestry:
    """A graph as two columns, for callers that have them: a networkx graph costs a kilobyte and 2 µs a node.

    `nodes` in creation order; `parents[i]` are positions of the parents of node i, the primary one first. `index` maps
    nodes to positions, where the caller has it; the layout keeps it, so it must not change.
    """

    nodes: Sequence[Hashable]
    parents: Sequence[tuple[int, ...]]
    index: Mapping[Any, int] | None = None

    def distinct_parents(self) -> list[tuple[int, ...]]:
        """The parents of each node, each once: a file may name one twice, which makes one link."""
        parents = list(self.parents)
        several = map((1).__lt__, map(len, parents))  # a step with one parent, as most have, takes no Python here
        for place in compress(range(len(parents)), several):
            parents[place] = tuple(dict.fromkeys(parents[place]))
        return parents

    @classmethod
    def of(cls, graph: nx.DiGraph[Any] | Ancestry) -> Ancestry:
        """Read a networkx graph once: node order is creation order, edge order the order of parents."""
        if isinstance(graph, Ancestry):
            return graph
        nodes = list(graph)
        number_of = {node: number for number, node in enumerate(nodes)}.__getitem__
        predecessors = graph._pred  # the plain dicts: the public view costs an object per node
        return cls(nodes, [tuple(map(number_of, predecessors[node])) for node in nodes])


class LayoutRequest(NamedTuple):
    """Everything a layout depends on; the same request always gives the same layout.

    `graph`: node order is creation order, the first predecessor (edge order) is the primary parent.
    `main`: the step the main line ends at; None means the last node.
    `pinned`: node -> centre (x, y) in pixels of the layout; such a card sits exactly there (see `adjust.with_pins`).
    `search`: False skips the search for fewer crossings (the first picture of a large graph).
    `share`: the share of a search's work that this one may take, where several layouts make one picture.
    `previous`: the layout to continue: its ranks and order are kept, and only new steps are placed.
    `stacks`: groups of nodes that share one place, in a fan; those of a stack have the same parents. Pins do not reach
    into them, and such a layout is never continued.
    """

    graph: nx.DiGraph[Any] | Ancestry
    main: Hashable | None = None
    pinned: Mapping[Hashable, Point] = MappingProxyType({})
    direction: Direction = Direction.TOP_TO_BOTTOM
    spacing: Spacing = Spacing()
    search: bool = True
    share: float = 1.0
    previous: Layout | None = None
    stacks: Sequence[Sequence[Hashable]] = ()
