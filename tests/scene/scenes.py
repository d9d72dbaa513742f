"""Graphs, layouts and views for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import SimpleNamespace

import networkx as nx
import numpy as np

from opentine_gui.layout import Direction, Layout, LayoutRequest, lay_out
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.picture.view import SceneView
from opentine_gui.scene.space.camera import Bounds
from opentine_gui.scene.space.scene_index import SceneIndex
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK, kind_code

METRICS = FontMetrics()
EVERYTHING: Bounds = (-1e9, -1e9, 1e9, 1e9)


def layout_of(
    count: int, links: Iterable[tuple[int, int]], *, direction: str = "top-to-bottom", main: int = 0
) -> Layout:
    """A real layout of steps 0 to count - 1; `main` is the step the main line ends at."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(links)
    return lay_out(LayoutRequest(graph, main=main, direction=Direction(direction)))


def forked(direction: str = "top-to-bottom") -> Layout:
    """0 - 1 - 2 - 3 (main), a fork 1 - 4 - 5, and 6 which merges 3 and 5."""
    return layout_of(7, [(0, 1), (1, 2), (2, 3), (1, 4), (4, 5), (3, 6), (5, 6)], direction=direction, main=6)


def grid(columns: int, rows: int) -> SimpleNamespace:
    """A layout-shaped value with columns × rows cards and vertical links; quick to make at any size."""
    count = columns * rows
    number = np.arange(count)
    centers = np.column_stack(((number // rows) * 260.0, (number % rows) * 120.0))
    upper = number[number % rows != rows - 1]
    edges = np.column_stack((upper, upper + 1)).astype(np.int32)
    points = np.empty((2 * len(edges), 2))
    points[0::2] = centers[edges[:, 0]] + (0, 40)
    points[1::2] = centers[edges[:, 1]] - (0, 40)
    return SimpleNamespace(
        nodes=tuple(range(count)),
        centers=centers,
        edges=edges,
        edge_points=points,
        edge_offsets=np.arange(0, 2 * len(edges) + 1, 2, dtype=np.int64),
        edge_kinds=np.zeros(len(edges), dtype=np.uint8),
        lanes=(number // rows).astype(np.int32),
        ranks=(number % rows).astype(np.int32),
        bounds=(-110.0, -40.0, (columns - 1) * 260 + 110.0, (rows - 1) * 120 + 40.0),
        direction=Direction.TOP_TO_BOTTOM,
        spacing=LayoutRequest(nx.DiGraph()).spacing,
    )


def view_of(layout: Layout, faces: Sequence[CardFace] | None = None, **changes: object) -> SceneView:
    """A view of all of a layout at zoom 1, with the given fields changed."""
    known = faces or [CardFace(f"step {number}", "line", "1.0 s") for number in range(len(layout.nodes))]
    fields: dict[str, object] = {
        "faces": known.__getitem__,
        "layout": layout,
        "index": SceneIndex(layout),
        "zoom": 1.0,
        "rect": (layout.bounds[0] - 50, layout.bounds[1] - 50, layout.bounds[2] + 50, layout.bounds[3] + 50),
        "theme": DARK,
        "metrics": METRICS,
        "kinds": np.array([kind_code(face.kind) for face in known], dtype=np.uint8),
    }
    return SceneView(**(fields | changes))  # type: ignore[arg-type]
