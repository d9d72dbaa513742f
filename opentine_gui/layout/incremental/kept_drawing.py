"""What was drawn of a standing layout, kept so that drawing it again after an edit costs little beyond what is new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout.batch.strands import Model

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Table:
    """A model's lists as arrays. Of a model that grew, what stood is copied, which takes a tenth of reading it anew."""

    __slots__ = ("lane", "primary", "rank", "source", "strand_source", "target", "via")
    rank: Ints
    lane: Ints
    source: Ints
    target: Ints
    strand_source: Ints
    via: Ints
    primary: Ints

    def __init__(self, model: Model, before: Table | None = None, rerouted: Sequence[int] = ()) -> None:
        """`before` is the table of the model this one grew from; `rerouted` are its edges that go another way now."""

        def known(name: str) -> Ints:
            return getattr(before, name) if before is not None else _NO_NUMBERS

        self.rank = _continued(model.rank, known("rank"))
        self.lane = _continued(model.lane, known("lane"))
        self.source = _continued(model.edge_source, known("source"))
        self.target = _continued(model.edge_target, known("target"))
        self.strand_source = _continued(model.source, known("strand_source"))
        self.via = _continued(model.edge_via, known("via"))
        self.primary = _continued(
            [above[0] if above else -1 for above in model.parents[len(known("primary")) :]],
            known("primary"),
            whole=False,
        )
        for edge in rerouted:
            self.via[edge] = model.edge_via[edge]


class Drawn(NamedTuple):
    """A picture's numbers: x of nodes and strands across the lanes; points and offsets of the links, without pins."""

    table: Table
    across: Floats
    threads: Floats
    points: Floats
    offsets: Ints
    plain: bool
    """Whether no card stood elsewhere than at its home."""


def changed_links(table: Table, before: Drawn, across: Floats, threads: Floats, rerouted: Sequence[int]) -> Ints:
    """The links that stood `before` and do not lie where they lay, ascending."""
    stood = len(before.table.source)
    changed = np.zeros(stood, dtype=bool)
    changed[[edge for edge in rerouted if edge < stood]] = True
    moved = across[: len(before.across)] != before.across
    if moved.any():
        changed |= moved[table.source[:stood]] | moved[table.target[:stood]]
    shifted = threads[: len(before.threads)] != before.threads
    if shifted.any():
        via = table.via[:stood]
        carried = np.flatnonzero((via >= 0) & (via < len(shifted)))
        changed[carried] |= shifted[via[carried]]
    return np.flatnonzero(changed)


def _continued(values: Sequence[int], before: Ints, *, whole: bool = True) -> Ints:
    """The values as an array; those known `before` are copied, and not `whole` means that they are not in `values`."""
    return np.concatenate((before, np.asarray(values[len(before) :] if whole else values, dtype=np.int64)))


_NO_NUMBERS: Ints = np.zeros(0, dtype=np.int64)
