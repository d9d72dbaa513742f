"""The context of a run, or of each run shown, for the time strip; and in words for one step."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.inspect.analysis.results import Latest, analysis
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.context import Context, context, main_line
from opentine_gui.core.progress import Pace
from opentine_gui.describe.numbers import format_tokens

MOST_CURVES = 8
"""Runs of a family that have a curve: as many as there are colours for runs."""


class Curve(msgspec.Struct, frozen=True):
    """The context of a run, and the steps its curve passes through: requests and compactions of the main agent."""

    context: Context
    steps: tuple[int, ...]


class RunCurve(NamedTuple):
    """The curve of one of the runs shown, with the run's number in the family and its colour."""

    run: int
    role: str
    curve: Curve


class ContextWords(NamedTuple):
    """How full the context was at a step, and a line that says how that is known."""

    fill: str
    hint: str


def curve_of(session: Session, document: Document) -> Curve | None:
    """The curve of the current run, or of all steps of the runs shown; None while it is being computed."""
    return analysis(session, document, "context", _curve)


def curve_is_coming(session: Session, document: Document) -> bool:
    """Whether a job computes it."""
    return session.jobs.is_running(f"context:{document.number}")


def run_curves(curve: Curve, overlay: Overlay) -> tuple[RunCurve, ...]:
    """A curve for each run that is switched on, the highlighted one last; `curve` is that of the union of the runs."""
    shown = sorted(overlay.shown, key=lambda run: run != overlay.lit)[:MOST_CURVES]
    inside = np.zeros(len(overlay.family.graph), dtype=bool)
    inside[list(curve.steps)] = True
    found = []
    for run in sorted(shown, key=lambda run: run == overlay.lit):
        positions = np.frombuffer(overlay.family.steps[run], dtype=np.int64)
        steps = tuple(positions[inside[positions]].tolist())
        role = "accent" if run == overlay.lit else overlay.runs[run].role
        found.append(RunCurve(run, role, Curve(curve.context, steps)))
    return tuple(found)


def _curve(record: RunRecord, pace: Pace, latest: Latest | None) -> Curve:
    known = (latest.result.context, latest.kept) if latest is not None else (None, 0)
    found = context(record.graph, pace, *known)
    return Curve(found, tuple(main_line(found, record.graph)))


def context_words(curve: Curve, step: int) -> ContextWords | None:
    """The context at a step; None if it made no request."""
    found = curve.context
    if step in found.cliffs:
        return ContextWords("replaced here", "What came before was replaced by a summary.")
    if step >= len(found.fill) or found.fill[step] <= 0:
        return None
    words = format_tokens(found.fill[step])
    if found.estimated[step]:
        return ContextWords(
            f"≈ {words}, estimated", "No usage is recorded: this is the length of what was said, by four."
        )
    if found.cached[step] < 0:
        return ContextWords(words, "What went in, as the usage says; what came from the cache is not recorded.")
    share = found.cached[step] / found.fill[step]
    hint = "What went in and what of it came from the cache, as the usage says."
    return ContextWords(f"{words}, {share:.0%} cached", hint)
