"""What other starts of the program ask this window for: their files become documents, and the window comes forward."""

from __future__ import annotations

from collections.abc import Callable

from opentine_gui.app.session import Session
from opentine_gui.app.system.single_instance import InstanceServer


class Arrivals:
    """Looks at the door, once a frame and while the window is at rest; looking is free."""

    def __init__(self, session: Session, door: InstanceServer | None, come_forward: Callable[[], None]) -> None:
        self.session, self.door = session, door
        self.come_forward = come_forward

    def look(self) -> None:
        """Open what was asked for since the last look; an empty request only brings the window forward."""
        for request in self.door.receive() if self.door is not None else ():
            for path in request:
                self.session.invoke("file.open", path=path)
            self.come_forward()
