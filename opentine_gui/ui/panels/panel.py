"""What all panels have in common, and what the window asks of a panel to give it a place."""

from __future__ import annotations

from typing import Literal, NamedTuple

from opentine_gui.app.session import Session
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.look import Look
from opentine_gui.ui.toolkit.pane import Pane

Side = Literal["left", "right", "bottom"]


class Panel:
    """A part of the window beside or below the canvas. It builds its widgets into `pane`."""

    def __init__(self, session: Session, look: Look, parent: int | str) -> None:
        self.session, self.look = session, look
        self.pane = Pane(parent, look)

    @property
    def in_use(self) -> bool:
        """Whether the panel has a place at all while the document in front is of its kind."""
        return True

    def wanted_height(self, room: float) -> float | None:
        """Height in pixels that the panel asks for on a side `room` pixels high; asked once a frame.

        None takes an equal share of what the others leave, which may be nothing. A panel at the bottom names a height.
        """
        return None

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Put the panel at a place of the window, in pixels."""
        self.pane.place(x, y, width, height)

    def sync(self, pointer: Pointer) -> None:
        """Follow the session; called once a frame while the panel is shown."""
        raise NotImplementedError


class PanelRow(NamedTuple):
    """A row of the table of panels.

    `flag` is a field of `app.state.window_state.View`: the panel is shown while it and `View.panels` are True.
    """

    name: str
    side: Side
    flag: str
    build: type[Panel]
