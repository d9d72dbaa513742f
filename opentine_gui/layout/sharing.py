"""Which units share a rank with which, and how far apart they have to stay: one by one, or for all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from opentine_gui.layout.growing import Columned

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
FEW = 64  # neighbours up to which a loop is quicker than numpy, which takes a microsecond to be called
Near = list[tuple[int, float]] | tuple[Ints, Floats]  # units that share a rank with one, and how far apart to keep
EVERYWHERE = 1 << 39  # ranks from minus to plus this: all there are, and less than
NOWHERE = 1 << 40  # a card range that no rank is in
MOST_AT_ONCE = 700
"""Units up to which all pairs are worth being looked at together: half a million, in a millisecond."""
_FAR, _FARTHER = 1 << 29, 1 << 30
MANY = 32
"""Units asked about one by one until it pays to ask about all."""


def sharing(columned: Columned, unit: int) -> Near:
    """Return the units that share a rank with `unit`, ascending, and the distance each must keep from it."""
    end = columned.count
    top, bottom = int(columned.top[unit]), int(columned.bottom[unit])
    card_top, card_bottom = int(columned.card_top[unit]), int(columned.card_bottom[unit])
    near = ((columned.top[:end] <= bottom) & (columned.bottom[:end] >= top)).nonzero()[0]
    tops, bottoms = columned.top[near], columned.bottom[near]
    card_tops, card_bottoms = columned.card_top[near], columned.card_bottom[near]
    cards = (card_tops <= card_bottom) & (card_bottoms >= card_top)
    mixed = (card_tops <= bottom) & (card_bottoms >= top)
    mixed |= (tops <= card_bottom) & (bottoms >= card_top)
    return _near(near, _distances(columned, cards, mixed))


class AllSharing:
    """The same for all units of a picture of some hundred, until one of them has other ranks."""

    def __init__(self, columned: Columned) -> None:
        self._columned, self._ranks = columned, _ranks(columned)
        top, bottom, card_top, card_bottom = _in_half_the_bytes(self._ranks)
        self._near = (top <= bottom[:, None]) & (bottom >= top[:, None])
        self._cards = (card_top <= card_bottom[:, None]) & (card_bottom >= card_top[:, None])
        self._mixed = (card_top <= bottom[:, None]) & (card_bottom >= top[:, None])

    def holds(self) -> bool:
        """Whether all units have the ranks they had."""
        return bool(np.array_equal(self._ranks, _ranks(self._columned)))

    def of(self, unit: int) -> Near:
        """What `sharing` returns for a unit."""
        near = self._near[unit].nonzero()[0]
        mixed = self._mixed[unit][near] | self._mixed[:, unit][near]
        return _near(near, _distances(self._columned, self._cards[unit][near], mixed))


def _ranks(columned: Columned) -> Ints:
    end = columned.count
    return np.stack((columned.top[:end], columned.bottom[:end], columned.card_top[:end], columned.card_bottom[:end]))


def _in_half_the_bytes(ranks: Ints) -> NDArray[np.int32]:
    """For twice the speed. All ranks there are stay; "everywhere" lies beyond them and "nowhere" beyond that."""
    short = np.clip(ranks, -_FAR, _FAR)
    short[ranks > EVERYWHERE] = _FARTHER
    short[ranks < -EVERYWHERE] = -_FARTHER
    return short.astype(np.int32)


def _distances(columned: Columned, cards: NDArray[np.bool_], mixed: NDArray[np.bool_]) -> Floats:
    card, thread = columned.columns.card, columned.columns.thread
    return np.where(cards, 2 * card, np.where(mixed, card + thread, 2 * thread))


def _near(near: Ints, distance: Floats) -> Near:
    if len(near) > FEW:
        return near, distance
    return list(zip(near.tolist(), distance.tolist(), strict=True))
