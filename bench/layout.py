"""Measures the layout: user CPU seconds per stage, crossings, size and edge length, against `dot` in the same run.

Run as `python -m bench.layout [--sizes 1000 10000 100000] [--families chain ...] [--output FILE]`. `dot` runs up to
2,000 steps, for at most 30 seconds, and is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import networkx as nx

from bench.layout_families import FAMILIES
from bench.layout_metrics import area, crossings, hits, mean_edge_length, overlaps, picture_of
from bench.layout_reference import ask_dot
from opentine_gui.layout import Direction, LayoutRequest, Spacing, extend, lay_out, write_positions
from opentine_gui.layout.batch.compact import compact
from opentine_gui.layout.batch.parallel_calls import arrange_parallel_calls
from opentine_gui.layout.batch.routing import route_edges
from opentine_gui.layout.batch.strands import assign_lanes, assign_ranks, extract
from opentine_gui.layout.batch.tree_order import tree_order
from opentine_gui.layout.engine import search_order
from opentine_gui.layout.geometry import columns_of, draw, node_columns, strand_columns
from opentine_gui.layout.incremental.kept_layout import KeptLayout

DOT_UP_TO = 2_000
PICTURE_UP_TO = 10_000  # the metrics are plain Python and would outlast the layout
EXTENSIONS = 20
Answer = TypeVar("Answer")


def user_seconds() -> float:
    """Return the user CPU time of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


class Stages:
    """CPU seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def time(self, stage: str, work: Callable[[], Answer]) -> Answer:
        """Run one stage and record its time."""
        start = user_seconds()
        answer = work()
        self.seconds[stage] = round(user_seconds() - start, 4)
        return answer


def stages_of(graph: nx.DiGraph[Any]) -> dict[str, float]:
    """Return seconds a stage for one batch layout, written back to the graph."""
    stages = Stages()
    gc.collect()
    model = stages.time("extract", lambda: extract(graph))

    def lanes() -> None:
        assign_ranks(model)
        assign_lanes(model, graph.graph["main"])
        arrange_parallel_calls(model)
        route_edges(model)

    stages.time("model", lanes)
    order = stages.time("order", lambda: tree_order(model))
    crossed: dict[int, int] | None = {}
    if model.merges:
        order, crossed = stages.time("search", lambda: search_order(model, order, True))
    spacing, direction = Spacing(), Direction.TOP_TO_BOTTOM
    columns = columns_of(spacing, direction)
    units = stages.time("compact", lambda: compact(model, order, columns))
    layout = stages.time(
        "geometry",
        lambda: draw(
            model,
            node_columns(model, units),
            strand_columns(model, units),
            direction,
            spacing,
            sum(crossed.values()) if crossed is not None else None,
            KeptLayout(model, order, units, columns, crossed),
        ),
    )
    stages.time("write back", lambda: write_positions(graph, layout))
    return stages.seconds


def extension_milliseconds(graph: nx.DiGraph[Any]) -> float:
    """Return the mean milliseconds of one incremental step, forks at regular places, after the first."""
    layout = extend(lay_out(LayoutRequest(graph, main=graph.graph["main"])), graph)
    places = range(0, len(graph), max(1, len(graph) // EXTENSIONS))
    grown = graph.copy()
    grown.clear()
    for node in graph:
        grown.add_node(node)
        grown.add_edges_from((parent, node) for parent in graph.pred[node])
    start = user_seconds()
    for place in places:
        grown.add_edge(place, f"fork at {place}")
        layout = extend(layout, grown)
    return round(1000 * (user_seconds() - start) / len(places), 2)


def measure(name: str, size: int, seed: int) -> dict[str, Any]:
    """Return one row: times, crossings, and dot's figures for the same graph."""
    graph = FAMILIES[name](size, seed)
    request = LayoutRequest(graph, main=graph.graph["main"])
    times = min((stages_of(graph) for _ in range(1 if size > 10_000 else 3)), key=lambda found: sum(found.values()))
    start = user_seconds()
    first = lay_out(LayoutRequest(graph, main=graph.graph["main"], search=False))
    row: dict[str, Any] = {
        "family": name,
        "steps": len(graph),
        "first_picture_seconds": round(user_seconds() - start, 4),
        "first_picture_crossings": first.crossings,
        "seconds": round(sum(times.values()), 4),
        "stages": times,
    }
    layout = lay_out(request)
    row["crossings"] = layout.crossings
    row["extension_milliseconds"] = extension_milliseconds(graph)
    if size <= PICTURE_UP_TO:
        picture = picture_of(graph, layout)
        row |= {"drawn_crossings": crossings(picture), "overlaps": overlaps(picture), "hits": hits(picture)}
        if size <= DOT_UP_TO and shutil.which("dot"):
            answer = ask_dot(graph, limit=30.0)
            if answer is not None:
                row["dot"] = answer
                row["faster_than_dot"] = round(answer["seconds"] / max(row["seconds"], 1e-4), 1)
                row["area_ratio"] = round(area(picture) / answer["area"], 2)
                row["edge_length_ratio"] = round(mean_edge_length(picture) / answer["mean_edge_length"], 2)
    return row


def table_line(row: dict[str, Any]) -> str:
    """Return one row of the printed table; "-" where nothing was measured."""
    stages = row["stages"]
    dot = row.get("dot", {})
    cells = [
        f"{row['family']:<10} {row['steps']:>7}",
        f"{row['first_picture_seconds']:>7.3f} {row['first_picture_crossings']:>7} {row['seconds']:>7.3f}",
        " ".join(
            f"{stages.get(stage, 0.0):>7.3f}"
            for stage in ("extract", "model", "order", "search", "compact", "geometry", "write back")
        ),
        f"{row['crossings']:>7} {row['extension_milliseconds']:>7.2f}",
        " ".join(
            f"{cell!s:>7}"
            for cell in (
                row.get("overlaps", "-"),
                row.get("hits", "-"),
                dot.get("crossings", "-"),
                row.get("faster_than_dot", "-"),
                row.get("area_ratio", "-"),
                row.get("edge_length_ratio", "-"),
            )
        ),
    ]
    return " | ".join(cells)


HEADER = (
    "family       steps |   first   cross   total | extract   model   order  search compact geometr   write"
    " |   cross step ms | overlap    hits  dot x  x faster   area   length"
)


def main() -> None:
    """Print the table, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--families", nargs="+", default=list(FAMILIES), choices=list(FAMILIES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    rows = []
    print(HEADER)
    for size in options.sizes:
        for name in options.families:
            rows.append(measure(name, size, options.seed))
            print(table_line(rows[-1]), flush=True)
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
