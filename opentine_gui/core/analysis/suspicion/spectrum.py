"""Spectrum-based fault localisation: which steps are ancestors of failing ends but not of passing ones, by Ochiai.

After Ochiai's coefficient as used in fault localisation (Abreu et al. 2006; for agents FAMAS, arXiv 2509.13782):
failing runs with it, divided by the root of (failing runs times runs with it).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import NamedTuple

from opentine_gui.core.comparison.content_hashes import contents
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.progress import Pace

MOST_ENDS = 400
"""Most ends compared; the last ones are taken."""
MOST_FOUND = 3
LEAST_SHARE = 0.5


class End(NamedTuple):
    """A tip, and whether the work that ended there failed; None where the recording does not say."""

    tip: int
    failed: bool | None


class Found(NamedTuple):
    """A step with its score: `runs` are (failing ends below it, all failing ends, passing ends below it).

    `alike` are the steps after it that have the same ends below them.
    """

    step: int
    share: float
    runs: tuple[int, int, int]
    alike: tuple[int, ...]


def resting(graph: Graph, tips: Sequence[int]) -> list[int]:
    """For each step, the set of `tips` that descend from it, as bits."""
    bits = [0] * len(graph)
    for number, tip in enumerate(tips):
        bits[tip] |= 1 << number
    for step in range(len(bits) - 1, -1, -1):
        mark = bits[step]
        if mark:
            for parent in graph.parents[step]:
                bits[parent] |= mark
    return bits


def _judged(ends: Sequence[End]) -> tuple[list[int], int, int]:
    """(tips, bits of the failing ones, bits of the passing ones) for the ends whose outcome is known."""
    known = [end for end in ends if end.failed is not None][-MOST_ENDS:]
    failing = sum(1 << number for number, end in enumerate(known) if end.failed)
    return [end.tip for end in known], failing, ((1 << len(known)) - 1) & ~failing


def only_failing(graph: Graph, ends: Sequence[End], pace: Pace | None = None) -> Iterator[Found]:
    """Steps by score, the highest first.

    Of steps with equal scores, the first on each failing path is given, because the others follow from it. Empty unless
    there are both passing and failing ends.
    """
    tips, failing, passing = _judged(ends)
    if not failing or not passing:
        return
    bits = resting(graph, tips)
    # A step below which all ends passed says nothing; nor does one that all ends share.
    asked = [step for step, mark in enumerate(bits) if mark & failing and mark != failing | passing]
    if not asked:
        return
    others = [step for step, mark in enumerate(bits) if mark and not mark & failing]
    hashes = contents(graph, [*asked, *others], pace=pace)
    together: dict[bytes, int] = {}
    for step, content in zip([*asked, *others], hashes, strict=True):
        together[content.own] = together.get(content.own, 0) | bits[step]
    total = failing.bit_count()
    scored: list[tuple[float, int, tuple[int, int, int]]] = []
    seen: set[bytes] = set()
    for step, content in zip(asked, hashes, strict=False):
        if content.own in seen:
            continue
        seen.add(content.own)
        mark = together[content.own]
        with_it, passed = (mark & failing).bit_count(), (mark & passing).bit_count()
        score = with_it / sqrt(total * (with_it + passed))
        if score >= LEAST_SHARE:
            scored.append((-score, step, (with_it, total, passed)))
    scored.sort()
    given: list[int] = []
    for score, step, runs in scored:
        if len(given) >= MOST_FOUND:
            return
        # A descendant of a step already given, with the same ends, adds nothing.
        if any(bits[other] & bits[step] == bits[step] and other < step for other in given):
            continue
        given.append(step)
        alike = tuple(other for other in asked if other > step and bits[other] == bits[step])
        yield Found(step, -score, runs, alike)


def replaced(graph: Graph, ends: Sequence[End]) -> Iterator[tuple[int, int]]:
    """(step, its alternative) where paths diverge: the ends below the step failed, those below the other passed."""
    tips, failing, passing = _judged(ends)
    if not failing or not passing:
        return
    bits = resting(graph, tips)
    given: set[int] = set()  # a step with several parents has several sets of siblings
    for step, children in enumerate(graph.children):
        if len(children) < 2 or not (bits[step] & failing and bits[step] & passing):
            continue
        good = [child for child in children if bits[child] & passing]
        for child in children:
            if child not in given and bits[child] & failing and not bits[child] & passing and good:
                given.add(child)
                yield child, good[0]
