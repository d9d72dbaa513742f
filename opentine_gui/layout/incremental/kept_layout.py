"""A finished layout in the form that the next edit continues from, with the drawing it was last turned into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from opentine_gui.layout.batch.compact import Columns, Unit, whole_units
from opentine_gui.layout.batch.strands import Model
from opentine_gui.layout.incremental.tables import ColumnTable, CrossingTable
from opentine_gui.layout.result import Continuation, Floats, Ints


class KeptLayout(Continuation):
    """A finished layout that can be continued. Once a `Layout` carries it, it is copied and never changed."""

    def __init__(
        self,
        model: Model,
        order: Sequence[int],
        units: dict[int, list[Unit]] | Floats,
        columns: Columns,
        gap_crossings: dict[int, int] | None = None,
        *,
        countable: bool = True,
    ) -> None:
        """Take what the batch engine made; `gap_crossings` (gap -> crossings) is None where nothing was counted.

        For strands that stand apart `units` is x of each (s,): half a million units are made for the first edit alone.
        Without `countable` nothing ever is counted: there are too many long edges.
        """
        self.model = model
        self.countable = countable
        self.gap_crossings = gap_crossings
        self.uncounted: Sequence[int] = ()  # gaps missing from `gap_crossings`
        self.order: Sequence[int] = order
        self.units, self.columns = units, columns
        self.column_table: ColumnTable | None = None  # built for the first edit: most layouts never see one
        self.crossing_table: CrossingTable | None = None
        self.unit_of: Ints = np.zeros(0, dtype=np.int64)  # per node
        self.last_unit: list[int] = []  # per strand
        self.first_unit: list[int] = []
        self.drawing: KeptDrawing | None = None  # of this layout; while it is being extended, of the one before
        self.rerouted: list[int] = []  # edges that take another route than in `drawing`

    def build(self) -> None:
        """Turn the lists of a batch layout into tables. Two threads may do so at once: both make the same."""
        units, order = self.units, self.order
        if self.column_table is not None:
            return
        model = self.model
        if not isinstance(units, dict):
            units = whole_units(model, units)
        columns, crossings = ColumnTable(self.columns, units, 0), CrossingTable(model, order, 0)
        columns.label[:] = crossings.label[columns.strand]
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for unit, strand in enumerate(columns.strand.tolist()):
            first.setdefault(strand, unit)
            last[strand] = unit
        self.first_unit = [first[strand] for strand in range(len(model.top))]
        self.last_unit = [last[strand] for strand in range(len(model.top))]
        unit_of = np.array(self.first_unit, dtype=np.int64)[np.asarray(model.lane, dtype=np.int64)]
        bottoms = columns.bottom.tolist()
        for node, unit in enumerate(unit_of.tolist()):
            if last[model.lane[node]] != unit:
                while model.rank[node] > bottoms[unit]:
                    unit += 1
                unit_of[node] = unit
        self.unit_of = unit_of
        if self.gap_crossings is None and self.countable:
            self.uncounted = sorted(set(crossings.gap.tolist()))
        crossings.gap_crossings = dict(self.gap_crossings or {})
        for gap in self.uncounted:
            crossings.count_gap(gap)
        self.crossing_table = crossings
        self.column_table = columns  # last: another thread that sees it takes the layout for built
        self.units, self.order = {}, ()

    def copy(self, new_nodes: int, new_edges: int) -> KeptLayout:
        """Return a copy with room for so many more nodes and edges."""
        assert self.column_table is not None
        assert self.crossing_table is not None
        other = KeptLayout(_copy_model(self.model), [], {}, self.columns, countable=self.countable)
        strands = 2 * new_nodes + new_edges  # at most a lane and a handed-over tail a node, a routing strand an edge
        other.column_table = self.column_table.copy(strands + new_nodes)
        other.crossing_table = self.crossing_table.copy(strands, 3 * new_edges + 8)
        other.unit_of = np.concatenate((self.unit_of, np.zeros(new_nodes, dtype=np.int64)))
        other.drawing = self.drawing
        other.last_unit, other.first_unit = list(self.last_unit), list(self.first_unit)
        return other

    def node_columns(self) -> Floats:
        """Return x across the lanes for every node (n,)."""
        assert self.column_table is not None
        return self.column_table.x[self.unit_of]

    def strand_columns(self) -> Floats:
        """Return x across the lanes for the top of every strand (s,)."""
        assert self.column_table is not None
        return self.column_table.x[self.first_unit]


def _copy_model(model: Model) -> Model:
    other = object.__new__(Model)
    for name in Model.__slots__:
        value = getattr(model, name)
        setattr(other, name, value.copy() if isinstance(value, list | dict) else value)
    return other


class ModelArrays(NamedTuple):
    """A model's lists as arrays: rank, lane and primary parent of each node, source of each strand, ends and carrier of
    each link."""

    rank: Ints
    lane: Ints
    source: Ints
    target: Ints
    strand_source: Ints
    via: Ints
    primary: Ints

    @classmethod
    def of(cls, model: Model, before: ModelArrays | None = None, rerouted: Sequence[int] = ()) -> ModelArrays:
        """`before` are the arrays of the model that this one grew from: they are copied, which costs a tenth of reading
        the lists again. `rerouted` are its edges that take another route."""

        def known(name: str) -> Ints:
            return getattr(before, name) if before is not None else np.zeros(0, dtype=np.int64)

        via = _continued(model.edge_via, known("via"))
        for edge in rerouted:
            via[edge] = model.edge_via[edge]
        known_primary = known("primary")
        new_primary = [above[0] if above else -1 for above in model.parents[len(known_primary) :]]
        return cls(
            rank=_continued(model.rank, known("rank")),
            lane=_continued(model.lane, known("lane")),
            source=_continued(model.edge_source, known("source")),
            target=_continued(model.edge_target, known("target")),
            strand_source=_continued(model.source, known("strand_source")),
            via=via,
            primary=np.concatenate((known_primary, np.asarray(new_primary, dtype=np.int64))),
        )


def _continued(values: Sequence[int], known: Ints) -> Ints:
    """Return the values as an array; the first ones are `known` and copied."""
    return np.concatenate((known, np.asarray(values[len(known) :], dtype=np.int64)))


class KeptDrawing(NamedTuple):
    """The numbers of a drawing: x of nodes and strands across the lanes, points and offsets of the links' polylines."""

    arrays: ModelArrays
    across: Floats
    threads: Floats
    points: Floats
    offsets: Ints


def changed_links(
    arrays: ModelArrays, before: KeptDrawing, across: Floats, threads: Floats, rerouted: Sequence[int]
) -> Ints:
    """Return the links of the drawing `before` whose polylines have changed, in ascending order."""
    known = len(before.arrays.source)
    changed = np.zeros(known, dtype=bool)
    changed[[edge for edge in rerouted if edge < known]] = True
    moved = across[: len(before.across)] != before.across
    if moved.any():
        changed |= moved[arrays.source[:known]] | moved[arrays.target[:known]]
    shifted = threads[: len(before.threads)] != before.threads
    if shifted.any():
        via = arrays.via[:known]
        carried = np.flatnonzero((via >= 0) & (via < len(shifted)))
        changed[carried] |= shifted[via[carried]]
    return np.flatnonzero(changed)
