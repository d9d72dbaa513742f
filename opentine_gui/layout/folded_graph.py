"""The folded graph: cards and the links between them, as a networkx graph."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def folded_graph(names: Sequence[Hashable], card_of: Ints, sources: Ints, targets: Ints) -> nx.DiGraph[Any]:
    """The graph of cards of a run: an edge where steps of two cards are linked. Acyclic if cards are those of `core`.

    `card_of[step]` numbers the card of a step; `sources` and `targets` are the links between steps, those of a step in
    the order of its parents: the first predecessor of a card is then that of its first step. A step without a card
    has the number -1.
    """
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.add_nodes_from(names)
    above, below = card_of[sources], card_of[targets]
    between = (above != below) & (above >= 0) & (below >= 0)
    above, below = above[between], below[between]
    _, first = np.unique(below * len(names) + above, return_index=True)
    first.sort()
    pairs = zip(above[first].tolist(), below[first].tolist(), strict=True)
    graph.add_edges_from((names[source], names[target]) for source, target in pairs)
    return graph
