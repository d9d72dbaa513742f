"""Where two runs part, and which steps were asked the same and answered differently."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from itertools import zip_longest

import msgspec

from opentine_gui.core.content import contents
from opentine_gui.core.graph import Graph
from opentine_gui.core.pairing import Match, Side

Names = tuple[str, ...]


class Parting(StrEnum):
    """What happens where two runs part."""

    CHANGED = "changed"
    """One step was changed: `a` and `b` answer to each other."""
    ONLY_A = "only in a"
    """`a` is new; `b`, if any, is work that comes elsewhere in the other run."""
    ONLY_B = "only in b"
    """`b` is new; `a`, if any, is work that comes elsewhere in the other run."""
    MOVED = "moved"
    """The same work rests on other steps, or comes in another order."""
    DIFFERENT = "different"
    """Both runs go on, with work that has nothing to do with each other."""


class RootDivergence(msgspec.Struct, frozen=True):
    """The first different step of a branch on each side, after the shared `parents`; None: that side does not go on."""

    parents: Names
    a: str | None
    b: str | None
    parting: Parting

    @property
    def parent(self) -> str | None:
        """The shared step after which the runs part (the first of several); None when they part at the start."""
        return self.parents[0] if self.parents else None

    @property
    def causes(self) -> Names:
        """The steps that are different work here; a step that only comes elsewhere in the other run is none."""
        chosen = (
            None if self.parting is Parting.ONLY_B else self.a,
            None if self.parting is Parting.ONLY_A else self.b,
        )
        return tuple([identity for identity in chosen if identity is not None])


class DriftTwins(msgspec.Struct, frozen=True):
    """Steps with one request (kind, inputs, parents) and different outcomes; `both` are in both runs."""

    parents: Names
    a: Names
    b: Names
    both: Names

    def stack(self, graph: Graph) -> Names:
        """Those of them that a graph has, in its traversal order."""
        return tuple(sorted((name for name in (*self.a, *self.both, *self.b) if name in graph), key=graph.index))


def partings(left: Side, right: Side, moved: Iterable[Match]) -> list[RootDivergence]:
    """The root divergences: different steps all of whose parents are shared, put side by side.

    Steps that answer to each other are put together, then what is new on both sides after the same parents, in
    traversal order. Whenever one run has a step the other lacks there is at least one.
    """
    same_work = set(moved)
    first, second = _first_different(left), _first_different(right)
    found: list[tuple[tuple[int, int], RootDivergence]] = []
    rest: dict[Names, tuple[list[int], list[int]]] = {}
    for place in first:
        partner = left.partner.get(place)
        if partner is not None and partner in second:
            found.append(((0, place), _parting(left, right, place, partner, same_work)))
        else:
            rest.setdefault(left.graph.parent_ids(place), ([], []))[0].append(place)
    for place in second:
        if right.partner.get(place) not in first:
            rest.setdefault(right.graph.parent_ids(place), ([], []))[1].append(place)
    for lefts, rights in rest.values():
        # What has no partner comes first: it is the news, and the rest is work that was put off.
        lefts.sort(key=lambda place: place in left.partner)
        rights.sort(key=lambda place: place in right.partner)
        for one, two in zip_longest(lefts, rights):
            where = (0, one) if one is not None else (1, two)
            found.append((where, _parting(left, right, one, two, same_work)))
    return [divergence for _, divergence in sorted(found, key=lambda pair: pair[0])]


def _first_different(side: Side) -> dict[int, None]:
    """The steps the other run lacks whose parents it all has, in traversal order."""
    return {
        place: None
        for place in side.positions
        if not any(parent in side.hashes for parent in side.graph.parents[place])
    }


def _parting(left: Side, right: Side, one: int | None, two: int | None, same_work: set[Match]) -> RootDivergence:
    if one is None and two in right.partner:
        one = right.partner[two]
    elif two is None and one in left.partner:
        two = left.partner[one]
    above = left.graph.parent_ids(one) if one is not None else ()
    below = right.graph.parent_ids(two) if two is not None else ()
    mine, yours = one in left.partner, two in right.partner
    if one is not None and two is not None and left.partner.get(one) == two:
        parting = Parting.MOVED if (one, two) in same_work else Parting.CHANGED
    elif mine and yours:
        parting = Parting.MOVED
    elif two is None or yours:
        parting = Parting.ONLY_A
    elif one is None or mine:
        parting = Parting.ONLY_B
    else:
        parting = Parting.DIFFERENT
    # Parents the two have in common come first; those of a step deeper in its run are not where the runs part.
    shared = [name for name in above if name in right.graph] + [name for name in below if name in left.graph]
    parents = sorted(dict.fromkeys(shared), key=lambda name: not (name in above and name in below))
    return RootDivergence(
        tuple(parents),
        None if one is None else left.graph.ids[one],
        None if two is None else right.graph.ids[two],
        parting,
    )


def twins(left: Side, right: Side) -> list[DriftTwins]:
    """Groups of siblings with equal kind and inputs and different outcomes, at least one of them in one run alone."""
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
    """The steps in one run alone that may have siblings: a step after one without other children has none."""
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
    """Add to each group the shared steps that rest on exactly the same parents."""
    above = {parents[0] for parents in groups if parents and parents[0] in left}
    places = set(left.roots if () in groups else ())
    for name in above:
        places.update(left.children[left.index(name)])
    for place in sorted(places):
        name, parents = left.ids[place], left.parent_ids(place)
        if name in right and parents in groups:
            groups[parents][name] = (left, place)
