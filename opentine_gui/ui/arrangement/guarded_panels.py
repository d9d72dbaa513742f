"""Asks and places the panels of the window; one that fails becomes a notice and affects no other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from opentine_gui.app.state.window_state import WindowState
from opentine_gui.ui.panels import PANELS
from opentine_gui.ui.panels.panel import Panel, Side
from opentine_gui.ui.platform.view_errors import ViewErrors
from opentine_gui.ui.toolkit.regions import Area

NOWHERE = Area(0, 0, 0, 0)
"""The area of a panel that is not shown."""


class GuardedPanels:
    """The panels of the window, by their names in `PANELS`. Called in every frame, so the guards add no calls."""

    def __init__(self, panels: Mapping[str, Panel], errors: ViewErrors) -> None:
        self.panels, self._errors = panels, errors
        self.names = {panel: f"{name} panel" for name, panel in panels.items()}
        """What a panel is called in the notice that it failed."""

    def shown_at(self, side: Side, view: WindowState) -> list[tuple[str, Panel]]:
        """Name and panel of what the user has not hidden in a side and has something to show, from top to bottom."""
        if not view.panels:
            return []
        used = []
        for row in PANELS:
            if row.side == side and getattr(view, row.flag):
                try:
                    if self.panels[row.name].in_use:
                        used.append((row.name, self.panels[row.name]))
                except Exception as error:  # noqa: BLE001 - a panel that fails affects no other
                    self._errors.add(self.names[self.panels[row.name]], error)
        return used

    def heights(self, panels: Iterable[tuple[str, Panel]], room: float) -> list[tuple[str, Panel, float | None]]:
        """The panels that can say how high they want to be, with that height."""
        wanted = []
        for name, panel in panels:
            try:
                wanted.append((name, panel, panel.wanted_height(room)))
            except Exception as error:  # noqa: BLE001 - a panel that fails affects no other
                self._errors.add(self.names[panel], error)
        return wanted

    def kept(self, panels: Iterable[tuple[str, Panel, float | None]], room: float) -> list[float]:
        """What each of these panels keeps on a side `room` pixels high."""
        found = []
        for _, panel, _ in panels:
            try:
                found.append(panel.kept_height(room))
            except Exception as error:  # noqa: BLE001 - a panel that fails affects no other
                self._errors.add(self.names[panel], error)
                found.append(0.0)
        return found

    def forget_all_but(self, listed: Collection[Panel]) -> None:
        """Have the panels that are not shown release what they hold of a run."""
        for panel in self.panels.values():
            if panel not in listed:
                try:
                    panel.forget()
                except Exception as error:  # noqa: BLE001 - a panel that fails affects no other
                    self._errors.add(self.names[panel], error)

    def place(self, areas: Mapping[Panel, Area], scale: float) -> set[Panel]:
        """Show the panels that have an area high enough for them, and hide the others; returns those that are shown."""
        shown = set()
        for panel in self.panels.values():
            area = areas.get(panel, NOWHERE)
            fits = area.width > 0 and area.height > scale * panel.least_height
            if fits:
                shown.add(panel)
            try:
                panel.pane.show(fits)
                if fits:
                    panel.place(*area)
            except Exception as error:  # noqa: BLE001 - a panel that fails affects no other
                self._errors.add(self.names[panel], error)
        return shown
