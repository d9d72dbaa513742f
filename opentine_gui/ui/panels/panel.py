"""The base class of panels, a row of the table of panels, and the turns they take while a run grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

from opentine_gui.app.session import Session
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.pane import Pane
from opentine_gui.ui.toolkit.style import Style

Side = Literal["left", "right", "bottom"]

View = TypeVar("View")
MOST_WAITED = 3
"""Frames in a row in which no panel has its turn because the picture of the run is made again."""
PANELS_SHARE = 0.001
"""Seconds of a frame after which no further panel is begun: most look at what they show and leave it as it is."""


class Panel:
    """A part of the window beside or below the canvas. It builds its widgets into `pane`.

    Below the canvas, only a `resizable` panel can be made higher; panels at the side all can.
    """

    resizable = False

    least_height = 0.0
    """Height in design pixels below which it is not shown at all."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        self.session, self.style = session, style
        self.pane = Pane(parent, style)
        style.controls.call(self.pane.window, type(self).__name__)

    @property
    def in_use(self) -> bool:
        """Whether the panel applies to the active document; hidden otherwise."""
        return True

    def wanted_height(self, room: float) -> float | None:
        """The height in pixels that the panel wants on a side `room` pixels high; called once a frame.

        None takes an equal share of what the others leave, which may be nothing; at the bottom it takes nothing.
        """
        return None

    def kept_height(self, room: float) -> float:
        """The height in pixels that it keeps beside others on a side `room` pixels high; 0: it gives way as they do."""
        return 0.0

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place the panel in the window, in pixels."""
        self.pane.place(x, y, width, height)

    def sync(self, pointer: Pointer) -> None:
        """Handle input and follow the session; called once a frame while the panel is shown."""
        raise NotImplementedError

    def forget(self) -> None:
        """Release the run; called in every frame in which the panel is hidden or does not apply.

        It follows no document then, and a closed document must be freed at once.
        """


class PanelRow(NamedTuple):
    """A row of the table of panels.

    `flag` is a field of `app.state.window_state.WindowState`: the panel is shown while it and `panels` there are True.
    """

    name: str
    side: Side
    flag: str
    build: type[Panel]


class Turns(Generic[View]):
    """Who syncs in which frame: the canvas before the panels, and while a run grows one panel after the other."""

    def __init__(self, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self._next = self._owed = self._waited = self._hoped = 0
        self._asked: Hashable = None
        self._news: Hashable = None
        self._picture: Hashable = None
        self._all = True
        self._late: list[View] = []

    def of(
        self,
        shown: Sequence[View],
        *,
        grows: bool,
        asked: Hashable,
        news: Hashable,
        picture: Hashable,
        pressed: bool = False,
        coming: bool = False,
    ) -> Sequence[View]:
        """The panels to sync in this frame: none, all, or, while the run `grows`, one.

        A frame with a new `picture` of the run has enough to do without panels, but this may hold for a few frames in a
        row only, and never while the user presses something. When what the user `asked` for changes, all panels follow
        at once; if that changes the picture, too (it is `coming`), they wait a few frames for it, so that they are not
        built twice. `news` is what all of them have to see: until then some are owed a turn. `picture` is None if there
        is no run.
        """
        self._late = [panel for panel in self._late if panel in shown]
        drawn = None not in (picture, self._picture) and picture != self._picture
        if drawn or asked != self._asked:
            self._hoped = 0
        self._all = self._all or not grows or pressed or asked != self._asked
        self._asked, self._picture = asked, picture
        if drawn and not pressed and self._waited < MOST_WAITED:
            self._waited += 1
            return ()
        if coming and not pressed and picture is not None and self._hoped < MOST_WAITED:
            self._hoped += 1
            self._waited = max(self._waited, 1)
            return ()
        self._waited = 0
        if self._all or not shown:
            self._all, self._owed, self._news = False, 0, news
            return shown
        if news != self._news:
            self._news, self._owed = news, len(shown)
        self._owed = max(self._owed - 1, 0)
        self._next = (self._next + 1) % len(shown)
        return (shown[self._next],)

    def in_time(self, shown: Sequence[View], now: Callable[[View], bool]) -> Iterator[View]:
        """As many of the given panels as a frame has time for, at least one; the others go first in the next frame.

        Panels that `now` says cannot wait, because the pointer is on them, are always included.
        """
        began = self._clock()
        first = [panel for panel in self._late if panel in shown]
        late = [panel for panel in self._late if panel not in shown]
        for panel in (*first, *(panel for panel in shown if panel not in first)):
            if now(panel) or self._clock() - began < PANELS_SHARE:
                yield panel
            else:
                late.append(panel)
        self._late = late

    @property
    def pending(self) -> bool:
        """Whether some panels do not yet show the session's state, so that more frames are needed."""
        return self._owed > 0 or self._waited > 0 or bool(self._late)
