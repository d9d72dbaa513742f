"""What opens a group selects a step, too: both are painted at once, in the frame that has the new picture."""

from __future__ import annotations

from collections.abc import Hashable

MOST_WAITED = 3
"""Frames for which a selection waits for the picture it goes with."""


class ComingPicture:
    """Which selection to paint while another picture of the run is on its way."""

    def __init__(self) -> None:
        self._painted: Hashable = None
        self._waited = 0

    def selection(self, selected: Hashable, coming: bool) -> Hashable:
        """The selection to paint: the one before for a few frames while a picture is `coming`."""
        if coming and selected != self._painted and self._waited < MOST_WAITED:
            self._waited += 1
            return self._painted
        self._waited, self._painted = 0, selected
        return selected

    @property
    def waits(self) -> bool:
        """Whether a selection is not painted yet."""
        return self._waited > 0
