"""What every step looks like from far away: its kind's colour code, and whether it failed, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opentine_gui.core import Graph
from opentine_gui.scene.theme import kind_code


@dataclass(frozen=True, eq=False)
class Marks:
    """`kinds` (n,) codes of scene.theme.KINDS; `failures` ascending indices of failing steps."""

    kinds: NDArray[np.uint8]
    failures: NDArray[np.int64]


def marks_of(graph: Graph) -> Marks:
    """Read them off the graph's columns; payloads are not decoded."""
    codes = {kind: kind_code(kind.value) for kind in set(graph.kinds)}
    kinds = np.fromiter((codes[kind] for kind in graph.kinds), dtype=np.uint8, count=len(graph))
    for position, name in graph.v3_kinds.items():
        kinds[position] = kind_code(name)
    return Marks(kinds, np.flatnonzero(np.frombuffer(graph.failed, dtype=np.uint8)))
