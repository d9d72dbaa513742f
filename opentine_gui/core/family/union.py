"""The union of several runs as one graph: each step once by id, which runs have it, its variants, and the family tree.

Steps are merged by id alone, so nothing is guessed. Records of one id may differ in cost, time and usage; these
variants are all kept. Different hashed content under one id is a conflict: one of the files was altered.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property

import msgspec

from opentine_gui.core.comparison.content_hashes import Unlike, unlike_records
from opentine_gui.core.errors import TineError
from opentine_gui.core.family.descent import Descent, descents
from opentine_gui.core.family.spending import Spending, StepSpending, Variant, spending_of, step_spending
from opentine_gui.core.format.canonical import canonical_texts, sha256_hex
from opentine_gui.core.graph.graph import Graph, Raw
from opentine_gui.core.graph.selection import Selection
from opentine_gui.core.graph.step_address import hashed_content
from opentine_gui.core.graph.step_record import COST_STATES, Columns
from opentine_gui.core.model import CostState
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.core.record import RunRecord, check_record_list

_FIGURES = ("costs", "cost_states", "durations", "timestamps", "tokens")
_RANK = {CostState.KNOWN: 0, CostState.PARTIAL: 1, CostState.UNPRICED: 2, CostState.NOT_RECORDED: 3}


class Conflict(msgspec.Struct, frozen=True):
    """One id with different hashed content. `shown` is the run whose record the union holds; `others` differ from it.

    `proven` are the runs whose content hashes to the id; the others were altered, or the id is not a hash of content.
    """

    id: str
    shown: int
    others: tuple[int, ...]
    proven: tuple[int, ...]


class Family(msgspec.Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """The union of runs, numbered as given; bit r of `holders[i]` says that run r has the union's step i.

    `graph` has every step once, parents before children: the first run's order, then what each later run adds. Where
    records differ it has the one whose cost is best known (first in `variants`), or in a conflict the first run's.
    Numbers of runs and positions beyond the end are IndexErrors, as in `Graph`.
    """

    records: tuple[RunRecord, ...]
    graph: Graph
    holders: list[int]
    steps: tuple[array[int], ...]
    variants: dict[str, tuple[Variant, ...]]
    conflicts: tuple[Conflict, ...]
    lineage: tuple[Descent, ...]

    def count(self, position: int) -> int:
        """How many runs have the union's step at `position` (shown as "×N")."""
        return self.holders[position].bit_count()

    def runs_of(self, position: int) -> tuple[int, ...]:
        """Which runs have the union's step at `position`."""
        mask = self.holders[position]
        return tuple([run for run in range(len(self.records)) if mask >> run & 1])

    @cached_property
    def shared(self) -> tuple[int, ...]:
        """Positions of the steps every run has."""
        every = (1 << len(self.records)) - 1
        return tuple([position for position, mask in enumerate(self.holders) if mask == every])

    def only(self, run: int) -> tuple[int, ...]:
        """Positions of the steps no other run has."""
        return tuple([position for position in self.steps[run] if self.holders[position] == 1 << run])

    def tips(self, run: int) -> tuple[int, ...]:
        """Positions of a run's tips in the union, where they may have children."""
        return tuple([self.steps[run][place] for place in self.records[run].graph.tips])

    def path(self, run: int) -> list[int]:
        """Positions in the union of a run's main line: from its main tip back by first parents, root first."""
        record = self.records[run]
        tip = record.main_tip
        if tip is None:
            return []
        line = [record.graph.index(tip)]
        while record.graph.parents[line[-1]]:
            line.append(record.graph.parents[line[-1]][0])
        return [self.steps[run][place] for place in reversed(line)]

    @cached_property
    def islands(self) -> int:
        """Number of unrelated groups of runs."""
        return len({descent.island for descent in self.lineage})

    @cached_property
    def tree(self) -> tuple[tuple[int, int], ...]:
        """(run, depth) in display order: each run below its parent run."""
        children: dict[int | None, list[int]] = {}
        for descent in self.lineage:
            children.setdefault(descent.parent, []).append(descent.run)
        stack = [(run, 0) for run in reversed(children.get(None, []))]
        found = []
        while stack:
            run, depth = stack.pop()
            found.append((run, depth))
            stack += [(child, depth + 1) for child in reversed(children.get(run, []))]
        return tuple(found)

    @cached_property
    def spending(self) -> Spending:
        """Cost, time and tokens of the family, with shared steps counted once."""
        return spending_of(self.records, self.graph, self.holders, self.variants)

    def step_spending(self, identity: str) -> StepSpending:
        """Sums around a step, each step counted once (see `StepSpending`). LookupFailure for an unknown id."""
        return step_spending(self.graph, self.graph.index(identity))


def family_of(
    records: Sequence[RunRecord], *, progress: Progress | None = None, cancelled: Stop | None = None
) -> Family:
    """The union of runs, in time linear in their steps. Raises Cancelled when `cancelled` answers true."""
    check_record_list(records)
    return _Union(records, Pace(progress, cancelled)).family()


class _Union:
    """Builds one union."""

    def __init__(self, records: Sequence[RunRecord], pace: Pace) -> None:
        self.records = tuple(records)
        self.pace = pace
        self.ids: list[str] = []
        self.index: dict[str, int] = {}
        self.parents: list[tuple[int, ...]] = []
        self.raws: list[Raw] = []
        self.proved = bytearray()
        self.columns = Columns()
        self.holders: list[int] = []
        self.owners: list[tuple[int, int]] = []  # (run that added the step, its position in that run)
        self.steps: list[array[int]] = []
        self.altered: dict[str, list[int]] = {}
        self.unlike: set[str] = set()

    def family(self) -> Family:
        for number, record in enumerate(self.records):
            self._add(number, record.graph)
            self.pace.at(0.9 * (number + 1) / len(self.records))
        conflicts = tuple([self._conflict(name, others) for name, others in self.altered.items()])
        variants = {}
        for name in sorted({*self.unlike, *self.altered}, key=self.index.__getitem__):
            found = self._variants(name)
            if len(found) > 1:
                variants[name] = found
                if name not in self.altered:
                    self._show(name, found[0].runs[0])
        graph = Graph(self.ids, self.parents, self.raws, self.columns, self.index, self.proved)
        family = Family(
            records=self.records,
            graph=graph,
            holders=self.holders,
            steps=tuple(self.steps),
            variants=variants,
            conflicts=conflicts,
            lineage=descents(self.records, self.ids, self.holders, self.steps),
        )
        self.pace.at(1.0)
        return family

    def _add(self, number: int, graph: Graph) -> None:
        bit = 1 << number
        places = array("q")
        fresh: list[int] = []
        known: dict[int, list[tuple[int, int]]] = {}
        for position, name in enumerate(graph.ids):
            place = self.index.get(name)
            if place is None:
                place = self.index[name] = len(self.ids)
                self.ids.append(name)
                self.parents.append(tuple([places[parent] for parent in graph.parents[position]]))
                self.holders.append(bit)
                self.owners.append((number, position))
                fresh.append(position)
            else:
                self.holders[place] |= bit
                owner, there = self.owners[place]
                known.setdefault(owner, []).append((there, position))
            places.append(place)
        self.raws += [graph.raws[position] for position in fresh]
        self.proved += bytearray([graph.proved[position] for position in fresh])
        self.columns.extend(graph.columns.taken(Selection(fresh if len(fresh) < len(graph) else range(len(graph)))))
        self.steps.append(places)
        for owner, pairs in known.items():
            self._look_at(number, owner, pairs)

    def _look_at(self, number: int, owner: int, pairs: list[tuple[int, int]]) -> None:
        """Note which shared steps have different records; `pairs` are (position in `owner`, in `number`)."""
        first = self.records[owner].graph
        for place, unlike in unlike_records(first, self.records[number].graph, pairs).items():
            name = first.ids[place]
            if Unlike.CONTENT in unlike:
                self.altered.setdefault(name, []).append(number)
            if unlike & (Unlike.COST | Unlike.TIME):
                self.unlike.add(name)

    def _conflict(self, name: str, others: list[int]) -> Conflict:
        place = self.index[name]
        holders = [run for run in range(len(self.records)) if self.holders[place] >> run & 1]
        proven = [run for run in holders if _gives(self.records[run].graph, name)]
        return Conflict(name, self.owners[place][0], tuple(others), tuple(proven))

    def _variants(self, name: str) -> tuple[Variant, ...]:
        """The different figures recorded for a step, the one with the best known cost first.

        Records with other content under the same id are separate variants even if their figures are equal.
        """
        altered = self.altered.get(name, ())
        found: dict[tuple[float, ...], list[int]] = {}
        for run, record in enumerate(self.records):
            if self.holders[self.index[name]] >> run & 1:
                columns, place = record.graph.columns, record.graph.index(name)
                figures = [getattr(columns, column)[place] for column in _FIGURES]
                found.setdefault((*figures, run in altered), []).append(run)
        variants = [
            Variant(
                runs=tuple(runs),
                cost=cost,
                cost_state=COST_STATES[int(state)],
                duration=duration,
                timestamp=timestamp,
                tokens=None if tokens < 0 else int(tokens),
            )
            for (cost, state, duration, timestamp, tokens, _), runs in found.items()
        ]
        if not altered:
            variants.sort(key=lambda variant: _RANK[variant.cost_state])
        return tuple(variants)

    def _show(self, name: str, run: int) -> None:
        """Put a run's record of a step into the union."""
        place, graph = self.index[name], self.records[run].graph
        there = graph.index(name)
        self.raws[place] = graph.raws[there]
        self.proved[place] = graph.proved[there]
        for column in _FIGURES:
            getattr(self.columns, column)[place] = getattr(graph.columns, column)[there]


def _gives(graph: Graph, name: str) -> bool:
    """Whether the content a run stores under an id hashes to that id."""
    try:
        return sha256_hex(hashed_content(canonical_texts([graph.raws[graph.index(name)]])[0])) == name
    except (TineError, msgspec.MsgspecError):
        return False
