"""How much two texts or lists have in common at their beginning and at their end; compares slices, not single items."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def common_beginning(old: Sequence[object], new: Sequence[object]) -> int:
    """How many items both have in common at the beginning."""
    most = min(len(old), len(new))
    return _most_alike(lambda low, high: old[low:high] == new[low:high], most)


def common_end(old: Sequence[object], new: Sequence[object], begun: int = 0) -> int:
    """How many items both have in common at the end, not counting the first `begun`."""
    here, there = len(old), len(new)
    most = min(here, there) - begun
    return _most_alike(lambda low, high: old[here - high : here - low] == new[there - high : there - low], most)


def _most_alike(alike: Callable[[int, int], bool], most: int) -> int:
    """The largest number of equal items, up to `most`; `alike(low, high)` compares those from `low` to `high`."""
    if alike(0, most):
        return most
    low, high = 0, most  # the first `low` are alike, the first `high` are not
    while high - low > 1:
        middle = (low + high) // 2
        if alike(low, middle):
            low = middle
        else:
            high = middle
    return low
