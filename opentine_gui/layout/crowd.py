"""The layout of a crowd: a graph with more links than anybody can tell apart. It is computed in numpy as a whole.

Every lane has a column of its own, to the right of the main one in the order of their first nodes, and every routing
strand one to the left. A step that is added moves no other card, as long as the main line continues. Links never run
through a card. For a graph of 600,000 nodes, or of millions of links, it takes a fifth of the time of the batch engine,
which makes an object of each.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout.batch.compact import Columns, too_many_to_compact
from opentine_gui.layout.batch.strands import DIRECT_LINK, LANE_LINK, Model
from opentine_gui.layout.incremental.kept_layout import ModelArrays
from opentine_gui.layout.result import Floats, Ints, Layout

FEWEST_LINKS, MOST_ARRANGED = 300_000, 1_000_000
"""With more links than the first number, a graph is a crowd if it has too many strands to compact; with more than the
second, always."""

MOST_ROUTED = 2_000_000
"""Up to this many links, each bends around the cards between its ends. More are drawn straight: routed they would take
gigabytes, and they lie so close together that none can be followed."""

FEW_PARENTS = 8
"""Up to this many parents are looked up one by one: numpy takes as long for one value as for ten."""

Progress = Callable[[float], None]


class _Links(NamedTuple):
    """The ends of each link, child by child, and the first parent of each node, -1 if it has none.

    In 32 bits: with so many links, memory access takes most of the time.
    """

    source: NDArray[Any]
    target: NDArray[Any]
    primary: Ints


class _Lanes(NamedTuple):
    """The lane of each node, and the nodes before and after it there, -1 if there is none."""

    lane: Ints
    before: NDArray[Any]
    after: Ints


def crowd_of(
    model: Model, main: int, columns: Columns, draw: Callable[[ModelArrays, Floats, Floats], Layout], at: Progress
) -> Layout | None:
    """Lay out a graph in its simplest order if it is a crowd, else None.

    `main` is the node at which the main line ends; `at` receives fractions from 0 to 1, and ends the work by raising.
    `draw` makes the layout of x across the lanes for nodes (n,) and strands (s,).
    """
    counts = np.fromiter(map(len, model.parents), np.int64, count=len(model.parents))
    total = int(counts.sum())
    if total <= FEWEST_LINKS or counts.max() < 2:  # a forest has an order without crossings, which takes little time
        return None
    at(0.1)
    links = _links(model.parents, counts, total)
    at(0.2)
    rank = ranks_of_crowd(model.parents, links.source, counts)
    at(0.5)
    lanes = _lanes(model, links.primary, main)
    arrays = _routed(links, rank, lanes)
    if total <= MOST_ARRANGED and not too_many_to_compact(arrays.strand_source):
        return None
    at(0.7)
    threads = _columns(arrays.strand_source, columns)
    return draw(arrays, threads[arrays.lane], threads)


def _links(parents: Sequence[tuple[int, ...]], counts: Ints, total: int) -> _Links:
    source: NDArray[Any] = np.fromiter(itertools.chain.from_iterable(parents), np.int32, count=total)
    first = np.cumsum(counts) - counts
    primary = np.full(len(parents), -1, dtype=np.int64)
    primary[counts > 0] = source[first[counts > 0]]
    return _Links(source, np.repeat(np.arange(len(parents), dtype=np.int32), counts), primary)


def ranks_of_crowd(parents: Sequence[tuple[int, ...]], source: NDArray[Any], counts: Ints) -> Ints:
    """The ranks (n,) that `longest_paths` gives, from the column `source` of all parents, child by child, and how many
    each node has, `counts` (n,).

    With many parents a node, a lookup of each would cost more than the rest of the layout.
    """
    ranks = np.zeros(len(parents), dtype=np.int64)
    known: list[int] = []
    start = 0
    for node, (above, count) in enumerate(zip(parents, counts.tolist(), strict=True)):
        if count > FEW_PARENTS:
            ranks[node] = rank = int(ranks[source[start : start + count]].max()) + 1
        elif count:
            ranks[node] = rank = max([known[parent] for parent in above]) + 1
        else:
            rank = 0
        known.append(rank)
        start += count
    return ranks


def _lanes(model: Model, primary: Ints, main: int) -> _Lanes:
    """Split the graph into lanes: the main line; elsewhere each step is continued by its oldest child."""
    path = [main]
    while model.parents[path[-1]]:
        path.append(model.parents[path[-1]][0])
    after = np.full(len(primary), -1, dtype=np.int64)
    children = np.flatnonzero(primary >= 0)[::-1]
    after[primary[children]] = children  # numpy keeps the last of several values for one place: the oldest child
    after[path[1:]] = path[:-1]
    before = np.full(len(primary), -1, dtype=np.int32)
    going_on = np.flatnonzero(after >= 0)
    before[after[going_on]] = going_on
    head = np.where(before < 0, np.arange(len(primary)), before)  # followed upwards, each time twice as far
    while not np.array_equal(further := head[head], head):
        head = further
    number = np.cumsum(before < 0, dtype=np.int64)
    number[: path[-1]] += 1  # lane 0 is the main one
    number -= 1
    number[path[-1]] = 0
    return _Lanes(number[head], before, after)


def _routed(links: _Links, rank: Ints, lanes: _Lanes) -> ModelArrays:
    """Route each link as `batch.routing` does: along a lane, over one rank, or in the strand that carries it.

    If there are very many links, all but those along a lane are straight.
    """
    source, target = links.source, links.target
    lane, before, after = lanes
    on_lane = before[target] == source
    lane_heads = np.full(int(lane.max()) + 1, -1, dtype=np.int64)
    if len(source) > MOST_ROUTED:
        straight: NDArray[Any] = np.where(on_lane, np.int8(LANE_LINK), np.int8(DIRECT_LINK))
        return ModelArrays(rank, lane, source, target, lane_heads, straight, links.primary)
    via = np.where(on_lane, LANE_LINK, DIRECT_LINK)
    long = np.flatnonzero((via == DIRECT_LINK) & (rank[target] > rank[source] + 1))
    above, below = source[long], target[long]
    into_head, from_last = before[below] < 0, after[above] < 0
    between = ~into_head & ~from_last
    starts_one = np.zeros(len(rank), dtype=bool)
    starts_one[above[between]] = True
    routing_strand = np.cumsum(starts_one) - 1 + len(lane_heads)
    via[long] = np.where(into_head, lane[below], np.where(from_last, lane[above], routing_strand[above]))
    strand_source = np.concatenate((lane_heads, np.flatnonzero(starts_one)))
    return ModelArrays(rank, lane, source, target, strand_source, via, links.primary)


def _columns(strand_source: Ints, columns: Columns) -> Floats:
    """Return x (s,) of every strand: lanes from the main one to the right, routing strands to the left."""
    lanes = int(np.count_nonzero(strand_source < 0))
    threads = np.arange(len(strand_source) - lanes) * (2 * columns.thread) + columns.card + columns.thread
    return np.concatenate((np.arange(lanes) * (2 * columns.card), -threads))
