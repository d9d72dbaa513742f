"""Quality measures of a drawing, from card centres and edge polylines alone, independent of the layout.

They share no code with the layout on purpose: its own counts are checked against these.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SNAP = 64.0  # positions are compared in 1/64 pixel
TILT = 0.5  # a horizontal stretch is tilted by this many pixels


@dataclass(frozen=True)
class Picture:
    """A drawing of `graph`: centres (n, 2), edges as node numbers, polylines, card width and height."""

    graph: nx.DiGraph[Any]
    centers: Floats
    edges: Sequence[tuple[int, int]]
    polylines: Sequence[Floats]
    width: float
    height: float


def picture_of(graph: nx.DiGraph[Any], layout: Any) -> Picture:
    """Return the drawing of a layout; left-to-right ones are turned so that ranks go down."""
    offsets = layout.edge_offsets
    centers, points = layout.centers, layout.edge_points
    width, height = layout.spacing.node_width, layout.spacing.node_height
    if layout.direction == "left-to-right":
        centers, points, width, height = centers[:, ::-1], points[:, ::-1], height, width
    lines = [points[offsets[edge] : offsets[edge + 1]] for edge in range(len(layout.edges))]
    return Picture(graph, centers, [tuple(edge) for edge in layout.edges.tolist()], lines, width, height)


def straight_picture(graph: nx.DiGraph[Any], centers: Floats, width: float, height: float) -> Picture:
    """Return the drawing with one straight line per edge, from card bottom to card top."""
    number = {node: place for place, node in enumerate(graph)}
    edges = [(number[parent], number[child]) for parent, child in graph.edges]
    half = np.array([0.0, height / 2])
    lines = [np.array([centers[parent] + half, centers[child] - half]) for parent, child in edges]
    return Picture(graph, centers, edges, lines, width, height)


def _stretches(picture: Picture) -> list[tuple[float, float, float, float]]:
    """Return the distinct stretches (y_top, x_top, y_bottom, x_bottom) of all polylines; snapped, none horizontal."""
    found: set[tuple[float, float, float, float]] = set()
    for line in picture.polylines:
        points = [(round(x * SNAP) / SNAP, round(y * SNAP) / SNAP) for x, y in line.tolist()]
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            if (x0, y0) == (x1, y1):
                continue
            if y1 < y0:
                x0, y0, x1, y1 = x1, y1, x0, y0
            if y1 == y0:
                y1 += TILT
            found.add((y0, x0, y1, x1))
    slanted = [stretch for stretch in found if stretch[1] != stretch[3]]
    return sorted([*slanted, *_trunks(stretch for stretch in found if stretch[1] == stretch[3])])


def _trunks(verticals: Iterable[tuple[float, float, float, float]]) -> list[tuple[float, float, float, float]]:
    """Join overlapping vertical stretches: a trunk shared by several edges looks like one line."""
    joined: list[tuple[float, float, float, float]] = []
    for top, x, bottom, _ in sorted(verticals, key=lambda stretch: (stretch[1], stretch[0])):
        if joined and joined[-1][1] == x and joined[-1][2] >= top:
            top, bottom = joined[-1][0], max(bottom, joined[-1][2])
            joined.pop()
        joined.append((top, x, bottom, x))
    return joined


def crossings(picture: Picture) -> int:
    """Count crossings slab by slab: between two heights the order of two lines changes once for each crossing.

    Shared ends are ties and do not count; edges drawn on one shared trunk count once for the part they share.
    """
    stretches = _stretches(picture)
    heights = sorted({y for y0, _, y1, _ in stretches for y in (y0, y1)})
    starting: dict[float, list[tuple[float, float, float, float]]] = defaultdict(list)
    for stretch in stretches:
        starting[stretch[0]].append(stretch)
    active: list[tuple[float, float, float, float]] = []
    total = 0
    for top, bottom in itertools.pairwise(heights):
        active = [stretch for stretch in active if stretch[2] > top] + starting.get(top, [])
        if all(stretch[1] == stretch[3] for stretch in active):
            continue
        ends = []
        for y0, x0, y1, x1 in active:
            slope = (x1 - x0) / (y1 - y0)
            ends.append((round(x0 + slope * (top - y0), 6), round(x0 + slope * (bottom - y0), 6)))
        total += strict_inversions(ends)
    return total


def strict_inversions(pairs: list[tuple[float, float]]) -> int:
    """Count pairs of pairs with a < a' and b > b'."""
    seen: list[float] = []
    total = 0
    waiting: list[float] = []
    last: float | None = None
    for above, below in sorted(pairs):
        if above != last:
            for value in waiting:
                insort(seen, value)
            waiting, last = [], above
        total += len(seen) - bisect_right(seen, below)
        waiting.append(below)
    return total


def crossings_by_pairs(picture: Picture) -> int:
    """Count crossings by testing every two stretches: O(E^2), for small graphs, to check `crossings` by.

    A crossing on a bend (a slab boundary) is not seen by either way of counting.
    """
    stretches = _stretches(picture)
    total = 0
    for place, (y0, x0, y1, x1) in enumerate(stretches):
        for v0, u0, v1, u1 in stretches[place + 1 :]:
            top, bottom = max(y0, v0), min(y1, v1)
            if top >= bottom:
                continue
            first, second = (x1 - x0) / (y1 - y0), (u1 - u0) / (v1 - v0)
            above = round(x0 + first * (top - y0), 6) - round(u0 + second * (top - v0), 6)
            below = round(x0 + first * (bottom - y0), 6) - round(u0 + second * (bottom - v0), 6)
            total += above * below < 0
    return total


def _cells(picture: Picture) -> dict[tuple[int, int], list[int]]:
    grid: dict[tuple[int, int], list[int]] = defaultdict(list)
    for node, (x, y) in enumerate(picture.centers.tolist()):
        grid[int(x // picture.width), int(y // picture.height)].append(node)
    return grid


def overlaps(picture: Picture) -> int:
    """Count pairs of cards that overlap by more than a hair."""
    grid = _cells(picture)
    centers = picture.centers.tolist()
    total = 0
    for (column, row), here in grid.items():
        near = [node for dx in (-1, 0, 1) for dy in (-1, 0, 1) for node in grid.get((column + dx, row + dy), ())]
        for node in here:
            x, y = centers[node]
            for other in near:
                u, v = centers[other]
                if other > node and abs(x - u) < picture.width - 1e-6 and abs(y - v) < picture.height - 1e-6:
                    total += 1
    return total


def hits(picture: Picture) -> int:
    """Count (edge, foreign card) pairs where the edge runs through the card, taken one pixel smaller all round."""
    rows: dict[int, list[int]] = defaultdict(list)
    centers = picture.centers.tolist()
    for node, (_, y) in enumerate(centers):
        rows[int(y // picture.height)].append(node)
    for here in rows.values():
        here.sort(key=lambda node: centers[node][0])
    columns = {row: [centers[node][0] for node in here] for row, here in rows.items()}
    half_width, half_height = picture.width / 2 - 1, picture.height / 2 - 1
    found: set[tuple[int, int]] = set()
    for edge, (line, ends) in enumerate(zip(picture.polylines, picture.edges, strict=True)):
        points = line.tolist()
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            low, high = min(x0, x1) - half_width, max(x0, x1) + half_width
            first = int((min(y0, y1) - half_height) // picture.height)
            last = int((max(y0, y1) + half_height) // picture.height)
            for row in range(first, last + 1):
                if row not in columns:
                    continue
                place = bisect_right(columns[row], low)
                while place < len(columns[row]) and columns[row][place] < high:
                    node = rows[row][place]
                    place += 1
                    if node not in ends and _enters((x0, y0, x1, y1), centers[node], half_width, half_height):
                        found.add((edge, node))
    return len(found)


def _enters(
    line: tuple[float, float, float, float], center: list[float], half_width: float, half_height: float
) -> bool:
    """Tell whether a segment enters a box (Liang and Barsky's clipping)."""
    x0, y0, x1, y1 = line
    start, end = 0.0, 1.0
    for origin, delta, middle, half in ((x0, x1 - x0, center[0], half_width), (y0, y1 - y0, center[1], half_height)):
        low, high = middle - half - origin, middle + half - origin
        if delta == 0:
            if low >= 0 or high <= 0:
                return False
            continue
        near, far = sorted((low / delta, high / delta))
        start, end = max(start, near), min(end, far)
    return start < end


def main_path(graph: nx.DiGraph[Any], main: Any) -> list[Any]:
    """Return the first-parent path that ends at `main`, root first."""
    path = [main]
    while above := list(graph.pred[path[-1]]):
        path.append(above[0])
    return path[::-1]


def main_bends(picture: Picture, main: Any) -> int:
    """Count steps of the main line that are not straight below their parent."""
    number = {node: place for place, node in enumerate(picture.graph)}
    xs = [picture.centers[number[node], 0] for node in main_path(picture.graph, main)]
    return sum(abs(left - right) >= 0.75 for left, right in itertools.pairwise(xs))


def chain_straight_percent(picture: Picture) -> float:
    """Return how many per cent of the edges with one way out and one way in are vertical; 100 if there are none."""
    graph = picture.graph
    nodes = list(graph)
    straight = total = 0
    for parent, child in picture.edges:
        if graph.out_degree(nodes[parent]) == 1 and graph.in_degree(nodes[child]) == 1:
            total += 1
            straight += abs(picture.centers[parent, 0] - picture.centers[child, 0]) < 0.75
    return 100.0 * straight / total if total else 100.0


def bends(picture: Picture) -> int:
    """Count inner points of polylines where the line turns by more than one degree."""
    total = 0
    for line in picture.polylines:
        steps = np.diff(line, axis=0)
        angles = np.degrees(np.arctan2(steps[:, 1], steps[:, 0]))
        total += int((np.abs(np.diff(angles)) > 1.0).sum())
    return total


def mean_edge_length(picture: Picture) -> float:
    """Return the mean length of the polylines in pixels."""
    lengths = [float(np.hypot(*np.diff(line, axis=0).T).sum()) for line in picture.polylines]
    return sum(lengths) / len(lengths) if lengths else 0.0


def area(picture: Picture) -> float:
    """Return the area of the bounding box of cards and edges in square pixels."""
    half = np.array([picture.width, picture.height]) / 2
    spots = [picture.centers - half, picture.centers + half, *picture.polylines]
    points = np.concatenate(spots)
    size = points.max(axis=0) - points.min(axis=0)
    return float(size[0] * size[1])


@dataclass(frozen=True)
class Change:
    """What differs between two pictures of a growing graph: per cent of cards moved, and order flips."""

    moved_percent: float
    flips_percent: float


def change(before: Floats, after: Floats, ranks: NDArray[np.int32]) -> Change:
    """Compare the centres (n, 2) of the same nodes after taking out the commonest translation.

    A flip is a pair of neighbours of one rank (`ranks`, before) whose left-to-right order turned round.
    """
    shift = np.round(after - before, 2)
    shifts, counts = np.unique(shift, axis=0, return_counts=True)
    rest = np.hypot(*(shift - shifts[counts.argmax()]).T)
    order = np.lexsort((before[:, 0], ranks))
    same_rank = ranks[order][1:] == ranks[order][:-1]
    flipped = (np.diff(after[order, 0]) < 0) & same_rank
    pairs = max(1, int(same_rank.sum()))
    return Change(100 * float((rest > 1.5).mean()), 100 * float(flipped.sum()) / pairs)
