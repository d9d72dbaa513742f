"""Stores the crossings, area and edge lengths of Graphviz' dot on the families, for the tests.

Run as `python -m bench.layout_reference`; it rewrites tests/data/layout_reference.json. Only this and the benchmark
need the `dot` program. dot's crossings are what its own ordering reports (`dot -v`), not what its drawn splines show.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import resource
import subprocess
from pathlib import Path
from typing import Any

import networkx as nx

from bench.layout_families import FAMILIES, FORESTS

REFERENCE = Path(__file__).parent.parent / "tests" / "data" / "layout_reference.json"
INSTANCES = [(name, 100, seed) for name in FAMILIES for seed in range(1, 9)]
INSTANCES += [(name, 1000, seed) for name in FAMILIES for seed in range(1, 7)]
INSTANCES += [(name, 10_000, 1) for name in FORESTS]


def key(name: str, size: int, seed: int) -> str:
    """Return the name of one instance in the reference file."""
    return f"{name}/{size}/{seed}"


def dot_text(graph: nx.DiGraph[Any]) -> str:
    """Return the graph in dot's language with our card size and gaps."""
    number = {node: place for place, node in enumerate(graph)}
    lines = [
        "digraph {",
        f"graph [splines=false nodesep={40 / 72} ranksep={40 / 72}];",
        f'node [shape=box fixedsize=true label="" width={220 / 72} height={80 / 72}];',
        "edge [arrowhead=none];",
    ]
    lines += [f"{place};" for place in number.values()]
    lines += [f"{number[parent]}->{number[child]};" for parent, child in graph.edges]
    return "\n".join([*lines, "}"])


def ask_dot(graph: nx.DiGraph[Any], *, limit: float = 120.0) -> dict[str, Any] | None:
    """Return dot's crossings, area (square pixels), mean edge length (pixels) and CPU seconds; None past the limit."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        done = subprocess.run(
            ["dot", "-v", "-Tplain"], input=dot_text(graph), capture_output=True, text=True, check=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return None
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    crossings = sum(int(found) for found in re.findall(r"^mincross .*?: (\d+) crossings", done.stderr, re.MULTILINE))
    size = [0.0, 0.0]
    lengths = []
    for line in done.stdout.splitlines():
        words = line.split()
        if words[0] == "graph":
            size = [72 * float(words[2]), 72 * float(words[3])]
        elif words[0] == "edge":
            numbers = [72 * float(word) for word in words[4 : 4 + 2 * int(words[3])]]
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
            lengths.append(sum(math.dist(a, b) for a, b in itertools.pairwise(points)))
    return {
        "crossings": crossings,
        "area": round(size[0] * size[1]),
        "mean_edge_length": round(sum(lengths) / max(1, len(lengths)), 2),
        "seconds": round(seconds, 3),
    }


def shape(graph: nx.DiGraph[Any]) -> dict[str, int]:
    """Return what pins an instance: nodes, edges, layers and the widest layer."""
    generations = [len(generation) for generation in nx.topological_generations(graph)]
    return {
        "nodes": len(graph),
        "edges": graph.number_of_edges(),
        "layers": len(generations),
        "widest": max(generations),
    }


def main() -> None:
    """Write the reference file."""
    instances: dict[str, dict[str, Any]] = {}
    for name, size, seed in INSTANCES:
        graph = FAMILIES[name](size, seed)
        answer = ask_dot(graph)
        if answer is not None:
            answer.pop("seconds")
        instances[key(name, size, seed)] = {**shape(graph), "dot": answer}
        print(key(name, size, seed), instances[key(name, size, seed)], flush=True)
    version = subprocess.run(["dot", "-V"], capture_output=True, text=True, check=True).stderr.strip()
    REFERENCE.parent.mkdir(parents=True, exist_ok=True)
    REFERENCE.write_text(json.dumps({"made_with": version, "instances": instances}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
