"""Where two runs diverge, and which steps have the same request but different outcomes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from itertools import zip_longest

import msgspec

from opentine_gui.core.comparison.content_hashes import contents
from opentine_gui.core.comparison.pairing import Match, Side
from opentine_gui.core.graph.graph import Graph

Names = tuple[str, ...]


class DivergenceKind(StrEnum):
    """What differs at a point where two runs diverge."""

    CHANGED = "changed"
    """`a` and `b` are matched and have different content."""
    ONLY_A = "only in a"
    """`a` has no match; `b`, if any, has one elsewhere in the other run."""
    ONLY_B = "only in b"
    """`b` has no match; `a`, if any, has one elsewhere in the other run."""
    MOVED = "moved"
    """The same work has other parents or comes in another order."""
    DIFFERENT = "different"
    """Both runs continue with unrelated work."""


class RootDivergence(msgspec.Struct, frozen=True):
    """The first differing step on each side after the shared `parents`; None if that side ends there."""

    parents: Names
    a: str | None
    b: str | None
    kind: DivergenceKind

    @property
    def parent(self) -> str | None:
        """The shared step after which the runs diverge (the first of several); None if they diverge at the start."""
        return self.parents[0] if self.parents else None

    @property
    def causes(self) -> Names:
        """Ids of the steps that cause the divergence; a step with a match elsewhere in the other run is not one."""
        chosen = (
            None if self.kind is DivergenceKind.ONLY_B else self.a,
            None if self.kind is DivergenceKind.ONLY_A else self.b,
        )
        return tuple([identity for identity in chosen if identity is not None])


class DriftTwins(msgspec.Struct, frozen=True):
    """Steps with the same request (kind, inputs, parents) and different outcomes; `both` are in both runs."""

    parents: Names
    a: Names
    b: Names
    both: Names

    def stack(self, graph: Graph) -> Names:
        """The ids of these steps that `graph` has, in its traversal order."""
        return tuple(sorted((name for name in (*self.a, *self.both, *self.b) if name in graph), key=graph.index))


def find_root_divergences(left: Side, right: Side, moved: Iterable[Match]) -> list[RootDivergence]:
    """The root divergences: differing steps whose parents are all shared, side by side.

    Matched steps form one divergence; then unmatched steps with the same parents are put side by side, in traversal
    order. If one run has a step the other lacks, there is at least one divergence.
    """
    same_work = set(moved)
    first, second = _first_different(left), _first_different(right)
    found: list[tuple[tuple[int, int], RootDivergence]] = []
    rest: dict[Names, tuple[list[int], list[int]]] = {}
    for place in first:
        partner = left.partner.get(place)
        if partner is not None and partner in second:
            found.append(((0, place), _root_divergence(left, right, place, partner, same_work)))
        else:
            rest.setdefault(left.graph.parent_ids(place), ([], []))[0].append(place)
    for place in second:
        if right.partner.get(place) not in first:
            rest.setdefault(right.graph.parent_ids(place), ([], []))[1].append(place)
    for lefts, rights in rest.values():
        # Unmatched steps come first; the others have a match later in the other run.
        lefts.sort(key=lambda place: place in left.partner)
        rights.sort(key=lambda place: place in right.partner)
        for one, two in zip_longest(lefts, rights):
            where = (0, one) if one is not None else (1, two)
            found.append((where, _root_divergence(left, right, one, two, same_work)))
    return [divergence for _, divergence in sorted(found, key=lambda pair: pair[0])]


def _first_different(side: Side) -> dict[int, None]:
    """Positions of the steps the other run lacks but whose parents it all has, in traversal order."""
    return {
        place: None
        for place in side.positions
        if not any(parent in side.hashes for parent in side.graph.parents[place])
    }


def _root_divergence(
    left: Side, right: Side, one: int | None, two: int | None, same_work: set[Match]
) -> RootDivergence:
    if one is None and two in right.partner:
        one = right.partner[two]
    elif two is None and one in left.partner:
        two = left.partner[one]
    above = left.graph.parent_ids(one) if one is not None else ()
    below = right.graph.parent_ids(two) if two is not None else ()
    mine, yours = one in left.partner, two in right.partner
    if one is not None and two is not None and left.partner.get(one) == two:
        kind = DivergenceKind.MOVED if (one, two) in same_work else DivergenceKind.CHANGED
    elif mine and yours:
        kind = DivergenceKind.MOVED
    elif two is None or yours:
        kind = DivergenceKind.ONLY_A
    elif one is None or mine:
        kind = DivergenceKind.ONLY_B
    else:
        kind = DivergenceKind.DIFFERENT
    # Parents common to both come first: those of a step deeper in its run are not where the runs diverge.
    shared = [name for name in above if name in right.graph] + [name for name in below if name in left.graph]
    parents = sorted(dict.fromkeys(shared), key=lambda name: not (name in above and name in below))
    return RootDivergence(
        tuple(parents),
        None if one is None else left.graph.ids[one],
        None if two is None else right.graph.ids[two],
        kind,
    )


def twins(left: Side, right: Side) -> list[DriftTwins]:
    """Groups of siblings with equal kind and inputs but different outcomes, at least one of them in one run only."""
    groups: dict[Names, dict[str, tuple[Graph, int]]] = {}
    for side in (left, right):
        for place in _with_siblings(side):
            groups.setdefault(side.graph.parent_ids(place), {})[side.graph.ids[place]] = (side.graph, place)
    _add_shared(groups, left.graph, right.graph)
    groups = {parents: members for parents, members in groups.items() if len(members) > 1}
    for graph in (left.graph, right.graph):
        contents(graph, [place for members in groups.values() for owner, place in members.values() if owner is graph])
    found = []
    for parents, members in groups.items():
        calls: dict[bytes, dict[str, bytes]] = {}
        for name, (graph, place) in members.items():
            hashes = contents(graph, [place])[0]
            calls.setdefault(hashes.call, {})[name] = hashes.own
        for outcomes in calls.values():
            if len(set(outcomes.values())) > 1:
                found.append(_twins(parents, list(outcomes), left.graph, right.graph))
    return [group for group in found if group.a or group.b]


def _with_siblings(side: Side) -> list[int]:
    """Positions of the unshared steps that may have siblings; skips those whose unshared parent has one child."""
    parents, children, own = side.graph.parents, side.graph.children, side.hashes
    return [
        place
        for place in side.positions
        if not parents[place] or parents[place][0] not in own or len(children[parents[place][0]]) > 1
    ]


def _twins(parents: Names, names: list[str], left: Graph, right: Graph) -> DriftTwins:
    return DriftTwins(
        parents,
        a=tuple([name for name in names if name not in right]),
        b=tuple([name for name in names if name not in left]),
        both=tuple([name for name in names if name in left and name in right]),
    )


def _add_shared(groups: dict[Names, dict[str, tuple[Graph, int]]], left: Graph, right: Graph) -> None:
    """Add to each group the shared steps with exactly the same parents."""
    above = {parents[0] for parents in groups if parents and parents[0] in left}
    places = set(left.roots if () in groups else ())
    for name in above:
        places.update(left.children[left.index(name)])
    for place in sorted(places):
        name, parents = left.ids[place], left.parent_ids(place)
        if name in right and parents in groups:
            groups[parents][name] = (left, place)
