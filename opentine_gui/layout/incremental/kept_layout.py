"""A finished layout in the form the incremental mode continues from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout.batch.compact import Columns, Unit
from opentine_gui.layout.batch.strands import Model
from opentine_gui.layout.incremental.columns import Columned, Crossed
from opentine_gui.layout.incremental.kept_drawing import Drawn


class Standing:
    """A finished layout in the form it can be continued from; once handed out it is never changed, only copied."""

    def __init__(
        self,
        model: Model,
        order: Sequence[int],
        units: dict[int, list[Unit]],
        columns: Columns,
        in_gap: dict[int, int] | None = None,
    ) -> None:
        self.model = model
        self.in_gap = in_gap  # gap -> crossings, where already counted; None: nowhere
        self.uncounted: Sequence[int] = ()  # gaps that are not, beside those
        self.order: Sequence[int] = order
        self.units, self.columns = units, columns
        self.columned: Columned | None = None  # built when first continued from: most layouts never are
        self.crossed: Crossed | None = None
        self.unit_of: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.last_unit: list[int] = []
        self.first_unit: list[int] = []
        self.drawn: Drawn | None = None  # of this layout; while it is being continued: of the one it grew from
        self.rerouted: list[int] = []  # edges that go another way than when they were drawn

    def build(self) -> None:
        """Turn the lists of a batch layout into arrays. Two threads may do so at once: both make the same."""
        units, order = self.units, self.order
        if self.columned is not None:
            return
        model = self.model
        columned, crossed = Columned(self.columns, units, 0), Crossed(model, order, 0)
        columned.label[:] = crossed.label[columned.strand]
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for unit, strand in enumerate(columned.strand.tolist()):
            first.setdefault(strand, unit)
            last[strand] = unit
        self.first_unit = [first[strand] for strand in range(len(model.top))]
        self.last_unit = [last[strand] for strand in range(len(model.top))]
        unit_of = np.array(self.first_unit, dtype=np.int64)[np.asarray(model.lane, dtype=np.int64)]
        bottoms = columned.bottom.tolist()
        for node, unit in enumerate(unit_of.tolist()):
            if last[model.lane[node]] != unit:
                while model.rank[node] > bottoms[unit]:
                    unit += 1
                unit_of[node] = unit
        self.unit_of = unit_of
        if self.in_gap is None:
            for gap in sorted(set(crossed.gap.tolist())):
                crossed.count_gap(gap)
        else:
            crossed.in_gap = dict(self.in_gap)
            for gap in self.uncounted:
                crossed.count_gap(gap)
        self.crossed = crossed
        self.columned = columned  # last: from here on another thread takes it for built
        self.units, self.order = {}, ()

    def copy(self, new_nodes: int, new_edges: int) -> Standing:
        """Return a copy that can grow."""
        assert self.columned is not None
        assert self.crossed is not None
        other = Standing(_copy_model(self.model), [], {}, self.columns)
        strands = 2 * new_nodes + new_edges  # at most a lane and a handed-over tail a node, a routing strand an edge
        other.columned = self.columned.copy(strands + new_nodes)
        other.crossed = self.crossed.copy(strands, 3 * new_edges + 8)
        other.unit_of = np.concatenate((self.unit_of, np.zeros(new_nodes, dtype=np.int64)))
        other.drawn = self.drawn
        other.last_unit, other.first_unit = list(self.last_unit), list(self.first_unit)
        return other

    def node_columns(self) -> NDArray[np.float64]:
        """Return x across the lanes for every node (n,)."""
        assert self.columned is not None
        return self.columned.x[self.unit_of]

    def strand_columns(self) -> NDArray[np.float64]:
        """Return x across the lanes for the top of every strand (s,)."""
        assert self.columned is not None
        return self.columned.x[self.first_unit]


def _copy_model(model: Model) -> Model:
    other = object.__new__(Model)
    for name in Model.__slots__:
        value = getattr(model, name)
        setattr(other, name, value.copy() if isinstance(value, list | dict) else value)
    return other
