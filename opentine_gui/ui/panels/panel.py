"""The base classes of panels, and a row of the table of panels."""

from __future__ import annotations

from typing import Literal, NamedTuple

from opentine_gui.app.session import Session
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.pane import Pane
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import Sheet
from opentine_gui.ui.toolkit.style import Style

Side = Literal["left", "right", "bottom"]

HEADING = 30.0
"""Height of the heading of a list, in design pixels."""


class Panel:
    """A part of the window beside or below the canvas. It builds its widgets into `pane`.

    Below the canvas, only a `resizable` panel can be made higher; panels at the side all can.
    """

    resizable = False

    about_run = True
    """Whether it says something of the active document alone, which is wrong beside another one."""

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


class ListPanel(Panel):
    """A panel with a heading above a list of rows, which a subclass makes."""

    rows: RowList

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.heading = Sheet(self.pane.window, style)

    @property
    def heading_height(self) -> float:
        """Height of the heading in design pixels."""
        return HEADING

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place the heading and the rows."""
        heading = self.style.size(self.heading_height)
        self.pane.place(x, y, width, height)
        self.heading.place(0, 0, width, heading)
        self.rows.place(0, heading, width, height - heading)


class PanelRow(NamedTuple):
    """A row of the table of panels.

    `flag` is a field of `app.state.window_state.WindowState`: the panel is shown while it and `panels` there are True.
    """

    name: str
    side: Side
    flag: str
    build: type[Panel]
