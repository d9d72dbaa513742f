"""Pinned cards: they sit exactly where the user put them, and only cards in their way step aside.

Lanes do not move for a pin. A free card that would lie under or over a pinned one moves within its own rank to the
nearest free place; everything else stays, so a drag disturbs as little as it can. The home of a pinned card stays
reserved in its lane, so taking the pin out puts the card back.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout.measures import Spacing


def step_aside(
    homes: NDArray[np.float64],
    rank: NDArray[np.int64],
    fixed: Mapping[int, tuple[float, float]],
    pitch: float,
    depth: float,
    spacing: Spacing,
    sideways: bool,
) -> NDArray[np.float64]:
    """Return centres (n, 2) across and along the ranks, with pins in place and every free card clear of them.

    `fixed` maps node number to its pinned centre, `pitch` is a card and its gap across, `depth` a card along the ranks.
    """
    cards = homes.copy()
    is_pinned = np.zeros(len(cards), dtype=bool)
    for number, point in fixed.items():
        cards[number] = point
        is_pinned[number] = True
    if not fixed:
        return cards
    width = spacing.node_height if sideways else spacing.node_width
    pins = np.array([fixed[number] for number in sorted(fixed)], dtype=np.float64)
    free = np.flatnonzero(~is_pinned)
    crowded: list[int] = []
    for pin in pins:
        near = (np.abs(cards[free, 0] - pin[0]) < width) & (np.abs(cards[free, 1] - pin[1]) < depth)
        crowded.extend(free[near].tolist())
    for number in sorted(set(crowded)):
        along = cards[number, 1]
        same_rank = (rank == rank[number]) & ~is_pinned
        same_rank[number] = False
        taken = np.concatenate((cards[same_rank, 0], pins[np.abs(pins[:, 1] - along) < depth][:, 0]))
        cards[number, 0] = _nearest_free(float(homes[number, 0]), taken, pitch)
    return cards


def _nearest_free(wish: float, taken: NDArray[np.float64], pitch: float) -> float:
    """Return the x nearest to `wish` that is at least `pitch` from all taken ones; the right one if two are equal."""
    places = np.concatenate((taken + pitch, taken - pitch))
    clear = (np.abs(places[:, None] - taken[None, :]) >= pitch - 1e-6).all(axis=1)
    places = places[clear]
    return float(places[np.lexsort((-places, np.abs(places - wish)))[0]])
