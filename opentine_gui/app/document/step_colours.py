"""What every step looks like from far away: its kind's colour code, and whether it failed, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from opentine_gui.core import Graph, StepKind
from opentine_gui.core.model import SHOWN_KINDS
from opentine_gui.scene.theme import kind_code

if TYPE_CHECKING:
    from opentine_gui.app.document.overlay import Overlay


class StepColours(msgspec.Struct, frozen=True, eq=False):
    """`kinds` (n,) codes of `roles`, names of theme colours; `failures` ascending indices of failing steps."""

    kinds: NDArray[np.uint8]
    failures: NDArray[np.int64]
    roles: Sequence[str] = SHOWN_KINDS


def colours_by_kind(graph: Graph) -> StepColours:
    """Read them off the graph's columns; payloads are not decoded."""
    # By identity: the hash of an enumeration's member is a call into Python, a hundred thousand times over.
    codes = {id(kind): kind_code(kind.value) for kind in StepKind}
    kinds = np.array(list(map(codes.__getitem__, map(id, graph.kinds))), dtype=np.uint8)
    for position, name in graph.v3_kinds.items():
        kinds[position] = kind_code(name)
    return StepColours(kinds, np.flatnonzero(np.frombuffer(graph.failed, dtype=np.uint8)))


def colours_by_run(overlay: Overlay) -> StepColours:
    """Whose each step is, where several runs are shown. No failure is marked: its colour would be taken for a run's."""
    from opentine_gui.app.document.overlay import PALETTE

    return StepColours(overlay.step_roles, np.empty(0, dtype=np.int64), PALETTE)
