"""The structure of one run: facts, lanes, ranks of borders, and sums, computed once for each graph."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain, repeat

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.progress import Pace, Progress, Stop, collector_paused
from opentine_gui.core.structure.borders import Borders
from opentine_gui.core.structure.cards import Card
from opentine_gui.core.structure.cone import cone_sides, is_outside
from opentine_gui.core.structure.facts import Facts, Sums
from opentine_gui.core.structure.lanes import Lanes
from opentine_gui.core.structure.late_joins import agents_of, late_joins
from opentine_gui.core.structure.work_times import WorkTimes, follow_work_times, work_times


class Structure:
    """Everything folding knows about a graph. `main` is the position of the main line's tip, None for the last step.

    `sides[step]` numbers the set of runs a step belongs to if several runs are shown; None for one run. Two
    structures of equal arguments are equal in every part. In a local view `seeds` are the steps whose cone is shown;
    `holders` are the sides that were given. `link_sources` and `link_targets` are the links between steps, in the order
    of steps, those of a step in the order of its parents. `order` are the steps in this order; `late` the links
    at which a sub-agent's result arrives asynchronously; `agents` says for each step which sub-agent it belongs to.

    With `known`, the structure of an earlier state of the run, the cost follows what was added, not the length: apart
    from copies of columns, everything is computed from the first element of the main line at which something changed.
    For a fork `known` may be that of its source: records are read once, whatever position a step has in either.
    """

    __slots__ = (
        "_stopped_places", "_work", "agents", "borders", "facts", "graph", "holders", "lanes", "late", "link_sources",
        "link_targets", "main", "order", "seeds", "sides", "sums",
    )  # fmt: skip

    def __init__(
        self,
        graph: Graph,
        main: int | None = None,
        sides: Sequence[int] | None = None,
        *,
        seeds: tuple[int, ...] = (),
        known: Structure | None = None,
        progress: Progress | None = None,
        cancelled: Stop | None = None,
    ) -> None:
        """Read and rank a graph; the facts of steps it shares with `known` are copied."""
        self.graph = graph
        self.holders, self.seeds = sides, seeds
        if seeds:
            sides = cone_sides(graph, seeds, sides)
            if main is None or is_outside(sides, main):
                main = max(step for step in range(len(graph)) if not is_outside(sides, step))
        self.main = main if main is not None else len(graph) - 1
        self.sides = sides
        self._stopped_places: list[int] | None = None
        self._work: WorkTimes | None = None
        with collector_paused():
            self._read(main, Pace(progress, cancelled), known)

    def _read(self, main: int | None, pace: Pace, known: Structure | None) -> None:
        graph = self.graph
        before = known.facts if known is not None else None
        self.facts: Facts = Facts(graph, pace.part(0.0, 0.45), before)
        if known is not None and self.facts.same == len(known):
            follow_work_times(graph, known.graph)
        same, late = self.facts.same, known.late if known is not None else frozenset()
        self.agents: array[int] = agents_of(graph, known.agents if known is not None else None, same)
        self.late: frozenset[tuple[int, int]] = late_joins(graph, self.agents, late, same)
        if known is not None and (known.sides is not None or self.sides is not None or 2 * same < len(graph)):
            # With several runs, a change of any of them may change everything; and a little is sooner read than copied.
            known = None
        self.lanes: Lanes = Lanes(
            graph.parents, main, known.lanes if known is not None else None, same, pace.part(0.45, 0.65)
        )
        lanes = self.lanes
        if not lanes.kept_steps:
            known = None
        self.borders: Borders = Borders(
            self.facts, lanes, self.sides, pace.part(0.65, 0.9), known.borders if known is not None else None
        )
        pace.at(0.9)
        kept = lanes.kept_steps
        tips = {lane.elements[-1] for lane in lanes.lanes[lanes.kept_lanes or 1 :] if not lane.piece and lane.elements}
        self.sums: Sums = Sums(self.facts, lanes.order, tips, known.sums if known is not None else None, kept)

        pace.at(0.95)
        rest = lanes.order[kept:]
        above = [graph.parents[step] for step in rest]
        order: array[int] = array("q")
        sources: array[int] = array("q")
        targets: array[int] = array("q")
        if known is not None:
            links = len(known.link_sources) - sum(len(known.graph.parents[step]) for step in known.lanes.order[kept:])
            order, sources, targets = known.order[:kept], known.link_sources[:links], known.link_targets[:links]
        self.order: array[int] = order + array("q", rest)
        self.link_sources: array[int] = sources + array("q", chain.from_iterable(above))
        self.link_targets: array[int] = targets + array("q", chain.from_iterable(map(repeat, rest, map(len, above))))

    @property
    def work(self) -> WorkTimes:
        """When the steps were at work and the run paused; found when first asked for, in time with the steps."""
        if self._work is None:
            self._work = work_times(self.graph)
        return self._work

    def failures_in(self, start: int, end: int) -> int:
        """The number of failed steps at the places `start:end` of the order; stopped steps do not count."""
        if self._stopped_places is None:  # computed on first use, so that appending steps stays cheap
            self._stopped_places = sorted(
                self.lanes.place[step] for step in self.graph.stopped if self.facts.failed[step]
            )
        stopped = bisect_left(self._stopped_places, end) - bisect_left(self._stopped_places, start)
        return self.sums.failed[end] - self.sums.failed[start] - stopped

    def side_borders(self) -> list[int]:
        """The steps at which the set of runs that have a step changes: a card never holds steps of two sides."""
        sides, lanes = self.sides, self.lanes
        if sides is None:
            return []
        found = []
        for lane in lanes.lanes:
            before = sides[lane.owner] if 0 <= lane.owner < len(sides) else -1
            for step in lane.elements:
                if sides[step] != before and step != lanes.order[0]:
                    found.append(step)
                before = sides[step]
        return found

    def visible(self, cards: Sequence[Card]) -> list[Card]:
        """The cards shown: all but those outside the cone of a local view."""
        return [card for card in cards if not is_outside(self.sides, card.name)] if self.seeds else list(cards)

    def __len__(self) -> int:
        return len(self.graph)
