"""The context curves on the time strip: of the active run, or of each run that is shown together."""

from __future__ import annotations

from itertools import islice

from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.files.following import is_growing
from opentine_gui.app.inspect.analysis.context_rows import (
    Curve,
    RunCurve,
    curve_is_coming,
    curve_of,
    run_curves,
)
from opentine_gui.app.session import Session
from opentine_gui.core.analysis.agents import MAIN
from opentine_gui.core.analysis.context import is_request
from opentine_gui.scene.overviews.timeline import Timeline
from opentine_gui.ui.panels.time_strip.curves import (
    DrawnCurves,
    draw_curve,
    draw_curve_name,
    draw_curves,
    draw_curves_key,
    drawn_curves,
)
from opentine_gui.ui.panels.time_strip.places import CURVE, CURVES, Places
from opentine_gui.ui.panels.time_strip.strip_run import StripRun
from opentine_gui.ui.toolkit.sheet import Pen

LEAST_REQUESTS = 8
"""Requests from which their contexts make a curve."""


class ContextCurves:
    """The curves of a strip. `drawn` says where they were drawn last, for the pointer; None without any."""

    def __init__(self, session: Session, run: StripRun) -> None:
        self._session = session
        self._run = run
        self.drawn: DrawnCurves | None = None
        self._last: tuple[int, Curve | None] = (0, None)
        """The number of a document and its last curve."""
        self._of_runs: tuple[Curve | None, Overlay | None, tuple[RunCurve, ...]] = (None, None, ())
        """A curve and an overlay, and the curves of several runs that were made of them."""

    def forget(self) -> None:
        """Release the run."""
        self._last, self._of_runs, self.drawn = (0, None), (None, None, ()), None

    @property
    def curve(self) -> Curve | None:
        """The context of the run, if it made enough requests; while the run grows, the last result."""
        document = self._session.active
        if document is None:
            return None
        curve = curve_of(self._session, document) if document.record is self._run.record else None
        if curve is None and is_growing(self._session, document) and self._last[0] == document.number:
            curve = self._last[1]
        self._last = (document.number, curve)
        return curve if curve is not None and len(curve.steps) > LEAST_REQUESTS else None

    @property
    def overlay(self) -> Overlay | None:
        """The runs that are shown together; None for a single run."""
        document, record = self._session.active, self._run.record
        overlay = document.overlay if document is not None else None
        return overlay if overlay is not None and record is not None and overlay.family.graph is record.graph else None

    @property
    def height(self) -> float:
        """Their height in design pixels; 0 without any. What is still being computed is taken to be there."""
        if self.curve is None and not self._is_coming:
            return 0.0
        return CURVE if self.overlay is None else CURVES

    @property
    def _is_coming(self) -> bool:
        """Whether a curve is being computed of a run whose main agent made enough requests."""
        document, record, made = self._session.active, self._run.record, self._run.made
        if document is None or record is None or made is None or not curve_is_coming(self._session, document):
            return False
        graph, agents = record.graph, made.agents
        asked = (step for step in range(len(graph)) if is_request(graph, step) and agents[step] == MAIN)
        return len(list(islice(asked, LEAST_REQUESTS + 1))) > LEAST_REQUESTS

    def draw(self, pen: Pen, line: Timeline, at: Places) -> None:
        """Draw the curve of the run, or of each run shown, with their names."""
        curve, overlay = self.curve, self.overlay
        self.drawn = None
        if curve is None:
            return
        if overlay is None:
            self.drawn = drawn_curves(line, [curve], at.width)
            draw_curve(pen, curve, self.drawn, at)
            draw_curve_name(pen, curve, self.drawn, at)
            return
        curves = self._each(curve, overlay)
        self.drawn = drawn_curves(line, [run.curve for run in curves], at.width)
        draw_curves(pen, curves, overlay, self.drawn, at)
        draw_curves_key(pen, curves, overlay, self.drawn, at)

    def _each(self, curve: Curve, overlay: Overlay) -> tuple[RunCurve, ...]:
        if self._of_runs[0] is not curve or self._of_runs[1] is not overlay:
            self._of_runs = (curve, overlay, run_curves(curve, overlay))
        return self._of_runs[2]
