"""Where everything in the window goes: asks the panels what they want, and divides the window among them."""

from __future__ import annotations

from opentine_gui.app.session import Session
from opentine_gui.app.state.settings import Settings
from opentine_gui.ui.arrangement.guarded_panels import GuardedPanels
from opentine_gui.ui.arrangement.splitters import Splitters
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.proposals.dock import DOCK, ProposalDock
from opentine_gui.ui.toolkit.regions import Area, Regions, divide, stack, usual_left, with_dock
from opentine_gui.ui.toolkit.style import Style

WIDE_INSPECTOR = 0.66
"""Share of the window's width that the inspector takes when it is wide, as far as the canvas keeps its least width."""
USUAL = Settings().left_width, Settings().right_width


class Arrangement:
    """The areas of the window as it is now; worked out in every frame, so it makes few calls."""

    def __init__(
        self, session: Session, style: Style, panels: GuardedPanels, splitters: Splitters, dock: ProposalDock
    ) -> None:
        self.session, self.style = session, style
        self._panels, self._splitters, self._dock = panels, splitters, dock
        self.regions: Regions | None = None
        """None until the window was first arranged."""
        self.areas: dict[Panel, Area] = {}
        self._placed: object = None

    def place_again(self) -> None:
        """Have the next `follow` say that everything changed."""
        self._placed = None

    def follow(self, size: tuple[int, int], top: float) -> bool:
        """Divide a window of `size` pixels below a bar `top` pixels high; False if everything is where it was."""
        view, settings, panels = self.session.view, self.session.settings, self._panels
        left, right = self.style.size(settings.left_width), self.style.size(settings.right_width)
        form = self.session.proposal is not None and self._dock.has_form
        # A form lies below the canvas, and its boxes are no use in the least width of one.
        chosen = not form and (view.inspector_wide or (settings.left_width, settings.right_width) != USUAL)
        if view.inspector_wide:
            left, right = usual_left(size[0], self.style.scale, left), max(right, size[0] * WIDE_INSPECTOR)
        at = {side: panels.shown_at(side, view) for side in ("left", "right", "bottom")}
        panels.forget_all_but({panel for side in at.values() for _, panel in side})
        below = self._splitters.strips(panels.heights(at["bottom"], size[1]), size[1], form=form)
        regions = divide(
            *size,
            scale=self.style.scale,
            top=top,
            left=left if at["left"] else 0.0,
            right=right if at["right"] else 0.0,
            bottom=tuple([height for _, _, height in below]),
            chosen=chosen,
        )
        regions = with_dock(regions, self._dock.wanted_height(regions.canvas))
        areas = dict(zip((panel for _, panel, _ in below), regions.bottom, strict=True))
        edges: list[tuple[str, Panel]] = []
        for side, area in (("left", regions.left), ("right", regions.right)):
            wanted = panels.heights(at[side], area.height)
            heights = [height for _, _, height in wanted]
            if settings.panel_heights:
                names = [name for name, _, _ in wanted]
                heights = self._splitters.heights(list(zip(names, heights, strict=True)), area.height)
            kept = panels.kept(wanted, area.height) if view.search and side == "left" else ()
            for (_, panel, _), place in zip(wanted, stack(area, tuple(heights), tuple(kept)), strict=True):
                areas[panel] = place
            if side == "left":
                # A panel that takes what the others leave is made higher by no edge of its own.
                edges = [(name, panel) for name, panel, height in wanted[:-1] if height is not None]
        if (size, regions, areas) == self._placed:
            return False
        self._placed = size, regions, areas
        self.regions, self.areas = regions, areas
        strips = [(name, areas[panel]) for name, panel, _ in below if panel.resizable]
        if regions.dock.height and self._dock.form.parts:
            strips.append((DOCK, regions.dock))
        self._splitters.place(regions, [(name, areas[panel]) for name, panel in edges], strips)
        return True
