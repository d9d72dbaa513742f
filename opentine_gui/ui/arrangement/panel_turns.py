"""Which panels are updated in a frame: the canvas goes first, and while a run grows one panel after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from opentine_gui.app.canvas.layouts import is_laid_out_again
from opentine_gui.app.files.following import is_growing
from opentine_gui.app.session import Session
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.toolkit.style import Style

View = TypeVar("View")
WRONG = 0.2
"""Seconds for which a panel may show another document than the one in front."""
MOST_WAITED = 3
"""Most frames in a row in which no panel has its turn because the picture of the run changes."""
PANELS_SHARE = 0.001
"""Seconds of a frame after which no further panel is begun: most find that nothing has changed for them."""


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
        self._state: Hashable = None
        self._shows: dict[View, Hashable] = {}
        """The state in which each panel had its last turn."""

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

        A frame with a new `picture` of the run leaves the panels out, but only for a few frames in a row, and never
        while the user presses something. When what the user `asked` for changes, all panels follow at once; if that
        changes the picture, too (it is `coming`), they wait a few frames for it, so that they are not built twice.
        `news` is what all of them have to see: until then some are owed a turn. `picture` is None if there is no run.
        """
        if self._late:
            self._late = [panel for panel in self._late if panel in shown]
        self._state = (asked, news, picture)
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
        began, none = self._clock(), True
        late: list[View] = []
        if self._late:
            first = [panel for panel in self._late if panel in shown]
            late = [panel for panel in self._late if panel not in shown]
            shown = [*first, *[panel for panel in shown if panel not in first]]
        for panel in shown:
            if now(panel) or none or self._clock() - began < PANELS_SHARE:
                none = False
                self._shows[panel] = self._state
                yield panel
            else:
                late.append(panel)
        self._late = late

    def asked_of(self, panel: View) -> Hashable:
        """What the user had asked for when a panel had its last turn; None before the first."""
        state = self._shows.get(panel)
        return state[0] if isinstance(state, tuple) else None

    @property
    def pending(self) -> bool:
        """Whether some panels do not yet show the session's state, so that more frames are needed.

        A late panel that shows it already needs none, or a slow machine would never come to rest.
        """
        if self._owed > 0 or self._waited > 0:
            return True
        return bool(self._late) and any(self._shows.get(panel) != self._state for panel in self._late)


class Blanks:
    """Blanks panels that still show another document after a while: nothing is said rather than something wrong.

    On a machine that is fast enough they follow before that, and nothing flashes.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._number = 0
        self._since = 0.0
        self._waits = False

    def update(self, number: int, panels: Iterable[Panel], shows: Callable[[Panel], int]) -> None:
        """Blank and unblank panels, given the document in front and which one each panel shows; 0 is none."""
        if number != self._number:
            self._number, self._since, self._waits = number, self._clock(), True
        elif not self._waits:
            return
        late = self._clock() - self._since >= WRONG
        self._waits = False
        for panel in panels:
            wrong = panel.about_run and panel.pane.shown and shows(panel) != number
            panel.pane.blank(wrong and late)
            self._waits = self._waits or wrong


class PanelTurns:
    """The turns of the window's panels. A panel under the pointer never waits."""

    def __init__(self, session: Session, style: Style, panels: Mapping[str, Panel], pointer: Pointer) -> None:
        self.session, self.style, self.panels, self.pointer = session, style, panels, pointer
        self._turns: Turns[Panel] = Turns()
        self._blanks = Blanks()
        self._under: list[Panel] = []
        self._held = False
        """Whether panels may have to answer the pointer in this frame, wherever it is."""

    @property
    def pending(self) -> bool:
        """Whether some panels do not show yet what the session has, because the canvas went first."""
        return self._turns.pending

    def due(self) -> Iterator[Panel]:
        """The panels to update in this frame, as many as it has time for."""
        return self._turns.in_time(self._in_turn(), self._cannot_wait)

    def blank_what_waits(self) -> None:
        """Blank the panels that still show another document than the one in front."""
        document = self.session.active
        self._blanks.update(document.number if document is not None else 0, self.panels.values(), self._shows)

    def _shows(self, panel: Panel) -> int:
        """The number of the document that a panel shows; 0 for none."""
        asked = self._turns.asked_of(panel)
        return int(asked[0]) if isinstance(asked, tuple) else 0

    def _in_turn(self) -> Sequence[Panel]:
        """The panels to update in this frame: those whose turn it is, and the one under the pointer."""
        session, document, pointer = self.session, self.session.active, self.pointer
        shown = [panel for panel in self.panels.values() if panel.pane.shown]
        grows = document is not None and is_growing(session, document)
        # What is held on the canvas is not theirs.
        self._held = (pointer.left_down and not session.tools.busy) or bool(
            pointer.events and any(event.kind != "move" for event in pointer.events)
        )
        turn = self._turns.of(
            shown,
            grows=grows,
            asked=document and (document.number, document.selection_revision, self.style.theme.name),
            news=session.revision,
            picture=document and (document.number, document.picture.layout_revision),
            pressed=self._held,
            coming=document is not None and not grows and is_laid_out_again(session, document),
        )
        self._under = [panel for panel in shown if panel.pane.contains(pointer.x, pointer.y)]
        return [panel for panel in shown if panel in turn or panel in self._under]

    def _cannot_wait(self, panel: Panel) -> bool:
        # A window in two themes would flash.
        return self._held or panel in self._under or panel.pane.has_old_theme
