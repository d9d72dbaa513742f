"""Which units share a rank with which, and how far apart they have to stay: one by one, or for all at once."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout.batch.compact import Columns

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


class Units(Protocol):
    """Units by their first and last rank, by those of their cards, and by label; `columns`: what they need across.

    The first one is the main lane.
    """

    columns: Columns
    count: int
    top: Ints
    bottom: Ints
    card_top: Ints
    card_bottom: Ints
    label: Floats


def sharing(units: Units, unit: int) -> Near:
    """Return the units that share a rank with `unit`, ascending, and the distance each must keep from it."""
    end = units.count
    top, bottom = int(units.top[unit]), int(units.bottom[unit])
    card_top, card_bottom = int(units.card_top[unit]), int(units.card_bottom[unit])
    near = ((units.top[:end] <= bottom) & (units.bottom[:end] >= top)).nonzero()[0]
    tops, bottoms = units.top[near], units.bottom[near]
    card_tops, card_bottoms = units.card_top[near], units.card_bottom[near]
    cards = (card_tops <= card_bottom) & (card_bottoms >= card_top)
    mixed = (card_tops <= bottom) & (card_bottoms >= top)
    mixed |= (tops <= card_bottom) & (bottoms >= card_top)
    return _near(near, _distances(units, cards, mixed))


class AllSharing:
    """The same for all units of a picture of some hundred, until one of them has other ranks or another label.

    Of two on different sides of the main lane neither is told of the other: what lies between keeps them apart. The
    newest unit is on either side, for it is tried at many places.
    """

    def __init__(self, units: Units) -> None:
        self._units, self._ranks, self._labels = units, _ranks(units), units.label[: units.count].copy()
        top, bottom, card_top, card_bottom = _in_half_the_bytes(self._ranks)
        self._near = (top <= bottom[:, None]) & (bottom >= top[:, None])
        left, right = self._labels < self._labels[0], self._labels > self._labels[0]
        left[-1] = right[-1] = False
        self._near &= ~(left[:, None] & right)
        self._near &= ~(right[:, None] & left)
        self._cards = (card_top <= card_bottom[:, None]) & (card_bottom >= card_top[:, None])
        self._mixed = (card_top <= bottom[:, None]) & (card_bottom >= top[:, None])

    def holds(self) -> bool:
        """Whether all units have the ranks they had, and the labels but for the newest."""
        units = self._units
        return bool(
            np.array_equal(self._ranks, _ranks(units))
            and np.array_equal(self._labels[:-1], units.label[: units.count - 1])
        )

    def of(self, unit: int) -> Near:
        """What `sharing` returns for a unit, without those on the other side."""
        near = self._near[unit].nonzero()[0]
        mixed = self._mixed[unit][near] | self._mixed[:, unit][near]
        return _near(near, _distances(self._units, self._cards[unit][near], mixed))


def _ranks(units: Units) -> Ints:
    end = units.count
    return np.stack((units.top[:end], units.bottom[:end], units.card_top[:end], units.card_bottom[:end]))


def _in_half_the_bytes(ranks: Ints) -> NDArray[np.int32]:
    """For twice the speed. All ranks there are stay; "everywhere" lies beyond them and "nowhere" beyond that."""
    short = np.clip(ranks, -_FAR, _FAR)
    short[ranks > EVERYWHERE] = _FARTHER
    short[ranks < -EVERYWHERE] = -_FARTHER
    return short.astype(np.int32)


def _distances(units: Units, cards: NDArray[np.bool_], mixed: NDArray[np.bool_]) -> Floats:
    card, thread = units.columns.card, units.columns.thread
    return np.where(cards, 2 * card, np.where(mixed, card + thread, 2 * thread))


def _near(near: Ints, distance: Floats) -> Near:
    if len(near) > FEW:
        return near, distance
    return list(zip(near.tolist(), distance.tolist(), strict=True))
