"""The context of a run for the time strip, and in words for one step."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.results import Latest, analysis
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.context import Context, context, main_line
from opentine_gui.core.progress import Pace
from opentine_gui.describe.numbers import format_tokens


class Curve(msgspec.Struct, frozen=True):
    """The context of a run, and the steps its curve goes through: requests and compactions of the main agent."""

    context: Context
    steps: tuple[int, ...]


class ContextWords(NamedTuple):
    """How full the context was at a step, and a line that says from what that is known."""

    fill: str
    hint: str


def curve_of(session: Session, document: Document) -> Curve | None:
    """The curve of the present run; None while it is worked out, and for several runs."""
    return analysis(session, document, "context", _curve) if document.members is None else None


def _curve(record: RunRecord, pace: Pace, latest: Latest | None) -> Curve:
    known = (latest.result.context, latest.kept) if latest is not None else (None, 0)
    found = context(record.graph, pace, *known)
    return Curve(found, tuple(main_line(found, record.graph)))


def context_words(curve: Curve, step: int) -> ContextWords | None:
    """The context at a step; None where it made no request."""
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
