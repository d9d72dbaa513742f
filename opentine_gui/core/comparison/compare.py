"""Compares two runs: shared steps, steps only one has, matching steps, and where the runs diverge.

A step id is a hash of its content, so steps with one id are the same work. Steps without a shared id are matched by
`pairing`. Causes are kept apart from consequences: the first steps that differ are the root divergences, everything
after them is downstream. A step's time and provider are not compared; a shared step with another cost, usage or billing
is a *variant*, as in the package.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

import msgspec

from opentine_gui.core.comparison.content_hashes import Unlike, unlike_records
from opentine_gui.core.comparison.divergence import (
    DivergenceKind,
    DriftTwins,
    Names,
    RootDivergence,
    find_root_divergences,
    twins,
)
from opentine_gui.core.comparison.pairing import Match, Pairing, Side
from opentine_gui.core.comparison.step_difference import COST_FIELDS, FIELDS, FieldDifference, step_difference
from opentine_gui.core.comparison.totals_difference import Figure, Figures, figures_between
from opentine_gui.core.errors import FormatError, shown
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.totals import Totals, totals_of
from opentine_gui.core.progress import Pace, Progress, Stop, collector_paused
from opentine_gui.core.record import RunRecord, check_records

__all__ = [
    "Comparison",
    "DivergenceKind",
    "DriftTwins",
    "Figure",
    "Figures",
    "Mark",
    "Pair",
    "PairKind",
    "RootDivergence",
    "compare",
]


class PairKind(StrEnum):
    """How two matched steps differ."""

    CHANGED = "changed"
    MOVED = "moved"
    VARIANT = "variant"
    CONFLICT = "conflict"


class Pair(msgspec.Struct, frozen=True):
    """Two matched steps, by full id.

    CHANGED: different content. MOVED: the same own content under another id. VARIANT: one id, but another cost, usage
    or billing. CONFLICT: one id, but different content or parents: one of the files was altered.
    `same_request`: kind and inputs are equal.
    """

    a: str
    b: str
    kind: PairKind
    same_request: bool = True


class Mark(StrEnum):
    """A step's status in a comparison."""

    SAME = "same"
    ONLY_A = "only a"
    ONLY_B = "only b"
    CHANGED = "changed"
    MOVED = "moved"
    VARIANT = "variant"
    CONFLICT = "conflict"


class Comparison(msgspec.Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """The result of `compare`; full ids in traversal order. `changed` holds the CHANGED, VARIANT and CONFLICT pairs.

    `common_ancestor` follows the package's rule for the main tips (docs/FORMAT.md, section 11), which is not symmetric;
    `common_ancestors` are all the nearest ones. `only_a` and `only_b` leave out matched steps.
    """

    a: RunRecord
    b: RunRecord
    common_ancestor: str | None
    common_ancestors: tuple[str, ...]
    shared: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    changed: tuple[Pair, ...]
    moved: tuple[Pair, ...]
    root_divergences: tuple[RootDivergence, ...]
    drift_twins: tuple[DriftTwins, ...]
    figures: Figures

    @property
    def same(self) -> bool:
        """Whether the runs hold the same steps at the same cost."""
        return not (self.only_a or self.only_b or self.changed or self.moved)

    @property
    def nothing_in_common(self) -> bool:
        """Whether no step of one run is in the other, or answers to one of it."""
        return not (self.shared or self.changed or self.moved)

    def telling(self, root: RootDivergence) -> tuple[str | None, str | None]:
        """The first steps after a root divergence in which what was asked or done differs, one of each run.

        These are mostly its own two steps. If one of them is a system prompt, which differs from program to program and
        version to version, the first steps after it that differ are given, without system prompts; where a run ends
        before there is one, the two of the divergence after all.
        """
        a, b = root.a, root.b
        if not (is_policy(self.a.graph, a) or is_policy(self.b.graph, b)):
            return a, b
        for _ in range(_MOST_ALIKE):
            a, b = _past_policies(self.a.graph, a), _past_policies(self.b.graph, b)
            pair = self.pairs.get(a or "")
            if a is None or b is None or pair is None or pair.kind is not PairKind.MOVED or pair.b != b:
                break
            a, b = _first_child(self.a.graph, a), _first_child(self.b.graph, b)
        return (root.a, root.b) if a is None or b is None else (a, b)

    def prompts_passed_over(self, root: RootDivergence) -> tuple[bool, bool]:
        """Whether each run has a system prompt among the steps that `telling` passes over."""
        a, b = self.telling(root)
        return _has_policy(self.a.graph, root.a, a), _has_policy(self.b.graph, root.b, b)

    @property
    def conflicts(self) -> tuple[Pair, ...]:
        """Pairs with one id but different content, which means that one of the files does not verify."""
        return tuple(pair for pair in self.changed if pair.kind is PairKind.CONFLICT)

    @cached_property
    def marks(self) -> dict[str, Mark]:
        """The mark of every step of either run, by id."""
        found = dict.fromkeys(self.shared, Mark.SAME)
        found.update(dict.fromkeys(self.only_a, Mark.ONLY_A))
        found.update(dict.fromkeys(self.only_b, Mark.ONLY_B))
        for pair in (*self.changed, *self.moved):
            found[pair.a] = found[pair.b] = Mark(pair.kind.value)
        return found

    @cached_property
    def pairs(self) -> dict[str, Pair]:
        """The pair of each matched step, by the id of either side."""
        return {identity: pair for pair in (*self.moved, *self.changed) for identity in (pair.a, pair.b)}

    @cached_property
    def causes(self) -> frozenset[str]:
        """Ids of the steps that cause a root divergence."""
        return frozenset(identity for root in self.root_divergences for identity in root.causes)

    def partner(self, identity: str) -> str | None:
        """Id of the matching step in the other run; the same id for a shared step; None without a match."""
        given: object = identity
        pair = self.pairs.get(identity) if isinstance(given, str) else None
        if pair is not None:
            return pair.b if identity == pair.a else pair.a
        return identity if isinstance(given, str) and identity in self.a.graph and identity in self.b.graph else None

    def difference(self, pair: Pair) -> tuple[FieldDifference, ...]:
        """The fields in which the two steps of a pair differ. Decodes both; FormatError when that fails."""
        given: object = pair
        if not isinstance(given, Pair):
            raise FormatError(f"{shown(given)} is no pair of steps")
        names = COST_FIELDS if pair.kind is PairKind.VARIANT else FIELDS
        return step_difference(self.a.graph.step(pair.a), self.b.graph.step(pair.b), names=names)

    def step_figures(self, a: str | None, b: str | None) -> Figures:
        """Cost, duration and tokens of two steps; None means that there is no step on that side."""
        return figures_between(
            _step_totals(self.a.graph, a),
            _step_totals(self.b.graph, b),
        )


def compare(
    a: RunRecord, b: RunRecord, *, progress: Progress | None = None, cancelled: Stop | None = None
) -> Comparison:
    """Compare two runs in near-linear time. Raises Cancelled when `cancelled` answers true.

    The payload of a shared step is not decoded when its stored text is the same on both sides.
    """
    check_records(a, b)
    with collector_paused():
        return _compare(a, b, Pace(progress, cancelled))


def _compare(a: RunRecord, b: RunRecord, pace: Pace) -> Comparison:
    left, right = a.graph, b.graph
    mine, yours = set(left.ids), set(right.ids)
    shared = [place for place, identity in enumerate(left.ids) if identity in yours]
    rest = [place for place, identity in enumerate(left.ids) if identity not in yours]
    other = [place for place, identity in enumerate(right.ids) if identity not in mine]
    pairs = [(place, right.index(left.ids[place])) for place in shared]
    unlike = unlike_records(left, right, pairs, pace=pace.part(0.0, 0.2))
    one = Side(left, rest, pace.part(0.2, 0.45))
    two = Side(right, other, pace.part(0.45, 0.7))
    pairing = Pairing(one, two, pace.part(0.7, 0.95))
    pairing.find(related=bool(shared) or _linked(a, b))
    moved = [_pair(one, two, match, PairKind.MOVED) for match in pairing.moved]
    changed = [(place, _shared_pair(left.ids[place], found)) for place, found in unlike.items() if found != Unlike.TIME]
    changed += [(match[0], _pair(one, two, match, PairKind.CHANGED)) for match in pairing.changed]
    changed.sort(key=lambda found: found[0])
    tips = (a.main_tip, b.main_tip)
    nearest = _nearest(left, right, *tips)
    pace.at(0.95)
    comparison = Comparison(
        a=a,
        b=b,
        common_ancestor=_common_ancestor(left, right, *tips, nearest),
        common_ancestors=nearest,
        shared=tuple([left.ids[place] for place in shared]),
        only_a=tuple([left.ids[place] for place in rest if place not in one.partner]),
        only_b=tuple([right.ids[place] for place in other if place not in two.partner]),
        changed=tuple([pair for _, pair in changed]),
        moved=tuple(moved),
        root_divergences=tuple(find_root_divergences(one, two, pairing.moved)),
        drift_twins=tuple(twins(one, two)),
        figures=figures_between(a.totals, b.totals, at_least=(bool(a.at_least), bool(b.at_least))),
    )
    pace.at(1.0)
    return comparison


_MOST_ALIKE = 1_000
"""Most steps that are the same after two different beginnings which are looked through for one that is not."""


def is_policy(graph: Graph, identity: str | None) -> bool:
    """Whether a step is what an agent's program tells its model, the system prompt; False for None."""
    return identity is not None and graph.v3_kinds.get(graph.index(identity)) == "policy"


def _has_policy(graph: Graph, first: str | None, end: str | None) -> bool:
    """Whether one of the steps from the first on to the end, which is not one of them, is a system prompt."""
    while first is not None and first != end:
        if is_policy(graph, first):
            return True
        first = _first_child(graph, first)
    return False


def _past_policies(graph: Graph, identity: str | None) -> str | None:
    while is_policy(graph, identity):
        identity = _first_child(graph, identity)
    return identity


def _first_child(graph: Graph, identity: str | None) -> str | None:
    children = graph.children_of(graph.index(identity)) if identity is not None else ()
    return graph.ids[children[0]] if len(children) else None


def _step_totals(graph: Graph, identity: str | None) -> Totals:
    return totals_of(graph, [] if identity is None else [graph.index(identity)])


def _pair(left: Side, right: Side, match: Match, kind: PairKind) -> Pair:
    same_request = left.hashes[match[0]].call == right.hashes[match[1]].call
    return Pair(left.graph.ids[match[0]], right.graph.ids[match[1]], kind, same_request)


def _shared_pair(identity: str, found: Unlike) -> Pair:
    conflict = Unlike.CONTENT in found
    return Pair(identity, identity, PairKind.CONFLICT if conflict else PairKind.VARIANT, not conflict)


def _linked(a: RunRecord, b: RunRecord) -> bool:
    """Whether one run was forked from the other, or both from the same run, according to their metadata."""
    sources = (a.lineage.forked_from, b.lineage.forked_from)
    return sources[0] == b.run_id or sources[1] == a.run_id or (sources[0] is not None and sources[0] == sources[1])


def _nearest(left: Graph, right: Graph, one: str | None, two: str | None) -> tuple[str, ...]:
    """The nearest common ancestors of two tips: those that are not ancestors of another, in either run."""
    if one is None or two is None:
        return ()
    mine = left.closure([left.index(one)], causal=False)
    yours = right.closure([right.index(two)], causal=False)
    others = {right.ids[place] for place in yours}
    common = {name for name in [left.ids[place] for place in mine] if name in others}
    covered = {
        graph.ids[parent]
        for graph, places in ((left, mine), (right, yours))
        for place in places
        if graph.ids[place] in common
        for parent in graph.parents[place]
    }
    nearest = common - covered
    return tuple([left.ids[place] for place in mine if left.ids[place] in nearest])


def _common_ancestor(left: Graph, right: Graph, one: str | None, two: str | None, nearest: Names) -> str | None:
    """The common ancestor of two tips by the package's rule (docs/FORMAT.md, section 11)."""
    if one is None or two is None:
        return None
    if len(nearest) == 1:  # all others are its ancestors and come before it
        return nearest[0]
    others = {right.ids[place] for place in right.closure([right.index(two)], causal=False)}
    return next(
        (left.ids[place] for place in reversed(left.ancestors(left.index(one))) if left.ids[place] in others), None
    )
